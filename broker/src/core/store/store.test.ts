import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openStore } from './environment.ts';
import { memoryStore } from './memory-store.ts';
import type { Store } from './store.ts';

const folder = mkdtempSync(join(tmpdir(), 'store-'));
afterAll(() => rmSync(folder, { recursive: true }));
let next = 0;
const kinds: [string, () => Store][] = [
  ['in memory', memoryStore],
  ['on disk', () => openStore(join(folder, `${next++}`))],
];

describe.each(kinds)('a store %s', (_kind, open) => {
  test('shows a write to every later read, before and after it is on disk', async () => {
    const store = open();
    const users = store.collection<{ name: string }>('users');
    users.put('a', { name: 'Ada' });
    expect(users.get('a')).toEqual({ name: 'Ada' });
    await store.flushed();
    expect(users.get('a')).toEqual({ name: 'Ada' });
    users.put('a', { name: 'Bob' });
    expect(users.get('a')).toEqual({ name: 'Bob' });
    users.remove('a');
    expect(users.get('a')).toBeUndefined();
    expect(users.has('a')).toBe(false);
    await store.flushed();
    expect(users.get('a')).toBeUndefined();
    await store.close();
  });

  test('walks a range in key order, written and unwritten alike, both ways', async () => {
    const store = open();
    const rows = store.collection<number>('rows');
    for (const i of [5, 1, 3, 9]) rows.put(['a', i], i);
    await store.flushed();
    for (const i of [4, 2]) rows.put(['a', i], i);
    rows.remove(['a', 3]);
    rows.put(['b', 1], 100);
    const values = (range: Parameters<typeof rows.range>[0]) =>
      [...rows.range(range)].map(({ value }) => value);
    expect(values({})).toEqual([1, 2, 4, 5, 9, 100]);
    expect(values({ start: ['a', 2], end: ['a', 9] })).toEqual([2, 4, 5]);
    expect(values({ start: ['a', 2], end: ['a', 9], reverse: true })).toEqual([5, 4, 2]);
    expect(values({ start: ['a'], end: ['b'], limit: 3 })).toEqual([1, 2, 4]);
    expect(rows.count()).toBe(6);
    rows.clear();
    expect(values({})).toEqual([]);
    expect(rows.count()).toBe(0);
    await store.close();
  });

  test('walks the rows of one owner, whatever of them is still to be written', async () => {
    const store = open();
    const rows = store.collection<number>('rows');
    const of = (owner: number, from = 0) =>
      [...rows.range({ start: from === 0 ? [owner] : [owner, from], end: [owner + 1] })].map(
        ({ value }) => value,
      );
    for (const owner of [1, 2, 3]) for (const i of [1, 2]) rows.put([owner, i], owner * 10 + i);
    expect([of(1), of(2), of(2, 2), of(4)]).toEqual([[11, 12], [21, 22], [22], []]);
    const written = store.flushed();
    rows.remove([2, 1]); // while the rest is being written
    rows.put([2, 3], 23);
    rows.put([4, 1], 41);
    expect([of(1), of(2), of(2, 3), of(4)]).toEqual([[11, 12], [22, 23], [23], [41]]);
    await written;
    rows.put([2, 1], 0);
    expect([of(1), of(2), of(3)]).toEqual([
      [11, 12],
      [0, 22, 23],
      [31, 32],
    ]);
    await store.flushed();
    expect([of(2), of(4)]).toEqual([[0, 22, 23], [41]]);
    await store.close();
  });

  test('keeps its own copy of a value', async () => {
    const store = open();
    const value = { list: [1] };
    const rows = store.collection<typeof value>('rows');
    rows.put(1, value);
    value.list.push(2);
    expect(rows.get(1)).toEqual({ list: [1] });
    await store.close();
  });

  test('tells the members of a group when it is safe', async () => {
    const store = open();
    const rows = store.collection<string>('rows');
    const seen: string[] = [];
    const done = new Promise<void>((resolve) => {
      const ask = store.joinGroups({
        prepare: () => {
          seen.push('prepare');
          rows.put(1, 'late');
        },
        committed: () => {
          seen.push('committed');
          resolve();
        },
      });
      ask();
      ask();
    });
    await done;
    expect(seen).toEqual(['prepare', 'committed']);
    expect(rows.get(1)).toBe('late');
    await store.close();
  });
});

test('what was flushed is there after reopening, and an old schema is migrated', async () => {
  const path = join(folder, 'again');
  const first = openStore(path);
  first.collection<{ full: string }>('people', { version: 1 }).put(7, { full: 'Ada Lovelace' });
  await first.close();

  const second = openStore(path);
  expect(() => second.collection('people', { version: 2 })).toThrow('nothing turns it into 2');
  const people = second.collection<{ name: string }>('people', {
    version: 2,
    migrate: (old) => ({ name: (old as { full: string }).full }),
  });
  expect(people.get(7)).toEqual({ name: 'Ada Lovelace' });
  await second.close();

  const third = openStore(path);
  expect(() => third.collection('people', { version: 1 })).toThrow('newer release');
  await third.close();
});

test('a key that the disk cannot take is refused at once', async () => {
  const store = openStore(join(folder, 'keys'));
  expect(() => store.collection<number>('rows').put('x'.repeat(2000), 1)).toThrow(RangeError);
  await store.close();
});
