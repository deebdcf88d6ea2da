import { PacketType } from '@mqdeck/mqtt/packets';
import { MqttError, ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../testing/start-test-core.ts';
import { newMessage } from './message.ts';
import type { MqttCore } from './mqtt-core.ts';
import { memoryStore } from './store/memory-store.ts';

const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

describe('a session without its client', () => {
  test('keeps messages of every QoS in order, within its limit, the oldest going first', async () => {
    const broker = startTestCore({ settings: { maxMqueueLength: 3 } });
    await (await broker.client('a', kept))
      .subscribe('t', { qos: 2 })
      .then(() => broker.core.registry.find('a')?.close(0x98));
    const sensor = await broker.client('sensor');
    const dropped: string[] = [];
    broker.core.hooks.on('message.dropped', (client, message, reason) =>
      dropped.push(`${client?.clientid} ${Buffer.from(message.payload)} ${reason}`),
    );
    for (const [i, qos] of ([0, 1, 2, 0, 1] as const).entries()) await sensor.publish('t', `${i}`, { qos });
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ mqueue_len: 3, mqueue_dropped: 2 });
    expect(dropped).toEqual(['a 0 queue_full', 'a 1 queue_full']);
    expect(broker.core.counters.get('delivery.dropped.queue_full')).toBe(2);
    const back = await broker.client('a', kept);
    expect(await back.expectMessages(3)).toEqual(['2', '3', '4']);
    await back.expectNothing();
  });

  test('keeps no QoS 0 messages when told so', async () => {
    const broker = startTestCore({ settings: { mqueueStoreQos0: false } });
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    first.close();
    const sensor = await broker.client('sensor');
    await sensor.publish('t', 'zero');
    await sensor.publish('t', 'one', { qos: 1 });
    expect(broker.core.counters.get('delivery.dropped.qos0_msg')).toBe(1);
    const back = await broker.client('a', kept);
    await back.expectMessage('one');
    await back.expectNothing();
  });

  test('lets messages expire, and says how much time the others have left [MQTT-3.3.2-5] [MQTT-3.3.2-6]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    first.close();
    const sensor = await broker.client('sensor');
    await sensor.publish('t', 'short', { qos: 1, properties: { messageExpiryInterval: 5 } });
    await sensor.publish('t', 'long', { qos: 1, properties: { messageExpiryInterval: 100 } });
    broker.pass(10_000);
    const back = await broker.client('a', kept);
    const message = await back.expectMessage('long');
    expect(message.properties.messageExpiryInterval).toBe(90);
    await back.expectNothing();
    expect(broker.core.counters.get('delivery.dropped.expired')).toBe(1);
  });

  test('sends the highest priority first', async () => {
    const broker = startTestCore({
      settings: {
        mqueuePriorities: new Map([
          ['urgent', 10],
          ['normal', 1],
        ]),
        mqueueDefaultPriority: 'lowest',
      },
    });
    const first = await broker.client('a', kept);
    await first.subscribe('#', { qos: 1 });
    first.close();
    const sensor = await broker.client('sensor');
    for (const topic of ['other', 'normal', 'urgent', 'normal', 'urgent'])
      await sensor.publish(topic, topic, { qos: 1 });
    const back = await broker.client('a', kept);
    expect(await back.expectMessages(5)).toEqual(['urgent', 'urgent', 'normal', 'normal', 'other']);
  });
});

