import { copyBytes, VARINT_MAX, varintBytes, Writer, writeVarint } from './bytes.ts';
import {
  type AckPacket,
  type ConnectPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type QoS,
} from './packets.ts';
import { encodeProperties } from './properties.ts';
import { MqttError, ReasonCode } from './reason-codes.ts';
import { encodeUtf8, isMqttText, TEXT_BYTES_MAX } from './utf8.ts';

/** Packets that never differ. Shared: do not write into them. */
export const PINGREQ_FRAME: Uint8Array<ArrayBuffer> = Uint8Array.of(0xc0, 0);
export const PINGRESP_FRAME: Uint8Array<ArrayBuffer> = Uint8Array.of(0xd0, 0);
/** A client's normal good-bye, in every version. */
export const DISCONNECT_FRAME: Uint8Array<ArrayBuffer> = Uint8Array.of(0xe0, 0);

const NOTHING = new Uint8Array(0);

/**
 * The bytes of a packet. When they exceed `maxPacketBytes`, the peer's Maximum Packet Size, a server's packet loses what it
 * can do without; what is still too large throws PacketTooLarge. Contents that no packet can carry throw RangeError: that
 * is the caller's mistake, not the peer's.
 */
export function encodePacket(
  packet: Packet,
  version: ProtocolVersion,
  maxPacketBytes: number = Number.POSITIVE_INFINITY,
): Uint8Array<ArrayBuffer> {
  let bytes = encodeOnce(packet, version);
  if (bytes.length <= maxPacketBytes) return bytes;
  if (version === 5 && 'properties' in packet && isShrinkable(packet.type)) {
    for (const properties of shorter(packet.type, packet.properties)) {
      bytes = encodeOnce({ ...packet, properties }, version);
      if (bytes.length <= maxPacketBytes) return bytes;
    }
  }
  // [MQTT-3.1.2-24] [MQTT-3.2.2-15]
  throw new MqttError(
    ReasonCode.PacketTooLarge,
    `packet of ${bytes.length} bytes, the peer takes ${maxPacketBytes}`,
  );
}

/** Properties that explain may go; those of a message or a request belong to it [MQTT-3.3.2-17]. */
const isShrinkable = (type: number): boolean =>
  type !== PacketType.CONNECT &&
  type !== PacketType.PUBLISH &&
  type !== PacketType.SUBSCRIBE &&
  type !== PacketType.UNSUBSCRIBE;

/** What CONNACK means without the property, section 3.2.2.3. */
const CONNACK_DEFAULTS: Properties = {
  receiveMaximum: 65_535,
  topicAliasMaximum: 0,
  retainAvailable: true,
  wildcardSubscriptionAvailable: true,
  subscriptionIdentifierAvailable: true,
  sharedSubscriptionAvailable: true,
};

/** Fewer and fewer: defaults, user properties, the reason string [MQTT-3.2.2-19] [MQTT-3.2.2-20], offers of CONNACK. */
function* shorter(type: number, properties: Properties): Generator<Properties> {
  const left = { ...properties };
  if (type === PacketType.CONNACK) {
    for (const [name, value] of Object.entries(CONNACK_DEFAULTS))
      if (left[name as keyof Properties] === value) delete left[name as keyof Properties];
    yield left;
  }
  delete left.userProperty;
  yield left;
  delete left.reasonString;
  yield left;
  if (type !== PacketType.CONNACK) return;
  delete left.responseInformation;
  yield left;
  delete left.topicAliasMaximum;
  yield left;
}

function encodeOnce(packet: Packet, version: ProtocolVersion): Uint8Array<ArrayBuffer> {
  switch (packet.type) {
    case PacketType.CONNECT:
      return frame(0x10, connect(packet, version));
    case PacketType.CONNACK:
      return frame(
        0x20,
        withProperties(
          new Writer().u8(Number(packet.sessionPresent && version > 3)).u8(packet.reasonCode),
          packet.properties,
          version,
        ),
      );
    case PacketType.PUBLISH: {
      if (!isMqttText(packet.topic)) throw new RangeError('topic is no MQTT string');
      const { qos, retain, dup, packetId } = packet;
      if (qos > 0) checkPacketId(packetId);
      const topic = encodeUtf8(packet.topic);
      const { bytes, packetIdOffset } = encodePublish(
        topic,
        packet.properties,
        packet.payload,
        qos,
        retain,
        dup,
        version,
      );
      if (qos > 0) patchPacketId(bytes, packetIdOffset, packetId);
      return bytes;
    }
    case PacketType.PUBACK:
    case PacketType.PUBREC:
    case PacketType.PUBREL:
    case PacketType.PUBCOMP:
      return ack(packet, version);
    case PacketType.SUBSCRIBE: {
      const out = withProperties(identified(packet.packetId), packet.properties, version);
      for (const { filter, ...options } of packet.subscriptions) {
        out
          .text(filter)
          .u8(
            version === 5
              ? options.qos |
                  (Number(options.noLocal) << 2) |
                  (Number(options.retainAsPublished) << 3) |
                  (options.retainHandling << 4)
              : options.qos,
          );
      }
      return frame(0x82, out);
    }
    case PacketType.SUBACK: {
      const out = withProperties(identified(packet.packetId), packet.properties, version);
      // Before 5.0 there is one failure for all reasons
      for (const code of packet.reasonCodes) out.u8(version === 5 || code <= 2 ? code : 0x80);
      return frame(0x90, out);
    }
    case PacketType.UNSUBSCRIBE: {
      const out = withProperties(identified(packet.packetId), packet.properties, version);
      for (const filter of packet.filters) out.text(filter);
      return frame(0xa2, out);
    }
    case PacketType.UNSUBACK: {
      const out = withProperties(identified(packet.packetId), packet.properties, version);
      if (version === 5) for (const code of packet.reasonCodes) out.u8(code);
      return frame(0xb0, out);
    }
    case PacketType.PINGREQ:
      return PINGREQ_FRAME.slice();
    case PacketType.PINGRESP:
      return PINGRESP_FRAME.slice();
    case PacketType.DISCONNECT:
      return frame(0xe0, version === 5 ? reason(new Writer(), packet) : new Writer());
    case PacketType.AUTH:
      if (version < 5) throw new RangeError('AUTH came with 5.0');
      return frame(0xf0, reason(new Writer(), packet));
  }
}

