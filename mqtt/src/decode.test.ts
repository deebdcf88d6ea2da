import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyPacket, roles, versions } from './arbitraries.ts';
import { decodeConnect, decodePacket } from './decode.ts';
import { encodePacket } from './encode.ts';
import { Framer } from './framer.ts';
import { PacketType, type ProtocolVersion } from './packets.ts';
import { isPermitted } from './permitted.ts';
import type { Role } from './publish.ts';
import { MqttError, reasonName } from './reason-codes.ts';

/** Hex digits with blanks and 'quoted' ASCII, e.g. `00 04 'MQTT' 04`. */
function bytesOf(notation: string): Uint8Array {
  const digits = notation.replaceAll(/'([^']*)'/g, (_, ascii: string) => Buffer.from(ascii).toString('hex'));
  return new Uint8Array(Buffer.from(digits.replaceAll(' ', ''), 'hex'));
}

function decode(version: ProtocolVersion, role: Role, header: number, body: string) {
  // Between other bytes, so that reading beyond the body would be noticed
  const buf = bytesOf(`ff ff ${body} ff ff`);
  return decodePacket(header, buf, 2, buf.length - 2, version, role);
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof MqttError && error.message !== '') return reasonName(error.reasonCode);
    throw error;
  }
  return 'accepted';
}

type Case = [what: string, version: ProtocolVersion, header: number, body: string, outcome: string];

const v4 = "0004 'MQTT' 04";
const v5 = "0004 'MQTT' 05";
const v3 = "0006 'MQIsdp' 03";

