import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { isPermitted } from '@mqdeck/mqtt/permitted';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';

type Ack = AckPacket['type'];
const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];
const ill = [0, 2, 0xc3, 0x28];

describe('malformed is', () => {
  test.each([0x80, 0x81, 0x83, 0x86, 0x8a])(
    'SUBSCRIBE with the first byte %i [MQTT-3.8.1-1]',
    async (header) => {
      const broker = startTestCore();
      const client = await broker.client('a');
      client.sendRaw([header, 7, 0, 1, 0, ...text('t'), 0]);
      await client.expectDisconnect(ReasonCode.MalformedPacket);
      expect(broker.core.routes.subscriptionCount).toBe(0);
    },
  );

  test.each([0xa0, 0xa1, 0xa3, 0xa6, 0xaa])(
    'UNSUBSCRIBE with the first byte %i [MQTT-3.10.1-1]',
    async (header) => {
      const broker = startTestCore();
      const client = await broker.client('a');
      client.sendRaw([header, 6, 0, 1, 0, ...text('t')]);
      await client.expectDisconnect(ReasonCode.MalformedPacket);
    },
  );

  test.each([
    ['SUBSCRIBE to a filter that is not UTF-8 [MQTT-3.8.3-1]', [0x82, 8, 0, 1, 0, ...ill, 0]],
    ['UNSUBSCRIBE of a filter that is not UTF-8 [MQTT-3.10.3-1]', [0xa2, 7, 0, 1, 0, ...ill]],
    ['SUBSCRIBE with the reserved bit 6 [MQTT-3.8.3-5]', [0x82, 7, 0, 1, 0, ...text('t'), 0x40]],
    ['SUBSCRIBE with the reserved bit 7 [MQTT-3.8.3-5]', [0x82, 7, 0, 1, 0, ...text('t'), 0x80]],
  ])('%s', async (_what, bytes) => {
    const broker = startTestCore();
    const client = await broker.client('a');
    client.sendRaw(bytes);
    await client.expectDisconnect(ReasonCode.MalformedPacket);
  });
});

describe('SUBSCRIBE', () => {
  test('is answered by SUBACK, once, whatever it asks for [MQTT-3.8.4-1]', async () => {
    const broker = startTestCore({ settings: { maxTopicLevels: 2, sharedSubscription: false } });
    const client = await broker.client('a');
    for (const filters of [['a'], ['a'], ['a', 'a/b/c'], ['a/b/c'], ['$share/g/a'], ['+', '#']])
      expect((await client.subscribe(filters)).length).toBe(filters.length);
    await client.ping();
    expect(client.packets).toEqual([]);
  });

  test('with several filters is as several of them, in their order, with one answer [MQTT-3.8.4-5] [MQTT-3.8.4-6] [MQTT-3.9.3-1]', async () => {
    const broker = startTestCore({ settings: { maxQosAllowed: 1 } });
    broker.core.hooks.on('client.authorize', async (_who, { action, topic }) =>
      action === 'subscribe' && topic === 'secret' ? 'deny' : undefined,
    );
    const order: string[] = [];
    broker.core.hooks.on('session.subscribed', (_client, filter, { qos }) => order.push(`${filter} ${qos}`));
    const client = await broker.client('a');
    client.sendRaw([
      ...[0x82, 32, 0, 9, 0],
      ...[...text('a'), 0, ...text('secret'), 1, ...text('b'), 1, ...text('c'), 2, ...text('a'), 1],
      ...[...text('d'), 0],
    ]);
    const { reasonCodes, packetId } = await client.expect(PacketType.SUBACK);
    expect([packetId, reasonCodes]).toEqual([9, [0, ReasonCode.NotAuthorized, 1, 1, 1, 0]]);
    expect(order).toEqual(['a 0', 'b 1', 'c 1', 'a 1', 'd 0']);
    await client.publish('a', 'once', { qos: 1 });
    expect((await client.expectMessage('once')).qos).toBe(1);
    await client.expectNothing();
  });

  test('is told the granted QoS or a failure, in the codes of the table [MQTT-3.8.4-7] [MQTT-3.9.3-2]', async () => {
    const broker = startTestCore({
      settings: {
        maxTopicLevels: 2,
        sharedSubscription: false,
        wildcardSubscription: false,
        maxSubscriptions: 3,
      },
    });
    broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
    const client = await broker.client('a');
    const told = [];
    for (const qos of [0, 1, 2] as const) told.push(...(await client.subscribe(`${qos}`, { qos })));
    told.push(...(await client.subscribe(['secret', 'a/b/c', '$share/g/a', '+', 'one more'])));
    expect(told).toEqual([0, 1, 2, 0x87, 0x8f, 0x9e, 0xa2, 0x97]);
    for (const code of told) expect(isPermitted(PacketType.SUBACK, code, 'server')).toBe(true);
    expect(broker.core.registry.find('a')?.subscriptionCount).toBe(3);
  });

  test('brings messages with the lower of both QoS [MQTT-3.8.4-8]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    for (const granted of [0, 1, 2] as const) {
      const screen = await broker.client('screen');
      await screen.subscribe('t', { qos: granted });
      for (const qos of [0, 1, 2] as const) {
        await sensor.publish('t', 'x', { qos });
        expect((await screen.expectMessage('x')).qos).toBe(Math.min(granted, qos));
      }
      await screen.disconnect();
    }
  });

  test('once more brings what is retained once more and loses nothing on its way [MQTT-3.8.4-3] [MQTT-3.8.4-4]', async () => {
    const broker = await startTestBroker();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen', { properties: { receiveMaximum: 1 }, acknowledge: false });
    await sensor.publish('t', 'kept', { retain: true, qos: 1 });
    await screen.subscribe('t', { qos: 1 });
    const ack = async (payload: string, retain: boolean) => {
      const message = await screen.expectMessage(payload);
      expect([payload, message.retain]).toEqual([payload, retain]);
      screen.send({ type: PacketType.PUBACK, packetId: message.packetId, reasonCode: 0, properties: {} });
    };
    await ack('kept', true);
    for (const payload of ['1', '2', '3']) await sensor.publish('t', payload, { qos: 1 });
    expect(await screen.subscribe('t', { qos: 1, retainHandling: 0 })).toEqual([1]);
    for (const payload of ['1', '2', '3']) await ack(payload, false);
    await ack('kept', true);
    await screen.expectNothing();
    await screen.subscribe('t', { qos: 1, retainHandling: 1 });
    await screen.expectNothing();
    await broker.close();
  });
});

