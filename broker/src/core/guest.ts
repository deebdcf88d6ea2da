import { publishBytes } from '@mqdeck/mqtt/encode';
import type { Properties, QoS, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import { encodeProperties } from '@mqdeck/mqtt/properties';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { isValidTopic, topicLevels } from '@mqdeck/mqtt/topics';
import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import { plainOf, refusal } from './channel/subscribe.ts';
import type { Client, ClientFacts } from './client.ts';
import type { GuestBook } from './guest-book.ts';
import type { ClientInfo, Denial, DropReason } from './hooks.ts';
import { type Message, newMessage } from './message.ts';
import { isBehind, mountedFilter, mountedTopic } from './mountpoint.ts';
import type { MqttCore } from './mqtt-core.ts';
import { packOptions, type Subscription } from './router.ts';
import type { ZoneSettings } from './settings.ts';
import { Standing, type Subscriber } from './subscriber.ts';
import type { Timer } from './timer-wheel.ts';
import { Traffic } from './traffic.ts';

export type GuestFacts = Readonly<Record<string, string | number | boolean | null>>;

/** Where a guest is. */
export interface GuestPeer {
  readonly listener: string; // `stomp:tcp:default`
  readonly address: string;
  readonly port: number;
  readonly certCommonName: string | null;
  readonly certSubject: string | null;
  readonly bufferedBytes: number;
  /** It has ended: nobody comes in by it any more. */
  readonly closed?: boolean;
  /** Stops and resumes what comes in, where that can be. */
  pause?(): void;
  resume?(): void;
}

export interface GuestMessage {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly qos: QoS;
  readonly retain: boolean;
  readonly expiryInterval?: number; // seconds
  readonly properties?: Readonly<Pick<Properties, 'contentType' | 'userProperty'>>;
}

export interface GuestDelivery extends GuestMessage {
  readonly message: Message;
  readonly filter: string;
  readonly subProps: Readonly<Record<string, unknown>>;
}

export interface GuestSubscription extends Readonly<SubscriptionOptions> {
  readonly filter: string; // as the device wrote it
  readonly subProps: Readonly<Record<string, unknown>>;
  readonly isNew: boolean;
}

export interface GuestRefused {
  readonly refused: ReasonCode;
  readonly why: string;
}

/** What somebody says who wants to come in. */
export interface GuestIntroduction {
  readonly clientid: string; // '' = one is made
  readonly username: string | null;
  readonly password: string | null;
  readonly keepalive: number; // seconds
  readonly protocolName: string;
  readonly protocolVersion: string;
  readonly cleanStart?: boolean;
  readonly expiryInterval?: number; // seconds
  readonly will?: GuestMessage | null;
  readonly extra?: GuestFacts;
  receive(delivery: GuestDelivery): void;
  onGone(why: GoneWhy): void;
}

export type GoneWhy = 'kicked' | 'takenover' | 'expired' | 'stopped';

interface Held {
  readonly mounted: string;
  readonly subscription: Subscription;
  shown: GuestSubscription;
}

/** More messages that wait to be allowed than this, and the device waits too … */
const PUBLISHING_HIGH = 64;
const PUBLISHING_LOW = 16;
/** … or, where it cannot be told to, is refused. */
const PUBLISHING_MAX = 10_000;
const DEFAULT_OPTIONS: SubscriptionOptions = {
  qos: 0,
  noLocal: false,
  retainAsPublished: false,
  retainHandling: 0,
};

export const willOf = (will: GuestMessage | null) =>
  will && {
    topic: will.topic,
    payload: will.payload,
    qos: will.qos,
    retain: will.retain,
    properties: will.expiryInterval === undefined ? {} : { messageExpiryInterval: will.expiryInterval },
  };

/**
 * A client that does not speak MQTT: what it may do is asked, what it does goes the way of all messages, hooks hear of
 * it. It has no queue; whoever speaks its protocol takes what it is handed, or drops it.
 */
export class Guest implements Client, Subscriber {
  readonly clientid: string;
  readonly protocolName: string;
  readonly guestVersion: string;
  readonly protocolVersion = 5;
  readonly cleanStart: boolean;
  readonly expiryInterval: number;
  readonly createdAt: number;
  readonly connectedAt: number;
  readonly traffic = new Traffic();
  who: ClientInfo;
  peer: GuestPeer;
  extra: GuestFacts;
  keepalive: number;
  disconnectedAt: number | null = null;
  private ended = false;
  private readonly core: MqttCore;
  private readonly book: GuestBook;
  private readonly asked: GuestIntroduction;
  private readonly subs = new Map<string, Held>(); // by the filter where it is in truth …
  private readonly written = new Map<string, GuestSubscription>(); // … and as the device wrote it
  private will: GuestMessage | null;
  private readonly expiry: Timer | null;
  private waiting: (() => void)[] = []; // for `ready`
  private publishing = 0;
  private held = false;
  private lastPublished: Promise<unknown> = Promise.resolve();

  constructor(core: MqttCore, book: GuestBook, peer: GuestPeer, who: ClientInfo, asked: GuestIntroduction) {
    this.core = core;
    this.book = book;
    this.peer = peer;
    this.who = who;
    this.asked = asked;
    this.clientid = who.clientid;
    this.protocolName = asked.protocolName;
    this.guestVersion = asked.protocolVersion;
    this.cleanStart = asked.cleanStart ?? true;
    this.expiryInterval = asked.expiryInterval ?? 0;
    this.keepalive = asked.keepalive;
    this.extra = asked.extra ?? {};
    this.will = asked.will ?? null;
    this.createdAt = core.clock.now;
    this.connectedAt = core.clock.now;
    const { authExpiresAt } = who;
    this.expiry =
      authExpiresAt === null
        ? null
        : core.timers.after(authExpiresAt - core.clock.now, () => this.sendAway('expired'));
  }

  get connected(): boolean {
    return this.disconnectedAt === null;
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
  get subscriptionCount(): number {
    return this.subs.size;
  }
  get guestSubscriptions(): ReadonlyMap<string, GuestSubscription> {
    return this.written;
  }
  get standing(): Standing {
    return this.ended ? Standing.Gone : Standing.Ready;
  }
  get settings(): ZoneSettings {
    return this.core.entrance(this.who.listener).settings;
  }
  get terms(): ZoneSettings {
    return this.settings;
  }

  *subscriptions(): Generator<Subscription> {
    for (const { subscription } of this.subs.values()) yield subscription;
  }

  subscription(filter: string): Subscription | undefined {
    return this.subs.get(filter)?.subscription;
  }

  // --- subscriptions

  async subscribe(
    filter: string,
    options: Partial<SubscriptionOptions> = {},
    subProps: Record<string, unknown> = {},
  ): Promise<ReasonCode> {
    const { core, who } = this;
    const access = await core.authorize(null, who, 'subscribe', plainOf(filter), options.qos ?? 0, false);
    if (access !== 'allow') return this.denied('subscribe', filter, access);
    const requests = [{ filter }];
    await core.hooks.ask('client.subscribe', who, requests, {});
    return this.hold(filter, requests[0]!.filter, options, subProps);
  }

  /** For an operator: without asking for permission. */
  subscribeFor(
    filter: string,
    options: Partial<SubscriptionOptions>,
    subProps: Record<string, unknown>,
  ): ReasonCode {
    return this.hold(filter, filter, options, subProps);
  }

  private hold(
    written: string,
    filter: string,
    given: Partial<SubscriptionOptions>,
    subProps: Record<string, unknown>,
  ): ReasonCode {
    const { core } = this;
    if (this.ended) return ReasonCode.UnspecifiedError;
    const mounted = mountedFilter(this.who.mountpoint, filter);
    const refused = refusal(core, this, filter, mounted);
    if (refused !== undefined) {
      if (core.hooks.used['session.subscribe_refused'].length > 0)
        core.hooks.tell('session.subscribe_refused', this, written, refused);
      return refused;
    }
    const wanted = { ...DEFAULT_OPTIONS, ...given };
    const options = { ...wanted, qos: Math.min(wanted.qos, this.settings.maxQosAllowed) as QoS };
    const before = this.subs.get(mounted);
    const subscription = before?.subscription ?? core.routes.subscribe(mounted, this, options);
    subscription.options = packOptions(options);
    const isNew = before === undefined;
    if (before && before.shown.filter !== written) this.written.delete(before.shown.filter);
    const shown = { ...options, filter: written, subProps, isNew };
    this.subs.set(mounted, { mounted, subscription, shown });
    this.written.set(written, shown);
    core.hooks.tell('session.subscribed', this, mounted, options, isNew);
    return options.qos as ReasonCode;
  }

  /** False when there was no such subscription. */
  unsubscribe(filter: string): boolean {
    const shown = this.written.get(filter);
    const held = shown && [...this.subs.values()].find((one) => one.shown === shown);
    if (!held) return false;
    const { core, who } = this;
    Promise.resolve(core.hooks.ask('client.unsubscribe', who, [{ filter }], {})).catch((err: unknown) =>
      core.log.error({ err, clientid: this.clientid }, 'a hook handler failed'),
    );
    this.written.delete(filter);
    this.subs.delete(held.mounted);
    core.routes.unsubscribe(held.subscription);
    core.hooks.tell('session.unsubscribed', this, held.mounted);
    return true;
  }

  // --- messages to it

  deliver(message: Message, subscription: Subscription, retained = false): boolean {
    const held = this.subs.get(subscription.filter);
    if (this.ended || held === undefined) return false;
    const { mountpoint } = this.who;
    if (mountpoint !== null && !isBehind(mountpoint, message.topic)) return false;
    const { noLocal, retainAsPublished, filter, subProps } = held.shown;
    const { settings } = this;
    if ((noLocal || settings.ignoreLoopDeliver) && message.publisher === this.who) {
      this.drop(message, 'no_local');
      return true;
    }
    message.keep(); // a device may take its time
    const delivery: GuestDelivery = {
      topic: mountpoint === null ? message.topic : message.topic.slice(mountpoint.length),
      payload: message.payload,
      qos: Math.min(message.qos, held.shown.qos) as QoS,
      retain: retained || (message.retain && retainAsPublished),
      message,
      filter,
      subProps,
    };
    try {
      this.asked.receive(delivery);
    } catch (err) {
      this.core.log.error({ err, clientid: this.clientid }, 'a device could not be handed a message');
      this.drop(message, 'unencodable');
    }
    return true;
  }

  deliverRetained(message: Message, filter: string): void {
    const held = this.subs.get(filter);
    if (held) this.deliver(message, held.subscription, true);
  }

  get ready(): boolean {
    return this.connected && this.peer.bufferedBytes < this.core.settings.outputHighWaterBytes;
  }

  onceReady(run: () => void): void {
    if (this.ready) run();
    else if (this.connected) this.waiting.push(run);
  }

  /** The network has taken what was sent. */
  drained(): void {
    if (!this.ready) return;
    for (const run of this.waiting.splice(0)) run();
  }

  delivered({ message, qos }: GuestDelivery): void {
    const { traffic } = this;
    if (qos === 0) traffic.qos0Out++;
    else if (qos === 1) traffic.qos1Out++;
    else traffic.qos2Out++;
    const { hooks } = this.core;
    if (hooks.used['message.delivered'].length > 0) hooks.tell('message.delivered', this, message, qos);
  }

  acked({ message }: GuestDelivery, sentAt: number): void {
    const { hooks } = this.core;
    if (hooks.used['message.acked'].length > 0) hooks.tell('message.acked', this, message, sentAt);
  }

  dropped({ message }: GuestDelivery, reason: DropReason): void {
    this.drop(message, reason);
  }

  private drop(message: Message, reason: DropReason): void {
    this.traffic.dropped(reason);
    const { hooks } = this.core;
    if (hooks.used['message.dropped'].length > 0) hooks.tell('message.dropped', this, message, reason);
  }

  // --- messages from it

  async may(action: 'publish' | 'subscribe', topic: string, qos: QoS = 0): Promise<boolean> {
    const asked = action === 'subscribe' ? plainOf(topic) : topic;
    return (await this.core.authorize(null, this.who, action, asked, qos, false)) === 'allow';
  }

  /** One after the other, whoever has to be asked about each. */
  async publish(message: GuestMessage): Promise<ReasonCode> {
    if (this.publishing >= PUBLISHING_MAX) return ReasonCode.QuotaExceeded;
    this.publishing++;
    if (this.publishing === PUBLISHING_HIGH) this.holdBack(true);
    const turn = this.lastPublished.then(() => this.publishNow(message));
    this.lastPublished = turn.catch(() => undefined); // told to whoever asked for it
    try {
      const reasonCode = await turn;
      if (message.qos > 0 && reasonCode < 0x80) await this.core.flushed();
      return reasonCode;
    } finally {
      this.publishing--;
      if (this.held && this.publishing <= PUBLISHING_LOW) this.holdBack(false);
    }
  }

  private async publishNow({
    topic,
    payload,
    qos,
    retain,
    expiryInterval,
    properties: said = {},
  }: GuestMessage): Promise<ReasonCode> {
    const { core, who, settings, clientid } = this;
    if (this.ended) return ReasonCode.UnspecifiedError;
    if (!isValidTopic(topic) || topicLevels(topic).length > settings.maxTopicLevels)
      return ReasonCode.TopicNameInvalid;
    if (qos > settings.maxQosAllowed) return ReasonCode.QoSNotSupported;
    if (retain && !settings.retainAvailable) return ReasonCode.RetainNotSupported;
    const properties = {
      ...said,
      ...(expiryInterval !== undefined && { messageExpiryInterval: expiryInterval }),
    };
    const propsBytes = encodeProperties(properties).length;
    const bytes = publishBytes(encodeUtf8(topic).length, propsBytes, payload.length, qos, 5);
    if (bytes > settings.maxPacketBytes) return ReasonCode.PacketTooLarge;
    this.traffic.published(qos);
    const message = newMessage(topic, payload, {
      qos,
      retain,
      properties,
      from: clientid,
      publisher: who,
      timestamp: core.clock.refresh(),
    });
    if (core.hooks.used['message.received'].length > 0) core.hooks.tell('message.received', message);
    const asked = core.authorize(null, who, 'publish', topic, qos, retain);
    const access = asked instanceof Promise ? await asked : asked;
    if (access !== 'allow') return this.denied('publish', topic, access);
    try {
      if (who.mountpoint !== null) message.change({ topic: mountedTopic(who.mountpoint, topic) });
    } catch (cause) {
      if (cause instanceof MqttError) return cause.reasonCode;
      throw cause;
    }
    const published = await core.publishMessage(message);
    return published.ended && published.ended.reasonCode >= 0x80
      ? published.ended.reasonCode
      : ReasonCode.Success;
  }

  private denied(action: 'publish' | 'subscribe', topic: string, denial: Denial): ReasonCode {
    const { hooks } = this.core;
    if (hooks.used['client.denied'].length > 0) hooks.tell('client.denied', this.who, action, topic, denial);
    return ReasonCode.NotAuthorized;
  }

  private holdBack(held: boolean): void {
    this.held = held;
    if (held) this.peer.pause?.();
    else this.peer.resume?.();
  }

  // --- its life

  /** Another address, the same device. */
  moveTo(peer: GuestPeer): void {
    const { address, port, listener } = peer;
    const { who } = this;
    this.peer = peer;
    if (who.address !== address || who.port !== port || who.listener !== listener)
      Object.assign(who, { address, port, listener });
  }

  setWill(will: GuestMessage | null): void {
    this.will = will;
  }

  setKeepalive(seconds: number): void {
    this.keepalive = seconds;
  }

  countReceived(bytes: number, packets = 1): void {
    this.traffic.bytesIn += bytes;
    this.traffic.readsIn++;
    this.traffic.packetsIn += packets;
  }

  countSent(bytes: number, packets = 1): void {
    this.traffic.bytesOut += bytes;
    this.traffic.writesOut++;
    this.traffic.packetsOut += packets;
  }

  close(): void {
    this.sendAway('kicked');
  }

  /** It goes without having said so. */
  sendAway(why: GoneWhy): void {
    if (this.ended) return;
    this.leave(why, true);
    try {
      this.asked.onGone(why);
    } catch (err) {
      this.core.log.error({ err, clientid: this.clientid }, 'a device could not be told that it has to go');
    }
  }

  /** Its device has gone and may come back: what is for it goes on to be handed over, until it leaves. */
  rest(reason: string, publishWill: boolean): void {
    if (!this.connected) return;
    this.disconnectedAt = this.core.clock.now;
    this.expiry?.cancel();
    this.lastWords(publishWill);
    this.core.hooks.tell('client.disconnected', this, reason);
  }

  leave(reason: string, publishWill: boolean): void {
    if (this.ended) return;
    const { core, book, subs, connected } = this;
    this.ended = true;
    this.disconnectedAt ??= core.clock.now;
    this.expiry?.cancel();
    this.waiting = [];
    if (book.guests.get(this.clientid) === this) book.guests.delete(this.clientid);
    const left = [...subs].map(([mounted, { subscription }]) => [mounted, subscription] as const);
    core.routes.unsubscribeAll(new Map(left));
    subs.clear();
    this.written.clear();
    this.lastWords(publishWill);
    if (connected) core.hooks.tell('client.disconnected', this, reason);
    core.hooks.tell('session.terminated', this);
  }

  private lastWords(spoken: boolean): void {
    const packed = spoken ? willOf(this.will) : null;
    this.will = null;
    if (packed) this.core.publishWill(packed, this.who);
  }

  // --- what a client has and a guest has not

  queuedAfter(): [] {
    return [];
  }

  inflightAfter(): [] {
    return [];
  }

  keptAccess(): [] {
    return [];
  }

  forgetAccess(): void {
    // nothing is kept: each time somebody is asked
  }

  facts(): ClientFacts {
    return {
      clientid: this.clientid,
      username: this.username,
      ip_address: this.address,
      port: this.port,
      node: this.core.node,
      listener: this.listener,
      mountpoint: this.who.mountpoint,
      proto_name: this.protocolName,
      proto_ver: this.guestVersion,
      keepalive: this.keepalive,
      clean_start: this.cleanStart,
      expiry_interval: this.expiryInterval,
      is_bridge: false,
      is_persistent: false,
      is_expired: false,
      connected: this.connected,
      created_at: this.createdAt,
      connected_at: this.connectedAt,
      disconnected_at: this.disconnectedAt,
      auth_expire_at: this.who.authExpiresAt,
      client_attrs: this.who.attributes,
      ...this.traffic.facts(),
      subscriptions_cnt: this.subscriptionCount,
      subscriptions_max: Number.isFinite(this.settings.maxSubscriptions)
        ? this.settings.maxSubscriptions
        : 'infinity',
      inflight_cnt: 0,
      inflight_max: 0,
      mqueue_len: 0,
      mqueue_max: 'infinity',
      mqueue_dropped: 0,
      awaiting_rel_cnt: 0,
      awaiting_rel_max: 'infinity',
    };
  }
}
