import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InflightMessage, QueuedMessage } from '@mqdeck/contract/clients';
import { PacketType } from '@mqdeck/mqtt/packets';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import type { TestClient } from '../../testing/test-client.ts';

let broker: TestBroker;
let sender: TestClient;
beforeEach(async () => {
  broker = await startTestBroker();
  sender = await broker.client('sender', { username: 'plant' });
});
afterEach(() => broker.close());

interface Page<T> {
  data: T[];
  meta: { start: string; position: string };
}
type Query = Record<string, string | number>;

const queue = async (clientid: string, query: Query = {}) =>
  (await broker.inject<Page<QueuedMessage>>('GET', `/clients/${clientid}/mqueue_messages`, { query })).body;
const inflight = async (clientid: string, query: Query = {}) =>
  (await broker.inject<Page<InflightMessage>>('GET', `/clients/${clientid}/inflight_messages`, { query }))
    .body;

/** A session whose client is away, with messages of these topics in its queue. */
async function asleep(topics: string[]) {
  const sleeper = await broker.client('sleeper', {
    properties: { sessionExpiryInterval: 600 },
    cleanStart: false,
  });
  await sleeper.subscribe('#', { qos: 2 });
  await sleeper.disconnect();
  await send(topics);
}

async function send(topics: string[]) {
  for (const topic of topics) await sender.publish(topic, `of ${topic}`, { qos: 1 });
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, i) => `n/${from + i}`);
const topics = ({ data }: Page<{ topic: string }>) => data.map(({ topic }) => topic);

/** All pages, one after the other; something may happen in between. */
async function walk(query: Query, between: (page: number) => Promise<unknown> = async () => undefined) {
  const seen: string[] = [];
  let position = 'none';
  for (let page = 1; ; page++) {
    const answer = await queue('sleeper', { ...query, position });
    if (answer.data.length === 0) return seen;
    seen.push(...topics(answer));
    position = answer.meta.position;
    await between(page);
  }
}

describe('the queue', () => {
  test('shows what waits, with who sent it, its payload in base64 and what the message itself says', async () => {
    await asleep([]);
    await sender.publish('room/1', '21.5', { qos: 2, properties: { messageExpiryInterval: 60 } });
    const { data, meta } = await queue('sleeper');
    const inserted = data[0]?.inserted_at;
    expect(data).toEqual([
      {
        msgid: expect.stringMatching(/^[0-9A-F]{32}$/),
        topic: 'room/1',
        qos: 2,
        from_clientid: 'sender',
        from_username: 'plant',
        publish_at: expect.closeTo(Date.now(), -5),
        inserted_at: expect.stringMatching(/^\d{19}$/),
        mqueue_priority: 0,
        payload: Buffer.from('21.5').toString('base64'),
        retain: false,
        payload_bytes: 4,
        expires_at: data[0]!.publish_at + 60_000,
      },
    ]);
    expect(meta).toEqual({ start: `${inserted}_0`, position: `${inserted}_0` });
  });

  test('is empty for a client that has none, and there is none of a client that is not known', async () => {
    const none = { data: [], meta: { start: 'none', position: 'none' } };
    expect(await queue('sender')).toEqual(none);
    expect(await inflight('sender')).toEqual(none);
    for (const list of ['mqueue_messages', 'inflight_messages'])
      expect(await broker.inject('GET', `/clients/nobody/${list}`)).toMatchObject({
        status: 404,
        body: { code: 'CLIENTID_NOT_FOUND' },
      });
  });

  test('pages go on where the page before ended', async () => {
    await asleep(numbered(25));
    const first = await queue('sleeper', { limit: 10 });
    expect(topics(first)).toEqual(numbered(10));
    const second = await queue('sleeper', { limit: 10, position: first.meta.position });
    expect(topics(second)).toEqual(numbered(10, 10));
    expect(second.meta.start).toBe(first.meta.start);
    expect(await walk({ limit: 10 })).toEqual(numbered(25));
    const beyond = (await queue('sleeper', { limit: 10_000 })).meta.position;
    expect(await queue('sleeper', { position: beyond })).toMatchObject({
      data: [],
      meta: { position: beyond },
    });
    expect((await queue('sleeper', { position: 'end_of_data' })).data).toEqual([]);
  });

  test('and skip nothing and show nothing twice while the queue moves on', async () => {
    await asleep(numbered(30));
    const seen = await walk({ limit: 7 }, async (page) => {
      if (page === 1) {
        // The client takes ten, three of which were not shown yet, and goes again without a word.
        const back = await broker.client('sleeper', {
          cleanStart: false,
          properties: { sessionExpiryInterval: 600, receiveMaximum: 10 },
          acknowledge: false,
        });
        for (let i = 0; i < 10; i++) await back.expectMessage();
        back.close();
      }
      if (page === 2) await send(numbered(3, 30));
    });
    expect(seen).toEqual([...numbered(7), ...numbered(23, 10)]);
    expect(topics(await inflight('sleeper'))).toEqual(numbered(10));
  });

  test('one message is found by the moment it came in', async () => {
    await asleep(numbered(9));
    const { data } = await queue('sleeper', { payload: 'none' });
    const { inserted_at, mqueue_priority } = data[4]!;
    const before = `${BigInt(inserted_at) - 1n}_${mqueue_priority}`;
    const one = await queue('sleeper', { limit: 1, position: before, payload: 'plain' });
    expect(one.data).toMatchObject([{ msgid: data[4]!.msgid, payload: 'of n/4' }]);
  });

  test('payloads can be left out, or be text where all of them are', async () => {
    await asleep(['a', 'b']);
    expect((await queue('sleeper', { payload: 'none' })).data.every((row) => !('payload' in row))).toBe(true);
    expect((await queue('sleeper', { payload: 'plain' })).data.map(({ payload }) => payload)).toEqual([
      'of a',
      'of b',
    ]);
    await sender.publish('c', Buffer.from([0xc3, 0x28]), { qos: 1 });
    expect(
      await broker.inject('GET', '/clients/sleeper/mqueue_messages', { query: { payload: 'plain' } }),
    ).toMatchObject({ status: 400, body: { code: 'INVALID_PARAMETER' } });
    expect((await queue('sleeper')).data[2]?.payload).toBe('wyg=');
  });

  test('a page ends with the bytes asked for, but never before its first message', async () => {
    await asleep(numbered(6)); // 6 bytes each
    const texts = { payload: 'plain', max_payload_bytes: 13 };
    const first = await queue('sleeper', texts);
    expect(topics(first)).toEqual(numbered(2));
    expect(topics(await queue('sleeper', { ...texts, position: first.meta.position }))).toEqual(
      numbered(2, 2),
    );
    expect(await walk({ max_payload_bytes: 1 })).toEqual(numbered(6));
    expect(topics(await queue('sleeper', { max_payload_bytes: '1KB' }))).toEqual(numbered(6));
  });

  test('what is no limit, position, form or size is refused', async () => {
    await asleep(['a']);
    const answers = async (list: string, query: Query) =>
      (await broker.inject<{ code: string }>('GET', `/clients/sleeper/${list}`, { query })).body.code;
    for (const list of ['mqueue_messages', 'inflight_messages']) {
      for (const query of [
        { limit: 0 },
        { limit: 10_001 },
        { payload: 'hex' },
        { max_payload_bytes: 0 },
        { max_payload_bytes: '1TB' },
      ] as Query[])
        expect(await answers(list, query), JSON.stringify(query)).toBe('BAD_REQUEST');
      for (const position of ['', 'x', '1_x', '-1_0', '1_0_0'])
        expect(await answers(list, { position }), position).toBe('INVALID_PARAMETER');
    }
  });
});