const toServer: Case[] = [
  ['packet type 0', 5, 0x00, '', 'MalformedPacket'],
  ['CONNACK to a server', 5, 0x20, '00 00 00', 'ProtocolError'],
  ['SUBACK to a server', 5, 0x90, '0001 00 00', 'ProtocolError'],
  ['UNSUBACK to a server', 5, 0xb0, '0001 00 00', 'ProtocolError'],
  ['PINGRESP to a server', 5, 0xd0, '', 'ProtocolError'],
  ['AUTH before 5.0', 4, 0xf0, '', 'MalformedPacket'],

  ['CONNECT with header flags [MQTT-2.1.3-1]', 4, 0x11, `${v4} 02 0000 0000`, 'MalformedPacket'],
  ['PUBACK with header flags [MQTT-2.1.3-1]', 4, 0x41, '0001', 'MalformedPacket'],
  ['PUBREL without its header flags [MQTT-2.1.3-1]', 4, 0x60, '0001', 'MalformedPacket'],
  ['PUBREL with DUP in 3.1.1', 4, 0x6a, '0001', 'MalformedPacket'],
  ['PUBREL with DUP in 3.1, which has it', 3, 0x6a, '0001', 'accepted'],
  ['PUBREL with QoS 0 in 3.1', 3, 0x60, '0001', 'MalformedPacket'],
  ['SUBSCRIBE without its header flags [MQTT-3.8.1-1]', 5, 0x80, "0001 00 0001 'a' 00", 'MalformedPacket'],
  ['UNSUBSCRIBE without its header flags [MQTT-3.10.1-1]', 5, 0xa0, "0001 00 0001 'a'", 'MalformedPacket'],
  ['PINGREQ with header flags [MQTT-2.1.3-1]', 5, 0xc1, '', 'MalformedPacket'],
  ['PINGREQ with a body', 5, 0xc0, '00', 'MalformedPacket'],

  ['CONNECT of 3.1', 3, 0x10, `${v3} 02 003c 0001 'c'`, 'accepted'],
  ['CONNECT of 3.1.1', 4, 0x10, `${v4} 02 003c 0001 'c'`, 'accepted'],
  ['CONNECT of 5.0', 5, 0x10, `${v5} 02 003c 00 0001 'c'`, 'accepted'],
  [
    'an unknown protocol level [MQTT-3.1.2-2]',
    5,
    0x10,
    "0004 'MQTT' 06 02 003c 0000",
    'UnsupportedProtocolVersion',
  ],
  ['level 3 under the name MQTT', 5, 0x10, "0004 'MQTT' 03 02 003c 0000", 'UnsupportedProtocolVersion'],
  ['level 4 under the name MQIsdp', 5, 0x10, "0006 'MQIsdp' 04 02 003c 0000", 'UnsupportedProtocolVersion'],
  [
    'another protocol name [MQTT-3.1.2-1]',
    5,
    0x10,
    "0004 'mqtt' 05 02 003c 00 0000",
    'UnsupportedProtocolVersion',
  ],
  ['the reserved CONNECT flag [MQTT-3.1.2-3]', 5, 0x10, `${v5} 03 003c 00 0000`, 'MalformedPacket'],
  ['the reserved CONNECT flag in 3.1.1', 4, 0x10, `${v4} 03 003c 0000`, 'MalformedPacket'],
  ['the reserved CONNECT flag in 3.1, which ignores it', 3, 0x10, `${v3} 03 003c 0001 'c'`, 'accepted'],
  ['a will QoS without a will [MQTT-3.1.2-11]', 5, 0x10, `${v5} 0a 003c 00 0000`, 'MalformedPacket'],
  ['a will retain without a will [MQTT-3.1.2-13]', 4, 0x10, `${v4} 22 003c 0001 'c'`, 'MalformedPacket'],
  ['a will retain without a will in 3.1', 3, 0x10, `${v3} 22 003c 0001 'c'`, 'accepted'],
  ['will QoS 3 [MQTT-3.1.2-12]', 5, 0x10, `${v5} 1e 003c 00 0000 00 0001 'w' 0000`, 'MalformedPacket'],
  ['will QoS 3 in 3.1', 3, 0x10, `${v3} 1e 003c 0001 'c' 0001 'w' 0000`, 'MalformedPacket'],
  ['a will topic with a wildcard', 5, 0x10, `${v5} 06 003c 00 0000 00 0001 '#' 0000`, 'TopicNameInvalid'],
  ['an empty will topic', 4, 0x10, `${v4} 06 003c 0000 0000 0000`, 'TopicNameInvalid'],
  [
    'a will delay among the properties of CONNECT',
    5,
    0x10,
    `${v5} 02 003c 05 18 00000001 0000`,
    'MalformedPacket',
  ],
  [
    'a session expiry in the will',
    5,
    0x10,
    `${v5} 06 003c 00 0000 05 11 00000001 0001 'w' 0000`,
    'MalformedPacket',
  ],
  [
    'a password without a username in 3.1.1 [MQTT311-3.1.2-22]',
    4,
    0x10,
    `${v4} 42 003c 0000 0001 'p'`,
    'MalformedPacket',
  ],
  ['a password without a username in 5.0', 5, 0x10, `${v5} 42 003c 00 0000 0001 'p'`, 'accepted'],
  ['a promised username that is missing in 3.1.1', 4, 0x10, `${v4} 82 003c 0000`, 'MalformedPacket'],
  ['a promised username that is missing in 3.1', 3, 0x10, `${v3} c2 003c 0001 'c'`, 'accepted'],
  ['CONNECT with trailing bytes', 4, 0x10, `${v4} 02 003c 0000 00`, 'MalformedPacket'],
  ['CONNECT that ends in the clientid', 4, 0x10, `${v4} 02 003c 0002 'c'`, 'MalformedPacket'],
  ['an empty CONNECT', 4, 0x10, '', 'MalformedPacket'],
  ['a username that is no UTF-8 [MQTT-1.5.4-1]', 4, 0x10, `${v4} 82 003c 0000 0002 c3 28`, 'MalformedPacket'],
  ['a clientid with U+0000 [MQTT-1.5.4-2]', 4, 0x10, `${v4} 02 003c 0003 61 00 62`, 'MalformedPacket'],
  ['receive maximum 0', 5, 0x10, `${v5} 02 003c 03 21 0000 0000`, 'ProtocolError'],
  ['maximum packet size 0', 5, 0x10, `${v5} 02 003c 05 27 00000000 0000`, 'ProtocolError'],
  ['request problem information 2', 5, 0x10, `${v5} 02 003c 02 17 02 0000`, 'ProtocolError'],
  ['request response information 2', 5, 0x10, `${v5} 02 003c 02 19 02 0000`, 'ProtocolError'],
  ['a property twice', 5, 0x10, `${v5} 02 003c 0a 11 00000001 11 00000001 0000`, 'ProtocolError'],
  ['a property above 0x20 twice', 5, 0x10, `${v5} 02 003c 06 21 0001 21 0001 0000`, 'ProtocolError'],
  ['properties 0x01 and 0x21 are not taken for each other', 5, 0x30, "0001 'a' 05 02 00000001", 'accepted'],
  [
    'a user property twice',
    5,
    0x10,
    `${v5} 02 003c 0e 26 0001 'a' 0001 'b' 26 0001 'a' 0001 'b' 0000`,
    'accepted',
  ],
  ['authentication data without a method', 5, 0x10, `${v5} 02 003c 04 16 0001 'd' 0000`, 'ProtocolError'],
  ['an unknown property', 5, 0x10, `${v5} 02 003c 02 7e 01 0000`, 'MalformedPacket'],
  ['property 0', 5, 0x10, `${v5} 02 003c 02 00 01 0000`, 'MalformedPacket'],
  ['a property identifier that wraps round 32 bits', 5, 0x30, "0001 'a' 03 a1 01 01", 'MalformedPacket'],
  ['a property length beyond the packet', 5, 0x10, `${v5} 02 003c 7f 11 00000001 0000`, 'MalformedPacket'],
  ['a property that its length cuts', 5, 0x10, `${v5} 02 003c 04 11 00000001 0000`, 'MalformedPacket'],
  [
    'a property length that is not minimal [MQTT-1.5.5-1]',
    5,
    0x10,
    `${v5} 02 003c 80 00 0000`,
    'MalformedPacket',
  ],
  ['a property length of five bytes', 5, 0x10, `${v5} 02 003c 80 80 80 80 01 0000`, 'MalformedPacket'],

  ['QoS 3 [MQTT-3.3.1-4]', 5, 0x36, "0001 'a' 0001 00", 'MalformedPacket'],
  ['DUP with QoS 0 [MQTT-3.3.1-2]', 5, 0x38, "0001 'a' 00", 'MalformedPacket'],
  ['DUP with QoS 0 in 3.1', 3, 0x38, "0001 'a'", 'accepted'],
  ['packet identifier 0 [MQTT-2.2.1-3]', 5, 0x32, "0001 'a' 0000 00", 'ProtocolError'],
  ['a topic with + [MQTT-3.3.2-2]', 5, 0x30, "0003 'a/+' 00", 'TopicNameInvalid'],
  ['a topic with # [MQTT-3.3.2-2]', 4, 0x30, "0001 '#'", 'TopicNameInvalid'],
  ['a topic with U+0000', 4, 0x30, '0001 00', 'MalformedPacket'],
  ['a topic that is no UTF-8', 4, 0x30, '0002 ed a0', 'MalformedPacket'],
  ['an empty topic before 5.0 [MQTT-4.7.3-1]', 4, 0x30, '0000', 'TopicNameInvalid'],
  ['an empty topic without an alias', 5, 0x30, '0000 00', 'ProtocolError'],
  ['an empty topic with other properties', 5, 0x30, '0000 02 01 01', 'ProtocolError'],
  ['an empty topic with an alias', 5, 0x30, '0000 03 23 0001', 'accepted'],
  ['topic alias 0 [MQTT-3.3.2-8]', 5, 0x30, "0001 'a' 03 23 0000", 'TopicAliasInvalid'],
  ['a subscription identifier from a client [MQTT-3.3.4-6]', 5, 0x30, "0001 'a' 02 0b 01", 'ProtocolError'],
  ['a response topic with a wildcard [MQTT-3.3.2-14]', 5, 0x30, "0001 'a' 04 08 0001 '+'", 'ProtocolError'],
  ['an empty response topic [MQTT-4.7.3-1]', 5, 0x30, "0001 'a' 03 08 0000", 'ProtocolError'],
  ['payload format indicator 2', 5, 0x30, "0001 'a' 02 01 02", 'ProtocolError'],
  ['a reason string in PUBLISH', 5, 0x30, "0001 'a' 04 1f 0001 'x'", 'MalformedPacket'],
  ['PUBLISH without a property length', 5, 0x30, "0001 'a'", 'MalformedPacket'],
  ['PUBLISH that ends in its topic', 4, 0x30, "0005 'a'", 'MalformedPacket'],
  ['PUBLISH that ends in the topic length', 4, 0x30, '00', 'MalformedPacket'],
  ['PUBLISH that ends in its packet identifier', 4, 0x32, "0001 'a' 00", 'MalformedPacket'],
  ['PUBLISH that ends in its properties', 5, 0x30, "0001 'a' 05 01", 'MalformedPacket'],
  ['PUBLISH that ends in its property length', 5, 0x30, "0001 'a' 80", 'MalformedPacket'],
  ['PUBLISH with a property length that is not minimal', 5, 0x30, "0001 'a' 80 00", 'MalformedPacket'],
  ['PUBLISH with a property length of five bytes', 5, 0x30, "0001 'a' 80 80 80 80 01", 'MalformedPacket'],

  [
    'PUBLISH with a property length that overflows to 0',
    5,
    0x30,
    "0001 'a' 80 80 80 80 10",
    'MalformedPacket',
  ],

  ['PUBACK with packet identifier 0', 4, 0x40, '0000', 'ProtocolError'],
  ['PUBACK of 3.1.1 with a reason code', 4, 0x40, '0001 00', 'MalformedPacket'],
  ['PUBACK of 5.0 without a reason code', 5, 0x40, '0001', 'accepted'],
  ['PUBACK with a reason code of SUBACK', 5, 0x40, '0001 01', 'ProtocolError'],
  ['PUBREL with a reason code of PUBACK', 5, 0x62, '0001 10', 'ProtocolError'],
  ['PUBCOMP: packet identifier not found', 5, 0x70, '0001 92', 'accepted'],
  ['PUBREC with trailing bytes', 5, 0x50, '0001 00 00 00', 'MalformedPacket'],
  ['PUBREC with a property of CONNECT', 5, 0x50, '0001 00 03 21 0001', 'MalformedPacket'],
  ['PUBACK that ends early', 5, 0x40, '00', 'MalformedPacket'],

  ['SUBSCRIBE without a filter [MQTT-3.8.3-2]', 5, 0x82, '0001 00', 'ProtocolError'],
  ['SUBSCRIBE with packet identifier 0', 5, 0x82, "0000 00 0001 'a' 00", 'ProtocolError'],
  ['SUBSCRIBE without options', 5, 0x82, "0001 00 0001 'a'", 'MalformedPacket'],
  ['SUBSCRIBE with QoS 3', 5, 0x82, "0001 00 0001 'a' 03", 'ProtocolError'],
  ['SUBSCRIBE with QoS 3 in 3.1', 3, 0x82, "0001 0001 'a' 03", 'ProtocolError'],
  ['SUBSCRIBE with retain handling 3', 5, 0x82, "0001 00 0001 'a' 30", 'ProtocolError'],
  ['SUBSCRIBE with reserved options [MQTT-3.8.3-5]', 5, 0x82, "0001 00 0001 'a' 40", 'MalformedPacket'],
  ['SUBSCRIBE with reserved bits in 3.1.1 [MQTT311-3.8.3-4]', 4, 0x82, "0001 0001 'a' 04", 'MalformedPacket'],
  ['SUBSCRIBE with unused bits in 3.1', 3, 0x82, "0001 0001 'a' 81", 'accepted'],
  ['no local on a shared filter [MQTT-3.8.3-4]', 5, 0x82, "0001 00 000a '$share/g/a' 04", 'ProtocolError'],
  ['an empty filter [MQTT-4.7.3-1]', 5, 0x82, '0001 00 0000 00', 'TopicFilterInvalid'],
  [
    'a wildcard beside other characters [MQTT-4.7.1-2]',
    5,
    0x82,
    "0001 00 0002 'a+' 00",
    'TopicFilterInvalid',
  ],
  [
    'a share name with a wildcard [MQTT-4.8.2-2]',
    5,
    0x82,
    "0001 00 000a '$share/+/a' 00",
    'TopicFilterInvalid',
  ],
  ['subscription identifier 0', 5, 0x82, "0001 02 0b 00 0001 'a' 00", 'ProtocolError'],
  ['two subscription identifiers', 5, 0x82, "0001 04 0b 01 0b 02 0001 'a' 00", 'ProtocolError'],
  ['UNSUBSCRIBE without a filter [MQTT-3.10.3-2]', 5, 0xa2, '0001 00', 'ProtocolError'],
  ['UNSUBSCRIBE with an invalid filter', 4, 0xa2, "0001 0002 '#a'", 'TopicFilterInvalid'],
  ['UNSUBSCRIBE with a subscription identifier', 5, 0xa2, "0001 02 0b 01 0001 'a'", 'MalformedPacket'],

  ['DISCONNECT of 3.1.1 with a body', 4, 0xe0, '00', 'MalformedPacket'],
  ['DISCONNECT of 5.0 without a reason code', 5, 0xe0, '', 'accepted'],
  ['DISCONNECT with will', 5, 0xe0, '04', 'accepted'],
  ["a client's DISCONNECT with a server's reason", 5, 0xe0, '8e', 'ProtocolError'],
  ['DISCONNECT with an unknown reason code', 5, 0xe0, '7f', 'ProtocolError'],
  ['DISCONNECT with a property that does not belong', 5, 0xe0, '00 03 23 0001', 'MalformedPacket'],
  ['AUTH: continue', 5, 0xf0, "18 04 15 0001 'm'", 'accepted'],
  ['AUTH: a client does not say Success [MQTT-3.15.2-1]', 5, 0xf0, '', 'ProtocolError'],
  ['AUTH without a method', 5, 0xf0, '19 00', 'ProtocolError'],
];

