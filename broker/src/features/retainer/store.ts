import type { Properties, QoS } from '@mqdeck/mqtt/packets';
import type { Collection, Store } from '../../core/store/store.ts';
import { Turn } from '../../paging/turn.ts';
import { TopicTree } from './topic-tree.ts';

/** The last retained message of a topic. */
export interface Retained {
  readonly id: string;
  readonly topic: string;
  readonly qos: QoS;
  readonly payload: Uint8Array;
  readonly properties: Properties;
  readonly from: string; // the publisher's client id
  readonly username: string | null;
  readonly timestamp: number; // epoch ms
  readonly expiresAt: number; // epoch ms, 0 = never
}

/** On disk they outlive the broker; in memory they end with it. They are read from memory either way. */
export type Storage = 'ram' | 'disc';

/** A class, so that all there are have one shape, and nothing around them. */
class Kept implements Retained {
  readonly id: string;
  readonly topic: string;
  readonly qos: QoS;
  readonly payload: Uint8Array;
  readonly properties: Properties;
  readonly from: string;
  readonly username: string | null;
  readonly timestamp: number;
  readonly expiresAt: number;
  /** Its key in the collection, because a topic may be longer than a key; 0 = not there. */
  number: number;

  constructor(retained: Retained, number: number) {
    this.id = retained.id;
    this.topic = retained.topic;
    this.qos = retained.qos;
    this.payload = retained.payload;
    this.properties = retained.properties;
    this.from = retained.from;
    this.username = retained.username;
    this.timestamp = retained.timestamp;
    this.expiresAt = retained.expiresAt;
    this.number = number;
  }

  /** What the collection has of it. */
  get record(): Retained {
    const { number: _, ...record } = this;
    return record;
  }
}

/** So many changes of a long run make one group of the store: written in some ten milliseconds, and never all at once. */
const RUN_GROUP = 4000;
const KEYS_AT_ONCE = 500;
/** Records whose numbers lie so near to each other share a handful of the disk's pages. */
const NEIGHBOURS = 1024;

/** Keeps the retained messages: in memory, where they are found, and on disk as far as they are to be there. */
export class RetainedStore {
  private tree = new TopicTree<Kept>();
  private readonly store: Store;
  private readonly collection: Collection<Retained> | null;
  private storage: Storage;
  /** Whether all there are lie where `storage` says. */
  private settled = true;
  private moving: Promise<void> = Promise.resolve();
  private lastNumber = 0;
  /** Records up to this number have gone from the collection, or are on their way out. */
  private forgotten = 0;
  private mortals = 0;

  constructor(store: Store, storage: Storage) {
    this.store = store;
    this.storage = storage;
    this.collection = store.folder === null ? null : store.collection('retained');
    if (storage === 'disc') this.load();
    else {
      // What is there is of a move that did not come to its end
      for (const { key } of this.collection?.range({ reverse: true, limit: 1 }) ?? [])
        this.lastNumber = key as number;
      this.moving = this.forgetLeftOver().catch(() => undefined); // the next start tries again
    }
  }

  get size(): number {
    return this.tree.size;
  }

  /** How many expire one day. */
  get mortalCount(): number {
    return this.mortals;
  }

  /** Whether what is put now outlives the broker. */
  get durable(): boolean {
    return this.storage === 'disc' && this.collection !== null;
  }

  get(topic: string): Retained | undefined {
    return this.tree.get(topic);
  }

  put(retained: Retained): void {
    const before = this.tree.get(retained.topic);
    const kept = new Kept(retained, before && this.isOnDisc(before) ? before.number : 0);
    this.tree.set(retained.topic, kept);
    if (before) this.count(before, -1);
    this.count(retained, 1);
    if (this.durable) this.write(kept);
    if (before && kept.number !== before.number) this.erase(before);
  }

  /** False when there was none. */
  remove(topic: string): boolean {
    const kept = this.tree.get(topic);
    if (!kept) return false;
    this.tree.delete(topic);
    this.count(kept, -1);
    this.erase(kept);
    return true;
  }

  /** Removes those it is told to, and tells how many; settles when they are gone from disk too. */
  async removeEach(
    found: Iterable<Retained | undefined>,
    which: (retained: Retained) => boolean,
  ): Promise<number> {
    const removed = await this.run(
      found,
      (retained) => which(retained) && this.get(retained.topic) === retained && this.remove(retained.topic),
    );
    await this.store.flushed();
    return removed;
  }

  /** They are gone at once, and when it settles also from disk. */
  async clear(): Promise<void> {
    const { tree } = this;
    this.tree = new TopicTree();
    this.mortals = 0;
    await this.forget(tree);
  }

