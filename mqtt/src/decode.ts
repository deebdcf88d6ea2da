import { Reader } from './bytes.ts';
import {
  type AckPacket,
  type AuthPacket,
  type ConnackPacket,
  type ConnectPacket,
  type DisconnectPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type PublishPacket,
  type QoS,
  type SubackPacket,
  type SubscribePacket,
  type SubscriptionOptions,
  type UnsubackPacket,
  type UnsubscribePacket,
  type Will,
} from './packets.ts';
import { isPermitted } from './permitted.ts';
import { decodeProperties, type PropertyOwner, WILL } from './properties.ts';
import { PublishScan, type Role, readPublishProperties, readTopic, scanPublish } from './publish.ts';
import { MqttError, malformed, protocolError, ReasonCode, reasonName } from './reason-codes.ts';
import { isValidFilter, isValidTopic, parseShared } from './topics.ts';

/**
 * Reads one packet: its first byte and its body `buf[start, end)`, as the framer hands them over. `role` is the side
 * that reads. A payload is a view into `buf`; everything else is copied.
 */
export function decodePacket(
  header: number,
  buf: Uint8Array,
  start: number,
  end: number,
  version: ProtocolVersion,
  role: Role,
): Packet {
  const type = header >> 4;
  if (type !== PacketType.PUBLISH) checkFlags(type, header & 0x0f, version);
  if (!isExpected(type, version, role)) throw protocolError(`packet type ${type} is not for a ${role}`);
  const reader = new Reader(buf, start, end);
  const packet = decodeBody(type, header, reader, version, role);
  reader.finish();
  return packet;
}

function decodeBody(
  type: number,
  header: number,
  reader: Reader,
  version: ProtocolVersion,
  role: Role,
): Packet {
  switch (type) {
    case PacketType.CONNECT:
      return connect(reader);
    case PacketType.CONNACK:
      return connack(reader, version);
    case PacketType.PUBLISH:
      return publish(header, reader, version, role);
    case PacketType.PUBACK:
    case PacketType.PUBREC:
    case PacketType.PUBREL:
    case PacketType.PUBCOMP:
      return ack(type, reader, version);
    case PacketType.SUBSCRIBE:
      return subscribe(reader, version);
    case PacketType.SUBACK:
      return suback(reader, version);
    case PacketType.UNSUBSCRIBE:
      return unsubscribe(reader, version);
    case PacketType.UNSUBACK:
      return unsuback(reader, version);
    case PacketType.PINGREQ:
      return { type: PacketType.PINGREQ };
    case PacketType.PINGRESP:
      return { type: PacketType.PINGRESP };
    case PacketType.DISCONNECT:
      return disconnect(reader, version, role);
    default:
      return auth(reader, role);
  }
}

function checkFlags(type: number, flags: number, version: ProtocolVersion): void {
  const acknowledged =
    type === PacketType.PUBREL || type === PacketType.SUBSCRIBE || type === PacketType.UNSUBSCRIBE;
  // 3.1 gives these packets QoS 1 and lets DUP be set; it does not use the bits of the others
  const good = version === 3 ? !acknowledged || (flags & 0x06) === 0x02 : flags === (acknowledged ? 0x02 : 0);
  if (!good) throw malformed('reserved header flags'); // [MQTT-2.1.3-1]
}

const bits = (...types: number[]): number => types.reduce((mask, type) => mask | (1 << type), 0);
const both = bits(
  PacketType.PUBLISH,
  PacketType.PUBACK,
  PacketType.PUBREC,
  PacketType.PUBREL,
  PacketType.PUBCOMP,
);
const expected = {
  server:
    both |
    bits(PacketType.CONNECT, PacketType.SUBSCRIBE, PacketType.UNSUBSCRIBE) |
    bits(PacketType.PINGREQ, PacketType.DISCONNECT, PacketType.AUTH),
  client:
    both |
    bits(PacketType.CONNACK, PacketType.SUBACK, PacketType.UNSUBACK) |
    bits(PacketType.PINGRESP, PacketType.DISCONNECT, PacketType.AUTH),
};

