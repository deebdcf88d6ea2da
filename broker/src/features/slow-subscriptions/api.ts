import type { slowSubscriptions } from '@mqdeck/contract/slow-subscriptions';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { presentedAt, type SlowSubscriptions } from './slow-subscriptions.ts';

export const slowSubscriptionsApi = (
  { slowest }: SlowSubscriptions,
  settings: SettingsStore,
  node: string,
): Handlers<typeof slowSubscriptions> => ({
  list: () => ({ data: slowest.all().map(presentedAt(node)) }),
  clear: () => slowest.clear(),
  get: () => settings.get('slow_subs'),
  update: async ({ body }) => {
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
    const changed = { ...settings.get('slow_subs'), ...given };
    await settings.change('slow_subs', changed);
    return changed;
  },
});
