import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../core/store/environment.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import type { Store } from '../../core/store/store.ts';
import { type Retained, RetainedStore, type Storage } from './store.ts';

let folder: string;
let store: Store;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'retained-'));
  store = openStore(folder);
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true });
});

const message = (topic: string, payload = 'x', expiresAt = 0): Retained => ({
  id: '0',
  topic,
  qos: 0,
  payload: Buffer.from(payload),
  properties: {},
  from: 'sensor',
  username: null,
  timestamp: 1,
  expiresAt,
});

async function restart(storage: Storage): Promise<RetainedStore> {
  await store.close();
  store = openStore(folder);
  return new RetainedStore(store, storage);
}

const contentOf = (retained: RetainedStore) =>
  [...retained.all()].flatMap((one) => (one ? [`${one.topic}=${Buffer.from(one.payload)}`] : [])).sort();
const onDisc = () =>
  [...store.collection<Retained>('retained').range()].map(({ value }) => value.topic).sort();

function fill(retained: RetainedStore, count: number): void {
  for (let i = 0; i < count; i++) retained.put(message(`t/${i % 100}/${i}`));
}

/** How many turns the event loop has while something is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let looking = true;
  const look = () => {
    turns++;
    if (looking) setImmediate(look);
  };
  look();
  await work;
  looking = false;
  return turns;
}

describe('storage', () => {
  test('on disc outlives the broker, in memory leaves nothing on disk', async () => {
    let retained = new RetainedStore(store, 'disc');
    retained.put(message('a', '1'));
    retained.put(message('b', '1'));
    retained.put(message('a', '2'));
    retained.remove('b');
    expect(retained.durable).toBe(true);
    retained = await restart('disc');
    expect(contentOf(retained)).toEqual(['a=2']);

    retained = await restart('ram');
    expect(retained.durable).toBe(false);
    retained.put(message('c'));
    await retained.keepOn('ram'); // what was left on disk has gone by then
    expect(onDisc()).toEqual([]);
    expect(contentOf(retained)).toEqual(['c=x']);
    retained = await restart('ram');
    expect(retained.size).toBe(0);
  });

  test('moves to disc while messages come, change and go', async () => {
    const retained = new RetainedStore(store, 'ram');
    fill(retained, 10_000);
    const moved = retained.keepOn('disc');
    await new Promise(setImmediate); // the move has begun
    retained.put(message('new', '1'));
    retained.put(message('t/0/0', 'changed'));
    retained.remove('t/99/9999');
    retained.remove('t/1/1');
    await moved;
    const before = contentOf(retained);
    expect(before).toHaveLength(9999);
    const after = await restart('disc');
    expect(contentOf(after)).toEqual(before);
    after.put(message('later'));
    expect(after.size).toBe(10_000); // under a number of its own
  });

  test('moves to memory while messages come, change and go', async () => {
    const retained = new RetainedStore(store, 'disc');
    fill(retained, 10_000);
    const moved = retained.keepOn('ram');
    await new Promise(setImmediate);
    retained.put(message('new', '1'));
    retained.put(message('t/0/0', 'changed'));
    retained.remove('t/99/9999');
    await moved;
    expect(retained.size).toBe(10_000);
    expect(onDisc()).toEqual([]);
    expect((await restart('disc')).size).toBe(0);
  });

  test('to and fro ends where it was told last', async () => {
    const retained = new RetainedStore(store, 'disc');
    fill(retained, 5000);
    await Promise.all([retained.keepOn('ram'), retained.keepOn('disc'), retained.keepOn('ram')]);
    expect(onDisc()).toEqual([]);
    await Promise.all([retained.keepOn('disc'), retained.keepOn('ram'), retained.keepOn('disc')]);
    expect(onDisc()).toHaveLength(5000);
  });

  test('what is cleared during a move does not come back', async () => {
    const retained = new RetainedStore(store, 'ram');
    fill(retained, 10_000);
    const moved = retained.keepOn('disc');
    await new Promise(setImmediate);
    const cleared = retained.clear();
    retained.put(message('after', '1'));
    await Promise.all([moved, cleared]);
    expect(contentOf(await restart('disc'))).toEqual(['after=1']);
  });

  test('of two records of a topic, as clearing may leave them when the broker is killed, the later one counts', async () => {
    const records = store.collection<Retained>('retained');
    records.put(1, message('a', 'old'));
    records.put(2, message('b', 'old'));
    records.put(3, message('a', 'new', 10));
    let retained = await restart('disc');
    expect(contentOf(retained)).toEqual(['a=new', 'b=old']);
    expect(retained.mortalCount).toBe(1);
    retained.remove('a');
    retained = await restart('disc');
    expect(contentOf(retained)).toEqual(['b=old']);
  });

  test('without a data folder there is only memory', async () => {
    const retained = new RetainedStore(memoryStore(), 'disc');
    retained.put(message('a'));
    expect(retained.durable).toBe(false);
    await retained.keepOn('ram');
    await retained.keepOn('disc');
    expect(retained.size).toBe(1);
    await retained.clear();
    expect(retained.size).toBe(0);
  });
});

describe('thousands of messages', () => {
  const MANY = 30_000;

  test('are moved and cleared in slices', async () => {
    const retained = new RetainedStore(store, 'ram');
    fill(retained, MANY);
    expect(await turnsDuring(retained.keepOn('disc'))).toBeGreaterThan(MANY / 4000);
    expect(await turnsDuring(retained.keepOn('ram'))).toBeGreaterThan(MANY / 4000);
    await retained.keepOn('disc');
    const clearing = retained.clear();
    expect(retained.size).toBe(0); // at once
    expect(await turnsDuring(clearing)).toBeGreaterThan(MANY / 4000);
    expect(onDisc()).toEqual([]);
  }, 30_000);

  test('are removed by a filter in slices', async () => {
    const retained = new RetainedStore(store, 'disc');
    fill(retained, MANY);
    await store.flushed();
    const removing = retained.removeEach(retained.matching('t/+/#'), ({ topic }) => !topic.endsWith('7'));
    expect(await turnsDuring(removing)).toBeGreaterThan(MANY / 4000);
    expect(await removing).toBe(MANY * 0.9);
    expect(retained.size).toBe(MANY / 10);
    expect(onDisc()).toHaveLength(MANY / 10);
  }, 30_000);
});

test('those that expire one day are counted', () => {
  const retained = new RetainedStore(store, 'ram');
  retained.put(message('a', '1', 10));
  retained.put(message('b', '1', 10));
  retained.put(message('c'));
  retained.put(message('a'));
  expect(retained.mortalCount).toBe(1);
  retained.remove('b');
  expect(retained.mortalCount).toBe(0);
});