const toClient: Case[] = [
  ['CONNECT to a client', 5, 0x10, `${v5} 02 003c 00 0000`, 'ProtocolError'],
  ['SUBSCRIBE to a client', 5, 0x82, "0001 00 0001 'a' 00", 'ProtocolError'],
  ['PINGREQ to a client', 5, 0xc0, '', 'ProtocolError'],
  ['DISCONNECT to a client before 5.0', 4, 0xe0, '', 'ProtocolError'],
  ['CONNACK with reserved flags [MQTT-3.2.2-1]', 5, 0x20, '02 00 00', 'MalformedPacket'],
  ['CONNACK with session present and a refusal [MQTT-3.2.2-6]', 5, 0x20, '01 87 00', 'ProtocolError'],
  ['CONNACK with a reason code of another packet', 5, 0x20, '00 8e 00', 'ProtocolError'],
  ['CONNACK with return code 6', 4, 0x20, '00 06', 'ProtocolError'],
  ['CONNACK of 3.1 with its unused byte set', 3, 0x20, 'ff 00', 'accepted'],
  ['CONNACK with maximum QoS 2', 5, 0x20, '00 00 02 24 02', 'ProtocolError'],
  ['CONNACK with retain available 2', 5, 0x20, '00 00 02 25 02', 'ProtocolError'],
  ['CONNACK with receive maximum 0', 5, 0x20, '00 00 03 21 0000', 'ProtocolError'],
  ['CONNACK without properties', 5, 0x20, '00 00', 'MalformedPacket'],
  ['PUBLISH with several subscription identifiers', 5, 0x30, "0001 'a' 04 0b 01 0b 02", 'accepted'],
  ['PUBLISH with subscription identifier 0', 5, 0x30, "0001 'a' 02 0b 00", 'ProtocolError'],
  ['SUBACK without a reason code', 5, 0x90, '0001 00', 'ProtocolError'],
  ['SUBACK with an unknown reason code', 5, 0x90, '0001 00 03', 'ProtocolError'],
  ['SUBACK of 3.1.1 with a reason code of 5.0', 4, 0x90, '0001 87', 'ProtocolError'],
  ['UNSUBACK of 3.1.1 with a body', 4, 0xb0, '0001 00', 'MalformedPacket'],
  ['UNSUBACK of 5.0 without a reason code', 5, 0xb0, '0001 00', 'ProtocolError'],
  ['DISCONNECT: session taken over', 5, 0xe0, '8e', 'accepted'],
  [
    'DISCONNECT of a server with a session expiry [MQTT-3.14.2-2]',
    5,
    0xe0,
    '8b 05 11 00000001',
    'ProtocolError',
  ],
  ['AUTH: a server does not ask to authenticate again', 5, 0xf0, "19 04 15 0001 'm'", 'ProtocolError'],
  ['AUTH: Success in short', 5, 0xf0, '', 'accepted'],
  ['CONNECT of a will with v4 rules is not for a client', 4, 0x10, `${v4} 02 0000 0000`, 'ProtocolError'],
];

