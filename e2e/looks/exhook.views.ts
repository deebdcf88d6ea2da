import { type HookProvider, hookProvider } from '@mqdeck/broker/testing/engines/hook-provider';
import { operatorOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

export const exhook: FeatureViews = {
  feature: 'exhook',
  async prepare(server) {
    const call = await operatorOf(server);
    const provider: HookProvider = await hookProvider({
      hooks: [
        { name: 'message.publish', topics: ['a/#', 'b/+'] },
        { name: 'client.authorize' },
        { name: 'client.connected' },
      ],
    });
    await call('POST', '/exhooks', { name: 'well', url: provider.url });
    await call('POST', '/exhooks', { name: 'away', url: 'http://127.0.0.1:1' });
    return async () => {
      for (const name of ['well', 'away']) await call('DELETE', `/exhooks/${name}`);
      await provider.close();
    };
  },
  views: [
    {
      name: 'the list',
      path: '/exhook',
      show: ({ page }) => page.locator('[data-row=well]').waitFor(),
    },
    {
      name: 'a server that is away',
      path: '/exhook/detail/away',
      show: ({ page }) => page.getByText('127.0.0.1:1', { exact: false }).first().waitFor(),
    },
    {
      name: 'the hooks of a server',
      path: '/exhook/detail/well?tab=hooks',
      show: ({ page }) => page.getByRole('table').getByText('b/+').waitFor(),
    },
    {
      name: 'the settings of a server',
      path: '/exhook/detail/well?tab=settings',
      show: ({ page }) => page.getByRole('combobox').first().waitFor(),
    },
    {
      name: 'the form',
      path: '/exhook/create',
      show: ({ page }) => page.getByRole('main').getByRole('textbox').first().waitFor(),
    },
  ],
};
