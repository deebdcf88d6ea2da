import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';
import type { MqttCore } from '../mqtt-core.ts';
import { TICK_MS } from '../timer-wheel.ts';
import {
  type BucketConfig,
  type ClientLimit,
  type LimiterConfig,
  type LimiterType,
  limiterTypes,
  type TypeConfig,
} from './config.ts';

const DAY_MS = 24 * 3600 * 1000;
const perSecond = (count: number) => ({ count, perMs: 1000 });
const full = { capacity: Number.POSITIVE_INFINITY, initial: Number.POSITIVE_INFINITY };
const freely: ClientLimit = {
  ...full,
  rate: null,
  lowWatermark: 0,
  divisible: false,
  maxRetryMs: 10_000,
  strategy: 'force',
};
const bucket = (one: Partial<BucketConfig> = {}): BucketConfig => ({
  ...full,
  name: 'default',
  rate: null,
  perClient: freely,
  listeners: [],
  zones: [],
  ...one,
});
const perClient = (one: Partial<ClientLimit>): Partial<TypeConfig> => ({
  buckets: [bucket({ perClient: { ...freely, ...one } })],
});
const configOf = (types: Partial<Record<LimiterType, Partial<TypeConfig>>>): LimiterConfig =>
  Object.fromEntries(
    limiterTypes.map((type) => [type, { rate: null, burst: 0, buckets: [bucket()], ...types[type] }]),
  ) as unknown as LimiterConfig;

let here: TestCore;
beforeEach(() => {
  here = startTestCore();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await here.close();
});

const limit = (types: Partial<Record<LimiterType, Partial<TypeConfig>>>) =>
  here.core.limiter.configure(configOf(types));
const turn = () => new Promise((resolve) => setImmediate(resolve));
/** The broker's time passes, and each tick has its turns of the event loop. */
async function pass(ms: number): Promise<void> {
  await turn();
  await turn();
  for (let left = ms; left > 0; left -= TICK_MS) {
    here.pass(0);
    await turn();
    await turn();
  }
}
const arrived = (client: TestClient): string[] =>
  client.packets.flatMap((packet) =>
    packet.type === PacketType.PUBLISH ? [Buffer.from(packet.payload).toString()] : [],
  );
const acks = (client: TestClient): number[] =>
  client.packets.flatMap((packet) => (packet.type === PacketType.PUBACK ? [packet.reasonCode] : []));
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `${from + i}`);

async function listening(filter = '#'): Promise<TestClient> {
  const screen = await here.client('screen');
  await screen.subscribe(filter);
  return screen;
}
function flood(client: TestClient, from: number, to: number, topic = 't'): void {
  for (let i = from; i < to; i++) client.sendPublish(topic, `${i}`);
}