describe('deliveries in flight', () => {
  test('unacknowledged messages come again in order, marked as duplicates, then the queue [MQTT-4.4.0-1] [MQTT-4.6.0-1]', async () => {
    const broker = startTestCore({ settings: { maxInflight: 3 } });
    const options = { ...kept, acknowledge: false };
    const first = await broker.client('a', options);
    await first.subscribe('t', { qos: 2 });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 5; i++) await sensor.publish('t', `${i}`, { qos: i === 1 ? 2 : 1 });
    const seen = [await first.expectMessage(), await first.expectMessage(), await first.expectMessage()];
    await first.expectNothing();
    first.send({ type: PacketType.PUBREC, packetId: seen[1]!.packetId, reasonCode: 0, properties: {} });
    await first.expectAck(PacketType.PUBREL, seen[1]!.packetId);
    first.close();

    const back = await broker.client('a', options);
    const again = await back.expectMessage('0');
    expect([again.dup, again.packetId]).toEqual([true, seen[0]!.packetId]);
    await back.expectAck(PacketType.PUBREL, seen[1]!.packetId);
    expect((await back.expectMessage('2')).dup).toBe(true);
    await back.expectNothing();
    back.send({ type: PacketType.PUBCOMP, packetId: seen[1]!.packetId, reasonCode: 0, properties: {} });
    expect((await back.expectMessage('3')).dup).toBe(false);
    back.send({ type: PacketType.PUBACK, packetId: again.packetId, reasonCode: 0, properties: {} });
    await back.expectMessage('4');
  });

  test("never exceed the client's receive maximum [MQTT-3.3.4-9]", async () => {
    const broker = startTestCore();
    const client = await broker.client('a', { acknowledge: false, properties: { receiveMaximum: 2 } });
    await client.subscribe('t', { qos: 1 });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 4; i++) await sensor.publish('t', `${i}`, { qos: 1 });
    const [one] = [await client.expectMessage(), await client.expectMessage()];
    await client.expectNothing();
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({
      inflight_cnt: 2,
      inflight_max: 2,
      mqueue_len: 2,
    });
    client.send({ type: PacketType.PUBACK, packetId: one!.packetId, reasonCode: 0, properties: {} });
    await client.expectMessage('2');
    await client.expectNothing();
  });

  test('are repeated to 3.x clients when a retry interval is set, never to 5.0 clients', async () => {
    const broker = startTestCore({ settings: { retryIntervalMs: 5000 } });
    const four = await broker.client('four', { version: 4, acknowledge: false });
    const five = await broker.client('five', { acknowledge: false });
    for (const client of [four, five]) await client.subscribe('t', { qos: 1 });
    await (await broker.client('sensor')).publish('t', 'x', { qos: 1 });
    for (const client of [four, five]) await client.expectMessage('x');
    broker.pass(7_000);
    expect((await four.expectMessage('x')).dup).toBe(true);
    await five.expectNothing();
  });

  test('a message larger than the client accepts is dropped for it alone [MQTT-3.1.2-25]', async () => {
    const broker = startTestCore();
    const small = await broker.client('small', { properties: { maximumPacketSize: 100 } });
    const large = await broker.client('large');
    for (const client of [small, large]) await client.subscribe('t', { qos: 1 });
    const sensor = await broker.client('sensor');
    for (const qos of [0, 1] as const) await sensor.publish('t', 'x'.repeat(200), { qos });
    await large.expectMessages(2);
    await small.expectNothing();
    expect(broker.core.registry.find('small')?.facts()).toMatchObject({
      'send_msg.dropped.too_large': 2,
      inflight_cnt: 0,
    });
  });

  test('a retained message comes with its flag, and only to a subscription', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('session.subscribed', (client, filter) => {
      const message = newMessage('t/1', 'kept', { qos: 1, retain: true, timestamp: broker.core.clock.now });
      client.deliverRetained(message, filter);
      client.deliverRetained(message, 'another');
    });
    const client = await broker.client('a');
    await client.subscribe('t/+', { qos: 1 });
    const message = await client.expectMessage('kept');
    expect([message.retain, message.qos]).toEqual([true, 1]);
    await client.expectNothing();
  });

  test('upgrade_qos gives the higher of both', async () => {
    const broker = startTestCore({ settings: { upgradeQos: true } });
    const client = await broker.client('a');
    await client.subscribe('t', { qos: 2 });
    await client.publish('t', 'x');
    expect((await client.expectMessage('x')).qos).toBe(2);
  });
});

