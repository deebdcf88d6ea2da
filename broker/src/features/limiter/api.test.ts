import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LimiterStatus } from '@mqdeck/contract/limiter';
import mqtt from 'mqtt';
import { afterEach, expect, test, vi } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const started: TestBroker[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const broker of started.splice(0)) await broker.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
async function start(options: Parameters<typeof startTestBroker>[0] = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  started.push(broker);
  return broker;
}
const NODE = '/configs/limiter';
const MESSAGES = '/configs/limiter/message_in';
const put = (broker: TestBroker, path: string, body: unknown) => broker.inject('PUT', path, { body });
const typical = {
  rate: 'infinity',
  capacity: 'infinity',
  initial: '0',
  per_client: {
    rate: 'infinity',
    initial: '0',
    low_watermark: '0',
    capacity: 'infinity',
    divisible: false,
    max_retry_time: '10s',
    failure_strategy: 'force',
  },
};
const client = (given: object) => ({ bucket: { default: { per_client: given } } });

test('the rates of the node: none at first, what is left out keeps its value', async () => {
  const broker = await start();
  expect((await broker.inject('GET', NODE)).body).toEqual({});
  const rates = { max_conn_rate: '500/s', messages_rate: '1000/1m', bytes_rate: '10MB/s' };
  expect(await put(broker, NODE, rates)).toMatchObject({ status: 200, body: rates });
  expect((await put(broker, NODE, {})).body).toEqual(rates);
  expect((await put(broker, NODE, { messages_rate: 'infinity' })).body).toEqual({
    max_conn_rate: '500/s',
    bytes_rate: '10MB/s',
  });
  expect((await broker.inject<{ rate: string }>('GET', '/configs/limiter/bytes_in')).body.rate).toBe(
    '10MB/s',
  );
});

test('what is no rate, or no field, is refused, and nothing changes', async () => {
  const broker = await start();
  for (const rate of [
    'fast',
    '0/s',
    '0',
    '10/0s',
    '-1/s',
    '1.5/s',
    '10 /s',
    '10/y',
    '',
    '1MB/s',
    '10/s/s',
    0,
  ])
    expect((await put(broker, NODE, { messages_rate: rate })).status, String(rate)).toBe(400);
  expect((await put(broker, NODE, { bytes_rate: '0MB/s' })).status).toBe(400);
  const unknown = await put(broker, NODE, { foo: 1, bytes_rate: '1MB/s' });
  expect(unknown).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect(JSON.stringify(unknown.body)).toContain('unknown_fields');
  expect((await broker.inject('GET', NODE)).body).toEqual({});
});

test('each type has a rate of the node and a bucket that nobody has set', async () => {
  const broker = await start();
  for (const type of ['bytes_in', 'message_in', 'connection', 'message_routing'])
    expect((await broker.inject('GET', `${NODE}/${type}`)).body).toEqual({
      rate: 'infinity',
      burst: '0',
      bucket: { default: typical },
    });
  const internal = await broker.inject('GET', `${NODE}/internal`);
  expect(internal.body).toEqual({ rate: 'infinity', burst: '0', bucket: { retainer: typical } });
  expect((await broker.inject('GET', `${NODE}/batch`)).body).toEqual(internal.body);
  expect((await broker.inject('GET', `${NODE}/elsewhere`)).status).toBe(404);
});

test('buckets have names of letters and digits; the last, default and retainer stay', async () => {
  const broker = await start();
  const buckets = (bucket: object, type = 'message_in') => put(broker, `${NODE}/${type}`, { bucket });
  expect(
    (await buckets({ default: {}, fast2: { rate: '10/s' }, fast2_duplication: {}, a_duplication_3: {} }))
      .status,
  ).toBe(200);
  for (const name of ['a b', 'a-b', '', 'ä', 'a_b', '_duplication', '__proto__x', 'x'.repeat(65)])
    expect((await buckets({ default: {}, [name]: {} })).status, name).toBe(400);
  expect((await buckets({})).status).toBe(400);
  expect((await buckets({ other: {} })).status).toBe(400);
  expect((await buckets({ default: {}, retainer: {} }, 'internal')).status).toBe(400);
  expect((await buckets({ retainer: {}, more: {} }, 'internal')).status).toBe(400);
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`b${i}`, {}]));
  expect((await buckets({ default: {}, ...many })).status).toBe(400);
  expect((await broker.inject<{ bucket: object }>('GET', MESSAGES)).body.bucket).toEqual({
    default: typical,
    fast2: { ...typical, rate: '10/s' },
    fast2_duplication: typical,
    a_duplication_3: typical,
  });
});

