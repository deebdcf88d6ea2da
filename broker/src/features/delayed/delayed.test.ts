import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DelayedSettings } from '@mqdeck/contract/delayed';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { openStore } from '../../core/store/environment.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { DelayedPublish } from './delayed.ts';
import { DelayedStore } from './store.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function startWithDelayed(given: Partial<DelayedSettings> = {}, store = memoryStore()) {
  const broker = startTestCore();
  let settings = z.parse(DelayedSettings, given);
  const delayed = new DelayedPublish(broker.core, () => settings, new DelayedStore(store));
  ends.push(
    () => broker.close(),
    () => delayed.close(),
  );
  return {
    ...broker,
    delayed,
    async change(change: Partial<DelayedSettings>) {
      settings = { ...settings, ...change };
      await delayed.settingsChanged();
    },
  };
}

describe('a message to $delayed/N/topic', () => {
  test('is published to the topic after N seconds, not before', async () => {
    const { client, pass, delayed } = startWithDelayed();
    const [sensor, screen] = [await client('sensor'), await client('screen')];
    await screen.subscribe('room/#', { qos: 2 });
    await sensor.publish('$delayed/5/room/1', 'later', { qos: 1 });
    expect(delayed.store.size).toBe(1);
    pass(4800);
    await screen.expectNothing();
    pass(300);
    expect(await screen.expectMessage()).toMatchObject({ topic: 'room/1', qos: 1, retain: false });
    expect(delayed.store.size).toBe(0);
  });

  test('never goes below $SYS', async () => {
    const { client, pass, delayed } = startWithDelayed();
    const [sensor, screen] = [await client('sensor'), await client('screen')];
    await screen.subscribe('$SYS/#');
    for (const topic of ['$delayed/0/$SYS/x', '$delayed/5/$SYS/x'])
      expect(await sensor.publish(topic, 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    expect(await sensor.publish('$delayed/1/$delayed/1/$SYS/x', 'x', { qos: 1 })).toBe(0);
    pass(5000);
    await screen.expectNothing();
    expect(delayed.store.size).toBe(0);
  });

  test('comes in the order of the time it is due, whatever the order of publishing', async () => {
    const { client, pass } = startWithDelayed();
    const [sensor, screen] = [await client('sensor'), await client('screen')];
    await screen.subscribe('t/#');
    for (const seconds of [30, 10, 20])
      await sensor.publish(`$delayed/${seconds}/t/${seconds}`, 'x', { qos: 1 });
    await sensor.publish('$delayed/10/t/second', 'x', { qos: 1 });
    pass(31_000);
    const topics = [];
    for (let i = 0; i < 4; i++) topics.push((await screen.expectMessage()).topic);
    expect(topics).toEqual(['t/10', 't/second', 't/20', 't/30']);
  });

  test('of 0 seconds goes at once', async () => {
    const { client, delayed } = startWithDelayed();
    const [sensor, screen] = [await client('sensor'), await client('screen')];
    await screen.subscribe('t');
    await sensor.publish('$delayed/0/t', 'now');
    expect(await screen.expectMessage()).toMatchObject({ topic: 't' });
    expect(delayed.store.size).toBe(0);
  });

  test.each(['abc', '-1', '1.5', '4294968', '4294967296', '', '0x10', '１'])(
    'is refused with a delay of "%s"',
    async (delay) => {
      const { client, delayed, pass } = startWithDelayed();
      const sensor = await client('sensor');
      expect(await sensor.publish(`$delayed/${delay}/t`, 'x', { qos: 1 })).toBe(ReasonCode.TopicNameInvalid);
      expect(delayed.store.size).toBe(0);
      pass(1000);
    },
  );

  test('is refused without a topic behind the delay', async () => {
    const { client } = startWithDelayed();
    const sensor = await client('sensor');
    for (const topic of ['$delayed/5', '$delayed/5/'])
      expect(await sensor.publish(topic, 'x', { qos: 1 })).toBe(ReasonCode.TopicNameInvalid);
  });

  test('is refused when as many wait as may', async () => {
    const { client, delayed } = startWithDelayed({ max_delayed_messages: 2 });
    const sensor = await client('sensor');
    const codes = [];
    for (let i = 0; i < 3; i++) codes.push(await sensor.publish('$delayed/60/t', 'x', { qos: 1 }));
    expect(codes).toEqual([0, 0, ReasonCode.QuotaExceeded]);
    expect(delayed.store.size).toBe(2);
  });

  test('keeps its properties; its expiry counts from when it was published', async () => {
    const { client, pass } = startWithDelayed();
    const [sensor, screen] = [await client('sensor'), await client('screen')];
    await screen.subscribe('t');
    const properties = { messageExpiryInterval: 60, contentType: 'text/plain' };
    await sensor.publish('$delayed/10/t', 'x', { qos: 1, properties });
    await sensor.publish('$delayed/70/t', 'gone', { qos: 1, properties });
    pass(11_000);
    const { properties: arrived } = await screen.expectMessage();
    expect(arrived.contentType).toBe('text/plain');
    expect(arrived.messageExpiryInterval).toBeLessThanOrEqual(50);
    pass(70_000);
    await screen.expectNothing();
  });

  test('outlives a kill of the broker', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-delayed-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const before = openStore(folder);
    const first = startWithDelayed({}, before);
    const sensor = await first.client('sensor', { username: 'fleet' });
    await sensor.publish('$delayed/3600/t', new Uint8Array([0, 255]), { qos: 1, retain: true });
    await before.close();

    const after = openStore(folder);
    ends.push(() => after.close());
    const { client, pass, delayed } = startWithDelayed({}, after);
    expect(delayed.store.size).toBe(1);
    const screen = await client('screen');
    await screen.subscribe('t', { retainAsPublished: true });
    pass(3601_000);
    const message = await screen.expectMessage();
    expect(message).toMatchObject({ topic: 't', retain: true });
    expect([...message.payload]).toEqual([0, 255]);
  });
});

test('switching it off deletes what waits, and $delayed is a topic like every other', async () => {
  const { client, change, delayed, pass } = startWithDelayed();
  const [sensor, screen] = [await client('sensor'), await client('screen')];
  await screen.subscribe('$delayed/#');
  await screen.subscribe('t');
  for (let i = 0; i < 50; i++) await sensor.publish('$delayed/5/t', 'x', { qos: 1 });
  await change({ enable: false });
  expect(delayed.store.size).toBe(0);
  await sensor.publish('$delayed/5/t', 'x', { qos: 1 });
  expect(await screen.expectMessage()).toMatchObject({ topic: '$delayed/5/t' });
  await change({ enable: true });
  pass(10_000);
  await screen.expectNothing();
});

describe('the API', () => {
  const start = async () => {
    const broker = await startTestBroker();
    ends.push(() => broker.close());
    return broker;
  };
  type Row = { msgid: string; node: string; topic: string; delayed_remaining: number };

  test('lists what waits, shows one with its payload, and deletes it', async () => {
    const broker = await start();
    const sensor = await broker.client('sensor', { username: 'fleet' });
    for (const seconds of [60, 120, 3600])
      await sensor.publish(`$delayed/${seconds}/t/${seconds}`, 'bïn', { qos: 1 });
    const list = await broker.inject<{ data: Row[]; meta: object }>('GET', '/mqtt/delayed/messages');
    expect(list.body.data.map(({ topic }) => topic)).toEqual(['t/3600', 't/120', 't/60']);
    expect(list.body.meta).toEqual({ page: 1, limit: 100, count: 3, hasnext: false });
    const query = { page: 2, limit: 2, order: 'asc' };
    const second = await broker.inject<{ data: Row[] }>('GET', '/mqtt/delayed/messages', { query });
    expect(second.body.data.map(({ topic }) => topic)).toEqual(['t/3600']);

    const { msgid, node } = list.body.data[1]!;
    const one = `/mqtt/delayed/messages/${node}/${msgid}`;
    expect((await broker.inject('GET', one)).body).toMatchObject({
      topic: 't/120',
      qos: 1,
      delayed_interval: 120,
      from_clientid: 'sensor',
      from_username: 'fleet',
      payload: Buffer.from('bïn').toString('base64'),
    });
    expect((await broker.inject('DELETE', one)).status).toBe(204);
    const gone = { status: 404, body: { code: 'MESSAGE_ID_NOT_FOUND' } };
    expect(await broker.inject('DELETE', one)).toMatchObject(gone);
    expect(await broker.inject('GET', one)).toMatchObject(gone);
  });

  test('answers ids that are none, and nodes that are none', async () => {
    const broker = await start();
    const at = (node: string, id: string) => broker.inject('GET', `/mqtt/delayed/messages/${node}/${id}`);
    const { node } = broker.core;
    for (const id of ['zzz', '00ff', '0'.repeat(31), '0'.repeat(33)])
      expect(await at(node, id)).toMatchObject({ status: 400, body: { code: 'MESSAGE_ID_SCHEMA_ERROR' } });
    for (const id of ['0'.repeat(32), 'f'.repeat(32)])
      expect(await at(node, id)).toMatchObject({ status: 404, body: { code: 'MESSAGE_ID_NOT_FOUND' } });
    expect(await at('other@1.2.3.4', '0'.repeat(32))).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  test('changes settings in part, and deletes what waits with the switch', async () => {
    const broker = await start();
    const sensor = await broker.client('sensor');
    await sensor.publish('$delayed/60/t', 'x', { qos: 1 });
    const put = (body: object) => broker.inject('PUT', '/mqtt/delayed', { body });
    expect((await put({ max_delayed_messages: 2 })).body).toEqual({ enable: true, max_delayed_messages: 2 });
    expect((await put({})).body).toEqual({ enable: true, max_delayed_messages: 2 });
    for (const body of [
      { max_delayed_messages: -1 },
      { max_delayed_messages: 'a' },
      { enable: 'x' },
      { foo: 1 },
    ])
      expect(await put(body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect((await put({ enable: false })).body).toMatchObject({ enable: false });
    const { body } = await broker.inject<{ data: Row[] }>('GET', '/mqtt/delayed/messages');
    expect(body.data).toEqual([]);
  });

  test('a delay that is none is answered like a message without receivers', async () => {
    const broker = await start();
    const publish = (topic: string) => broker.inject('POST', '/publish', { body: { topic, payload: 'x' } });
    expect((await publish('$delayed/abc/t')).status).toBe(202);
    expect((await publish('$delayed/60/t')).status).toBe(202);
  });
});