test('messages of a higher priority stand first, and pages go on through all of them', async () => {
  broker.core.settings.mqueuePriorities = new Map([['alarm/1', 9]]);
  await asleep(['n/0', 'alarm/1', 'n/1', 'alarm/1', 'n/2']);
  const order = ['alarm/1', 'alarm/1', 'n/0', 'n/1', 'n/2'];
  const { data, meta } = await queue('sleeper');
  expect(topics({ data, meta })).toEqual(order);
  expect(data.map(({ mqueue_priority }) => mqueue_priority)).toEqual([9, 9, 0, 0, 0]);
  expect(meta.position).toMatch(/^\d{19}_0$/);
  expect(await walk({ limit: 2 })).toEqual(order);
  // What comes in with a higher priority is not behind the place where the reader stands.
  const two = await queue('sleeper', { limit: 3 });
  await send(['alarm/1']);
  expect(topics(await queue('sleeper', { position: two.meta.position }))).toEqual(['n/1', 'n/2']);
});

describe('what a client has not acknowledged', () => {
  test('says which packet it waits for; the rest of its messages stay in the queue', async () => {
    const slow = await broker.client('slow', { acknowledge: false, properties: { receiveMaximum: 3 } });
    await slow.subscribe('#', { qos: 2 });
    await sender.publish('one', 'x', { qos: 1 });
    await sender.publish('two', 'x', { qos: 2 });
    await sender.publish('three', 'x', { qos: 2 });
    await sender.publish('four', 'x', { qos: 1 });
    for (const _ of [1, 2, 3]) await slow.expectMessage();
    const packetId = (await inflight('slow')).data[1]!.packet_id!;
    slow.send({ type: PacketType.PUBREC, packetId, reasonCode: 0, properties: {} });
    await slow.expectAck(PacketType.PUBREL, packetId);
    const { data, meta } = await inflight('slow');
    expect(data.map(({ topic, awaits }) => [topic, awaits])).toEqual([
      ['one', 'PUBACK'],
      ['three', 'PUBREC'],
      ['two', 'PUBCOMP'],
    ]);
    expect(data[0]).toMatchObject({ packet_id: 1, qos: 1, sent_at: expect.closeTo(Date.now(), -5) });
    expect(data[0]).not.toHaveProperty('mqueue_priority');
    expect(meta).toEqual({ start: data[0]!.inserted_at, position: data[2]!.inserted_at });
    const [first, ...rest] = data.map(({ topic }) => topic);
    expect(topics(await inflight('slow', { limit: 1 }))).toEqual([first]);
    expect(topics(await inflight('slow', { position: data[0]!.inserted_at }))).toEqual(rest);
    expect(topics(await queue('slow'))).toEqual(['four']);
  });

  test('is empty again when all is acknowledged', async () => {
    const quick = await broker.client('quick');
    await quick.subscribe('#', { qos: 1 });
    await send(['a']);
    await quick.expectMessage();
    await quick.ping();
    expect((await inflight('quick')).data).toEqual([]);
  });
});

test('after a restart the messages stand in the same order, and pages go on', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'waiting-'));
  try {
    await broker.close();
    broker = await startTestBroker({ dataDir });
    sender = await broker.client('sender');
    await asleep(numbered(5));
    const before = (await queue('sleeper')).data.map(({ topic, payload }) => ({ topic, payload }));
    await broker.close();
    broker = await startTestBroker({ dataDir });
    const after = await queue('sleeper');
    expect(after.data.map(({ topic, payload }) => ({ topic, payload }))).toEqual(before);
    sender = await broker.client('sender');
    await send(['new']);
    expect(await walk({ limit: 2 })).toEqual([...numbered(5), 'new']);
  } finally {
    await broker.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
