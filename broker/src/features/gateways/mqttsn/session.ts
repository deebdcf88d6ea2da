import { isValidFilter, isValidTopic, parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { DropReason } from '../../../core/hooks.ts';
import type { Timer } from '../../../core/timer-wheel.ts';
import type { Guest, GuestDelivery, GuestMessage, GuestRequest, GuestSubscription } from '../protocol.ts';
import { returnCodeOf, topicIdOf } from './codes.ts';
import { Line } from './line.ts';
import { Outbox, type Recipient } from './outbox.ts';
import { MsgType, type Packet, type PublishPacket, ReturnCode, type SubscribePacket } from './packets.ts';
import type { Peer } from './peer.ts';
import type { Shared } from './shared.ts';
import { sleepToleranceMs } from './timing.ts';
import { TopicRegistry } from './topics.ts';

/**
 * Section 6.14, with `away` for a session that is kept while its device is disconnected or lost. `awake` is a sleeper
 * that fetches its messages.
 */
type State = 'active' | 'asleep' | 'awake' | 'away';

type Gone = Parameters<GuestRequest['onGone']>[0];

export interface SessionFacts {
  readonly clientid: string;
  readonly keepalive: number; // seconds
  readonly clean: boolean;
  readonly will: GuestMessage | null;
}

const WAITING_MAX = 64; // requests of one device; more of them find congestion
const NO_BYTES = new Uint8Array(0);

/**
 * One device of the gateway: its topic ids, what is on its way to it, its will, and whether it listens. Changed by what
 * it says and by time.
 */
export class Session implements Recipient {
  readonly clientid: string;
  readonly clean: boolean;
  guest: Guest | null = null; // until it was let in
  peer: Peer | null;
  will: GuestMessage | null;
  /** Takes over all that is here, as soon as its device was let in. */
  heir: Session | null = null;
  ended = false;
  /** Nothing was heard since it was told that it is connected. */
  fresh = true;
  private state: State = 'active';
  private keepalive: number;
  private sleepS = 0;
  private heardAt: number;
  private watch: Timer | null = null;
  private topics: TopicRegistry;
  private readonly outbox: Outbox;
  private readonly line: Line;
  private readonly shared: Shared;
  private awaitingRel = new Map<number, number>(); // message id → since when, epoch ms

  constructor(shared: Shared, peer: Peer, facts: SessionFacts, old: Session | null) {
    const { core, log } = shared.gateway;
    this.shared = shared;
    this.peer = peer;
    this.clientid = facts.clientid;
    this.clean = facts.clean;
    this.keepalive = facts.keepalive;
    this.will = facts.will;
    this.heardAt = core.clock.now;
    this.topics = old?.topics ?? new TopicRegistry(shared.predefined);
    this.outbox = new Outbox(core, shared.timing, this.topics, this);
    this.line = new Line(log, WAITING_MAX);
  }

  get sleeping(): boolean {
    return this.state === 'asleep' || this.state === 'awake';
  }

  get keepaliveS(): number {
    return this.keepalive;
  }

  // --- it comes and goes

  /** It was let in; `old` is what it left behind. */
  begin(guest: Guest, old: Session | null) {
    this.guest = guest;
    if (old === null) return;
    this.outbox.inherit(old.outbox);
    this.awaitingRel = old.awaitingRel;
  }

  /** Subscribes anew to what it had; retained messages it has had too. */
  async resubscribe(subscriptions: readonly GuestSubscription[]): Promise<void> {
    for (const { filter, isNew: _, subProps, ...options } of subscriptions)
      await this.guest?.subscribe(filter, { ...options, retainHandling: 2 }, { ...subProps });
  }

  /** Another one has taken its place, and is at the same address. */
  replaced() {
    if (this.heir === null) this.outbox.clear();
    this.end();
  }

  /** It is told that it is connected, and then everything else. */
  open(resumed: boolean) {
    this.state = 'active';
    this.fresh = true;
    this.setWatch();
    this.send({ type: MsgType.CONNACK, code: ReturnCode.Accepted });
    if (resumed && this.shared.gateway.config.subs_resume) this.outbox.announce(this.topics.names());
    this.outbox.open();
  }

  /** A sleeper comes back for good. */
  wake(keepalive: number) {
    this.heard();
    this.keepalive = keepalive;
    this.guest?.setKeepalive(keepalive);
    this.open(false);
  }

  /** A sleeper asks what there is; it sleeps on when it has it. */
  fetch(sleepS: number) {
    this.sleepS = sleepS;
    this.state = 'awake';
    this.setWatch();
    this.outbox.flush();
  }

  get sleepSeconds(): number {
    return this.sleepS;
  }

  heard() {
    this.heardAt = this.shared.gateway.core.clock.now;
  }

  /** Its link is no more. */
  unlinked() {
    this.peer = null;
    if (this.sleeping) {
      this.state = 'asleep';
      this.outbox.close();
    } else this.leave('closed', true);
  }

  /** Somebody else speaks from its address. */
  abandoned(): void {
    this.leave('replaced', true);
  }

  /** It has left without DISCONNECT. */
  lost(reason: string) {
    this.send({ type: MsgType.DISCONNECT, duration: null });
    this.leave(reason, true);
  }

  /** The broker has sent it away. */
  onGone(why: Gone) {
    if (this.ended) return;
    // Who comes again from where it was must not be told to go
    if (why !== 'takenover' || !this.peer?.connecting)
      this.send({ type: MsgType.DISCONNECT, duration: null });
    this.replaced();
  }

  private leave(reason: string, publishWill: boolean) {
    const { guest, shared } = this;
    if (guest === null || this.ended) return;
    if (this.clean) {
      this.end();
      return guest.leave(reason, publishWill);
    }
    this.state = 'away';
    this.outbox.close();
    this.detach();
    this.will = null;
    guest.rest(reason, publishWill);
    this.watch?.cancel();
    const expiryMs = shared.gateway.core.settings.sessionExpiryIntervalS * 1000;
    this.watch = shared.gateway.core.timers.after(expiryMs, () => {
      this.end();
      guest.leave('expired', false);
    });
  }

  private end() {
    this.ended = true;
    this.watch?.cancel();
    this.watch = null;
    this.outbox.close();
    const { sessions } = this.shared;
    if (sessions.get(this.clientid) === this) sessions.delete(this.clientid);
    this.detach();
  }

  private detach() {
    const { peer } = this;
    this.peer = null;
    peer?.left(this);
  }

  private setWatch() {
    this.watch?.cancel();
    const { core } = this.shared.gateway;
    const left = this.heardAt + this.patienceMs() - core.clock.now;
    this.watch = core.timers.after(left, () => this.look());
  }

  private patienceMs(): number {
    if (this.sleeping) return sleepToleranceMs(this.sleepS);
    const { keepaliveMultiplier } = this.shared.gateway.core.settings;
    return this.keepalive === 0 ? Number.POSITIVE_INFINITY : this.keepalive * 1000 * keepaliveMultiplier;
  }

  private look() {
    if (this.shared.gateway.core.clock.now - this.heardAt < this.patienceMs()) return this.setWatch();
    this.lost('keepalive_timeout');
  }

  // --- what it says

  onPacket(packet: Packet) {
    this.heard();
    const acknowledges = packet.type === MsgType.WILLMSG || packet.type === MsgType.WILLTOPIC;
    if (!acknowledges) this.fresh = false;
    switch (packet.type) {
      case MsgType.REGISTER:
        return this.onRegister(packet.msgId, packet.name);
      case MsgType.REGACK:
        return this.outbox.onRegack(packet.msgId, packet.code);
      case MsgType.PUBACK:
        return this.outbox.onPuback(packet.topicId, packet.msgId, packet.code);
      case MsgType.PUBREC:
        return this.outbox.onPubrec(packet.msgId);
      case MsgType.PUBCOMP:
        return this.outbox.onPubcomp(packet.msgId);
      case MsgType.PUBLISH:
        if (this.line.full) return this.refuse(packet, ReturnCode.Congestion);
        return this.line.run(() => this.onPublish(packet));
      case MsgType.PUBREL:
        if (this.line.full) return; // it comes again
        return this.line.run(() => {
          this.awaitingRel.delete(packet.msgId);
          this.send({ type: MsgType.PUBCOMP, msgId: packet.msgId });
        });
      case MsgType.SUBSCRIBE:
        if (this.line.full) return this.suback(packet, 0, ReturnCode.Congestion);
        return this.line.run(() => this.onSubscribe(packet));
      case MsgType.UNSUBSCRIBE:
        if (this.line.full) return;
        return this.line.run(() => {
          const { topic } = packet;
          const filter = topic.kind === 'name' ? topic.name : this.topics.resolve(topic);
          if (filter !== null) this.guest?.unsubscribe(filter);
          this.send({ type: MsgType.UNSUBACK, msgId: packet.msgId });
        });
      case MsgType.PINGREQ:
        if (this.sleeping) return this.fetch(this.sleepS);
        return this.send({ type: MsgType.PINGRESP });
      case MsgType.DISCONNECT:
        return this.line.run(() => this.onDisconnect(packet.duration ?? 0));
      case MsgType.WILLTOPICUPD:
        return this.onWillTopic(packet.topic, packet.qos === -1 ? 0 : packet.qos, packet.retain);
      case MsgType.WILLMSGUPD:
        if (this.will !== null) this.setWill({ ...this.will, payload: packet.message });
        return this.send({ type: MsgType.WILLMSGRESP, code: ReturnCode.Accepted });
      case MsgType.WILLMSG: // CONNACK was lost
        if (this.fresh) this.send({ type: MsgType.CONNACK, code: ReturnCode.Accepted });
        return;
      default: // not for a gateway
        return;
    }
  }

  private onRegister(msgId: number, name: string): void {
    const id = isValidTopic(name) ? this.topics.register(name) : 0;
    const code =
      id === null ? ReturnCode.Congestion : id === 0 ? ReturnCode.NotSupported : ReturnCode.Accepted;
    this.send({ type: MsgType.REGACK, topicId: id ?? 0, msgId, code });
  }

  private async onPublish(packet: PublishPacket): Promise<void> {
    const { qos, msgId, retain, data } = packet;
    const { config, core } = this.shared.gateway;
    if (this.guest === null || this.ended || (qos === -1 && !config.enable_qos3)) return;
    const topic = this.topics.resolve(packet.topic);
    if (topic === null || !isValidTopic(topic)) return this.refuse(packet, ReturnCode.InvalidTopicId);
    if (qos === 2 && this.awaitingRel.has(msgId)) return this.send({ type: MsgType.PUBREC, msgId });
    if (qos === 2 && this.tooManyAwaitRel()) return this.refuse(packet, ReturnCode.Congestion);
    const message = { topic, payload: data, qos: qos === -1 ? 0 : qos, retain };
    const code = returnCodeOf(await this.guest.publish(message));
    if (code !== ReturnCode.Accepted) return this.refuse(packet, code);
    if (qos === 1) this.puback(packet, ReturnCode.Accepted);
    if (qos !== 2) return;
    this.awaitingRel.set(msgId, core.clock.now);
    this.send({ type: MsgType.PUBREC, msgId });
  }

  private tooManyAwaitRel(): boolean {
    const { maxAwaitingRel, awaitRelTimeoutMs } = this.shared.gateway.core.settings;
    const { now } = this.shared.gateway.core.clock;
    for (const [msgId, since] of this.awaitingRel) {
      if (now - since < awaitRelTimeoutMs) break; // the oldest come first
      this.awaitingRel.delete(msgId);
    }
    return this.awaitingRel.size >= maxAwaitingRel;
  }

  /** Also with QoS 0, so that the device hears what is wrong (section 5.4.13). */
  private refuse(packet: PublishPacket, code: ReturnCode): void {
    if (packet.qos !== -1) this.puback(packet, code);
  }

  private puback({ topic, msgId }: PublishPacket, code: ReturnCode): void {
    this.send({ type: MsgType.PUBACK, topicId: topicIdOf(topic), msgId, code });
  }

  private async onSubscribe(packet: SubscribePacket): Promise<void> {
    const { topic, qos } = packet;
    if (this.guest === null || this.ended) return;
    const filter = topic.kind === 'name' ? topic.name : this.topics.resolve(topic);
    if (filter === null) return this.suback(packet, 0, ReturnCode.InvalidTopicId);
    if (qos === -1 || !isValidFilter(filter)) return this.suback(packet, 0, ReturnCode.NotSupported);
    const named = topic.kind === 'name' && isOneTopic(filter);
    const topicId = named ? this.topics.register(filter) : topic.kind === 'predefined' ? topic.id : 0;
    if (topicId === null) return this.suback(packet, 0, ReturnCode.Congestion);
    this.outbox.hold(); // retained messages come behind the acknowledgement
    try {
      const granted = await this.guest.subscribe(filter, { qos });
      const code = returnCodeOf(granted);
      const grantedQos = granted === 1 || granted === 2 ? granted : 0;
      this.suback(packet, code === ReturnCode.Accepted ? topicId : 0, code, grantedQos);
    } finally {
      this.outbox.release();
    }
  }

  private suback({ msgId }: SubscribePacket, topicId: number, code: ReturnCode, qos: 0 | 1 | 2 = 0): void {
    this.send({ type: MsgType.SUBACK, qos, topicId, msgId, code });
  }

  private onDisconnect(sleepS: number) {
    if (this.ended) return;
    this.send({ type: MsgType.DISCONNECT, duration: null });
    if (sleepS === 0) return this.leave('normal', false);
    this.sleepS = sleepS;
    this.state = 'asleep';
    this.outbox.close();
    this.setWatch();
  }

  private onWillTopic(topic: string | null, qos: 0 | 1 | 2, retain: boolean): void {
    const valid = topic === null || isValidTopic(topic);
    if (topic === null) this.setWill(null);
    else if (valid) this.setWill({ topic, qos, retain, payload: this.will?.payload ?? NO_BYTES });
    this.send({
      type: MsgType.WILLTOPICRESP,
      code: valid ? ReturnCode.Accepted : ReturnCode.NotSupported,
    });
  }

  private setWill(will: GuestMessage | null): void {
    this.will = will;
    this.guest?.setWill(will);
  }

  // --- what is for it

  receive(delivery: GuestDelivery) {
    if (this.ended) return;
    if (this.state === 'away' && delivery.qos === 0 && !this.shared.gateway.core.settings.mqueueStoreQos0)
      return this.dropped(delivery, 'qos0_msg');
    this.outbox.push(delivery);
  }

  send(packet: Packet): void {
    this.peer?.send(packet);
  }

  delivered(delivery: GuestDelivery): void {
    this.guest?.delivered(delivery);
  }

  acked(delivery: GuestDelivery, sentAt: number): void {
    this.guest?.acked(delivery, sentAt);
  }

  dropped(delivery: GuestDelivery, reason: DropReason): void {
    this.guest?.dropped(delivery, reason);
  }

  onFlushed(): void {
    if (this.state !== 'awake') return;
    this.state = 'asleep';
    this.send({ type: MsgType.PINGRESP });
    this.outbox.close();
  }

  /** A sleeper has fallen asleep again; who is heard of but does not acknowledge loses the message; others are lost. */
  onSilent(since: number): void {
    if (this.state === 'awake') {
      this.state = 'asleep';
      this.outbox.close();
    } else if (this.heardAt > since) this.outbox.skip();
    else this.lost('no_answer');
  }
}

/** Messages come under the name that was subscribed to. */
const isOneTopic = (filter: string): boolean =>
  isValidTopic(filter) && parseShared(filter) === null && parseExclusive(filter) === null;
