import { Reader } from '@mqdeck/mqtt/bytes';
import { malformed } from '@mqdeck/mqtt/reason-codes';
import { decodeUtf8 } from '@mqdeck/mqtt/utf8';
import {
  type Encapsulated,
  Flag,
  MsgType,
  type Packet,
  type SnQos,
  type SubscribedTopic,
  type TopicRef,
} from './packets.ts';

const LONG_LENGTH = 0x01; // then two bytes follow, section 5.2.1
const QOS: readonly SnQos[] = [0, 1, 2, -1];

/** One message per datagram; throws MqttError when it is none. What it returns holds no part of `datagram`. */
export function decode(datagram: Uint8Array): Packet {
  const reader = open(datagram);
  const packet = decodeBody(reader.u8(), reader);
  reader.finish();
  return packet;
}

/** What a forwarder sent, or null when it is an ordinary message. Its length ends before the message inside. */
export function decodeEncapsulated(datagram: Uint8Array): Encapsulated | null {
  if (typeOf(datagram) !== MsgType.ENCAPSULATED) return null;
  const header = datagram[0]!;
  if (header < 3 || header > datagram.length) throw malformed('a forwarder sent a wrong length');
  return {
    radius: datagram[2]! & 0x03,
    node: Uint8Array.from(datagram.subarray(3, header)),
    message: datagram.subarray(header),
  };
}

const typeOf = (datagram: Uint8Array): number | undefined => datagram[datagram[0] === LONG_LENGTH ? 3 : 1];

/** Behind the length, which must be that of the datagram. */
function open(datagram: Uint8Array): Reader {
  const reader = new Reader(datagram, 0, datagram.length);
  const first = reader.u8();
  if ((first === LONG_LENGTH ? reader.u16() : first) !== datagram.length)
    throw malformed('the length is not that of the datagram');
  return reader;
}

function decodeBody(type: number, reader: Reader): Packet {
  switch (type) {
    case MsgType.ADVERTISE:
      return { type, gatewayId: reader.u8(), duration: reader.u16() };
    case MsgType.SEARCHGW:
      return { type, radius: reader.u8() };
    case MsgType.GWINFO:
      return { type, gatewayId: reader.u8(), address: rest(reader) };
    case MsgType.CONNECT: {
      const flags = reader.u8();
      return {
        type,
        will: (flags & Flag.will) !== 0,
        cleanSession: (flags & Flag.cleanSession) !== 0,
        protocolId: reader.u8(),
        duration: reader.u16(),
        clientid: text(reader),
      };
    }
    case MsgType.CONNACK:
    case MsgType.WILLTOPICRESP:
    case MsgType.WILLMSGRESP:
      return { type, code: reader.u8() };
    case MsgType.WILLTOPICREQ:
    case MsgType.WILLMSGREQ:
    case MsgType.PINGRESP:
      return { type };
    case MsgType.WILLTOPIC:
    case MsgType.WILLTOPICUPD: {
      if (reader.left === 0) return { type, topic: null, qos: 0, retain: false };
      const flags = reader.u8();
      return { type, qos: qosOf(flags), retain: (flags & Flag.retain) !== 0, topic: text(reader) };
    }
    case MsgType.WILLMSG:
    case MsgType.WILLMSGUPD:
      return { type, message: rest(reader) };
    case MsgType.REGISTER:
      return { type, topicId: reader.u16(), msgId: reader.u16(), name: text(reader) };
    case MsgType.REGACK:
    case MsgType.PUBACK:
      return { type, topicId: reader.u16(), msgId: reader.u16(), code: reader.u8() };
    case MsgType.PUBLISH: {
      const flags = reader.u8();
      const topic = topicRef(flags, reader);
      const msgId = reader.u16();
      const qos = qosOf(flags);
      if (qos > 0 && msgId === 0) throw malformed('a message with QoS needs a message id');
      return {
        type,
        dup: (flags & Flag.dup) !== 0,
        qos,
        retain: (flags & Flag.retain) !== 0,
        topic,
        msgId,
        data: rest(reader),
      };
    }
    case MsgType.PUBREC:
    case MsgType.PUBREL:
    case MsgType.PUBCOMP:
    case MsgType.UNSUBACK:
      return { type, msgId: reader.u16() };
    case MsgType.SUBSCRIBE: {
      const flags = reader.u8();
      const msgId = reader.u16();
      const topic = subscribedTopic(flags, reader);
      return { type, dup: (flags & Flag.dup) !== 0, qos: qosOf(flags), msgId, topic };
    }
    case MsgType.UNSUBSCRIBE: {
      const flags = reader.u8();
      return { type, msgId: reader.u16(), topic: subscribedTopic(flags, reader) };
    }
    case MsgType.SUBACK: {
      const qos = qosOf(reader.u8());
      return { type, qos, topicId: reader.u16(), msgId: reader.u16(), code: reader.u8() };
    }
    case MsgType.PINGREQ:
      return { type, clientid: reader.left === 0 ? null : text(reader) };
    case MsgType.DISCONNECT:
      return { type, duration: reader.left === 0 ? null : reader.u16() };
    default:
      throw malformed(`no message has the type ${type}`);
  }
}

const qosOf = (flags: number): SnQos => QOS[(flags & Flag.qos) >>> Flag.qosShift]!;

function topicRef(flags: number, reader: Reader): TopicRef {
  switch (flags & Flag.topicIdType) {
    case 0:
      return { kind: 'normal', id: reader.u16() };
    case 1:
      return { kind: 'predefined', id: reader.u16() };
    case 2:
      return { kind: 'short', name: shortName(reader) };
    default:
      throw malformed('the topic id type is reserved');
  }
}

function subscribedTopic(flags: number, reader: Reader): SubscribedTopic {
  if ((flags & Flag.topicIdType) === 0) return { kind: 'name', name: text(reader) };
  const topic = topicRef(flags, reader);
  if (topic.kind === 'normal') throw malformed('a subscription names its topic');
  return topic;
}

function shortName(reader: Reader): string {
  const at = reader.pos;
  reader.u16();
  return decodeUtf8(reader.buf, at, at + 2);
}

/** Texts have no length of their own: they are the last field. */
function text(reader: Reader): string {
  const at = reader.pos;
  reader.pos = reader.end;
  return decodeUtf8(reader.buf, at, reader.end);
}

/** A copy: what lives long must not keep the network's buffer alive. */
function rest(reader: Reader): Uint8Array {
  const at = reader.pos;
  reader.pos = reader.end;
  return Uint8Array.from(reader.buf.subarray(at, reader.end));
}