function isExpected(type: number, version: ProtocolVersion, role: Role): boolean {
  if (type === 0) throw malformed('packet type 0 is reserved');
  if (version < 5) {
    if (type === PacketType.AUTH) throw malformed('packet type 15 is reserved before 5.0');
    if (type === PacketType.DISCONNECT) return role === 'server'; // only a client says good-bye
  }
  return (expected[role] & (1 << type)) !== 0;
}

function properties(reader: Reader, version: ProtocolVersion, owner: PropertyOwner): Properties {
  if (version < 5) return {};
  const length = reader.varint();
  if (length > reader.left) throw malformed('properties reach beyond the packet');
  const start = reader.pos;
  reader.pos += length;
  return decodeProperties(reader.buf, start, reader.pos, owner);
}

function packetIdentifier(reader: Reader): number {
  const packetId = reader.u16();
  if (packetId === 0) throw protocolError('packet identifier 0'); // [MQTT-2.2.1-3]
  return packetId;
}

function reasonCode(reader: Reader, type: number, sender: Role): number {
  const code = reader.u8();
  if (!isPermitted(type, code, sender))
    throw protocolError(`reason code ${reasonName(code)} is not for this packet`);
  return code;
}

/** Reads a CONNECT, which says its own version; an unknown one throws UnsupportedProtocolVersion. */
export function decodeConnect(header: number, buf: Uint8Array, start: number, end: number): ConnectPacket {
  const reader = new Reader(buf, start, end);
  const packet = connect(reader);
  checkFlags(PacketType.CONNECT, header & 0x0f, packet.protocolVersion);
  reader.finish();
  return packet;
}

/** The protocol level that the body of a CONNECT begins with, of which the rest may be missing or wrong; null without one. */
export function connectLevel(buf: Uint8Array, start: number, end: number): number | null {
  if (end - start < 2) return null;
  const at = start + 2 + ((buf[start]! << 8) | buf[start + 1]!);
  return at < end ? buf[at]! & 0x7f : null;
}

function connect(reader: Reader): ConnectPacket {
  const name = reader.text();
  const level = reader.u8();
  const protocolVersion = protocol(name, level & 0x7f);
  const flags = reader.u8();
  if ((flags & 0x01) !== 0 && protocolVersion > 3) throw malformed('reserved CONNECT flag'); // [MQTT-3.1.2-3]
  const keepAlive = reader.u16();
  const connectProperties = properties(reader, protocolVersion, PacketType.CONNECT);
  const clientid = reader.text();
  const will = decodeWill(reader, flags, protocolVersion);
  const { username, password } = credentials(reader, flags, protocolVersion);
  return {
    type: PacketType.CONNECT,
    protocolVersion,
    bridge: level > 0x7f,
    cleanStart: (flags & 0x02) !== 0,
    keepAlive,
    clientid,
    username,
    password,
    will,
    properties: connectProperties,
  };
}

function protocol(name: string, level: number): ProtocolVersion {
  if (name === 'MQTT' && (level === 4 || level === 5)) return level;
  if (name === 'MQIsdp' && level === 3) return level;
  throw new MqttError(ReasonCode.UnsupportedProtocolVersion, 'unsupported protocol name or level'); // [MQTT-3.1.2-2]
}

function decodeWill(reader: Reader, flags: number, version: ProtocolVersion): Will | null {
  const qos = (flags >> 3) & 3;
  const retain = (flags & 0x20) !== 0;
  if ((flags & 0x04) === 0) {
    // [MQTT-3.1.2-11] [MQTT-3.1.2-13]; 3.1 leaves the bits unused
    if ((qos !== 0 || retain) && version > 3) throw malformed('will QoS or will retain without a will');
    return null;
  }
  if (qos === 3) throw malformed('will QoS 3'); // [MQTT-3.1.2-12]
  const willProperties = properties(reader, version, WILL);
  const topic = reader.text();
  if (!isValidTopic(topic)) throw new MqttError(ReasonCode.TopicNameInvalid, 'invalid will topic');
  return { topic, payload: reader.binary(), qos: qos as QoS, retain, properties: willProperties };
}

