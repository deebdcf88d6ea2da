import { MqttError } from '@mqdeck/mqtt/reason-codes';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decode, decodeEncapsulated } from './decode.ts';
import { encode, encodeEncapsulated } from './encode.ts';
import { MsgType, type Packet, type SnQos, type SubscribedTopic, type TopicRef } from './packets.ts';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');
const ascii = (text: string) => Buffer.from(text).toString('hex');

/** Each written by hand from the tables of section 5.4. */
const examples: [name: string, bytes: string, packet: Packet][] = [
  ['ADVERTISE', '05 00 07 0384', { type: MsgType.ADVERTISE, gatewayId: 7, duration: 900 }],
  ['SEARCHGW', '03 01 02', { type: MsgType.SEARCHGW, radius: 2 }],
  ['GWINFO of a gateway', '03 02 07', { type: MsgType.GWINFO, gatewayId: 7, address: new Uint8Array(0) }],
  [
    'GWINFO of a client',
    '05 02 07 0a0b',
    { type: MsgType.GWINFO, gatewayId: 7, address: Uint8Array.of(10, 11) },
  ],
  [
    'CONNECT',
    `09 04 0c 01 003c ${ascii('abc')}`,
    {
      type: MsgType.CONNECT,
      will: true,
      cleanSession: true,
      protocolId: 1,
      duration: 60,
      clientid: 'abc',
    },
  ],
  ['CONNACK', '03 05 01', { type: MsgType.CONNACK, code: 1 }],
  ['WILLTOPICREQ', '02 06', { type: MsgType.WILLTOPICREQ }],
  ['WILLTOPIC', `05 07 30 ${ascii('w/')}`, { type: MsgType.WILLTOPIC, topic: 'w/', qos: 1, retain: true }],
  ['an empty WILLTOPIC', '02 07', { type: MsgType.WILLTOPIC, topic: null, qos: 0, retain: false }],
  ['WILLMSGREQ', '02 08', { type: MsgType.WILLMSGREQ }],
  ['WILLMSG', '04 09 ff00', { type: MsgType.WILLMSG, message: Uint8Array.of(255, 0) }],
  [
    'REGISTER',
    `09 0a 0000 0102 ${ascii('a/b')}`,
    { type: MsgType.REGISTER, topicId: 0, msgId: 258, name: 'a/b' },
  ],
  ['REGACK', '07 0b 0005 0102 02', { type: MsgType.REGACK, topicId: 5, msgId: 258, code: 2 }],
  [
    'PUBLISH',
    `09 0c b0 0005 0102 ${ascii('hi')}`,
    {
      type: MsgType.PUBLISH,
      dup: true,
      qos: 1,
      retain: true,
      topic: { kind: 'normal', id: 5 },
      msgId: 258,
      data: Uint8Array.from(Buffer.from('hi')),
    },
  ],
  [
    'PUBLISH with QoS -1',
    `09 0c 61 03e9 0000 ${ascii('hi')}`,
    {
      type: MsgType.PUBLISH,
      dup: false,
      qos: -1,
      retain: false,
      topic: { kind: 'predefined', id: 1001 },
      msgId: 0,
      data: Uint8Array.from(Buffer.from('hi')),
    },
  ],
  [
    'PUBLISH to a short topic',
    `07 0c 42 ${ascii('ab')} 0001`,
    {
      type: MsgType.PUBLISH,
      dup: false,
      qos: 2,
      retain: false,
      topic: { kind: 'short', name: 'ab' },
      msgId: 1,
      data: new Uint8Array(0),
    },
  ],
  ['PUBACK', '07 0d 0005 0102 00', { type: MsgType.PUBACK, topicId: 5, msgId: 258, code: 0 }],
  ['PUBCOMP', '04 0e 0102', { type: MsgType.PUBCOMP, msgId: 258 }],
  ['PUBREC', '04 0f 0102', { type: MsgType.PUBREC, msgId: 258 }],
  ['PUBREL', '04 10 0102', { type: MsgType.PUBREL, msgId: 258 }],
  [
    'SUBSCRIBE by name',
    `08 12 a0 0102 ${ascii('a/#')}`,
    { type: MsgType.SUBSCRIBE, dup: true, qos: 1, msgId: 258, topic: { kind: 'name', name: 'a/#' } },
  ],
  [
    'SUBSCRIBE to a predefined id',
    '07 12 41 0102 0005',
    { type: MsgType.SUBSCRIBE, dup: false, qos: 2, msgId: 258, topic: { kind: 'predefined', id: 5 } },
  ],
  ['SUBACK', '08 13 20 0005 0102 00', { type: MsgType.SUBACK, qos: 1, topicId: 5, msgId: 258, code: 0 }],
  [
    'UNSUBSCRIBE of a short topic',
    `07 14 02 0102 ${ascii('ab')}`,
    { type: MsgType.UNSUBSCRIBE, msgId: 258, topic: { kind: 'short', name: 'ab' } },
  ],
  ['UNSUBACK', '04 15 0102', { type: MsgType.UNSUBACK, msgId: 258 }],
  ['PINGREQ', '02 16', { type: MsgType.PINGREQ, clientid: null }],
  ['PINGREQ of a sleeper', `05 16 ${ascii('abc')}`, { type: MsgType.PINGREQ, clientid: 'abc' }],
  ['PINGRESP', '02 17', { type: MsgType.PINGRESP }],
  ['DISCONNECT', '02 18', { type: MsgType.DISCONNECT, duration: null }],
  ['DISCONNECT to sleep', '04 18 012c', { type: MsgType.DISCONNECT, duration: 300 }],
  [
    'WILLTOPICUPD',
    `04 1a 40 ${ascii('w')}`,
    { type: MsgType.WILLTOPICUPD, topic: 'w', qos: 2, retain: false },
  ],
  ['WILLTOPICRESP', '03 1b 00', { type: MsgType.WILLTOPICRESP, code: 0 }],
  ['WILLMSGUPD', '02 1c', { type: MsgType.WILLMSGUPD, message: new Uint8Array(0) }],
  ['WILLMSGRESP', '03 1d 03', { type: MsgType.WILLMSGRESP, code: 3 }],
];

