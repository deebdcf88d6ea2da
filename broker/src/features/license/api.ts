import { LicenseSettings, type license } from '@mqdeck/contract/license';
import * as z from 'zod/mini';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { LicenseFault } from './license-key.ts';
import type { Licensing } from './licensing.ts';

/** Instead of a license: back to the one for evaluation. */
const DEFAULT = 'default';

export function licenseApi(licensing: Licensing, settings: SettingsStore): Handlers<typeof license> {
  const watermarks = () => {
    const { connection_low_watermark, connection_high_watermark } = settings.get('license');
    return { connection_low_watermark, connection_high_watermark };
  };
  return {
    get: () => licensing.inForce,
    update: async ({ body: { key } }) => {
      await licensing.put(key.trim() === DEFAULT ? '' : checked(key)).catch((cause: unknown) => {
        if (cause instanceof LicenseFault) return fail('BAD_REQUEST', cause.message);
        throw cause;
      });
      return licensing.inForce;
    },
    setting: watermarks,
    updateSetting: async ({ body }) => {
      const changed = { ...settings.get('license'), ...body };
      const { success, error } = z.safeParse(LicenseSettings, changed);
      if (!success) {
        const { path, message } = error.issues[0]!;
        return fail('BAD_REQUEST', `${path.join('.')}: ${message}`);
      }
      await settings.change('license', changed);
      return watermarks();
    },
  };
}

function checked(key: string): string {
  const trimmed = key.trim();
  return trimmed === '' ? fail('BAD_REQUEST', 'The license is empty') : trimmed;
}
