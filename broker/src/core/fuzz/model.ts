import {
  type ConnectPacket,
  type Packet,
  PacketType,
  type PublishPacket,
  type Will,
} from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { parseShared } from '@mqdeck/mqtt/topics';
import type { Core } from '../core.ts';
import { messageKey } from './peer.ts';

/** The broker gives ids from 1 upwards, so nobody waits for an acknowledgement of these. */
export const UNKNOWN_ID = 60_000;

const MAX_LEVELS = 128;

/** How a connection ends. */
export interface End {
  /** The reason of the DISCONNECT for a 5.0 client is one of these; null: there is no DISCONNECT. */
  reasons: readonly number[] | null;
  why: string;
}

/** What all clients of a round publish, as every subscriber of `#` must get it. */
export interface World {
  readonly core: Core;
  readonly published: string[];
  count: number;
}

/** What the broker owes one client, by the packets that the client has sent. */
export class Model {
  // What a session keeps
  readonly subscriptions = new Set<string>();
  readonly everSubscribed = new Set<string>();
  readonly awaiting = new Set<number>(); // QoS 2, not released
  private expiryS = 0;
  kept = false;
  // What a connection keeps
  readonly aliases = new Map<number, string>();
  private will: Will | null = null;
  private five = false;
  /** Each answer in all its permitted forms. */
  expected: string[][] = [];
  end: End | null = null;
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /** A new connection, CONNECT not yet sent. */
  begin(): void {
    this.aliases.clear();
    this.will = null;
    this.expected = [];
    this.end = null;
  }

  connect({ protocolVersion, cleanStart, properties, will }: ConnectPacket): void {
    const present = this.kept && !cleanStart;
    if (!present) for (const state of [this.subscriptions, this.everSubscribed, this.awaiting]) state.clear();
    this.five = protocolVersion === 5;
    this.will = will;
    this.expiryS = this.five ? (properties.sessionExpiryInterval ?? 0) : cleanStart ? 0 : 1;
    this.kept = this.expiryS > 0;
    this.expected.push([`CONNACK 0${present && protocolVersion > 3 ? ' present' : ''}`]);
  }

  /** The connection ends here: what follows counts no more, and the will is published if there is one. */
  finish(why: string, reasons: readonly number[] | null): void {
    this.end = { why, reasons };
    if (this.will !== null) this.passedOn(this.will.topic, this.will.payload); // [MQTT-3.1.2-8]
    this.will = null;
  }

  apply(packet: Packet): void {
    switch (packet.type) {
      case PacketType.CONNECT:
      case PacketType.AUTH:
        this.finish(`packet type ${packet.type}`, [ReasonCode.ProtocolError]);
        break;
      case PacketType.PUBLISH:
        this.publish(packet);
        break;
      case PacketType.PUBREL:
        this.expect(PacketType.PUBCOMP, packet.packetId, this.awaiting.delete(packet.packetId) ? 0 : 0x92);
        break;
      case PacketType.PUBREC:
        if (packet.reasonCode < 0x80) this.expect(PacketType.PUBREL, packet.packetId, 0x92);
        break;
      case PacketType.SUBSCRIBE: {
        const codes = packet.subscriptions.map(({ filter, qos }) => this.subscribe(filter, qos));
        this.expected.push([`SUBACK ${packet.packetId} ${codes}`]);
        break;
      }
      case PacketType.UNSUBSCRIBE: {
        const codes = packet.filters.map((filter) => (this.subscriptions.delete(filter) ? 0 : 0x11));
        this.expected.push([`UNSUBACK ${packet.packetId} ${this.five ? codes : ''}`]);
        break;
      }
      case PacketType.PINGREQ:
        this.expected.push(['PINGRESP']);
        break;
      case PacketType.DISCONNECT:
        this.disconnect(packet.reasonCode, packet.properties.sessionExpiryInterval);
    }
  }

