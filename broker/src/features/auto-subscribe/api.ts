import { AUTO_SUBSCRIBE_MAX, type autoSubscribe } from '@mqdeck/contract/auto-subscribe';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { faultOf } from './auto-subscribe.ts';

export const autoSubscribeApi = (settings: SettingsStore): Handlers<typeof autoSubscribe> => ({
  list: () => settings.get('auto_subscribe').topics,
  update: async ({ body: topics }) => {
    if (topics.length > AUTO_SUBSCRIBE_MAX)
      return fail('EXCEED_LIMIT', `There can be ${AUTO_SUBSCRIBE_MAX} topics at most`, 409);
    for (const [i, one] of topics.entries()) {
      const fault = faultOf(one);
      if (fault) return fail('BAD_REQUEST', `Topic ${i + 1}: ${fault}`);
    }
    await settings.change('auto_subscribe', { topics });
    return topics;
  },
});
