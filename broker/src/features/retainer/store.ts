import type { Properties, QoS } from '@mqdeck/mqtt/packets';
import type { Collection, Store } from '../../core/store/store.ts';
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

/** With its number in the collection, because a topic may be longer than a key. */
interface Kept {
  readonly number: number;
  readonly retained: Retained;
}

/** Keeps the retained messages: in memory, where they are found, and in the store of a broker that has a data folder. */
export class RetainedStore {
  private readonly tree = new TopicTree<Kept>();
  private readonly collection: Collection<Retained> | null;
  private readonly store: Store;
  private lastNumber = 0;

  constructor(store: Store) {
    this.store = store;
    this.collection = store.folder === null ? null : store.collection('retained');
    for (const { key, value } of this.collection?.range() ?? []) {
      const number = key as number;
      this.lastNumber = Math.max(this.lastNumber, number);
      // The store hands out views of a whole record
      this.tree.set(value.topic, { number, retained: { ...value, payload: new Uint8Array(value.payload) } });
    }
  }

  get size(): number {
    return this.tree.size;
  }

  /** Whether what is kept outlives the broker. */
  get durable(): boolean {
    return this.collection !== null;
  }

  get(topic: string): Retained | undefined {
    return this.tree.get(topic)?.retained;
  }

  put(retained: Retained): void {
    const number = this.tree.get(retained.topic)?.number ?? ++this.lastNumber;
    this.tree.set(retained.topic, { number, retained });
    this.collection?.put(number, retained);
  }

  /** False when there was none. */
  remove(topic: string): boolean {
    const kept = this.tree.get(topic);
    if (!kept) return false;
    this.tree.delete(topic);
    this.collection?.remove(kept.number);
    return true;
  }

  clear(): void {
    this.tree.clear();
    this.collection?.clear();
  }

  /** As `TopicTree.matching`: `undefined` wherever the walk only comes past. */
  *matching(filter: string): Generator<Retained | undefined> {
    for (const kept of this.tree.matching(filter)) yield kept?.retained;
  }

  *all(): Generator<Retained | undefined> {
    for (const kept of this.tree.values()) yield kept?.retained;
  }

  flushed(): Promise<void> {
    return this.store.flushed();
  }
}
