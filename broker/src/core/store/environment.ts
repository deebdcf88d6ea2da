import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { type Database, open, type RootDatabase } from 'lmdb';
import { pack, RESERVE_START_SPACE, unpack } from 'msgpackr';
import { checkStoreFile, damaged, StoreError } from './check-file.ts';
import { compareKeys } from './memory-store.ts';
import {
  type Collection,
  type CollectionOptions,
  type Entry,
  type GroupMember,
  type Key,
  type Range,
  type Store,
  StoreUnwritable,
} from './store.ts';

const GROUP_EVERY_MS = 10; // the longest that a write waits for company; none when the latest group is older
const RETRY_DELAY_MS = 1000; // how often a store in trouble looks for free space …
const RETRY_ANYWAY_MS = 60_000; // … and tries again even when it sees none: LMDB prints each failure itself
const FREE_BYTES = 256 * 1024; // of the disk, beside what waits: LMDB writes whole pages, and the path to them
const MAP_SIZE_BYTES = 64 * 1024 ** 3; // address space, not disk: LMDB cannot grow a map cheaply
const KEY_BYTES_MAX = 1900; // LMDB takes 1,978 with 4 KiB pages; the rest is its own encoding
const REMOVED = Symbol('removed');
const SEALED = 0xc1; // begins a record with a checksum; MessagePack itself never uses this byte
const SEAL_BYTES = 5;

interface Change {
  key: Key;
  packed: Buffer | typeof REMOVED;
}

type Pending = Map<string, Change>;

/** Opens the one LMDB environment of a data folder, which is created when it is not there. */
export function openStore(dataFolder: string): Store {
  mkdirSync(dataFolder, { recursive: true });
  const file = join(dataFolder, 'store');
  checkStoreFile(file);
  try {
    return new LmdbStore(dataFolder, file);
  } catch (cause) {
    throw damaged(file, `cannot be opened (${cause instanceof Error ? cause.message : cause})`, cause);
  }
}

/** Keeps the write groups: `waiting` fills up while `writing` is on its way to the disk, one at a time. */
class LmdbStore implements Store {
  readonly folder: string;
  private readonly environment: RootDatabase<Buffer>;
  private readonly versions: Database<number, string>;
  private readonly collections = new Map<string, LmdbCollection<unknown>>();
  private readonly members: { member: GroupMember; asked: boolean }[] = [];
  /** Those whose group is not on disk yet. */
  private readonly unsettled = new Set<GroupMember>();
  private timer: NodeJS.Timeout | null = null;
  private writing: Promise<void> | null = null;
  private failure: Error | null = null;
  private failedAt = 0; // when the disk refused a group, by performance.now()
  private readonly listeners: ((trouble: Error | null) => void)[] = [];
  /** Records that could not be read, until somebody listens. */
  private unheard: [collection: string, key: Key][] = [];
  private damageListener: ((collection: string, key: Key) => void) | null = null;
  private closed = false;
  private written = Number.NEGATIVE_INFINITY; // when the latest group was, by performance.now()

  constructor(folder: string, path: string) {
    this.folder = folder;
    this.environment = open<Buffer>({
      path,
      encoding: 'binary',
      mapSize: MAP_SIZE_BYTES,
      maxDbs: 64,
      // With either, lmdb makes promises of its own that reject where nobody can catch them: a full disk would end
      // the process. Groups are made here, and each waits for the one before it, so neither has anything to gain.
      eventTurnBatching: false,
      overlappingSync: false,
    });
    this.versions = this.environment.openDB<number, string>({ name: 'schema', encoding: 'msgpack' });
  }

  collection<T>(name: string, options: CollectionOptions = {}): Collection<T> {
    let found = this.collections.get(name);
    if (!found) {
      const database = this.environment.openDB<Buffer, string>({ name, encoding: 'binary' });
      this.upgrade(name, database, options);
      found = new LmdbCollection<unknown>(
        database,
        () => this.schedule(),
        (key) => this.foundDamaged(name, key),
      );
      this.collections.set(name, found);
    }
    return found as unknown as Collection<T>;
  }

  joinGroups(member: GroupMember): () => void {
    const joined = { member, asked: false };
    this.members.push(joined);
    return () => {
      joined.asked = true;
      this.schedule();
    };
  }

  get trouble(): Error | null {
    return this.failure;
  }