describe('messages of a client', () => {
  test('go at once as far as it has saved up, then at its rate, in order, and none is lost', async () => {
    limit({ message_in: perClient({ rate: perSecond(10), capacity: 20, initial: 20 }) });
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 60);
    await pass(0);
    expect(arrived(screen)).toEqual(numbers(0, 20));
    await pass(1000);
    expect(arrived(screen)).toEqual(numbers(0, 30));
    await pass(3000);
    expect(arrived(screen)).toEqual(numbers(0, 60));
    expect(here.core.limiter.waits.size).toBe(0);
  });

  test('that are fewer than its limit never wait', async () => {
    limit({ message_in: perClient({ rate: perSecond(10) }) });
    const screen = await listening();
    const sensor = await here.client('sensor');
    for (let i = 0; i < 30; i++) {
      sensor.sendPublish('t', `${i}`);
      await pass(100);
      expect(arrived(screen)).toHaveLength(i + 1);
    }
    expect(here.core.limiter.tally.of('message_in', 'default').held).toBe(0);
  });

  test('wait alone: a neighbour that sends little is not held up, and a ping is answered meanwhile', async () => {
    limit({ message_in: perClient({ rate: perSecond(10) }) });
    const screen = await listening();
    const loud = await here.client('loud');
    const quiet = await here.client('quiet');
    flood(loud, 0, 1000);
    quiet.sendPublish('t', 'quiet');
    await loud.ping();
    await pass(0);
    expect(arrived(screen)).toEqual([...numbers(0, 10), 'quiet']);
  });

  test('do not keep what comes for the client waiting: its acknowledgements go ahead', async () => {
    limit({ message_in: perClient({ rate: { count: 1, perMs: DAY_MS }, maxRetryMs: DAY_MS }) });
    const both = await here.client('both');
    await both.subscribe('in', { qos: 2 });
    flood(both, 0, 5);
    for (const qos of [1, 2] as const)
      for (let i = 0; i < 50; i++) await here.core.publish({ topic: 'in', payload: `${i}`, qos });
    await both.expectMessages(100);
    await pass(0);
    expect(here.core.registry.find('both')?.facts()).toMatchObject({ inflight_cnt: 0, mqueue_len: 0 });
    expect(here.core.limiter.waits.size).toBe(1);
  });

  test('that wait with QoS 1 are acknowledged when they have been taken', async () => {
    limit({ message_in: perClient({ rate: perSecond(1) }) });
    await listening();
    const sensor = await here.client('sensor');
    for (let i = 0; i < 3; i++) sensor.sendPublish('t', `${i}`, { qos: 1 });
    await pass(0);
    expect(acks(sensor)).toEqual([0]);
    await pass(2200);
    expect(acks(sensor)).toEqual([0, 0, 0]);
  });

  test('beyond a few kilobytes are not even read, and are read when it is their turn', async () => {
    limit({ message_in: perClient({ rate: perSecond(10) }) });
    const screen = await listening();
    const { client: sensor, connection } = here.dial('sensor');
    await sensor.connect();
    const large = 'x'.repeat(9000);
    for (let i = 0; i < 14; i++) sensor.sendPublish('t', `${i}${large}`);
    await pass(0);
    expect([connection.isPaused, arrived(screen).length]).toEqual([true, 10]);
    await pass(400);
    expect([connection.isPaused, arrived(screen).length]).toEqual([false, 14]);
  });

  test('fewer than the low watermark make it slower before they end', async () => {
    limit({ message_in: perClient({ rate: perSecond(1), capacity: 10, initial: 10, lowWatermark: 6 }) });
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 10);
    await pass(0);
    expect(arrived(screen)).toHaveLength(5);
    await pass(400);
    expect(arrived(screen).length).toBeGreaterThan(5);
    expect(arrived(screen).length).toBeLessThan(10);
  });

  test('a limit that is not set is not asked for', async () => {
    limit({ bytes_in: {} });
    await here.client('sensor');
    const [channel] = (here.core as MqttCore).channels;
    expect(channel!.limits).toBeNull();
  });
});

describe('a client that waits too long', () => {
  const never = { rate: { count: 1, perMs: DAY_MS }, maxRetryMs: 500 };

  test('drop: its messages are not taken; QoS 1 and 2 hear it, QoS 0 is counted', async () => {
    limit({ message_in: perClient({ ...never, strategy: 'drop' }) });
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 2);
    const one = sensor.publish('t', 'one', { qos: 1 });
    const two = sensor.publish('t', 'two', { qos: 2 });
    await pass(2500);
    expect(await Promise.all([one, two])).toEqual([ReasonCode.QuotaExceeded, ReasonCode.QuotaExceeded]);
    expect(arrived(screen)).toEqual(['0']);
    expect(here.core.counters.get('packets.publish.dropped')).toBe(3);
    expect(here.core.registry.find('sensor')?.facts()['recv_msg.dropped']).toBe(3);
    expect(here.core.limiter.tally.of('message_in', 'default')).toMatchObject({ held: 3, dropped: 3 });
    expect(await sensor.subscribe('a')).toEqual([0]);
  });

  test('drop without any patience takes what it may and refuses the rest on the spot', async () => {
    limit({ message_in: perClient({ rate: perSecond(5), maxRetryMs: 0, strategy: 'drop' }) });
    await listening();
    const sensor = await here.client('sensor');
    for (let i = 0; i < 8; i++) sensor.sendPublish('t', `${i}`, { qos: 1 });
    await pass(0);
    expect(acks(sensor)).toEqual([0, 0, 0, 0, 0, 0x97, 0x97, 0x97]);
  });

  test('drop: a 3.1.1 client, which cannot be told, is acknowledged', async () => {
    limit({ message_in: perClient({ ...never, maxRetryMs: 0, strategy: 'drop' }) });
    const screen = await listening();
    const old = await here.client('old', { version: 4 });
    expect([await old.publish('t', '0', { qos: 1 }), await old.publish('t', '1', { qos: 1 })]).toEqual([
      0, 0,
    ]);
    await pass(0);
    expect(arrived(screen)).toEqual(['0']);
  });

  test('throw: its connection ends, and it hears why', async () => {
    limit({ message_in: perClient({ ...never, strategy: 'throw' }) });
    const sensor = await here.client('sensor');
    flood(sensor, 0, 2);
    await pass(600);
    await sensor.expectDisconnect(ReasonCode.QuotaExceeded);
    expect(here.core.limiter.tally.of('message_in', 'default')).toMatchObject({ held: 1, ended: 1 });
    expect(here.core.limiter.waits.size).toBe(0);
  });

  test('force: they go through without tokens of its own, one after the other', async () => {
    limit({ message_in: perClient({ ...never, strategy: 'force' }) });
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 4);
    await pass(400);
    expect(arrived(screen)).toEqual(['0']);
    await pass(2000);
    expect(arrived(screen)).toEqual(numbers(0, 4));
    expect(here.core.limiter.tally.of('message_in', 'default')).toMatchObject({ forced: 3 });
  });

  test('force: not without those of the node', async () => {
    limit({ message_in: { rate: never.rate, ...perClient({ ...never, strategy: 'force' }) } });
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 2);
    await pass(5000);
    expect(arrived(screen)).toEqual(['0']);
    here.pass(DAY_MS);
    await pass(200);
    expect(arrived(screen)).toEqual(['0', '1']);
  });
});

