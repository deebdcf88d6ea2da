import { startBeforeAlarms } from '../support/cluster-alarms.ts';
import type { FeatureViews } from './view.ts';

export const alarms: FeatureViews = {
  feature: 'alarms',
  start: startBeforeAlarms,
  views: [
    {
      name: 'the list',
      path: '/alarm/current-alarm',
      async show({ page, say }) {
        const row = page.getByRole('row').filter({ hasText: 'high_cpu_usage' });
        // The cluster describes the alarm in English only: beside the Chinese text stands what the cluster says.
        await row
          .getByText(
            say('The processors are 98.9% busy; the alarm begins at 80%', 'CPU 使用率 98.9%，告警阈值 80%'),
          )
          .waitFor();
        await row.getByText(say('usage: 98.90%', 'message: 98.90% cpu usage')).waitFor();
      },
    },
    {
      name: 'the history',
      path: '/alarm/history-alarm',
      show: ({ page }) => page.getByRole('row').filter({ hasText: 'partition' }).waitFor(),
    },
  ],
};
