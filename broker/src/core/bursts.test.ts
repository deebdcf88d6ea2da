import { encodePacket } from '@mqdeck/mqtt/encode';
import { type Packet, PacketType, type QoS } from '@mqdeck/mqtt/packets';
import { afterEach, expect, test, vi } from 'vitest';
import { startTestCore } from '../testing/start-test-core.ts';
import { Bursts } from './bursts.ts';
import { memoryStore } from './store/memory-store.ts';
import type { Store } from './store/store.ts';

let now = 1;
let stepMs = 0;
const turnClock = () => {
  now += stepMs;
  return now;
};
/** Each look at the time finds that much later. */
function everyLookTakes(ms: number): void {
  stepMs = ms;
}
afterEach(() => {
  stepMs = 0;
});

const publishes = (count: number, qos: QoS = 0): Buffer =>
  Buffer.concat(
    Array.from({ length: count }, (_, i) =>
      encodePacket(
        {
          type: PacketType.PUBLISH,
          topic: 't',
          payload: Buffer.from(`${i}`),
          qos,
          retain: false,
          dup: false,
          packetId: qos === 0 ? 0 : i + 1,
          properties: {},
        },
        5,
      ),
    ),
  );
const ofType = (packets: Packet[], type: number) => packets.filter((packet) => packet.type === type);

test('who has to wait goes on in a later turn, one after the other, and nobody twice', async () => {
  everyLookTakes(15);
  const bursts = new Bursts(turnClock);
  expect([bursts.tooLong, bursts.tooLong, bursts.tooLong]).toEqual([false, false, true]);
  const ran: string[] = [];
  let turns = 0;
  const count = () => {
    turns++;
    if (ran.length < 3) setImmediate(count);
  };
  setImmediate(count);
  bursts.later(() => {
    ran.push(`first ${bursts.tooLong}`);
    bursts.later(() => ran.push('first again'));
  });
  bursts.later(() => ran.push('second'));
  await vi.waitFor(() => expect(ran).toEqual(['first false', 'second', 'first again']));
  expect(turns).toBeGreaterThan(1);
});

test('a burst does not keep others waiting, is not lost with its connection, and keeps its order', async () => {
  const broker = startTestCore({ turnClock });
  const screen = await broker.client('screen');
  await screen.subscribe('t');
  const neighbour = await broker.client('neighbour');
  const { client: sensor, connection } = broker.dial('sensor');
  await sensor.connect();
  everyLookTakes(15);
  connection.send(publishes(500));
  connection.break();
  await neighbour.ping();
  expect(ofType(screen.packets, PacketType.PUBLISH).length).toBeLessThan(500);
  expect(broker.core.registry.find('sensor')).toBeDefined();
  for (let i = 0; i < 500; i++) await screen.expectMessage(`${i}`);
  await vi.waitFor(() => expect(broker.core.registry.find('sensor')).toBeUndefined());
});

test('a message for thousands counts as thousands', async () => {
  const broker = startTestCore({ turnClock });
  const screens = await Promise.all(Array.from({ length: 50 }, (_, i) => broker.client(`screen ${i}`)));
  for (const screen of screens) await screen.subscribe('t');
  const { client: sensor, connection } = broker.dial('sensor');
  await sensor.connect();
  everyLookTakes(15);
  connection.send(publishes(10));
  expect(connection.isPaused).toBe(true);
  for (const screen of screens) for (let i = 0; i < 10; i++) await screen.expectMessage(`${i}`);
  await vi.waitFor(() => expect(connection.isPaused).toBe(false));
});

test('who fills the store waits for its disk, and nobody else does', async () => {
  let mayWrite = false;
  const waiting: (() => void)[] = [];
  const memory = memoryStore();
  const store: Store = {
    ...memory,
    joinGroups: (member) => {
      const ask = memory.joinGroups(member);
      return () => (mayWrite ? ask() : void waiting.push(ask));
    },
  };
  const broker = startTestCore({ store, turnClock });
  mayWrite = true;
  for (let i = 0; i < 100; i++) {
    const away = await broker.client(`away ${i}`, { properties: { sessionExpiryInterval: 60 } });
    await away.subscribe('t', { qos: 1 });
    away.close();
  }
  await store.flushed();
  const neighbour = await broker.client('neighbour');
  await neighbour.subscribe('other');
  const { client: sensor, connection } = broker.dial('sensor');
  await sensor.connect();
  mayWrite = false;
  connection.send(publishes(200, 1));
  const queued = () => broker.core.registry.find('away 0')!.facts().mqueue_len;
  await vi.waitFor(() => expect(queued()).toBe(50));
  for (let i = 0; i < 100; i++) await neighbour.ping();
  for (let i = 0; i < 100; i++) neighbour.sendPublish('other', `${i}`);
  for (let i = 0; i < 100; i++) await neighbour.expectMessage(`${i}`);
  expect([queued(), connection.isPaused]).toEqual([50, true]);
  mayWrite = true;
  for (const ask of waiting) ask();
  await vi.waitFor(() => expect([queued(), connection.isPaused]).toEqual([200, false]));
});

