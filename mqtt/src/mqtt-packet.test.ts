/** mqtt-packet, an independent implementation, must read what we write and write what we read. */
import fc from 'fast-check';
import { generate, parser, type Packet as Theirs } from 'mqtt-packet';
import { describe, expect, test } from 'vitest';
import { cases } from './arbitraries.ts';
import { decodePacket } from './decode.ts';
import { encodePacket } from './encode.ts';
import { Framer } from './framer.ts';
import { type Packet, PacketType, type Properties, type ProtocolVersion } from './packets.ts';
import { ReasonCode } from './reason-codes.ts';

const cmds = Object.fromEntries(
  Object.entries(PacketType).map(([name, type]) => [type, name.toLowerCase()]),
) as Record<number, string>;

type Fields = Record<string, unknown>;

const buffer = (bytes: Uint8Array | null | undefined) => (bytes ? Buffer.from(bytes) : undefined);

/** Without the keys that are undefined: to mqtt-packet they are not the same as absent ones. */
const present = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

function theirProperties(properties: Properties): Fields {
  const { userProperty, subscriptionIdentifier, subscriptionIdentifierAvailable, ...rest } = properties;
  const names = new Set(userProperty?.map(([name]) => name));
  const valuesOf = (name: string) =>
    userProperty?.filter((pair) => pair[0] === name).map((pair) => pair[1]) ?? [];
  const userProperties = Object.fromEntries(
    [...names].map((name) => [name, valuesOf(name).length === 1 ? valuesOf(name)[0] : valuesOf(name)]),
  );
  return present({
    ...rest,
    payloadFormatIndicator:
      rest.payloadFormatIndicator === undefined ? undefined : rest.payloadFormatIndicator === 1,
    correlationData: buffer(rest.correlationData),
    authenticationData: buffer(rest.authenticationData),
    subscriptionIdentifiersAvailable: subscriptionIdentifierAvailable,
    subscriptionIdentifier:
      subscriptionIdentifier?.length === 1 ? subscriptionIdentifier[0] : subscriptionIdentifier,
    userProperties: userProperty ? userProperties : undefined,
  });
}

function theirs(packet: Packet, version: ProtocolVersion): Fields {
  const properties =
    version === 5 && 'properties' in packet && Object.keys(packet.properties).length > 0
      ? { properties: theirProperties(packet.properties) }
      : {};
  const messageId = 'packetId' in packet && packet.packetId > 0 ? { messageId: packet.packetId } : {};
  return { cmd: cmds[packet.type], ...fields(packet, version), ...messageId, ...properties };
}

function fields(packet: Packet, version: ProtocolVersion): Fields {
  switch (packet.type) {
    case PacketType.CONNECT: {
      const { will } = packet;
      return present({
        protocolId: version === 3 ? 'MQIsdp' : 'MQTT',
        protocolVersion: version,
        bridgeMode: packet.bridge || undefined,
        clean: packet.cleanStart,
        keepalive: packet.keepAlive,
        clientId: packet.clientid,
        username: packet.username ?? undefined,
        password: buffer(packet.password),
        will: will
          ? present({
              topic: will.topic,
              payload: buffer(will.payload),
              qos: will.qos,
              retain: will.retain,
              properties:
                Object.keys(will.properties).length > 0 ? theirProperties(will.properties) : undefined,
            })
          : undefined,
      });
    }
    case PacketType.CONNACK:
      return {
        sessionPresent: packet.sessionPresent,
        [version === 5 ? 'reasonCode' : 'returnCode']: packet.reasonCode,
      };
    case PacketType.PUBLISH: {
      const { topic, qos, retain, dup } = packet;
      return { topic, qos, retain, dup, payload: buffer(packet.payload) };
    }
    case PacketType.SUBSCRIBE:
      return {
        subscriptions: packet.subscriptions.map(
          ({ filter, qos, noLocal, retainAsPublished, retainHandling }) =>
            version === 5
              ? { topic: filter, qos, nl: noLocal, rap: retainAsPublished, rh: retainHandling }
              : { topic: filter, qos },
        ),
      };
    case PacketType.SUBACK:
      return { granted: packet.reasonCodes };
    case PacketType.UNSUBSCRIBE:
      return { unsubscriptions: packet.filters };
    case PacketType.UNSUBACK:
      return version === 5 ? { granted: packet.reasonCodes } : {};
    case PacketType.PINGREQ:
    case PacketType.PINGRESP:
      return {};
    default:
      return version === 5 ? { reasonCode: packet.reasonCode } : {};
  }
}

/**
 * What mqtt-packet cannot tell: a user property called like a member of Object.prototype or repeated after an empty
 * value, a CONNECT of 5.0 with the bridge bit or with a password alone, an empty clientid with a session to keep, and
 * reason code 0x8c of DISCONNECT, which table 2-6 allows.
 */
function canTell(packet: Packet): boolean {
  const pairs = 'properties' in packet ? (packet.properties.userProperty ?? []) : [];
  const willPairs = 'will' in packet ? (packet.will?.properties.userProperty ?? []) : [];
  if ([...pairs, ...willPairs].some(([name, value]) => name in Object.prototype || value === ''))
    return false;
  if (packet.type === PacketType.CONNECT) {
    const { clientid, username, password, bridge, protocolVersion } = packet;
    return clientid !== '' && (username !== null || password === null) && !(bridge && protocolVersion === 5);
  }
  return packet.type !== PacketType.DISCONNECT || packet.reasonCode !== ReasonCode.BadAuthenticationMethod;
}

/** Sorted by name, for comparison. */
function sorted(packet: Packet): Packet {
  const sort = (properties: Properties): Properties =>
    properties.userProperty
      ? {
          ...properties,
          userProperty: properties.userProperty.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)),
        }
      : properties;
  const copy = 'properties' in packet ? { ...packet, properties: sort(packet.properties) } : packet;
  if (copy.type !== PacketType.CONNECT || !copy.will) return copy;
  return { ...copy, will: { ...copy.will, properties: sort(copy.will.properties) } };
}

describe.each(cases)('$name of version $version to a $role', ({ version, role, packet }) => {
  test('what we write, mqtt-packet reads', () => {
    fc.assert(
      fc.property(packet.filter(canTell), (one) => {
        const read: Theirs[] = [];
        const reader = parser({ protocolVersion: version });
        reader.on('packet', (theirPacket) => read.push(theirPacket));
        reader.on('error', (error) => expect.fail(`${error}`));
        reader.parse(Buffer.from(encodePacket(one, version)));
        expect(read).toHaveLength(1);
        expect(read[0]).toMatchObject(theirs(one, version));
      }),
      { numRuns: 50 },
    );
  });

  test('what mqtt-packet writes, we read', () => {
    fc.assert(
      fc.property(packet.filter(canTell), (one) => {
        const read: Packet[] = [];
        const bytes = generate(theirs(one, version) as unknown as Theirs, { protocolVersion: version });
        new Framer(1 << 20).push(bytes, (header, buf, start, end) =>
          read.push(decodePacket(header, buf, start, end, version, role)),
        );
        expect(read.map(sorted)).toEqual([sorted(one)]);
      }),
      { numRuns: 50 },
    );
  });
});
