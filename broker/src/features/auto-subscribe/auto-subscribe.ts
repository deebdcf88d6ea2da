import {
  AUTO_SUBSCRIBE_MAX,
  type AutoSubscribeSettings,
  type AutoSubscription,
} from '@mqdeck/contract/auto-subscribe';
import { isValidFilter, parseShared } from '@mqdeck/mqtt/topics';
import type { Client } from '../../core/client.ts';
import type { Core, SubscribeRequest } from '../../core/core.ts';
import { SettingsFault, type SettingsStore } from '../../settings/settings.ts';

const OWNER = 'auto-subscribe';

/** Subscribes each client that connects to what the operator has listed. The answer ends it. */
export function startAutoSubscribe(core: Core, settings: SettingsStore): () => void {
  const { hooks, log } = core;
  let off: (() => void) | null = null;

  function follow({ topics }: AutoSubscribeSettings): void {
    off?.();
    off = null;
    if (topics.length === 0) return;
    off = hooks.on(
      'client.connected',
      (client) => {
        if (core.registry.find(client.clientid) !== client) return; // another one of the same name, at a gateway
        const requests = topics.flatMap((one) => requestOf(one, client) ?? []);
        const codes = core.subscribe(client.clientid, requests) ?? [];
        const refused = requests.filter((_, i) => codes[i]! >= 0x80).map(({ filter }) => filter);
        if (refused.length > 0)
          log.warn({ clientid: client.clientid, filters: refused }, 'could not be subscribed automatically');
      },
      { owner: OWNER },
    );
  }

  settings.guard('auto_subscribe', ({ topics }) => {
    if (topics.length > AUTO_SUBSCRIBE_MAX)
      throw new SettingsFault(['topics'], `there can be ${AUTO_SUBSCRIBE_MAX} topics at most`);
    for (const [i, one] of topics.entries()) {
      const fault = faultOf(one);
      if (fault) throw new SettingsFault(['topics', i], fault);
    }
  });
  follow(settings.get('auto_subscribe'));
  const stop = settings.onChange('auto_subscribe', follow);
  return () => {
    stop();
    off?.();
  };
}

/** Null where a placeholder has no value, or one that would make a wildcard of it. */
function requestOf(
  { topic, qos, nl, rap, rh }: AutoSubscription,
  { clientid, username, address, port }: Client,
): SubscribeRequest | null {
  const values: Record<string, string | null> = { clientid, username, host: address, port: String(port) };
  let possible = true;
  const filter = topic.replace(/\$\{(clientid|username|host|port)\}/g, (_, name: string) => {
    const value = values[name] ?? null;
    if (value === null || /[+#]/.test(value)) possible = false;
    return value ?? '';
  });
  if (!possible || !isValidFilter(filter)) return null;
  return {
    filter,
    qos: qos as 0 | 1 | 2,
    noLocal: nl === 1,
    retainAsPublished: rap === 1,
    retainHandling: rh as 0 | 1 | 2,
  };
}

/** Why nobody could be subscribed like this, or null. */
export function faultOf({ topic, nl }: AutoSubscription): string | null {
  if (!isValidFilter(topic)) return `nobody can subscribe to "${topic.slice(0, 200)}"`;
  return nl === 1 && parseShared(topic) ? 'a shared subscription has no "no local"' : null; // [MQTT-3.8.3-4]
}
