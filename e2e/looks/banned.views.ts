import { operatorOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

const LONG = 'p'.repeat(300);

export const banned: FeatureViews = {
  feature: 'banned',
  async prepare(server) {
    const call = await operatorOf(server);
    await call('POST', '/banned', { as: 'clientid', who: 'pump-1', reason: 'stolen' });
    await call('POST', '/banned', { as: 'clientid', who: LONG, reason: 'r'.repeat(300) });
    // Both are refused now.
    for (const who of ['pump-1', LONG])
      await connectDevice(server, who, { version: 5 }).catch(() => undefined);
    return async () => {
      await call('DELETE', '/banned');
      await call('DELETE', '/refused_connections');
    };
  },
  views: [
    {
      name: 'the list',
      path: '/blacklist',
      show: ({ page }) => page.getByRole('row').filter({ hasText: 'pump-1' }).waitFor(),
    },
    {
      name: 'the form',
      path: '/blacklist?ban=clientid_re&who=%5Epump',
      show: ({ page }) => page.getByRole('dialog').locator('select').nth(1).selectOption('moment'),
    },
    {
      name: 'the refused connections',
      path: '/blacklist?tab=refused',
      show: ({ page }) => page.getByRole('row').filter({ hasText: 'pump-1' }).waitFor(),
    },
    {
      name: 'flapping detection',
      path: '/blacklist?tab=flapping',
      show: ({ page }) => page.getByRole('switch').waitFor(),
    },
  ],
};