describe('what many share', () => {
  test('the rate of the node holds for all together, and each has its turn', async () => {
    limit({ message_in: { rate: perSecond(10), burst: 0 } });
    const screen = await listening();
    const [a, b] = [await here.client('a'), await here.client('b')];
    flood(a, 0, 100, 'a');
    flood(b, 0, 100, 'b');
    await pass(2000);
    const topics = screen.packets.flatMap((packet) =>
      packet.type === PacketType.PUBLISH ? [packet.topic] : [],
    );
    expect(topics).toHaveLength(30);
    expect(topics.slice(10).filter((topic) => topic === 'b')).toHaveLength(10);
  });

  test('the burst of the node is on top of its rate, at once', async () => {
    limit({ message_in: { rate: perSecond(10), burst: 15 } });
    const screen = await listening();
    flood(await here.client('sensor'), 0, 100);
    await pass(0);
    expect(arrived(screen)).toHaveLength(25);
  });

  test('a bucket takes the clients of its listeners and zones, and `default` all others', async () => {
    const one = { rate: perSecond(1) };
    limit({
      message_in: {
        buckets: [
          bucket({ rate: perSecond(5) }),
          bucket({ ...one, name: 'byListener', listeners: ['ws:default'] }),
          bucket({ ...one, name: 'byZone', zones: ['factory'], rate: perSecond(2) }),
        ],
      },
    });
    here.core.entrance('tcp:factory').zone = 'factory';
    here.core.entrance('ws:default').zone = 'factory';
    const screen = await listening();
    for (const listener of ['ws:default', 'tcp:factory', 'tcp:default'])
      flood(await here.client(listener, { listener }), 0, 20, listener);
    await pass(0);
    const count = (topic: string) =>
      screen.packets.filter((packet) => packet.type === PacketType.PUBLISH && packet.topic === topic).length;
    expect([count('ws:default'), count('tcp:factory'), count('tcp:default')]).toEqual([1, 2, 5]);
    const waits = [...here.core.limiter.waits].map(({ gate, level }) => [gate.parts.bucketName, level]);
    expect(waits).toEqual([
      ['byListener', 'bucket'],
      ['byZone', 'bucket'],
      ['default', 'bucket'],
    ]);
  });

  test('who leaves the line gives its tokens to the others', async () => {
    limit({ message_in: { rate: perSecond(1) } });
    const screen = await listening();
    flood(await here.client('first'), 0, 1);
    const { client: second, connection } = here.dial('second');
    await second.connect();
    flood(second, 1, 3);
    flood(await here.client('third'), 3, 4);
    here.core.kick('second');
    expect(connection.closed).toBe(true);
    await pass(1100);
    expect(arrived(screen)).toEqual(['0', '3']);
  });

  test('a thousand that are let go in the same moment go a few in each turn', async () => {
    limit({ message_in: { rate: { count: 1, perMs: DAY_MS } } });
    const screen = await listening();
    for (let i = 0; i < 1000; i++) flood(await here.client(`c${i}`), i, i + 1);
    let looks = 1;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      looks += 1;
      return looks;
    });
    limit({});
    await turn();
    const atOnce = arrived(screen).length;
    let turns = 0;
    while (arrived(screen).length < 1000 && turns++ < 1000) await turn();
    expect(arrived(screen)).toHaveLength(1000);
    expect(atOnce).toBeLessThan(100);
  });
});

