import type { zones } from '@mqdeck/contract/zones';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

export const zonesApi = (settings: SettingsStore): Handlers<typeof zones> => ({
  getGlobal: () => ({ flapping_detect: settings.get('flapping_detect') }),
  updateGlobal: async ({ body: { flapping_detect } }) => {
    await settings.change('flapping_detect', flapping_detect);
    return { flapping_detect };
  },
});
