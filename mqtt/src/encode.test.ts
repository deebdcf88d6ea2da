import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyPacket, cases } from './arbitraries.ts';
import { decodePacket } from './decode.ts';
import {
  connackReturnCode,
  DISCONNECT_FRAME,
  encodeAck,
  encodePacket,
  encodePublish,
  PINGREQ_FRAME,
  PINGRESP_FRAME,
  patchPacketId,
  publishBytes,
  writePublish,
} from './encode.ts';
import { Framer } from './framer.ts';
import { type Packet, PacketType, type Properties, type ProtocolVersion } from './packets.ts';
import { encodeProperties } from './properties.ts';
import type { Role } from './publish.ts';
import { ReasonCode } from './reason-codes.ts';
import { encodeUtf8 } from './utf8.ts';

function decodeAll(bytes: Uint8Array, version: ProtocolVersion, role: Role): Packet[] {
  const packets: Packet[] = [];
  const framer = new Framer(1 << 28);
  framer.push(bytes, (header, buf, start, end) =>
    packets.push(decodePacket(header, buf, start, end, version, role)),
  );
  expect(framer.pendingBytes).toBe(0);
  return packets;
}

describe.each(cases)('$name of version $version to a $role', ({ version, role, packet }) => {
  test('what is written is read back the same', () => {
    fc.assert(
      fc.property(packet, (one) => {
        expect(decodeAll(encodePacket(one, version), version, role)).toEqual([one]);
      }),
      { numRuns: 60 },
    );
  });
});

test('a packet above the maximum loses what explains it, or is refused [MQTT-3.2.2-19] [MQTT-3.2.2-20]', () => {
  fc.assert(
    fc.property(anyPacket, fc.nat({ max: 200 }), ({ packet, version, role }, max) => {
      let bytes: Uint8Array;
      try {
        bytes = encodePacket(packet, version, max);
      } catch (error) {
        expect(error).toMatchObject({ reasonCode: ReasonCode.PacketTooLarge });
        return;
      }
      expect(bytes.length).toBeLessThanOrEqual(max);
      const [read] = decodeAll(bytes, version, role);
      if (!('properties' in packet)) {
        expect(read).toEqual(packet);
        return;
      }
      const { properties } = read as { properties: Properties };
      if (packet.type === PacketType.CONNACK)
        expect(fullConnack(properties)).toMatchObject(withoutOffers(packet.properties));
      else {
        const { userProperty: _, ...withoutUser } = packet.properties;
        const { reasonString: __, ...without } = withoutUser;
        expect([packet.properties, withoutUser, without]).toContainEqual(properties);
      }
      expect({ ...read, properties: {} }).toEqual({ ...packet, properties: {} });
    }),
    { numRuns: 1000 },
  );
});

/** What it means: sections 3.2.2.3.3 to 3.2.2.3.13. */
const fullConnack = (properties: Properties): Properties => ({
  receiveMaximum: 65_535,
  topicAliasMaximum: 0,
  retainAvailable: true,
  wildcardSubscriptionAvailable: true,
  subscriptionIdentifierAvailable: true,
  sharedSubscriptionAvailable: true,
  ...properties,
});
const withoutOffers = ({
  userProperty: _,
  reasonString: __,
  responseInformation: ___,
  topicAliasMaximum: ____,
  ...rest
}: Properties): Properties => rest;

test('CONNACK loses its defaults before anything else, and offers at last', () => {
  const connack: Packet = {
    type: PacketType.CONNACK,
    sessionPresent: false,
    reasonCode: 0,
    properties: {
      ...fullConnack({}),
      topicAliasMaximum: 10,
      maximumPacketSize: 1000,
      responseInformation: 'r/',
      reasonString: 'why',
      userProperty: [['a', 'b']],
    },
  };
  const left: string[][] = [];
  for (let max = encodePacket(connack, 5).length; ; ) {
    const bytes = encodePacket(connack, 5, max);
    const [read] = decodeAll(bytes, 5, 'client');
    left.push(Object.keys((read as { properties: Properties }).properties).sort());
    if (left.at(-1)!.length === 1) break;
    max = bytes.length - 1;
  }
  const names = [
    'maximumPacketSize',
    'topicAliasMaximum',
    'responseInformation',
    'reasonString',
    'userProperty',
  ];
  const upTo = (count: number) => names.slice(0, count).sort();
  expect(left.slice(1)).toEqual([upTo(5), upTo(4), upTo(3), upTo(2), upTo(1)]);
});