test.each(examples)('%s is read and written as section 5.4 has it', (_, bytes, packet) => {
  expect(decode(hex(bytes))).toEqual(packet);
  expect(Buffer.from(encode(packet)).toString('hex')).toBe(bytes.replaceAll(' ', ''));
});

test('a message of 256 bytes and more has its length in three bytes', () => {
  const publish = (length: number): Packet => ({
    type: MsgType.PUBLISH,
    dup: false,
    qos: 0,
    retain: false,
    topic: { kind: 'normal', id: 1 },
    msgId: 0,
    data: new Uint8Array(length),
  });
  expect([...encode(publish(248)).subarray(0, 2)]).toEqual([255, MsgType.PUBLISH]);
  expect([...encode(publish(249)).subarray(0, 4)]).toEqual([1, 1, 2, MsgType.PUBLISH]);
  expect(decode(encode(publish(249)))).toEqual(publish(249));
  expect(() => encode(publish(65_530))).toThrow(RangeError);
});

test('three bytes of length are read for a short message too', () => {
  expect(decode(hex('01 0004 16'))).toEqual({ type: MsgType.PINGREQ, clientid: null });
});

test.each([
  ['nothing', ''],
  ['one byte', '02'],
  ['a length of zero', '00 16'],
  ['a length beyond the datagram', '03 16'],
  ['bytes behind the message', '02 17 00'],
  ['a long length that is cut', '01 00'],
  ['a long length that says 1', '01 0001 16'],
  ['a reserved type', '02 03'],
  ['a type that nobody has', '02 7f'],
  ['a CONNECT that ends in its duration', '05 04 04 01 00'],
  ['a PUBLISH with a reserved topic id type', '07 0c 03 0001 0000'],
  ['a PUBLISH of QoS 1 without message id', '07 0c 20 0001 0000'],
  ['a SUBSCRIBE to half a predefined id', '06 12 01 0001 05'],
  ['a short topic that is no UTF-8', '07 0c 02 ffff 0000'],
  ['a name with U+0000', '07 0a 0000 0001 00'],
  ['a DISCONNECT with half a duration', '03 18 01'],
  ['a forwarder behind a forwarder', '03 fe 00 03 fe 00 02 16'],
])('%s is refused', (_, bytes) => {
  expect(() => decode(hex(bytes))).toThrow(MqttError);
});

test('a forwarder names the node that a message is from', () => {
  const datagram = hex('06 fe 01 0a0b0c 02 16');
  expect(decodeEncapsulated(datagram)).toEqual({
    radius: 1,
    node: Uint8Array.of(10, 11, 12),
    message: hex('02 16'),
  });
  expect(decodeEncapsulated(hex('02 16'))).toBeNull();
  for (const wrong of ['02 fe', '00 fe 00', '09 fe 00 01'])
    expect(() => decodeEncapsulated(hex(wrong))).toThrow(MqttError);
});

