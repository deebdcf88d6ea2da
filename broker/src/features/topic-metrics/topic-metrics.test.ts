import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TopicMetrics } from '@mqdeck/contract/topic-metrics';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { TopicMetricsCounter } from './topic-metrics.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const create = (topic: unknown) =>
  broker.inject<TopicMetrics & { code: string }>('POST', '/mqtt/topic_metrics', { body: { topic } });
const one = async (topic: string) =>
  (await broker.inject<TopicMetrics>('GET', `/mqtt/topic_metrics/${encodeURIComponent(topic)}`)).body;

test('messages of a topic are counted by QoS, in and out, and what nobody got', async () => {
  expect((await create('tm/1')).status).toBe(200);
  const screen = await broker.client('screen');
  await screen.subscribe('tm/1', { qos: 2 });
  const sensor = await broker.client('sensor');
  for (let i = 0; i < 6; i++) await sensor.publish('tm/1', 'x', { qos: (i % 3) as 0 | 1 | 2 });
  await screen.expectMessages(6);
  await sensor.publish('tm/2', 'x', { qos: 1 });
  await screen.disconnect();
  await sensor.publish('tm/1', 'x', { qos: 1 });
  const { metrics } = await one('tm/1');
  expect(metrics).toMatchObject({
    'messages.in.count': 7,
    'messages.out.count': 6,
    'messages.dropped.count': 1,
    'messages.qos0.in.count': 2,
    'messages.qos1.in.count': 3,
    'messages.qos2.in.count': 2,
    'messages.qos0.out.count': 2,
    'messages.qos1.out.count': 2,
    'messages.qos2.out.count': 2,
  });
});

test('rates are those of the last seconds', async () => {
  const settings = new SettingsStore(null);
  const { core, client, pass, close } = startTestCore();
  const counter = new TopicMetricsCounter(core, settings);
  const counted = await counter.add('t');
  const sensor = await client('sensor');
  for (let second = 0; second < 6; second++) {
    pass(1000);
    for (let i = 0; i < 10; i++) await sensor.publish('t', 'x', { qos: 1 });
  }
  pass(1000);
  expect(counted.metrics['messages.in.rate']).toBeGreaterThan(8);
  expect(counted.metrics['messages.in.rate']).toBeLessThan(12);
  pass(10_000);
  expect(counted.metrics['messages.in.rate']).toBe(0);
  counter.close();
  await close();
});

test('without topics to count, nothing is asked of any message', async () => {
  const { used } = broker.core.hooks;
  const joined = () => used['message.delivered'].some(({ owner }) => owner === 'topic-metrics');
  expect(joined()).toBe(false);
  await create('t');
  expect(joined()).toBe(true);
  await broker.inject('DELETE', '/mqtt/topic_metrics/t');
  expect(joined()).toBe(false);
});

test('counters begin anew when told, one or all', async () => {
  const sensor = await broker.client('sensor');
  for (const topic of ['a', 'b']) {
    await create(topic);
    await sensor.publish(topic, 'x', { qos: 1 });
  }
  const reset = (body: object) => broker.inject('PUT', '/mqtt/topic_metrics', { body });
  expect((await reset({ action: 'reset', topic: 'a' })).status).toBe(200);
  expect((await one('a')).metrics['messages.in.count']).toBe(0);
  expect((await one('a')).reset_time).toBeDefined();
  expect((await one('b')).metrics['messages.in.count']).toBe(1);
  expect((await reset({ action: 'reset' })).body).toHaveLength(2);
  expect((await one('b')).metrics['messages.in.count']).toBe(0);
  expect(await reset({ action: 'reset', topic: 'x' })).toMatchObject({
    status: 404,
    body: { code: 'TOPIC_NOT_FOUND' },
  });
  expect(await reset({ action: 'zap' })).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect(await reset({ topic: 'a' })).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
});

test('wildcards, topics that are counted already, and too many are refused', async () => {
  for (const topic of ['tm/#', '+/a', '#'])
    expect(await create(topic)).toMatchObject({ status: 400, body: { code: 'BAD_TOPIC' } });
  expect(await create('')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  await create('t');
  expect(await create('t')).toMatchObject({ status: 400, body: { code: 'BAD_TOPIC' } });
  const topics = Array.from({ length: 511 }, (_, i) => ({ topic: `t/${i}`, create_time: 0 }));
  await broker.settings.change('topic_metrics', { topics });
  expect(await create('the/last')).toMatchObject({ status: 200 });
  expect(await create('one/more')).toMatchObject({ status: 409, body: { code: 'EXCEED_LIMIT' } });
});

test('the topics outlive a restart, their counters say since when they count', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-topics-'));
  const first = startTestCore();
  const before = new TopicMetricsCounter(first.core, new SettingsStore(folder));
  await before.add('t');
  before.close();
  await first.close();
  const second = startTestCore();
  const after = new TopicMetricsCounter(second.core, new SettingsStore(folder));
  expect(after.all()).toMatchObject([{ topic: 't', resetAt: second.core.clock.now }]);
  after.close();
  await second.close();
  rmSync(folder, { recursive: true });
});