type Answer = Extract<Packet, { reasonCode: unknown } | { reasonCodes: unknown }>;

const reasonString = 'quota of this hour is used up';
const properties: Properties = { reasonString, userProperty: [['retry', '60']] };
const answers = {
  CONNACK: {
    type: PacketType.CONNACK,
    properties,
    sessionPresent: false,
    reasonCode: ReasonCode.QuotaExceeded,
  },
  PUBACK: { type: PacketType.PUBACK, properties, packetId: 1, reasonCode: ReasonCode.QuotaExceeded },
  PUBREC: { type: PacketType.PUBREC, properties, packetId: 1, reasonCode: ReasonCode.QuotaExceeded },
  PUBREL: {
    type: PacketType.PUBREL,
    properties,
    packetId: 1,
    reasonCode: ReasonCode.PacketIdentifierNotFound,
  },
  PUBCOMP: {
    type: PacketType.PUBCOMP,
    properties,
    packetId: 1,
    reasonCode: ReasonCode.PacketIdentifierNotFound,
  },
  SUBACK: { type: PacketType.SUBACK, properties, packetId: 1, reasonCodes: [ReasonCode.QuotaExceeded] },
  UNSUBACK: { type: PacketType.UNSUBACK, properties, packetId: 1, reasonCodes: [ReasonCode.NotAuthorized] },
  DISCONNECT: { type: PacketType.DISCONNECT, properties, reasonCode: ReasonCode.QuotaExceeded },
} satisfies Record<string, Answer>;

test.each<[string, Answer, number[]]>([
  [
    'CONNACK loses its user properties, then its reason string [MQTT-3.2.2-19] [MQTT-3.2.2-20]',
    answers.CONNACK,
    [0x20, 3, 0, 0x97, 0],
  ],
  [
    'PUBACK loses its user properties, then its reason string [MQTT-3.4.2-2] [MQTT-3.4.2-3]',
    answers.PUBACK,
    [0x40, 3, 0, 1, 0x97],
  ],
  [
    'PUBREC loses its user properties, then its reason string [MQTT-3.5.2-2] [MQTT-3.5.2-3]',
    answers.PUBREC,
    [0x50, 3, 0, 1, 0x97],
  ],
  [
    'PUBREL loses its user properties, then its reason string [MQTT-3.6.2-2] [MQTT-3.6.2-3]',
    answers.PUBREL,
    [0x62, 3, 0, 1, 0x92],
  ],
  [
    'PUBCOMP loses its user properties, then its reason string [MQTT-3.7.2-2] [MQTT-3.7.2-3]',
    answers.PUBCOMP,
    [0x70, 3, 0, 1, 0x92],
  ],
  [
    'SUBACK loses its user properties, then its reason string [MQTT-3.9.2-1] [MQTT-3.9.2-2]',
    answers.SUBACK,
    [0x90, 4, 0, 1, 0, 0x97],
  ],
  [
    'UNSUBACK loses its user properties, then its reason string [MQTT-3.11.2-1] [MQTT-3.11.2-2]',
    answers.UNSUBACK,
    [0xb0, 4, 0, 1, 0, 0x87],
  ],
  [
    'DISCONNECT loses its user properties, then its reason string [MQTT-3.14.2-3] [MQTT-3.14.2-4]',
    answers.DISCONNECT,
    [0xe0, 1, 0x97],
  ],
])('%s', (_name, packet, bare) => {
  const whole = encodePacket(packet, 5);
  expect(decodeAll(encodePacket(packet, 5, whole.length), 5, 'client')).toEqual([packet]);
  expect(decodeAll(encodePacket(packet, 5, whole.length - 1), 5, 'client')).toEqual([
    { ...packet, properties: { reasonString } },
  ]);
  expect(encodePacket(packet, 5, 20)).toEqual(Uint8Array.from(bare));
});