describe('UNSUBSCRIBE', () => {
  test('ends only the subscription that is the same character by character [MQTT-3.10.4-1]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a');
    const filters = ['a/b', 'a/+', 'a/#', '#', 'A/b', 'a/b/', '$share/g/a/b'];
    await client.subscribe(filters);
    const left = () => [...broker.core.registry.find('a')!.subscriptions()].map(({ filter }) => filter);
    for (const other of ['a', '+/b', 'a/B', '$share/h/a/b', '$share/g/a/+', '/a/b']) {
      expect(await client.unsubscribe(other)).toEqual([ReasonCode.NoSubscriptionExisted]);
      expect(left()).toEqual(filters);
    }
    while (filters.length > 0) {
      expect(await client.unsubscribe(filters.shift()!)).toEqual([0]);
      expect(left()).toEqual(filters);
    }
  });

  test('ends new messages, and lets those on their way arrive [MQTT-3.10.4-2] [MQTT-3.10.4-3]', async () => {
    const broker = startTestCore();
    const options = { cleanStart: false, acknowledge: false, properties: { sessionExpiryInterval: 60 } };
    const client = await broker.client('a', options);
    await client.subscribe('t', { qos: 2 });
    for (const qos of [1, 2] as const) await broker.core.publish({ topic: 't', payload: `${qos}`, qos });
    await client.expectMessages(2);
    await client.unsubscribe('t');
    await broker.core.publish({ topic: 't', payload: 'new', qos: 1 });
    await client.expectNothing();
    client.close();
    const back = await broker.client('a', options);
    const one = await back.expectMessage('1');
    const two = await back.expectMessage('2');
    back.send({ type: PacketType.PUBACK, packetId: one.packetId, reasonCode: 0, properties: {} });
    back.send({ type: PacketType.PUBREC, packetId: two.packetId, reasonCode: 0, properties: {} });
    expect((await back.expect<Ack>(PacketType.PUBREL)).packetId).toBe(two.packetId);
    back.send({ type: PacketType.PUBCOMP, packetId: two.packetId, reasonCode: 0, properties: {} });
    await back.expectNothing();
    expect(broker.core.registry.find('a')?.facts().inflight_cnt).toBe(0);
  });

  test('is answered by UNSUBACK, once, with a code of the table for each filter in order [MQTT-3.10.4-4] [MQTT-3.10.4-6] [MQTT-3.11.3-1] [MQTT-3.11.3-2]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a');
    await client.subscribe(['a', 'b', 'c']);
    const codes = await client.unsubscribe(['c', 'never', 'a', 'a', 'b']);
    expect(codes).toEqual([0, 0x11, 0, 0x11, 0]);
    for (const code of codes) expect(isPermitted(PacketType.UNSUBACK, code, 'server')).toBe(true);
    await client.ping();
    expect(client.packets).toEqual([]);
    expect(broker.core.routes.subscriptionCount).toBe(0);
  });
});