describe('a client that does not read', () => {
  test('gets its queue filled and its neighbours nothing of it; what fits is there when it reads again', async () => {
    const broker = startTestCore({ settings: { outputHighWaterBytes: 10_000, maxMqueueLength: 50 } });
    const { client: slow, connection } = broker.dial('slow');
    await slow.connect();
    const quick = await broker.client('quick');
    for (const client of [slow, quick]) await client.subscribe('t', { qos: 1 });
    connection.stall();
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 500; i++) {
      await sensor.publish('t', `${i}`.padEnd(500), { qos: 0 });
      if (i % 10 === 0) await quick.ping();
    }
    expect((await quick.expectMessages(500)).length).toBe(500);
    expect(connection.bufferedBytes).toBeLessThan(30_000);
    const facts = broker.core.registry.find('slow')!.facts();
    expect(facts.mqueue_len).toBe(50);
    expect(facts['send_msg.dropped.queue_full']).toBeGreaterThan(300);
    connection.unstall();
    await slow.ping();
    const payloads = slow.packets.flatMap((packet) =>
      packet.type === PacketType.PUBLISH ? [Number.parseInt(Buffer.from(packet.payload).toString(), 10)] : [],
    );
    expect(payloads.at(-1)).toBe(499);
    expect(payloads).toEqual([...payloads].sort((a, b) => a - b));
    expect(payloads.length + facts['send_msg.dropped.queue_full']).toBe(500);
  });

  test('may not ask for answers without end', async () => {
    const broker = startTestCore({ settings: { outputHighWaterBytes: 1000 } });
    const { client, connection } = broker.dial('a');
    await client.connect();
    connection.stall();
    for (let i = 0; i < 100_000 && !connection.isPaused; i++) {
      client.sendRaw([0xc0, 0]);
      if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(connection.isPaused).toBe(true);
    expect(connection.bufferedBytes).toBeLessThan(5000);
    connection.unstall();
    expect(connection.isPaused).toBe(false);
  });
});

test('what lists show of a client', async () => {
  const broker = startTestCore({ node: 'n@h' });
  const client = await broker.client('a', { version: 4, username: 'ada', keepalive: 60, bridge: true });
  await client.subscribe('t', { qos: 1 });
  await client.publish('t', 'x', { qos: 1 });
  await client.expectMessage('x');
  const seen = broker.core.registry.find('a')!;
  expect([...seen.subscriptions()].map(({ filter, qos, share }) => [filter, qos, share])).toEqual([
    ['t', 1, null],
  ]);
  expect(seen.facts()).toMatchObject({
    clientid: 'a',
    username: 'ada',
    ip_address: '127.0.0.1',
    node: 'n@h',
    listener: 'tcp:default',
    proto_name: 'MQTT',
    proto_ver: 4,
    keepalive: 60,
    clean_start: true,
    expiry_interval: 0,
    is_bridge: true,
    connected: true,
    disconnected_at: null,
    recv_msg: 1,
    'recv_msg.qos1': 1,
    recv_pkt: 4,
    send_msg: 1,
    'send_msg.qos1': 1,
    send_pkt: 4,
    subscriptions_cnt: 1,
    subscriptions_max: 'infinity',
    inflight_cnt: 0,
    inflight_max: 32,
    mqueue_len: 0,
    mqueue_max: 1000,
  });
  const slices: number[] = [];
  for await (const slice of broker.core.registry.slices()) slices.push(slice.length);
  expect(slices).toEqual([1]);
  expect(broker.core.gauges.all()).toMatchObject({
    'connections.count': 1,
    'live_connections.count': 1,
    'subscriptions.count': 1,
    'topics.max': 1,
  });
  expect(broker.core.counters.all()).toMatchObject({
    'client.connected': 1,
    'messages.received': 1,
    'messages.sent': 1,
    'messages.acked': 1,
    'packets.received': 4,
    'packets.sent': 4,
    'session.created': 1,
  });
});

