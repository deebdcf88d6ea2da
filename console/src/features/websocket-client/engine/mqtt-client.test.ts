import { type AckPacket, PacketType, type PublishPacket, type QoS } from '@mqdeck/mqtt/packets';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FakeLink, type FakeServer, fakeServer } from './fake-server.ts';
import { ClientFault } from './faults.ts';
import { type ConnectOptions, MqttClient, type OutgoingMessage } from './mqtt-client.ts';

let server: FakeServer;
let client: MqttClient;
let received: PublishPacket[];

const options: ConnectOptions = {
  url: 'ws://broker.test/mqtt',
  protocolVersion: 5,
  clientid: 'c1',
  username: null,
  password: null,
  cleanStart: false,
  keepAlive: 60,
  properties: {},
  will: null,
  autoReconnect: true,
};
const bytes = (text: string) => new TextEncoder().encode(text);
const text = (payload: Uint8Array) => new TextDecoder().decode(payload);
const message = (qos: QoS, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  topic: 'a/b',
  payload: bytes('x'),
  qos,
  retain: false,
  properties: {},
  ...more,
});
const subscription = {
  filter: 'a/#',
  qos: 1,
  noLocal: false,
  retainAsPublished: false,
  retainHandling: 0,
} as const;
const ack = (type: AckPacket['type'], packetId: number, reasonCode = 0): AckPacket => ({
  type,
  packetId,
  reasonCode,
  properties: {},
});
const incoming = (qos: QoS, packetId: number, more: Partial<PublishPacket> = {}): PublishPacket => ({
  type: PacketType.PUBLISH,
  dup: false,
  packetId,
  ...message(qos),
  ...more,
});
const link = (): FakeLink => server.links.at(-1)!;
const connected = (more: Partial<ConnectOptions> = {}): FakeLink => {
  client.connect({ ...options, ...more });
  return link().open().accept();
};
const faultOf = async (doing: Promise<unknown>) => {
  const error: unknown = await doing.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof ClientFault ? error.fault : error;
};

beforeEach(() => {
  vi.useFakeTimers();
  server = fakeServer();
  received = [];
  client = new MqttClient({ changed: () => undefined, message: (one) => received.push(one) }, server);
});
afterEach(() => client.drop());

test.each([3, 4, 5] as const)(
  'connects in protocol version %i with all that was asked for',
  (protocolVersion) => {
    const will = { topic: 'gone', payload: bytes('bye'), qos: 1, retain: true, properties: {} } as const;
    client.connect({ ...options, protocolVersion, username: 'u', password: bytes('p'), keepAlive: 7, will });
    expect(client.state).toBe('connecting');
    link().open();
    const connect = link().of(PacketType.CONNECT)[0]!;
    expect(connect).toMatchObject({
      protocolVersion,
      clientid: 'c1',
      username: 'u',
      keepAlive: 7,
      cleanStart: false,
    });
    expect(text(connect.password!)).toBe('p');
    expect({ ...connect.will, payload: text(connect.will!.payload) }).toEqual({ ...will, payload: 'bye' });
    link().accept();
    expect(client.state).toBe('connected');
  },
);

test('MQTT 5 asks with its properties, older versions without', () => {
  const properties = {
    sessionExpiryInterval: 60,
    receiveMaximum: 9,
    userProperty: [['k', 'v']] as [string, string][],
  };
  client.connect({ ...options, properties });
  link().open();
  expect(link().of(PacketType.CONNECT)[0]?.properties).toEqual(properties);
  client.drop();
  client.connect({ ...options, protocolVersion: 4, properties });
  link().open();
  expect(link().of(PacketType.CONNECT)[0]?.properties).toEqual({});
});

test('a refusal keeps its reason code, and is not tried again', () => {
  client.connect(options);
  link()
    .open()
    .say({
      type: PacketType.CONNACK,
      sessionPresent: false,
      reasonCode: 0x87,
      properties: { reasonString: 'no' },
    });
  link().end();
  vi.advanceTimersByTime(120_000);
  expect(client.state).toBe('disconnected');
  expect(client.fault).toMatchObject({ kind: 'refused', version: 5, reasonCode: 0x87, reasonString: 'no' });
  expect(server.links).toHaveLength(1);
});

test.each([
  [0x8e, 'session taken over'],
  [0x98, 'kicked out'],
])('DISCONNECT 0x%s takes the place of a mere loss and is final (%s)', (reasonCode) => {
  const one = connected();
  one.say({ type: PacketType.DISCONNECT, reasonCode, properties: {} });
  one.end(1000);
  vi.advanceTimersByTime(120_000);
  expect(client.state).toBe('disconnected');
  expect(client.fault).toMatchObject({ kind: 'ended', reasonCode });
  expect(server.links).toHaveLength(1);
});

