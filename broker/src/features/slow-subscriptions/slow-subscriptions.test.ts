import { SlowSubscriptionsSettings } from '@mqdeck/contract/slow-subscriptions';
import { PacketType } from '@mqdeck/mqtt/packets';
import { afterEach, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { SlowSubscriptions } from './slow-subscriptions.ts';
import { Slowest } from './slowest.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(given: Partial<SlowSubscriptionsSettings>) {
  const broker = startTestCore();
  const settings = new SettingsStore(null);
  const change = (part: Partial<SlowSubscriptionsSettings>) =>
    settings.change(
      'slow_subs',
      z.parse(SlowSubscriptionsSettings, { ...settings.get('slow_subs'), ...part }),
    );
  await change({ enable: true, threshold: '200ms', ...given });
  const slow = new SlowSubscriptions(broker.core, settings);
  ends.push(
    () => broker.close(),
    () => slow.close(),
  );
  return {
    ...broker,
    change,
    all: () => slow.slowest.all().map(({ clientid, topic, timespan }) => ({ clientid, topic, timespan })),
  };
}

/** A persistent client that was away for a while when a message came, and acknowledged it after another while. */
async function deliverLate(
  { client, pass }: Awaited<ReturnType<typeof start>>,
  awayMs: number,
  ackMs: number,
) {
  const properties = { sessionExpiryInterval: 600 };
  const away = await client('slow', { cleanStart: true, properties });
  await away.subscribe('t', { qos: 1 });
  await away.disconnect();
  const sensor = await client('sensor');
  await sensor.publish('t', 'x', { qos: 1 });
  pass(awayMs);
  const back = await client('slow', { cleanStart: false, properties, acknowledge: false });
  const { packetId } = await back.expectMessage();
  pass(ackMs);
  back.send({ type: PacketType.PUBACK, packetId: packetId!, reasonCode: 0, properties: {} });
  await back.ping();
}

test('whole counts from the arrival of the message to its acknowledgement', async () => {
  const broker = await start({ stats_type: 'whole' });
  await deliverLate(broker, 1000, 500);
  const [entry, ...rest] = broker.all();
  expect(rest).toEqual([]);
  expect(entry).toMatchObject({ clientid: 'slow', topic: 't' });
  expect(entry!.timespan).toBeGreaterThanOrEqual(1500);
});

test('internal counts until it was on its way, response from then on', async () => {
  const internal = await start({ stats_type: 'internal' });
  await deliverLate(internal, 1000, 500);
  expect(internal.all()[0]!.timespan).toBeGreaterThanOrEqual(1000);
  expect(internal.all()[0]!.timespan).toBeLessThan(1400);
  const response = await start({ stats_type: 'response' });
  await deliverLate(response, 1000, 500);
  expect(response.all()[0]!.timespan).toBeGreaterThanOrEqual(500);
  expect(response.all()[0]!.timespan).toBeLessThan(900);
});

test('what is faster than the threshold is not noted', async () => {
  const broker = await start({ threshold: '5s' });
  await deliverLate(broker, 1000, 500);
  expect(broker.all()).toEqual([]);
});

test('entries are forgotten when they do not come up again, and all of them when it is switched off', async () => {
  const broker = await start({ expire_interval: '10s' });
  await deliverLate(broker, 1000, 500);
  expect(broker.all()).toHaveLength(1);
  broker.pass(5000);
  expect(broker.all()).toHaveLength(1);
  broker.pass(7000);
  expect(broker.all()).toEqual([]);
  await deliverLate(broker, 1000, 500);
  await broker.change({ enable: false });
  expect(broker.all()).toEqual([]);
});

test('the list is published every notice interval, in batches', async () => {
  const broker = await start({
    notice_interval: '10s',
    notice_qos: 1,
    notice_batch_size: 2,
    expire_interval: '1h',
  });
  const watcher = await broker.client('watcher');
  await watcher.subscribe('$SYS/brokers/+/slow_subs', { qos: 1 });
  await deliverLate(broker, 1000, 500);
  broker.pass(10_000);
  const { topic, qos, payload } = await watcher.expectMessage();
  expect({ topic, qos }).toEqual({ topic: `$SYS/brokers/${broker.core.node}/slow_subs`, qos: 1 });
  expect(JSON.parse(Buffer.from(payload).toString())).toMatchObject({
    node: broker.core.node,
    logs: [{ clientid: 'slow', topic: 't' }],
  });
  await broker.change({ notice_interval: '0s' });
  broker.pass(30_000);
  await watcher.expectNothing();
});

test('switched off, nobody looks at messages', async () => {
  const broker = await start({ enable: false });
  const { used } = broker.core.hooks;
  expect([...used['message.delivered'], ...used['message.acked']]).toEqual([]);
});

test('of too many the slowest stay', () => {
  const slowest = new Slowest();
  for (let i = 0; i < 1000; i++) slowest.note(`c${i}`, 't', 100 + ((i * 37) % 1000), i, 10);
  expect(slowest.all().map(({ timespan }) => timespan)).toEqual([
    1099, 1098, 1097, 1096, 1095, 1094, 1093, 1092, 1091, 1090,
  ]);
  slowest.note('late', 't', 5000, 2000, 10);
  expect(slowest.all()[0]).toMatchObject({ clientid: 'late' });
  expect(slowest.size).toBe(10);
});

test('the API changes settings in part, lists and clears', async () => {
  const broker = await startTestBroker();
  ends.push(() => broker.close());
  const put = (body: object) => broker.inject('PUT', '/slow_subscriptions/settings', { body });
  expect((await put({ enable: true, threshold: '100ms' })).body).toEqual({
    enable: true,
    threshold: '100ms',
    expire_interval: '300s',
    top_k_num: 10,
    stats_type: 'whole',
    notice_interval: '0s',
    notice_qos: 0,
    notice_batch_size: 100,
  });
  for (const body of [
    { threshold: 'x' },
    { top_k_num: 0 },
    { stats_type: 'zzz' },
    { enable: 'x' },
    { foo: 1 },
  ])
    expect(await put(body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect((await broker.inject('GET', '/slow_subscriptions')).body).toEqual({ data: [] });
  expect((await broker.inject('DELETE', '/slow_subscriptions')).status).toBe(204);
});
