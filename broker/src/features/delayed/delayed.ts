import { DELAY_SECONDS_MAX, DELAYED_PREFIX, type DelayedSettings } from '@mqdeck/contract/delayed';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { isSystemTopic, isValidTopic } from '@mqdeck/mqtt/topics';
import type { Core } from '../../core/core.ts';
import { C } from '../../core/counters.ts';
import type { PublishResult } from '../../core/hooks.ts';
import type { Message } from '../../core/message.ts';
import type { Timer } from '../../core/timer-wheel.ts';
import type { Delayed, DelayedStore } from './store.ts';

/** Before the retainer and the rules: they have to do with the message when its time has come. */
const BEFORE_THE_OTHERS = 100;
const OWNER = 'delayed';
const AT_ONCE = 100; // messages that are published in a turn of the event loop
const REPORT_EVERY_MS = 10_000;

/** Keeps what is published to `$delayed/N/topic` for N seconds, over restarts too, and publishes it then. */
export class DelayedPublish {
  readonly store: DelayedStore;
  private readonly core: Core;
  private readonly settings: () => DelayedSettings;
  private readonly off: () => void;
  private timer: Timer | null = null;
  private next = Number.POSITIVE_INFINITY; // epoch ms, of the timer
  private reportedAt = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(core: Core, settings: () => DelayedSettings, store: DelayedStore) {
    this.core = core;
    this.settings = settings;
    this.store = store;
    this.off = core.hooks.on('message.publish', (message) => this.onPublish(message), {
      priority: BEFORE_THE_OTHERS,
      owner: OWNER,
    });
    core.gauges.provide('delayed', () => store.size);
    this.wait();
  }

  /** Deletes what waits once it is switched off. */
  async settingsChanged(): Promise<void> {
    if (this.settings().enable) return;
    await this.store.clear();
    this.wait();
  }

  close(): void {
    this.closed = true;
    this.off();
    this.timer?.cancel();
  }

  private onPublish(message: Message): PublishResult {
    if (!message.topic.startsWith(DELAYED_PREFIX)) return undefined;
    const { enable, max_delayed_messages: most } = this.settings();
    if (!enable) return undefined;
    const slash = message.topic.indexOf('/', DELAYED_PREFIX.length);
    const delay = message.topic.slice(DELAYED_PREFIX.length, slash === -1 ? undefined : slash);
    const topic = slash === -1 ? '' : message.topic.slice(slash + 1);
    const seconds = /^\d{1,10}$/.test(delay) ? Number(delay) : Number.NaN;
    if (!(seconds <= DELAY_SECONDS_MAX) || !isValidTopic(topic)) {
      const reason = `expected $delayed/N/topic with N from 0 to ${DELAY_SECONDS_MAX} seconds`;
      return this.refuse(message, ReasonCode.TopicNameInvalid, reason);
    }
    if (isSystemTopic(topic))
      return this.refuse(message, ReasonCode.NotAuthorized, 'only the broker publishes below $SYS');
    if (seconds === 0) {
      message.change({ topic });
      return undefined;
    }
    if (most > 0 && this.store.size >= most)
      return this.refuse(message, ReasonCode.QuotaExceeded, `${most} delayed messages wait already`);
    const { timestamp } = message;
    const dueAt = timestamp + seconds * 1000;
    this.store.add({
      topic,
      seconds,
      dueAt,
      publishedAt: timestamp,
      qos: message.qos,
      retain: message.retain,
      payload: new Uint8Array(message.payload), // the message's own is a view of what the network brought
      properties: message.properties,
      from: message.from,
      username: message.publisher?.username ?? null,
    });
    message.mustLast = true;
    this.core.counters.add(C['messages.delayed']);
    if (dueAt < this.next) this.wait();
    return { reasonCode: ReasonCode.Success, reason: '' };
  }

  private refuse({ from, topic }: Message, reasonCode: ReasonCode, reason: string): PublishResult {
    const { clock, log } = this.core;
    if (clock.now - this.reportedAt >= REPORT_EVERY_MS) {
      this.reportedAt = clock.now;
      log.warn({ clientid: from, topic: topic.slice(0, 200) }, `a delayed message was refused: ${reason}`);
    }
    return { reasonCode, reason };
  }

  /** Until the one that is due next. */
  private wait(): void {
    this.timer?.cancel();
    this.next = this.store.nextDue ?? Number.POSITIVE_INFINITY;
    this.timer = this.core.timers.after(Math.max(0, this.next - this.core.clock.now), () =>
      this.publishDue(),
    );
  }

  private publishDue(): void {
    if (this.closed) return;
    const due = this.store.takeDue(this.core.clock.now, AT_ONCE);
    for (const delayed of due) this.publish(delayed);
    if (due.length === AT_ONCE) setImmediate(() => this.publishDue());
    else this.wait();
  }

  private publish({ topic, payload, qos, retain, properties, from, username, publishedAt }: Delayed): void {
    const { core } = this;
    const waited = Math.floor((core.clock.now - publishedAt) / 1000);
    const { messageExpiryInterval: expiry } = properties;
    const expired = expiry !== undefined && waited >= expiry;
    if (expired && expiry !== 0) return; // [MQTT-3.3.2-5]
    const failed = (err: unknown) =>
      core.log.warn({ err, topic: topic.slice(0, 200) }, 'a delayed message could not be published');
    try {
      const published = core.publish({
        topic,
        payload,
        qos,
        retain,
        // [MQTT-3.3.2-6]
        properties: expiry ? { ...properties, messageExpiryInterval: expiry - waited } : properties,
        clientid: from,
        ...(username !== null && { username }),
      });
      if (published instanceof Promise) published.catch(failed);
    } catch (err) {
      failed(err);
    }
  }
}
