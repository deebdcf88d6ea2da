/** Where the broker keeps what must outlive it. One store per broker, one named collection per kind of thing. */
export type Key = string | number | readonly (string | number)[];

export interface Range {
  start?: Key; // inclusive
  end?: Key; // exclusive
  limit?: number;
  reverse?: boolean; // from `end` down to `start`; the bounds keep their meaning
}

export interface Entry<T> {
  key: Key;
  value: T;
}

/**
 * A write is seen by every later read at once, and reaches the disk with its group, at most 10 ms later.
 * Who promises something to a peer or an operator waits for `Store.flushed()` first, never once per record.
 * A key may take up to 1,900 bytes.
 */
export interface Collection<T> {
  get(key: Key): T | undefined;
  has(key: Key): boolean;
  put(key: Key, value: T): void;
  remove(key: Key): void;
  /** Ordered by key: numbers before strings, arrays element by element. */
  range(range?: Range): Iterable<Entry<T>>;
  count(): number;
  clear(): void;
}

export interface CollectionOptions {
  /** Schema version of the values; a stored older one is handed to `migrate`, a newer one refuses to open. */
  version?: number;
  /** Turns a value of version `from` into one of `version`. Without it the old values are refused. */
  migrate?: (value: unknown, from: number, key: Key) => unknown;
}

/** Takes part in every group of writes: what it keeps back until the last moment may still be called off for free. */
export interface GroupMember {
  /** The group is about to be written: put and remove what it should hold. */
  prepare(): void;
  /** The group is on disk. */
  committed(): void;
}

/** The disk takes nothing at present; what was to be written is tried again. */
export class StoreUnwritable extends Error {}

export interface Store {
  /** The folder, or null for a store in memory. */
  readonly folder: string | null;
  /** The same name gives the same collection. */
  collection<T>(name: string, options?: CollectionOptions): Collection<T>;
  /** The function it returns asks for a group; any number of calls before that group count as one. */
  joinGroups(member: GroupMember): () => void;
  /** Settles when everything written before the call is on disk; rejects with `StoreUnwritable` when the disk refused it. */
  flushed(): Promise<void>;
  /** Why nothing can be written at present, a full disk as a rule; null when all is well. */
  readonly trouble: Error | null;
  /** Told of each failed group and, with null, of the first that succeeds again. */
  onTrouble(listener: (trouble: Error | null) => void): void;
  /** Told of each record that is damaged and therefore gone; also of those found before somebody listened. */
  onDamage(listener: (collection: string, key: Key) => void): void;
  close(): Promise<void>;
}
