import type { FeatureViews } from './view.ts';

export const dashboard: FeatureViews = {
  feature: 'dashboard',
  views: [
    {
      name: 'the overview',
      path: '/dashboard/overview',
      show: ({ page }) => page.locator('canvas').nth(5).waitFor(),
    },
    {
      name: 'the form of a range',
      path: '/dashboard/overview',
      async show({ page, say }) {
        await page.locator('canvas').nth(5).waitFor();
        await page.getByRole('button', { name: say('From … to …', '自定义时间') }).click();
        await page
          .getByRole('form', { name: say('From … to …', '自定义时间') })
          .getByLabel(say('From', '从'))
          .waitFor();
      },
    },
    {
      name: 'the nodes',
      path: '/dashboard/nodes',
      show: ({ page }) => page.getByRole('link', { name: /^mqdeck@/ }).waitFor(),
    },
    {
      name: 'a node',
      path: '/dashboard/nodes/mqdeck@127.0.0.1',
      show: ({ page }) => page.locator('canvas').first().waitFor(),
    },
    {
      name: 'the metrics',
      path: '/dashboard/metrics',
      show: ({ page }) => page.getByText('messages.acked').first().waitFor(),
    },
  ],
};
