import type { Core } from '../../../core/core.ts';
import type { DropReason } from '../../../core/hooks.ts';
import type { Timer } from '../../../core/timer-wheel.ts';
import type { GuestDelivery } from '../protocol.ts';
import {
  DATAGRAM_BYTES_MAX,
  MsgType,
  type Packet,
  PUBLISH_HEADER_BYTES,
  REGISTER_HEADER_BYTES,
  ReturnCode,
  type TopicRef,
} from './packets.ts';
import type { Timing } from './timing.ts';
import type { TopicRegistry } from './topics.ts';

/** Whose outbox it is. */
export interface Recipient {
  send(packet: Packet): void;
  delivered(delivery: GuestDelivery): void;
  acked(delivery: GuestDelivery, sentAt: number): void;
  dropped(delivery: GuestDelivery, reason: DropReason): void;
  /** All that `flush` was called for has been sent, and acknowledged. */
  onFlushed(): void;
  /** It was asked often enough since then (epoch ms), and has not answered. */
  onSilent(since: number): void;
}

/** What the device is waited for: to know the topic, to have the message, to release it, to complete. */
type Step = 'register' | 'publish' | 'pubrel';

interface InFlight {
  readonly topic: string;
  /** Null: the device is told the topic only. */
  readonly delivery: GuestDelivery | null;
  readonly msgId: number;
  step: Step;
  topicId: number; // in the step `register`: that it is told
  tries: number; // of the step
  sentAt: number; // epoch ms, 0 = not yet
  since: number; // when the first try was sent
  forgot: boolean; // the device said once that it does not know the topic id
}

const BYTES_BESIDE = 200; // of a message in the queue, beside topic and payload

const bytesOf = ({ topic, payload }: GuestDelivery): number => BYTES_BESIDE + topic.length + payload.length;

/**
 * What is on its way to one device: a queue, and the one message that it has not acknowledged yet, as section 6.6 allows
 * no more. It keeps their order, also over sleep and a new connection.
 */
export class Outbox {
  private readonly core: Core;
  private readonly timing: Timing;
  private readonly topics: TopicRegistry;
  private readonly to: Recipient;
  private queue: GuestDelivery[] = [];
  private queueBytes = 0;
  private current: InFlight | null = null;
  /** Topics that are told without a message. */
  private announced: string[] = [];
  /** How many messages may still leave; Infinity while the device is awake all the time. */
  private allowance = 0;
  private flushing = false;
  private held = 0;
  private pumping = false;
  private lastMsgId = 0;
  private timer: Timer | null = null;

  constructor(core: Core, timing: Timing, topics: TopicRegistry, to: Recipient) {
    this.core = core;
    this.timing = timing;
    this.topics = topics;
    this.to = to;
  }

  get queued(): number {
    return this.queue.length;
  }

  get inflight(): number {
    return this.current === null ? 0 : 1;
  }

  push(delivery: GuestDelivery): void {
    const { maxMqueueLength, maxMqueueBytes } = this.core.settings;
    this.queue.push(delivery);
    this.queueBytes += bytesOf(delivery);
    this.pump();
    while (this.queue.length > maxMqueueLength || this.queueBytes > maxMqueueBytes)
      this.to.dropped(this.take(), 'queue_full');
  }

  /** The device listens from now on. */
  open(): void {
    this.flushing = false;
    this.allowance = Number.POSITIVE_INFINITY;
    this.resume();
  }

  /** It listens until it has what waits now; what comes meanwhile waits for the next time. */
  flush(): void {
    this.flushing = true;
    this.allowance = this.queue.length;
    this.resume();
  }

  /** It does not listen. */
  close(): void {
    this.flushing = false;
    this.allowance = 0;
    this.timer?.cancel();
    this.timer = null;
  }

  /** Nothing leaves until `release`: an answer goes first. */
  hold(): void {
    this.held++;
  }

  release(): void {
    this.held--;
    this.pump();
  }

  /** Tells topic ids before the next message. */
  announce(topics: string[]): void {
    this.announced = topics;
    this.pump();
  }

  /** Takes over what another one has not delivered. */
  inherit(old: Outbox): void {
    this.queue = [...old.queue, ...this.queue];
    this.queueBytes += old.queueBytes;
    this.current ??= old.current;
    this.lastMsgId = old.lastMsgId;
    old.clear();
  }

  clear(): void {
    this.close();
    this.current = null;
    this.queue = [];
    this.queueBytes = 0;
    this.announced = [];
  }

  /** The message that the device does not acknowledge is given up. */
  skip() {
    this.giveUp('expired');
  }

  onRegack(msgId: number, code: ReturnCode) {
    const { current } = this;
    if (current?.step !== 'register' || current.msgId !== msgId) return;
    if (code === ReturnCode.Congestion) return; // asked again after the retry interval
    if (code !== ReturnCode.Accepted) return this.giveUp('unencodable');
    this.topics.confirm(current.topicId);
    if (current.delivery === null) this.finish();
    else this.publish(current.delivery, current.forgot);
    this.pump();
  }

  onPuback(topicId: number, msgId: number, code: ReturnCode) {
    const { current } = this;
    if (code === ReturnCode.InvalidTopicId) this.topics.forget(topicId);
    if (current?.step !== 'publish' || current.delivery === null || current.msgId !== msgId) return;
    if (code === ReturnCode.Congestion) return;
    if (code === ReturnCode.InvalidTopicId && !current.forgot) {
      this.finish();
      this.begin(current.delivery, true);
    } else if (code !== ReturnCode.Accepted) return this.giveUp('unencodable');
    else if (current.delivery.qos === 1) this.complete();
    this.pump();
  }

