import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PacketType } from '@mqdeck/mqtt/packets';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import { openStore } from './environment.ts';
import { memoryStore } from './memory-store.ts';
import type { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
afterAll(() => rmSync(folder, { recursive: true }));
let next = 0;
const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

/** A store that a broker leaves behind and the next one finds. */
const kinds: [string, () => { open: () => Store; close: (store: Store) => Promise<void> }][] = [
  [
    'in memory',
    () => {
      const store = memoryStore();
      return { open: () => store, close: (left) => left.flushed() };
    },
  ],
  [
    'on disk',
    () => {
      const path = join(folder, `${next++}`);
      return { open: () => openStore(path), close: (store) => store.close() };
    },
  ],
];

describe.each(kinds)('with a store %s, after a restart', (_kind, make) => {
  test('a session has its subscriptions, its queue, and what was in flight', async () => {
    const { open, close } = make();
    const before = open();
    const first = startTestCore({ store: before, settings: { maxInflight: 2 } });
    const away = await first.client('away', { ...kept, acknowledge: false, username: 'ada' });
    await away.subscribe('t/+', { qos: 2, subscriptionIdentifier: 9 });
    await away.subscribe('gone');
    await away.unsubscribe('gone');
    const sensor = await first.client('sensor');
    for (const payload of ['0', '1', '2', '3']) await sensor.publish('t/1', payload, { qos: 2 });
    const [released, sent] = [await away.expectMessage('0'), await away.expectMessage('1')];
    away.send({ type: PacketType.PUBREC, packetId: released.packetId, reasonCode: 0, properties: {} });
    await away.expectAck(PacketType.PUBREL, released.packetId);
    await first.close();
    await close(before);

    const after = open();
    const second = startTestCore({ store: after, settings: { maxInflight: 2 } });
    const known = second.core.registry.find('away');
    expect(known?.facts()).toMatchObject({
      username: 'ada',
      connected: false,
      subscriptions_cnt: 1,
      inflight_cnt: 2,
      mqueue_len: 2,
    });
    const back = await second.client('away', { ...kept, acknowledge: false });
    expect(back.connack?.sessionPresent).toBe(true);
    await back.expectAck(PacketType.PUBREL, released.packetId);
    const again = await back.expectMessage('1');
    expect([again.dup, again.packetId, again.properties.subscriptionIdentifier]).toEqual([
      true,
      sent.packetId,
      [9],
    ]);
    back.send({ type: PacketType.PUBCOMP, packetId: released.packetId, reasonCode: 0, properties: {} });
    await back.expectMessage('2');
    await second.client('sensor').then((other) => other.publish('t/2', '4', { qos: 1 }));
    expect(known?.facts().mqueue_len).toBe(2);
    await second.close();
    await close(after);
  });

  test('what was in flight tells when it was sent, and what waited when it came', async () => {
    const { open, close } = make();
    const before = open();
    const first = startTestCore({ store: before, settings: { maxInflight: 2 } });
    const away = await first.client('away', { ...kept, acknowledge: false });
    await away.subscribe('t', { qos: 2 });
    const sensor = await first.client('sensor');
    const moments: number[] = [];
    for (const qos of [1, 2, 1] as const) {
      first.pass(60_000);
      moments.push(first.core.clock.now);
      await sensor.publish('t', `${qos}`, { qos });
    }
    await away.expectMessages(2);
    const session = first.core.registry.find('away')!;
    expect(session.inflightAfter(0, 9).map(({ sentAt }) => sentAt)).toEqual(moments.slice(0, 2));
    await first.close();
    await close(before);

    const after = open();
    const second = startTestCore({ store: after });
    const known = second.core.registry.find('away')!;
    expect(known.inflightAfter(0, 9).map(({ sentAt }) => sentAt)).toEqual(moments.slice(0, 2));
    expect(known.queuedAfter(null, 9).map(({ delivery }) => Math.round(delivery.order / 1000))).toEqual(
      moments.slice(2),
    );
    await second.close();
    await close(after);
  });

  test('a QoS 2 packet id of the publisher is still known, so nothing comes twice', async () => {
    const { open, close } = make();
    const before = open();
    const first = startTestCore({ store: before });
    const sensor = await first.client('sensor', kept);
    const packetId = sensor.sendPublish('t', 'once', { qos: 2 });
    await sensor.expectAck(PacketType.PUBREC, packetId);
    await first.close();
    await close(before);

    const after = open();
    const second = startTestCore({ store: after });
    const screen = await second.client('screen');
    await screen.subscribe('t');
    const again = await second.client('sensor', kept);
    again.sendPublish('t', 'once', { qos: 2, dup: true, packetId });
    await again.expectAck(PacketType.PUBREC, packetId);
    await screen.expectNothing();
    await second.close();
    await close(after);
  });

  test('sessions that ended, and what was acknowledged, have left nothing behind', async () => {
    const { open, close } = make();
    const store = open();
    const broker = startTestCore({ store });
    for (const clientid of ['a', 'b']) {
      const client = await broker.client(clientid, { ...kept, cleanStart: true });
      await client.subscribe('t', { qos: 2 });
      if (clientid === 'b') client.close();
    }
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 10; i++) await sensor.publish('t', `${i}`, { qos: ((i % 2) + 1) as 1 | 2 });
    const back = await broker.client('b', kept);
    await back.expectMessages(10);
    await store.flushed(); // now PUBREL goes out …
    await back.ping();
    await store.flushed(); // … and now PUBCOMP has come in
    expect([...store.collection('queues').range()]).toEqual([]);
    expect([...store.collection('messages').range()]).toEqual([]);
    broker.core.kick('a');
    await (await broker.client('b')).disconnect();
    await store.flushed();
    for (const name of ['sessions', 'subscriptions', 'queues', 'messages', 'awaiting_rel'])
      expect([name, ...store.collection(name).range()]).toEqual([name]);
    await broker.close();
    await close(store);
  });

  test('what a member of a share group left behind is with another one', async () => {
    const { open, close } = make();
    const before = open();
    const first = startTestCore({ store: before });
    for (const clientid of ['one', 'two']) {
      const member = await first.client(clientid, kept);
      await member.subscribe('$share/g/t', { qos: 1 });
      member.close();
    }
    const sensor = await first.client('sensor');
    await sensor.publish('t', 'a', { qos: 1 });
    await sensor.publish('t', 'b', { qos: 1 });
    first.core.kick('one');
    await first.close();
    await close(before);

    const after = open();
    const second = startTestCore({ store: after });
    const two = await second.client('two', kept);
    expect((await two.expectMessages(2)).sort()).toEqual(['a', 'b']);
    await second.close();
    await close(after);
  });

  test('a session without its client goes on growing old', async () => {
    const { open, close } = make();
    const before = open();
    const first = startTestCore({ store: before });
    (await first.client('a', kept)).close();
    await first.close();
    await close(before);
    const sessions = open();
    const row = [...sessions.collection<{ disconnectedAt: number }>('sessions').range()][0]!;
    sessions
      .collection<object>('sessions')
      .put(row.key, { ...row.value, disconnectedAt: row.value.disconnectedAt - 590_000 });
    const second = startTestCore({ store: sessions });
    expect(second.core.registry.find('a')).toBeDefined();
    second.pass(11_000);
    expect(second.core.registry.find('a')).toBeUndefined();
    await second.close();
    await close(sessions);
  });

  test('a session that has expired meanwhile is gone, and its will goes out', async () => {
    const { open, close } = make();
    const before = open();
    const first = startTestCore({ store: before });
    await first.client('a', {
      properties: { sessionExpiryInterval: 100 },
      will: { topic: 'wills/a', properties: { willDelayInterval: 50 } },
    });
    await before.flushed();
    const after = before.folder === null ? before : await close(before).then(open);

    const second = startTestCore({ store: after });
    const watcher = await second.client('watcher');
    await watcher.subscribe('wills/#');
    second.pass(40_000);
    await watcher.expectNothing();
    second.pass(15_000);
    await watcher.expectMessage('gone');
    second.pass(60_000);
    expect(second.core.registry.find('a')).toBeUndefined();
    await second.close();
    await close(after);
  });
});

