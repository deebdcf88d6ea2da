import { expect, test } from 'vitest';
import { FairQueue } from './fair-queue.ts';

function open(options: { lanes?: number; waitingMax?: number; waitingPerKeyMax?: number } = {}) {
  const { lanes = 1, waitingMax = 1000, waitingPerKeyMax = 100 } = options;
  const queue = new FairQueue({ lanes, waitingMax, waitingPerKeyMax, onFull: () => new Error('full') });
  const started: string[] = [];
  const results: Promise<unknown>[] = [];
  const add = (key: string) => {
    const result = queue.run(key, async () => void started.push(key));
    results.push(result);
    return result;
  };
  return { queue, started, add, settled: () => Promise.allSettled(results) };
}

test('a key that comes last is served next, whatever 150 others still have', async () => {
  const { add, started, settled } = open();
  const flooded = Array.from({ length: 1000 }, (_, i) => add(`flood-${i % 150}`));
  await flooded[149];
  await flooded[150]; // each of the 150 was served once
  const before = started.length;
  await add('honest');
  expect(started.length - before).toBeLessThanOrEqual(2);
  await settled();
  expect(started).toHaveLength(1001);
});

test('keys with as many runs are served in the order in which they came', async () => {
  const { add, started, settled } = open();
  for (const key of ['a', 'a', 'a', 'b', 'c', 'b']) void add(key);
  await settled();
  expect(started).toEqual(['a', 'b', 'c', 'a', 'b', 'a']);
});

test('a key that was trusted comes before keys that never ran, until it has run again', async () => {
  const { queue, add, started, settled } = open();
  await add('honest');
  queue.trust('honest');
  for (const key of ['a', 'b', 'a', 'honest', 'honest', 'c']) void add(key);
  await settled();
  expect(started).toEqual(['honest', 'a', 'honest', 'b', 'c', 'a', 'honest']);
});

test('as many tasks run at a time as there are lanes, also after one of them failed', async () => {
  const { queue } = open({ lanes: 2 });
  let running = 0;
  let most = 0;
  const task = async () => {
    most = Math.max(most, ++running);
    await null;
    running--;
    throw new Error('failed');
  };
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, i) => queue.run(String(i % 3), task)),
  );
  expect(most).toBe(2);
  expect(results.map((result) => result.status === 'rejected' && result.reason.message)).toEqual(
    Array(20).fill('failed'),
  );
});

test('a key may wait with so many tasks', async () => {
  const { add, settled, started } = open({ waitingPerKeyMax: 10 });
  for (let i = 0; i < 30; i++) add('a').catch(() => undefined);
  const refused = (await settled()).filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(30 - 11);
  expect(started).toHaveLength(11);
});

test('a full queue takes a task of a key that has few, and drops one of the key that has the most', async () => {
  const { add, settled, started } = open({ waitingMax: 10 });
  const flooded = Array.from({ length: 11 }, () => add('a'));
  const honest = add('b');
  const late = add('a');
  await expect(flooded[10]).rejects.toThrow('full');
  await expect(late).rejects.toThrow('full');
  await honest;
  await settled();
  expect(started).toEqual(['a', 'b', ...Array(9).fill('a')]);
});
