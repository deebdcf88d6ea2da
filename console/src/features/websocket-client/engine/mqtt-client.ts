import { decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket, PINGREQ_FRAME } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import {
  type ConnackPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type PublishPacket,
  type QoS,
  type SubscriptionOptions,
  type Will,
} from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { parseShared } from '@mqdeck/mqtt/topics';
import { backoffMs, isPassing } from './backoff.ts';
import { ClientFault, type Fault, refuse } from './faults.ts';
import { Flows, type PublishOutcome } from './flows.ts';
import { addressFault, answersHttp, type OpenSocket, openWebSocket, type Socket } from './socket.ts';

export type ClientState = 'disconnected' | 'connecting' | 'connected' | 'disconnecting' | 'reconnecting';

export interface ConnectOptions {
  url: string;
  protocolVersion: ProtocolVersion;
  clientid: string;
  username: string | null;
  password: Uint8Array | null;
  cleanStart: boolean;
  keepAlive: number; // seconds, 0 = off
  /** Of CONNECT, MQTT 5 only. */
  properties: Properties;
  will: Will | null;
  autoReconnect: boolean;
}

export interface OutgoingMessage {
  topic: string;
  payload: Uint8Array;
  qos: QoS;
  retain: boolean;
  properties: Properties;
}

export interface SubscriptionRequest extends SubscriptionOptions {
  filter: string;
  /** MQTT 5: comes along with every message it brings. */
  identifier?: number | undefined;
}

export interface Subscription extends SubscriptionRequest {
  since: number;
  /** What the server said last: the QoS granted, or why not. Undefined while it has not answered. */
  reasonCode: number | undefined;
}

export interface ClientEvents {
  /** State, subscriptions or what is in flight changed. */
  changed(): void;
  message(message: PublishPacket): void;
}

/** What a test puts in place of the browser. */
export interface Surroundings {
  openSocket: OpenSocket;
  answersHttp: (url: string) => Promise<boolean>;
  pageProtocol: () => string;
  random: () => number;
}

const browser: Surroundings = {
  openSocket: openWebSocket,
  answersHttp,
  pageProtocol: () => location.protocol,
  random: Math.random,
};

/** Long enough for a broker behind a VPN, short enough for somebody who waits. */
const CONNECT_TIMEOUT_MS = 10_000;
const PING_TIMEOUT_MS = 10_000;
/** A socket that does not close is left to itself. */
const CLOSE_TIMEOUT_MS = 2000;
/** A connection that held this long was a good one: the next loss begins with the shortest wait. */
const HELD_MS = 10_000;
/** The largest packet there is. */
const PACKET_BYTES_MAX = 268_435_455 + 5;
const UINT16_MAX = 65_535;

interface Request {
  done: (reasonCode: number) => void;
  failed: (fault: ClientFault) => void;
}

/** One socket and what dies with it. */
interface Link {
  socket: Socket;
  framer: Framer;
  opened: boolean;
  connack: ConnackPacket | null;
  connectedAt: number;
  aliasesIn: Map<number, string>;
  aliasesOut: Map<number, string>;
  requests: Map<number, Request>;
  connectTimer: ReturnType<typeof setTimeout>;
  pingTimer?: ReturnType<typeof setInterval>;
  pongTimer?: ReturnType<typeof setTimeout> | undefined;
}

/** An MQTT client over WebSocket. Keeps its session, subscriptions and connection; its methods alone change them. */
export class MqttClient {
  readonly subscriptions = new Map<string, Subscription>();
  #state: ClientState = 'disconnected';
  #fault: Fault | null = null;
  #options: ConnectOptions | null = null;
  #link: Link | null = null;
  #flows = new Flows();
  /** Whose session `#flows` and the server share. */
  #sessionOf: string | null = null;
  #attempt = 0;
  #retryAt: number | null = null;
  #retryTimer: ReturnType<typeof setTimeout> | undefined;
  #closeTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #events: ClientEvents;
  readonly #around: Surroundings;

  constructor(events: ClientEvents, around: Surroundings = browser) {
    this.#events = events;
    this.#around = around;
  }

