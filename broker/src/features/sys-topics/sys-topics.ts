import type { Alarm } from '@mqdeck/contract/alarms';
import { parseDuration } from '@mqdeck/contract/kit/values';
import type { SysTopicsSettings } from '@mqdeck/contract/sys-topics';
import type { SubscriptionOptions } from '@mqdeck/mqtt/packets';
import type { Client } from '../../core/client.ts';
import type { Core } from '../../core/core.ts';
import type { Message } from '../../core/message.ts';
import type { Timer, TimerWheel } from '../../core/timer-wheel.ts';
import type { SettingsStore } from '../../settings/settings.ts';

type EventName = keyof SysTopicsSettings['sys_event_messages'];

/** Who real brokers say has published it. */
const PUBLISHER = 'emqx_sys';
const OWNER = 'sys-topics';

export interface SysTopicsParts {
  settings: SettingsStore;
  version: string;
  /** Calls for each alarm that begins or ends. The answer ends it. */
  onAlarm: (tell: (event: 'activate' | 'deactivate', alarm: Alarm) => void) => () => void;
}

/**
 * Tells on topics below `$SYS/brokers` how the broker is doing, who comes and goes, and what alarms there are. A
 * value that is not retained is made only when somebody gets it. The answer ends it.
 */
export function startSysTopics(core: Core, { settings, version, onAlarm }: SysTopicsParts): () => void {
  const { node, hooks, routes, timers, clock, counters, gauges } = core;
  const below = (name: string) => `$SYS/brokers/${node}/${name}`;

  function publish(topic: string, payload: string, retain: boolean): void {
    const failed = (err: unknown) =>
      core.log.warn({ err, topic: topic.slice(0, 200) }, 'a system message could not be published');
    try {
      const published = core.publish({ topic, payload, retain, clientid: PUBLISHER, system: true });
      if (published instanceof Promise) published.catch(failed);
    } catch (err) {
      failed(err);
    }
  }

  function tell(topic: string, payload: () => string): void {
    if (routes.hasReceivers(topic)) publish(topic, payload(), false);
  }

  function tellFigures(prefix: string, figures: Record<string, number>): void {
    for (const [name, figure] of Object.entries(figures))
      tell(below(`${prefix}/${name.replaceAll('.', '/')}`), () => String(figure));
  }

  const report = repeated(timers, () => {
    publish(below('version'), version, true);
    publish(below('sysdescr'), 'mqdeck', true);
    publish('$SYS/brokers', node, true);
    tellFigures('stats', gauges.all());
    tellFigures('metrics', counters.all());
  });
  const heartbeat = repeated(timers, () => {
    tell(below('uptime'), () => String(clock.now - core.startedAt));
    tell(below('datetime'), () => localTime(clock.now));
  });

  const tellEvent = (client: Client, event: string, facts: () => object) =>
    tell(below(`clients/${levelsOf(client.clientid)}/${event}`), () => JSON.stringify(facts()));
  const about = ({ clientid, username }: Client) => ({ clientid, username, protocol: 'mqtt', ts: clock.now });
  const connectionOf = (client: Client) => {
    const { ip_address, proto_name, proto_ver, connected_at } = client.facts();
    const sockport = core.listeners.find(({ id }) => id === client.listener)?.port ?? null;
    return { ...about(client), ipaddress: ip_address, sockport, proto_name, proto_ver, connected_at };
  };
  /** What became of a message; never of one that the broker sent itself, or one would bring the next. */
  const tellFate = (event: string, message: Message, facts: () => object) => {
    if (message.system) return;
    tell(`$event/${event}`, () => JSON.stringify({ ...messageFacts(message), ...facts(), ts: clock.now }));
  };
  const listenTo: Record<EventName, () => () => void> = {
    client_connected: () =>
      hooks.on(
        'client.connected',
        (client) =>
          tellEvent(client, 'connected', () => ({
            ...connectionOf(client),
            keepalive: client.keepalive,
            clean_start: client.cleanStart,
            expiry_interval: client.expiryInterval,
          })),
        { owner: OWNER },
      ),
    client_disconnected: () =>
      hooks.on(
        'client.disconnected',
        (client, reason) =>
          tellEvent(client, 'disconnected', () => ({
            ...connectionOf(client),
            reason,
            disconnected_at: client.disconnectedAt ?? clock.now,
          })),
        { owner: OWNER },
      ),
    client_subscribed: () =>
      hooks.on(
        'session.subscribed',
        (client, filter, options, isNew) =>
          tellEvent(client, 'subscribed', () => ({
            ...about(client),
            topic: filter,
            subopts: { ...optionsOf(options), is_new: isNew, sub_props: propertiesOf(client, filter) },
          })),
        { owner: OWNER },
      ),
    client_unsubscribed: () =>
      hooks.on(
        'session.unsubscribed',
        (client, filter) => tellEvent(client, 'unsubscribed', () => ({ ...about(client), topic: filter })),
        { owner: OWNER },
      ),
    message_delivered: () =>
      hooks.on(
        'message.delivered',
        (client, message, qos) =>
          tellFate('message_delivered', message, () => ({ ...receiver(client), qos })),
        { owner: OWNER },
      ),
    message_acked: () =>
      hooks.on(
        'message.acked',
        (client, message) => tellFate('message_acked', message, () => receiver(client)),
        { owner: OWNER },
      ),
    message_dropped: () =>
      hooks.on(
        'message.dropped',
        (client, message, reason) =>
          tellFate('message_dropped', message, () => ({ ...(client && receiver(client)), reason })),
        { owner: OWNER },
      ),
  };

  const listening = new Map<EventName, () => void>();
  function obey({ sys_msg_interval, sys_heartbeat_interval, sys_event_messages }: SysTopicsSettings): void {
    report.every(sys_msg_interval);
    heartbeat.every(sys_heartbeat_interval);
    for (const [event, wanted] of Object.entries(sys_event_messages) as [EventName, boolean][]) {
      const stop = listening.get(event);
      if (wanted && !stop) listening.set(event, listenTo[event]());
      if (!wanted && stop) {
        stop();
        listening.delete(event);
      }
    }
  }

  obey(settings.get('sys_topics'));
  const off = [
    settings.onChange('sys_topics', obey),
    onAlarm((event, alarm) => tell(below(`alarms/${event}`), () => JSON.stringify(alarm))),
  ];
  return () => {
    report.every('disabled');
    heartbeat.every('disabled');
    for (const stop of listening.values()) stop();
    for (const stop of off) stop();
  };
}

