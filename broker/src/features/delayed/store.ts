import type { Properties, QoS } from '@mqdeck/mqtt/packets';
import type { Collection, Entry, Key, Range, Store } from '../../core/store/store.ts';
import { Turn } from '../../paging/turn.ts';

/** A message that waits for its time. */
export interface Delayed {
  readonly topic: string;
  readonly seconds: number;
  readonly dueAt: number; // epoch ms
  readonly publishedAt: number; // epoch ms
  readonly qos: QoS;
  readonly retain: boolean;
  readonly payload: Uint8Array;
  readonly properties: Readonly<Properties>;
  readonly from: string; // the publisher's client id
  readonly username: string | null;
}

/** Where it stands: by time, and those of one time in the order of their arrival. */
type Place = readonly [dueAt: number, number: number];

const CLEAR_GROUP = 2000;
const READ_AT_ONCE = 200;

/** Keeps delayed messages in the order of their time; nothing of one that waits is in memory. */
export class DelayedStore {
  private readonly store: Store;
  private readonly collection: Collection<Delayed>;
  private lastNumber = 0;
  private count: number;

  constructor(store: Store) {
    this.store = store;
    this.collection = store.collection('delayed');
    this.count = this.collection.count();
    for (const { key } of this.collection.range())
      this.lastNumber = Math.max(this.lastNumber, placeOf(key)[1]);
  }

  get size(): number {
    return this.count;
  }

  /** Epoch ms; null when none waits. */
  get nextDue(): number | null {
    for (const { key } of this.collection.range({ limit: 1 })) return placeOf(key)[0];
    return null;
  }

  add(delayed: Delayed): void {
    this.collection.put([delayed.dueAt, ++this.lastNumber], delayed);
    this.count++;
  }

  /** Those whose time has come, `limit` at most; they wait no more. */
  takeDue(now: number, limit: number): Delayed[] {
    const due = [...this.collection.range({ end: [now + 1], limit })];
    for (const { key } of due) this.collection.remove(key);
    this.count -= due.length;
    return due.map(({ value }) => copied(value));
  }

  get(id: string): Delayed | undefined {
    const place = parseId(id);
    const delayed = place ? this.collection.get(place) : undefined;
    return delayed && copied(delayed);
  }

  /** False when there was none. */
  async remove(id: string): Promise<boolean> {
    const place = parseId(id);
    if (!place || !this.collection.has(place)) return false;
    this.collection.remove(place);
    this.count--;
    await this.store.flushed();
    return true;
  }

  /** In slices, by their time. */
  *slices(order: 'asc' | 'desc'): Generator<Entry<Delayed>[]> {
    let edge: Key | null = null;
    for (;;) {
      const range: Range = { limit: READ_AT_ONCE, reverse: order === 'desc' };
      if (edge !== null) range[order === 'asc' ? 'start' : 'end'] = edge;
      const slice = [...this.collection.range(range)];
      if (slice.length === 0) return;
      const [dueAt, number] = placeOf(slice.at(-1)!.key);
      edge = order === 'asc' ? [dueAt, number + 1] : [dueAt, number];
      yield slice;
    }
  }

  /** Others have a turn every few milliseconds. Settles when they are gone from disk too. */
  async clear(): Promise<void> {
    const turn = new Turn();
    let removed = 0;
    for (const slice of this.slices('asc'))
      for (const { key } of slice) {
        if (turn.over) await turn.next();
        if (!this.collection.has(key)) continue; // its time came meanwhile
        this.collection.remove(key);
        this.count--;
        if (++removed % CLEAR_GROUP === 0) await this.store.flushed().catch(() => undefined);
      }
    await this.store.flushed();
  }
}

/** 32 hex digits, which say where the message stands. */
export const idOf = (key: Key): string => {
  const [dueAt, number] = placeOf(key);
  return (dueAt.toString(16).padStart(16, '0') + number.toString(16).padStart(16, '0')).toUpperCase();
};

export const isId = (id: string): boolean => /^[0-9A-Fa-f]{32}$/.test(id);

function parseId(id: string): Place | null {
  if (!isId(id)) return null;
  const place: Place = [Number.parseInt(id.slice(0, 16), 16), Number.parseInt(id.slice(16), 16)];
  return place.every(Number.isSafeInteger) ? place : null;
}

const placeOf = (key: Key): Place => key as unknown as Place;

/** The store hands out views of a whole record. */
const copied = (delayed: Delayed): Delayed => ({ ...delayed, payload: new Uint8Array(delayed.payload) });