  get state(): ClientState {
    return this.#state;
  }
  /** Why it is not connected; null when nobody asked for more or all is well. */
  get fault(): Fault | null {
    return this.#fault;
  }
  /** When the next attempt begins, in ms since 1970. */
  get retryAt(): number | null {
    return this.#retryAt;
  }
  get attempt(): number {
    return this.#attempt;
  }
  get inflight(): number {
    return this.#flows.inflight;
  }
  /** What the server granted; null while not connected. */
  get connack(): ConnackPacket | null {
    return this.#state === 'connected' ? (this.#link?.connack ?? null) : null;
  }
  get connectedAt(): number | null {
    return this.#state === 'connected' ? (this.#link?.connectedAt ?? null) : null;
  }
  get protocolVersion(): ProtocolVersion {
    return this.#options?.protocolVersion ?? 5;
  }
  /** The client id of the moment: ours, or the one the server assigned. */
  get clientid(): string {
    return this.#options?.clientid || this.#link?.connack?.properties.assignedClientIdentifier || '';
  }

  connect(options: ConnectOptions): void {
    if (this.#state !== 'disconnected') return;
    this.#options = options;
    this.#attempt = 0;
    this.#fault = addressFault(options.url, this.#around.pageProtocol());
    if (this.#fault) {
      this.#events.changed();
      return;
    }
    this.#open('connecting');
  }

  /** Does not wait for the end of the pause between two attempts. */
  retryNow(): void {
    if (this.#state !== 'reconnecting' || this.#retryAt === null) return;
    clearTimeout(this.#retryTimer);
    this.#open('reconnecting');
  }

  /** Says good-bye, so that the will is not sent [MQTT-3.14.4-3]. */
  disconnect(): void {
    const link = this.#link;
    clearTimeout(this.#retryTimer);
    this.#retryAt = null;
    this.#fault = null;
    if (this.#state !== 'connected' || !link) {
      this.#leave(link);
      this.#enter('disconnected');
      return;
    }
    this.#send({ type: PacketType.DISCONNECT, reasonCode: ReasonCode.Success, properties: {} });
    this.#silence(link);
    this.#failRequests(link);
    this.#enter('disconnecting');
    this.#closeTimer = setTimeout(() => this.#closedByUs(link), CLOSE_TIMEOUT_MS);
    link.socket.close(); // [MQTT-3.14.4-1]
  }

  /** Ends the connection without a good-bye, as a broken one ends: the server sends the will. */
  drop(): void {
    const link = this.#link;
    if (!link) return;
    this.#fault = null;
    clearTimeout(this.#retryTimer);
    this.#retryAt = null;
    this.#leave(link);
    this.#enter('disconnected');
  }

  async subscribe(request: SubscriptionRequest): Promise<number> {
    const { properties } = this.#granted();
    const { filter } = request;
    if (properties.wildcardSubscriptionAvailable === false && /[+#]/.test(filter))
      refuse({ kind: 'wildcardNotAvailable' });
    if (properties.sharedSubscriptionAvailable === false && parseShared(filter))
      refuse({ kind: 'sharedNotAvailable' });
    if (properties.subscriptionIdentifierAvailable === false && request.identifier !== undefined)
      refuse({ kind: 'identifierNotAvailable' });
    const reasonCode = await this.#askToSubscribe(request);
    if (reasonCode < 0x80) {
      const since = this.subscriptions.get(filter)?.since ?? Date.now();
      this.subscriptions.set(filter, { ...request, since, reasonCode });
      this.#events.changed();
    }
    return reasonCode;
  }

  async unsubscribe(filter: string): Promise<number> {
    this.#granted();
    const reasonCode = await this.#ask((packetId) => ({
      type: PacketType.UNSUBSCRIBE,
      packetId,
      filters: [filter],
      properties: {},
    }));
    if (reasonCode < 0x80) this.forgetSubscription(filter);
    return reasonCode;
  }

  /** Takes it off the list without asking the server. */
  forgetSubscription(filter: string): void {
    this.subscriptions.delete(filter);
    this.#events.changed();
  }

  /** Resolves with the last acknowledgement; with QoS 0 once it is handed to the socket. */
  async publish(message: OutgoingMessage): Promise<PublishOutcome> {
    const { properties: granted } = this.#granted();
    const { topic, alias } = this.#resolveAlias(message, granted);
    if (message.qos > (granted.maximumQoS ?? 2)) refuse({ kind: 'qosTooHigh', qosMax: granted.maximumQoS! });
    if (message.retain && granted.retainAvailable === false) refuse({ kind: 'retainNotAvailable' });
    const packetId = message.qos === 0 ? 0 : this.#flows.nextId();
    const first: PublishPacket = { ...message, type: PacketType.PUBLISH, dup: false, packetId };
    const { topicAlias: _, ...withoutAlias } = message.properties;
    const whole = { ...first, topic, properties: withoutAlias };
    this.#encode(whole); // what cannot be sent is refused now, also where a reconnect would send it again
    if (alias !== undefined) {
      this.#encode(first);
      this.#link?.aliasesOut.set(alias, topic);
    }
    if (message.qos === 0) {
      this.#send(first);
      return { reasonCode: 0 };
    }
    const outcome = this.#flows.publish(whole, first);
    this.#events.changed();
    return outcome.finally(() => this.#events.changed());
  }

  #resolveAlias({ topic, properties }: OutgoingMessage, granted: Properties) {
    const alias = properties.topicAlias;
    if (alias === undefined) return { topic, alias };
    const aliasMax = granted.topicAliasMaximum ?? 0;
    if (alias > aliasMax) refuse({ kind: 'aliasTooHigh', aliasMax }); // [MQTT-3.3.2-9]
    const known = this.#link?.aliasesOut.get(alias);
    if (topic === '' && known === undefined) refuse({ kind: 'aliasUnknown' });
    return { topic: topic || known!, alias };
  }

  #granted(): ConnackPacket {
    return this.connack ?? refuse({ kind: 'notConnected' });
  }

  #open(state: 'connecting' | 'reconnecting'): void {
    const { url, properties } = this.#options!;
    this.#retryAt = null;
    clearTimeout(this.#closeTimer);
    let link: Link;
    const only = (react: () => unknown) => {
      if (this.#link === link) react();
    };
    let socket: Socket;
    try {
      socket = this.#around.openSocket(url, {
        opened: (protocol) => only(() => this.#opened(link, protocol)),
        bytes: (chunk) => only(() => this.#state !== 'disconnecting' && this.#read(link, chunk)),
        text: () => only(() => this.#state !== 'disconnecting' && this.#fail({ kind: 'notMqtt' })),
        closed: (code) => only(() => this.#closed(link, code)),
      });
    } catch (error) {
      // A port or host the browser's policy forbids throws at once.
      if (!(error instanceof DOMException)) throw error;
      this.#fail({ kind: error.name === 'SecurityError' ? 'notAllowed' : 'badAddress' });
      return;
    }
    link = {
      socket,
      framer: new Framer(properties.maximumPacketSize ?? PACKET_BYTES_MAX),
      opened: false,
      connack: null,
      connectedAt: 0,
      aliasesIn: new Map(),
      aliasesOut: new Map(),
      requests: new Map(),
      connectTimer: setTimeout(
        () => this.#fail({ kind: 'timeout', seconds: CONNECT_TIMEOUT_MS / 1000 }),
        CONNECT_TIMEOUT_MS,
      ),
    };
    this.#link = link;
    this.#enter(state);
  }

  #opened(link: Link, protocol: string): void {
    if (protocol !== 'mqtt') {
      this.#fail({ kind: 'notMqtt' });
      return;
    }
    link.opened = true;
    const { clientid, username, password, cleanStart, keepAlive, will, properties, protocolVersion } =
      this.#options!;
    try {
      this.#send({
        type: PacketType.CONNECT,
        protocolVersion,
        bridge: false,
        cleanStart,
        keepAlive,
        clientid,
        username,
        password,
        will,
        properties: protocolVersion === 5 ? properties : {},
      });
    } catch (error) {
      this.#fail(faultOf(error));
    }
  }

  #read(link: Link, chunk: Uint8Array): void {
    try {
      link.framer.push(chunk, (header, buf, start, end) => {
        if (this.#link !== link) return;
        this.#onPacket(link, decodePacket(header, buf, start, end, this.protocolVersion, 'client'));
      });
    } catch (error) {
      if (!(error instanceof MqttError)) throw error;
      const { reasonCode, message } = error;
      if (link.connack && this.protocolVersion === 5)
        this.#send({ type: PacketType.DISCONNECT, reasonCode, properties: {} }); // [MQTT-4.13.1-1]
      // Before CONNACK those bytes are no MQTT, whatever they are.
      this.#fail(link.connack ? { kind: 'protocol', reasonCode, message } : { kind: 'notMqtt' });
    }
  }

  #onPacket(link: Link, packet: Packet): void {
    if (!link.connack && packet.type !== PacketType.CONNACK)
      throw new MqttError(ReasonCode.ProtocolError, 'the first packet is not CONNACK'); // [MQTT-3.2.0-1]
    switch (packet.type) {
      case PacketType.CONNACK:
        this.#onConnack(link, packet);
        break;
      case PacketType.PUBLISH:
        this.#onPublish(link, packet);
        break;
      case PacketType.PUBACK:
      case PacketType.PUBREC:
      case PacketType.PUBCOMP:
        this.#flows.acknowledged(packet);
        break;
      case PacketType.PUBREL:
        this.#flows.released(packet.packetId, this.protocolVersion);
        break;
      case PacketType.SUBACK:
      case PacketType.UNSUBACK: {
        const request = link.requests.get(packet.packetId);
        link.requests.delete(packet.packetId);
        this.#flows.release(packet.packetId);
        request?.done(packet.reasonCodes[0] ?? ReasonCode.Success); // 3.x says nothing in UNSUBACK
        break;
      }
      case PacketType.PINGRESP:
        clearTimeout(link.pongTimer);
        link.pongTimer = undefined;
        break;
      case PacketType.DISCONNECT:
        this.#fail({ kind: 'ended', ...this.#said(packet) });
        break;
      default:
        throw new MqttError(ReasonCode.ProtocolError, 'a packet that nobody asked for');
    }
  }

  #said({ reasonCode, properties }: { reasonCode: number; properties: Properties }) {
    const { reasonString, serverReference } = properties;
    return { version: this.protocolVersion, reasonCode, reasonString, serverReference };
  }

  #onConnack(link: Link, packet: ConnackPacket): void {
    if (link.connack) throw new MqttError(ReasonCode.ProtocolError, 'a second CONNACK'); // [MQTT-3.2.0-2]
    if (packet.reasonCode !== 0) {
      this.#fail({ kind: 'refused', ...this.#said(packet) });
      return;
    }
    const options = this.#options!;
    const { properties, sessionPresent } = packet;
    clearTimeout(link.connectTimer);
    link.connack = packet;
    link.connectedAt = Date.now();
    if (properties.assignedClientIdentifier && options.clientid === '')
      this.#options = { ...options, clientid: properties.assignedClientIdentifier }; // the session to come back to
    this.#startPings(link, properties.serverKeepAlive ?? options.keepAlive); // [MQTT-3.1.2-21]
    this.#fault = null;
    this.#enter('connected');

    const session = `${options.url} ${this.clientid}`;
    // A page that was loaded anew knows nothing of its session: it takes part in it all the same, which may bring
    // a message of QoS 2 twice.
    const ours = sessionPresent && this.#sessionOf === session;
    this.#sessionOf = session;
    this.#flows.resume(ours, properties.receiveMaximum ?? UINT16_MAX, (one) => this.#send(one));
    if (!ours) this.#subscribeAgain();
  }

