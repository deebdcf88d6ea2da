import { decodeConnect, decodePacket } from '@mqdeck/mqtt/decode';
import { encodePacket } from '@mqdeck/mqtt/encode';
import {
  type ConnectPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type PublishPacket,
  type QoS,
  type SubscribePacket,
} from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { parseShared } from '@mqdeck/mqtt/topics';
import { concat, type Dice } from '../../testing/fuzz.ts';
import { type Model, UNKNOWN_ID } from './model.ts';
import { type Violation, violations } from './violations.ts';

const TOPICS = ['a', 'a/b', 'a/b/c', 'sensor/1/temperature', '/', '$x/y', 'ü', 'x'.repeat(300)];
const FILTERS = [
  'a',
  'a/#',
  '+/b',
  '#',
  '/',
  '$x/#',
  'sensor/+/temperature',
  '$share/g/a/#',
  '$queue/a',
  'none',
];
const ODD_FILTERS = ['$exclusive/a', '/'.repeat(200), `$share/g/${'/'.repeat(200)}`];
const MAX_CHANGED_BYTES = 16_000;

/** A packet with random changes: what it is by the decoder, or the reasons why it is none. */
type Changed = { bytes: Uint8Array } & ({ packet: Packet } | { packet: null; reasons: number[] });

/** Makes up what a client sends that knows the state of its session, and now and then what it must not send. */
export class Generator {
  private readonly dice: Dice;
  private readonly version: ProtocolVersion;
  private readonly five: boolean;
  private readonly model: Model;
  private readonly payload: () => Uint8Array;

  constructor(dice: Dice, version: ProtocolVersion, model: Model, payload: () => Uint8Array) {
    this.dice = dice;
    this.version = version;
    this.five = version === 5;
    this.model = model;
    this.payload = payload;
  }

  connect(clientid: string, cleanStart: boolean, lasting: boolean): ConnectPacket {
    const { dice, five } = this;
    const properties: Properties = {};
    if (five && lasting) properties.sessionExpiryInterval = 1000;
    if (five && dice.chance(0.5)) properties.receiveMaximum = 1 + dice.upTo(20);
    if (five && dice.chance(0.5)) properties.topicAliasMaximum = dice.upTo(5);
    const will = {
      topic: dice.pick(TOPICS),
      payload: this.payload(),
      qos: dice.upTo(3) as QoS,
      retain: false,
    };
    return {
      type: PacketType.CONNECT,
      protocolVersion: this.version,
      bridge: false,
      cleanStart: five ? cleanStart : !lasting,
      keepAlive: 0,
      clientid,
      username: dice.chance(0.3) ? 'user' : null,
      password: null,
      will: dice.chance(0.5) ? { ...will, properties: {} } : null,
      properties,
    };
  }

  /** A CONNECT with random changes that nobody may accept; null when these changes left it acceptable. */
  faultyConnect(connect: ConnectPacket): Uint8Array | null {
    const bytes = encodePacket({ ...connect, will: null }, this.version);
    const body = this.dice.mutated(bytes.subarray(2));
    if (body.length > 127) return null;
    const changed = concat(Uint8Array.of(bytes[0]!, body.length), body);
    try {
      decodeConnect(changed[0]!, changed, 2, changed.length);
      return null;
    } catch {
      return changed;
    }
  }