test('an acknowledgement waits for the store only when a persistent session is concerned', async () => {
  const store = memoryStore();
  const broker = startTestCore({ store });
  const screen = await broker.client('screen');
  await screen.subscribe('t', { qos: 1 });
  const { client: sensor, connection } = broker.dial('sensor');
  await sensor.connect();
  const sent: number[] = [];
  const write = connection.write.bind(connection);
  connection.write = (bytes) => {
    sent.push(bytes[0]! >> 4);
    write(bytes);
  };
  sensor.sendPublish('t', 'x', { qos: 1 });
  await sensor.expect(PacketType.PUBACK);
  const away = await broker.client('away', kept);
  await away.subscribe('t', { qos: 1 });
  away.close();
  let committed = false;
  const queues = store.collection('queues');
  const put = queues.put.bind(queues);
  queues.put = (key, value) => {
    committed = true;
    put(key, value);
  };
  sensor.sendPublish('t', 'y', { qos: 1 });
  await sensor.expect(PacketType.PUBACK).then(() => expect(committed).toBe(true));
  expect(sent).toEqual([PacketType.PUBACK, PacketType.PUBACK]);
  await broker.close();
});

test.each(['in a row of its queue', 'shared by several queues'])(
  'a stored message that is none is dropped, %s, and its session goes on',
  async (where) => {
    const shared = where.startsWith('shared');
    const store = memoryStore();
    const first = startTestCore({ store });
    for (const clientid of shared ? ['away', 'other'] : ['away']) {
      const away = await first.client(clientid, kept);
      await away.subscribe('t', { qos: 1 });
      away.close();
    }
    for (const payload of ['torn', 'poison', 'good'])
      await first.core.publish({ topic: 't', payload, qos: 1 });
    await first.close();
    const messages = store.collection<unknown[]>(shared ? 'messages' : 'queues');
    const [torn, poison] = [...messages.range()];
    const spoil = (row: unknown[], body: (old: unknown[]) => unknown[]) =>
      shared ? body(row) : [...row.slice(0, 6), body(row[6] as unknown[])];
    messages.put(
      torn!.key,
      spoil(torn!.value, () => ['t', 1]),
    );
    messages.put(
      poison!.key,
      spoil(poison!.value, (old) => [...old.slice(0, 7), { contentType: 'a\0' }]),
    );

    const second = startTestCore({ store });
    const back = await second.client('away', kept);
    await back.expectMessage('good');
    await back.expectNothing();
    expect(second.core.counters.get('delivery.dropped')).toBe(2);
    second.core.kick('other');
    await second.close();
    expect(store.collection('queues').count()).toBe(0);
    expect(store.collection('messages').count()).toBe(0);
  },
);