test('user properties of AUTH go first, then its reason string, its method never [MQTT-3.15.2-2] [MQTT-3.15.2-3]', () => {
  const authenticationMethod = 'SCRAM';
  const reasonString = 'one more step is needed';
  const packet = (properties: Properties): Packet => ({
    type: PacketType.AUTH,
    reasonCode: ReasonCode.ContinueAuthentication,
    properties: { authenticationMethod, ...properties },
  });
  const whole = packet({ reasonString, userProperty: [['a', 'b']] });
  const bytes = encodePacket(whole, 5).length;
  expect(decodeAll(encodePacket(whole, 5, bytes - 1), 5, 'client')).toEqual([packet({ reasonString })]);
  expect(decodeAll(encodePacket(whole, 5, 20), 5, 'client')).toEqual([packet({})]);
});

test.each<[string, Packet]>([
  [
    'a message',
    {
      type: 3,
      topic: 'a',
      payload: new Uint8Array(0),
      qos: 0,
      retain: false,
      dup: false,
      packetId: 0,
      properties: { userProperty: [['k', 'v']] },
    },
  ],
  ['a request', { type: 10, packetId: 1, filters: ['a'], properties: { userProperty: [['k', 'v']] } }],
])('the user properties of %s are never dropped [MQTT-3.3.2-17]', (_, packet) => {
  const { length } = encodePacket(packet, 5);
  expect(() => encodePacket(packet, 5, length - 1)).toThrow(
    expect.objectContaining({ reasonCode: ReasonCode.PacketTooLarge }),
  );
});

test.each([
  [PacketType.PUBACK, 5, 0x10, [0x40, 3, 0x12, 0x34, 0x10]],
  [PacketType.PUBACK, 5, 0, [0x40, 2, 0x12, 0x34]],
  [PacketType.PUBREC, 4, 0x80, [0x50, 2, 0x12, 0x34]],
  [PacketType.PUBREL, 5, 0x92, [0x62, 3, 0x12, 0x34, 0x92]],
  [PacketType.PUBREL, 3, 0, [0x62, 2, 0x12, 0x34]],
  [PacketType.PUBCOMP, 5, 0, [0x70, 2, 0x12, 0x34]],
] as const)(
  'an acknowledgement of type %i, version %i, reason code %i is as short as can be',
  (type, version, code, bytes) => {
    expect([...encodeAck(type, 0x1234, code, version)]).toEqual(bytes);
  },
);

test('packets that never differ are constants', () => {
  expect(decodeAll(PINGREQ_FRAME, 4, 'server')).toEqual([{ type: PacketType.PINGREQ }]);
  expect(decodeAll(PINGRESP_FRAME, 4, 'client')).toEqual([{ type: PacketType.PINGRESP }]);
  expect(decodeAll(DISCONNECT_FRAME, 5, 'server')).toEqual([
    { type: PacketType.DISCONNECT, reasonCode: 0, properties: {} },
  ]);
});

test('before 5.0 every refusal of a subscription is 0x80, and an unsubscription has no codes', () => {
  const suback: Packet = {
    type: PacketType.SUBACK,
    packetId: 1,
    reasonCodes: [2, 0x87, 0x8f],
    properties: {},
  };
  expect([...encodePacket(suback, 4)]).toEqual([0x90, 5, 0, 1, 2, 0x80, 0x80]);
  const unsuback: Packet = { type: PacketType.UNSUBACK, packetId: 1, reasonCodes: [0x11], properties: {} };
  expect([...encodePacket(unsuback, 4)]).toEqual([0xb0, 2, 0, 1]);
});

test('a shared frame gets its packet identifier where it says, also inside a larger buffer', () => {
  for (const version of [4, 5] as const) {
    for (const payloadBytes of [0, 5, 127, 128, 20_000]) {
      const payload = new Uint8Array(payloadBytes).fill(7);
      const { bytes, packetIdOffset } = encodePublish(
        encodeUtf8('a/b'),
        null,
        payload,
        1,
        false,
        false,
        version,
      );
      const out = new Uint8Array(bytes.length + 3);
      out.set(bytes, 3);
      patchPacketId(out, packetIdOffset, 0xabcd, 3);
      expect(decodeAll(out.subarray(3), version, 'client')).toMatchObject([
        { packetId: 0xabcd, topic: 'a/b' },
      ]);
      patchPacketId(bytes, packetIdOffset, 0x0102);
      expect(bytes.subarray(packetIdOffset, packetIdOffset + 2)).toEqual(Uint8Array.of(1, 2));
    }
  }
});