test.each(toServer)('a server is told: %s, version %i', (_, version, header, body, outcome) => {
  expect(refusal(() => decode(version, 'server', header, body))).toBe(outcome);
});

test.each(toClient)('a client is told: %s, version %i', (_, version, header, body, outcome) => {
  expect(refusal(() => decode(version, 'client', header, body))).toBe(outcome);
});

test.each(versions)(
  'the bridge bit of the protocol level is told apart from the level, version %i',
  (version) => {
    const name = version === 3 ? "0006 'MQIsdp'" : "0004 'MQTT'";
    const rest = `02 003c ${version === 5 ? '00' : ''} 0001 'c'`;
    for (const bridge of [false, true]) {
      const level = (version + (bridge ? 0x80 : 0)).toString(16).padStart(2, '0');
      const body = bytesOf(`${name} ${level} ${rest}`);
      expect(decodeConnect(0x10, body, 0, body.length)).toMatchObject({
        protocolVersion: version,
        bridge,
        clientid: 'c',
      });
    }
  },
);

test('in 3.1 a promised username may be missing, and is null', () => {
  expect(decode(3, 'server', 0x10, `${v3} c2 003c 0001 'c'`)).toMatchObject({
    username: null,
    password: null,
  });
  expect(decode(3, 'server', 0x10, `${v3} c2 003c 0001 'c' 0001 'u'`)).toMatchObject({
    username: 'u',
    password: null,
  });
});

