import {
  type AckPacket,
  type Packet,
  PacketType,
  type ProtocolVersion,
  type PublishPacket,
} from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { ClientFault, refuse } from './faults.ts';

/** What came of a message: the reason code of its last acknowledgement, 0 for QoS 0. */
export interface PublishOutcome {
  reasonCode: number;
  reasonString?: string | undefined;
}

interface Outgoing {
  /** As it is sent anew after a reconnect: with its whole topic. */
  packet: PublishPacket;
  /** As it goes out the first time, perhaps with a topic alias. */
  first: PublishPacket;
  sent: boolean;
  /** PUBREC came: only PUBREL is sent again. */
  released: boolean;
  done: (outcome: PublishOutcome) => void;
  failed: (fault: ClientFault) => void;
}

const PACKET_ID_MAX = 65_535;
/** Messages that wait for their turn; a person does not send as many, so something is wrong. */
const WAITING_MAX = 10_000;

/** The session's state of QoS 1 and 2 in both directions, and who waits for which packet identifier. It outlives a connection. */
export class Flows {
  #outgoing = new Map<number, Outgoing>(); // in the order of sending [MQTT-4.6.0-1]
  #received = new Set<number>(); // QoS 2, PUBREL not yet here
  #reserved = new Set<number>(); // SUBSCRIBE and UNSUBSCRIBE
  #inflight = 0;
  #lastId = 0;
  #sendMax = PACKET_ID_MAX;
  #send: (packet: Packet) => void = () => undefined;

  get inflight(): number {
    return this.#outgoing.size;
  }

  nextId(): number {
    for (let tries = 0; tries < PACKET_ID_MAX; tries += 1) {
      this.#lastId = (this.#lastId % PACKET_ID_MAX) + 1;
      if (!this.#outgoing.has(this.#lastId) && !this.#reserved.has(this.#lastId)) return this.#lastId;
    }
    return refuse({ kind: 'tooManyInFlight' });
  }

  /** An identifier for a request: nobody else gets it before `release`. [MQTT-2.2.1-3] */
  reserve(): number {
    const id = this.nextId();
    this.#reserved.add(id);
    return id;
  }

  release(id: number): void {
    this.#reserved.delete(id);
  }

  /** A connection is there. Without its session at the server, ours ends too [MQTT-3.2.2-5]. */
  resume(sessionPresent: boolean, sendMax: number, send: (packet: Packet) => void): void {
    this.#send = send;
    this.#sendMax = sendMax;
    this.#inflight = 0;
    if (!sessionPresent) {
      this.forget();
      return;
    }
    for (const [packetId, one] of this.#outgoing) {
      if (one.released) {
        this.#inflight += 1;
        send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} });
      } else {
        one.first = { ...one.packet, dup: one.sent }; // [MQTT-4.4.0-1] [MQTT-3.3.1-1]
        one.sent = false;
      }
    }
    this.#pump();
  }

  /** Ends the session: who waits for an acknowledgement hears that none will come. */
  forget(): void {
    const open = [...this.#outgoing.values()];
    this.#outgoing.clear();
    this.#received.clear();
    this.#inflight = 0;
    for (const { failed } of open) failed(new ClientFault({ kind: 'unacknowledged' }));
  }

  /** Identifiers of requests die with the connection. */
  cut(): void {
    this.#reserved.clear();
    this.#send = () => undefined;
  }

  publish(packet: PublishPacket, first: PublishPacket): Promise<PublishOutcome> {
    if (this.#outgoing.size >= WAITING_MAX) refuse({ kind: 'tooManyInFlight' });
    return new Promise((done, failed) => {
      this.#outgoing.set(packet.packetId, { packet, first, sent: false, released: false, done, failed });
      this.#pump();
    });
  }

  /** Sends what the server's receive maximum lets through [MQTT-3.3.4-9]. */
  #pump(): void {
    if (this.#inflight >= this.#sendMax) return;
    for (const [packetId, one] of this.#outgoing) {
      if (one.sent || one.released) continue;
      if (this.#inflight >= this.#sendMax) return;
      this.#inflight += 1;
      one.sent = true;
      try {
        this.#send(one.first);
      } catch (error) {
        // A server that came back with a smaller packet size never gets it [MQTT-3.2.2-15].
        if (!(error instanceof ClientFault)) throw error;
        this.#inflight -= 1;
        this.#outgoing.delete(packetId);
        one.failed(error);
      }
    }
  }

  /** PUBACK, PUBREC or PUBCOMP of something we sent. */
  acknowledged(ack: AckPacket): void {
    const { packetId, reasonCode } = ack;
    const one = this.#outgoing.get(packetId);
    const expected =
      one &&
      (one.packet.qos === 1 ? PacketType.PUBACK : one.released ? PacketType.PUBCOMP : PacketType.PUBREC);
    if (ack.type === PacketType.PUBREC && one?.packet.qos === 2 && reasonCode < 0x80) {
      one.released = true;
      this.#send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} }); // [MQTT-4.3.3-4]
      return;
    }
    if (!one || ack.type !== expected) {
      if (ack.type === PacketType.PUBREC && reasonCode < 0x80)
        this.#send({
          type: PacketType.PUBREL,
          packetId,
          reasonCode: ReasonCode.PacketIdentifierNotFound,
          properties: {},
        });
      return;
    }
    this.#outgoing.delete(packetId);
    this.#inflight = Math.max(0, this.#inflight - 1);
    one.done({ reasonCode, reasonString: ack.properties.reasonString });
    this.#pump();
  }

  /** A message of the server: acknowledges it, and says whether it is a new one. */
  arrived(message: PublishPacket, receiveMax: number): boolean {
    const { packetId, qos } = message;
    if (qos === 0) return true;
    if (qos === 1) {
      this.#send({ type: PacketType.PUBACK, packetId, reasonCode: 0, properties: {} });
      return true;
    }
    const isNew = !this.#received.has(packetId); // [MQTT-4.3.3-10]
    this.#received.add(packetId);
    if (this.#received.size > receiveMax) throw new MqttError(ReasonCode.ReceiveMaximumExceeded);
    this.#send({ type: PacketType.PUBREC, packetId, reasonCode: 0, properties: {} });
    return isNew;
  }

  released(packetId: number, version: ProtocolVersion): void {
    const known = this.#received.delete(packetId);
    const reasonCode = known || version < 5 ? ReasonCode.Success : ReasonCode.PacketIdentifierNotFound;
    this.#send({ type: PacketType.PUBCOMP, packetId, reasonCode, properties: {} });
  }
}
