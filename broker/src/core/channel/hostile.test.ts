import { encodePacket } from '@mqdeck/mqtt/encode';
import { PacketType } from '@mqdeck/mqtt/packets';
import { USER_PROPERTIES_MAX } from '@mqdeck/mqtt/properties';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];

test.each([
  ['PUBLISH', [0x30, 5, ...text('t'), 1, 2]],
  ['CONNACK', [0x20, 2, 0, 0]],
  ['PINGREQ', [0xc0, 0]],
  ['DISCONNECT', [0xe0, 0]],
  ['an HTTP request', [...Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')]],
  ['type 0', [0, 0]],
  ['a CONNECT with wrong flags', [0x11, 13, ...text('MQTT'), 4, 2, 0, 0, ...text('a')]],
  ['a CONNECT that ends too early', [0x10, 6, ...text('MQTT')]],
])('a connection that begins with %s ends without an answer [MQTT-3.1.0-1]', async (_what, bytes) => {
  const broker = startTestCore();
  const { client } = broker.dial('a');
  client.sendRaw(bytes);
  await client.expectEnd();
  expect(client.bytes).toEqual([]);
  expect(broker.core.registry.size).toBe(0);
});

describe('a connected client', () => {
  test.each([
    [
      'a second CONNECT [MQTT-3.1.0-2]',
      [0x10, 14, ...text('MQTT'), 5, 2, 0, 0, 0, ...text('a')],
      ReasonCode.ProtocolError,
    ],
    ['CONNACK', [0x20, 3, 0, 0, 0], ReasonCode.ProtocolError],
    ['SUBACK', [0x90, 4, 0, 1, 0, 0], ReasonCode.ProtocolError],
    ['PINGRESP', [0xd0, 0], ReasonCode.ProtocolError],
    ['AUTH without a method', [0xf0, 2, 0x18, 0], ReasonCode.ProtocolError],
    ['QoS 3 [MQTT-3.3.1-4]', [0x36, 6, ...text('t'), 0, 1, 0], ReasonCode.MalformedPacket],
    ['packet id 0 [MQTT-2.2.1-3]', [0x32, 6, ...text('t'), 0, 0, 0], ReasonCode.ProtocolError],
    ['a wildcard in a topic [MQTT-3.3.2-2]', [0x30, 4, ...text('#'), 0], ReasonCode.TopicNameInvalid],
    ['a length of five bytes', [0x30, 0x80, 0x80, 0x80, 0x80, 1], ReasonCode.MalformedPacket],
    ['a length that is not minimal [MQTT-1.5.5-1]', [0xc0, 0x80, 0], ReasonCode.MalformedPacket],
    ['topic alias 0', [0x30, 7, ...text('t'), 3, 0x23, 0, 0], ReasonCode.TopicAliasInvalid],
    [
      'a subscription identifier from a client',
      [0x30, 6, ...text('t'), 2, 0x0b, 1],
      ReasonCode.ProtocolError,
    ],
    ['a property twice', [0x30, 8, ...text('t'), 4, 1, 0, 1, 0], ReasonCode.ProtocolError],
    ['a topic that is no UTF-8', [0x30, 4, 0, 1, 0xff, 0], ReasonCode.MalformedPacket],
    ['a SUBSCRIBE to nothing', [0x82, 3, 0, 1, 0], ReasonCode.ProtocolError],
  ] as const)(
    'that sends %s is told why and let go; its neighbours notice nothing',
    async (_what, bytes, reason) => {
      const broker = startTestCore();
      const neighbour = await broker.client('neighbour');
      await neighbour.subscribe('#');
      const client = await broker.client('a');
      client.sendRaw([...bytes]);
      await client.expectDisconnect(reason);
      await neighbour.expectNothing();
      expect(broker.core.registry.find('a')).toBeUndefined();
    },
  );

  test('that announces more bytes than allowed is let go before they arrive [MQTT-3.2.2-15]', async () => {
    const broker = startTestCore({ settings: { maxPacketBytes: 1000 } });
    const client = await broker.client('a');
    client.sendRaw([0x30, 0xff, 0xff, 0xff, 0x7f, 0, 1]);
    await client.expectDisconnect(ReasonCode.PacketTooLarge);
  });

  test("that shares a session id with nobody's pattern stays itself", async () => {
    const broker = startTestCore();
    const placeholder = ['$', '{clientid}'].join('');
    for (const clientid of ['#', '+', 'a/b', placeholder, '.*-', '__proto__', 'constructor']) {
      const client = await broker.client(clientid);
      await client.subscribe('t');
      await client.publish('t', clientid);
      await client.expectMessage(clientid);
      expect(broker.core.registry.find(clientid)?.clientid).toBe(clientid);
      await client.disconnect();
    }
    expect(broker.core.registry.size).toBe(0);
  });
});

test('random bytes never harm the broker or its other clients', async () => {
  const broker = startTestCore();
  const faults: unknown[] = [];
  broker.core.log.error = (facts) => faults.push(facts);
  const neighbour = await broker.client('neighbour');
  await neighbour.subscribe('safe');
  const connect = encodePacket(
    {
      type: PacketType.CONNECT,
      protocolVersion: 5,
      bridge: false,
      cleanStart: true,
      keepAlive: 0,
      clientid: 'fuzz',
      username: null,
      password: null,
      will: null,
      properties: {},
    },
    5,
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 30 })), {
        maxLength: 20,
      }),
      async (packets) => {
        const { client, connection } = broker.dial('fuzz');
        connection.send(Buffer.from(connect));
        await client.expect(PacketType.CONNACK);
        for (const [header, body] of packets) client.sendRaw([header, body.length, ...body]);
        client.close();
      },
    ),
    { numRuns: 300 },
  );
  await neighbour.publish('safe', 'still here');
  await neighbour.expectMessage('still here');
  expect(faults).toEqual([]);
});