describe('bytes', () => {
  const kilobyte = 'x'.repeat(1000);

  test('beyond the rate wait, the connection is not read, and none is lost', async () => {
    limit({ bytes_in: perClient({ rate: perSecond(1024), capacity: 4096, initial: 4096 }) });
    const screen = await listening();
    const { client: sensor, connection } = here.dial('sensor');
    await sensor.connect();
    for (let i = 0; i < 8; i++) sensor.sendPublish('t', `${i}${kilobyte}`);
    await pass(0);
    expect([connection.isPaused, arrived(screen).length]).toEqual([true, 4]);
    await pass(2000);
    expect(arrived(screen).length).toBe(6);
    await pass(3000);
    expect([connection.isPaused, arrived(screen).length]).toEqual([false, 8]);
  });

  test('more at once than there is room for go when the bucket is full, and are paid for afterwards', async () => {
    const screen = await listening();
    limit({ bytes_in: perClient({ rate: perSecond(1024), initial: 0 }) });
    const sensor = await here.client('sensor');
    sensor.sendPublish('t', 'x'.repeat(10_000));
    await pass(500);
    expect(arrived(screen)).toHaveLength(0);
    await pass(800);
    expect(arrived(screen)).toHaveLength(1);
    sensor.sendPublish('t', 'later');
    await pass(8000);
    expect(arrived(screen)).toHaveLength(1);
    await pass(2500);
    expect(arrived(screen)).toHaveLength(2);
  });

  test('divisible: they go with the first token, and the rest is owed', async () => {
    const screen = await listening();
    limit({ bytes_in: perClient({ rate: perSecond(1024), initial: 0, divisible: true }) });
    const sensor = await here.client('sensor');
    sensor.sendPublish('t', 'x'.repeat(10_000));
    await pass(300);
    expect(arrived(screen)).toHaveLength(1);
    sensor.sendPublish('t', 'later');
    await pass(8000);
    expect(arrived(screen)).toHaveLength(1);
    await pass(2500);
    expect(arrived(screen)).toHaveLength(2);
  });

  test('of the node are shared by its clients', async () => {
    limit({ bytes_in: { rate: perSecond(2048) } });
    const screen = await listening();
    const [a, b] = [await here.client('a'), await here.client('b')];
    for (let i = 0; i < 20; i++) {
      a.sendPublish('a', kilobyte);
      b.sendPublish('b', kilobyte);
    }
    await pass(5000);
    const from = (topic: string) =>
      screen.packets.filter((packet) => packet.type === PacketType.PUBLISH && packet.topic === topic).length;
    expect(from('a') + from('b')).toBeGreaterThan(8);
    expect(from('a') + from('b')).toBeLessThan(14);
    expect(Math.abs(from('a') - from('b'))).toBeLessThan(3);
  });

  test('drop: the messages in them are refused; throw: the connection ends', async () => {
    const late = { rate: { count: 100, perMs: DAY_MS }, initial: 100, maxRetryMs: 300 };
    await listening();
    const sensor = await here.client('sensor');
    limit({ bytes_in: perClient({ ...late, strategy: 'drop' }) });
    const first = sensor.publish('t', 'x'.repeat(200), { qos: 1 });
    await pass(100);
    const second = sensor.publish('t', 'x'.repeat(200), { qos: 1 });
    await pass(500);
    expect(await Promise.all([first, second])).toEqual([0, ReasonCode.QuotaExceeded]);
    limit({ bytes_in: perClient({ ...late, strategy: 'throw' }) });
    sensor.sendPublish('t', kilobyte);
    await pass(500);
    await sensor.expectDisconnect(ReasonCode.QuotaExceeded);
  });
});

