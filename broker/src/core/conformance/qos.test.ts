import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { memoryStore } from '../store/memory-store.ts';

type Ack = AckPacket['type'];
const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };
const byHand = { ...kept, acknowledge: false };

const answer = (client: TestClient, type: Ack, packetId: number, reasonCode = 0) =>
  client.send({ type, packetId, reasonCode, properties: {} });
const inflight = (broker: TestCore, clientid = 'a') =>
  broker.core.registry.find(clientid)!.facts().inflight_cnt;

describe('the broker as sender', () => {
  test.each([1, 2] as const)(
    'gives each new QoS %i message an identifier not in use [MQTT-4.3.2-1] [MQTT-4.3.3-1]',
    async (qos) => {
      const broker = startTestCore();
      const client = await broker.client('a', { acknowledge: false, properties: { receiveMaximum: 30 } });
      await client.subscribe('t', { qos });
      const open = new Set<number>();
      for (let round = 0; round < 40; round++) {
        for (let i = open.size; i < 20; i++) {
          await broker.core.publish({ topic: 't', payload: 'x', qos });
          const { packetId } = await client.expectMessage('x');
          expect(packetId).toBeGreaterThan(0);
          expect(open.has(packetId)).toBe(false);
          open.add(packetId);
        }
        for (const packetId of [...open].filter((_, i) => (i + round) % 3 === 0)) {
          if (qos === 2) {
            answer(client, PacketType.PUBREC, packetId);
            await client.expectAck(PacketType.PUBREL, packetId);
          }
          answer(client, qos === 1 ? PacketType.PUBACK : PacketType.PUBCOMP, packetId);
          open.delete(packetId);
        }
      }
      await client.ping();
      expect(inflight(broker)).toBe(open.size);
    },
  );

  test('keeps a QoS 1 message until its PUBACK [MQTT-4.3.2-3]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', byHand);
    await first.subscribe('t', { qos: 1 });
    await broker.core.publish({ topic: 't', payload: 'x', qos: 1 });
    const { packetId } = await first.expectMessage('x');
    for (const [type, id] of [
      [PacketType.PUBREC, packetId],
      [PacketType.PUBCOMP, packetId],
      [PacketType.PUBACK, packetId + 1],
    ] as const)
      answer(first, type, id);
    await first.ping();
    expect(inflight(broker)).toBe(1);
    first.close();
    const back = await broker.client('a', byHand);
    expect((await back.expectMessage('x')).packetId).toBe(packetId);
    answer(back, PacketType.PUBACK, packetId);
    await back.ping();
    expect(inflight(broker)).toBe(0);
  });

  test('keeps a QoS 2 message until PUBREC, then its identifier until PUBCOMP, and never sends it after PUBREL [MQTT-4.3.3-3] [MQTT-4.3.3-4] [MQTT-4.3.3-5] [MQTT-4.3.3-6]', async () => {
    const broker = startTestCore();
    let client = await broker.client('a', byHand);
    await client.subscribe('t', { qos: 2 });
    await broker.core.publish({ topic: 't', payload: 'x', qos: 2 });
    const { packetId } = await client.expectMessage('x');
    for (const type of [PacketType.PUBACK, PacketType.PUBCOMP] as const) answer(client, type, packetId);
    await client.ping();
    client.close();
    client = await broker.client('a', byHand);
    const again = await client.expectMessage('x');
    expect([again.dup, again.packetId]).toEqual([true, packetId]);
    answer(client, PacketType.PUBREC, packetId);
    expect((await client.expect<Ack>(PacketType.PUBREL)).packetId).toBe(packetId);
    for (let i = 0; i < 2; i++) {
      client.close();
      client = await broker.client('a', byHand);
      expect((await client.expect<Ack>(PacketType.PUBREL)).packetId).toBe(packetId);
      await client.expectNothing();
    }
    expect(inflight(broker)).toBe(1);
    answer(client, PacketType.PUBCOMP, packetId);
    await client.ping();
    expect(inflight(broker)).toBe(0);
  });

  test('lets nothing expire that was sent, and goes on with the exchange [MQTT-4.3.3-7] [MQTT-4.3.3-13]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', byHand);
    await first.subscribe('t', { qos: 2 });
    const properties = { messageExpiryInterval: 5 };
    await broker.core.publish({ topic: 't', payload: 'x', qos: 2, properties });
    const { packetId } = await first.expectMessage('x');
    first.close();
    broker.pass(60_000);
    const back = await broker.client('a', byHand);
    expect((await back.expectMessage('x')).packetId).toBe(packetId);
    answer(back, PacketType.PUBREC, packetId);
    await back.expectAck(PacketType.PUBREL, packetId);
    broker.pass(60_000);
    answer(back, PacketType.PUBCOMP, packetId);
    await back.ping();
    expect(inflight(broker)).toBe(0);
  });

  test.each([
    [1, PacketType.PUBACK],
    [2, PacketType.PUBREC],
  ] as const)('is done with a QoS %i message that was refused [MQTT-4.4.0-2]', async (qos, type) => {
    const broker = startTestCore();
    const first = await broker.client('a', byHand);
    await first.subscribe('t', { qos });
    await broker.core.publish({ topic: 't', payload: 'x', qos });
    const { packetId } = await first.expectMessage('x');
    answer(first, type, packetId, ReasonCode.QuotaExceeded);
    await first.ping();
    expect([first.packets, inflight(broker)]).toEqual([[], 0]); // no PUBREL
    first.close();
    await (await broker.client('a', byHand)).expectNothing();
  });
});

