import { Reader, Writer } from './bytes.ts';
import { PacketType, type Properties } from './packets.ts';
import { MqttError, malformed, protocolError, ReasonCode } from './reason-codes.ts';
import { isValidTopic } from './topics.ts';

/** The will inside CONNECT has properties of its own; no packet has type 0. */
export const WILL = 0;

/** Who carries properties: a packet type, or the will. */
export type PropertyOwner = (typeof PacketType)[keyof typeof PacketType] | typeof WILL;

const owners = (...types: PropertyOwner[]): number =>
  types.reduce((bits: number, type) => bits | (1 << type), 0);

const { CONNECT, CONNACK, PUBLISH, PUBACK, PUBREC, PUBREL, PUBCOMP } = PacketType;
const { SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, DISCONNECT, AUTH } = PacketType;
const message = owners(PUBLISH, WILL);
const handshake = owners(CONNECT, CONNACK);
const authentication = owners(CONNECT, CONNACK, AUTH);
const connack = owners(CONNACK);
const acks = owners(PUBACK, PUBREC, PUBREL, PUBCOMP, SUBACK, UNSUBACK);

/** Table 2-4: which property may stand where, as one bit per owner. */
const allowed: readonly (number | undefined)[] = Object.assign([], {
  1: message,
  2: message,
  3: message,
  8: message,
  9: message,
  11: owners(PUBLISH, SUBSCRIBE),
  17: owners(CONNECT, CONNACK, DISCONNECT),
  18: connack,
  19: connack,
  21: authentication,
  22: authentication,
  23: owners(CONNECT),
  24: owners(WILL),
  25: owners(CONNECT),
  26: connack,
  28: owners(CONNACK, DISCONNECT),
  31: acks | owners(CONNACK, DISCONNECT, AUTH),
  33: handshake,
  34: handshake,
  35: owners(PUBLISH),
  36: connack,
  37: connack,
  38: acks | message | handshake | owners(SUBSCRIBE, UNSUBSCRIBE, DISCONNECT, AUTH),
  39: handshake,
  40: connack,
  41: connack,
  42: connack,
});

/** Of one packet. Five bytes on the wire make an object each: a megabyte of them would weigh seventeen. */
export const USER_PROPERTIES_MAX = 4096;

const hex = (id: number): string => `0x${id.toString(16).padStart(2, '0')}`;

function bit(id: number, value: number): 0 | 1 {
  if (value === 0 || value === 1) return value;
  throw protocolError(`property ${hex(id)} must be 0 or 1, not ${value}`);
}

function positive(id: number, value: number): number {
  if (value > 0) return value;
  throw protocolError(`property ${hex(id)} must not be 0`);
}

/** Reads `buf[start, end)`, the properties without their length, as those of `owner`. */
export function decodeProperties(
  buf: Uint8Array,
  start: number,
  end: number,
  owner: PropertyOwner,
): Properties {
  const properties: Properties = {};
  if (start === end) return properties;
  const reader = new Reader(buf, start, end);
  let seenLow = 0; // one bit per identifier below 32 …
  let seenHigh = 0; // … and from 32 on
  while (reader.pos < end) {
    const id = reader.varint();
    const mask = allowed[id] ?? 0;
    if ((mask & (1 << owner)) === 0) throw malformed(`property ${hex(id)} does not belong here`);
    const seenBit = 1 << (id & 31);
    if (((id < 32 ? seenLow : seenHigh) & seenBit) !== 0 && !mayRepeat(id, owner)) {
      throw protocolError(`property ${hex(id)} stands twice`);
    }
    if (id < 32) seenLow |= seenBit;
    else seenHigh |= seenBit;
    readProperty(properties, id, reader);
  }
  if (properties.authenticationData && properties.authenticationMethod === undefined) {
    throw protocolError('authentication data without a method'); // section 3.1.2.11.10
  }
  return properties;
}

const mayRepeat = (id: number, owner: PropertyOwner): boolean =>
  id === 0x26 || (id === 0x0b && owner === PacketType.PUBLISH);