function frame(header: number, body: Writer): Uint8Array<ArrayBuffer> {
  checkRemaining(body.length);
  return new Writer().u8(header).varint(body.length).raw(body.bytes()).bytes();
}

function checkRemaining(bytes: number): void {
  if (bytes > VARINT_MAX) throw new RangeError(`a packet cannot hold ${bytes} bytes`);
}

function checkPacketId(packetId: number): void {
  if (!(packetId >= 1 && packetId <= 0xffff)) throw new RangeError(`${packetId} is no packet identifier`);
}

function identified(packetId: number): Writer {
  checkPacketId(packetId);
  return new Writer().u16(packetId);
}

function withProperties(out: Writer, properties: Properties, version: ProtocolVersion): Writer {
  if (version < 5) return out;
  const bytes = encodeProperties(properties);
  return out.varint(bytes.length).raw(bytes);
}

/** A trailing reason code with properties: both are left away where they say nothing. */
function reason(
  out: Writer,
  { reasonCode, properties }: { reasonCode: number; properties: Properties },
): Writer {
  const bytes = encodeProperties(properties);
  if (bytes.length > 0) return out.u8(reasonCode).varint(bytes.length).raw(bytes);
  return reasonCode === 0 ? out : out.u8(reasonCode);
}

function connect(packet: ConnectPacket, version: ProtocolVersion): Writer {
  const { will, username, password, cleanStart, keepAlive } = packet;
  if (password && username === null && version < 5)
    throw new RangeError('a password needs a username before 5.0');
  const flags =
    (Number(username !== null) << 7) |
    (Number(password !== null) << 6) |
    (will ? (Number(will.retain) << 5) | (will.qos << 3) | 0x04 : 0) |
    (Number(cleanStart) << 1);
  const out = new Writer()
    .text(version === 3 ? 'MQIsdp' : 'MQTT')
    .u8(packet.bridge ? version | 0x80 : version)
    .u8(flags)
    .u16(keepAlive);
  withProperties(out, packet.properties, version).text(packet.clientid);
  if (will) withProperties(out, will.properties, version).text(will.topic).binary(will.payload);
  if (username !== null) out.text(username);
  if (password !== null) out.binary(password);
  return out;
}

type AckType = AckPacket['type'];

function ack(packet: AckPacket, version: ProtocolVersion): Uint8Array<ArrayBuffer> {
  const { type, packetId, reasonCode } = packet;
  checkPacketId(packetId);
  const properties = version === 5 ? encodeProperties(packet.properties) : NOTHING;
  if (properties.length === 0) return encodeAck(type, packetId, reasonCode, version);
  const body = identified(packetId).u8(reasonCode).varint(properties.length).raw(properties);
  return frame(ackHeader(type), body);
}

const ackHeader = (type: AckType): number => (type << 4) | (type === PacketType.PUBREL ? 0x02 : 0);

/** PUBACK, PUBREC, PUBREL or PUBCOMP without properties. */
export function encodeAck(
  type: AckType,
  packetId: number,
  reasonCode: number,
  version: ProtocolVersion,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(version === 5 && reasonCode !== 0 ? 5 : 4);
  writeAck(bytes, 0, type, packetId, reasonCode, version);
  return bytes;
}

/** Writes such an acknowledgement, at most 5 bytes, to `out[at…]`; returns the position behind it. */
export function writeAck(
  out: Uint8Array,
  at: number,
  type: AckType,
  packetId: number,
  reasonCode: number,
  version: ProtocolVersion,
): number {
  out[at] = ackHeader(type);
  out[at + 2] = packetId >>> 8;
  out[at + 3] = packetId;
  if (version < 5 || reasonCode === 0) {
    out[at + 1] = 2;
    return at + 4;
  }
  out[at + 1] = 3; // a reason code without properties needs no property length, section 3.4.2.1
  out[at + 4] = reasonCode;
  return at + 5;
}