  /** Where messages are kept from now on; settles when those there are have moved. */
  keepOn(storage: Storage): Promise<void> {
    const moved = this.moving.then(() => this.move(storage));
    this.moving = moved.catch(() => undefined); // whoever asked was told
    return moved;
  }

  /** As `TopicTree.matching`: `undefined` wherever the walk only comes past. */
  matching(filter: string): Generator<Retained | undefined> {
    return this.tree.matching(filter);
  }

  all(): Generator<Retained | undefined> {
    return this.tree.values();
  }

  private load(): void {
    for (const { key, value } of this.collection?.range() ?? []) {
      const number = key as number;
      this.lastNumber = Math.max(this.lastNumber, number);
      // The store hands out views of a whole record
      const kept = new Kept({ ...value, payload: new Uint8Array(value.payload) }, number);
      const older = this.tree.get(kept.topic);
      if (older) {
        // Clearing had not come that far when the broker ended, and the topic had another message already
        this.collection?.remove(older.number);
        this.count(older, -1);
      }
      this.tree.set(kept.topic, kept);
      this.count(kept, 1);
    }
  }

  private count({ expiresAt }: Retained, by: 1 | -1): void {
    if (expiresAt !== 0) this.mortals += by;
  }

  private isOnDisc({ number }: Kept): boolean {
    return number > this.forgotten;
  }

  /** Under a number of its own, the next one, so that a long run writes one page after the other. */
  private write(kept: Kept): boolean {
    if (!this.isOnDisc(kept)) kept.number = ++this.lastNumber;
    this.collection?.put(kept.number, kept.record);
    return true;
  }

  private async move(storage: Storage): Promise<void> {
    if (this.storage === storage && this.settled) return;
    this.storage = storage;
    this.settled = false;
    if (!this.durable) await this.forget(this.tree);
    else {
      // One that was removed meanwhile must not come back with the next start
      await this.run(
        this.tree.values(),
        (kept) => !this.isOnDisc(kept) && this.tree.get(kept.topic) === kept && this.write(kept),
      );
      await this.store.flushed();
    }
    this.settled = true;
  }

  private erase(kept: Kept): void {
    if (kept.number > 0) this.collection?.remove(kept.number);
    kept.number = 0;
  }

  /** Takes records out of the collection, neighbours together: in the order of topics each group would touch all pages. */
  private async forget(tree: TopicTree<Kept>): Promise<void> {
    const last = this.lastNumber;
    this.forgotten = last;
    const neighbours = new Map<number, number[]>();
    await this.run(tree.values(), (kept) => {
      const { number } = kept;
      if (number === 0 || number > last) return false;
      kept.number = 0;
      const place = Math.floor(number / NEIGHBOURS);
      const there = neighbours.get(place);
      if (there) there.push(number);
      else neighbours.set(place, [number]);
      return false;
    });
    const inOrder = [...neighbours].sort(([a], [b]) => a - b);
    await this.removeRecords(numbersOf(inOrder));
  }

  private async forgetLeftOver(): Promise<void> {
    this.forgotten = this.lastNumber;
    if (this.collection) await this.removeRecords(keysOf(this.collection, this.forgotten));
  }

  private async removeRecords(numbers: Iterable<number>): Promise<void> {
    await this.run(numbers, (number) => {
      this.collection?.remove(number);
      return true;
    });
    await this.store.flushed();
  }

  /** A long run: everybody else has a turn every few milliseconds, and the disk keeps pace. Tells how often it acted. */
  private async run<T>(found: Iterable<T | undefined>, act: (one: T) => boolean): Promise<number> {
    const turn = new Turn();
    let acted = 0;
    for (const one of found) {
      if (turn.over) await turn.next();
      if (one === undefined || !act(one)) continue;
      acted++;
      // A disk that refuses a group gets it again; whoever asked for the run hears of it at its end
      if (acted % RUN_GROUP === 0 && this.collection) await this.store.flushed().catch(() => undefined);
    }
    return acted;
  }
}

/** Some at a time: no walk through the collection stays open while others change it. */
function* keysOf(collection: Collection<unknown>, last: number): Generator<number> {
  for (let start = 0; start <= last; ) {
    const some = [...collection.range({ start, end: last + 1, limit: KEYS_AT_ONCE })];
    if (some.length === 0) return;
    for (const { key } of some) {
      start = (key as number) + 1;
      yield key as number;
    }
  }
}

function* numbersOf(neighbours: readonly [place: number, numbers: number[]][]): Generator<number> {
  for (const [, numbers] of neighbours) yield* numbers;
}
