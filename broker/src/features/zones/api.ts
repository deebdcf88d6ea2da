import type { zones } from '@mqdeck/contract/zones';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

const ROOTS = ['mqtt', 'flapping_detect', 'force_shutdown', 'force_gc', 'durable_sessions'] as const;

export const zonesApi = (settings: SettingsStore): Handlers<typeof zones> => {
  const globalZone = () => ({
    mqtt: settings.get('mqtt'),
    flapping_detect: settings.get('flapping_detect'),
    force_shutdown: settings.get('force_shutdown'),
    force_gc: settings.get('force_gc'),
    durable_sessions: settings.get('durable_sessions'),
  });
  return {
    getGlobal: globalZone,
    updateGlobal: async ({ body }) => {
      const wanted = { ...body, mqtt: inTodaysWords(body.mqtt) };
      const before = globalZone();
      const changed = ROOTS.filter((root) => JSON.stringify(wanted[root]) !== JSON.stringify(before[root]));
      await Promise.all(changed.map((root) => settings.change(root, wanted[root])));
      return globalZone();
    },
    list: () => settings.get('zones'),
    update: async ({ body }) => {
      const kept = new Map(Object.entries(settings.get('zones')));
      for (const [name, zone] of Object.entries(body))
        if (zone === null) kept.delete(name);
        else kept.set(name, zone.mqtt ? { ...zone, mqtt: inTodaysWords(zone.mqtt) } : zone);
      await settings.change('zones', Object.fromEntries(kept));
      return settings.get('zones');
    },
  };
};

/** The multiplier may come in the words of older brokers. */
const inTodaysWords = <M extends { keepalive_backoff?: number | undefined }>({
  keepalive_backoff: backoff,
  ...mqtt
}: M) => (backoff === undefined ? mqtt : { ...mqtt, keepalive_multiplier: 2 * backoff });
