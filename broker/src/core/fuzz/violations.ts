import { encodePacket } from '@mqdeck/mqtt/encode';
import { PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';

/** Bytes that end a connection, and the reason that the specification gives for it. */
export interface Violation {
  readonly name: string;
  readonly versions: readonly ProtocolVersion[];
  readonly bytes: (version: ProtocolVersion) => number[];
  /** Of the DISCONNECT for a 5.0 client; one of them. */
  readonly reasons: readonly number[];
}

const {
  MalformedPacket,
  ProtocolError,
  TopicNameInvalid,
  TopicFilterInvalid,
  TopicAliasInvalid,
  PacketTooLarge,
} = ReasonCode;

const text = (value: string): number[] => [value.length >> 8, value.length & 255, ...Buffer.from(value)];
const frame = (header: number, ...body: number[]): number[] => {
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return [header, ...length, ...body];
};
/** Properties of 5.0, nothing before. */
const properties = (version: ProtocolVersion, ...bytes: number[]): number[] =>
  version === 5 ? [bytes.length, ...bytes] : [];

const all: readonly ProtocolVersion[] = [3, 4, 5];
const newer: readonly ProtocolVersion[] = [4, 5];
const five: readonly ProtocolVersion[] = [5];

const violation = (
  name: string,
  versions: readonly ProtocolVersion[],
  reasons: readonly number[],
  bytes: Violation['bytes'],
): Violation => ({ name, versions, reasons, bytes });

export const violations: readonly Violation[] = [
  violation('a second CONNECT [MQTT-3.1.0-2]', all, [ProtocolError], (version) => [
    ...encodePacket(
      {
        type: PacketType.CONNECT,
        protocolVersion: version,
        bridge: false,
        cleanStart: true,
        keepAlive: 0,
        clientid: 'again',
        username: null,
        password: null,
        will: null,
        properties: {},
      },
      version,
    ),
  ]),
  violation('CONNACK from a client', all, [ProtocolError], (v) => frame(0x20, 0, 0, ...properties(v))),
  violation('SUBACK from a client', all, [ProtocolError], (v) => frame(0x90, 0, 1, ...properties(v), 0)),
  violation('UNSUBACK from a client', all, [ProtocolError], (v) => frame(0xb0, 0, 1, ...properties(v))),
  violation('PINGRESP from a client', all, [ProtocolError], () => frame(0xd0)),
  violation('packet type 0', all, [MalformedPacket], () => frame(0x00)),
  violation('AUTH without a method', five, [ProtocolError], () => frame(0xf0, 0x18, 0)),
  violation('packet type 15 before 5.0', [3, 4], [], () => frame(0xf0)),
  violation('QoS 3 [MQTT-3.3.1-4]', all, [MalformedPacket], (v) =>
    frame(0x36, ...text('t'), 0, 1, ...properties(v)),
  ),
  violation('DUP with QoS 0 [MQTT-3.3.1-2]', newer, [MalformedPacket], (v) =>
    frame(0x38, ...text('t'), ...properties(v)),
  ),
  violation('PUBLISH with packet id 0 [MQTT-2.2.1-3]', all, [ProtocolError], (v) =>
    frame(0x32, ...text('t'), 0, 0, ...properties(v)),
  ),
  violation('SUBSCRIBE with packet id 0 [MQTT-2.2.1-3]', all, [ProtocolError], (v) =>
    frame(0x82, 0, 0, ...properties(v), ...text('t'), 0),
  ),
  violation('UNSUBSCRIBE with packet id 0 [MQTT-2.2.1-3]', all, [ProtocolError], (v) =>
    frame(0xa2, 0, 0, ...properties(v), ...text('t')),
  ),
  violation('PUBACK with packet id 0 [MQTT-2.2.1-3]', all, [ProtocolError], () => frame(0x40, 0, 0)),
  violation('PUBREL with packet id 0 [MQTT-2.2.1-3]', all, [ProtocolError], () => frame(0x62, 0, 0)),
  violation('a wildcard in a topic [MQTT-3.3.2-2]', all, [TopicNameInvalid], (v) =>
    frame(0x30, ...text('a/+'), ...properties(v)),
  ),
  violation('an empty topic', [3, 4], [], (v) => frame(0x30, 0, 0, ...properties(v), 1)),
  violation('a topic of 200 levels', all, [TopicNameInvalid], (v) =>
    frame(0x30, ...text('/'.repeat(199)), ...properties(v)),
  ),
  violation('a topic that is no UTF-8 [MQTT-1.5.4-1]', all, [MalformedPacket], (v) =>
    frame(0x30, 0, 1, 0xff, ...properties(v)),
  ),
  violation('a surrogate in a topic [MQTT-1.5.4-1]', all, [MalformedPacket], (v) =>
    frame(0x30, 0, 3, 0xed, 0xa0, 0x80, ...properties(v)),
  ),
  violation('NUL in a topic [MQTT-1.5.4-2]', all, [MalformedPacket, TopicNameInvalid], (v) =>
    frame(0x30, 0, 1, 0, ...properties(v)),
  ),
  violation('a topic longer than its packet', all, [MalformedPacket], (v) =>
    frame(0x30, 0, 200, 1, ...properties(v)),
  ),
  violation('topic alias 0 [MQTT-3.3.2-8]', five, [TopicAliasInvalid], () =>
    frame(0x30, ...text('t'), 3, 0x23, 0, 0),
  ),
  violation('an unknown topic alias', five, [ProtocolError], () => frame(0x30, 0, 0, 3, 0x23, 0xff, 0xfe)),
  violation('neither topic nor alias', five, [ProtocolError], () => frame(0x30, 0, 0, 0)),
  violation('a subscription identifier from a client [MQTT-3.3.4-6]', five, [ProtocolError], () =>
    frame(0x30, ...text('t'), 2, 0x0b, 1),
  ),
  violation('a property twice', five, [ProtocolError], () => frame(0x30, ...text('t'), 4, 1, 0, 1, 0)),
  violation('a property of another packet', five, [MalformedPacket], () =>
    frame(0x30, ...text('t'), 3, 0x21, 0, 1),
  ),
  violation('properties longer than their packet', five, [MalformedPacket], () =>
    frame(0x30, ...text('t'), 9, 1),
  ),
  violation('payload format 2', five, [ProtocolError], () => frame(0x30, ...text('t'), 2, 1, 2)),
  violation('a wildcard in a response topic [MQTT-3.3.2-14]', five, [ProtocolError, TopicNameInvalid], () =>
    frame(0x30, ...text('t'), 4, 8, ...text('#')),
  ),
  violation('SUBSCRIBE without a filter [MQTT-3.8.3-2]', all, [ProtocolError], (v) =>
    frame(0x82, 0, 1, ...properties(v)),
  ),
  violation('UNSUBSCRIBE without a filter [MQTT-3.10.3-2]', all, [ProtocolError], (v) =>
    frame(0xa2, 0, 1, ...properties(v)),
  ),
  violation('a filter with a wildcard inside a level [MQTT-4.7.1-2]', all, [TopicFilterInvalid], (v) =>
    frame(0x82, 0, 1, ...properties(v), ...text('a#'), 0),
  ),
  violation('a shared filter without a group [MQTT-4.8.2-1]', all, [TopicFilterInvalid], (v) =>
    frame(0x82, 0, 1, ...properties(v), ...text('$share//t'), 0),
  ),
  violation('SUBSCRIBE with QoS 3', all, [ProtocolError], (v) =>
    frame(0x82, 0, 1, ...properties(v), ...text('t'), 3),
  ),
  violation('reserved bits of subscription options [MQTT-3.8.3-5]', newer, [MalformedPacket], (v) =>
    frame(0x82, 0, 1, ...properties(v), ...text('t'), 0xc0),
  ),
  violation('retain handling 3', five, [ProtocolError], (v) =>
    frame(0x82, 0, 1, ...properties(v), ...text('t'), 0x30),
  ),
  violation('no local on a shared filter [MQTT-3.8.3-4]', five, [ProtocolError], (v) =>
    frame(0x82, 0, 1, ...properties(v), ...text('$share/g/t'), 4),
  ),
  violation('subscription identifier 0', five, [ProtocolError], () =>
    frame(0x82, 0, 1, 2, 0x0b, 0, ...text('t'), 0),
  ),
  violation('flags of SUBSCRIBE [MQTT-3.8.1-1]', newer, [MalformedPacket], (v) =>
    frame(0x80, 0, 1, ...properties(v), ...text('t'), 0),
  ),
  violation('flags of PUBREL [MQTT-3.6.1-1]', newer, [MalformedPacket], () => frame(0x60, 0, 1)),
  violation('flags of PINGREQ [MQTT-2.1.3-1]', newer, [MalformedPacket], () => frame(0xc1)),
  violation('flags of DISCONNECT [MQTT-3.14.1-1]', newer, [MalformedPacket], () => frame(0xe1)),
  violation('bytes behind the end of PINGREQ', all, [MalformedPacket], () => frame(0xc0, 0)),
  violation('a length of five bytes', all, [MalformedPacket], () => [0x30, 0x80, 0x80, 0x80, 0x80, 1]),
  violation('a length that is not minimal [MQTT-1.5.5-1]', all, [MalformedPacket], () => [0xc0, 0x80, 0]),
  violation('more bytes than allowed [MQTT-3.2.2-15]', all, [PacketTooLarge], () => [
    0x30, 0xff, 0xff, 0xff, 0x7f, 0, 1,
  ]),
];
