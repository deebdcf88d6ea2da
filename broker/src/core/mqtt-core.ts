import { publishBytes } from '@mqdeck/mqtt/encode';
import { PacketType, type Properties, type QoS, type Will } from '@mqdeck/mqtt/packets';
import { decodeProperties, encodeProperties } from '@mqdeck/mqtt/properties';
import { MqttError, protocolError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { filterMatches, isSystemTopic, isValidTopic } from '@mqdeck/mqtt/topics';
import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import { AccessCache } from './access.ts';
import { Bursts } from './bursts.ts';
import { Channel } from './channel/channel.ts';
import { subscribeFor, unsubscribeFor } from './channel/subscribe.ts';
import type { Client } from './client.ts';
import { ConnectBudget } from './connect-budget.ts';
import { ConnectQueue } from './connect-queue.ts';
import type { Connection } from './connection.ts';
import type { Core, CoreOptions, Listener, Log, Published, PublishInput, SubscribeRequest } from './core.ts';
import { C, Counters, Gauges } from './counters.ts';
import { Entrance } from './entrance.ts';
import { GuestBook } from './guest-book.ts';
import {
  type Access,
  type AccessRequest,
  type AccessResult,
  type ClientInfo,
  type Denial,
  Hooks,
} from './hooks.ts';
import { Limiter } from './limiter/limiter.ts';
import { type Message, newMessage } from './message.ts';
import { mountedFilter, mountedTopic } from './mountpoint.ts';
import { QueueBudget } from './mqueue.ts';
import { OutputTurn } from './output.ts';
import { Registry } from './registry.ts';
import { type FilterEntry, type Route, Router } from './router.ts';
import type { Session } from './session.ts';
import { defaultSettings, type Settings, type ZoneSettings } from './settings.ts';
import type { Store } from './store/store.ts';
import { StoredSessions } from './store/stored-sessions.ts';
import { Clock, TimerWheel } from './timer-wheel.ts';

const SWEEP_MS = 1000;
const TROUBLE_LOG_EVERY_MS = 60_000;
/** Of reason codes. */
const LEAST_FAILURE = 0x80;
const AUTHORIZE = C['client.authorize'];
const ALLOW = C['authorization.allow'];
const DENY = C['authorization.deny'];
const CACHE_HIT = C['authorization.cache_hit'];

/** The core from inside: what channels and sessions share. Features see `Core` only. */
export class MqttCore implements Core {
  readonly node: string;
  readonly clock: Clock;
  readonly startedAt: number;
  readonly settings: Settings;
  readonly log: Log;
  readonly hooks: Hooks;
  readonly counters = new Counters();
  readonly gauges = new Gauges();
  readonly timers: TimerWheel;
  readonly turn = new OutputTurn();
  readonly bursts: Bursts;
  readonly limiter: Limiter;
  readonly queued = new QueueBudget(() => this.settings.maxMqueuesBytes);
  readonly routes: Router;
  readonly registry: Registry;
  readonly connects = new ConnectQueue();
  readonly connectBudget = new ConnectBudget();
  readonly store: StoredSessions | null;
  readonly channels = new Set<Channel>();
  readonly listeners: Listener[] = [];
  readonly guestBooks = new Set<GuestBook>();
  private readonly entrances = new Map<string, Entrance>();
  private readonly zones = new Map<string, ZoneSettings>();
  /** Counts how often kept answers had to be forgotten. */
  private accessEpoch = 0;
  /** False while sessions come back from the store: features have not joined yet, so nothing may be published. */
  started = false;

  constructor(options: CoreOptions) {
    this.bursts = new Bursts(options.turnClock);
    this.node = options.node ?? 'mqdeck@127.0.0.1';
    this.clock = options.clock ?? new Clock();
    this.startedAt = this.clock.now;
    this.settings = Object.assign(defaultSettings(), options.settings);
    const { log } = options;
    this.log = log ?? silent;
    this.hooks = new Hooks((name, owner, err) =>
      this.log.error({ err, hook: name, owner }, 'a hook handler failed'),
    );
    this.timers = new TimerWheel(this.clock, (err) => this.log.error({ err }, 'a timer failed'));
    this.limiter = new Limiter(this);
    this.routes = new Router((group, zone) => {
      const { sharedSubscriptionGroups, sharedSubscriptionStrategy } = this.settings;
      const own = Object.hasOwn(sharedSubscriptionGroups, group)
        ? sharedSubscriptionGroups[group]
        : undefined;
      return own ?? zone?.sharedSubscriptionStrategy ?? sharedSubscriptionStrategy;
    });
    this.registry = new Registry(this);
    this.store = options.store ? new StoredSessions(this, options.store) : null;
    if (options.store) this.logTroubleOf(options.store);
    this.provideGauges();
    this.store?.load();
    this.started = true;
    if (!options.clock) this.timers.start();
    this.sweepLater();
  }

  /** A listener's new connection. */
  accept(connection: Connection, listener: string): Channel {
    const channel = new Channel(this, connection, this.entrance(listener));
    this.channels.add(channel);
    return channel;
  }

  entrance(listener: string): Entrance {
    let entrance = this.entrances.get(listener);
    if (entrance === undefined) {
      entrance = new Entrance(listener, this.settings);
      this.entrances.set(listener, entrance);
      this.enterZone(entrance, entrance.zone);
    }
    return entrance;
  }

  enterZone(entrance: Entrance, zone: string): void {
    entrance.zone = zone;
    entrance.settings = this.zones.get(zone) ?? this.settings;
    // A topic that was learnt was allowed by what held then
    for (const channel of this.channels) if (channel.entrance === entrance) channel.lastTopicBytes = null;
  }

  setZone(name: string, settings: ZoneSettings | null): void {
    if (settings === null) this.zones.delete(name);
    else this.zones.set(name, settings);
    for (const entrance of this.entrances.values())
      if (entrance.zone === name) this.enterZone(entrance, name);
  }

  publish(input: PublishInput): Published | Promise<Published> {
    const { topic, payload, qos = 0, retain = false, properties = {}, clientid = '', username } = input;
    if (!isValidTopic(topic)) throw new MqttError(ReasonCode.TopicNameInvalid);
    const publisher = username === undefined ? null : internalPublisher(clientid, username);
    const bytes = typeof payload === 'string' ? encodeUtf8(payload) : payload;
    checkPublish(topic, bytes, properties, this.settings.maxPacketBytes);
    const message = newMessage(topic, bytes, {
      qos,
      retain,
      properties,
      from: clientid,
      publisher,
      timestamp: this.clock.refresh(),
    });
    message.system = input.system === true;
    if (input.trail !== undefined) message.trail = input.trail;
    if (input.descent !== undefined) message.descent = input.descent;
    if (input.direct)
      return { id: message.id, receivers: this.deliver(message, this.routes.route(topic)), mustLast: false };
    return this.publishMessage(message);
  }

  /** Hooks, then the subscribers. */
  publishMessage(message: Message): Published | Promise<Published> {
    if (!message.system) this.counters.add(C['messages.publish.own']);
    const verdict = this.hooks.ask('message.publish', message);
    const go = (result: Awaited<typeof verdict>): Published => {
      if (result !== undefined && this.hooks.used['message.stopped'].length > 0) {
        const { publisher, topic } = message;
        this.hooks.tell('message.stopped', publisher, topic, message, result.reasonCode, result.reason);
      }
      if (result !== undefined && result.reasonCode >= LEAST_FAILURE && !message.system)
        this.counters.add(C['packets.publish.dropped']);
      return {
        id: message.id,
        receivers: result === undefined ? this.deliver(message, this.routes.route(message.topic)) : 0,
        mustLast: message.mustLast,
        ended: result,
      };
    };
    return verdict instanceof Promise ? verdict.then(go) : go(verdict);
  }

  /** Hands a message to every subscription of its topic; returns how many there were. */
  deliver(message: Message, route: Route): number {
    let receivers = route.exact === null ? 0 : deliverTo(route.exact, message);
    const { wild } = route;
    for (let i = 0; i < wild.length; i++) receivers += deliverTo(wild[i]!, message);
    if (receivers === 0 && !message.system) {
      this.counters.add(C['messages.dropped.no_subscribers']);
      if (this.hooks.used['message.dropped'].length > 0)
        this.hooks.tell('message.dropped', null, message, 'no_subscribers');
    }
    return receivers;
  }

  /**
   * What a client may do: whatever rules say, it never publishes below `$SYS`, where the broker speaks. Answers are kept with its connection, if it has one, so that a publisher that repeats itself
   * costs a look and no object.
   */
  authorize(
    channel: Channel | null,
    who: ClientInfo,
    action: 'publish' | 'subscribe',
    topic: string,
    qos: QoS,
    retain: boolean,
  ): 'allow' | Denial | Promise<'allow' | Denial> {
    const { counters, settings } = this;
    counters.add(AUTHORIZE);
    if (action === 'publish' && isSystemTopic(topic)) {
      counters.add(DENY);
      if (this.isHeard) this.tellAccess(who, { action, topic, qos, retain }, 'deny', SYSTEM_TOPIC.source);
      return SYSTEM_TOPIC;
    }
    if (who.isSuperuser) {
      counters.add(C['authorization.superuser']);
      counters.add(ALLOW);
      if (this.isHeard) this.tellAccess(who, { action, topic, qos, retain }, 'allow', 'superuser');
      return 'allow';
    }
    if (channel === null || settings.authorizationCache === null)
      return this.askForAccess(null, who, { action, topic, qos, retain });
    channel.access ??= new AccessCache();
    const kept = channel.access.find(action, topic, qos, retain, this.clock.now);
    if (kept === null) return this.askForAccess(channel, who, { action, topic, qos, retain });
    counters.add(CACHE_HIT);
    const access = kept.access === 'allow' ? 'allow' : 'deny';
    counters.add(access === 'allow' ? ALLOW : DENY);
    if (this.isHeard) this.tellAccess(who, { action, topic, qos, retain }, access, 'cache');
    return kept.access;
  }

  private get isHeard(): boolean {
    return this.hooks.used['client.authorize_complete'].length > 0;
  }

  private tellAccess(who: ClientInfo, request: AccessRequest, access: Access, source: string): void {
    this.hooks.tell('client.authorize_complete', who, request, access, source);
  }

  private askForAccess(
    channel: Channel | null,
    who: ClientInfo,
    request: AccessRequest,
  ): 'allow' | Denial | Promise<'allow' | Denial> {
    const { accessEpoch } = this;
    if (channel !== null) this.counters.add(C['authorization.cache_miss']);
    const decided = (result: AccessResult): 'allow' | Denial => {
      const { access, keepMs } = this.decide(result);
      const answer = access === 'allow' ? access : denialOf(result);
      // What was asked before everybody was told to forget may be wrong by now
      if (channel !== null && keepMs > 0 && accessEpoch === this.accessEpoch)
        this.keepAccess(channel, request, answer, keepMs);
      if (this.isHeard) this.tellAccess(who, request, access, sourceOf(result));
      return answer;
    };
    const undecided = (cause: unknown): Denial => {
      const denial = this.undecided(cause);
      if (this.isHeard) this.tellAccess(who, request, 'deny', 'default');
      return denial;
    };
    try {
      const result = this.hooks.ask('client.authorize', who, request);
      if (!(result instanceof Promise)) return decided(result);
      return result.then(decided, undecided);
    } catch (cause) {
      return undecided(cause);
    }
  }

  private decide(result: AccessResult): { access: Access; keepMs: number } {
    const { counters, settings } = this;
    const given = typeof result === 'object' ? result : null;
    const access = given?.access ?? (result as Access | undefined) ?? settings.authorizationNoMatch;
    if (result === undefined) counters.add(C['authorization.nomatch']);
    else if (given?.matched !== false) counters.add(C[`authorization.matched.${access}`]);
    counters.add(access === 'allow' ? ALLOW : DENY);
    return { access, keepMs: given?.keepMs ?? Number.POSITIVE_INFINITY };
  }

  private keepAccess(
    { access: cache }: Channel,
    request: AccessRequest,
    access: 'allow' | Denial,
    keepMs: number,
  ): void {
    const settings = this.settings.authorizationCache;
    if (settings === null || cache === null) return;
    if (settings.excludes.some((filter) => filterMatches(filter, request.topic))) return;
    const at = this.clock.now;
    cache.keep({ ...request, access, at }, at + Math.min(keepMs, settings.ttlMs), settings.maxSize);
  }

  forgetAccess(concerns?: (who: ClientInfo) => boolean): void {
    this.accessEpoch++;
    for (const { who, access } of this.channels)
      if (access !== null && (!concerns || (who !== null && concerns(who)))) access.clear();
  }

  /** Of one connection. */
  forgetAccessOf(channel: Channel | null): void {
    this.accessEpoch++;
    channel?.access?.clear();
  }

  /** Never a silent yes. */
  private undecided(err: unknown): Denial {
    this.log.error({ err }, 'authorization failed to decide; it is denied');
    this.counters.add(C['authorization.deny']);
    return UNDECIDED;
  }

  /** A will passes the same gates as a message of its client. */
  publishWill(will: Will, who: ClientInfo): void {
    const { willDelayInterval: _, ...properties } = will.properties;
    const message = newMessage(will.topic, will.payload, {
      qos: will.qos,
      retain: will.retain,
      properties: properties satisfies Properties,
      from: who.clientid,
      publisher: who,
      timestamp: this.clock.now,
    });
    const publish = async () => {
      const { topic, qos, retain } = message;
      const access = await this.authorize(null, who, 'publish', topic, qos, retain);
      if (access !== 'allow') {
        this.log.info({ clientid: who.clientid, topic }, 'a will was not allowed and is dropped');
        if (this.hooks.used['client.denied'].length > 0)
          this.hooks.tell('client.denied', who, 'publish', topic, access);
      } else {
        if (who.mountpoint !== null) message.change({ topic: mountedTopic(who.mountpoint, topic) });
        await this.publishMessage(message);
      }
    };
    publish().catch((err: unknown) =>
      this.log.error({ err, clientid: who.clientid }, 'a will could not be published'),
    );
  }

  /** Lets the store begin or cease to care for a session, as its expiry says. */
  persist(session: Session): void {
    if (!this.store) return;
    if (session.expiryInterval > 0) {
      if (session.store) session.store.save(session);
      else {
        session.store = this.store;
        session.saveAll();
      }
    } else if (session.store) {
      session.store.remove(session);
      session.store = null;
    }
  }

  subscribe(clientid: string, requests: SubscribeRequest[]): number[] | undefined {
    const session = this.registry.find(clientid);
    return (
      session &&
      subscribeFor(
        this,
        session,
        requests.map((request) => ({ ...defaultOptions, ...request })),
      )
    );
  }

  unsubscribe(clientid: string, filters: string[]): number[] | undefined {
    const session = this.registry.find(clientid);
    if (!session) return undefined;
    const { mountpoint } = session.who;
    // As it is listed, or as the client would write it
    const known = filters.map((one) => (session.subscription(one) ? one : mountedFilter(mountpoint, one)));
    return unsubscribeFor(this, session, known);
  }

  kick(clientid: string): boolean {
    const session = this.registry.find(clientid);
    if (!session) return false;
    session.close(ReasonCode.AdministrativeAction);
    this.registry.end(session, 'session.terminated');
    return true;
  }

  openGuestBook(name: string): GuestBook {
    const book = new GuestBook(this, name);
    this.guestBooks.add(book);
    return book;
  }

  *guests(): Generator<Client> {
    for (const { guests } of this.guestBooks) yield* guests.values();
  }

  findGuest(clientid: string): Client | undefined {
    for (const { guests } of this.guestBooks) {
      const guest = guests.get(clientid);
      if (guest) return guest;
    }
    return undefined;
  }

  endConnections(listener: string): void {
    for (const channel of [...this.channels])
      if (channel.listener === listener) channel.end(ReasonCode.ServerShuttingDown);
  }

  async flushed(): Promise<void> {
    await this.store?.flushed();
  }

  async close(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.stop()));
    for (const channel of [...this.channels]) channel.end(ReasonCode.ServerShuttingDown);
    this.timers.stop();
    try {
      await this.flushed();
    } finally {
      this.store?.close();
    }
  }

  private logTroubleOf(store: Store): void {
    let saidAt = Number.NEGATIVE_INFINITY;
    store.onTrouble((err) => {
      if (err === null) {
        saidAt = Number.NEGATIVE_INFINITY;
        this.log.info({ folder: store.folder }, 'the store can be written again');
      } else if (performance.now() - saidAt >= TROUBLE_LOG_EVERY_MS) {
        saidAt = performance.now();
        this.log.error(
          { err, folder: store.folder },
          'the store cannot be written; is the disk full? What needs it stays unacknowledged and is tried again',
        );
      }
    });
  }

  private sweepLater(): void {
    this.timers.after(SWEEP_MS, () => {
      this.sweepLater();
      for (const session of this.registry) session.sweep(this.clock.now);
      this.gauges.sample();
    });
  }

  private provideGauges(): void {
    const { gauges, registry, routes } = this;
    for (const name of ['connections', 'channels', 'sessions', 'cluster_sessions'] as const)
      gauges.provide(name, () => registry.size);
    gauges.provide('live_connections', () => registry.connectedCount);
    for (const name of ['subscribers', 'subscriptions', 'suboptions'] as const)
      gauges.provide(name, () => routes.subscriptionCount);
    gauges.provide('subscriptions.shared', () => routes.sharedSubscriptionCount);
    gauges.provide('topics', () => routes.filterCount);
  }
}

