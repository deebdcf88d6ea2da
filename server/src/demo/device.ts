import net, { type Socket } from 'node:net';
import { decodePacket } from '@mqdeck/mqtt/decode';
import { DISCONNECT_FRAME, encodePacket, PINGREQ_FRAME } from '@mqdeck/mqtt/encode';
import { Framer } from '@mqdeck/mqtt/framer';
import {
  type AckPacket,
  type ConnectPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type PublishPacket,
  type QoS,
} from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';

export interface Address {
  host: string;
  port: number;
}

/** Who the device is: what it says in CONNECT. */
export interface Identity extends Partial<Omit<ConnectPacket, 'type'>> {
  clientid: string;
  protocolVersion: ProtocolVersion;
}

export interface DeviceEvents {
  connected(sessionPresent: boolean): void;
  /** Once, whoever ended it; also when the connection never came about. */
  closed(): void;
}

const none: Properties = {};
const packetBytesMax = 16 * 1024 * 1024; // it trusts its broker
const packetIdMax = 65_535;

/** One connection of a simulated MQTT client. It acknowledges what it gets, after `ackDelayMs`. */
export class Device {
  readonly #version: ProtocolVersion;
  readonly #socket: Socket;
  readonly #framer = new Framer(packetBytesMax);
  readonly #events: DeviceEvents;
  readonly #ackDelayMs: number;
  readonly #ping: NodeJS.Timeout;
  #packetId = 0;

  constructor(address: Address, identity: Identity, ackDelayMs: number, events: DeviceEvents) {
    const connect: ConnectPacket = {
      bridge: false,
      cleanStart: true,
      keepAlive: 60,
      username: null,
      password: null,
      will: null,
      properties: none,
      ...identity,
      type: PacketType.CONNECT,
    };
    this.#version = identity.protocolVersion;
    this.#events = events;
    this.#ackDelayMs = ackDelayMs;
    this.#socket = net.connect(address, () => this.#send(connect));
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('error', () => this.#socket.destroy()); // 'close' follows and says it
    this.#socket.once('close', () => {
      clearInterval(this.#ping);
      events.closed();
    });
    // Half of the keep alive leaves room for a late timer [MQTT-3.1.2-20].
    this.#ping = setInterval(() => this.#socket.write(PINGREQ_FRAME), connect.keepAlive * 500);
  }

  publish(topic: string, payload: string, qos: QoS, options: Partial<PublishPacket> = {}): void {
    this.#send({
      type: PacketType.PUBLISH,
      topic,
      payload: Buffer.from(payload),
      qos,
      retain: false,
      dup: false,
      packetId: qos === 0 ? 0 : this.#nextPacketId(),
      properties: none,
      ...options,
    });
  }

  subscribe(filters: readonly string[], qos: QoS): void {
    const subscriptions = filters.map((filter) => ({
      filter,
      qos,
      noLocal: false,
      retainAsPublished: false,
      retainHandling: 0 as const,
    }));
    this.#send({
      type: PacketType.SUBSCRIBE,
      packetId: this.#nextPacketId(),
      subscriptions,
      properties: none,
    });
  }

  /** Leaves as the protocol wants it: no will is sent. */
  disconnect(): void {
    if (this.#socket.connecting) this.#socket.destroy();
    else this.#socket.end(DISCONNECT_FRAME);
  }

  /** Is gone without a word, as after a power cut: its will is sent. */
  drop(): void {
    this.#socket.destroy();
  }

  #read(chunk: Uint8Array): void {
    try {
      this.#framer.push(chunk, (header, buf, start, end) =>
        this.#receive(decodePacket(header, buf, start, end, this.#version, 'client')),
      );
    } catch {
      this.#socket.destroy(); // not to be read any further; a device has nobody to complain to
    }
  }

  #receive(packet: Packet): void {
    switch (packet.type) {
      case PacketType.CONNACK:
        if (packet.reasonCode === ReasonCode.Success) this.#events.connected(packet.sessionPresent);
        else this.#socket.end();
        return;
      case PacketType.PUBLISH:
        if (packet.qos === 1) this.#acknowledge(PacketType.PUBACK, packet.packetId);
        if (packet.qos === 2) this.#acknowledge(PacketType.PUBREC, packet.packetId);
        return;
      case PacketType.PUBREC:
        this.#acknowledge(PacketType.PUBREL, packet.packetId);
        return;
      case PacketType.PUBREL:
        this.#acknowledge(PacketType.PUBCOMP, packet.packetId);
        return;
      case PacketType.DISCONNECT:
        this.#socket.end();
    }
  }

  #acknowledge(type: AckPacket['type'], packetId: number): void {
    const send = () => this.#send({ type, packetId, reasonCode: ReasonCode.Success, properties: none });
    if (this.#ackDelayMs === 0) send();
    else setTimeout(send, this.#ackDelayMs).unref();
  }

  #send(packet: Packet): void {
    if (this.#socket.writable) this.#socket.write(encodePacket(packet, this.#version));
  }

  #nextPacketId(): number {
    this.#packetId = (this.#packetId % packetIdMax) + 1;
    return this.#packetId;
  }
}
