import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

describe('PUBLISH', () => {
  test.each([
    [5, 4],
    [4, 5],
    [3, 5],
    [5, 3],
  ] as const)('travels from version %i to version %i', async (from, to) => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor', { version: from });
    const screen = await broker.client('screen', { version: to });
    await screen.subscribe('t/#', { qos: 1 });
    await sensor.publish('t/ä', 'plain');
    await sensor.publish('t/ä', 'sure', { qos: 1, retain: true });
    expect((await screen.expectMessage('plain')).topic).toBe('t/ä');
    const sure = await screen.expectMessage('sure');
    expect([sure.qos, sure.retain]).toEqual([1, false]); // [MQTT-3.3.1-12]
  });

  test('keeps its properties, their order included [MQTT-3.3.2-17]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('t', { qos: 1, subscriptionIdentifier: 7 });
    const properties = {
      payloadFormatIndicator: 1,
      contentType: 'text/plain',
      responseTopic: 'answers',
      correlationData: Uint8Array.of(1, 2),
      userProperty: [
        ['a', '1'],
        ['b', '2'],
        ['a', '3'],
      ],
    } as const satisfies object;
    await sensor.publish('t', 'x', {
      qos: 1,
      properties: {
        ...properties,
        userProperty: [...properties.userProperty.map((p) => [...p] as [string, string])],
      },
    });
    const message = await screen.expectMessage('x');
    expect(message.properties).toEqual({ ...properties, subscriptionIdentifier: [7] }); // [MQTT-3.3.4-3]
  });

  test('a topic alias stands for its topic on this connection only, and goes no further [MQTT-3.3.2-7]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('#');
    await sensor.publish('room/1', 'a', { properties: { topicAlias: 3 } });
    await sensor.publish('room/2', 'b');
    await sensor.publish('', 'c', { properties: { topicAlias: 3 } });
    await sensor.publish('room/3', 'd', { properties: { topicAlias: 3 } });
    await sensor.publish('', 'e', { properties: { topicAlias: 3 } });
    for (const [topic, payload] of [
      ['room/1', 'a'],
      ['room/2', 'b'],
      ['room/1', 'c'],
      ['room/3', 'd'],
      ['room/3', 'e'],
    ]) {
      const message = await screen.expectMessage(payload);
      expect([message.topic, message.properties]).toEqual([topic, {}]);
    }
    const other = await broker.client('other');
    other.sendPublish('', 'x', { properties: { topicAlias: 3 } });
    await other.expectDisconnect(ReasonCode.ProtocolError);
  });

  test('properties that repeat themselves are those of each message, expiry included', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('#', { subscriptionIdentifier: 7 });
    const celsius = { contentType: 'text/plain', userProperty: [['unit', '°C']] } as const;
    const kelvin = { contentType: 'text/plain', userProperty: [['unit', 'K']] } as const;
    const brief = { ...kelvin, messageExpiryInterval: 60 };
    const said = [celsius, celsius, kelvin, {}, kelvin, kelvin, brief, brief, celsius];
    for (const [nr, properties] of said.entries())
      await sensor.publish('t', String(nr), { properties: structuredClone(properties) as object });
    for (const [nr, properties] of said.entries())
      expect((await screen.expectMessage(String(nr))).properties).toEqual({
        ...properties,
        subscriptionIdentifier: [7],
      });
    sensor.sendPublish('', 'x', { properties: structuredClone(celsius) as object });
    await sensor.expectDisconnect(ReasonCode.ProtocolError); // the same properties, but neither topic nor alias
  });

  test('an alias above the announced maximum is refused [MQTT-3.3.2-9]', async () => {
    const broker = startTestCore({ settings: { maxTopicAlias: 2 } });
    const sensor = await broker.client('sensor');
    sensor.sendPublish('t', 'x', { properties: { topicAlias: 3 } });
    await sensor.expectDisconnect(ReasonCode.TopicAliasInvalid);
  });

  test('more QoS or retain than allowed is refused [MQTT-3.2.2-11] [MQTT-3.2.2-14]', async () => {
    const broker = startTestCore({ settings: { maxQosAllowed: 1, retainAvailable: false } });
    const high = await broker.client('high');
    high.sendPublish('t', 'x', { qos: 2 });
    await high.expectDisconnect(ReasonCode.QoSNotSupported);
    const retained = await broker.client('retained');
    retained.sendPublish('t', 'x', { retain: true });
    await retained.expectDisconnect(ReasonCode.RetainNotSupported);
  });

  test('a QoS 2 message sent again before its PUBREL arrives once [MQTT-4.3.3-10]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('t', { qos: 2 });
    const packetId = sensor.sendPublish('t', 'once', { qos: 2 });
    await sensor.expectAck(PacketType.PUBREC, packetId);
    sensor.sendPublish('t', 'once', { qos: 2, dup: true, packetId });
    await sensor.expectAck(PacketType.PUBREC, packetId);
    await screen.expectMessage('once');
    await screen.expectNothing();
    sensor.send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} });
    expect((await sensor.expectAck(PacketType.PUBCOMP, packetId)).reasonCode).toBe(0);
    sensor.send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} });
    expect((await sensor.expectAck(PacketType.PUBCOMP, packetId)).reasonCode).toBe(
      ReasonCode.PacketIdentifierNotFound,
    );
    expect(broker.core.counters.get('packets.publish.inuse')).toBe(1);
    expect(broker.core.counters.get('packets.pubrel.missed')).toBe(1);
  });

  test('more unreleased QoS 2 messages than announced end the connection [MQTT-3.3.4-7]', async () => {
    const broker = startTestCore({ settings: { maxAwaitingRel: 10 } });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 11; i++) sensor.sendPublish('t', 'x', { qos: 2 });
    await sensor.expectDisconnect(ReasonCode.ReceiveMaximumExceeded);
  });

  test('a packet id that is never released is given up', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    sensor.sendPublish('t', 'x', { qos: 2 });
    expect(broker.core.registry.find('sensor')?.facts().awaiting_rel_cnt).toBe(1);
    broker.pass(301_000);
    const facts = broker.core.registry.find('sensor')?.facts();
    expect(facts?.awaiting_rel_cnt).toBe(0);
    expect(facts?.['recv_msg.dropped.await_pubrel_timeout']).toBe(1);
    expect(broker.core.counters.get('messages.dropped.await_pubrel_timeout')).toBe(1);
  });

  test('the publisher learns that nobody listens', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    expect(await sensor.publish('t', 'x', { qos: 1 })).toBe(ReasonCode.NoMatchingSubscribers);
    expect(await sensor.publish('t', 'x', { qos: 2 })).toBe(ReasonCode.NoMatchingSubscribers);
    await sensor.subscribe('t');
    expect(await sensor.publish('t', 'x', { qos: 1 })).toBe(0);
    expect(broker.core.counters.get('messages.dropped')).toBe(2);
  });

  test('a denied message is answered and not delivered', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.authorize', async (_who, { topic }) =>
      topic === 'secret' ? 'deny' : undefined,
    );
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('#', { qos: 1 });
    expect(await sensor.publish('secret', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    expect(await sensor.publish('secret', 'x', { qos: 2 })).toBe(ReasonCode.NotAuthorized);
    await sensor.publish('secret', 'x');
    await sensor.publish('open', 'y', { qos: 1 });
    await screen.expectMessage('y');
    await screen.expectNothing();
    broker.core.settings.authorizationDenyAction = 'disconnect';
    sensor.sendPublish('secret', 'x');
    await sensor.expectDisconnect(ReasonCode.NotAuthorized);
  });

  test('a handler of client.authorize that crashes denies', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.authorize', () => {
      throw new Error('a bug');
    });
    const sensor = await broker.client('sensor');
    expect(await sensor.publish('t', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    expect(await sensor.subscribe('t')).toEqual([ReasonCode.NotAuthorized]);
  });

  test('a handler of message.publish may change, consume, or think about a message, in order', async () => {
    const broker = startTestCore();
    const screen = await broker.client('screen');
    await screen.subscribe('#', { qos: 1 });
    broker.core.hooks.on('message.publish', (message) => {
      if (message.topic === 'eaten') return { reasonCode: ReasonCode.Success, reason: 'delayed' };
      if (message.topic === 'old')
        message.change({ topic: 'new', payload: Buffer.from(`<${message.payload}>`) });
      return undefined;
    });
    broker.core.hooks.on('message.publish', async (message) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (message.topic === 'late') message.change({ payload: Buffer.from('thought about') });
      return undefined;
    });
    const sensor = await broker.client('sensor', { version: 4 });
    sensor.sendPublish('late', '1');
    sensor.sendPublish('old', '2');
    expect(await sensor.publish('eaten', '3', { qos: 1 })).toBe(0);
    await sensor.publish('last', '4', { qos: 1 });
    expect(await screen.expectMessages(3)).toEqual(['thought about', '<2>', '4']);
    await screen.expectNothing();
  });

  test('what the broker publishes itself reaches subscribers, and says how many', async () => {
    const broker = startTestCore();
    const screen = await broker.client('screen');
    await screen.subscribe(['t', 't/#']);
    const published = await broker.core.publish({
      topic: 't',
      payload: 'x',
      properties: { contentType: 'a/b' },
    });
    expect(published.receivers).toBe(2);
    expect(published.id).toMatch(/^[0-9a-f]{32}$/);
    expect((await screen.expectMessage('x')).properties.contentType).toBe('a/b');
    expect(() => broker.core.publish({ topic: 'a/#', payload: 'x' })).toThrow();
  });

  test('large messages keep their bytes and their place', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor', { version: 4 });
    const screen = await broker.client('screen', { version: 4 });
    await screen.subscribe('t', { qos: 1 });
    const sizes = [10, 9_000, 200, 70_000, 5, 300_000, 40_000, 1];
    for (const [i, size] of sizes.entries())
      sensor.sendPublish('t', Buffer.alloc(size, 65 + i), { qos: i % 2 === 0 ? 0 : 1 });
    for (const [i, size] of sizes.entries()) {
      const { payload } = await screen.expectMessage();
      expect([payload.length, payload.every((byte) => byte === 65 + i)]).toEqual([size, true]);
    }
  });
});

