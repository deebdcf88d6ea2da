import type { Properties, QoS, SubscriptionOptions } from '@mqdeck/mqtt/packets';
import type { Client } from './client.ts';
import type { Connection, ConnectionEvents } from './connection.ts';
import type { Counters, Gauges } from './counters.ts';
import type { Descent } from './descent.ts';
import type { Entrance } from './entrance.ts';
import type { GuestBook } from './guest-book.ts';
import type { ClientInfo, Hooks, PublishResult } from './hooks.ts';
import type { Limiter } from './limiter/limiter.ts';
import { MqttCore } from './mqtt-core.ts';
import type { Settings, SharedStrategy, ZoneSettings } from './settings.ts';
import type { Store } from './store/store.ts';
import type { Clock, TimerWheel } from './timer-wheel.ts';

/** All clients, connected or with a kept session. */
export interface ClientRegistry extends Iterable<Client> {
  readonly size: number;
  readonly connectedCount: number;
  find(clientid: string): Client | undefined;
  /** All clients in slices, giving the event loop a turn between them; clients may come and go meanwhile. */
  slices(): AsyncIterable<Client[]>;
}

/** What is subscribed to. */
export interface RoutesView {
  readonly filterCount: number;
  readonly subscriptionCount: number;
  readonly sharedSubscriptionCount: number;
  hasFilter(filter: string): boolean;
  /** Whether anybody gets what is published to a topic; asked where a message is not worth making otherwise. */
  hasReceivers(topic: string): boolean;
  /** How many subscriptions get what is published to a topic, a share group counting as one; counts up to `max`. */
  receiverCount(topic: string, max: number): number;
  /** Of a shared filter: how many share it, and how the one for a message is found. Null: nobody subscribed to it. */
  group(filter: string): { readonly members: number; readonly strategy: SharedStrategy } | null;
  /** Distinct filters, without their share part. */
  filters(): Iterable<string>;
  /** Distinct filters as they were subscribed: a shared one once per group, with its `$share/group/`. */
  subscribedFilters(): Iterable<string>;
  /** The forms a filter is subscribed in: itself, and each group that shares it. */
  formsOf(filter: string): Iterable<string>;
}

export interface ListenerStatus {
  readonly id: string; // `tcp:default`
  readonly type: 'tcp' | 'ws' | 'ssl' | 'wss';
  readonly bind: string; // host:port, the port in use
  readonly port: number;
  readonly running: boolean;
  readonly currentConnections: number;
  readonly maxConnections: number;
}

export interface Listener extends ListenerStatus {
  start(): Promise<void>;
  /** Closes the port and, with a reason, its connections. */
  stop(): Promise<void>;
}

export interface PublishInput {
  topic: string;
  payload: Uint8Array | string;
  qos?: QoS;
  retain?: boolean;
  properties?: Properties;
  clientid?: string; // on whose behalf
  username?: string | null;
  /** What the broker says of itself is counted neither as published nor, without receivers, as dropped. */
  system?: boolean;
  /** The rules that have made it, one of another's message. */
  trail?: readonly string[];
  /** That of the message which they have made it of. */
  descent?: Descent;
  /** Only delivered: no hook of `message.publish` hears of it. */
  direct?: boolean;
}

export interface Published {
  id: string; // the message's id
  receivers: number; // subscriptions it was routed to
  mustLast: boolean; // a feature wrote it to the store; `flushed` says when it is there
  /** A hook ended its way. */
  ended?: PublishResult;
}

export interface SubscribeRequest extends Partial<SubscriptionOptions> {
  filter: string;
}

/** Where the core reports; pino fits. */
export interface Log {
  debug(facts: object, text: string): void;
  info(facts: object, text: string): void;
  warn(facts: object, text: string): void;
  error(facts: object, text: string): void;
}

export interface CoreOptions {
  node?: string;
  settings?: Partial<Settings>;
  /** Persistent sessions live here; without it they live as long as the process. */
  store?: Store | null;
  log?: Log;
  /** A clock that a test winds; then the test also turns `timers`. */
  clock?: Clock;
  /** By which the length of a turn of the event loop is known, in milliseconds; a test has its own. */
  turnClock?: () => number;
}

export interface Core {
  readonly node: string; // this node's name, `mqdeck@127.0.0.1`
  readonly startedAt: number; // epoch ms
  readonly settings: Settings;
  readonly log: Log;
  readonly hooks: Hooks;
  readonly counters: Counters;
  readonly gauges: Gauges;
  /** The one wheel for whatever happens later: `timers.after(ms, run)`. */
  readonly timers: TimerWheel;
  readonly clock: Clock;
  readonly registry: ClientRegistry;
  readonly routes: RoutesView;
  readonly listeners: Listener[];
  /** How much may come in. */
  readonly limiter: Limiter;
  /** What holds at a listener; its clients' wills and sessions still ask when the listener is gone. */
  entrance(listener: string): Entrance;
  /** From now on the zone's settings hold at an entrance; the global ones where there is no such zone. */
  enterZone(entrance: Entrance, zone: string): void;
  /** What holds in a zone, for those that are there too. Null: it is no more, and the global settings hold. */
  setZone(name: string, settings: ZoneSettings | null): void;
  /** Routes a message as if a client had sent it, hooks included, without asking for permission. */
  publish(input: PublishInput): Published | Promise<Published>;
  /** Subscribes on behalf of a client: a SUBACK reason code per request, or undefined when there is no such client. */
  subscribe(clientid: string, requests: SubscribeRequest[]): number[] | undefined;
  /** UNSUBACK reason codes, or undefined when there is no such client. */
  unsubscribe(clientid: string, filters: string[]): number[] | undefined;
  /** Ends a client's connection (0x98, its will is published) and its session. False when there is no such client. */
  kick(clientid: string): boolean;
  /** Where those come in who do not speak MQTT: each gateway has its own. Whoever opens it closes it. */
  openGuestBook(name: string): GuestBook;
  /** All of them, of all books; they are not in the registry. */
  guests(): Iterable<Client>;
  /** The one of this name; two gateways may each have one. */
  findGuest(clientid: string): Client | undefined;
  /** Answers kept for connections are asked for anew: of those concerned, or of all. */
  forgetAccess(concerns?: (who: ClientInfo) => boolean): void;
  /** Settles when everything written before the call is on disk, at once without a store; rejects when it was refused. */
  flushed(): Promise<void>;
  /** Says 0x8B to all clients, closes the listeners, and waits for the store. */
  close(): Promise<void>;
  /** For listeners, and tests in their place: a new connection, whose events go to the answer. */
  accept(connection: Connection, listener: string): ConnectionEvents;
  /** Ends the connections of a listener, with 0x8B for 5.0 clients. */
  endConnections(listener: string): void;
}

export const startCore = (options: CoreOptions = {}): Core => new MqttCore(options);