test('thousands of filters in a packet do not keep others waiting; what comes behind them waits', async () => {
  const broker = startTestCore({ turnClock });
  const neighbour = await broker.client('neighbour');
  const { client, connection } = broker.dial('a');
  await client.connect();
  const filters = Array.from({ length: 2000 }, (_, i) => `t/${i}`);
  everyLookTakes(15);
  const subscriptions = filters.map((filter) => ({
    filter,
    qos: 1 as const,
    noLocal: false,
    retainAsPublished: false,
    retainHandling: 0 as const,
  }));
  client.send({ type: PacketType.SUBSCRIBE, packetId: 1, subscriptions, properties: {} });
  client.send({ type: PacketType.UNSUBSCRIBE, packetId: 2, filters, properties: {} });
  expect(connection.isPaused).toBe(true);
  await neighbour.ping();
  expect(broker.core.registry.find('a')!.subscriptionCount).toBeLessThan(2000);
  expect(ofType(client.packets, PacketType.SUBACK)).toEqual([]);
  const codes = (code: number) => filters.map(() => code);
  expect(await client.expect(PacketType.SUBACK)).toMatchObject({ packetId: 1, reasonCodes: codes(1) });
  expect(await client.expect(PacketType.UNSUBACK)).toMatchObject({ packetId: 2, reasonCodes: codes(0) });
  expect(broker.core.registry.find('a')!.subscriptionCount).toBe(0);
});

test('a connection that is taken over in the middle of a long SUBSCRIBE does not answer it', async () => {
  const broker = startTestCore({ turnClock });
  const first = await broker.client('a', { properties: { sessionExpiryInterval: 60 } });
  everyLookTakes(15);
  const subscriptions = Array.from({ length: 2000 }, (_, i) => ({
    filter: `t/${i}`,
    qos: 0 as const,
    noLocal: false,
    retainAsPublished: false,
    retainHandling: 0 as const,
  }));
  first.send({ type: PacketType.SUBSCRIBE, packetId: 1, subscriptions, properties: {} });
  const second = await broker.client('a', { cleanStart: false, properties: { sessionExpiryInterval: 60 } });
  const { subscriptionCount } = broker.core.registry.find('a')!;
  await second.ping();
  await second.ping();
  expect(subscriptionCount).toBeLessThan(2000);
  expect(broker.core.registry.find('a')!.subscriptionCount).toBe(subscriptionCount);
  expect(ofType(first.packets, PacketType.SUBACK)).toEqual([]);
});

test('those who say good-bye together leave a few at a time, and none of them leaves a will', async () => {
  const broker = startTestCore({ turnClock });
  const heir = await broker.client('heir');
  await heir.subscribe('wills/#');
  const will = (i: number) => ({
    topic: `wills/${i}`,
    payload: Buffer.from('x'),
    qos: 0 as const,
    retain: false,
  });
  const sensors = await Promise.all(
    Array.from({ length: 50 }, async (_, i) => {
      const { client, connection } = broker.dial(`sensor ${i}`, { will: { ...will(i), properties: {} } });
      await client.connect();
      return { client, connection };
    }),
  );
  const reasons: string[] = [];
  broker.core.hooks.on('client.disconnected', (_session, reason) => void reasons.push(reason));
  everyLookTakes(15);
  for (const { client, connection } of sensors) {
    client.send({ type: PacketType.DISCONNECT, reasonCode: 0, properties: {} });
    client.send({ type: PacketType.PINGREQ }); // nothing may follow
    connection.break();
  }
  expect(broker.core.registry.size).toBeGreaterThan(40);
  const again = await broker.client('sensor 49'); // back before it was seen off
  await vi.waitFor(() => expect(broker.core.registry.size).toBe(2));
  expect(reasons).toHaveLength(50);
  expect(reasons.filter((reason) => reason !== 'normal')).toEqual(['takenover']);
  await again.ping();
  await heir.expectNothing();
});
