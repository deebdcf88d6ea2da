import { encodeUtf8 } from '@mqdeck/mqtt/utf8';
import {
  type Encapsulated,
  Flag,
  MsgType,
  type Packet,
  type SubscribedTopic,
  type TopicRef,
} from './packets.ts';

const SHORT_LENGTH_MAX = 0xff;
const TOPIC_ID_TYPE = { normal: 0, name: 0, predefined: 1, short: 2 } as const;

/** The message with its length, as it stands in a datagram. */
export function encode(packet: Packet): Uint8Array {
  const body = encodeBody(packet);
  const long = body.length + 2 > SHORT_LENGTH_MAX;
  const length = body.length + (long ? 4 : 2);
  if (length > 0xffff) throw new RangeError(`a message of ${length} bytes is too long`);
  const head = long ? [0x01, length >>> 8, length & 0xff, packet.type] : [length, packet.type];
  return join(head, body);
}

export function encodeEncapsulated({ radius, node, message }: Encapsulated): Uint8Array {
  return join(join([3 + node.length, MsgType.ENCAPSULATED, radius & 0x03], node), message);
}

function encodeBody(packet: Packet): Uint8Array {
  switch (packet.type) {
    case MsgType.ADVERTISE:
      return Uint8Array.of(packet.gatewayId, ...u16(packet.duration));
    case MsgType.SEARCHGW:
      return Uint8Array.of(packet.radius);
    case MsgType.GWINFO:
      return join([packet.gatewayId], packet.address);
    case MsgType.CONNECT: {
      const flags = (packet.will ? Flag.will : 0) | (packet.cleanSession ? Flag.cleanSession : 0);
      return join([flags, packet.protocolId, ...u16(packet.duration)], encodeUtf8(packet.clientid));
    }
    case MsgType.CONNACK:
    case MsgType.WILLTOPICRESP:
    case MsgType.WILLMSGRESP:
      return Uint8Array.of(packet.code);
    case MsgType.WILLTOPICREQ:
    case MsgType.WILLMSGREQ:
    case MsgType.PINGRESP:
      return new Uint8Array(0);
    case MsgType.WILLTOPIC:
    case MsgType.WILLTOPICUPD:
      if (packet.topic === null) return new Uint8Array(0);
      return join([qosFlags(packet.qos) | (packet.retain ? Flag.retain : 0)], encodeUtf8(packet.topic));
    case MsgType.WILLMSG:
    case MsgType.WILLMSGUPD:
      return packet.message;
    case MsgType.REGISTER:
      return join([...u16(packet.topicId), ...u16(packet.msgId)], encodeUtf8(packet.name));
    case MsgType.REGACK:
    case MsgType.PUBACK:
      return Uint8Array.of(...u16(packet.topicId), ...u16(packet.msgId), packet.code);
    case MsgType.PUBLISH: {
      const { dup, qos, retain, topic, msgId, data } = packet;
      const flags =
        (dup ? Flag.dup : 0) | qosFlags(qos) | (retain ? Flag.retain : 0) | TOPIC_ID_TYPE[topic.kind];
      return join([flags, ...topicBytes(topic), ...u16(msgId)], data);
    }
    case MsgType.PUBREC:
    case MsgType.PUBREL:
    case MsgType.PUBCOMP:
    case MsgType.UNSUBACK:
      return Uint8Array.from(u16(packet.msgId));
    case MsgType.SUBSCRIBE: {
      const flags = (packet.dup ? Flag.dup : 0) | qosFlags(packet.qos) | TOPIC_ID_TYPE[packet.topic.kind];
      return join([flags, ...u16(packet.msgId)], topicBytes(packet.topic));
    }
    case MsgType.UNSUBSCRIBE:
      return join([TOPIC_ID_TYPE[packet.topic.kind], ...u16(packet.msgId)], topicBytes(packet.topic));
    case MsgType.SUBACK:
      return Uint8Array.of(qosFlags(packet.qos), ...u16(packet.topicId), ...u16(packet.msgId), packet.code);
    case MsgType.PINGREQ:
      return encodeUtf8(packet.clientid ?? '');
    case MsgType.DISCONNECT:
      return Uint8Array.from(packet.duration === null ? [] : u16(packet.duration));
  }
}

const u16 = (value: number): [number, number] => [(value >>> 8) & 0xff, value & 0xff];

const qosFlags = (qos: number): number => (qos << Flag.qosShift) & Flag.qos;

const topicBytes = (topic: TopicRef | SubscribedTopic): ArrayLike<number> & Iterable<number> =>
  topic.kind === 'name' || topic.kind === 'short' ? encodeUtf8(topic.name) : u16(topic.id);

function join(head: ArrayLike<number>, tail: ArrayLike<number>): Uint8Array {
  const joined = new Uint8Array(head.length + tail.length);
  joined.set(head);
  joined.set(tail, head.length);
  return joined;
}
