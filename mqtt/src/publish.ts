import { PacketType, type Properties, type ProtocolVersion, type QoS } from './packets.ts';
import { decodeProperties } from './properties.ts';
import { MqttError, malformed, protocolError, ReasonCode } from './reason-codes.ts';
import { decodeUtf8 } from './utf8.ts';

/** Which side reads: a server and a client may not send each other the same packets. */
export type Role = 'server' | 'client';

/** Where the parts of one PUBLISH lie in its buffer. One object serves all messages of a connection. */
export class PublishScan {
  qos: QoS = 0;
  retain = false;
  dup = false;
  packetId = 0; // 0 with QoS 0
  topicStart = 0;
  topicEnd = 0;
  propsStart = 0; // the properties without their length; empty before 5.0
  propsEnd = 0;
  payloadStart = 0;
  end = 0;
}

/**
 * Finds the parts of the PUBLISH in `buf[start, end)`, its body, and fills `out`. `flags` are the low four bits of
 * the header (the whole header may be given). Topic and properties are only measured here: read them with
 * `readTopic` and `readPublishProperties`.
 */
export function scanPublish(
  flags: number,
  buf: Uint8Array,
  start: number,
  end: number,
  version: ProtocolVersion,
  out: PublishScan,
): void {
  const qos = (flags >> 1) & 3;
  if (qos === 3) throw malformed('QoS 3'); // [MQTT-3.3.1-4]
  const dup = (flags & 0x08) !== 0;
  // [MQTT-3.3.1-2]; 3.1 does not forbid the bit, it means nothing there
  if (dup && qos === 0 && version !== 3) throw malformed('DUP with QoS 0');
  if (start + 2 > end) throw malformed('packet ends too early');
  const topicStart = start + 2;
  const topicEnd = topicStart + ((buf[start]! << 8) | buf[start + 1]!);
  let pos = topicEnd;
  let packetId = 0;
  if (qos > 0) {
    pos += 2;
    if (pos > end) throw malformed('packet ends too early');
    packetId = (buf[topicEnd]! << 8) | buf[topicEnd + 1]!;
    if (packetId === 0) throw protocolError('packet identifier 0'); // [MQTT-2.2.1-3]
  }
  if (pos > end) throw malformed('packet ends too early');
  let propsStart = pos;
  if (version === 5) {
    if (pos === end) throw malformed('property length is missing');
    let length = buf[pos++]!;
    if (length > 0x7f) {
      length &= 0x7f;
      for (let shift = 7; ; shift += 7) {
        if (pos === end) throw malformed('packet ends too early');
        if (shift > 21) throw malformed('variable byte integer is longer than four bytes');
        const byte = buf[pos++]!;
        length |= (byte & 0x7f) << shift;
        if (byte > 0x7f) continue;
        if (byte === 0) throw malformed('variable byte integer is not minimal'); // [MQTT-1.5.5-1]
        break;
      }
    }
    propsStart = pos;
    pos += length;
    if (pos > end) throw malformed('packet ends too early');
  }
  if (topicStart === topicEnd && propsStart === pos) {
    if (version === 5) throw protocolError('neither topic nor topic alias'); // section 3.3.2.1
    throw new MqttError(ReasonCode.TopicNameInvalid, 'empty topic'); // [MQTT-4.7.3-1]
  }
  out.qos = qos as QoS;
  out.retain = (flags & 0x01) !== 0;
  out.dup = dup && qos > 0;
  out.packetId = packetId;
  out.topicStart = topicStart;
  out.topicEnd = topicEnd;
  out.propsStart = propsStart;
  out.propsEnd = pos;
  out.payloadStart = pos;
  out.end = end;
}

/** The topic in `buf[start, end)`, checked: strict UTF-8, not empty, no wildcards. */
export function readTopic(buf: Uint8Array, start: number, end: number): string {
  if (start === end) throw new MqttError(ReasonCode.TopicNameInvalid, 'empty topic'); // [MQTT-4.7.3-1]
  for (let i = start; i < end; i++) {
    const byte = buf[i]!;
    if (byte === 0x2b || byte === 0x23) {
      throw new MqttError(ReasonCode.TopicNameInvalid, 'topic contains a wildcard'); // [MQTT-3.3.2-2]
    }
  }
  return decodeUtf8(buf, start, end);
}

/** The properties of a scanned PUBLISH, with the rules that tie them to the rest. Call it when they are not empty. */
export function readPublishProperties(buf: Uint8Array, scan: PublishScan, role: Role): Properties {
  const properties = decodeProperties(buf, scan.propsStart, scan.propsEnd, PacketType.PUBLISH);
  if (role === 'server' && properties.subscriptionIdentifier) {
    throw protocolError('subscription identifier in a PUBLISH to the server'); // [MQTT-3.3.4-6]
  }
  if (scan.topicStart === scan.topicEnd && properties.topicAlias === undefined) {
    throw protocolError('neither topic nor topic alias'); // section 3.3.2.1
  }
  return properties;
}