test('frames that share a buffer do not overlap', () => {
  const frames = Array.from({ length: 2000 }, (_, i) =>
    encodePublish(encodeUtf8(`t/${i}`), null, new Uint8Array(i % 90).fill(i), 0, false, false, 4),
  );
  frames.forEach(({ bytes }, i) => {
    expect(decodeAll(bytes, 4, 'client')[0]).toMatchObject({
      topic: `t/${i}`,
      payload: new Uint8Array(i % 90).fill(i),
    });
  });
});

test('a message written into a buffer takes exactly the bytes foretold', () => {
  const properties: Properties = { contentType: 'x'.repeat(200) };
  const raw = encodeProperties(properties);
  const topic = encodeUtf8('t');
  const payload = new Uint8Array(100).fill(1);
  for (const qos of [0, 1, 2] as const) {
    const size = publishBytes(topic.length, raw.length, payload.length, qos, 5);
    const out = new Uint8Array(size + 10);
    expect(writePublish(out, 5, topic, raw, payload, qos, true, qos > 0, qos === 0 ? 0 : 9, 5)).toBe(
      5 + size,
    );
    expect(out.subarray(0, 5).every((byte) => byte === 0)).toBe(true);
    expect(out.subarray(5 + size).every((byte) => byte === 0)).toBe(true);
    expect(decodeAll(out.subarray(5, 5 + size), 5, 'client')).toEqual([
      {
        type: 3,
        topic: 't',
        payload,
        qos,
        retain: true,
        dup: qos > 0,
        packetId: qos === 0 ? 0 : 9,
        properties,
      },
    ]);
  }
});

test.each<[string, () => unknown]>([
  ['U+0000 in a topic', () => encodePacket({ ...connectPacket, clientid: 'a\0' }, 5)],
  ['a lone surrogate', () => encodePacket({ ...connectPacket, clientid: '\ud800' }, 5)],
  ['a string of 65536 bytes', () => encodePacket({ ...connectPacket, clientid: 'é'.repeat(32768) }, 5)],
  ['packet identifier 0', () => encodePacket({ type: 4, packetId: 0, reasonCode: 0, properties: {} }, 5)],
  [
    'packet identifier 65536',
    () => encodePacket({ type: 4, packetId: 65536, reasonCode: 0, properties: {} }, 5),
  ],
  ['AUTH before 5.0', () => encodePacket({ type: 15, reasonCode: 0, properties: {} }, 4)],
  [
    'a password without a username in 3.1.1',
    () => encodePacket({ ...connectPacket, password: Uint8Array.of(1) }, 4),
  ],
  ['a packet above 256 MB', () => publishBytes(1, 0, 268_435_453, 0, 4)],
])('%s is the mistake of the caller, who gets a RangeError', (_, run) => {
  expect(run).toThrow(RangeError);
});

const connectPacket = {
  type: PacketType.CONNECT,
  protocolVersion: 5,
  bridge: false,
  cleanStart: true,
  keepAlive: 0,
  clientid: '',
  username: null,
  password: null,
  will: null,
  properties: {},
} as const;

test.each([
  [ReasonCode.Success, 0],
  [ReasonCode.UnsupportedProtocolVersion, 1],
  [ReasonCode.ClientIdentifierNotValid, 2],
  [ReasonCode.ServerUnavailable, 3],
  [ReasonCode.ServerBusy, 3],
  [ReasonCode.QuotaExceeded, 3],
  [ReasonCode.BadUserNameOrPassword, 4],
  [ReasonCode.NotAuthorized, 5],
  [ReasonCode.Banned, 5],
])('CONNACK reason code %i is return code %i for a client of 3.x', (code, returnCode) => {
  expect(connackReturnCode(code)).toBe(returnCode);
});
