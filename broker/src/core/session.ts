import type { ProtocolVersion, QoS, SubscriptionOptions, Will } from '@mqdeck/mqtt/packets';
import { PacketType } from '@mqdeck/mqtt/packets';
import type { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { filterMatches, parseExclusive, parseShared } from '@mqdeck/mqtt/topics';
import type { KeptAccess } from './access.ts';
import type { Channel } from './channel/channel.ts';
import type { Client, ClientFacts, ClientQueued, QueuePlace } from './client.ts';
import { C } from './counters.ts';
import { Delivery, DeliveryState } from './delivery.ts';
import type { Entrance } from './entrance.ts';
import type { ClientInfo, DropReason } from './hooks.ts';
import { Inflight } from './inflight.ts';
import { type Message, Unencodable } from './message.ts';
import { isBehind } from './mountpoint.ts';
import type { MqttCore } from './mqtt-core.ts';
import { Mqueue } from './mqueue.ts';
import { NO_LOCAL, packOptions, RETAIN_AS_PUBLISHED, type Subscription } from './router.ts';
import type { Terms, ZoneSettings } from './settings.ts';
import type { SessionStore } from './store/session-store.ts';
import { Standing, type Subscriber } from './subscriber.ts';
import type { Timer } from './timer-wheel.ts';
import { Traffic } from './traffic.ts';

const NEVER_EXPIRES = 0xffff_ffff;
const SEARCHED_MAX = 100; // subscriptions

const DROPPED: Record<DropReason, number> = {
  queue_full: C['delivery.dropped.queue_full'],
  qos0_msg: C['delivery.dropped.qos0_msg'],
  expired: C['delivery.dropped.expired'],
  no_local: C['delivery.dropped.no_local'],
  too_large: C['delivery.dropped.too_large'],
  unencodable: C['delivery.dropped.unencodable'],
  no_subscribers: C['messages.dropped.no_subscribers'],
  await_pubrel_timeout: C['messages.dropped.await_pubrel_timeout'],
};

/** What a client asked for in its latest CONNECT. */
export interface ConnectFacts {
  protocolVersion: ProtocolVersion;
  bridge: boolean;
  cleanStart: boolean;
  keepalive: number; // seconds
  expiryInterval: number; // seconds
  inflightMax: number; // its receive maximum
}

/**
 * What outlives a connection: subscriptions, deliveries on their way and in the queue, packet ids to be released, the
 * will. Only the session changes them; its channel, while there is one, is where deliveries go.
 */
export class Session implements Client, Subscriber {
  readonly clientid: string;
  who: ClientInfo;
  /** By which its client came last. */
  entrance: Entrance;
  channel: Channel | null = null;
  asked: ConnectFacts;
  createdAt: number;
  connectedAt: number;
  disconnectedAt: number | null = null;
  /** Of the latest connection. */
  traffic = new Traffic();
  /** Set while the session would outlive its connection and the broker has a store. */
  store: SessionStore | null = null;
  storeNumber = 0;
  will: Will | null = null;
  ended = false;
  private readonly core: MqttCore;
  private subs: Map<string, Subscription> | null = null;
  private inflight: Inflight | null = null;
  private mqueue: Mqueue | null = null;
  private waiting: (() => void)[] | null = null; // for `ready`
  /** In flight and to be sent again, but beyond the window of the client that came back; null when there is none. */
  private resends: Delivery[] | null = null;
  /** Released on an earlier connection: they have no place in the window of this one, and leave none. */
  private placeless: Set<Delivery> | null = null;
  /** A QoS 2 delivery whose packet id is not on disk yet, and what has to stay behind it; null when there is none. */
  private held: Delivery[] | null = null;
  /** Packet id → since when it waits, epoch ms [QoS 2, receiving]. */
  private awaitingRel: Map<number, number> | null = null;
  private sequence = 0;
  private stamped = 0; // the latest place of a delivery, µs since the epoch
  private expiryTimer: Timer | null = null;
  private willTimer: Timer | null = null;

  constructor(core: MqttCore, entrance: Entrance, who: ClientInfo, facts: ConnectFacts) {
    this.core = core;
    this.entrance = entrance;
    this.clientid = who.clientid;
    this.who = who;
    this.asked = facts;
    this.createdAt = core.clock.now;
    this.connectedAt = core.clock.now;
  }

  get connected(): boolean {
    return this.channel !== null;
  }
  get standing(): Standing {
    if (this.ended) return Standing.Gone;
    const { mqueue, settings } = this;
    if (mqueue !== null && mqueue.length > 0 && mqueue.length >= settings.maxMqueueLength)
      return Standing.Full;
    return this.channel === null ? Standing.Away : Standing.Ready;
  }
  get settings(): ZoneSettings {
    return this.entrance.settings;
  }
  /** What holds for what its client does. */
  get terms(): Terms {
    return this.channel?.terms ?? this.entrance.settings;
  }
  /** So many messages may wait for their acknowledgement. */
  private get window(): number {
    return Math.min(this.asked.inflightMax, this.entrance.settings.maxInflight); // [MQTT-3.3.4-9]
  }
  get username(): string | null {
    return this.who.username;
  }
  get address(): string {
    return this.who.address;
  }
  get port(): number {
    return this.who.port;
  }
  get listener(): string {
    return this.who.listener;
  }
  get protocolVersion(): ProtocolVersion {
    return this.asked.protocolVersion;
  }
  get cleanStart(): boolean {
    return this.asked.cleanStart;
  }
  get keepalive(): number {
    return this.asked.keepalive;
  }
  get expiryInterval(): number {
    return this.asked.expiryInterval;
  }
  get subscriptionCount(): number {
    return this.subs?.size ?? 0;
  }
  get awaitingRelCount(): number {
    return this.awaitingRel?.size ?? 0;
  }
  get packetBytesMax(): number {
    return this.channel?.packetOutMax ?? Number.POSITIVE_INFINITY;
  }
  get mqueueLength(): number {
    return this.mqueue?.length ?? 0;
  }
  get inflightCount(): number {
    return this.inflight?.size ?? 0;
  }

  keptAccess(): KeptAccess[] {
    return this.channel?.access?.all(this.core.clock.now) ?? [];
  }

  forgetAccess(): void {
    this.core.forgetAccessOf(this.channel);
  }

  subscriptions(): Iterable<Subscription> {
    return this.subs?.values() ?? [];
  }

  subscription(filter: string): Subscription | undefined {
    return this.subs?.get(filter);
  }

  setKeepalive(seconds: number): void {
    this.asked = { ...this.asked, keepalive: seconds };
    this.channel?.keepAlive(seconds);
  }

  close(reasonCode: ReasonCode): void {
    this.channel?.end(reasonCode);
  }

  // --- subscriptions

  /** True when the client had no subscription to this filter; otherwise its options are replaced [MQTT-3.8.4-3]. */
  subscribe(filter: string, options: SubscriptionOptions, identifier: number): boolean {
    const known = this.subs?.get(filter);
    const subscription = known ?? this.core.routes.subscribe(filter, this, options, identifier);
    if (known) {
      known.options = packOptions(options);
      known.subscriptionIdentifier = identifier;
    } else {
      this.subs ??= new Map();
      this.subs.set(subscription.filter, subscription);
    }
    this.store?.subscribed(this, subscription);
    return !known;
  }

  /** False when there was no such subscription. */
  unsubscribe(filter: string): boolean {
    const subscription = this.subs?.get(filter);
    if (!subscription) return false;
    this.subs?.delete(filter);
    this.core.routes.unsubscribe(subscription);
    this.store?.unsubscribed(this, filter);
    return true;
  }

  // --- messages to the client

  /** `retained`: sent because of a new subscription, not because somebody published it just now. */
  deliver(message: Message, subscription: Subscription, retained = false): boolean {
    if (this.ended) return false; // its links are being removed
    const { mountpoint } = this.who;
    if (mountpoint !== null && !isBehind(mountpoint, message.topic)) return false;
    const { settings } = this.entrance;
    const { options } = subscription;
    if (((options & NO_LOCAL) !== 0 || settings.ignoreLoopDeliver) && message.from === this.clientid) {
      this.drop(message, 'no_local'); // [MQTT-3.8.3-3]
      return true;
    }
    let qos = options & 3;
    if (settings.upgradeQos ? message.qos > qos : message.qos < qos) qos = message.qos; // [MQTT-3.8.4-8]
    const retain = retained || (message.retain && (options & RETAIN_AS_PUBLISHED) !== 0); // [MQTT-3.3.1-12]
    const identifier = subscription.subscriptionIdentifier;
    const { channel } = this;
    if (channel !== null && this.open && (this.mqueue === null || this.mqueue.length === 0)) {
      if (qos === 0) {
        this.sendAtMostOnce(channel, message, retain, identifier);
        return true;
      }
      if (this.inflight === null || this.inflight.size < this.window) {
        this.send(
          channel,
          new Delivery(message, subscription, identifier, qos as QoS, retain, ++this.sequence),
        );
        return true;
      }
    }
    this.enqueue(new Delivery(message, subscription, identifier, qos as QoS, retain, ++this.sequence));
    return true;
  }

  deliverRetained(message: Message, filter: string): void {
    const subscription = this.subs?.get(filter);
    if (subscription) this.deliver(message, subscription, true);
  }

  /** Whether the connection takes more at present. */
  private get open(): boolean {
    if (this.channel === null || this.channel.congested) return false;
    return this.held === null || this.held.length < this.entrance.settings.maxHeld;
  }

  get ready(): boolean {
    return this.open && this.mqueueLength === 0;
  }

  onceReady(run: () => void): void {
    if (this.ready) run();
    else {
      this.waiting ??= [];
      this.waiting.push(run);
    }
  }

  /** Sends what the queue holds, as far as the client's window and the connection allow, and tells who waits for it. */
  drain(): void {
    this.sendQueued();
    if (this.waiting === null || !this.ready) return;
    const { waiting } = this;
    this.waiting = null;
    for (const run of waiting) run();
  }

  private sendQueued(): void {
    const { channel, mqueue } = this;
    if (channel === null || mqueue === null) return;
    const now = this.core.clock.now;
    const { messageExpiryMs } = this.settings;
    while (this.open) {
      const delivery = mqueue.peek();
      if (delivery === undefined) break;
      const { message } = delivery;
      const tooOld = message.expiresAt === 0 && now - delivery.order / 1000 >= messageExpiryMs;
      if (tooOld || message.expired(now)) {
        mqueue.shift();
        this.abandon(delivery, 'expired'); // [MQTT-3.3.2-5]
      } else if (delivery.qos === 0) {
        mqueue.shift();
        this.sendAtMostOnce(channel, message, delivery.retain, delivery.identifier);
      } else {
        if (this.inflight !== null && this.inflight.size >= this.window) break;
        mqueue.shift();
        this.send(channel, delivery);
      }
    }
  }

  /** PUBACK. */
  acknowledged(packetId: number): void {
    const delivery = this.inflight?.get(packetId);
    if (delivery === undefined || delivery.qos !== 1) {
      this.core.counters.add(C['packets.puback.missed']);
      return;
    }
    this.finish(delivery);
  }

  /** PUBREC; false when no such delivery waits [then PUBREL says so]. */
  received(packetId: number, reasonCode: number): boolean {
    const delivery = this.inflight?.get(packetId);
    if (delivery === undefined || delivery.qos !== 2) {
      this.core.counters.add(C['packets.pubrec.missed']);
      return false;
    }
    if (reasonCode >= 0x80) {
      this.finish(delivery); // refused: nothing is to be released [MQTT-4.3.3-4]
      return true;
    }
    if (delivery.state === DeliveryState.Released) this.core.counters.add(C['packets.pubrec.inuse']);
    else delivery.order = this.stamp(); // should PUBREL have to come again [MQTT-4.6.0-4]
    delivery.state = DeliveryState.Released;
    this.store?.changed(this, delivery);
    return true;
  }

  /** Whether a PUBREC with this id is answered by PUBREL at all: not after a refusal. */
  releases(packetId: number): boolean {
    return this.inflight?.get(packetId)?.state === DeliveryState.Released;
  }

  /** PUBCOMP. */
  completed(packetId: number): void {
    const delivery = this.inflight?.get(packetId);
    if (delivery === undefined || delivery.state !== DeliveryState.Released) {
      this.core.counters.add(C['packets.pubcomp.missed']);
      return;
    }
    this.finish(delivery);
  }

  private finish(delivery: Delivery): void {
    const { core } = this;
    this.inflight?.remove(delivery);
    delivery.over = true;
    this.store?.done(this, delivery);
    core.counters.add(C['messages.acked']);
    const leavesPlace = this.placeless?.delete(delivery) !== true;
    if (this.resends !== null && leavesPlace) this.resendAfter(delivery, this.resends);
    if (core.hooks.used['message.acked'].length > 0)
      core.hooks.tell('message.acked', this, delivery.message, delivery.sentAt);
    if (this.waiting !== null || (this.mqueue !== null && this.mqueue.length > 0)) this.drain();
  }

  private sendAtMostOnce(channel: Channel, message: Message, retain: boolean, identifier: number): void {
    const obstacle = obstacleTo(channel, message, 0, identifier);
    if (obstacle !== null) this.drop(message, obstacle);
    else if (this.held === null) channel.publish(message, 0, retain, false, identifier, 0);
    else {
      message.keep();
      this.held.push(new Delivery(message, null, identifier, 0, retain, 0));
    }
  }

  private send(channel: Channel, delivery: Delivery): void {
    const { message, qos } = delivery;
    const obstacle = obstacleTo(channel, message, qos, delivery.identifier);
    if (obstacle !== null) {
      this.abandon(delivery, obstacle); // [MQTT-3.1.2-25]
      return;
    }
    this.inflight ??= new Inflight(this.window);
    const packetId = this.inflight.add(delivery);
    delivery.state = DeliveryState.Sent;
    delivery.order = this.stamp();
    message.keep();
    if (this.store !== null) {
      this.store.changed(this, delivery);
      if (qos === 2 || this.held !== null) {
        this.hold(channel, delivery, this.store);
        return;
      }
    }
    delivery.sentAt = this.core.clock.now;
    channel.publish(message, qos, delivery.retain, false, delivery.identifier, packetId);
  }

  /**
   * The client remembers the packet id of a QoS 2 message. If we could forget it by a crash, the next message of that
   * id would be taken for this one: it is sent once it is on disk, and what comes later stays behind it.
   */
  private hold(channel: Channel, delivery: Delivery, store: SessionStore): void {
    this.held ??= [];
    this.held.push(delivery);
    if (delivery.qos === 2)
      store.onceSafe(() => {
        if (this.channel === channel) this.letGo(channel);
      });
  }

  /** The first that is held is safe now; with it go those up to the next QoS 2. */
  private letGo(channel: Channel): void {
    const { held } = this;
    if (held === null) return; // the session has ended
    let next = held.findIndex((delivery, i) => i > 0 && delivery.qos === 2);
    if (next === -1) next = held.length;
    for (const delivery of held.splice(0, next)) {
      const { message, qos, retain, identifier, packetId } = delivery;
      if (delivery.over || delivery.state === DeliveryState.Released) continue; // acknowledged unseen
      delivery.sentAt = this.core.clock.now;
      channel.publish(message, qos, retain, false, identifier, packetId);
    }
    if (held.length === 0) this.held = null;
    this.drain();
  }

  private enqueue(delivery: Delivery): void {
    const { settings } = this;
    const { message } = delivery;
    if (delivery.qos === 0 && !settings.mqueueStoreQos0) {
      this.drop(message, 'qos0_msg');
      return;
    }
    message.keep();
    delivery.order = this.stamp();
    this.mqueue ??= new Mqueue(this.core.queued);
    const { mqueuePriorities, mqueueDefaultPriority, maxMqueueLength, maxMqueueBytes } = settings;
    const priority =
      mqueuePriorities === null
        ? 0
        : (mqueuePriorities.get(message.topic) ??
          (mqueueDefaultPriority === 'highest' ? Number.POSITIVE_INFINITY : 0));
    const dropped = this.mqueue.push(delivery, priority, maxMqueueLength, maxMqueueBytes);
    const stays = !dropped.includes(delivery);
    if (delivery.qos > 0 && stays) this.store?.changed(this, delivery);
    const { hooks } = this.core;
    if (hooks.used['message.queued'].length > 0 && stays)
      hooks.tell('message.queued', this, message, delivery.qos);
    for (const each of dropped) this.abandon(each, 'queue_full');
  }

  /** A place behind all others: the moment, or what follows the latest place when the clock says less. */
  private stamp(ms = this.core.clock.now): number {
    this.stamped = Math.max(this.stamped + 1, ms * 1000);
    return this.stamped;
  }

  private abandon(delivery: Delivery, reason: DropReason): void {
    delivery.over = true;
    if (delivery.qos > 0) this.store?.done(this, delivery);
    this.drop(delivery.message, reason);
  }

  private drop(message: Message, reason: DropReason): void {
    const { core } = this;
    core.counters.add(DROPPED[reason]);
    this.traffic.dropped(reason);
    if (reason === 'unencodable')
      core.log.error(
        { clientid: this.clientid, topic: message.topic, from: message.from },
        'a message that no packet can carry is dropped',
      );
    if (core.hooks.used['message.dropped'].length > 0)
      core.hooks.tell('message.dropped', this, message, reason);
  }

  // --- QoS 2 messages from the client

  /** Whether the packet id is waiting for its PUBREL. */
  awaits(packetId: number): boolean {
    return this.awaitingRel?.has(packetId) === true;
  }

  await(packetId: number): void {
    this.awaitingRel ??= new Map();
    this.awaitingRel.set(packetId, this.core.clock.now);
    this.store?.awaits(this, packetId);
  }

  /** PUBREL; false when the id was not waited for. */
  release(packetId: number): boolean {
    if (this.awaitingRel?.delete(packetId) !== true) return false;
    this.store?.released(this, packetId);
    return true;
  }

  // --- the life of a session

  attach(channel: Channel): void {
    this.cancelTimers();
    this.channel = channel;
    this.held = null;
    this.resends = null;
    this.placeless = null;
    this.disconnectedAt = null;
  }

  /** The client is back: first what it has not acknowledged, in order [MQTT-4.4.0-1] [MQTT-4.6.0-1], then the queue. */
  resume(channel: Channel): void {
    const now = this.core.clock.now;
    let room = this.window;
    for (const delivery of this.inflight?.inOrder() ?? []) {
      // The window may be smaller than that of the last connection; a PUBREL needs no place in it [MQTT-3.3.4-9]
      if (delivery.state !== DeliveryState.Released && room === 0) {
        this.resends ??= [];
        this.resends.push(delivery);
        continue;
      }
      this.resend(channel, delivery, now);
      if (delivery.state === DeliveryState.Released) {
        this.placeless ??= new Set();
        this.placeless.add(delivery);
      } else if (!delivery.over) room--;
    }
    this.drain();
  }

  /** One has left the window: the next one beyond it may go. */
  private resendAfter(finished: Delivery, resends: Delivery[]): void {
    const unseen = resends.indexOf(finished); // acknowledged without being sent on this connection
    if (unseen !== -1) resends.splice(unseen, 1);
    while (unseen === -1 && this.channel !== null && resends.length > 0) {
      const delivery = resends.shift()!;
      this.resend(this.channel, delivery, this.core.clock.now);
      if (!delivery.over) break;
    }
    if (resends.length === 0) this.resends = null;
  }

  private resend(channel: Channel, delivery: Delivery, now: number): void {
    const again = delivery.sentAt !== 0; // it may have waited for the store when the connection ended
    delivery.sentAt = now;
    const { message, qos, identifier, packetId } = delivery;
    if (delivery.state === DeliveryState.Released) channel.sendAck(PacketType.PUBREL, packetId, 0);
    else {
      const obstacle = obstacleTo(channel, message, qos, identifier);
      if (obstacle === null) {
        channel.publish(message, qos, delivery.retain, again, identifier, packetId);
        return;
      }
      this.inflight?.remove(delivery);
      this.abandon(delivery, obstacle);
    }
  }

  /** The connection is gone. The session stays for its expiry interval; with 0 it ends here. */
  detach(): void {
    this.channel = null;
    this.held = null;
    this.disconnectedAt = this.core.clock.now;
    if (this.expiryInterval === 0) {
      this.core.registry.end(this, 'session.terminated');
      return;
    }
    this.waitForClient();
  }

  /** Arms expiry and will delay of a session without a client; one from the store has waited for a part already. */
  waitForClient(): void {
    const { core, expiryInterval, will } = this;
    const waited = core.clock.now - (this.disconnectedAt ?? core.clock.now);
    if (expiryInterval !== NEVER_EXPIRES)
      this.expiryTimer = core.timers.after(expiryInterval * 1000 - waited, () =>
        core.registry.end(this, 'session.terminated'),
      );
    if (will) {
      const delay = Math.min(will.properties.willDelayInterval ?? 0, expiryInterval); // [MQTT-3.1.3-9]
      if (delay === 0 && core.started) this.publishWill();
      else this.willTimer = core.timers.after(delay * 1000 - waited, () => this.publishWill());
    }
    this.store?.save(this);
  }

  /** [MQTT-3.1.2-8] */
  publishWill(): void {
    const { will } = this;
    if (!will) return;
    this.will = null;
    this.core.publishWill(will, this.who);
    this.store?.save(this); // or it would be published again after a restart
  }

  private cancelTimers(): void {
    this.expiryTimer?.cancel();
    this.willTimer?.cancel();
    this.expiryTimer = null;
    this.willTimer = null;
  }

  /** Called by the registry, which has forgotten the session already. */
  end(): void {
    this.ended = true;
    this.cancelTimers();
    const { core } = this;
    const waiting = [...(this.inflight?.inOrder() ?? []), ...(this.mqueue ?? [])];
    const { subs } = this;
    if (subs !== null) core.routes.unsubscribeAll(subs);
    this.mqueue?.release();
    this.store?.remove(this);
    this.store = null;
    this.subs = null;
    this.inflight = null;
    this.held = null;
    this.resends = null;
    this.placeless = null;
    this.mqueue = null;
    this.awaitingRel = null;
    for (const { message, subscription, qos, state } of waiting) {
      const source = subscription ?? sharedSource(message.topic, subs);
      // A QoS 2 message that was sent may have arrived [MQTT-4.8.2-5]
      if (source?.share && (qos < 2 || state === DeliveryState.Queued))
        core.routes.redispatch(message, source);
    }
    this.publishWill();
  }

  /** Once a second: gives up on packet ids never released, and repeats to 3.x clients if told to. */
  sweep(now: number): void {
    const { counters } = this.core;
    const { settings } = this;
    if (this.awaitingRel !== null && this.awaitingRel.size > 0) {
      for (const [packetId, since] of this.awaitingRel) {
        if (since + settings.awaitRelTimeoutMs > now) break; // they were entered in order
        this.release(packetId);
        counters.add(C['messages.dropped.await_pubrel_timeout']);
        this.traffic.dropped('await_pubrel_timeout');
      }
    }
    this.channel?.sweep(now);
    const { channel, inflight } = this;
    if (settings.retryIntervalMs === 0 || this.protocolVersion === 5) return; // [MQTT-4.4.0-1]
    if (channel === null || inflight === null || inflight.size === 0 || this.resends !== null) return;
    for (const delivery of inflight.inOrder()) {
      if (delivery.sentAt === 0) continue; // held
      if (delivery.sentAt + settings.retryIntervalMs <= now) this.resend(channel, delivery, now);
    }
  }

  /** From the store, before anybody is connected. */
  restore(deliveries: Delivery[], awaitingRel: [packetId: number, since: number][]): void {
    for (const delivery of deliveries) {
      this.sequence = Math.max(this.sequence, delivery.sequence);
      if (delivery.state === DeliveryState.Queued) {
        this.mqueue ??= new Mqueue(this.core.queued);
        delivery.order = this.stamp(delivery.message.timestamp); // as far as we know
        this.mqueue.put(delivery, 0);
      } else {
        delivery.order = this.stamp();
        this.inflight ??= new Inflight(this.window);
        this.inflight.restore(delivery);
      }
    }
    if (awaitingRel.length > 0) this.awaitingRel = new Map(awaitingRel.sort((a, b) => a[1] - b[1]));
  }

  /** Everything a store that begins to care has to know. */
  saveAll(): void {
    const { store } = this;
    if (!store) return;
    store.save(this);
    for (const subscription of this.subscriptions()) store.subscribed(this, subscription);
    for (const delivery of this.inflight?.inOrder() ?? []) store.changed(this, delivery);
    for (const delivery of this.mqueue ?? []) if (delivery.qos > 0) store.changed(this, delivery);
    for (const packetId of this.awaitingRel?.keys() ?? []) store.awaits(this, packetId);
  }

  queuedAfter(place: QueuePlace | null, limit: number): ClientQueued[] {
    return this.mqueue?.after(place, limit) ?? [];
  }

  inflightAfter(order: number, limit: number): Delivery[] {
    return this.inflight?.after(order, limit) ?? [];
  }

  facts(): ClientFacts {
    const { settings } = this;
    return {
      clientid: this.clientid,
      username: this.username,
      ip_address: this.address,
      port: this.port,
      node: this.core.node,
      listener: this.listener,
      mountpoint: this.who.mountpoint,
      proto_name: this.protocolVersion === 3 ? 'MQIsdp' : 'MQTT',
      proto_ver: this.protocolVersion,
      keepalive: this.keepalive,
      clean_start: this.cleanStart,
      expiry_interval: this.expiryInterval,
      is_bridge: this.asked.bridge,
      is_persistent: this.expiryInterval > 0,
      is_expired: false,
      connected: this.connected,
      created_at: this.createdAt,
      connected_at: this.connectedAt,
      disconnected_at: this.disconnectedAt,
      auth_expire_at: this.who.authExpiresAt,
      client_attrs: this.who.attributes,
      ...this.traffic.facts(),
      subscriptions_cnt: this.subscriptionCount,
      subscriptions_max: orInfinity(settings.maxSubscriptions),
      inflight_cnt: this.inflightCount,
      inflight_max: this.window,
      mqueue_len: this.mqueueLength,
      mqueue_max: orInfinity(settings.maxMqueueLength),
      mqueue_dropped: this.traffic.queueFull,
      awaiting_rel_cnt: this.awaitingRelCount,
      awaiting_rel_max: orInfinity(this.terms.maxAwaitingRel),
    };
  }
}

/** Why a message cannot go to a client; null when it can. It has to be known before a packet id is taken. */
function obstacleTo(channel: Channel, message: Message, qos: QoS, identifier: number): DropReason | null {
  try {
    return channel.fits(message, qos, identifier) ? null : 'too_large';
  } catch (cause) {
    if (cause instanceof Unencodable) return 'unencodable';
    throw cause;
  }
}

/**
 * The shared subscription that a message from the store came by. Null when it may have come by one that is not shared,
 * and in large sessions, which it would take too long to look through.
 */
function sharedSource(topic: string, subs: Map<string, Subscription> | null): Subscription | null {
  if (subs === null || subs.size > SEARCHED_MAX) return null;
  let found: Subscription | null = null;
  for (const subscription of subs.values()) {
    const { filter, share } = subscription;
    const plain = share === null ? parseExclusive(filter) : parseShared(filter)?.filter;
    if (!filterMatches(plain ?? filter, topic)) continue;
    if (share === null) return null;
    found ??= subscription;
  }
  return found;
}

const orInfinity = (limit: number): number | 'infinity' => (Number.isFinite(limit) ? limit : 'infinity');