function credentials(
  reader: Reader,
  flags: number,
  version: ProtocolVersion,
): Pick<ConnectPacket, 'username' | 'password'> {
  const hasUsername = (flags & 0x80) !== 0;
  const hasPassword = (flags & 0x40) !== 0;
  if (hasPassword && !hasUsername && version < 5) {
    throw malformed('password without a username'); // [MQTT311-3.1.2-22]
  }
  // In 3.1 the length of the packet outranks the flags: a promised string may be missing
  const missing = () => version === 3 && reader.left === 0;
  const username = hasUsername && !missing() ? reader.text() : null;
  const password = hasPassword && !missing() ? reader.binary() : null;
  return { username, password };
}

function connack(reader: Reader, version: ProtocolVersion): ConnackPacket {
  const flags = reader.u8();
  if (flags > 1 && version > 3) throw malformed('reserved CONNACK flags'); // [MQTT-3.2.2-1]
  const sessionPresent = version > 3 && flags === 1; // 3.1 does not use the byte
  const code = version === 5 ? reasonCode(reader, PacketType.CONNACK, 'server') : reader.u8();
  if (version < 5 && code > 5) throw protocolError(`return code ${code} is reserved`);
  if (sessionPresent && code !== 0) throw protocolError('session present with a refusal'); // [MQTT-3.2.2-6]
  return {
    type: PacketType.CONNACK,
    sessionPresent,
    reasonCode: code,
    properties: properties(reader, version, PacketType.CONNACK),
  };
}

function publish(header: number, reader: Reader, version: ProtocolVersion, role: Role): PublishPacket {
  const { buf } = reader;
  const scan = new PublishScan();
  scanPublish(header, buf, reader.pos, reader.end, version, scan);
  const found = scan.propsStart === scan.propsEnd ? {} : readPublishProperties(buf, scan, role);
  reader.pos = scan.end;
  return {
    type: PacketType.PUBLISH,
    // Only a topic alias lets it be empty, which the two above have checked
    topic: scan.topicStart === scan.topicEnd ? '' : readTopic(buf, scan.topicStart, scan.topicEnd),
    payload: new Uint8Array(buf.buffer, buf.byteOffset + scan.payloadStart, scan.end - scan.payloadStart),
    qos: scan.qos,
    retain: scan.retain,
    dup: scan.dup,
    packetId: scan.packetId,
    properties: found,
  };
}

function ack(type: AckPacket['type'], reader: Reader, version: ProtocolVersion): AckPacket {
  const packetId = packetIdentifier(reader);
  // Success and an empty property list may be left away [section 3.4.2.1]
  const short = version < 5 || reader.left === 0;
  const code = short ? ReasonCode.Success : reasonCode(reader, type, 'server');
  const found = short || reader.left === 0 ? {} : properties(reader, version, type);
  return { type, packetId, reasonCode: code, properties: found };
}

function subscribe(reader: Reader, version: ProtocolVersion): SubscribePacket {
  const packetId = packetIdentifier(reader);
  const found = properties(reader, version, PacketType.SUBSCRIBE);
  const subscriptions: SubscribePacket['subscriptions'] = [];
  while (reader.left > 0) {
    const filter = filterText(reader);
    const options = subscriptionOptions(reader.u8(), version);
    if (options.noLocal && parseShared(filter)) throw protocolError('no local on a shared filter'); // [MQTT-3.8.3-4]
    subscriptions.push({ filter, ...options });
  }
  if (subscriptions.length === 0) throw protocolError('SUBSCRIBE without a filter'); // [MQTT-3.8.3-2]
  return { type: PacketType.SUBSCRIBE, packetId, subscriptions, properties: found };
}

function filterText(reader: Reader): string {
  const filter = reader.text();
  if (!isValidFilter(filter)) throw new MqttError(ReasonCode.TopicFilterInvalid, 'invalid filter');
  return filter;
}

