import { pack, unpack } from 'msgpackr';
import type { Collection, CollectionOptions, Entry, GroupMember, Key, Range, Store } from './store.ts';

/** A store that forgets: same order and same copies as the one on disk, for tests and for `--data off`. */
export function memoryStore(): Store {
  const collections = new Map<string, Collection<unknown>>();
  const groups: { member: GroupMember; asked: boolean }[] = [];
  return {
    folder: null,
    collection<T>(name: string, _options?: CollectionOptions): Collection<T> {
      const found = collections.get(name) ?? new MemoryCollection<unknown>();
      collections.set(name, found);
      return found as Collection<T>;
    },
    joinGroups(member: GroupMember) {
      const group = { member, asked: false };
      groups.push(group);
      return () => {
        if (group.asked) return;
        group.asked = true;
        setImmediate(commit, group);
      };
    },
    async flushed() {
      for (const group of groups) commit(group);
    },
    trouble: null,
    onTrouble: () => undefined, // memory never refuses …
    onDamage: () => undefined, // … and never lies
    close: () => Promise.resolve(),
  };
}

function commit(group: { member: GroupMember; asked: boolean }): void {
  if (!group.asked) return;
  group.asked = false;
  group.member.prepare();
  group.member.committed();
}

class MemoryCollection<T> implements Collection<T> {
  private readonly rows = new Map<string, { key: Key; packed: Buffer }>();
  private last: Key | undefined; // the key that was added last
  private ascending = true; // each key was added behind all others: the rows need no sorting

  get(key: Key): T | undefined {
    const row = this.rows.get(text(key));
    return row && (unpack(row.packed) as T);
  }

  has(key: Key): boolean {
    return this.rows.has(text(key));
  }

  put(key: Key, value: T): void {
    const name = text(key);
    if (!this.rows.has(name)) {
      if (this.last !== undefined && compareKeys(this.last, key) > 0) this.ascending = false;
      this.last = key;
    }
    this.rows.set(name, { key, packed: Buffer.from(pack(value)) });
  }

  remove(key: Key): void {
    this.rows.delete(text(key));
  }

  *range({ start, end, limit = Number.POSITIVE_INFINITY, reverse = false }: Range = {}): Generator<Entry<T>> {
    const rows = [...this.rows.values()].filter(
      ({ key }) =>
        (start === undefined || compareKeys(key, start) >= 0) &&
        (end === undefined || compareKeys(key, end) < 0),
    );
    if (!this.ascending) rows.sort((a, b) => compareKeys(a.key, b.key));
    if (reverse) rows.reverse();
    for (const { key, packed } of rows.slice(0, limit)) yield { key, value: unpack(packed) as T };
  }

  count(): number {
    return this.rows.size;
  }

  clear(): void {
    this.rows.clear();
    this.last = undefined;
    this.ascending = true;
  }
}

const text = (key: Key): string => JSON.stringify(key);

/** The order of the store on disk: numbers, then strings by code unit, arrays by their elements. */
export function compareKeys(a: Key, b: Key): number {
  const left = Array.isArray(a) ? a : [a];
  const right = Array.isArray(b) ? b : [b];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const x = left[i];
    const y = right[i];
    if (x === y) continue;
    if (typeof x !== typeof y) return typeof x === 'number' ? -1 : 1;
    return x < y ? -1 : 1;
  }
  return left.length - right.length;
}
