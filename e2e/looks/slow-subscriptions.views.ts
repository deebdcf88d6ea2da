import type { FeatureViews } from './view.ts';

export const slowSubscriptions: FeatureViews = {
  feature: 'slow-subscriptions',
  views: [
    {
      name: 'the list while it is off',
      path: '/slow-sub',
      show: ({ page, say }) => page.getByRole('button', { name: say('Enable', '启用') }).waitFor(),
    },
    {
      name: 'the settings',
      path: '/slow-sub/config',
      show: ({ page }) => page.getByRole('switch').waitFor(),
    },
  ],
};