  onTrouble(listener: (trouble: Error | null) => void): void {
    this.listeners.push(listener);
  }

  onDamage(listener: (collection: string, key: Key) => void): void {
    this.damageListener = listener;
    for (const [collection, key] of this.unheard) listener(collection, key);
    this.unheard = [];
  }

  private foundDamaged(collection: string, key: Key): void {
    if (this.damageListener) this.damageListener(collection, key);
    else this.unheard.push([collection, key]);
  }

  async flushed(): Promise<void> {
    while (this.writing) await this.writing;
    if (this.timer) {
      clearTimeout(this.timer);
      this.timer = null;
      this.commit();
      await this.writing;
    }
    if (this.failure) throw this.failure;
  }

  async close(): Promise<void> {
    try {
      await this.flushed();
    } finally {
      if (this.timer) clearTimeout(this.timer);
      this.closed = true;
      await this.environment.close();
    }
  }

  private upgrade(
    name: string,
    database: Database<Buffer, string>,
    { version = 1, migrate }: CollectionOptions,
  ): void {
    const stored = this.versions.get(name);
    if (stored === version) return;
    if (stored !== undefined && stored > version)
      throw new StoreError(
        `The stored "${name}" was written by a newer release (${stored}, this one knows ${version})`,
      );
    if (stored !== undefined && !migrate)
      throw new StoreError(
        `The stored "${name}" has version ${stored}, and nothing turns it into ${version}`,
      );
    this.environment.transactionSync(() => {
      if (stored !== undefined && migrate)
        for (const { key, value } of [...database.getRange()]) {
          const record = unsealed(value, key as Key);
          if (record) database.put(key, sealed(migrate(record.value, stored, key as Key), key as Key));
        }
      this.versions.put(name, version);
    });
  }

  private schedule(): void {
    if (this.timer || this.writing || this.closed) return; // what comes while a group is being written goes with the next one
    const delay = this.failure ? RETRY_DELAY_MS : this.written + GROUP_EVERY_MS - performance.now();
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.commit();
      },
      Math.max(0, delay),
    );
  }

  private commit(): void {
    if (this.failure && !this.mayWork()) {
      this.schedule();
      return;
    }
    const asked = this.members.filter((joined) => joined.asked);
    for (const joined of asked) {
      joined.asked = false;
      joined.member.prepare();
    }
    for (const joined of asked) this.unsettled.add(joined.member);
    const dirty = [...this.collections.values()].filter((collection) => collection.dirty);
    // Now, not when LMDB begins: what comes in between may belong to something that is not in this group
    for (const collection of dirty) collection.begin();
    // Set by what the members wrote just now, which is in this group: two groups at a time would be told as one
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
    const written = dirty.length === 0 ? Promise.resolve() : this.write(dirty);
    this.writing = written
      .then(
        () => {
          for (const collection of dirty) collection.written();
          if (dirty.length > 0) this.tell(null);
          const settled = [...this.unsettled];
          this.unsettled.clear();
          for (const member of settled) member.committed();
        },
        (cause: unknown) => {
          // A full disk, as a rule. What was promised waits on, and `flushed` says so aloud.
          for (const collection of dirty) collection.again();
          this.failedAt = performance.now();
          this.tell(new StoreUnwritable('The store could not be written', { cause }));
        },
      )
      .finally(() => {
        this.writing = null;
        this.written = performance.now();
        if (this.waits()) this.schedule();
      });
  }

  private async write(dirty: LmdbCollection<unknown>[]): Promise<void> {
    try {
      await this.environment.transaction(() => {
        for (const collection of dirty) collection.write();
      });
    } catch (cause) {
      // The reason of a refused commit comes as a promise that rejects: unheard, it would end the process.
      if (cause instanceof Error && 'commitError' in cause)
        await Promise.race([cause.commitError, sleep(RETRY_DELAY_MS, undefined, { ref: false })]);
      throw cause;
    }
  }

  /** Whether there is a point in trying again after a failure. */
  private mayWork(): boolean {
    if (performance.now() - this.failedAt >= RETRY_ANYWAY_MS) return true;
    let wanted = FREE_BYTES;
    for (const collection of this.collections.values()) wanted += collection.waitingBytes();
    try {
      const { bavail, bsize } = statfsSync(this.folder);
      return bavail * bsize > wanted;
    } catch {
      return true; // without the folder, LMDB knows better what is wrong
    }
  }

  private tell(trouble: Error | null): void {
    if (trouble === null && this.failure === null) return;
    this.failure = trouble;
    for (const listener of this.listeners) listener(trouble);
  }

  private waits(): boolean {
    for (const collection of this.collections.values()) if (collection.dirty) return true;
    return this.members.some((joined) => joined.asked);
  }
}

