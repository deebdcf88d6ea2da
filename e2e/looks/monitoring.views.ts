import type { FeatureViews, View } from './view.ts';

const view = (name: string, path: string): View => ({
  name,
  path,
  show: ({ page }) => page.getByRole('tabpanel').getByRole('textbox').first().waitFor(),
});

export const monitoring: FeatureViews = {
  feature: 'monitoring',
  views: [
    view('the thresholds', '/monitoring/alarm-settings'),
    view('the handling of alarms', '/monitoring/alarm-settings?tab=handling'),
    view('Prometheus', '/monitoring/integration'),
    view('StatsD', '/monitoring/integration?tab=statsd'),
  ],
};
