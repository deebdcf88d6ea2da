import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import { parseRate, type RetainerSettings } from '@mqdeck/contract/retainer';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { Core } from '../../core/core.ts';
import type { PublishResult } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import { Expiry, expiryOf } from './expiry.ts';
import { RateLimit } from './rate-limit.ts';
import { Replays } from './replays.ts';
import type { RetainedStore } from './store.ts';

/** What changes or ends a message on its way does so before it is kept. */
const AFTER_THE_OTHERS = -100;
const CLEAR_LOOK_MS = 1000;
const REPORT_EVERY_MS = 10_000;

/** Keeps the last retained message of each topic and hands it to new subscribers. The answer ends it. */
export function startRetainer(
  core: Core,
  settings: () => RetainerSettings,
  store: RetainedStore,
): () => void {
  const { hooks, clock, gauges, log } = core;
  const publishRate = new RateLimit(() => parseRate(settings().max_publish_rate)!);
  const expiry = new Expiry(settings);
  const replays = new Replays(core, expiry, settings);
  const reported = new Map<string, { at: number; unsaid: number }>();
  gauges.provide('retained', () => store.size);

  const off = [
    hooks.on('message.publish', onPublish, { priority: AFTER_THE_OTHERS, owner: 'retainer' }),
    hooks.on(
      'session.subscribed',
      (client, filter, { retainHandling }, isNew) => {
        if (!inForce(settings()) || store.size === 0) return;
        if (retainHandling === 2 || (retainHandling === 1 && !isNew)) return; // [MQTT-3.3.1-10] [MQTT-3.3.1-11]
        if (parseShared(filter) !== null) return; // section 4.8.2: a shared subscription is sent none
        replays.start(client, filter, () => store.matching(parseExclusive(filter) ?? filter));
      },
      { owner: 'retainer' },
    ),
  ];
  const stopClearing = clearExpired(core, settings, expiry, store);

  function onPublish(message: Message): PublishResult {
    if (!message.retain) return undefined; // [MQTT-3.3.1-8]
    const now = settings();
    if (!inForce(now)) return undefined;
    if (message.payloadBytes === 0) {
      if (store.remove(message.topic)) message.mustLast = store.durable; // [MQTT-3.3.1-6] [MQTT-3.3.1-7]
      return now.stop_publish_clear_msg
        ? { reasonCode: ReasonCode.Success, reason: 'only removes' }
        : undefined;
    }
    const refused = refusal(message, now);
    if (refused) {
      reportRefusal(message, refused);
      return undefined;
    }
    store.put({
      id: message.id,
      topic: message.topic,
      qos: message.qos,
      payload: new Uint8Array(message.payload), // the message's own is a view of what the network brought
      properties: message.properties,
      from: message.from,
      username: message.publisher?.username ?? null,
      timestamp: message.timestamp,
      expiresAt: expiryOf(message, now),
    }); // [MQTT-3.3.1-5]
    message.mustLast = store.durable;
    return undefined;
  }

  function refusal(message: Message, now: RetainerSettings): string | undefined {
    if (message.payloadBytes > parseBytes(now.max_payload_size)!)
      return 'a retained message is too large and is not kept';
    const { max_retained_messages: most } = now.backend;
    if (most > 0 && store.size >= most && !store.get(message.topic))
      return 'there are as many retained messages as may be, and another topic is not kept';
    if (publishRate.waitMs(clock.now) > 0) return 'retained messages come too fast, and one is not kept';
    publishRate.take();
    return undefined;
  }

  /** A flood of them is one line now and then. */
  function reportRefusal(message: Message, reason: string): void {
    const last = reported.get(reason);
    if (last && clock.now - last.at < REPORT_EVERY_MS) {
      last.unsaid++;
      return;
    }
    log.info({ topic: message.topic, clientid: message.from, others: last?.unsaid ?? 0 }, reason);
    reported.set(reason, { at: clock.now, unsaid: 0 });
  }

  return () => {
    for (const end of off) end();
    stopClearing();
  };
}

const inForce = ({ enable, backend }: RetainerSettings): boolean => enable && backend.enable;

/** Clears expired messages away every `msg_clear_interval`, which may change at any time. */
function clearExpired(
  { clock, timers, log }: Core,
  settings: () => RetainerSettings,
  expiry: Expiry,
  store: RetainedStore,
) {
  let last = clock.now;
  let timer = timers.after(CLEAR_LOOK_MS, look);

  function look(): void {
    timer = timers.after(CLEAR_LOOK_MS, look);
    const everyMs = parseDuration(settings().msg_clear_interval);
    if (!everyMs || clock.now - last < everyMs) return;
    last = clock.now;
    store
      .removeEach(store.all(), (retained) => expiry.expired(retained, clock.now))
      .catch((err: unknown) => log.error({ err }, 'expired retained messages could not be cleared away'));
  }

  return () => timer.cancel();
}

/** Messages move when the setting says that they be kept elsewhere. The answer ends it. */
export function followStorage({ log }: Core, settings: SettingsStore, store: RetainedStore): () => void {
  return settings.onChange('retainer', ({ backend }) => {
    store
      .keepOn(backend.storage_type)
      .catch((err: unknown) => log.error({ err }, 'retained messages could not be moved'));
  });
}
