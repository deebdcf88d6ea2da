import { decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import {
  type AckPacket,
  type ConnackPacket,
  type DisconnectPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type PublishPacket,
  type QoS,
  type SubscriptionOptions,
  type Will,
} from '@mqdeck/mqtt/packets';
import { type ReasonCode, reasonName } from '@mqdeck/mqtt/reason-codes';
import type { PeerCertificate } from '../core/connection.ts';
import type { Core } from '../core/core.ts';
import { MemoryConnection } from './memory-connection.ts';

export interface ClientOptions {
  version?: ProtocolVersion; // 5
  cleanStart?: boolean; // true
  keepalive?: number; // seconds, 0
  username?: string;
  password?: string;
  will?: Partial<Will> & { topic: string };
  properties?: Properties;
  bridge?: boolean;
  listener?: string; // `tcp:default`
  address?: string; // 127.0.0.1
  certificate?: PeerCertificate;
  /** False: the test answers QoS 1 and 2 itself, with `send`. */
  acknowledge?: boolean;
}

export interface Publish {
  qos?: QoS;
  retain?: boolean;
  dup?: boolean;
  properties?: Properties;
  packetId?: number;
}

const PATIENCE_MS = 10_000;
let nextPort = 40_000;

/** Where a client's bytes go. */
export interface Wire {
  send(bytes: Uint8Array): void;
  close(): void;
}

/**
 * A small MQTT client for tests, of any version, on our own codec. Messages are handed out in order by
 * `expectMessage`; everything else that comes is found by `expect`.
 */
export class TestClient {
  readonly clientid: string;
  readonly version: ProtocolVersion;
  readonly packets: Packet[] = []; // not yet asked for
  connack: ConnackPacket | null = null;
  ended = false;
  readonly bytes: Uint8Array[] = [];
  private readonly options: ClientOptions;
  private readonly framer = new Framer(Number.POSITIVE_INFINITY);
  private wire: Wire | null = null;
  private nextPacketId = 0;
  private watchers: (() => void)[] = [];

  constructor(clientid: string, options: ClientOptions = {}) {
    this.clientid = clientid;
    this.version = options.version ?? 5;
    this.options = options;
  }

  /** Attaches the client to a wire: the bytes coming back go to the returned function. */
  attach(wire: Wire): { receive: (bytes: Uint8Array) => void; ended: () => void } {
    this.wire = wire;
    return {
      receive: (bytes) => {
        this.bytes.push(bytes);
        this.framer.push(bytes, (header, buf, start, end) =>
          this.take(decodePacket(header, buf, start, end, this.version, 'client')),
        );
      },
      ended: () => {
        this.ended = true;
        this.wake();
      },
    };
  }

  /** Sends CONNECT without waiting. */
  sendConnect(): void {
    const {
      cleanStart = true,
      keepalive = 0,
      username = null,
      password,
      will,
      properties = {},
    } = this.options;
    this.send({
      type: PacketType.CONNECT,
      protocolVersion: this.version,
      bridge: this.options.bridge ?? false,
      cleanStart,
      keepAlive: keepalive,
      clientid: this.clientid,
      username,
      password: password === undefined ? null : Buffer.from(password),
      will: will ? { payload: Buffer.from('gone'), qos: 0, retain: false, properties: {}, ...will } : null,
      properties,
    });
  }

  /** Settles with CONNACK, whatever it says. */
  async connect(): Promise<ConnackPacket> {
    this.sendConnect();
    this.connack = await this.expect(PacketType.CONNACK);
    return this.connack;
  }

  send(packet: Packet): void {
    this.sendRaw(encodePacket(packet, this.version));
  }

  sendRaw(bytes: Uint8Array | number[]): void {
    this.wire?.send(Buffer.from(bytes));
  }

  packetId(): number {
    this.nextPacketId = (this.nextPacketId % 0xffff) + 1;
    return this.nextPacketId;
  }

  /** Publishes, and for QoS 1 and 2 waits until the broker has answered; returns its reason code. */
  async publish(topic: string, payload: string | Uint8Array, options: Publish = {}): Promise<number> {
    const { qos = 0 } = options;
    const packetId = this.sendPublish(topic, payload, options);
    if (qos === 0) return 0;
    if (qos === 1) return (await this.expectAck(PacketType.PUBACK, packetId)).reasonCode;
    const { reasonCode } = await this.expectAck(PacketType.PUBREC, packetId);
    if (reasonCode >= 0x80) return reasonCode;
    this.send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} });
    await this.expectAck(PacketType.PUBCOMP, packetId);
    return reasonCode;
  }

  sendPublish(topic: string, payload: string | Uint8Array, options: Publish = {}): number {
    const { qos = 0, retain = false, dup = false, properties = {} } = options;
    const packetId = qos === 0 ? 0 : (options.packetId ?? this.packetId());
    this.send({
      type: PacketType.PUBLISH,
      topic,
      payload: typeof payload === 'string' ? Buffer.from(payload) : payload,
      qos,
      retain,
      dup,
      packetId,
      properties,
    });
    return packetId;
  }

  /** The SUBACK's reason codes. */
  async subscribe(
    filters: string | string[],
    options: Partial<SubscriptionOptions> & { subscriptionIdentifier?: number } = {},
  ): Promise<number[]> {
    const { subscriptionIdentifier, ...rest } = options;
    const packetId = this.packetId();
    this.send({
      type: PacketType.SUBSCRIBE,
      packetId,
      subscriptions: [filters].flat().map((filter) => ({
        filter,
        qos: 0,
        noLocal: false,
        retainAsPublished: false,
        retainHandling: 0,
        ...rest,
      })),
      properties: subscriptionIdentifier ? { subscriptionIdentifier: [subscriptionIdentifier] } : {},
    });
    return (await this.expect(PacketType.SUBACK, (packet) => packet.packetId === packetId)).reasonCodes;
  }

  async unsubscribe(filters: string | string[]): Promise<number[]> {
    const packetId = this.packetId();
    this.send({ type: PacketType.UNSUBSCRIBE, packetId, filters: [filters].flat(), properties: {} });
    return (await this.expect(PacketType.UNSUBACK, (packet) => packet.packetId === packetId)).reasonCodes;
  }

  async ping(): Promise<void> {
    this.send({ type: PacketType.PINGREQ });
    await this.expect(PacketType.PINGRESP);
  }

  /** Says good-bye; the broker then ends the connection. */
  async disconnect(reasonCode = 0, properties: Properties = {}): Promise<void> {
    this.send({ type: PacketType.DISCONNECT, reasonCode, properties });
    await this.expectEnd();
  }

  /** The network breaks, without a word. */
  close(): void {
    this.wire?.close();
    this.ended = true;
  }

  /** The next message; with `payload`, it must say that. */
  async expectMessage(payload?: string): Promise<PublishPacket> {
    const message = await this.expect(PacketType.PUBLISH);
    const text = Buffer.from(message.payload).toString();
    if (payload !== undefined && text !== payload)
      throw new Error(`expected the message "${payload}" but "${text}" came on ${message.topic}`);
    return message;
  }

  async expectMessages(count: number): Promise<string[]> {
    const payloads: string[] = [];
    while (payloads.length < count)
      payloads.push(Buffer.from((await this.expectMessage()).payload).toString());
    return payloads;
  }

  /** No message is on its way: whatever was published before now would come before this round trip's end. */
  async expectNothing(): Promise<void> {
    await this.ping();
    const message = this.packets.find((packet) => packet.type === PacketType.PUBLISH);
    if (message) throw new Error(`expected nothing but a message came on ${message.topic}`);
  }

  /** The broker says DISCONNECT (5.0) and ends the connection. */
  async expectDisconnect(reasonCode: ReasonCode): Promise<DisconnectPacket> {
    const packet = await this.expect(PacketType.DISCONNECT);
    await this.expectEnd();
    if (packet.reasonCode !== reasonCode)
      throw new Error(`expected ${reasonName(reasonCode)} but it was ${reasonName(packet.reasonCode)}`);
    return packet;
  }

  async expectEnd(): Promise<void> {
    await this.until(() => this.ended, 'the end of the connection');
  }

  expectAck(type: AckPacket['type'], packetId: number): Promise<AckPacket> {
    return this.expect(type, (packet) => packet.packetId === packetId) as Promise<AckPacket>;
  }

  async expect<T extends Packet['type']>(
    type: T,
    fits: (packet: Extract<Packet, { type: T }>) => boolean = () => true,
  ): Promise<Extract<Packet, { type: T }>> {
    type Wanted = Extract<Packet, { type: T }>;
    const place = () => this.packets.findIndex((packet) => packet.type === type && fits(packet as Wanted));
    await this.until(() => place() !== -1, `packet type ${type}`);
    return this.packets.splice(place(), 1)[0] as Wanted;
  }

  private async until(done: () => boolean, what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${this.clientid} waited in vain for ${what}`)), PATIENCE_MS);
    });
    try {
      while (!done()) {
        if (this.ended) throw new Error(`${this.clientid} was waiting for ${what} when the connection ended`);
        await Promise.race([late, new Promise<void>((resolve) => this.watchers.push(resolve))]);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  private take(packet: Packet): void {
    this.packets.push(packet);
    if (this.options.acknowledge !== false) this.acknowledge(packet);
    this.wake();
  }

  private acknowledge(packet: Packet): void {
    const answer = (type: AckPacket['type'], packetId: number) =>
      this.send({ type, packetId, reasonCode: 0, properties: {} });
    if (packet.type === PacketType.PUBLISH && packet.qos > 0)
      answer(packet.qos === 1 ? PacketType.PUBACK : PacketType.PUBREC, packet.packetId);
    if (packet.type === PacketType.PUBREL) answer(PacketType.PUBCOMP, packet.packetId);
  }

  private wake(): void {
    const watchers = this.watchers;
    this.watchers = [];
    for (const watch of watchers) watch();
  }
}

/** A client on an in-memory connection to the core, its CONNECT not yet sent. */
export function dial(
  core: Core,
  clientid: string,
  options: ClientOptions = {},
): { client: TestClient; connection: MemoryConnection } {
  const client = new TestClient(clientid, options);
  let connection: MemoryConnection;
  const { receive, ended } = client.attach({
    send: (bytes) => connection.send(bytes),
    close: () => connection.break(),
  });
  connection = new MemoryConnection(nextPort++, receive, ended, options.address, options.certificate);
  connection.connect(core.accept(connection, options.listener ?? 'tcp:default'));
  return { client, connection };
}