test('in 3.1 DUP with QoS 0 says nothing', () => {
  expect(decode(3, 'server', 0x38, "0001 'a'")).toMatchObject({ qos: 0, dup: false });
});

test('every reason code of 5.0 is accepted exactly in the packets of its table [MQTT-3.14.2-1]', () => {
  for (let code = 0; code < 256; code++) {
    const hex = code.toString(16).padStart(2, '0');
    const shapes = [
      [PacketType.CONNACK, 'client', 0x20, `00 ${hex} 00`],
      [PacketType.PUBACK, 'server', 0x40, `0001 ${hex}`],
      [PacketType.PUBREC, 'client', 0x50, `0001 ${hex}`],
      [PacketType.PUBREL, 'server', 0x62, `0001 ${hex}`],
      [PacketType.PUBCOMP, 'client', 0x70, `0001 ${hex}`],
      [PacketType.SUBACK, 'client', 0x90, `0001 00 ${hex}`],
      [PacketType.UNSUBACK, 'client', 0xb0, `0001 00 ${hex}`],
      [PacketType.DISCONNECT, 'server', 0xe0, hex],
      [PacketType.DISCONNECT, 'client', 0xe0, hex],
    ] as const;
    for (const [type, role, header, body] of shapes) {
      const permitted = isPermitted(type, code, role === 'server' ? 'client' : 'server');
      const outcome = refusal(() => decode(5, role, header, body));
      expect([type, code, outcome]).toEqual([type, code, permitted ? 'accepted' : 'ProtocolError']);
    }
  }
});