class LmdbCollection<T> implements Collection<T> {
  private readonly database: Database<Buffer, string>;
  private readonly schedule: () => void;
  private readonly foundDamaged: (key: Key) => void;
  private waiting: Pending = new Map();
  private writing: Pending = new Map();
  /** What waits or is being written, by the first part of its key; made by the first range that asks for it. */
  private byFirstPart: Map<string | number, Pending> | null = null;

  constructor(database: Database<Buffer, string>, schedule: () => void, foundDamaged: (key: Key) => void) {
    this.database = database;
    this.schedule = schedule;
    this.foundDamaged = foundDamaged;
  }

  get dirty(): boolean {
    return this.waiting.size > 0;
  }

  waitingBytes(): number {
    let bytes = 0;
    for (const { packed } of this.waiting.values()) if (packed !== REMOVED) bytes += packed.length;
    return bytes;
  }

  get(key: Key): T | undefined {
    const pending = this.pending(key);
    const packed = pending ? pending.packed : this.database.get(key as string);
    return packed === undefined || packed === REMOVED ? undefined : this.read(key, packed)?.value;
  }

  has(key: Key): boolean {
    const pending = this.pending(key);
    return pending ? pending.packed !== REMOVED : this.database.doesExist(key as string);
  }

  put(key: Key, value: T): void {
    this.change(key, sealed(value, key));
  }

  remove(key: Key): void {
    this.change(key, REMOVED);
  }

  /** What is on disk is believed only when its checksum agrees; a damaged record is as if it had never been. */
  private read(key: Key, packed: Buffer): Entry<T> | undefined {
    const record = unsealed(packed, key);
    if (record) return { key, value: record.value as T };
    this.remove(key);
    this.foundDamaged(key);
    return undefined;
  }

  *range({ start, end, limit = Number.POSITIVE_INFINITY, reverse = false }: Range = {}): Generator<Entry<T>> {
    const sign = reverse ? -1 : 1;
    const changed = this.changesWithin(start, end).sort((a, b) => sign * compareKeys(a.key, b.key));
    let next = 0;
    let left = limit;
    const stored = this.database.getRange({
      ...(reverse ? {} : { start: start as string, end: end as string }),
      reverse,
      // LMDB's own bounds change sides when it walks backwards; here they keep their meaning.
      ...(reverse
        ? { start: end as string, end: start as string, inclusiveEnd: true, exclusiveStart: true }
        : {}),
      snapshot: false,
    });
    for (const { key, value } of stored) {
      while (next < changed.length && sign * compareKeys(changed[next]!.key, key as Key) < 0) {
        const own = this.entry(changed[next++]!);
        if (own === undefined) continue;
        if (left-- <= 0) return;
        yield own;
      }
      const replaced = next < changed.length && compareKeys(changed[next]!.key, key as Key) === 0;
      const found = replaced ? this.entry(changed[next++]!) : this.read(key as Key, value);
      if (found === undefined) continue;
      if (left-- <= 0) return;
      yield found;
    }
    for (; next < changed.length; next++) {
      const own = this.entry(changed[next]!);
      if (own === undefined) continue;
      if (left-- <= 0) return;
      yield own;
    }
  }

  private changesWithin(start: Key | undefined, end: Key | undefined): Change[] {
    const pending = this.pendingOf(start, end);
    const found: Change[] = [];
    for (const changes of pending)
      for (const [name, change] of changes) {
        if (start !== undefined && compareKeys(change.key, start) < 0) continue;
        if (end !== undefined && compareKeys(change.key, end) >= 0) continue;
        if (changes === this.writing && this.waiting.has(name)) continue; // changed again since
        found.push(change);
      }
    return found;
  }