describe('the broker as receiver', () => {
  test('takes the identifier of an acknowledged QoS 1 message for a new one, DUP or not [MQTT-4.3.2-4] [MQTT-4.3.2-5]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('t', { qos: 1 });
    for (const dup of [false, true, false]) {
      sensor.sendPublish('t', `${dup}`, { qos: 1, packetId: 7, dup });
      expect((await sensor.expect<Ack>(PacketType.PUBACK)).packetId).toBe(7);
      await screen.expectMessage(`${dup}`);
    }
  });

  test('takes the identifier of a refused QoS 2 message for a new one [MQTT-4.3.3-9]', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen');
    await screen.subscribe('t', { qos: 2 });
    sensor.sendPublish('secret', 'x', { qos: 2, packetId: 7 });
    expect((await sensor.expectAck(PacketType.PUBREC, 7)).reasonCode).toBe(ReasonCode.NotAuthorized);
    sensor.sendPublish('t', 'y', { qos: 2, packetId: 7 });
    expect((await sensor.expectAck(PacketType.PUBREC, 7)).reasonCode).toBe(0);
    await screen.expectMessage('y');
  });

  test('answers until PUBREL, over connections too, and delivers once; after PUBCOMP it is a new message [MQTT-4.3.3-8] [MQTT-4.3.3-10] [MQTT-4.3.3-11] [MQTT-4.3.3-12]', async () => {
    const broker = startTestCore();
    const screen = await broker.client('screen');
    await screen.subscribe('t', { qos: 2 });
    let sensor = await broker.client('a', kept);
    for (const payload of ['first', 'second']) {
      sensor.sendPublish('t', payload, { qos: 2, packetId: 7 });
      expect((await sensor.expectAck(PacketType.PUBREC, 7)).reasonCode).toBe(0);
      await screen.expectMessage(payload);
      sensor.close();
      sensor = await broker.client('a', kept);
      for (const dup of [true, false]) {
        sensor.sendPublish('t', payload, { qos: 2, packetId: 7, dup });
        await sensor.expectAck(PacketType.PUBREC, 7);
      }
      await screen.expectNothing();
      answer(sensor, PacketType.PUBREL, 7);
      expect((await sensor.expectAck(PacketType.PUBCOMP, 7)).reasonCode).toBe(0);
    }
  });

  test.each([
    ['client.authorize', 'before'],
    ['client.authorize', 'after'],
    ['message.publish', 'before'],
    ['message.publish', 'after'],
  ] as const)(
    'delivers once what comes again on a new connection while %s thinks, and is done %s the new one [MQTT-4.3.3-10] [MQTT-4.3.3-12]',
    async (hook, when) => {
      const broker = startTestCore();
      const thinking: (() => void)[] = [];
      const think = () =>
        new Promise<undefined>((resolve) => {
          thinking.push(() => resolve(undefined));
        });
      const screen = await broker.client('screen');
      await screen.subscribe('t', { qos: 2 });
      broker.core.hooks.on(hook, think);
      const first = await broker.client('a', kept);
      first.sendPublish('t', 'x', { qos: 2, packetId: 7 });
      first.close();
      const back = await broker.client('a', kept);
      back.sendPublish('t', 'x', { qos: 2, packetId: 7, dup: true });
      if (when === 'before') thinking[0]!();
      await screen.ping();
      thinking[1]!();
      const exchange = async () => {
        expect((await back.expectAck(PacketType.PUBREC, 7)).reasonCode).toBe(0);
        answer(back, PacketType.PUBREL, 7);
        expect((await back.expectAck(PacketType.PUBCOMP, 7)).reasonCode).toBe(0);
      };
      await exchange();
      if (when === 'after') thinking[0]!();
      await screen.ping();
      back.sendPublish('t', 'new', { qos: 2, packetId: 7 });
      thinking[2]!();
      await exchange();
      expect(await screen.expectMessages(2)).toEqual(['x', 'new']);
      await screen.expectNothing();
    },
  );

  test('goes on with the exchange of a QoS 2 message that has expired [MQTT-4.3.3-13]', async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const screen = await broker.client('screen', kept);
    await screen.subscribe('t', { qos: 2 });
    screen.close();
    sensor.sendPublish('t', 'x', { qos: 2, packetId: 7, properties: { messageExpiryInterval: 1 } });
    await sensor.expectAck(PacketType.PUBREC, 7);
    broker.pass(10_000);
    answer(sensor, PacketType.PUBREL, 7);
    expect((await sensor.expectAck(PacketType.PUBCOMP, 7)).reasonCode).toBe(0);
    await (await broker.client('screen', kept)).expectNothing();
  });
});