  #subscribeAgain(): void {
    for (const subscription of this.subscriptions.values()) {
      const { filter } = subscription;
      const answered = (reasonCode: number) => {
        const now = this.subscriptions.get(filter);
        if (now) this.subscriptions.set(filter, { ...now, reasonCode });
        this.#events.changed();
      };
      this.subscriptions.set(filter, { ...subscription, reasonCode: undefined });
      this.#askToSubscribe(subscription).then(answered, (error: unknown) => {
        if (!(error instanceof ClientFault)) throw error; // the next connection asks again
      });
    }
  }

  #onPublish(link: Link, packet: PublishPacket): void {
    const message = { ...packet, topic: this.#topicOf(link, packet) };
    const receiveMax = this.#options!.properties.receiveMaximum ?? UINT16_MAX;
    if (this.#flows.arrived(message, receiveMax)) this.#events.message(message);
  }

  #topicOf(link: Link, { topic, properties: { topicAlias } }: PublishPacket): string {
    if (topicAlias === undefined) return topic;
    if (topicAlias > (this.#options!.properties.topicAliasMaximum ?? 0))
      throw new MqttError(ReasonCode.TopicAliasInvalid, 'a topic alias above the maximum'); // [MQTT-3.1.2-26]
    if (topic !== '') link.aliasesIn.set(topicAlias, topic);
    const known = link.aliasesIn.get(topicAlias);
    if (known === undefined) throw new MqttError(ReasonCode.ProtocolError, 'an unknown topic alias');
    return known;
  }

  /** A hidden page's timers run once a minute: half the interval leaves room for that below one and a half. */
  #startPings(link: Link, keepAlive: number): void {
    if (keepAlive === 0) return;
    link.pingTimer = setInterval(() => {
      link.socket.send(PINGREQ_FRAME);
      link.pongTimer ??= setTimeout(
        () => this.#fail({ kind: 'noPingResponse', seconds: PING_TIMEOUT_MS / 1000 }),
        PING_TIMEOUT_MS,
      );
    }, keepAlive * 500);
  }

  #closed(link: Link, closeCode: number): void {
    if (this.#state === 'disconnecting') {
      this.#closedByUs(link);
      return;
    }
    if (link.connack) this.#fail({ kind: 'lost', closeCode });
    else if (link.opened) this.#fail({ kind: 'closedEarly', closeCode });
    else void this.#explainUnopened(link);
  }

  async #explainUnopened(link: Link): Promise<void> {
    const answers = await this.#around.answersHttp(this.#options!.url);
    if (this.#link === link) this.#fail({ kind: answers ? 'notMqtt' : 'unreachable' });
  }

  #closedByUs(link: Link): void {
    if (this.#link !== link) return;
    clearTimeout(this.#closeTimer);
    this.#leave(link);
    this.#enter('disconnected');
  }

  /** The connection, or the attempt at one, is over. */
  #fail(fault: Fault): void {
    const link = this.#link;
    const held = link?.connack && Date.now() - link.connectedAt >= HELD_MS;
    const wasConnected = this.#state === 'connected' || this.#state === 'reconnecting';
    this.#leave(link);
    this.#fault = fault;
    if (!wasConnected || !this.#options?.autoReconnect || !isPassing(fault)) {
      this.#enter('disconnected');
      return;
    }
    if (held) this.#attempt = 0;
    const waitMs = backoffMs(this.#attempt, this.#around.random);
    this.#attempt += 1;
    this.#retryAt = Date.now() + waitMs;
    this.#retryTimer = setTimeout(() => this.#open('reconnecting'), waitMs);
    this.#enter('reconnecting');
  }

  #leave(link: Link | null): void {
    if (!link) return;
    this.#silence(link);
    this.#link = null;
    this.#failRequests(link);
    // With a clean start the server keeps nothing: what is in flight will never be acknowledged [MQTT-3.1.2-4].
    if (this.#options?.cleanStart) this.#flows.forget();
    link.socket.close();
  }

  #silence(link: Link): void {
    clearTimeout(link.connectTimer);
    clearInterval(link.pingTimer);
    clearTimeout(link.pongTimer);
  }

  #failRequests(link: Link): void {
    this.#flows.cut();
    const open = [...link.requests.values()];
    link.requests.clear();
    for (const { failed } of open) failed(new ClientFault({ kind: 'unacknowledged' }));
  }

  #askToSubscribe({ identifier, ...subscription }: SubscriptionRequest): Promise<number> {
    const { filter, qos } = subscription;
    const is5 = this.protocolVersion === 5;
    const options = is5
      ? subscription
      : { qos, noLocal: false, retainAsPublished: false, retainHandling: 0 as const };
    const properties: Properties =
      !is5 || identifier === undefined ? {} : { subscriptionIdentifier: [identifier] };
    return this.#ask((packetId) => ({
      type: PacketType.SUBSCRIBE,
      packetId,
      subscriptions: [{ ...options, filter }],
      properties,
    }));
  }

  /** Sends a request and waits for the reason code of its acknowledgement. */
  #ask(make: (packetId: number) => Packet): Promise<number> {
    const link = this.#link;
    if (!link) return refuse({ kind: 'notConnected' });
    const packetId = this.#flows.reserve();
    return new Promise((done, failed) => {
      try {
        const packet = make(packetId);
        this.#encode(packet);
        link.requests.set(packetId, { done, failed });
        this.#send(packet);
      } catch (error) {
        this.#flows.release(packetId);
        failed(error);
      }
    });
  }

  #encode(packet: Packet): Uint8Array<ArrayBuffer> {
    const bytesMax = this.#link?.connack?.properties.maximumPacketSize ?? PACKET_BYTES_MAX;
    try {
      return encodePacket(packet, this.protocolVersion, bytesMax);
    } catch (error) {
      if (error instanceof RangeError) return refuse({ kind: 'textNotSendable' });
      if (error instanceof MqttError) return refuse({ kind: 'tooLarge', bytesMax }); // [MQTT-3.2.2-15]
      throw error;
    }
  }

  #send(packet: Packet): void {
    this.#link?.socket.send(this.#encode(packet));
  }

  #enter(state: ClientState): void {
    this.#state = state;
    this.#events.changed();
  }
}

/** What to tell of an error of a client's method. What is no fault is our own mistake. */
export function faultOf(error: unknown): Fault {
  if (error instanceof ClientFault) return error.fault;
  throw error;
}
