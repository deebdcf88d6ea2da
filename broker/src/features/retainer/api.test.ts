import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { openStore } from '../../core/store/environment.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

interface List {
  data: { topic: string }[];
  meta: { count?: number; hasnext: boolean };
}
const topicsOf = ({ data }: List) => data.map(({ topic }) => topic);

describe('settings', () => {
  test('a part is changed, the rest stays, in the backend too', async () => {
    const before = await broker.inject<object>('GET', '/mqtt/retainer');
    expect(before.body).toMatchObject({ enable: true, max_payload_size: '1MB' });
    const body = { msg_expiry_interval: '1h', backend: { max_retained_messages: 7 } };
    const { status, body: after } = await broker.inject('PUT', '/mqtt/retainer', { body });
    expect(status).toBe(200);
    expect(after).toEqual({
      ...before.body,
      msg_expiry_interval: '1h',
      backend: { ...(before.body as { backend: object }).backend, max_retained_messages: 7 },
    });
    expect((await broker.inject('GET', '/mqtt/retainer')).body).toEqual(after);
  });

  test.each([
    [{ enable: 'on' }, 'enable', 'Unable to parse boolean value'],
    [{ max_payload_size: '1XB' }, 'max_payload_size', 'Not a valid bytesize'],
    [{ msg_expiry_interval: 'soon' }, 'msg_expiry_interval', 'Not a valid duration'],
    [{ delivery_rate: 'fast' }, 'delivery_rate', 'Not a valid rate'],
    [
      { backend: { max_retained_messages: -1 } },
      'backend.max_retained_messages',
      { expected: 'non_neg_integer()' },
    ],
    [{ backend: { type: 'redis' } }, 'backend.type', 'Expected: built_in_database, got:redis'],
  ])('%j is refused', async (body, path, reason) => {
    const answer = await broker.inject<{ code: string; message: string }>('PUT', '/mqtt/retainer', { body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body.message)).toMatchObject({ path: `root.${path}`, reason });
  });
});

describe('messages', () => {
  beforeEach(async () => {
    await broker.inject('DELETE', '/mqtt/retainer/messages'); // those of the broker itself
    const sensor = await broker.client('sensor', { username: 'ann' });
    for (const topic of ['r/1', 'r/2', 'r/sub/a', 'r/sub/b'])
      await sensor.publish(topic, 'one', { retain: true, qos: 1 });
  });

  test('are listed page by page, or as a filter says', async () => {
    const all = await broker.inject<List>('GET', '/mqtt/retainer/messages', { query: { page: 2, limit: 3 } });
    expect(all.body.meta).toEqual({ page: 2, limit: 3, count: 4, hasnext: false });
    expect(topicsOf(all.body)).toEqual(['r/sub/b']);
    const some = await broker.inject<List>('GET', '/mqtt/retainer/messages', { query: { topic: 'r/+' } });
    expect(topicsOf(some.body)).toEqual(['r/1', 'r/2']);
    expect(some.body.meta).toEqual({ page: 1, limit: 100, hasnext: false });
    const none = await broker.inject<List>('GET', '/mqtt/retainer/messages', { query: { topic: 'r/#/x' } });
    expect(none.body.data).toEqual([]);
  });

  test('are shown one by one with their payload', async () => {
    const { body } = await broker.inject('GET', '/mqtt/retainer/message/r%2F1');
    expect(body).toMatchObject({
      topic: 'r/1',
      qos: 1,
      payload: 'b25l',
      from_clientid: 'sensor',
      from_username: 'ann',
    });
    const none = await broker.inject('GET', '/mqtt/retainer/message/no%2Fsuch');
    expect(none.status).toBe(404);
    expect(none.body).toEqual({ code: 'NOT_FOUND', message: "Viewed message doesn't exist" });
  });

  test('are removed one by one, by a filter, or all', async () => {
    expect((await broker.inject('DELETE', '/mqtt/retainer/message/r%2F1')).status).toBe(204);
    expect((await broker.inject('DELETE', '/mqtt/retainer/message/r%2F1')).status).toBe(404);
    expect((await broker.inject('DELETE', '/mqtt/retainer/message/r%2Fsub%2F%23')).status).toBe(204);
    const left = await broker.inject<List>('GET', '/mqtt/retainer/messages');
    expect(topicsOf(left.body)).toEqual(['r/2']);
    expect((await broker.inject('DELETE', '/mqtt/retainer/messages')).status).toBe(204);
    expect((await broker.inject<List>('GET', '/mqtt/retainer/messages')).body.meta.count).toBe(0);
  });

  test('are counted in stats and monitor', async () => {
    const { body } = await broker.inject<object[] | object>('GET', '/stats');
    expect(JSON.stringify(body)).toContain('"retained.count":4');
    const monitor = await broker.inject('GET', '/monitor_current');
    expect(monitor.body).toMatchObject({ retained_msg_count: 4 });
  });
});