test('a page of https never tries a ws:// address, except that of its own machine', () => {
  server.pageProtocol = () => 'https:';
  client.connect(options);
  expect(client.fault).toEqual({ kind: 'mixedContent' });
  expect(server.links).toHaveLength(0);
  client.connect({ ...options, url: 'ws://localhost/mqtt' });
  expect(server.links).toHaveLength(1);
});

test.each(['', 'http://a/', 'ws://', 'ws://a/#b', 'nonsense'])('%j is no address', (url) => {
  client.connect({ ...options, url });
  expect(client.fault).toEqual({ kind: 'badAddress' });
  expect(server.links).toHaveLength(0);
});

test('tells a server that is away from one that is no MQTT server', async () => {
  client.connect(options);
  link().end();
  await vi.advanceTimersByTimeAsync(0);
  expect(client.fault).toEqual({ kind: 'unreachable' });

  server.answersHttp = async () => true;
  client.connect(options);
  link().end();
  await vi.advanceTimersByTimeAsync(0);
  expect(client.fault).toEqual({ kind: 'notMqtt' });

  client.connect(options);
  link().open('');
  expect(client.fault).toEqual({ kind: 'notMqtt' });

  client.connect(options);
  link().open().sayText();
  expect(client.fault).toEqual({ kind: 'notMqtt' });

  client.connect(options);
  link().open().sayBytes(0x48, 0x54, 0x54, 0x50);
  link().end();
  expect(client.fault?.kind).toBe('closedEarly');
  expect(client.state).toBe('disconnected');
});

test('a server that never answers ends in a timeout', () => {
  client.connect(options);
  link().open();
  vi.advanceTimersByTime(10_000);
  expect(client.fault).toEqual({ kind: 'timeout', seconds: 10 });
  expect(link().closed).toBe(true);
});

test('a lost connection comes back after growing pauses, and subscribes again', async () => {
  const first = connected({ cleanStart: true });
  const subscribed = client.subscribe(subscription);
  first.say({ type: PacketType.SUBACK, packetId: 1, reasonCodes: [1], properties: {} });
  expect(await subscribed).toBe(1);
  first.end();
  expect(client.state).toBe('reconnecting');
  expect(client.fault).toMatchObject({ kind: 'lost', closeCode: 1006 });
  vi.advanceTimersByTime(750); // the middle of 0.5 … 1 s
  expect(server.links).toHaveLength(2);
  link().end();
  await vi.advanceTimersByTimeAsync(1499);
  expect(server.links).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1);
  expect(server.links).toHaveLength(3);
  link().open().accept();
  expect(client.state).toBe('connected');
  expect(link().of(PacketType.SUBSCRIBE)[0]?.subscriptions[0]).toEqual(subscription);
});

test('does not subscribe again where the server kept the session', async () => {
  const first = connected();
  const subscribed = client.subscribe(subscription);
  first.say({ type: PacketType.SUBACK, packetId: 1, reasonCodes: [1], properties: {} });
  await subscribed;
  first.end();
  vi.advanceTimersByTime(1000);
  link().open().accept({}, true);
  expect(link().of(PacketType.SUBSCRIBE)).toEqual([]);
});

test('without auto reconnect a loss is the end, and the first attempt is never repeated', async () => {
  connected({ autoReconnect: false }).end();
  expect(client.state).toBe('disconnected');
  client.connect(options);
  link().end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.state).toBe('disconnected');
  expect(server.links).toHaveLength(2);
});

test('stopping while it waits ends the attempts', () => {
  connected().end();
  client.disconnect();
  vi.advanceTimersByTime(120_000);
  expect(client.state).toBe('disconnected');
  expect(client.fault).toBeNull();
  expect(server.links).toHaveLength(1);
});

test('says good-bye before it closes, and waits for the close', () => {
  const one = connected();
  client.disconnect();
  expect(one.last()).toMatchObject({ type: PacketType.DISCONNECT, reasonCode: 0 });
  expect(client.state).toBe('disconnecting');
  one.end(1000);
  expect(client.state).toBe('disconnected');
  expect(client.fault).toBeNull();
});

test('dropping the connection says nothing, so that the will is sent', () => {
  const one = connected();
  client.drop();
  expect(one.of(PacketType.DISCONNECT)).toEqual([]);
  expect(one.closed).toBe(true);
});

test('QoS 1: done with PUBACK, whose reason code counts', async () => {
  const one = connected();
  const published = client.publish(message(1));
  const { packetId } = one.of(PacketType.PUBLISH)[0]!;
  one.say(ack(PacketType.PUBACK, packetId, 0x10));
  expect(await published).toMatchObject({ reasonCode: 0x10 });
  expect(client.inflight).toBe(0);
});