test('a listener, and a zone, takes from one bucket', async () => {
  const broker = await start();
  const bound = (a: object, b: object) => put(broker, MESSAGES, { bucket: { default: {}, a, b } });
  expect((await bound({ listeners: ['tcp:default'] }, { listeners: ['tcp:default'] })).status).toBe(400);
  expect((await bound({ zones: ['x'] }, { zones: ['y', 'x'] })).status).toBe(400);
  expect((await bound({ listeners: ['x'] }, { zones: ['x'] })).status).toBe(200);
});

test('numbers of a bucket: units where bytes are counted, nothing below one, no empty ones', async () => {
  const broker = await start();
  const tried = (given: object, type = 'message_in') => put(broker, `${NODE}/${type}`, client(given));
  expect((await tried({ rate: '1MB/s', capacity: '2MB', initial: '512KB' }, 'bytes_in')).status).toBe(200);
  for (const given of [
    { rate: '1MB/s' },
    { capacity: '1KB' },
    { capacity: '0' },
    { initial: '-1' },
    { initial: 'infinity' },
    { low_watermark: 'x' },
    { divisible: 'maybe' },
    { max_retry_time: 'soon' },
    { failure_strategy: 'wait' },
    { speed: 1 },
  ])
    expect((await tried(given)).status, JSON.stringify(given)).toBe(400);
  expect((await put(broker, MESSAGES, { burst: '-1' })).status).toBe(400);
  expect((await put(broker, MESSAGES, { burst: '100/s' })).status).toBe(200);
});

test('limits are on disk before the answer, and hold after a restart', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'mqdeck-limiter-'));
  folders.push(dataDir);
  const first = await start({ dataDir });
  await put(first, MESSAGES, { rate: '7/s', bucket: { default: {}, mine: { rate: '3/s' } } });
  expect(JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8'))).toMatchObject({
    limiter: { message_in: { rate: '7/s', bucket: { mine: { rate: '3/s' } } } },
  });
  started.splice(0);
  await first.close();
  const second = await start({ dataDir });
  expect((await second.inject('GET', NODE)).body).toEqual({ messages_rate: '7/s' });
  expect(second.core.limiter.bucketNames('message_in')).toEqual(['default', 'mine']);
});

test('an mqtt.js client that sends too fast is slowed down to its limit, and loses nothing', async () => {
  const broker = await start({ tcp: 0 });
  await put(broker, MESSAGES, client({ rate: '50/s', capacity: '10', initial: '10' }));
  const taken: number[] = [];
  broker.core.hooks.on('message.publish', ({ topic }) => {
    if (topic === 'burst') taken.push(broker.core.clock.now);
  });
  const fast = mqtt.connect(`mqtt://127.0.0.1:${broker.addresses.tcp}`, {
    clientid: 'fast',
    protocolVersion: 5,
  } as object);
  try {
    await Promise.all(Array.from({ length: 100 }, (_, i) => fast.publishAsync('burst', `${i}`, { qos: 1 })));
  } finally {
    await fast.endAsync(true);
  }
  expect(taken).toHaveLength(100);
  // In no second of the broker's clock more than the rate, what was saved up, and what comes in two ticks
  for (let i = 0; i + 71 < taken.length; i++) expect(taken[i + 71]! - taken[i]!).toBeGreaterThan(1000);
  const { body } = await broker.inject<LimiterStatus>('GET', '/limiter/status');
  expect(body.types.find(({ type }) => type === 'message_in')!.held).toBeGreaterThan(0);
});