describe('a message that no packet can carry', () => {
  test.each([
    ['U+0000', { contentType: 'a\0' }],
    ['a lone surrogate', { userProperty: [['a', '\ud800']] as [string, string][] }],
    ['a long string', { contentType: 'x'.repeat(65_536) }],
    ['a wildcard in the response topic', { responseTopic: 'a/#' }],
    ['an expiry beyond four bytes', { messageExpiryInterval: 2 ** 32 }],
    ['too many properties', { userProperty: Array(200).fill(['a', 'x'.repeat(6000)]) as [string, string][] }],
    ["somebody's alias", { topicAlias: 1 }],
  ])('is refused by publish: %s', async (_what, properties) => {
    const broker = startTestCore();
    const screen = await broker.client('screen');
    await screen.subscribe('#', { qos: 1 });
    expect(() => broker.core.publish({ topic: 't', payload: 'x', qos: 1, properties })).toThrow(MqttError);
    await screen.expectNothing();
  });

  test('is refused by publish when it is too large as a whole', () => {
    const broker = startTestCore({ settings: { maxPacketBytes: 1000 } });
    const publish = (bytes: number) => broker.core.publish({ topic: 't', payload: 'x'.repeat(bytes) });
    expect(() => publish(990)).not.toThrow();
    expect(() => publish(1000)).toThrow(expect.objectContaining({ reasonCode: ReasonCode.PacketTooLarge }));
  });

  test('is dropped on the way to its receiver, and nobody else notices', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    const zero = await broker.client('zero');
    await zero.subscribe('t');
    const sensor = await broker.client('sensor');
    broker.core.hooks.on('message.publish', (message) => {
      if (message.payloadBytes === 3) message.change({ properties: { contentType: 'a\0' } });
    });
    await sensor.publish('t', 'bad', { qos: 1 }); // to those who are there …
    await sensor.publish('t', 'good', { qos: 1 });
    await first.expectMessage('good');
    await zero.expectMessage('good');
    first.close();
    await sensor.publish('t', 'bad', { qos: 1 }); // … and to one who is away
    await sensor.publish('t', 'late', { qos: 1 });
    const back = await broker.client('a', kept);
    await back.expectMessage('late');
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ inflight_cnt: 0, mqueue_len: 0 });
    expect(broker.core.counters.get('delivery.dropped')).toBe(4); // two to each
    await back.expectNothing();
  });
});

describe('a queue has a limit in bytes', () => {
  const kilobytes = (count: number) => Buffer.alloc(count * 1000);

  test('the oldest go for a new one', async () => {
    const broker = startTestCore({ settings: { maxMqueueBytes: 100_000 } });
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    first.close();
    for (let i = 0; i < 5; i++) broker.core.publish({ topic: 't', payload: kilobytes(i + 20), qos: 1 });
    // 20 + 21 + 22 + 23 KB fit, 24 more do not; then one that takes the room of three
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ mqueue_len: 4, mqueue_dropped: 1 });
    broker.core.publish({ topic: 't', payload: kilobytes(70), qos: 1 });
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ mqueue_len: 2, mqueue_dropped: 4 });
    const back = await broker.client('a', kept);
    const sizes = [await back.expect(PacketType.PUBLISH), await back.expect(PacketType.PUBLISH)];
    expect(sizes.map(({ payload }) => payload.length)).toEqual([24_000, 70_000]);
  });

  test('one that could never fit sends nobody away', async () => {
    const broker = startTestCore({ settings: { maxMqueueBytes: 10_000 } });
    const first = await broker.client('a', kept);
    await first.subscribe('t', { qos: 1 });
    first.close();
    broker.core.publish({ topic: 't', payload: kilobytes(5), qos: 1 });
    broker.core.publish({ topic: 't', payload: kilobytes(11), qos: 1 });
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ mqueue_len: 1, mqueue_dropped: 1 });
    expect(broker.core.counters.get('delivery.dropped.queue_full')).toBe(1);
  });
});

