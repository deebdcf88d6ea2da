import { operatorOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

export const audit: FeatureViews = {
  feature: 'audit',
  async prepare(server) {
    const call = await operatorOf(server);
    const settings = await call<object>('GET', '/slow_subscriptions/settings');
    await call('PUT', '/slow_subscriptions/settings', { ...settings, top_k_num: 12 });
    return () => call('PUT', '/slow_subscriptions/settings', settings);
  },
  views: [
    {
      name: 'the entries',
      path: '/audit',
      show: ({ page }) => page.getByRole('row').nth(1).waitFor(),
    },
    {
      name: 'an entry',
      path: '/audit?like_text=slow_subscriptions',
      async show({ page }) {
        await page.getByRole('link', { name: 'PUT /slow_subscriptions/settings' }).first().click();
        await page.getByRole('dialog').getByRole('row').filter({ hasText: 'top_k_num' }).waitFor();
      },
    },
    {
      name: 'the settings',
      path: '/audit?tab=settings',
      show: ({ page }) => page.getByRole('switch').first().waitFor(),
    },
  ],
};