  private publish({ qos, packetId, properties, payload, ...packet }: PublishPacket): void {
    const { topic, reason } = this.resolved(packet.topic, properties.topicAlias);
    if (reason !== undefined) this.finish(`PUBLISH to "${topic}"`, [reason]);
    else if (qos === 2 && this.awaiting.has(packetId))
      this.expect(PacketType.PUBREC, packetId, 0); // [MQTT-4.3.3-10]
    else if (qos === 2 && this.awaiting.size >= this.world.core.settings.maxAwaitingRel)
      this.finish('too many messages of QoS 2', [ReasonCode.ReceiveMaximumExceeded]); // [MQTT-3.3.4-7]
    else {
      this.passedOn(topic, payload);
      if (qos === 2) this.awaiting.add(packetId);
      // Nobody subscribes to topics that begin with $ by a wildcard: there may be no subscriber at all
      const codes = topic.startsWith('$') ? [0, ReasonCode.NoMatchingSubscribers] : [0];
      if (qos > 0) this.expect(qos === 1 ? PacketType.PUBACK : PacketType.PUBREC, packetId, ...codes);
    }
  }

  /** The topic behind an alias, or the reason why there is none. */
  private resolved(written: string, alias: number | undefined): { topic: string; reason?: ReasonCode } {
    const topic = alias !== undefined && written === '' ? this.aliases.get(alias) : written;
    if (alias === 0) return { topic: written, reason: ReasonCode.TopicAliasInvalid };
    if (topic === undefined) return { topic: written, reason: ReasonCode.ProtocolError };
    if (alias !== undefined) this.aliases.set(alias, topic);
    return isTooDeep(topic) ? { topic, reason: ReasonCode.TopicNameInvalid } : { topic };
  }

  private subscribe(filter: string, qos: number): number {
    const exclusive = filter.startsWith('$exclusive/'); // off by default
    if (exclusive || isTooDeep(parseShared(filter)?.filter ?? filter))
      return this.five ? ReasonCode.TopicFilterInvalid : 0x80;
    this.subscriptions.add(filter);
    this.everSubscribed.add(filter);
    return qos;
  }

  private disconnect(reasonCode: number, expiryS: number | undefined): void {
    if (expiryS !== undefined && expiryS > 0 && this.expiryS === 0) {
      this.finish('a session expiry that began with 0', [ReasonCode.ProtocolError]);
      return;
    }
    if (expiryS !== undefined) this.kept = expiryS > 0;
    if (reasonCode === 0) this.will = null; // [MQTT-3.14.4-3]
    this.finish('DISCONNECT', null);
  }

  private passedOn(topic: string, payload: Uint8Array): void {
    if (!topic.startsWith('$')) this.world.published.push(messageKey(topic, payload)); // [MQTT-4.7.2-1]
  }

  private expect(type: number, packetId: number, ...codes: number[]): void {
    this.expected.push(codes.map((code) => ackText(type, packetId, this.five ? code : 0)));
  }
}

const isTooDeep = (topic: string): boolean => topic.split('/').length > MAX_LEVELS;

const NAMES: Record<number, string> = { 4: 'PUBACK', 5: 'PUBREC', 6: 'PUBREL', 7: 'PUBCOMP' };
const ackText = (type: number, packetId: number, code: number): string =>
  `${NAMES[type]} ${packetId} ${code}`;

/** An answer of the broker as the model writes what it expects. */
export function replyText(packet: Packet): string {
  switch (packet.type) {
    case PacketType.CONNACK:
      return `CONNACK ${packet.reasonCode}${packet.sessionPresent ? ' present' : ''}`;
    case PacketType.SUBACK:
      return `SUBACK ${packet.packetId} ${packet.reasonCodes}`;
    case PacketType.UNSUBACK:
      return `UNSUBACK ${packet.packetId} ${packet.reasonCodes}`;
    case PacketType.PINGRESP:
      return 'PINGRESP';
    case PacketType.PUBACK:
    case PacketType.PUBREC:
    case PacketType.PUBREL:
    case PacketType.PUBCOMP:
      return ackText(packet.type, packet.packetId, packet.reasonCode);
    default:
      return `packet type ${packet.type}`;
  }
}