test('a storm of half-finished packets keeps no more than their bytes', async () => {
  const broker = startTestCore();
  const dialled = Array.from({ length: 200 }, () => broker.dial('x'));
  for (const { client } of dialled) client.sendRaw([0x10, 0xff, 0xff, 0x3f, 0, 4]);
  broker.pass(15_200);
  expect(dialled.every(({ client }) => client.ended)).toBe(true);
});

describe('a CONNECT with', () => {
  const connect = (properties: number[], flags = 2, rest: number[] = []) => {
    const body = [...text('MQTT'), 5, flags, 0, 0, properties.length, ...properties, ...text('a'), ...rest];
    return [0x10, body.length, ...body];
  };

  test.each([
    ['a Receive Maximum of 0', connect([0x21, 0, 0])],
    ['a Maximum Packet Size of 0', connect([0x27, 0, 0, 0, 0])],
    ['a property twice', connect([0x11, 0, 0, 0, 1, 0x11, 0, 0, 0, 1])],
    ['Request Problem Information of 2', connect([0x17, 2])],
    ['authentication data and no method', connect([0x16, 0, 1, 0])],
    ['a property twice in its will', connect([], 6, [4, 1, 0, 1, 0, ...text('w'), ...text('x')])],
  ])('%s is refused as 0x82; its neighbours notice nothing', async (_what, bytes) => {
    const broker = startTestCore();
    const neighbour = await broker.client('neighbour');
    await neighbour.subscribe('#');
    const { client } = broker.dial('a');
    client.sendRaw(bytes);
    expect((await client.expect(PacketType.CONNACK)).reasonCode).toBe(ReasonCode.ProtocolError);
    await client.expectEnd();
    await neighbour.expectNothing();
    expect(broker.core.registry.find('a')).toBeUndefined();
  });

  test.each([
    ['a property that belongs elsewhere', connect([0x23, 0, 1])],
    ['a will of QoS 3 [MQTT-3.1.2-12]', connect([], 0x1e, [0, ...text('w'), ...text('x')])],
    ['a client id that is not there', connect([]).slice(0, -3)],
  ])('%s makes no sense and ends the connection', async (_what, bytes) => {
    const broker = startTestCore();
    const { client } = broker.dial('a');
    client.sendRaw([0x10, bytes.length - 2, ...bytes.slice(2)]);
    await client.expectEnd();
    expect(client.bytes).toEqual([]);
  });
});

test('an empty topic with an alias that nobody has told is refused as 0x82, and nobody gets the message', async () => {
  const broker = startTestCore();
  const neighbour = await broker.client('neighbour');
  await neighbour.subscribe('#');
  for (const topicAlias of [1, 65_535]) {
    const client = await broker.client('a');
    client.sendPublish('', 'x', { properties: { topicAlias } });
    await client.expectDisconnect(ReasonCode.ProtocolError);
  }
  await neighbour.expectNothing();
});

test('no alias is taken where none was allowed: 0x94', async () => {
  const broker = startTestCore({ settings: { maxTopicAlias: 0 } });
  const client = await broker.client('a');
  client.sendPublish('t', 'x', { properties: { topicAlias: 1 } });
  await client.expectDisconnect(ReasonCode.TopicAliasInvalid);
});