test('a limit set and lifted through the API holds at once for who is connected, and the status says who waits', async () => {
  const broker = await start();
  const screen = await broker.client('screen');
  await screen.subscribe('t');
  const sensor = await broker.client('sensor');
  await put(broker, MESSAGES, {
    bucket: { default: {}, slow: { rate: '1/1d', initial: '1', listeners: ['tcp:default'] } },
  });
  for (let i = 0; i < 3; i++) sensor.sendPublish('t', `${i}`);
  await screen.expectMessages(1);
  const status = async (query = {}) =>
    (await broker.inject<LimiterStatus>('GET', '/limiter/status', { query })).body;
  const messages = (await status()).types.find(({ type }) => type === 'message_in')!;
  expect(messages).toMatchObject({ waiting: 1, held: 1, dropped: 0, ended: 0, forced: 0 });
  expect(messages.buckets).toMatchObject([
    { name: 'default', waiting: 0 },
    { name: 'slow', waiting: 1, held: 1 },
  ]);
  expect((await status()).clients).toMatchObject([
    { clientid: 'sensor', listener: 'tcp:default', type: 'message_in', bucket: 'slow', level: 'bucket' },
  ]);
  expect((await status({ clientid: 'sensor' })).clients).toHaveLength(1);
  expect((await status({ clientid: 'screen' })).clients).toEqual([]);

  await put(broker, MESSAGES, { bucket: { default: {} } });
  expect(await screen.expectMessages(2)).toEqual(['1', '2']);
  expect((await status()).clients).toEqual([]);
});

test('the rates that a listener has in its own settings hold for its clients, also for those that wait', async () => {
  const broker = await start({ tcp: 0 });
  const path = '/listeners/tcp:default';
  const { body: listener } = await broker.inject<object>('GET', path);
  const rates = (given: object) => put(broker, path, { ...listener, ...given });
  expect((await rates({ messages_rate: '2/1d' })).status).toBe(200);
  const screen = await broker.client('screen', { listener: 'ws:default' });
  await screen.subscribe('t');
  const sensor = await broker.client('sensor');
  for (let i = 0; i < 5; i++) sensor.sendPublish('t', `${i}`);
  await screen.expectMessages(2);
  await screen.expectNothing();
  const { body } = await broker.inject<LimiterStatus>('GET', '/limiter/status');
  expect(body.clients).toMatchObject([{ clientid: 'sensor', level: 'listener' }]);
  expect((await rates({ messages_rate: 'infinity' })).status).toBe(200);
  expect(await screen.expectMessages(3)).toEqual(['2', '3', '4']);

  await rates({ max_conn_rate: '1/1d' });
  const entrance = broker.core.entrance('tcp:default');
  const come = () => broker.core.limiter.admitsConnection(entrance, '10.0.0.1');
  expect([come(), come()]).toEqual([true, false]);
});

test('retained messages come to a new subscriber at the rate of the retainer’s bucket', async () => {
  const broker = await start();
  const sensor = await broker.client('sensor');
  for (let i = 0; i < 5; i++) await sensor.publish(`room/${i}`, `${i}`, { qos: 1, retain: true });
  await put(broker, `${NODE}/internal`, { bucket: { retainer: { rate: '2/1d', initial: '2' } } });
  const screen = await broker.client('screen');
  await screen.subscribe('room/#');
  await screen.expectMessages(2);
  await screen.expectNothing();
  await put(broker, `${NODE}/internal`, {
    bucket: { retainer: { per_client: { rate: '1/1d', initial: '1' } } },
  });
  await screen.expectMessages(1);
  await screen.expectNothing();
  await put(broker, `${NODE}/internal`, { bucket: { retainer: {} } });
  await screen.expectMessages(2);
});

test('an alarm says that a limit of many is met; one client that meets its own raises none', async () => {
  const broker = await start();
  const alarms = async () =>
    (await broker.inject<{ data: { name: string }[] }>('GET', '/alarms')).body.data.map(({ name }) => name);
  const sensor = await broker.client('sensor');
  await put(broker, MESSAGES, client({ rate: '1/1d', initial: '1' }));
  for (let i = 0; i < 3; i++) sensor.sendPublish('t', `${i}`);
  await put(broker, '/configs/limiter/bytes_in', { rate: '10/1d' });
  const other = await broker.client('other');
  for (let i = 0; i < 3; i++) other.sendPublish('t', `${i}`);
  await vi.waitFor(async () => expect(await alarms()).toEqual(['limiter_bytes_in']), { timeout: 10_000 });
});