describe('deliveries', () => {
  test('are paid for by the publisher, one for each receiver', async () => {
    limit({ message_routing: perClient({ rate: perSecond(10) }) });
    const screens = [];
    for (let i = 0; i < 5; i++) {
      const screen = await here.client(`screen${i}`);
      await screen.subscribe('t');
      screens.push(screen);
    }
    const sensor = await here.client('sensor');
    flood(sensor, 0, 20);
    await pass(0);
    expect(arrived(screens[4]!)).toHaveLength(2);
    await pass(1000);
    expect(arrived(screens[4]!).length).toBeGreaterThanOrEqual(3);
    expect(arrived(screens[4]!).length).toBeLessThanOrEqual(5);
    await pass(10_000);
    expect(arrived(screens[4]!)).toHaveLength(20);
  });

  test('of the node hold for all publishers', async () => {
    limit({ message_routing: { rate: perSecond(10) } });
    const screen = await listening();
    const [a, b] = [await here.client('a'), await here.client('b')];
    flood(a, 0, 50);
    flood(b, 50, 100);
    await pass(2000);
    expect(arrived(screen).length).toBeGreaterThanOrEqual(28);
    expect(arrived(screen).length).toBeLessThanOrEqual(32);
  });
});

describe('the rates of a listener', () => {
  test('hold for each of its clients, and wait for good', async () => {
    here.core.entrance('ws:slow').rates = { connections: null, messages: perSecond(2), bytes: null };
    const screen = await listening();
    for (const clientid of ['a', 'b'])
      flood(await here.client(clientid, { listener: 'ws:slow' }), 0, 50, clientid);
    flood(await here.client('free'), 0, 50, 'free');
    await pass(10_000);
    const from = (topic: string) =>
      screen.packets.filter((packet) => packet.type === PacketType.PUBLISH && packet.topic === topic).length;
    expect([from('a'), from('b'), from('free')]).toEqual([21, 21, 50]); // one is on its way to the next tick
  });

  test('that change hold for who is connected, also for one that waits', async () => {
    const entrance = here.core.entrance('tcp:default');
    entrance.rates = { connections: null, messages: { count: 1, perMs: DAY_MS }, bytes: null };
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 10);
    await pass(5000);
    expect(arrived(screen)).toEqual(['0']);
    entrance.rates = { connections: null, messages: null, bytes: null };
    await pass(1200);
    expect(arrived(screen)).toEqual(numbers(0, 10));
  });
});

describe('limits that change', () => {
  test('hold for who is connected: none, some, fewer, none', async () => {
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 50);
    await pass(0);
    expect(arrived(screen)).toHaveLength(50);
    limit({ message_in: perClient({ rate: perSecond(10) }) });
    flood(sensor, 50, 100);
    await pass(0);
    expect(arrived(screen)).toHaveLength(60);
    limit({ message_in: perClient({ rate: perSecond(1) }) });
    await pass(1000);
    expect(arrived(screen).length).toBeLessThanOrEqual(62);
    limit({});
    await pass(100);
    expect(arrived(screen)).toEqual(numbers(0, 100));
    expect(here.core.limiter.waits.size).toBe(0);
  });

  test('release held bytes in their order', async () => {
    const screen = await listening();
    limit({ bytes_in: perClient({ rate: { count: 1, perMs: DAY_MS } }) });
    const sensor = await here.client('sensor');
    flood(sensor, 0, 5);
    await pass(300);
    expect(arrived(screen).length).toBeLessThan(5);
    limit({});
    flood(sensor, 5, 8);
    await pass(300);
    expect(arrived(screen)).toEqual(numbers(0, 8));
  });

  test('give nobody new tokens when their own numbers stay', async () => {
    const own = perClient({ rate: { count: 5, perMs: DAY_MS } });
    limit({ message_in: own });
    const screen = await listening();
    const sensor = await here.client('sensor');
    flood(sensor, 0, 20);
    await pass(100);
    limit({ message_in: own, connection: { rate: perSecond(5) } });
    await pass(300);
    expect(arrived(screen)).toHaveLength(5);
  });
});