function subscriptionOptions(byte: number, version: ProtocolVersion): SubscriptionOptions {
  const qos = byte & 0x03;
  if (qos === 3) throw protocolError('QoS 3'); // section 3.8.3.1
  if (version < 5) {
    if (version === 4 && byte > 0x03) throw malformed('reserved bits of the requested QoS'); // [MQTT311-3.8.3-4]
    return { qos: qos as QoS, noLocal: false, retainAsPublished: false, retainHandling: 0 };
  }
  const retainHandling = (byte >> 4) & 0x03;
  if (retainHandling === 3) throw protocolError('retain handling 3'); // section 3.8.3.1
  if (byte > 0x3f) throw malformed('reserved subscription options'); // [MQTT-3.8.3-5]
  return {
    qos: qos as QoS,
    noLocal: (byte & 0x04) !== 0,
    retainAsPublished: (byte & 0x08) !== 0,
    retainHandling: retainHandling as 0 | 1 | 2,
  };
}

function suback(reader: Reader, version: ProtocolVersion): SubackPacket {
  const packetId = packetIdentifier(reader);
  const found = properties(reader, version, PacketType.SUBACK);
  const reasonCodes: number[] = [];
  while (reader.left > 0) {
    const code = reasonCode(reader, PacketType.SUBACK, 'server');
    if (version < 5 && code > 2 && code !== 0x80) throw protocolError(`return code ${code} is reserved`);
    reasonCodes.push(code);
  }
  if (reasonCodes.length === 0) throw protocolError('SUBACK without a reason code');
  return { type: PacketType.SUBACK, packetId, reasonCodes, properties: found };
}

function unsubscribe(reader: Reader, version: ProtocolVersion): UnsubscribePacket {
  const packetId = packetIdentifier(reader);
  const found = properties(reader, version, PacketType.UNSUBSCRIBE);
  const filters: string[] = [];
  while (reader.left > 0) filters.push(filterText(reader));
  if (filters.length === 0) throw protocolError('UNSUBSCRIBE without a filter'); // [MQTT-3.10.3-2]
  return { type: PacketType.UNSUBSCRIBE, packetId, filters, properties: found };
}

function unsuback(reader: Reader, version: ProtocolVersion): UnsubackPacket {
  const packetId = packetIdentifier(reader);
  const found = properties(reader, version, PacketType.UNSUBACK);
  const reasonCodes: number[] = [];
  if (version === 5) {
    while (reader.left > 0) reasonCodes.push(reasonCode(reader, PacketType.UNSUBACK, 'server'));
    if (reasonCodes.length === 0) throw protocolError('UNSUBACK without a reason code');
  }
  return { type: PacketType.UNSUBACK, packetId, reasonCodes, properties: found };
}

function disconnect(reader: Reader, version: ProtocolVersion, role: Role): DisconnectPacket {
  const short = version < 5 || reader.left === 0; // section 3.14.2.1
  const sender = role === 'server' ? 'client' : 'server';
  const code = short ? ReasonCode.Success : reasonCode(reader, PacketType.DISCONNECT, sender);
  const found = reader.left === 0 || short ? {} : properties(reader, version, PacketType.DISCONNECT);
  if (role === 'client' && found.sessionExpiryInterval !== undefined) {
    throw protocolError('session expiry interval in a DISCONNECT of the server'); // [MQTT-3.14.2-2]
  }
  return { type: PacketType.DISCONNECT, reasonCode: code, properties: found };
}

function auth(reader: Reader, role: Role): AuthPacket {
  const short = reader.left === 0; // section 3.15.2.1
  const code = short ? ReasonCode.Success : reader.u8();
  // Only a server says Success, only a client asks to authenticate again [MQTT-3.15.2-1]
  const permitted = role === 'server' ? [0x18, 0x19] : [0x00, 0x18];
  if (!permitted.includes(code))
    throw protocolError(`reason code ${reasonName(code)} is not for this packet`);
  const found = short ? {} : properties(reader, 5, PacketType.AUTH);
  if (!short && found.authenticationMethod === undefined) {
    throw protocolError('AUTH without an authentication method'); // section 3.15.2.2.2
  }
  return { type: PacketType.AUTH, reasonCode: code, properties: found };
}
