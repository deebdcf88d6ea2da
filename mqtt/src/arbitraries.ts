/** For tests only: valid packets of every type and version, as fast-check arbitraries. */
import fc from 'fast-check';
import {
  type ConnectPacket,
  type Packet,
  PacketType,
  type Properties,
  type ProtocolVersion,
  type Will,
} from './packets.ts';
import { isPermitted } from './permitted.ts';
import type { Role } from './publish.ts';
import { parseShared } from './topics.ts';

const text = fc.string({ unit: 'binary', maxLength: 20 }).map((any) => any.replaceAll('\0', ''));
export const topic = text.map((any) => any.replaceAll(/[+#]/g, '') || 't');
const filterLevel = fc.oneof(
  fc.constant('+'),
  text.map((any) => any.replaceAll(/[+#/]/g, '')),
);
export const filter = fc
  .tuple(
    fc.constantFrom('', '', '$share/group/', '$queue/'),
    fc.array(filterLevel, { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([share, levels, hash]) => share + ([...levels, ...(hash ? ['#'] : [])].join('/') || '+'));
const bytes = fc.uint8Array({ maxLength: 60 });
const u16 = fc.integer({ min: 0, max: 0xffff });
const positive16 = fc.integer({ min: 1, max: 0xffff });
const u32 = fc.integer({ min: 0, max: 0xffff_ffff });
const positive32 = fc.integer({ min: 1, max: 0xffff_ffff });
const zeroOrOne = fc.constantFrom<0 | 1>(0, 1);
const flag = fc.boolean();
const subscriptionIdentifier = fc.integer({ min: 1, max: 268_435_455 });
const userProperty = fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 3 });
const packetId = positive16;
const qos = fc.constantFrom<0 | 1 | 2>(0, 1, 2);

const message = {
  payloadFormatIndicator: zeroOrOne,
  messageExpiryInterval: u32,
  contentType: text,
  responseTopic: topic,
  correlationData: bytes,
  userProperty,
};
const explained = { reasonString: text, userProperty };
const authentication = { authenticationMethod: text, authenticationData: bytes };

const some = (model: { [K in keyof Properties]: fc.Arbitrary<NonNullable<Properties[K]>> }) =>
  fc.record(model, { requiredKeys: [] }).map((properties) => {
    const found: Properties = properties;
    if (found.authenticationMethod === undefined) delete found.authenticationData;
    return found;
  });

/** Properties of a packet with that reader; none before 5.0. */
const none = fc.constant<Properties>({});
const when = (version: ProtocolVersion, properties: fc.Arbitrary<Properties>) =>
  version === 5 ? properties : none;

const will = (version: ProtocolVersion): fc.Arbitrary<Will> =>
  fc.record({
    topic,
    payload: bytes,
    qos,
    retain: flag,
    properties: when(version, some({ ...message, willDelayInterval: u32 })),
  });

const connect = (version: ProtocolVersion): fc.Arbitrary<ConnectPacket> =>
  fc
    .record({
      type: fc.constant(PacketType.CONNECT),
      protocolVersion: fc.constant(version),
      bridge: flag,
      cleanStart: flag,
      keepAlive: u16,
      clientid: text,
      username: fc.option(text),
      password: fc.option(bytes),
      will: fc.option(will(version)),
      properties: when(
        version,
        some({
          sessionExpiryInterval: u32,
          receiveMaximum: positive16,
          maximumPacketSize: positive32,
          topicAliasMaximum: u16,
          requestResponseInformation: flag,
          requestProblemInformation: flag,
          userProperty,
          ...authentication,
        }),
      ),
    })
    .map((packet) => (packet.username === null && version < 5 ? { ...packet, password: null } : packet));

const connack = (version: ProtocolVersion) =>
  fc
    .record({
      type: fc.constant(PacketType.CONNACK),
      sessionPresent: flag,
      reasonCode: version === 5 ? codes(PacketType.CONNACK) : fc.integer({ min: 0, max: 5 }),
      properties: when(
        version,
        some({
          sessionExpiryInterval: u32,
          receiveMaximum: positive16,
          maximumQoS: zeroOrOne,
          retainAvailable: flag,
          maximumPacketSize: positive32,
          assignedClientIdentifier: text,
          topicAliasMaximum: u16,
          wildcardSubscriptionAvailable: flag,
          subscriptionIdentifierAvailable: flag,
          sharedSubscriptionAvailable: flag,
          serverKeepAlive: u16,
          responseInformation: text,
          serverReference: text,
          ...explained,
          ...authentication,
        }),
      ),
    })
    .map((packet) => ({
      ...packet,
      sessionPresent: packet.sessionPresent && packet.reasonCode === 0 && version > 3,
    }));

const codes = (type: number, sender: Role = 'server') =>
  fc.constantFrom(
    ...Array.from({ length: 256 }, (_, code) => code).filter((code) => isPermitted(type, code, sender)),
  );

const publish = (version: ProtocolVersion, role: Role) =>
  fc
    .record({
      type: fc.constant(PacketType.PUBLISH),
      topic,
      payload: fc.oneof(bytes, fc.uint8Array({ minLength: 100, maxLength: 300 })),
      qos,
      retain: flag,
      dup: flag,
      packetId,
      properties: when(
        version,
        some({
          ...message,
          topicAlias: positive16,
          ...(role === 'client' && {
            subscriptionIdentifier: fc.array(subscriptionIdentifier, { minLength: 1, maxLength: 3 }),
          }),
        }),
      ),
      aliased: flag,
    })
    .map(({ aliased, ...packet }) => ({
      ...packet,
      topic: aliased && packet.properties.topicAlias !== undefined ? '' : packet.topic,
      dup: packet.dup && packet.qos > 0,
      packetId: packet.qos > 0 ? packet.packetId : 0,
    }));

const ack = (type: 4 | 5 | 6 | 7, version: ProtocolVersion) =>
  fc.record({
    type: fc.constant(type),
    packetId,
    reasonCode: version === 5 ? codes(type) : fc.constant(0),
    properties: when(version, some(explained)),
  });

const subscription = (version: ProtocolVersion) =>
  fc
    .record({
      filter,
      qos,
      noLocal: flag,
      retainAsPublished: flag,
      retainHandling: fc.constantFrom<0 | 1 | 2>(0, 1, 2),
    })
    .map((one) =>
      version === 5
        ? { ...one, noLocal: one.noLocal && parseShared(one.filter) === null }
        : { ...one, noLocal: false, retainAsPublished: false, retainHandling: 0 as const },
    );

const subscribe = (version: ProtocolVersion) =>
  fc.record({
    type: fc.constant(PacketType.SUBSCRIBE),
    packetId,
    subscriptions: fc.array(subscription(version), { minLength: 1, maxLength: 4 }),
    properties: when(
      version,
      some({ userProperty, subscriptionIdentifier: fc.tuple(subscriptionIdentifier) }),
    ),
  });

const suback = (version: ProtocolVersion) =>
  fc.record({
    type: fc.constant(PacketType.SUBACK),
    packetId,
    reasonCodes: fc.array(version === 5 ? codes(PacketType.SUBACK) : fc.constantFrom(0, 1, 2, 0x80), {
      minLength: 1,
      maxLength: 4,
    }),
    properties: when(version, some(explained)),
  });

const unsubscribe = (version: ProtocolVersion) =>
  fc.record({
    type: fc.constant(PacketType.UNSUBSCRIBE),
    packetId,
    filters: fc.array(filter, { minLength: 1, maxLength: 4 }),
    properties: when(version, some({ userProperty })),
  });

const unsuback = (version: ProtocolVersion) =>
  fc.record({
    type: fc.constant(PacketType.UNSUBACK),
    packetId,
    reasonCodes:
      version === 5
        ? fc.array(codes(PacketType.UNSUBACK), { minLength: 1, maxLength: 4 })
        : fc.constant<number[]>([]),
    properties: when(version, some(explained)),
  });

const disconnect = (version: ProtocolVersion, role: Role) =>
  fc.record({
    type: fc.constant(PacketType.DISCONNECT),
    reasonCode:
      version === 5 ? codes(PacketType.DISCONNECT, role === 'server' ? 'client' : 'server') : fc.constant(0),
    properties: when(
      version,
      some({
        ...explained,
        ...(role === 'server' ? { sessionExpiryInterval: u32 } : { serverReference: text }),
      }),
    ),
  });

const auth = (role: Role) =>
  fc.record({
    type: fc.constant(PacketType.AUTH),
    reasonCode: role === 'server' ? fc.constantFrom(0x18, 0x19) : fc.constantFrom(0x00, 0x18),
    properties: some({ ...explained, ...authentication }).map((properties) => ({
      authenticationMethod: 'SCRAM-SHA-256',
      ...properties,
    })),
  });

/** Every packet that a `role` of this version may receive, by the name of its type. */
export function packetsFor(version: ProtocolVersion, role: Role): Record<string, fc.Arbitrary<Packet>> {
  const shared = {
    PUBLISH: publish(version, role),
    PUBACK: ack(PacketType.PUBACK, version),
    PUBREC: ack(PacketType.PUBREC, version),
    PUBREL: ack(PacketType.PUBREL, version),
    PUBCOMP: ack(PacketType.PUBCOMP, version),
    ...(version === 5 && { AUTH: auth(role) }),
  };
  if (role === 'server') {
    return {
      ...shared,
      CONNECT: connect(version),
      SUBSCRIBE: subscribe(version),
      UNSUBSCRIBE: unsubscribe(version),
      PINGREQ: fc.constant({ type: PacketType.PINGREQ }),
      DISCONNECT: disconnect(version, role),
    };
  }
  return {
    ...shared,
    CONNACK: connack(version),
    SUBACK: suback(version),
    UNSUBACK: unsuback(version),
    PINGRESP: fc.constant({ type: PacketType.PINGRESP }),
    ...(version === 5 && { DISCONNECT: disconnect(version, role) }),
  };
}

export const versions: readonly ProtocolVersion[] = [3, 4, 5];
export const roles: readonly Role[] = ['server', 'client'];

/** All of the above with what is needed to read them back. */
export const cases = versions.flatMap((version) =>
  roles.flatMap((role) =>
    Object.entries(packetsFor(version, role)).map(([name, packet]) => ({ version, role, name, packet })),
  ),
);

/** Any packet of any version for any reader. */
export const anyPacket = fc.oneof(
  ...cases.map(({ version, role, packet }) => packet.map((one) => ({ version, role, packet: one }))),
);
