import type { sysmon } from '@mqdeck/contract/sysmon';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { orderFault } from './watermarks.ts';

export const sysmonApi = (settings: SettingsStore): Handlers<typeof sysmon> => ({
  get: () => settings.get('sysmon'),
  update: async ({ body }) => {
    const fault = orderFault(body);
    if (fault) fail('UPDATE_FAILED', `${fault.path.join('.')} ${fault.reason}`, 400);
    await settings.change('sysmon', body);
    return body;
  },
  getAlarm: () => settings.get('alarm'),
  updateAlarm: async ({ body }) => {
    await settings.change('alarm', body);
    return body;
  },
});