test('QoS 2: PUBREC, PUBREL, PUBCOMP', async () => {
  const one = connected();
  const published = client.publish(message(2));
  const { packetId } = one.of(PacketType.PUBLISH)[0]!;
  one.say(ack(PacketType.PUBREC, packetId));
  expect(one.last()).toMatchObject({ type: PacketType.PUBREL, packetId });
  one.say(ack(PacketType.PUBCOMP, packetId));
  expect(await published).toMatchObject({ reasonCode: 0 });
});

test('QoS 2 ends with a PUBREC that refuses', async () => {
  const one = connected();
  const published = client.publish(message(2));
  one.say(ack(PacketType.PUBREC, one.of(PacketType.PUBLISH)[0]!.packetId, 0x87));
  expect(await published).toMatchObject({ reasonCode: 0x87 });
  expect(one.of(PacketType.PUBREL)).toEqual([]);
});

test('a resumed session sends again what was not acknowledged, marked and in order', async () => {
  const first = connected();
  const one = client.publish(message(1));
  const two = client.publish(message(2));
  first.say(ack(PacketType.PUBREC, first.of(PacketType.PUBLISH)[1]!.packetId));
  first.end();
  vi.advanceTimersByTime(1000);
  link().open().accept({}, true);
  expect(link().of(PacketType.PUBLISH)).toMatchObject([{ qos: 1, dup: true }]);
  const { packetId } = link().of(PacketType.PUBREL)[0]!;
  link().say(ack(PacketType.PUBCOMP, packetId));
  link().say(ack(PacketType.PUBACK, link().of(PacketType.PUBLISH)[0]!.packetId));
  await Promise.all([one, two]);
});

test('a session that is gone tells those who wait for an acknowledgement', async () => {
  const published = faultOf(client.publish(message(1)).catch((error: unknown) => Promise.reject(error)));
  expect(await published).toEqual({ kind: 'notConnected' });
  const first = connected();
  const waiting = faultOf(client.publish(message(1)));
  first.end();
  vi.advanceTimersByTime(1000);
  link().open().accept({}, false);
  expect(await waiting).toEqual({ kind: 'unacknowledged' });
});

test('a message that has become too large for the server fails alone', async () => {
  const first = connected();
  const large = faultOf(client.publish(message(1, { payload: new Uint8Array(200) })));
  const small = client.publish(message(1));
  first.end();
  vi.advanceTimersByTime(1000);
  link().open().accept({ maximumPacketSize: 100 }, true);
  expect(await large).toEqual({ kind: 'tooLarge', bytesMax: 100 });
  link().say(ack(PacketType.PUBACK, link().of(PacketType.PUBLISH)[0]!.packetId));
  await small;
  expect(client.inflight).toBe(0);
});

test('sends no more than the receive maximum of the server at once', () => {
  client.connect(options);
  const one = link().open().accept({ receiveMaximum: 2 });
  for (let i = 0; i < 3; i += 1) client.publish(message(1)).catch(() => undefined);
  expect(one.of(PacketType.PUBLISH)).toHaveLength(2);
  one.say(ack(PacketType.PUBACK, one.of(PacketType.PUBLISH)[0]!.packetId));
  expect(one.of(PacketType.PUBLISH)).toHaveLength(3);
});

test('acknowledges what comes, and hands over a message of QoS 2 once', () => {
  const one = connected();
  one.say(incoming(0, 0));
  one.say(incoming(1, 5));
  expect(one.last()).toMatchObject({ type: PacketType.PUBACK, packetId: 5 });
  one.say(incoming(2, 6));
  one.say(incoming(2, 6, { dup: true }));
  expect(one.last()).toMatchObject({ type: PacketType.PUBREC, packetId: 6 });
  one.say(ack(PacketType.PUBREL, 6));
  expect(one.last()).toMatchObject({ type: PacketType.PUBCOMP, packetId: 6, reasonCode: 0 });
  one.say(ack(PacketType.PUBREL, 6));
  expect(one.last()).toMatchObject({ type: PacketType.PUBCOMP, reasonCode: 0x92 });
  expect(received.map(({ qos }) => qos)).toEqual([0, 1, 2]);
});

test('topic aliases of the server are looked up, and bounded by what was offered', () => {
  client.connect({ ...options, properties: { topicAliasMaximum: 1 } });
  const one = link().open().accept();
  one.say(incoming(0, 0, { topic: 'long/topic', properties: { topicAlias: 1 } }));
  one.say(incoming(0, 0, { topic: '', properties: { topicAlias: 1 } }));
  expect(received.map(({ topic }) => topic)).toEqual(['long/topic', 'long/topic']);
  one.say(incoming(0, 0, { properties: { topicAlias: 2 } }));
  expect(one.last()).toMatchObject({ type: PacketType.DISCONNECT, reasonCode: 0x94 });
  expect(client.fault).toMatchObject({ kind: 'protocol', reasonCode: 0x94 });
});

