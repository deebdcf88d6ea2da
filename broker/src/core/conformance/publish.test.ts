import { PacketType, type Properties } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { filterMatches } from '@mqdeck/mqtt/topics';
import { describe, expect, test } from 'vitest';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';

const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];
const ill = [0, 2, 0xc3, 0x28];
const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

describe('DUP', () => {
  test('of a message passed on is not what it came with [MQTT-3.3.1-3] [MQTT-4.3.2-2] [MQTT-4.3.3-2]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screens = [await broker.client('five'), await broker.client('four', { version: 4 })];
    for (const screen of screens) await screen.subscribe('t', { qos: 2 });
    for (const qos of [1, 2] as const) {
      await sensor.publish('t', `${qos}`, { qos, dup: true });
      for (const screen of screens) {
        const message = await screen.expectMessage(`${qos}`);
        expect([message.dup, message.qos]).toEqual([false, qos]);
        expect(message.packetId).toBeGreaterThan(0);
      }
    }
  });

  test('marks what is sent again, and never a QoS 0 message [MQTT-3.3.1-1] [MQTT-3.3.1-2] [MQTT-4.3.1-1]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', { ...kept, acknowledge: false });
    await first.subscribe('t', { qos: 2 });
    for (const qos of [0, 1, 2] as const) await broker.core.publish({ topic: 't', payload: `${qos}`, qos });
    for (const qos of [0, 1, 2]) {
      const message = await first.expectMessage(`${qos}`);
      expect([message.qos, message.dup]).toEqual([qos, false]);
    }
    first.close();
    for (const qos of [0, 1, 2] as const)
      await broker.core.publish({ topic: 't', payload: `new ${qos}`, qos });
    const back = await broker.client('a', kept);
    const seen = [];
    for (let i = 0; i < 5; i++) {
      const { payload, dup } = await back.expectMessage();
      seen.push([Buffer.from(payload).toString(), dup]);
    }
    expect(seen).toEqual([
      ['1', true],
      ['2', true],
      ['new 0', false],
      ['new 1', false],
      ['new 2', false],
    ]);
  });
});

describe('the topic', () => {
  test('is proper text or the packet is malformed [MQTT-3.3.2-1]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a');
    client.sendRaw([0x30, 5, ...ill, 0]);
    await client.expectDisconnect(ReasonCode.MalformedPacket);
  });

  test('of a message is the one it was published to, and its filter matches [MQTT-3.3.2-3]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const topics = ['a', 'a/b', 'a/b/c', '/a', 'a/', 'b', 'a//c', '$x/b'];
    for (const filter of ['a', 'a/#', '+', '+/b', '#', '/+', 'a/+/c', '$x/#', '+/']) {
      const screen = await broker.client('screen');
      await screen.subscribe(filter);
      for (const topic of topics) await sensor.publish(topic, topic);
      await sensor.ping();
      await screen.ping();
      const seen = screen.packets.flatMap((packet) =>
        packet.type === PacketType.PUBLISH ? [[packet.topic, Buffer.from(packet.payload).toString()]] : [],
      );
      const matching = topics.filter((topic) => filterMatches(filter, topic));
      expect(seen).toEqual(matching.map((topic) => [topic, topic]));
      await screen.disconnect();
    }
  });
});

describe('what a message says of itself', () => {
  const properties: Properties = {
    payloadFormatIndicator: 0,
    contentType: 'application/x-ü',
    responseTopic: 'answers/ü',
    correlationData: Uint8Array.of(0, 255, 1),
    userProperty: [
      ['z', '1'],
      ['', ''],
      ['a', '2'],
      ['z', '1'],
    ],
  };

  test('reaches every subscriber unchanged, those there, those away, and those of retained messages [MQTT-3.3.2-4] [MQTT-3.3.2-15] [MQTT-3.3.2-16] [MQTT-3.3.2-17] [MQTT-3.3.2-18] [MQTT-3.3.2-20]', async () => {
    const broker = await startTestBroker();
    const sensor = await broker.client('sensor');
    const there = await broker.client('there');
    const away = await broker.client('away', kept);
    for (const client of [there, away]) await client.subscribe('t', { qos: 1 });
    away.close();
    await sensor.publish('t', 'x', { qos: 1, retain: true, properties });
    const late = await broker.client('late');
    await late.subscribe('t', { qos: 1 });
    for (const client of [there, await broker.client('away', kept), late])
      expect((await client.expectMessage('x')).properties).toEqual(properties);
    await broker.close();
  });

  test.each([
    ['response topic is not UTF-8 [MQTT-3.3.2-13]', 0x08],
    ['content type is not UTF-8 [MQTT-3.3.2-19]', 0x03],
  ])('is malformed when the %s', async (_what, id) => {
    const broker = startTestCore();
    const client = await broker.client('a');
    client.sendRaw([0x30, 9, ...text('t'), 5, id, ...ill]);
    await client.expectDisconnect(ReasonCode.MalformedPacket);
  });
});