describe('a client that a limit holds back', () => {
  const slow = perClient({ rate: perSecond(10), maxRetryMs: 1_000_000 });
  const never = perClient({ rate: { count: 1, perMs: DAY_MS }, maxRetryMs: DAY_MS });

  test('and says good-bye is heard to the end, and its will stays unsaid', async () => {
    limit({ message_in: slow });
    const screen = await listening();
    const { client: sensor, connection } = here.dial('sensor', { will: { topic: 'will' } });
    await sensor.connect();
    flood(sensor, 0, 30);
    sensor.send({ type: PacketType.DISCONNECT, reasonCode: 0, properties: {} });
    connection.break();
    await pass(3000);
    expect(arrived(screen)).toEqual(numbers(0, 30));
    expect(here.core.registry.find('sensor')).toBeUndefined();
  });

  test('and is gone is not heard for ever: what it still published is dropped, its good-bye counts', async () => {
    limit({ message_in: never });
    const screen = await listening();
    const { client: sensor, connection } = here.dial('sensor', { will: { topic: 'will' } });
    await sensor.connect();
    flood(sensor, 0, 30);
    sensor.send({ type: PacketType.DISCONNECT, reasonCode: 0, properties: {} });
    connection.break();
    await pass(29_000);
    expect(here.core.registry.find('sensor')).toBeDefined();
    await pass(2000);
    expect(here.core.registry.find('sensor')).toBeUndefined();
    expect(arrived(screen)).toEqual(['0']);
    expect(here.core.counters.get('packets.publish.dropped')).toBe(29);
    expect(here.core.limiter.waits.size).toBe(0);
  });

  test('and breaks off publishes its will', async () => {
    limit({ message_in: never });
    const screen = await listening();
    const { client: sensor, connection } = here.dial('sensor', {
      will: { topic: 'will', payload: Buffer.from('gone') },
    });
    await sensor.connect();
    flood(sensor, 0, 3);
    connection.break();
    await pass(31_000);
    expect(arrived(screen)).toEqual(['0', 'gone']);
  });

  test('and is taken over leaves nothing behind', async () => {
    limit({ message_in: never });
    const screen = await listening();
    const before = await here.client('sensor');
    flood(before, 0, 5);
    await pass(100);
    const after = await here.client('sensor');
    await before.expectDisconnect(ReasonCode.SessionTakenOver);
    after.sendPublish('t', 'after');
    await pass(500);
    expect(arrived(screen)).toEqual(['0', 'after']);
    expect(here.core.limiter.waits.size).toBe(0);
    expect(here.core.counters.get('packets.publish.dropped')).toBe(4);
  });

  test('is not taken for dead while we do not listen to it, and is when we do', async () => {
    limit({ bytes_in: never });
    const { client: deaf } = here.dial('deaf', { keepalive: 2 });
    await deaf.connect();
    deaf.sendPublish('t', '0');
    deaf.sendPublish('t', '1');
    await pass(10_000);
    expect(deaf.ended).toBe(false);
    limit({ message_in: never });
    const { client: silent } = here.dial('silent', { keepalive: 2 });
    await silent.connect();
    flood(silent, 0, 2);
    await pass(2500);
    expect(silent.ended).toBe(false);
    await pass(1500);
    await silent.expectDisconnect(ReasonCode.KeepAliveTimeout);
  });
});

describe('connections', () => {
  const address = '10.0.0.1';
  const admitted = (count: number, listener = 'tcp:default', from = address) =>
    Array.from({ length: count }, () =>
      here.core.limiter.admitsConnection(here.core.entrance(listener), from),
    ).filter(Boolean).length;

  test('are counted for the node, the bucket, the listener and the address', async () => {
    expect(admitted(1000)).toBe(1000);
    limit({ connection: { rate: perSecond(20) } });
    expect(admitted(30)).toBe(20);
    await pass(500);
    expect(admitted(30)).toBe(10);
    limit({ connection: { buckets: [bucket({ rate: perSecond(7) })] } });
    expect(admitted(30)).toBe(7);
    limit({ connection: perClient({ rate: perSecond(3), initial: 0 }) });
    expect([admitted(9), admitted(9, 'tcp:default', '10.0.0.2')]).toEqual([3, 3]);
    limit({});
    here.core.entrance('ws:few').rates = { connections: perSecond(2), messages: null, bytes: null };
    expect([admitted(9, 'ws:few'), admitted(9)]).toEqual([2, 9]);
    expect(here.core.limiter.tally.misses('connection', 'listener')).toBe(7);
  });

  test('that are refused cost the others nothing', () => {
    limit({ connection: { rate: perSecond(5), ...perClient({ rate: perSecond(1) }) } });
    expect([admitted(50), admitted(50, 'tcp:default', '10.0.0.2')]).toEqual([1, 1]);
    expect(admitted(1, 'tcp:default', '10.0.0.3')).toBe(1);
  });

  test('of more addresses than are remembered do not fill the memory', () => {
    limit({ connection: perClient({ rate: perSecond(1) }) });
    for (let i = 0; i < 30_000; i++) admitted(1, 'tcp:default', `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
    expect(admitted(1)).toBe(1);
    expect(admitted(1)).toBe(0);
  });
});