test('our topic aliases stand for topics the server has heard', async () => {
  client.connect(options);
  const one = link().open().accept({ topicAliasMaximum: 3 });
  const alias = { properties: { topicAlias: 3 } };
  expect(await faultOf(client.publish(message(0, { ...alias, topic: '' })))).toEqual({
    kind: 'aliasUnknown',
  });
  await client.publish(message(0, alias));
  await client.publish(message(0, { ...alias, topic: '' }));
  expect(one.of(PacketType.PUBLISH).map(({ topic }) => topic)).toEqual(['a/b', '']);
  const tooHigh = client.publish(message(0, { properties: { topicAlias: 4 } }));
  expect(await faultOf(tooHigh)).toEqual({ kind: 'aliasTooHigh', aliasMax: 3 });
});

test('what the server does not grant is refused before it is sent', async () => {
  client.connect(options);
  const one = link().open().accept({
    maximumQoS: 1,
    retainAvailable: false,
    maximumPacketSize: 100,
    wildcardSubscriptionAvailable: false,
    sharedSubscriptionAvailable: false,
    subscriptionIdentifierAvailable: false,
  });
  expect(await faultOf(client.publish(message(2)))).toEqual({ kind: 'qosTooHigh', qosMax: 1 });
  expect(await faultOf(client.publish(message(0, { retain: true })))).toEqual({ kind: 'retainNotAvailable' });
  const large = message(1, { payload: new Uint8Array(100) });
  expect(await faultOf(client.publish(large))).toEqual({ kind: 'tooLarge', bytesMax: 100 });
  expect(await faultOf(client.publish(message(0, { topic: '\ud800' })))).toEqual({ kind: 'textNotSendable' });
  expect(await faultOf(client.subscribe(subscription))).toEqual({ kind: 'wildcardNotAvailable' });
  expect(await faultOf(client.subscribe({ ...subscription, filter: '$share/g/a' }))).toEqual({
    kind: 'sharedNotAvailable',
  });
  expect(await faultOf(client.subscribe({ ...subscription, filter: 'a', identifier: 1 }))).toEqual({
    kind: 'identifierNotAvailable',
  });
  expect(one.heard).toHaveLength(1);
});

test('a subscription that is refused is not listed; one that is ended is no longer', async () => {
  const one = connected();
  const refused = client.subscribe({ ...subscription, identifier: 7 });
  const { packetId, properties } = one.of(PacketType.SUBSCRIBE)[0]!;
  expect(properties).toEqual({ subscriptionIdentifier: [7] });
  one.say({ type: PacketType.SUBACK, packetId, reasonCodes: [0x87], properties: {} });
  expect(await refused).toBe(0x87);
  expect(client.subscriptions.size).toBe(0);

  const granted = client.subscribe(subscription);
  one.say({ type: PacketType.SUBACK, packetId: 2, reasonCodes: [1], properties: {} });
  await granted;
  expect([...client.subscriptions.keys()]).toEqual(['a/#']);
  const ended = client.unsubscribe('a/#');
  one.say({ type: PacketType.UNSUBACK, packetId: 3, reasonCodes: [0], properties: {} });
  await ended;
  expect(client.subscriptions.size).toBe(0);
});

test('a request without its acknowledgement fails with the connection', async () => {
  const one = connected();
  const asked = faultOf(client.subscribe(subscription));
  one.end();
  expect(await asked).toEqual({ kind: 'unacknowledged' });
});

test('pings in half the keep alive of the server, and gives up without an answer', () => {
  client.connect(options);
  const one = link().open().accept({ serverKeepAlive: 10 });
  vi.advanceTimersByTime(5000);
  expect(one.last()).toEqual({ type: PacketType.PINGREQ });
  one.say({ type: PacketType.PINGRESP });
  vi.advanceTimersByTime(14_999);
  expect(client.state).toBe('connected');
  vi.advanceTimersByTime(1);
  expect(client.state).toBe('reconnecting');
  expect(client.fault).toMatchObject({ kind: 'noPingResponse' });
});

test('a server that breaks the protocol hears of it', () => {
  const one = connected();
  one.sayBytes(0xf0, 0);
  expect(one.last()).toMatchObject({ type: PacketType.DISCONNECT });
  expect(client.state).toBe('disconnected');
  expect(client.fault).toMatchObject({ kind: 'protocol' });
});
