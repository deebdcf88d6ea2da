import { BackendConfigError } from '../backends/backend.ts';
import type { OutboundPolicy } from '../backends/outbound.ts';
import { type Section, SettingsFault, type SettingsStore } from './settings.ts';

/** Sections whose features do not check their targets themselves when they start. */
const SECTIONS: readonly Section[] = ['bridges', 'prometheus', 'statsd'];

/** An import and `PUT /configs` name no new target that is denied. Those that are there may stay: they are not connected to. */
export function guardTargets(settings: SettingsStore, outbound: OutboundPolicy): void {
  for (const section of SECTIONS)
    settings.guard(section, (values, before) => {
      try {
        outbound.checkConfig(values, before);
      } catch (cause) {
        if (!(cause instanceof BackendConfigError)) throw cause;
        throw new SettingsFault(cause.path.split('.'), cause.message);
      }
    });
}