test('each packet has as many reason codes as its table in the specification', () => {
  const count = (type: number, sender: Role) =>
    Array.from({ length: 256 }, (_, code) => code).filter((code) => isPermitted(type, code, sender)).length;
  expect(count(PacketType.CONNACK, 'server')).toBe(22); // table 3-1
  expect(count(PacketType.PUBACK, 'server')).toBe(9);
  expect(count(PacketType.PUBREC, 'server')).toBe(9);
  expect(count(PacketType.PUBREL, 'server')).toBe(2);
  expect(count(PacketType.PUBCOMP, 'server')).toBe(2);
  expect(count(PacketType.SUBACK, 'server')).toBe(12);
  expect(count(PacketType.UNSUBACK, 'server')).toBe(7);
  expect(count(PacketType.DISCONNECT, 'client')).toBe(14);
});

test('what a CONNECT leaves behind does not share memory with the network buffer', () => {
  const buf = Buffer.from(
    bytesOf(`${v5} c6 003c 00 0001 'c' 04 09 0001 'd' 0001 'w' 0003 'end' 0001 'u' 0001 'p'`),
  );
  const packet = decodeConnect(0x10, buf, 0, buf.length);
  buf.fill(0);
  expect(packet).toMatchObject({
    password: bytesOf("'p'"),
    will: { payload: bytesOf("'end'"), properties: { correlationData: bytesOf("'d'") } },
  });
});