describe('with a data folder', () => {
  let folder: string;
  let stored: TestBroker;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'retained-'));
    stored = await startTestBroker({ dataDir: folder });
    await stored.inject('DELETE', '/mqtt/retainer/messages');
  });
  afterEach(async () => {
    await stored.close();
    rmSync(folder, { recursive: true });
  });

  /** What a broker would find that was killed at this moment. */
  async function onDisc(): Promise<string[]> {
    const copy = mkdtempSync(join(tmpdir(), 'retained-copy-'));
    cpSync(folder, copy, { recursive: true });
    const store = openStore(copy);
    const topics = [...store.collection<{ topic: string }>('retained').range()].map(
      ({ value }) => value.topic,
    );
    await store.close();
    rmSync(copy, { recursive: true });
    return topics;
  }

  test('publishing is answered when what is to be retained is on disk', async () => {
    const body = { topic: 'r/1', payload: 'x', retain: true };
    expect((await stored.inject('POST', '/publish', { body })).status).toBe(202);
    expect(await onDisc()).toEqual(['r/1']);
    const bulk = ['r/2', 'r/3'].map((topic) => ({ topic, payload: 'x', retain: true }));
    expect((await stored.inject('POST', '/publish/bulk', { body: bulk })).status).toBe(202);
    expect(await onDisc()).toEqual(['r/1', 'r/2', 'r/3']);
  });

  test('another storage type is answered when the messages have moved, and a restart finds them or not', async () => {
    const body = { topic: 'r/1', payload: 'x', retain: true };
    await stored.inject('POST', '/publish', { body });
    const to = (storage_type: string) =>
      stored.inject('PUT', '/mqtt/retainer', { body: { backend: { storage_type } } });
    expect((await to('ram')).status).toBe(200);
    expect(await onDisc()).toEqual([]);
    await to('disc');
    expect(await onDisc()).toEqual(['r/1']);

    await to('ram');
    await stored.inject('POST', '/publish', { body: { ...body, topic: 'r/2' } });
    await stored.close();
    stored = await startTestBroker({ dataDir: folder });
    const list = await stored.inject<List>('GET', '/mqtt/retainer/messages');
    expect(topicsOf(list.body).filter((topic) => topic.startsWith('r/'))).toEqual([]);
  });
});

describe('removing many', () => {
  interface Told {
    topic: string | null;
    state: string;
    total: number;
    removed: number;
  }
  const last = async () => (await broker.inject<Told>('GET', '/mqtt/retainer/clearing')).body;
  const begin = (topic?: string) =>
    broker.inject<Told>('POST', '/mqtt/retainer/clearing', { body: topic === undefined ? {} : { topic } });
  const fleet = async (count: number) => {
    await broker.inject('DELETE', '/mqtt/retainer/messages');
    for (let i = 0; i < count; i++)
      await broker.core.publish({ topic: `fleet/${i}`, payload: 'x', retain: true });
  };

  test('is seen before: how many a filter matches, and the first of them', async () => {
    await fleet(12);
    const sensor = await broker.client('sensor');
    await sensor.publish('other', 'x', { retain: true, qos: 1 });
    const look = (topic: string) =>
      broker.inject<{ count: number; first: { topic: string }[] }>('GET', '/mqtt/retainer/matching', {
        query: { topic },
      });
    const { body } = await look('fleet/#');
    expect(body.count).toBe(12);
    expect(body.first.map(({ topic }) => topic)).toEqual(Array.from({ length: 10 }, (_, i) => `fleet/${i}`));
    expect((await look('no/such')).body).toMatchObject({ count: 0, first: [] });
    for (const topic of ['a/#/b', '', 'a+']) {
      const wrong = await look(topic);
      expect(wrong.status, topic).toBe(400);
      expect(wrong.body, topic).toMatchObject({ code: 'BAD_TOPIC' });
    }
  });

  test('of a branch leaves the others, and tells how far it is', async () => {
    await fleet(30);
    const sensor = await broker.client('sensor');
    await sensor.publish('other', 'x', { retain: true, qos: 1 });
    expect(await last()).toBeNull();
    const { status, body } = await begin('fleet/#');
    expect(status).toBe(202);
    expect(body).toMatchObject({ topic: 'fleet/#', total: 30 });
    await expect.poll(last).toMatchObject({ state: 'done', total: 30, removed: 30 });
    const screen = await broker.client('screen');
    await screen.subscribe('fleet/#');
    await screen.subscribe('other');
    expect((await screen.expectMessage()).topic).toBe('other');
    expect((await begin('fleet/#/x')).status).toBe(400);
  });

  test('is one at a time, and ends when it is told to', async () => {
    await fleet(2000);
    let now = performance.now();
    const slow = vi.spyOn(performance, 'now').mockImplementation(() => now++); // a turn for every few messages
    const answers = await Promise.all([begin(), begin('fleet/1')]);
    slow.mockRestore();
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'CONFLICT' });
    expect((await broker.inject('DELETE', '/mqtt/retainer/clearing')).status).toBe(204);
    expect((await last()).state).toMatch(/^(cancelled|done)$/);
  });
});