function readProperty(into: Properties, id: number, reader: Reader): void {
  switch (id) {
    case 0x01:
      into.payloadFormatIndicator = bit(id, reader.u8());
      break;
    case 0x02:
      into.messageExpiryInterval = reader.u32();
      break;
    case 0x03:
      into.contentType = reader.text();
      break;
    case 0x08:
      into.responseTopic = responseTopic(reader.text());
      break;
    case 0x09:
      into.correlationData = reader.binary();
      break;
    case 0x0b:
      into.subscriptionIdentifier ??= [];
      into.subscriptionIdentifier.push(positive(id, reader.varint()));
      break;
    case 0x11:
      into.sessionExpiryInterval = reader.u32();
      break;
    case 0x12:
      into.assignedClientIdentifier = reader.text();
      break;
    case 0x13:
      into.serverKeepAlive = reader.u16();
      break;
    case 0x15:
      into.authenticationMethod = reader.text();
      break;
    case 0x16:
      into.authenticationData = reader.binary();
      break;
    case 0x17:
      into.requestProblemInformation = bit(id, reader.u8()) === 1;
      break;
    case 0x18:
      into.willDelayInterval = reader.u32();
      break;
    case 0x19:
      into.requestResponseInformation = bit(id, reader.u8()) === 1;
      break;
    case 0x1a:
      into.responseInformation = reader.text();
      break;
    case 0x1c:
      into.serverReference = reader.text();
      break;
    case 0x1f:
      into.reasonString = reader.text();
      break;
    case 0x21:
      into.receiveMaximum = positive(id, reader.u16());
      break;
    case 0x22:
      into.topicAliasMaximum = reader.u16();
      break;
    case 0x23:
      into.topicAlias = topicAlias(reader.u16());
      break;
    case 0x24:
      into.maximumQoS = bit(id, reader.u8());
      break;
    case 0x25:
      into.retainAvailable = bit(id, reader.u8()) === 1;
      break;
    case 0x26:
      into.userProperty ??= [];
      if (into.userProperty.length === USER_PROPERTIES_MAX)
        throw new MqttError(ReasonCode.QuotaExceeded, `more than ${USER_PROPERTIES_MAX} user properties`);
      into.userProperty.push([reader.text(), reader.text()]);
      break;
    case 0x27:
      into.maximumPacketSize = positive(id, reader.u32());
      break;
    case 0x28:
      into.wildcardSubscriptionAvailable = bit(id, reader.u8()) === 1;
      break;
    case 0x29:
      into.subscriptionIdentifierAvailable = bit(id, reader.u8()) === 1;
      break;
    case 0x2a:
      into.sharedSubscriptionAvailable = bit(id, reader.u8()) === 1;
      break;
  }
}

function responseTopic(topic: string): string {
  if (isValidTopic(topic)) return topic;
  throw protocolError('invalid response topic'); // [MQTT-3.3.2-14] [MQTT-4.7.3-1]
}

function topicAlias(alias: number): number {
  if (alias > 0) return alias;
  throw new MqttError(ReasonCode.TopicAliasInvalid, 'topic alias must not be 0'); // [MQTT-3.3.2-8]
}

/** The bytes of the properties without their length, as `decodeProperties` takes them. */
export function encodeProperties(properties: Properties): Uint8Array<ArrayBuffer> {
  const out = new Writer();
  const p = properties;
  if (p.payloadFormatIndicator !== undefined) out.u8(0x01).u8(p.payloadFormatIndicator);
  if (p.messageExpiryInterval !== undefined) out.u8(0x02).u32(p.messageExpiryInterval);
  if (p.contentType !== undefined) out.u8(0x03).text(p.contentType);
  if (p.responseTopic !== undefined) out.u8(0x08).text(p.responseTopic);
  if (p.correlationData !== undefined) out.u8(0x09).binary(p.correlationData);
  for (const id of p.subscriptionIdentifier ?? []) out.u8(0x0b).varint(id);
  if (p.sessionExpiryInterval !== undefined) out.u8(0x11).u32(p.sessionExpiryInterval);
  if (p.assignedClientIdentifier !== undefined) out.u8(0x12).text(p.assignedClientIdentifier);
  if (p.serverKeepAlive !== undefined) out.u8(0x13).u16(p.serverKeepAlive);
  if (p.authenticationMethod !== undefined) out.u8(0x15).text(p.authenticationMethod);
  if (p.authenticationData !== undefined) out.u8(0x16).binary(p.authenticationData);
  if (p.requestProblemInformation !== undefined) out.u8(0x17).u8(Number(p.requestProblemInformation));
  if (p.willDelayInterval !== undefined) out.u8(0x18).u32(p.willDelayInterval);
  if (p.requestResponseInformation !== undefined) out.u8(0x19).u8(Number(p.requestResponseInformation));
  if (p.responseInformation !== undefined) out.u8(0x1a).text(p.responseInformation);
  if (p.serverReference !== undefined) out.u8(0x1c).text(p.serverReference);
  if (p.reasonString !== undefined) out.u8(0x1f).text(p.reasonString);
  if (p.receiveMaximum !== undefined) out.u8(0x21).u16(p.receiveMaximum);
  if (p.topicAliasMaximum !== undefined) out.u8(0x22).u16(p.topicAliasMaximum);
  if (p.topicAlias !== undefined) out.u8(0x23).u16(p.topicAlias);
  if (p.maximumQoS !== undefined) out.u8(0x24).u8(p.maximumQoS);
  if (p.retainAvailable !== undefined) out.u8(0x25).u8(Number(p.retainAvailable));
  for (const [name, value] of p.userProperty ?? []) out.u8(0x26).text(name).text(value);
  if (p.maximumPacketSize !== undefined) out.u8(0x27).u32(p.maximumPacketSize);
  if (p.wildcardSubscriptionAvailable !== undefined) out.u8(0x28).u8(Number(p.wildcardSubscriptionAvailable));
  if (p.subscriptionIdentifierAvailable !== undefined) {
    out.u8(0x29).u8(Number(p.subscriptionIdentifierAvailable));
  }
  if (p.sharedSubscriptionAvailable !== undefined) out.u8(0x2a).u8(Number(p.sharedSubscriptionAvailable));
  return out.bytes();
}