function deliverTo(entry: FilterEntry, message: Message): number {
  let receivers = 0;
  for (let link = entry.head; link !== null; link = link.next) {
    if (link.subscriber.deliver(message, link)) receivers++;
  }
  return receivers;
}

const defaultOptions: { qos: QoS; noLocal: boolean; retainAsPublished: boolean; retainHandling: 0 } = {
  qos: 0,
  noLocal: false,
  retainAsPublished: false,
  retainHandling: 0,
};

const NO_MATCH: Denial = Object.freeze({ source: 'no_match', rule: null });
const SYSTEM_TOPIC: Denial = Object.freeze({ source: 'system_topic', rule: null });
const UNDECIDED: Denial = Object.freeze({ source: 'undecided', rule: null });

function denialOf(result: AccessResult): Denial {
  if (result === undefined) return NO_MATCH;
  if (typeof result === 'string') return { source: 'hook', rule: null };
  const { source, rule = null, matched } = result;
  return source === undefined && !matched ? UNDECIDED : { source: source ?? 'hook', rule };
}

/** In a word for those who hear of decisions; `hook`: somebody who did not give a name. */
function sourceOf(result: AccessResult): string {
  if (result === undefined) return 'default';
  if (typeof result === 'string') return 'hook';
  return result.source ?? (result.matched ? 'hook' : 'default');
}