test('a list is counted without those that have expired', async () => {
  await broker.inject('DELETE', '/mqtt/retainer/messages');
  const sensor = await broker.client('sensor');
  for (const topic of ['r/1', 'r/2']) await sensor.publish(topic, '1', { retain: true, qos: 1 });
  const count = async () =>
    (await broker.inject<List>('GET', '/mqtt/retainer/messages', { query: { limit: 1 } })).body.meta.count;
  expect(await count()).toBe(2);
  const override = (value: string) =>
    broker.inject('PUT', '/mqtt/retainer', { body: { msg_expiry_interval_override: value } });
  await sensor.publish('r/gone', '1', { retain: true, qos: 1, properties: { messageExpiryInterval: 3600 } });
  expect(await count()).toBe(3);
  await override('1ms');
  await expect.poll(count).toBe(0);
  await override('disabled');
  expect(await count()).toBe(3);
});

test('settings that the topic tree has no use for are kept and checked all the same', async () => {
  const index_specs = [[2, 4], [1]];
  const { body } = await broker.inject('PUT', '/mqtt/retainer', { body: { backend: { index_specs } } });
  expect(body).toMatchObject({ backend: { index_specs } });
  const wrong = await broker.inject('PUT', '/mqtt/retainer', { body: { backend: { index_specs: ['a'] } } });
  expect(wrong.status).toBe(400);
});

test('while the retainer is off, what is kept can be listed, looked at and removed', async () => {
  const sensor = await broker.client('sensor');
  await sensor.publish('r/1', 'one', { retain: true, qos: 1 });
  await broker.inject('PUT', '/mqtt/retainer', { body: { enable: false } });
  const listed = await broker.inject<List>('GET', '/mqtt/retainer/messages', { query: { topic: 'r/#' } });
  expect(topicsOf(listed.body)).toEqual(['r/1']);
  expect((await broker.inject('GET', '/mqtt/retainer/message/r%2F1')).status).toBe(200);
  await sensor.publish('r/2', 'two', { retain: true, qos: 1 });
  expect((await broker.inject('GET', '/mqtt/retainer/message/r%2F2')).status).toBe(404);
  expect((await broker.inject('DELETE', '/mqtt/retainer/message/r%2F1')).status).toBe(204);
  await broker.inject('PUT', '/mqtt/retainer', { body: { enable: true } });
  expect((await broker.inject('GET', '/mqtt/retainer/message/r%2F1')).status).toBe(404);
});

test('a look through thousands leaves everybody else a turn again and again', async () => {
  const count = 500;
  for (let i = 0; i < count; i++)
    await broker.core.publish({ topic: `fleet/${i % 10}/car/${i}`, payload: 'x', retain: true });
  // As if the machine were so slow that a look at one of them took a millisecond
  let now = performance.now();
  const slow = vi.spyOn(performance, 'now').mockImplementation(() => now++);
  const turnsDuring = async (method: string, path: string) => {
    let turns = 0;
    let looking = true;
    const look = () => {
      turns++;
      if (looking) setImmediate(look);
    };
    look();
    const { status } = await broker.inject(method, `/mqtt/retainer/${path}`);
    looking = false;
    return { status, enough: turns > count / 10 };
  };
  const messages = 'messages?limit=1000&topic=';
  expect(await turnsDuring('GET', `${messages}fleet/%2B/car/%23`)).toEqual({ status: 200, enough: true });
  expect(await turnsDuring('GET', `${messages}%2B/%2B/%2B/%2B/no`)).toEqual({ status: 200, enough: true });
  expect(await turnsDuring('GET', 'message/%2B%2F%2B%2F%2B%2F%2B%2Fno')).toEqual({
    status: 404,
    enough: true,
  });
  expect(await turnsDuring('DELETE', 'message/fleet%2F%23')).toEqual({ status: 204, enough: true });
  slow.mockRestore();
  const all = await broker.inject<List>('GET', '/mqtt/retainer/messages', { query: { limit: 2 } });
  expect(all.body.meta.count).toBe(3); // what the broker says of itself
});
