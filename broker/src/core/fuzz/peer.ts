import { decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import { type AckPacket, type Packet, PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import type { Wire } from '../../testing/test-client.ts';

/** Opens a connection to the broker under test. */
export type Dial = (receive: (bytes: Uint8Array) => void, ended: () => void) => Promise<Wire> | Wire;

const PATIENCE_MS = 20_000;

/** How many packets all peers have sent. */
export const traffic = { packets: 0 };

/** One side of an MQTT connection that can send anything. What comes back must be readable. */
export abstract class Peer {
  version: ProtocolVersion;
  ended = true;
  protected wire: Wire | null = null;
  private fault: unknown = null;
  private wake: (() => void) | null = null;
  private readonly dial: Dial;

  constructor(version: ProtocolVersion, dial: Dial) {
    this.version = version;
    this.dial = dial;
  }

  async open(): Promise<void> {
    const framer = new Framer(Number.POSITIVE_INFINITY);
    this.ended = false;
    this.wire = await this.dial(
      (bytes) => {
        try {
          framer.push(bytes, (header, buf, start, end) => this.onFrame(header, buf, start, end));
        } catch (cause) {
          this.fault ??= cause;
        }
        this.wake?.();
      },
      () => {
        this.ended = true;
        this.wake?.();
      },
    );
  }

  protected onFrame(header: number, buf: Uint8Array, start: number, end: number): void {
    this.onPacket(decodePacket(header, buf, start, end, this.version, 'client'));
  }

  protected abstract onPacket(packet: Packet): void;

  write(bytes: Uint8Array): void {
    if (!this.ended) this.wire?.send(bytes);
  }

  send(packet: Packet): void {
    traffic.packets++;
    this.write(encodePacket(packet, this.version));
  }

  sendAck(type: AckPacket['type'], packetId: number, reasonCode = 0): void {
    this.send({ type, packetId, reasonCode, properties: {} });
  }

  /** The network breaks. */
  break(): void {
    this.ended = true;
    this.wire?.close();
  }

  /** Settles when `done` says so, asked after everything that comes. */
  async until(done: () => boolean, what: () => string): Promise<void> {
    if (!done() && this.fault === null)
      await new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`waited in vain for ${what()}`)), PATIENCE_MS);
        this.wake = () => {
          if (!done() && this.fault === null) return;
          clearTimeout(late);
          this.wake = null;
          resolve();
        };
      });
    if (this.fault !== null) throw this.fault;
  }
}

/** A well-behaved subscriber of everything, which must get exactly what others were allowed to publish. */
export class Watcher extends Peer {
  readonly got: string[] = [];
  private pings = 0;
  private ready = false;
  private readonly clientid: string;

  constructor(clientid: string, version: ProtocolVersion, dial: Dial) {
    super(version, dial);
    this.clientid = clientid;
  }

  async start(): Promise<void> {
    await this.open();
    this.send({
      type: PacketType.CONNECT,
      protocolVersion: this.version,
      bridge: false,
      cleanStart: true,
      keepAlive: 0,
      clientid: this.clientid,
      username: null,
      password: null,
      will: null,
      properties: {},
    });
    this.send({
      type: PacketType.SUBSCRIBE,
      packetId: 1,
      subscriptions: [{ filter: '#', qos: 2, noLocal: false, retainAsPublished: false, retainHandling: 0 }],
      properties: {},
    });
    await this.until(
      () => this.ready,
      () => 'SUBACK',
    );
  }

  /** Everything that was published before has come. */
  async settle(count: number): Promise<void> {
    await this.until(
      () => this.ended || this.got.length >= count,
      () => `${count} messages, of which ${this.got.length} came`,
    );
    const pings = this.pings + 1;
    this.send({ type: PacketType.PINGREQ });
    await this.until(
      () => this.ended || this.pings >= pings,
      () => 'PINGRESP',
    );
    if (this.ended) throw new Error('the connection of a subscriber without fault has ended');
  }

  protected onPacket(packet: Packet): void {
    switch (packet.type) {
      case PacketType.SUBACK:
        this.ready = true;
        break;
      case PacketType.PINGRESP:
        this.pings++;
        break;
      case PacketType.PUBREL:
        this.sendAck(PacketType.PUBCOMP, packet.packetId);
        break;
      case PacketType.PUBLISH:
        this.got.push(messageKey(packet.topic, packet.payload));
        if (packet.qos === 1) this.sendAck(PacketType.PUBACK, packet.packetId);
        if (packet.qos === 2) this.sendAck(PacketType.PUBREC, packet.packetId);
    }
  }
}

/** Two messages with the same topic and payload have the same key. */
export const messageKey = (topic: string, payload: Uint8Array): string =>
  `${topic}\n${Buffer.from(payload).toString('latin1')}`;