describe('topic aliases', () => {
  test('end with their connection, though the session goes on [MQTT-3.3.2-7]', async () => {
    const broker = startTestCore();
    const screen = await broker.client('screen');
    await screen.subscribe('#');
    const first = await broker.client('a', kept);
    await first.publish('t', '1', { properties: { topicAlias: 1 } });
    await first.publish('', '2', { properties: { topicAlias: 1 } });
    expect(await screen.expectMessages(2)).toEqual(['1', '2']);
    first.close();
    const back = await broker.client('a', kept);
    expect(back.connack?.sessionPresent).toBe(true);
    back.sendPublish('', '3', { properties: { topicAlias: 1 } });
    await back.expectDisconnect(ReasonCode.ProtocolError);
    await screen.expectNothing();
  });

  test('are accepted up to the maximum the broker announced [MQTT-3.3.2-12]', async () => {
    const broker = startTestCore();
    const screen = await broker.client('screen');
    await screen.subscribe('#');
    const client = await broker.client('a');
    const maximum = client.connack!.properties.topicAliasMaximum!;
    expect(maximum).toBe(0xffff);
    for (let topicAlias = 1; topicAlias <= maximum; topicAlias += 1)
      client.sendPublish(`${topicAlias}`, '', { properties: { topicAlias } });
    await client.ping();
    await screen.ping();
    screen.packets.length = 0;
    for (const topicAlias of [1, 2, 255, 256, 40_000, maximum]) {
      client.sendPublish('', 'x', { properties: { topicAlias } });
      expect((await screen.expectMessage('x')).topic).toBe(`${topicAlias}`);
    }
  });
});

describe('a message', () => {
  test('is answered as its QoS asks [MQTT-3.3.4-1]', async () => {
    const broker = startTestCore();
    for (const version of [3, 4, 5] as const) {
      const client = await broker.client('a', { version });
      client.sendPublish('t', 'x');
      await client.ping();
      expect(client.packets).toEqual([]);
      const one = client.sendPublish('t', 'x', { qos: 1 });
      await client.expectAck(PacketType.PUBACK, one);
      const two = client.sendPublish('t', 'x', { qos: 2 });
      await client.expectAck(PacketType.PUBREC, two);
      await client.ping();
      expect(client.packets).toEqual([]);
      await client.disconnect();
    }
  });

  test('waits for a full window, and nothing else does [MQTT-3.3.4-10] [MQTT-4.9.0-3]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', { acknowledge: false, properties: { receiveMaximum: 1 } });
    await client.subscribe('t', { qos: 2 });
    for (const qos of [2, 1, 2] as const) await broker.core.publish({ topic: 't', payload: `${qos}`, qos });
    const { packetId } = await client.expectMessage('2');
    await client.expectNothing();
    expect(await client.subscribe('u', { qos: 1 })).toEqual([1]);
    expect(await client.unsubscribe('u')).toEqual([0]);
    expect(await client.publish('v', 'x', { qos: 1 })).toBe(ReasonCode.NoMatchingSubscribers);
    expect(await client.publish('v', 'x', { qos: 2 })).toBe(ReasonCode.NoMatchingSubscribers);
    client.send({ type: PacketType.PUBREC, packetId, reasonCode: 0, properties: {} });
    await client.expectAck(PacketType.PUBREL, packetId);
    await client.expectNothing();
  });
});