const internalPublisher = (clientid: string, username: string | null): ClientInfo => ({
  clientid,
  username,
  address: '',
  port: 0,
  listener: '',
  protocolVersion: 5,
  mountpoint: null,
  isSuperuser: false,
  attributes: {},
  authExpiresAt: null,
});

/** What no client could have sent is refused before it reaches a queue, which it would never leave. */
function checkPublish(topic: string, payload: Uint8Array, properties: Properties, maxBytes: number): void {
  let encoded: Uint8Array;
  try {
    encoded = encodeProperties(properties);
  } catch (cause) {
    throw new MqttError(ReasonCode.MalformedPacket, cause instanceof Error ? cause.message : undefined);
  }
  const { subscriptionIdentifier, topicAlias, messageExpiryInterval = 0 } = properties;
  if (subscriptionIdentifier !== undefined || topicAlias !== undefined)
    throw protocolError('topic aliases and subscription identifiers belong to a connection');
  if (messageExpiryInterval !== messageExpiryInterval >>> 0)
    throw protocolError('the message expiry interval is a whole number below 2^32');
  decodeProperties(encoded, 0, encoded.length, PacketType.PUBLISH); // the response topic, what belongs elsewhere …
  const bytes = publishBytes(encodeUtf8(topic).length, encoded.length, payload.length, 1, 5);
  if (bytes > maxBytes)
    throw new MqttError(ReasonCode.PacketTooLarge, `packet of ${bytes} bytes, allowed are ${maxBytes}`);
}

const ignore = (): void => undefined;
const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