  /** All that is pending, or of keys `[n, …]` no more than those that begin alike. */
  private pendingOf(start: Key | undefined, end: Key | undefined): Pending[] {
    const first = firstPart(start);
    const last = firstPart(end);
    const upToNext = typeof first === 'number' && last === first + 1 && (end as readonly Key[]).length === 1;
    const alone = typeof start === 'object' && first !== undefined && (last === first || upToNext);
    if (!alone) return [this.writing, this.waiting];
    if (this.byFirstPart === null) {
      this.byFirstPart = new Map();
      for (const changes of [this.writing, this.waiting])
        for (const [name, change] of changes) enter(this.byFirstPart, name, change);
    }
    const own = this.byFirstPart.get(first);
    return own ? [own] : [];
  }

  private entry({ key, packed }: Change): Entry<T> | undefined {
    return packed === REMOVED ? undefined : this.read(key, packed);
  }

  count(): number {
    let count = (this.database.getStats() as { entryCount: number }).entryCount;
    for (const { key, packed } of new Map([...this.writing, ...this.waiting]).values()) {
      const stored = this.database.doesExist(key as string);
      if (packed === REMOVED && stored) count--;
      if (packed !== REMOVED && !stored) count++;
    }
    return count;
  }

  clear(): void {
    for (const { key } of this.range()) this.remove(key);
  }

  /** What waits now, and nothing later, is the group's. */
  begin(): void {
    this.writing = this.waiting;
    this.waiting = new Map();
  }

  /** Called inside the group's transaction. */
  write(): void {
    for (const { key, packed } of this.writing.values()) {
      if (packed === REMOVED) this.database.remove(key as string);
      else this.database.put(key as string, packed);
    }
  }

  written(): void {
    this.writing = new Map();
    this.byFirstPart = null;
  }

  /** The group failed: what has not been replaced since goes with the next one. */
  again(): void {
    this.waiting = new Map([...this.writing, ...this.waiting]);
    this.writing = new Map();
  }

  private pending(key: Key) {
    if (this.waiting.size === 0 && this.writing.size === 0) return undefined;
    const name = nameOf(key);
    return this.waiting.get(name) ?? this.writing.get(name);
  }

  private change(key: Key, packed: Buffer | typeof REMOVED): void {
    const name = nameOf(key);
    const change: Change = { key, packed };
    this.waiting.set(name, change);
    if (this.byFirstPart !== null) enter(this.byFirstPart, name, change);
    this.schedule();
  }
}

const firstPart = (key: Key | undefined) => (typeof key === 'object' ? key[0] : key);

function enter(byFirstPart: Map<string | number, Pending>, name: string, change: Change): void {
  const first = firstPart(change.key)!;
  const known = byFirstPart.get(first);
  if (known) known.set(name, change);
  else byFirstPart.set(first, new Map([[name, change]]));
}

/** The key as text, by which records that wait are known. */
function nameOf(key: Key): string {
  // Most are numbers, for which JSON would take its time
  if (typeof key === 'number') return `${key}`;
  if (typeof key !== 'string' && key.length === 2 && typeof key[0] === 'number' && typeof key[1] === 'number')
    return `${key[0]},${key[1]}`;
  const name = JSON.stringify(key);
  if (name.length > KEY_BYTES_MAX / 3 && Buffer.byteLength(name) > KEY_BYTES_MAX)
    throw new RangeError('A key of the store may take up to 1,900 bytes');
  return name;
}

/** A record: the mark, a checksum of key and value (LMDB has none of its own), the value. */
function sealed(value: unknown, key: Key): Buffer {
  const record = pack(value, RESERVE_START_SPACE + SEAL_BYTES);
  record[0] = SEALED;
  record.writeUInt32BE(checksum(record, key), 1);
  return record;
}

/** Undefined when it is damaged. Without the mark it is of a release that knew no checksums. */
function unsealed(record: Buffer, key: Key): { value: unknown } | undefined {
  try {
    if (record[0] !== SEALED) return { value: unpack(record) };
    if (record.readUInt32BE(1) !== checksum(record, key)) return undefined;
    return { value: unpack(record.subarray(SEAL_BYTES)) };
  } catch {
    return undefined; // too short, or no MessagePack
  }
}

const checksum = (record: Buffer, key: Key): number => crc32(record.subarray(SEAL_BYTES), keySum(key));

function keySum(key: Key): number {
  if (typeof key === 'number') return key >>> 0;
  if (typeof key === 'string') return crc32(key);
  return key.reduce<number>((sum, part) => (Math.imul(sum, 0x01000193) ^ keySum(part)) >>> 0, 1);
}