/** Runs at once and then every so often, until another interval is given. */
function repeated(timers: TimerWheel, run: () => void): { every(interval: string | number): void } {
  let current: string | number = 'disabled';
  let timer: Timer | null = null;
  return {
    every(interval) {
      if (interval === current) return;
      current = interval;
      timer?.cancel();
      if (interval === 'disabled') return;
      const go = () => {
        timer = timers.after(parseDuration(interval)!, go);
        run();
      };
      go();
    },
  };
}

/** Without the payload: whoever watches the fate of messages need not read them. */
const messageFacts = ({ id, from, publisher, topic, qos, retain, payloadBytes, timestamp }: Message) => ({
  id: id.toUpperCase(),
  from_clientid: from,
  from_username: publisher?.username ?? null,
  topic,
  qos,
  retain,
  payload_bytes: payloadBytes,
  publish_received_at: timestamp,
});

const receiver = ({ clientid, username, address }: Client) => ({ clientid, username, peerhost: address });

/** A client id may hold what a topic may not [MQTT-3.3.2-2]; nobody stays unseen by such a name. */
const levelsOf = (clientid: string): string => clientid.replaceAll('+', '%2B').replaceAll('#', '%23');

const optionsOf = ({ qos, noLocal, retainAsPublished, retainHandling }: Readonly<SubscriptionOptions>) => ({
  qos,
  nl: Number(noLocal),
  rap: Number(retainAsPublished),
  rh: retainHandling,
});

function propertiesOf(client: Client, filter: string): Record<string, number> {
  const identifier = client.subscription(filter)?.subscriptionIdentifier ?? 0;
  return identifier === 0 ? {} : { 'Subscription-Identifier': identifier };
}

/** `2026-11-21 09:35:00`, in the broker's own zone. */
function localTime(ms: number): string {
  const date = new Date(ms);
  const two = (part: number) => String(part).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}