test('why a message was refused is told to who wants to hear it [MQTT-3.1.2-29]', async () => {
  const broker = startTestCore();
  broker.core.hooks.on('message.publish', () => ({
    reasonCode: ReasonCode.QuotaExceeded,
    reason: 'too many',
  }));
  const curious = await broker.client('curious');
  const quiet = await broker.client('quiet', { properties: { requestProblemInformation: false } });
  const old = await broker.client('old', { version: 4 });
  const answers = [];
  for (const client of [curious, quiet, old])
    answers.push(await client.expectAck(PacketType.PUBACK, client.sendPublish('t', 'x', { qos: 1 })));
  expect(answers.map(({ reasonCode, properties }) => [reasonCode, properties])).toEqual([
    [ReasonCode.QuotaExceeded, { reasonString: 'too many' }],
    [ReasonCode.QuotaExceeded, {}],
    [0, {}],
  ]);
  const refused = await curious.expectAck(PacketType.PUBREC, curious.sendPublish('t', 'x', { qos: 2 }));
  expect(refused.properties).toEqual({ reasonString: 'too many' });
});

test('a payload that says it is text is looked at only if told so', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  await client.subscribe('t');
  const properties = { payloadFormatIndicator: 1 } as const;
  const bad = Uint8Array.of(0x61, 0xff);
  expect(await client.publish('t', bad, { qos: 1, properties })).toBe(0);
  expect((await client.expectMessage()).properties).toEqual(properties);

  broker.core.settings.payloadFormatCheck = true;
  expect(await client.publish('t', bad, { qos: 1, properties })).toBe(ReasonCode.PayloadFormatInvalid);
  expect(await client.publish('t', bad, { qos: 2, properties })).toBe(ReasonCode.PayloadFormatInvalid);
  await client.publish('t', bad, { properties });
  await client.expectNothing();
  expect(await client.publish('t', 'grün', { qos: 1, properties })).toBe(0);
  expect(await client.publish('t', bad, { qos: 1 })).toBe(0);
  await client.expectMessage('grün');
  expect((await client.expectMessage()).payload).toEqual(bad);
});