test('a message for several sessions is kept once', async () => {
  const store = memoryStore();
  const broker = startTestCore({ store });
  for (const clientid of ['a', 'b']) {
    const away = await broker.client(clientid, kept);
    await away.subscribe(['t', clientid], { qos: 1 });
    away.close();
  }
  for (const topic of ['t', 'a', 'b']) await broker.core.publish({ topic, payload: 'x', qos: 1 });
  await store.flushed();
  expect([store.collection('queues').count(), store.collection('messages').count()]).toEqual([4, 1]);
  await broker.close();
});

test('sessions that end together leave their rows to many groups, and nothing stays', async () => {
  const path = join(folder, `${next++}`);
  const store = openStore(path);
  const broker = startTestCore({ store });
  for (let i = 0; i < 20; i++) {
    const away = await broker.client(`away ${i}`, kept);
    await away.subscribe('t/#', { qos: 1 });
    away.close();
  }
  const sensor = await broker.client('sensor');
  for (let i = 0; i < 100; i++) await sensor.publish('t/1', `${i}`, { qos: 1 });
  await store.flushed();
  const rows = [store.collection('queues'), store.collection('messages'), store.collection('subscriptions')];
  const left = () => rows.map((collection) => collection.count());
  expect(left()).toEqual([2000, 100, 20]);
  const other = await broker.client('other', kept); // nobody else's rows go with them
  await other.subscribe('else', { qos: 1 });

  for (let i = 0; i < 20; i++) broker.core.kick(`away ${i}`);
  let before = left()[0]!;
  const steps: number[] = [];
  while (before > 0) {
    await new Promise(setImmediate);
    const now = left()[0]!;
    steps.push(before - now);
    before = now;
  }
  expect(Math.max(...steps)).toBeLessThanOrEqual(500);
  await vi.waitFor(() => expect(left()).toEqual([0, 0, 1]));
  await broker.close();
  await store.close();
});

test('what a full disk or a crash leaves of ended sessions goes at the next start', async () => {
  const path = join(folder, `${next++}`);
  const before = openStore(path);
  const first = startTestCore({ store: before });
  for (let i = 0; i < 20; i++) {
    const away = await first.client(`away ${i}`, kept);
    await away.subscribe('t/#', { qos: 1 });
    away.close();
  }
  const sensor = await first.client('sensor');
  for (let i = 0; i < 100; i++) await sensor.publish('t/1', `${i}`, { qos: 1 });
  await before.flushed();
  for (let i = 0; i < 20; i++) first.core.kick(`away ${i}`);
  await first.close();
  await before.close();

  const after = openStore(path);
  const rows = (name: string) => after.collection(name, { version: name === 'queues' ? 2 : 1 }).count();
  expect(rows('queues')).toBeGreaterThan(0);
  const second = startTestCore({ store: after });
  expect(second.core.registry.size).toBe(0);
  expect(['queues', 'messages', 'subscriptions'].map(rows)).toEqual([0, 0, 0]);
  await second.close();
  await after.close();
});