describe('order', () => {
  test('of acknowledgements is that of what they acknowledge, though hooks think about some [MQTT-4.6.0-2] [MQTT-4.6.0-3]', async () => {
    const broker = startTestCore();
    broker.core.hooks.on('message.publish', async ({ topic }) => {
      for (let i = 0; i < Number(topic); i++) await new Promise((resolve) => setImmediate(resolve));
      return undefined;
    });
    const client = await broker.client('a');
    for (let id = 1; id <= 40; id++)
      client.sendPublish(`${(id * 7) % 5}`, 'x', { qos: id % 2 === 0 ? 2 : 1, packetId: id });
    for (let i = 0; i < 20; i++) {
      expect((await client.expect<Ack>(PacketType.PUBACK)).packetId).toBe(2 * i + 1);
      expect((await client.expect<Ack>(PacketType.PUBREC)).packetId).toBe(2 * i + 2);
    }
  });

  test('of acknowledgements is kept when some wait for the store and others do not [MQTT-4.6.0-2]', async () => {
    const broker = startTestCore({ store: memoryStore() });
    broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
    await (await broker.client('kept', kept)).subscribe('lasting', { qos: 1 });
    const client = await broker.client('a');
    const topics = ['lasting', 'secret', 'to nobody', 'lasting', 'lasting', 'secret'];
    for (const [i, topic] of topics.entries()) client.sendPublish(topic, 'x', { qos: 1, packetId: i + 1 });
    const codes = [];
    for (let id = 1; id <= topics.length; id++) {
      const { packetId, reasonCode } = await client.expect<Ack>(PacketType.PUBACK);
      expect(packetId).toBe(id);
      codes.push(reasonCode);
    }
    expect(codes).toEqual([0, 0x87, 0x10, 0, 0, 0x87]);
  });

  test('of PUBREL is that of PUBREC, also when they are sent again [MQTT-4.6.0-4]', async () => {
    const broker = startTestCore();
    let client = await broker.client('a', byHand);
    await client.subscribe('t', { qos: 2 });
    for (let i = 0; i < 6; i++) await broker.core.publish({ topic: 't', payload: `${i}`, qos: 2 });
    const ids: number[] = [];
    for (let i = 0; i < 6; i++) ids.push((await client.expectMessage(`${i}`)).packetId);
    const received = [3, 0, 5, 1, 4, 2].map((i) => ids[i]!);
    for (const id of received) answer(client, PacketType.PUBREC, id);
    for (const id of received) expect((await client.expect<Ack>(PacketType.PUBREL)).packetId).toBe(id);
    client.close();
    client = await broker.client('a', byHand);
    for (const id of received) expect((await client.expect<Ack>(PacketType.PUBREL)).packetId).toBe(id);
  });

  test('of messages is kept for each publisher and QoS, there, away and back [MQTT-4.6.0-5] [MQTT-4.6.0-6]', async () => {
    const broker = startTestCore();
    let screen = await broker.client('a', { ...kept, properties: { ...kept.properties, receiveMaximum: 7 } });
    await screen.subscribe('t/#', { qos: 2 });
    const sensors = [await broker.client('x'), await broker.client('y')];
    const seen: string[] = [];
    let n = 0;
    for (let round = 0; round < 3; round++) {
      const before = n;
      for (let i = 0; i < 60; i++, n++) {
        const sensor = sensors[n % 2]!;
        sensor.sendPublish(`t/${n % 3}`, `${sensor.clientid} ${n % 3} ${n}`, { qos: (n % 3) as 0 | 1 | 2 });
      }
      for (const sensor of sensors) await sensor.ping();
      if (round === 1) screen = await broker.client('a', kept);
      seen.push(...(await screen.expectMessages(n - before)));
      for (const sensor of sensors)
        for (const packet of sensor.packets.splice(0))
          if (packet.type === PacketType.PUBREC) answer(sensor, PacketType.PUBREL, packet.packetId);
      if (round === 0) screen.close();
    }
    for (const from of ['x', 'y'])
      for (const qos of [0, 1, 2]) {
        const numbers = seen
          .filter((s) => s.startsWith(`${from} ${qos} `))
          .map((s) => Number(s.split(' ')[2]));
        expect(numbers.length).toBe(30);
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }
  });
});
