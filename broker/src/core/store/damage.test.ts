import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { pack } from 'msgpackr';
import { afterAll, describe, expect, test } from 'vitest';
import { seededRandom } from '../../testing/seeded-random.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { openStore } from './environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'damage-'));
afterAll(() => rmSync(folder, { recursive: true }));
let next = 0;
const newFolder = () => join(folder, `${next++}`);
const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };

/** Every one: LMDB leaves copies of earlier states in the file. */
function placesOf(bytes: Buffer, text: string): number[] {
  const places: number[] = [];
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) places.push(at);
  return places;
}

/** Changes bytes that stand behind a text, wherever in the file it stands, as a failing disk might. */
function spoil(path: string, text: string, change: (bytes: Buffer, at: number) => void): void {
  const file = join(path, 'store', 'data.mdb');
  const bytes = readFileSync(file);
  const places = placesOf(bytes, text);
  expect(places.length, text).toBeGreaterThan(0);
  for (const at of places) change(bytes, at);
  writeFileSync(file, bytes);
}

const flip = (bytes: Buffer, at: number, bit: number) =>
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);

const flipIn = (text: string, random: () => number) => (bytes: Buffer, at: number) => {
  const place = at + Math.floor(random() * text.length);
  flip(bytes, place, Math.floor(random() * 8));
};

/** Three sessions with a subscription, a message of their own, and one that they share. */
async function leaveSessions(path: string): Promise<void> {
  const store = openStore(path);
  const { core, client, close } = startTestCore({ store });
  for (const name of ['one', 'two', 'three']) {
    const away = await client(`client-${name}`, kept);
    await away.subscribe([`filter/${name}`, 'filter/all'], { qos: 1 });
    away.close();
    await core.publish({ topic: `filter/${name}`, payload: `payload-${name}`, qos: 1 });
  }
  await core.publish({ topic: 'filter/all', payload: 'payload-all', qos: 1 });
  await close();
  await store.close();
}

async function sessionsOf(path: string) {
  const store = openStore(path);
  const errors: string[] = [];
  const silent = () => undefined;
  const log = {
    debug: silent,
    info: silent,
    warn: silent,
    error: (_: object, text: string) => errors.push(text),
  };
  const { core, close } = startTestCore({ store, log });
  const found = Object.fromEntries(
    [...core.registry].map((session) => {
      const { subscriptions_cnt, mqueue_len } = session.facts();
      return [session.clientid, { subscriptions: subscriptions_cnt, queued: mqueue_len }];
    }),
  );
  await store.flushed();
  await close();
  await store.close();
  return { found, errors };
}

const whole = { subscriptions: 2, queued: 2 };
const all = { 'client-one': whole, 'client-two': whole, 'client-three': whole };

describe('a damaged record is dropped and said, and the rest is as it was', () => {
  test.each([
    ['a session', 'client-two', { 'client-one': whole, 'client-three': whole }],
    ['a subscription', 'filter/two', { ...all, 'client-two': { subscriptions: 1, queued: 1 } }],
    ['a message in its queue', 'payload-two', { ...all, 'client-two': { subscriptions: 2, queued: 1 } }],
    [
      'a message of several queues',
      'payload-all',
      Object.fromEntries(Object.keys(all).map((name) => [name, { subscriptions: 2, queued: 1 }])),
    ],
  ])('%s', async (_what, text, left) => {
    const path = newFolder();
    await leaveSessions(path);
    spoil(path, text, flipIn(text, seededRandom(1)));
    const { found, errors } = await sessionsOf(path);
    expect(found).toEqual(left);
    expect(new Set(errors)).toEqual(new Set(['a stored record is damaged and is dropped']));
    const again = await sessionsOf(path);
    expect(again).toEqual({ found: left, errors: [] }); // it is gone from the disk too
  });
});

test('a new session inherits nothing from one whose record was damaged', async () => {
  const path = newFolder();
  await leaveSessions(path);
  for (const name of ['one', 'two', 'three']) spoil(path, `client-${name}`, flipIn(name, seededRandom(2)));
  expect((await sessionsOf(path)).found).toEqual({});
  const store = openStore(path);
  const broker = startTestCore({ store });
  await broker.client('new', kept);
  await broker.close();
  await store.close();
  expect((await sessionsOf(path)).found).toEqual({ new: { subscriptions: 0, queued: 0 } });
});

test('every bit of a record counts: whichever is wrong, the record is not believed', async () => {
  const path = newFolder();
  const first = openStore(path);
  const value = { text: 'the-value-of-the-record', allow: false, number: 12_345 };
  first.collection<typeof value>('rows').put(7, value);
  await first.close();
  const file = join(path, 'store', 'data.mdb');
  const good = readFileSync(file);
  const text = 'the-value-of-the-record';
  const records = placesOf(good, text)
    .map((at) => ({ start: good.lastIndexOf(0xc1, at), end: at + text.length }))
    .filter(({ start, end }) => start !== -1 && end - start < 2 * text.length); // others are cut off
  expect(records.length).toBeGreaterThan(0);
  for (let bit = 8; bit < (records[0]!.end - records[0]!.start) * 8; bit += 3) {
    const bytes = Buffer.from(good);
    for (const { start } of records) flip(bytes, start + (bit >> 3), bit & 7);
    const copy = newFolder();
    const made = openStore(copy);
    await made.close();
    writeFileSync(join(copy, 'store', 'data.mdb'), bytes);
    const store = openStore(copy);
    const damaged: unknown[] = [];
    const rows = store.collection<typeof value>('rows');
    expect(rows.get(7)).toBeUndefined();
    store.onDamage((collection, key) => damaged.push([collection, key])); // also what was found before
    expect([...rows.range()]).toEqual([]);
    expect(damaged).toEqual([['rows', 7]]);
    await store.close();
  }
});

test('what a release without checksums wrote is read', async () => {
  const path = newFolder();
  const store = openStore(path);
  store.collection('rows');
  await store.close();
  const plain = open<Buffer>({ path: join(path, 'store'), encoding: 'binary' });
  await plain
    .openDB<Buffer, number>({ name: 'rows', encoding: 'binary' })
    .put(1, Buffer.from(pack({ a: 1 })));
  await plain.close();
  const later = openStore(path);
  expect(later.collection('rows').get(1)).toEqual({ a: 1 });
  await later.close();
});