test('a storm of QoS 2 packet ids that are never released is ended as 0x93, and the session that stays keeps few of them', async () => {
  const broker = startTestCore();
  const neighbour = await broker.client('neighbour');
  await neighbour.subscribe('t');
  const kept = { cleanStart: false, properties: { sessionExpiryInterval: 60 } };
  for (let round = 0; round < 3; round++) {
    const client = await broker.client('storm', kept);
    for (let packetId = 1; packetId <= 65_535; packetId++)
      client.sendPublish('t', 'x', { qos: 2, packetId, dup: true });
    await client.expectDisconnect(ReasonCode.ReceiveMaximumExceeded);
  }
  expect(broker.core.registry.find('storm')?.facts().awaiting_rel_cnt).toBe(100);
  expect(await neighbour.expectMessages(100)).toHaveLength(100);
  await neighbour.expectNothing();
});

test('a will with properties of 64 KiB is published with them, and one that is too large is refused with its CONNECT', async () => {
  const broker = startTestCore();
  const watcher = await broker.client('watcher');
  await watcher.subscribe('w');
  const userProperty: [string, string][] = [['large', 'x'.repeat(60_000)]];
  const client = await broker.client('a', { will: { topic: 'w', properties: { userProperty } } });
  client.close();
  expect((await watcher.expectMessage('gone')).properties.userProperty).toEqual(userProperty);
  const { client: larger } = broker.dial('b', {
    will: { topic: 'w', properties: { userProperty: [...userProperty, ...userProperty, ...userProperty] } },
  });
  expect((await larger.connect()).reasonCode).toBe(ReasonCode.PacketTooLarge);
});

describe('user properties without a word in them', () => {
  const empty = (count: number): [string, string][] => Array.from({ length: count }, () => ['', '']);

  test('have a limit in every packet, also in a will', async () => {
    const broker = startTestCore();
    const client = await broker.client('a');
    await client.publish('t', 'x', { properties: { userProperty: empty(USER_PROPERTIES_MAX) } });
    client.sendPublish('t', 'x', { properties: { userProperty: empty(USER_PROPERTIES_MAX + 1) } });
    await client.expectDisconnect(ReasonCode.QuotaExceeded);
    const userProperty = empty(USER_PROPERTIES_MAX + 1);
    const { client: another } = broker.dial('b', { will: { topic: 'w', properties: { userProperty } } });
    expect((await another.connect()).reasonCode).toBe(ReasonCode.QuotaExceeded);
    expect(broker.core.registry.size).toBe(0);
  });

  test('count in a queue by what they take in memory', async () => {
    const broker = startTestCore({ settings: { maxMqueueBytes: 1024 * 1024 } });
    const away = await broker.client('away', { properties: { sessionExpiryInterval: 60 } });
    await away.subscribe('t', { qos: 1 });
    away.close();
    const client = await broker.client('a');
    for (let i = 0; i < 10; i++)
      await client.publish('t', 'x', { qos: 1, properties: { userProperty: empty(USER_PROPERTIES_MAX) } });
    expect(broker.core.registry.find('away')?.facts()).toMatchObject({ mqueue_len: 2, mqueue_dropped: 8 });
  });
});

test('the topics of all aliases of a connection have a limit together', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  const long = (alias: number) => `${alias}/`.padEnd(60_000, 'x');
  for (let alias = 1; alias <= 17; alias++) {
    await client.publish(long(alias), '', { properties: { topicAlias: alias } });
    // Replacing one takes no more room
    await client.publish(long(alias), '', { properties: { topicAlias: alias } });
  }
  client.sendPublish(long(18), '', { properties: { topicAlias: 18 } });
  await client.expectDisconnect(ReasonCode.QuotaExceeded);
});

test.each([0, 10])(
  'a packet that trickles in does not hold a connection, keep alive %i',
  async (keepalive) => {
    const broker = startTestCore();
    const client = await broker.client('a', { keepalive });
    client.sendRaw([0x30, 0xff, 0x01]);
    for (let i = 0; i < 11; i++) {
      broker.pass(5000);
      client.sendRaw([0]);
    }
    expect(client.ended).toBe(false);
    broker.pass(5000);
    broker.pass(2000);
    await client.expectDisconnect(ReasonCode.KeepAliveTimeout);
  },
);

test('many packets in pieces are no trickle', async () => {
  const broker = startTestCore();
  const client = await broker.client('a', { keepalive: 10 });
  client.sendRaw([0xc0]);
  for (let i = 0; i < 30; i++) {
    broker.pass(5000);
    client.sendRaw([0, 0xc0]); // the end of one and the beginning of the next
  }
  expect(client.ended).toBe(false);
});
