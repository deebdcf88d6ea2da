import { randomUUID } from 'node:crypto';
import { release, type } from 'node:os';
import type { telemetry } from '@mqdeck/contract/telemetry';
import type { Core } from '../../core/core.ts';
import type { Store } from '../../core/store/store.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';

export interface TelemetryParts {
  core: Core;
  store: Store;
  settings: SettingsStore;
  version: string;
  edition: 'opensource' | 'enterprise';
}

/** Shows what could be told of this broker. Nothing here opens a connection: whoever wants to know has to ask. */
export const telemetryApi = (parts: TelemetryParts): Handlers<typeof telemetry> => {
  const { settings } = parts;
  return {
    status: () => settings.get('telemetry'),
    update: async ({ body: { enable } }) => {
      if (settings.get('telemetry').enable === enable)
        return fail('BAD_REQUEST', `Telemetry status is already ${enable ? 'enabled' : 'disabled'}`);
      await settings.change('telemetry', { enable });
      return { enable };
    },
    data: () => {
      if (!settings.get('telemetry').enable) return fail('NOT_FOUND', 'Telemetry is not enabled');
      return told(parts);
    },
  };
};

function told({ core, store, settings, version, edition }: TelemetryParts) {
  const uuid = ownId(store);
  return {
    emqx_version: version,
    license: { edition },
    os_name: type(),
    os_version: release(),
    otp_version: `Node.js ${process.version}`,
    up_time: Math.floor((Date.now() - core.startedAt) / 1000),
    uuid,
    nodes_uuid: [uuid],
    active_plugins: [],
    active_modules: [
      ...(settings.get('retainer').enable ? ['retainer'] : []),
      ...(settings.get('delayed').enable ? ['delayed'] : []),
      ...(settings.get('slow_subs').enable ? ['slow_subs'] : []),
    ],
    num_clients: core.gauges.get('live_connections'),
    messages_received: core.counters.all()['messages.received'] ?? 0,
    messages_sent: core.counters.all()['messages.sent'] ?? 0,
  };
}

/** By chance, and the same at every start; made when it is first asked for. */
function ownId(store: Store): string {
  const ids = store.collection<string>('telemetry');
  const known = ids.get('uuid');
  if (known) return known;
  const made = randomUUID();
  ids.put('uuid', made);
  return made;
}