export interface PublishFrame {
  bytes: Uint8Array<ArrayBuffer>;
  /** Where `patchPacketId` writes; 0 with QoS 0, which has none. */
  packetIdOffset: number;
}

const SLAB_BYTES = 16 * 1024;
let slab = new ArrayBuffer(0);
let slabUsed = 0;

/** A buffer of one's own costs several times what a short message costs otherwise, so short ones share slabs. */
function allocate(size: number): Uint8Array<ArrayBuffer> {
  if (size > SLAB_BYTES / 16) return new Uint8Array(size);
  if (slabUsed + size > slab.byteLength) {
    slab = new ArrayBuffer(SLAB_BYTES);
    slabUsed = 0;
  }
  const bytes = new Uint8Array(slab, slabUsed, size);
  slabUsed += size;
  return bytes;
}

/** A PUBLISH with packet identifier 0, to be patched per subscriber. `properties` may be raw, without their length. */
export function encodePublish(
  topic: Uint8Array,
  properties: Uint8Array | Properties | null,
  payload: Uint8Array,
  qos: QoS,
  retain: boolean,
  dup: boolean,
  version: ProtocolVersion,
): PublishFrame {
  if (topic.length > TEXT_BYTES_MAX) throw new RangeError(`a topic of ${topic.length} bytes is too long`);
  const raw =
    version < 5 || properties === null
      ? NOTHING
      : properties instanceof Uint8Array
        ? properties
        : encodeProperties(properties);
  const size = publishBytes(topic.length, raw.length, payload.length, qos, version);
  const bytes = allocate(size);
  writePublish(bytes, 0, topic, raw, payload, qos, retain, dup, 0, version);
  const packetIdOffset =
    qos === 0
      ? 0
      : 1 +
        varintBytes(remainingOf(topic.length, raw.length, payload.length, qos, version)) +
        2 +
        topic.length;
  return { bytes, packetIdOffset };
}

function remainingOf(
  topicBytes: number,
  propsBytes: number,
  payloadBytes: number,
  qos: QoS,
  version: ProtocolVersion,
): number {
  const fields = 2 + topicBytes + (qos === 0 ? 0 : 2) + payloadBytes;
  return version === 5 ? fields + varintBytes(propsBytes) + propsBytes : fields;
}

/** The size of a whole PUBLISH, e.g. to compare with the peer's Maximum Packet Size before building it. */
export function publishBytes(
  topicBytes: number,
  propsBytes: number,
  payloadBytes: number,
  qos: QoS,
  version: ProtocolVersion,
): number {
  const remaining = remainingOf(topicBytes, propsBytes, payloadBytes, qos, version);
  checkRemaining(remaining);
  return 1 + varintBytes(remaining) + remaining;
}

/** Writes a PUBLISH to `out[at…]`, which has room for `publishBytes`; returns the position behind it. */
export function writePublish(
  out: Uint8Array,
  at: number,
  topic: Uint8Array,
  rawProperties: Uint8Array,
  payload: Uint8Array,
  qos: QoS,
  retain: boolean,
  dup: boolean,
  packetId: number,
  version: ProtocolVersion,
): number {
  out[at] = 0x30 | (dup ? 0x08 : 0) | (qos << 1) | (retain ? 1 : 0);
  const remaining = remainingOf(topic.length, rawProperties.length, payload.length, qos, version);
  let pos = writeVarint(out, at + 1, remaining);
  out[pos++] = topic.length >>> 8;
  out[pos++] = topic.length;
  pos = copyBytes(topic, out, pos);
  if (qos > 0) {
    out[pos++] = packetId >>> 8;
    out[pos++] = packetId;
  }
  if (version === 5) {
    pos = writeVarint(out, pos, rawProperties.length);
    pos = copyBytes(rawProperties, out, pos);
  }
  return copyBytes(payload, out, pos);
}

/** Writes the packet identifier into a frame of `encodePublish`, or into a copy of it that begins at `frameStart`. */
export function patchPacketId(
  bytes: Uint8Array,
  packetIdOffset: number,
  packetId: number,
  frameStart = 0,
): void {
  bytes[frameStart + packetIdOffset] = packetId >>> 8;
  bytes[frameStart + packetIdOffset + 1] = packetId;
}

/** The 3.x CONNACK return code (table 3.1 of 3.1.1) that says best what a 5.0 reason code says. */
export function connackReturnCode(reasonCode: number): 0 | 1 | 2 | 3 | 4 | 5 {
  switch (reasonCode) {
    case ReasonCode.Success:
      return 0;
    case ReasonCode.UnsupportedProtocolVersion:
      return 1;
    case ReasonCode.ClientIdentifierNotValid:
      return 2;
    case ReasonCode.BadUserNameOrPassword:
      return 4;
    case ReasonCode.NotAuthorized:
    case ReasonCode.Banned:
    case ReasonCode.BadAuthenticationMethod:
      return 5;
    default:
      return 3;
  }
}