  packet(): Packet {
    const { dice, model } = this;
    const kind = dice.random();
    if (kind < 0.55) return this.publish();
    if (kind < 0.72) {
      // Most of them known: the others must be answered too
      const known = model.awaiting.size > 0 && dice.chance(0.8);
      const packetId = known ? dice.pick([...model.awaiting]) : this.freeId();
      return { type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} };
    }
    if (kind < 0.82) return this.subscribe();
    if (kind < 0.89) {
      const filters = Array.from({ length: 1 + dice.upTo(3) }, () => dice.pick(FILTERS));
      return { type: PacketType.UNSUBSCRIBE, packetId: 1 + dice.upTo(99), filters, properties: {} };
    }
    if (kind < 0.95) return { type: PacketType.PINGREQ };
    if (kind < 0.98) {
      const type = dice.pick([PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBCOMP] as const);
      return { type, packetId: UNKNOWN_ID + dice.upTo(5000), reasonCode: 0, properties: {} };
    }
    const properties = this.five && dice.chance(0.3) ? { sessionExpiryInterval: dice.pick([0, 500]) } : {};
    const reasonCode = this.five && dice.chance(0.5) ? ReasonCode.DisconnectWithWill : 0;
    return { type: PacketType.DISCONNECT, reasonCode, properties };
  }

  violation(): Violation {
    return this.dice.pick(violations.filter(({ versions }) => versions.includes(this.version)));
  }

  changed(): Changed {
    const { dice, version } = this;
    for (;;) {
      const original = encodePacket(dice.chance(0.7) ? this.publish() : this.subscribe(), version);
      const bodyAt = original[1]! < 128 ? 2 : original[2]! < 128 ? 3 : 4;
      const header = dice.chance(0.2) ? dice.upTo(256) : original[0]!;
      const body = dice.mutated(original.subarray(bodyAt));
      if (body.length > MAX_CHANGED_BYTES) continue;
      const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
      const bytes = concat(Uint8Array.of(header, ...length), body);
      try {
        const packet = decodePacket(header, body, 0, body.length, version, 'server');
        if (isPredictable(packet)) return { bytes, packet };
      } catch (cause) {
        if (!(cause instanceof MqttError)) throw cause;
        // A second CONNECT is one fault, and what else is wrong with it another
        const second = header >> 4 === PacketType.CONNECT ? [ReasonCode.ProtocolError] : [];
        return { bytes, packet: null, reasons: [cause.reasonCode, ...second] };
      }
    }
  }

  private publish(): PublishPacket {
    const { dice, model } = this;
    const qos = dice.upTo(3) as QoS;
    const properties: Properties = {};
    let topic = dice.pick(TOPICS);
    if (this.five && dice.chance(0.3)) {
      properties.topicAlias = 1 + dice.upTo(4);
      if (model.aliases.has(properties.topicAlias) && dice.chance(0.7)) topic = '';
    }
    if (this.five && dice.chance(0.2)) properties.userProperty = [['k', 'v']];
    if (this.five && dice.chance(0.1)) properties.contentType = 'text/plain';
    const again = qos === 2 && model.awaiting.size > 0 && dice.chance(0.2);
    const packetId = qos === 0 ? 0 : again ? dice.pick([...model.awaiting]) : this.freeId();
    const payload = this.payload();
    return {
      type: PacketType.PUBLISH,
      topic,
      payload,
      qos,
      retain: dice.chance(0.1),
      dup: again,
      packetId,
      properties,
    };
  }

  private subscribe(): SubscribePacket {
    const { dice, five } = this;
    const subscriptions = Array.from({ length: 1 + dice.upTo(3) }, () => {
      const filter = dice.pick(dice.chance(0.05) ? ODD_FILTERS : FILTERS);
      return {
        filter,
        qos: dice.upTo(3) as QoS,
        noLocal: five && parseShared(filter) === null && dice.chance(0.2),
        retainAsPublished: five && dice.chance(0.2),
        retainHandling: five ? (dice.upTo(3) as 0 | 1 | 2) : 0,
      };
    });
    const properties = five && dice.chance(0.3) ? { subscriptionIdentifier: [1 + dice.upTo(300)] } : {};
    return { type: PacketType.SUBSCRIBE, packetId: 1 + dice.upTo(99), subscriptions, properties };
  }

  /** Ids are few, so that one remembered too long is found out. */
  private freeId(): number {
    for (;;) {
      const packetId = 1 + this.dice.upTo(150);
      if (!this.model.awaiting.has(packetId)) return packetId;
    }
  }
}

/** Whether the model knows what a packet means: which of the broker's ids are in use it does not. */
function isPredictable(packet: Packet): boolean {
  switch (packet.type) {
    case PacketType.PUBACK:
    case PacketType.PUBREC:
    case PacketType.PUBCOMP:
      return packet.packetId >= UNKNOWN_ID;
    case PacketType.PUBLISH:
      return packet.properties.messageExpiryInterval === undefined;
    default:
      return true;
  }
}
