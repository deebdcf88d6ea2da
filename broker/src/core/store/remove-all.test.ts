import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { memoryStore } from './memory-store.ts';
import { REMOVED_AT_ONCE, removeAll } from './remove-all.ts';

test('many records are removed a thousand in a turn of the event loop, and only those of the range', async () => {
  const store = memoryStore();
  const rows = store.collection<number>('rows');
  for (let i = 0; i < 10_500; i++) rows.put([i < 500 ? 'kept' : 'removed', i], i);
  const { remove } = rows;
  let inTurn = 0;
  let most = 0;
  rows.remove = (key) => {
    most = Math.max(most, ++inTurn);
    remove.call(rows, key);
  };
  let ended = false;
  let slices = 0;
  const range = { start: ['removed'], end: ['removee'], onRemoved: () => slices++ };
  const whenDone = removeAll(store, rows, range).then(() => {
    ended = true;
  });
  while (!ended) {
    inTurn = 0;
    await setImmediate();
  }
  await whenDone;
  expect(most).toBe(REMOVED_AT_ONCE);
  expect([slices, rows.count()]).toEqual([10, 500]);
});