test('arbitrary bytes never throw anything but MqttError', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 255 }),
      fc.uint8Array({ maxLength: 60 }),
      fc.constantFrom(...versions),
      fc.constantFrom(...roles),
      (header, body, version, role) => {
        refusal(() => decodePacket(header, body, 0, body.length, version, role));
        refusal(() => decodeConnect(0x10, body, 0, body.length));
        refusal(() =>
          new Framer(1000).push(body, (first, buf, start, end) =>
            decodePacket(first, buf, start, end, version, role),
          ),
        );
      },
    ),
    { numRuns: 3000 },
  );
});

test('a valid packet with changed, lost or added bytes is read or refused, and what is read can be written', () => {
  const change = fc.record({
    at: fc.nat(),
    byte: fc.integer({ min: 0, max: 255 }),
    how: fc.constantFrom('set', 'drop', 'add', 'cut'),
  });
  fc.assert(
    fc.property(
      anyPacket,
      fc.array(change, { minLength: 1, maxLength: 3 }),
      ({ packet, version, role }, changes) => {
        const whole = [...encodePacket(packet, version)];
        const header = whole[0] ?? 0;
        const body: number[] = [];
        new Framer(100_000).push(Uint8Array.from(whole), (_, buf, start, end) =>
          body.push(...buf.subarray(start, end)),
        );
        for (const { at, byte, how } of changes) {
          const place = body.length === 0 ? 0 : at % body.length;
          if (how === 'set' && body.length > 0) body[place] = byte;
          else if (how === 'drop') body.splice(place, 1);
          else if (how === 'add') body.splice(place, 0, byte);
          else if (how === 'cut') body.length = place;
        }
        refusal(() => {
          const read = decodePacket(header, Uint8Array.from(body), 0, body.length, version, role);
          const again = encodePacket(read, read.type === PacketType.CONNECT ? read.protocolVersion : version);
          const framer = new Framer(100_000);
          framer.push(again, (first, buf, start, end) => {
            expect(decodePacket(first, buf, start, end, version, role)).toEqual(read);
          });
          expect(framer.pendingBytes).toBe(0);
        });
      },
    ),
    { numRuns: 2000 },
  );
});