test('a message that expires at once reaches who is there, and nobody later [MQTT-3.3.2-5]', async () => {
  const broker = startTestCore();
  const kept = { cleanStart: false, properties: { sessionExpiryInterval: 60 } };
  const here = await broker.client('here');
  const away = await broker.client('away', kept);
  for (const client of [here, away]) await client.subscribe('t', { qos: 1 });
  away.close();
  const properties = { messageExpiryInterval: 0 };
  await here.publish('t', 'now', { qos: 1, properties });
  expect((await here.expectMessage('now')).properties).toEqual(properties);
  await (await broker.client('away', kept)).expectNothing();
  expect(broker.core.counters.get('delivery.dropped.expired')).toBe(1);
});

test('a message sent again after its time says that none is left [MQTT-3.3.2-6]', async () => {
  const broker = startTestCore();
  const kept = { cleanStart: false, properties: { sessionExpiryInterval: 60 }, acknowledge: false };
  const first = await broker.client('a', kept);
  await first.subscribe('t', { qos: 1 });
  await broker.core.publish({ topic: 't', payload: 'x', qos: 1, properties: { messageExpiryInterval: 10 } });
  await first.expectMessage('x');
  first.close();
  broker.pass(20_000);
  const again = await (await broker.client('a', kept)).expectMessage('x');
  expect([again.dup, again.properties.messageExpiryInterval]).toEqual([true, 0]);
});
