import { setImmediate } from 'node:timers/promises';
import type { Collection, Key, Store } from './store.ts';

/** Records that one turn of the event loop, and one group of the store, removes: a few milliseconds. */
export const REMOVED_AT_ONCE = 1000;

interface Options {
  start?: Key; // inclusive
  end?: Key; // exclusive
  /** Called with the number of records after each slice, before the slice is on disk. */
  onRemoved?: (count: number) => void;
}

/** Removes the records of a range in slices, with turns for other work in between. Settles when they are gone from disk. */
export async function removeAll<T>(
  store: Store,
  collection: Collection<T>,
  { onRemoved, ...range }: Options = {},
): Promise<void> {
  for (;;) {
    const slice = [...collection.range({ ...range, limit: REMOVED_AT_ONCE })];
    if (slice.length === 0) return;
    for (const { key } of slice) collection.remove(key);
    onRemoved?.(slice.length);
    await store.flushed();
    await setImmediate();
  }
}
