import { AUTO_SUBSCRIBE_MAX, type autoSubscribe } from '@mqdeck/contract/auto-subscribe';
import { isValidFilter, parseShared } from '@mqdeck/mqtt/topics';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

export const autoSubscribeApi = (settings: SettingsStore): Handlers<typeof autoSubscribe> => ({
  list: () => settings.get('auto_subscribe').topics,
  update: async ({ body: topics }) => {
    if (topics.length > AUTO_SUBSCRIBE_MAX)
      return fail('EXCEED_LIMIT', `There can be ${AUTO_SUBSCRIBE_MAX} topics at most`, 409);
    for (const [i, { topic, nl }] of topics.entries()) {
      if (!isValidFilter(topic))
        return fail('BAD_REQUEST', `Topic ${i + 1}: nobody can subscribe to "${topic.slice(0, 200)}"`);
      if (nl === 1 && parseShared(topic))
        return fail('BAD_REQUEST', `Topic ${i + 1}: a shared subscription has no "no local"`); // [MQTT-3.8.3-4]
    }
    await settings.change('auto_subscribe', { topics });
    return topics;
  },
});
