import type { sysmon } from '@mqdeck/contract/sysmon';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

export const sysmonApi = (settings: SettingsStore): Handlers<typeof sysmon> => ({
  get: () => settings.get('sysmon'),
  update: async ({ body }) => {
    checkOrder('os.cpu', body.os.cpu_low_watermark, body.os.cpu_high_watermark);
    checkOrder('vm.process', body.vm.process_low_watermark, body.vm.process_high_watermark);
    await settings.change('sysmon', body);
    return body;
  },
  getAlarm: () => settings.get('alarm'),
  updateAlarm: async ({ body }) => {
    await settings.change('alarm', body);
    return body;
  },
});

/** Otherwise an alarm would begin and end with each look. */
function checkOrder(name: string, low: string, high: string): void {
  if (Number.parseFloat(low) >= Number.parseFloat(high))
    fail(
      'UPDATE_FAILED',
      `${name}_low_watermark (${low}) must be below ${name}_high_watermark (${high})`,
      400,
    );
}