const u8 = fc.nat(0xff);
const u16 = fc.nat(0xffff);
const id = fc.integer({ min: 1, max: 0xffff });
const bytes = fc.uint8Array({ maxLength: 400 });
const text = fc.string({ unit: 'binary', maxLength: 40 }).map((any) => any.replaceAll('\0', ''));
const qos = fc.constantFrom<SnQos>(-1, 0, 1, 2);
const flag = fc.boolean();
const predefined = fc.record({ kind: fc.constant('predefined' as const), id: u16 });
const short = fc.record({ kind: fc.constant('short' as const), name: fc.constantFrom('ab', '/x', 'é') });
const topicRef: fc.Arbitrary<TopicRef> = fc.oneof(
  fc.record({ kind: fc.constant('normal' as const), id: u16 }),
  predefined,
  short,
);
const subscribed: fc.Arbitrary<SubscribedTopic> = fc.oneof(
  fc.record({ kind: fc.constant('name' as const), name: text }),
  predefined,
  short,
);
const typed = <T extends Packet['type']>(...types: T[]) => fc.constantFrom(...types);

const anyPacket: fc.Arbitrary<Packet> = fc.oneof(
  fc.record({ type: typed(MsgType.ADVERTISE), gatewayId: u8, duration: u16 }),
  fc.record({ type: typed(MsgType.SEARCHGW), radius: u8 }),
  fc.record({ type: typed(MsgType.GWINFO), gatewayId: u8, address: bytes }),
  fc.record({
    type: typed(MsgType.CONNECT),
    will: flag,
    cleanSession: flag,
    protocolId: u8,
    duration: u16,
    clientid: text,
  }),
  fc.record({ type: typed(MsgType.CONNACK, MsgType.WILLTOPICRESP, MsgType.WILLMSGRESP), code: u8 }),
  fc.record({ type: typed(MsgType.WILLTOPICREQ, MsgType.WILLMSGREQ, MsgType.PINGRESP) }),
  fc.record({ type: typed(MsgType.WILLTOPIC, MsgType.WILLTOPICUPD), topic: text, qos, retain: flag }),
  fc.record({ type: typed(MsgType.WILLMSG, MsgType.WILLMSGUPD), message: bytes }),
  fc.record({ type: typed(MsgType.REGISTER), topicId: u16, msgId: u16, name: text }),
  fc.record({ type: typed(MsgType.REGACK, MsgType.PUBACK), topicId: u16, msgId: u16, code: u8 }),
  fc.record({
    type: typed(MsgType.PUBLISH),
    dup: flag,
    qos,
    retain: flag,
    topic: topicRef,
    msgId: id,
    data: bytes,
  }),
  fc.record({
    type: typed(MsgType.PUBREC, MsgType.PUBREL, MsgType.PUBCOMP, MsgType.UNSUBACK),
    msgId: u16,
  }),
  fc.record({ type: typed(MsgType.SUBSCRIBE), dup: flag, qos, topic: subscribed, msgId: u16 }),
  fc.record({ type: typed(MsgType.SUBACK), qos, topicId: u16, msgId: u16, code: u8 }),
  fc.record({ type: typed(MsgType.UNSUBSCRIBE), topic: subscribed, msgId: u16 }),
  fc.record({
    type: typed(MsgType.PINGREQ),
    clientid: fc.oneof(
      fc.constant(null),
      text.filter((any) => any !== ''),
    ),
  }),
  fc.record({ type: typed(MsgType.DISCONNECT), duration: fc.oneof(fc.constant(null), u16) }),
);

test('every message comes back as it was written', () => {
  fc.assert(
    fc.property(anyPacket, (packet) => {
      expect(decode(encode(packet))).toEqual(packet);
    }),
  );
  fc.assert(
    fc.property(u8, fc.uint8Array({ maxLength: 252 }), bytes, (radius, node, message) => {
      const written = encodeEncapsulated({ radius, node, message });
      expect(decodeEncapsulated(written)).toEqual({ radius: radius & 3, node, message });
    }),
  );
});

test('no bytes do more than be refused', () => {
  const survives = (datagram: Uint8Array) => {
    try {
      decodeEncapsulated(datagram);
      decode(datagram);
    } catch (error) {
      expect(error).toBeInstanceOf(MqttError);
    }
  };
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), survives), { numRuns: 2000 });
  fc.assert(
    fc.property(anyPacket, fc.nat(), u8, fc.boolean(), (packet, at, byte, cut) => {
      const datagram = encode(packet);
      datagram[at % datagram.length] = byte;
      survives(cut ? datagram.subarray(0, at % datagram.length) : datagram);
    }),
    { numRuns: 2000 },
  );
});