  onPubrec(msgId: number) {
    const { current } = this;
    if (current?.msgId !== msgId || current.delivery?.qos !== 2 || current.step === 'register') return;
    current.step = 'pubrel';
    current.tries = 0;
    current.since = 0;
    this.transmit(current);
  }

  onPubcomp(msgId: number) {
    if (this.current?.step !== 'pubrel' || this.current.msgId !== msgId) return;
    this.complete();
    this.pump();
  }

  private resume() {
    const { current } = this;
    if (current !== null) {
      current.tries = 0;
      current.since = 0;
      this.transmit(current);
    }
    this.pump();
  }

  private pump() {
    if (this.pumping) return; // from within: the loop below goes on
    this.pumping = true;
    while (this.current === null && this.held === 0 && this.allowance > 0 && this.next());
    this.pumping = false;
    if (!this.flushing || this.current !== null || this.held > 0) return;
    this.flushing = false;
    this.to.onFlushed();
  }

  /** False when there is nothing to send. */
  private next(): boolean {
    const told = this.announced.shift();
    if (told !== undefined) {
      this.register(told, null, false);
      return true;
    }
    if (this.queue.length === 0) return false;
    this.allowance--;
    this.begin(this.take(), false);
    return true;
  }

  private take(): GuestDelivery {
    const delivery = this.queue.shift()!;
    this.queueBytes -= bytesOf(delivery);
    return delivery;
  }

  private begin(delivery: GuestDelivery, forgot: boolean): void {
    const fault = this.faultOf(delivery);
    if (fault !== null) this.to.dropped(delivery, fault);
    else if (this.topics.refer(delivery.topic) !== null) this.publish(delivery, forgot);
    else this.register(delivery.topic, delivery, forgot);
  }

  private faultOf({ topic, payload, message }: GuestDelivery): DropReason | null {
    if (message.expired(this.core.clock.now)) return 'expired';
    const bytes = Math.max(
      payload.length + PUBLISH_HEADER_BYTES,
      Buffer.byteLength(topic) + REGISTER_HEADER_BYTES,
    );
    return bytes > DATAGRAM_BYTES_MAX ? 'too_large' : null;
  }

  private register(topic: string, delivery: GuestDelivery | null, forgot: boolean): void {
    const topicId = this.topics.tell(topic);
    if (topicId !== null) this.start({ ...this.fresh(topic, delivery, forgot), step: 'register', topicId });
    else if (delivery !== null) this.to.dropped(delivery, 'queue_full');
  }

  private publish(delivery: GuestDelivery, forgot: boolean): void {
    const topic = this.topics.refer(delivery.topic);
    this.finish();
    if (topic === null) {
      this.begin(delivery, forgot); // its id has made room for another
      return;
    }
    if (!forgot) this.to.delivered(delivery);
    if (delivery.qos === 0) this.to.send(publishPacket(delivery, topic, 0, false));
    else this.start(this.fresh(delivery.topic, delivery, forgot));
  }

  private fresh(topic: string, delivery: GuestDelivery | null, forgot: boolean): InFlight {
    const msgId = this.msgId();
    return { topic, delivery, msgId, step: 'publish', topicId: 0, tries: 0, sentAt: 0, since: 0, forgot };
  }

  private start(inFlight: InFlight): void {
    this.current = inFlight;
    this.transmit(inFlight);
  }

  private transmit(current: InFlight) {
    const { delivery, msgId, step, topicId, topic: name } = current;
    const again = current.sentAt !== 0;
    this.timer?.cancel();
    this.timer = this.core.timers.after(this.timing.retryMs, () => this.retry(current));
    current.sentAt = this.core.clock.now;
    if (current.since === 0) current.since = current.sentAt;
    if (step === 'pubrel') this.to.send({ type: MsgType.PUBREL, msgId });
    else if (step === 'register' || delivery === null)
      this.to.send({ type: MsgType.REGISTER, topicId, msgId, name });
    else {
      const topic = this.topics.refer(name);
      if (topic !== null) this.to.send(publishPacket(delivery, topic, msgId, again));
      else this.publish(delivery, true);
    }
  }

  private retry(current: InFlight) {
    if (this.current !== current) return;
    if (current.tries >= this.timing.retries) return this.to.onSilent(current.since);
    current.tries++;
    this.transmit(current);
  }

  private complete(): void {
    const { current } = this;
    if (current === null) return;
    this.finish();
    if (current.delivery !== null) this.to.acked(current.delivery, current.sentAt);
  }

  private giveUp(reason: DropReason): void {
    const { current } = this;
    if (current === null) return;
    this.finish();
    if (current.step === 'register') this.topics.forget(current.topicId);
    if (current.delivery !== null) this.to.dropped(current.delivery, reason);
    this.pump();
  }

  private finish(): void {
    this.timer?.cancel();
    this.timer = null;
    this.current = null;
  }

  private msgId(): number {
    this.lastMsgId = (this.lastMsgId % 0xffff) + 1;
    return this.lastMsgId;
  }
}

const publishPacket = (delivery: GuestDelivery, topic: TopicRef, msgId: number, dup: boolean): Packet => ({
  type: MsgType.PUBLISH,
  dup,
  qos: delivery.qos,
  retain: delivery.retain,
  topic,
  msgId,
  data: delivery.payload,
});
