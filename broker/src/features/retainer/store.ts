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
  /** In the collection, because a topic may be longer than a key. */
  readonly number: number;
  /** Whether the collection has it. */
  onDisc: boolean;

  constructor(retained: Retained, number: number, onDisc: boolean) {
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
    this.onDisc = onDisc;
  }

  /** What the collection has of it. */
  get record(): Retained {
    const { number: _, onDisc: __, ...record } = this;
    return record;
  }
}

/** So many changes of a long run make one group of the store: written in some ten milliseconds, and never all at once. */
const RUN_GROUP = 4000;

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
  private mortals = 0;

  constructor(store: Store, storage: Storage) {
    this.store = store;
    this.storage = storage;
    this.collection = store.folder === null ? null : store.collection('retained');
    if (storage === 'disc') this.load();
    else if (this.collection) this.moving = this.forget(this.collection).catch(() => undefined); // they are not read again
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
    const kept = new Kept(retained, before?.number ?? ++this.lastNumber, before?.onDisc ?? false);
    this.tree.set(retained.topic, kept);
    if (before) this.count(before, -1);
    this.count(retained, 1);
    if (this.durable) this.write(kept);
    else this.unwrite(kept);
  }

  /** False when there was none. */
  remove(topic: string): boolean {
    const kept = this.tree.get(topic);
    if (!kept) return false;
    this.tree.delete(topic);
    this.count(kept, -1);
    this.unwrite(kept);
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
    if (this.collection) await this.run(tree.values(), (kept) => this.unwrite(kept));
    await this.store.flushed();
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
      const retained = { ...value, payload: new Uint8Array(value.payload) };
      this.tree.set(value.topic, new Kept(retained, number, true));
      this.count(retained, 1);
    }
  }

  private count({ expiresAt }: Retained, by: 1 | -1): void {
    if (expiresAt !== 0) this.mortals += by;
  }

  /** What a broker that was told to keep messages in memory finds on disk: a move that did not come to its end. */
  private async forget(collection: Collection<Retained>): Promise<void> {
    for (const { key } of collection.range({ reverse: true, limit: 1 })) this.lastNumber = key as number;
    for (;;) {
      const some = [...collection.range({ end: this.lastNumber + 1, limit: 500 })];
      if (some.length === 0) return;
      for (const { key } of some) collection.remove(key);
      await this.store.flushed();
    }
  }

  private async move(storage: Storage): Promise<void> {
    if (this.storage === storage && this.settled) return;
    this.storage = storage;
    this.settled = false;
    await this.run(this.tree.values(), (kept) => {
      if (!this.durable) return this.unwrite(kept);
      // One that was removed meanwhile must not come back with the next start
      return !kept.onDisc && this.tree.get(kept.topic) === kept && this.write(kept);
    });
    await this.store.flushed();
    this.settled = true;
  }

  private write(kept: Kept): boolean {
    this.collection?.put(kept.number, kept.record);
    kept.onDisc = true;
    return true;
  }

  private unwrite(kept: Kept): boolean {
    if (!kept.onDisc) return false;
    this.collection?.remove(kept.number);
    kept.onDisc = false;
    return true;
  }

  /** A long run: everybody else has a turn every few milliseconds, and the disk keeps pace. Tells how often it acted. */
  private async run<T>(found: Iterable<T | undefined>, act: (one: T) => boolean): Promise<number> {
    const turn = new Turn();
    let acted = 0;
    for (const one of found) {
      if (turn.over) await turn.next();
      if (one === undefined || !act(one)) continue;
      acted++;
      if (acted % RUN_GROUP === 0 && this.collection) await this.store.flushed();
    }
    return acted;
  }
}
