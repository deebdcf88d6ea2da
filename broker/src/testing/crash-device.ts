import { connect, type Socket } from 'node:net';
import { decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import {
  type AckPacket,
  type Packet,
  PacketType,
  type ProtocolVersion,
  type PublishPacket,
  type QoS,
} from '@mqdeck/mqtt/packets';

export interface Sent {
  topic: string;
  payload: string;
  qos: QoS;
  retain: boolean;
}

interface Outgoing extends Sent {
  released: boolean; // PUBREC came: only PUBREL is repeated
}

/** What a device asks for with each CONNECT: its session is always to be kept. */
export interface DeviceOptions {
  version?: ProtocolVersion; // 5
  /** Told of every packet that comes, after it was handled. */
  onPacket?: (packet: Packet) => void;
}

/**
 * A client that keeps its side of the session as the specification asks it to, whatever happens to the broker: what is
 * unacknowledged, with its packet id, and the ids of QoS 2 messages that it has and that are not released yet. It writes
 * down what it was promised, and at once what breaks a promise.
 */
export class CrashDevice {
  readonly clientid: string;
  /** Unacknowledged, in the order of sending. */
  readonly outgoing = new Map<number, Outgoing>();
  readonly acknowledged: Sent[] = [];
  /** Payload → how often it was handed to the application, as far as QoS 1 and 2 go. */
  readonly got = new Map<string, number>();
  /** In the order of the first arrival, of QoS 1 and of QoS 2. */
  readonly arrivals: [string[], string[]] = [[], []];
  /** Filter → whether it is subscribed to, as far as the broker has said so; undefined while it was asked. */
  readonly subscribed = new Map<string, boolean | undefined>();
  /** QoS 2 packet ids that came and are not released yet, with their payloads. */
  readonly incoming = new Map<number, string>();
  readonly broken: string[] = [];
  connected = false;
  private readonly version: ProtocolVersion;
  private readonly onPacket: (packet: Packet) => void;
  private readonly asked = new Map<number, { filter: string; subscribed: boolean }>();
  private socket: Socket | null = null;
  private greetedBefore = false;
  private nextPacketId = 0;

  constructor(clientid: string, { version = 5, onPacket = () => undefined }: DeviceOptions = {}) {
    this.clientid = clientid;
    this.version = version;
    this.onPacket = onPacket;
  }

  /** Begins to connect; a connection that is open already breaks. */
  connect(port: number): void {
    this.break();
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const framer = new Framer(Number.POSITIVE_INFINITY);
    this.socket = socket;
    socket.on('data', (bytes) =>
      framer.push(bytes, (header, buf, start, end) => {
        if (this.socket === socket) this.take(decodePacket(header, buf, start, end, this.version, 'client'));
      }),
    );
    socket.on('error', () => undefined); // it was killed
    socket.on('close', () => {
      if (this.socket === socket) this.break();
    });
    this.send({
      type: PacketType.CONNECT,
      protocolVersion: this.version,
      bridge: false,
      cleanStart: false,
      keepAlive: 0,
      clientid: this.clientid,
      username: null,
      password: null,
      will: null,
      properties: this.version === 5 ? { sessionExpiryInterval: 3600 } : {},
    });
  }

  /** The network fails. */
  break(): void {
    this.connected = false;
    this.socket?.destroy();
    this.socket = null;
    this.asked.clear();
  }

  /** How many SUBSCRIBE and UNSUBSCRIBE are not answered. */
  get inQuestion(): number {
    return this.asked.size;
  }

  publish(message: Sent): void {
    if (message.qos === 0) {
      this.sendPublish(0, message, false);
      return;
    }
    const packetId = this.packetId();
    this.outgoing.set(packetId, { ...message, released: false });
    this.sendPublish(packetId, message, false);
  }

  subscribe(filter: string, qos: QoS): void {
    this.subscribed.set(filter, undefined);
    const packetId = this.packetId();
    this.asked.set(packetId, { filter, subscribed: true });
    this.send({
      type: PacketType.SUBSCRIBE,
      packetId,
      subscriptions: [{ filter, qos, noLocal: false, retainAsPublished: false, retainHandling: 0 }],
      properties: {},
    });
  }

  unsubscribe(filter: string): void {
    this.subscribed.set(filter, undefined);
    const packetId = this.packetId();
    this.asked.set(packetId, { filter, subscribed: false });
    this.send({ type: PacketType.UNSUBSCRIBE, packetId, filters: [filter], properties: {} });
  }

  private packetId(): number {
    do this.nextPacketId = (this.nextPacketId % 50) + 1;
    while (this.outgoing.has(this.nextPacketId) || this.asked.has(this.nextPacketId));
    return this.nextPacketId; // few ids, so that each is used again soon
  }

  private sendPublish(packetId: number, { topic, payload, qos, retain }: Sent, dup: boolean): void {
    const bytes = Buffer.from(payload);
    this.send({
      type: PacketType.PUBLISH,
      topic,
      payload: bytes,
      qos,
      retain,
      dup,
      packetId,
      properties: {},
    });
  }

  private send(packet: Packet): void {
    this.socket?.write(encodePacket(packet, this.version));
  }

  private answer(type: AckPacket['type'], packetId: number): void {
    this.send({ type, packetId, reasonCode: 0, properties: {} });
  }

  private take(packet: Packet): void {
    switch (packet.type) {
      case PacketType.CONNACK:
        this.greeted(packet.sessionPresent);
        break;
      case PacketType.PUBLISH:
        this.received(packet);
        break;
      case PacketType.PUBREL:
        this.incoming.delete(packet.packetId);
        this.answer(PacketType.PUBCOMP, packet.packetId);
        break;
      case PacketType.PUBACK:
      case PacketType.PUBREC:
      case PacketType.PUBCOMP:
        this.answered(packet);
        break;
      case PacketType.SUBACK:
      case PacketType.UNSUBACK: {
        const asked = this.asked.get(packet.packetId);
        this.asked.delete(packet.packetId);
        // An earlier answer says nothing while a later request for the same filter is on its way
        if (asked && ![...this.asked.values()].some(({ filter }) => filter === asked.filter))
          this.subscribed.set(asked.filter, asked.subscribed);
        break;
      }
    }
    this.onPacket(packet);
  }

  /** A 3.1 client is not told whether its session was kept. */
  private greeted(present: boolean): void {
    if (this.greetedBefore && !present && this.version > 3)
      this.broken.push(`${this.clientid}: the session is gone`);
    this.greetedBefore = true;
    this.connected = true;
    for (const [packetId, outgoing] of this.outgoing) {
      if (outgoing.released) this.answer(PacketType.PUBREL, packetId);
      else this.sendPublish(packetId, outgoing, true);
    }
  }

  private received({ packetId, payload, qos }: PublishPacket): void {
    const text = Buffer.from(payload).toString();
    if (qos === 0) return;
    if (qos === 1) {
      this.hand(text, qos);
      this.answer(PacketType.PUBACK, packetId);
      return;
    }
    const known = this.incoming.get(packetId);
    if (known === undefined) this.hand(text, qos);
    else if (known !== text)
      this.broken.push(`${this.clientid}: ${text} came as ${packetId}, which was ${known} and not released`);
    this.incoming.set(packetId, text);
    this.answer(PacketType.PUBREC, packetId);
  }

  private hand(text: string, qos: 1 | 2): void {
    const before = this.got.get(text) ?? 0;
    this.got.set(text, before + 1);
    if (before === 0) this.arrivals[qos - 1]!.push(text);
  }

  private answered({ type, packetId, reasonCode }: AckPacket): void {
    const outgoing = this.outgoing.get(packetId);
    if (!outgoing) {
      this.broken.push(`${this.clientid}: packet type ${type} for ${packetId}, which is not on its way`);
      return;
    }
    if (type !== PacketType.PUBREC) this.outgoing.delete(packetId);
    if (type === PacketType.PUBCOMP) return;
    if (reasonCode >= 0x80)
      this.broken.push(`${this.clientid}: ${outgoing.payload} was refused, ${reasonCode}`);
    if (!outgoing.released) {
      const { topic, payload, qos, retain } = outgoing;
      this.acknowledged.push({ topic, payload, qos, retain });
    }
    if (type === PacketType.PUBACK) return;
    outgoing.released = true;
    this.answer(PacketType.PUBREL, packetId);
  }
}