test('a client that comes back with a smaller receive maximum gets no more at a time [MQTT-3.3.4-9]', async () => {
  const broker = startTestCore();
  const options = { ...kept, acknowledge: false };
  const first = await broker.client('a', options);
  await first.subscribe('t', { qos: 1 });
  const sensor = await broker.client('sensor');
  for (let i = 0; i < 5; i++) await sensor.publish('t', `${i}`, { qos: 1 });
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push((await first.expectMessage(`${i}`)).packetId);
  first.close();
  await sensor.publish('t', '5', { qos: 1 });

  const properties = { sessionExpiryInterval: 600, receiveMaximum: 2 };
  const back = await broker.client('a', { ...options, properties });
  const ack = (packetId: number) =>
    back.send({ type: PacketType.PUBACK, packetId, reasonCode: 0, properties: {} });
  expect(await back.expectMessages(2)).toEqual(['0', '1']);
  await back.expectNothing();
  ack(ids[3]!); // still on its way from the last connection
  await back.expectNothing();
  ack(ids[0]!);
  const two = await back.expectMessage('2');
  expect([two.dup, two.packetId]).toEqual([true, ids[2]]);
  await back.expectNothing();
  ack(ids[1]!);
  await back.expectMessage('4');
  ack(ids[2]!);
  expect((await back.expectMessage('5')).dup).toBe(false);
  await back.expectNothing();
});

describe('the queues of all sessions together', () => {
  const bytes = (broker: ReturnType<typeof startTestCore>) => (broker.core as MqttCore).queued.bytes;

  test('hold no more than they may; the session that is over drops its oldest', async () => {
    const broker = startTestCore({ settings: { maxMqueuesBytes: 10_000 } });
    for (const clientid of ['a', 'b']) {
      const client = await broker.client(clientid, kept);
      await client.subscribe(clientid, { qos: 1 });
      client.close();
    }
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 5; i++) await sensor.publish('a', `${i}`.padEnd(1000), { qos: 1 });
    for (let i = 0; i < 5; i++) await sensor.publish('b', `${i}`.padEnd(1000), { qos: 1 });
    expect(bytes(broker)).toBeLessThanOrEqual(10_000);
    expect(broker.core.counters.get('delivery.dropped.queue_full')).toBe(4);
    const a = await broker.client('a', kept);
    expect((await a.expectMessages(5)).map((text) => text[0])).toEqual(['0', '1', '2', '3', '4']);
    const b = await broker.client('b', kept);
    expect((await b.expectMessage()).payload[0]).toBe('4'.charCodeAt(0));
    await b.expectNothing();
    expect(bytes(broker)).toBe(0);
  });

  test('count a message once, whatever the number of them, and nothing of a session that has ended', async () => {
    const broker = startTestCore();
    for (let i = 0; i < 10; i++) {
      const client = await broker.client(`c${i}`, kept);
      await client.subscribe('t', { qos: 1 });
      client.close();
    }
    await (await broker.client('sensor')).publish('t', 'x'.repeat(100_000), { qos: 1 });
    expect(bytes(broker)).toBeGreaterThan(100_000);
    expect(bytes(broker)).toBeLessThan(110_000);
    for (let i = 0; i < 10; i++) broker.core.kick(`c${i}`);
    expect(bytes(broker)).toBe(0);
  });
});

test('a session of thousands of subscriptions leaves nothing in the store, also if the broker ends meanwhile', async () => {
  const store = memoryStore();
  const rows = () => store.collection('subscriptions').count();
  const start = async () => {
    const broker = startTestCore({ store });
    await broker.client('a', kept);
    broker.core.subscribe(
      'a',
      Array.from({ length: 3000 }, (_, i) => ({ filter: `t/${i}` })),
    );
    broker.core.kick('a');
    expect(rows()).toBe(3000);
    return broker;
  };
  const first = await start();
  await expect.poll(rows).toBe(0);
  await first.close();
  await (await start()).close();
  expect(rows()).toBeGreaterThan(0);
  const after = startTestCore({ store });
  expect(after.core.registry.size).toBe(0);
  expect(rows()).toBe(0);
});
