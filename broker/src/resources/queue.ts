import { jsonOf } from '@mqdeck/rulesql/values';
import type { Collection, Key, Store } from '../core/store/store.ts';
import type { Row } from './driver.ts';

/** A row on its way. */
export interface Queued {
  readonly number: number; // in the order of arrival
  readonly row: Row;
  readonly bytes: number; // about
  readonly expiresAt: number; // epoch ms; Infinity = never
}

/** Rows in the order of their arrival; those taken are nobody else's until they are done or given back. */
export interface RowQueue {
  /** Those taken included. */
  readonly length: number;
  readonly bytes: number;
  push(row: Row, expiresAt: number): void;
  take(count: number): Queued[];
  done(rows: readonly Queued[]): void;
  giveBack(rows: readonly Queued[]): void;
  /** Lets the oldest go that nobody has taken, until no more than so many bytes are left; returns how many. */
  shrinkTo(bytes: number): number;
  clear(): void;
}

const ROW_BYTES = 100; // of what surrounds the texts

/** About what a row takes. */
function bytesOf(row: Row): number {
  let bytes = ROW_BYTES;
  for (const value of Object.values(row)) {
    if (typeof value === 'string' || value instanceof Uint8Array) bytes += value.length;
    else if (typeof value === 'object' && value !== null) bytes += jsonOf(value).length;
    else bytes += 8;
  }
  return bytes;
}

export class MemoryQueue implements RowQueue {
  bytes = 0;
  private waiting: Queued[] = [];
  private head = 0; // the first of `waiting` that was not taken
  private taken = 0;
  private last = 0;

  get length(): number {
    return this.waiting.length - this.head + this.taken;
  }

  push(row: Row, expiresAt: number): void {
    const bytes = bytesOf(row);
    this.waiting.push({ number: ++this.last, row, bytes, expiresAt });
    this.bytes += bytes;
  }

  take(count: number): Queued[] {
    const rows = this.waiting.slice(this.head, this.head + count);
    this.head += rows.length;
    this.taken += rows.length;
    this.letGo();
    return rows;
  }

  done(rows: readonly Queued[]): void {
    this.taken -= rows.length;
    for (const { bytes } of rows) this.bytes -= bytes;
  }

  giveBack(rows: readonly Queued[]): void {
    this.taken -= rows.length;
    const others = this.waiting.slice(this.head);
    this.waiting = [...rows, ...others].sort((a, b) => a.number - b.number);
    this.head = 0;
  }

  shrinkTo(bytes: number): number {
    let count = 0;
    while (this.bytes > bytes && this.head < this.waiting.length) {
      this.bytes -= this.waiting[this.head++]!.bytes;
      count++;
    }
    this.letGo();
    return count;
  }

  /** Of the rows before the head, as soon as they are the greater part. */
  private letGo(): void {
    if (this.head <= 1024 || this.head <= this.waiting.length / 2) return;
    this.waiting = this.waiting.slice(this.head);
    this.head = 0;
  }

  clear(): void {
    this.waiting = [];
    this.head = 0;
    this.taken = 0;
    this.bytes = 0;
  }
}

/** What the store keeps of a row; a moment without end is null. */
interface Kept {
  row: Row;
  bytes: number;
  expiresAt: number | null;
}

const CLEAR_AT_ONCE = 1000;

/** Survives the process: a row is safe as soon as `Store.flushed()` says so. Nothing of it but its place is in memory. */
export class DiskQueue implements RowQueue {
  length = 0;
  bytes = 0;
  private readonly collection: Collection<Kept>;
  private readonly name: string;
  private readonly lane: number;
  private last = 0;
  private cursor = 0; // behind it nothing was taken yet
  private readonly taken = new Set<number>();

  /** Finds what an earlier process has left. */
  constructor(store: Store, name: string, lane: number) {
    this.collection = store.collection('bridge_queues');
    this.name = name;
    this.lane = lane;
    for (const { number, bytes } of this.after(0, Number.POSITIVE_INFINITY)) {
      this.length++;
      this.bytes += bytes;
      this.last = number;
    }
  }

  push(row: Row, expiresAt: number): void {
    const bytes = bytesOf(row);
    const kept = { row, bytes, expiresAt: Number.isFinite(expiresAt) ? expiresAt : null };
    this.collection.put([this.name, this.lane, ++this.last], kept);
    this.length++;
    this.bytes += bytes;
  }

  take(count: number): Queued[] {
    const rows: Queued[] = [];
    for (const queued of this.after(this.cursor, count + this.taken.size)) {
      this.cursor = queued.number;
      if (this.taken.has(queued.number)) continue;
      rows.push(queued);
      this.taken.add(queued.number);
      if (rows.length === count) break;
    }
    // A queue before this one has settled rows that were counted here
    if (this.taken.size === 0 && rows.length === 0) {
      this.length = 0;
      this.bytes = 0;
    }
    return rows;
  }

  done(rows: readonly Queued[]): void {
    for (const { number, bytes } of rows) {
      this.taken.delete(number);
      this.forget(number, bytes);
    }
  }

  giveBack(rows: readonly Queued[]): void {
    for (const { number } of rows) {
      this.taken.delete(number);
      this.cursor = Math.min(this.cursor, number - 1);
    }
  }

  shrinkTo(bytes: number): number {
    let count = 0;
    if (this.bytes <= bytes) return count;
    for (const queued of this.after(0, Number.POSITIVE_INFINITY)) {
      if (this.bytes <= bytes) break;
      if (this.taken.has(queued.number)) continue;
      this.forget(queued.number, queued.bytes);
      count++;
    }
    return count;
  }

  clear(): void {
    for (;;) {
      const rows = [...this.after(0, CLEAR_AT_ONCE)];
      if (rows.length === 0) break;
      for (const { number, bytes } of rows) this.forget(number, bytes);
    }
    this.taken.clear();
  }

  private forget(number: number, bytes: number): void {
    this.collection.remove([this.name, this.lane, number]);
    this.length--;
    this.bytes -= bytes;
  }

  private *after(number: number, limit: number): Generator<Queued> {
    const range = {
      start: [this.name, this.lane, number + 1],
      end: [this.name, this.lane + 1],
      ...(Number.isFinite(limit) && { limit }),
    };
    for (const { key, value } of this.collection.range(range)) {
      const place = (key as readonly (string | number)[])[2] as number;
      yield {
        number: place,
        row: value.row,
        bytes: value.bytes,
        expiresAt: value.expiresAt ?? Number.POSITIVE_INFINITY,
      };
    }
  }
}

/**
 * Gives what an earlier process or other settings have left to the lanes there are now: each publisher's rows behind each
 * other in one.
 */
export function spreadOver(store: Store, name: string, laneOf: (row: Row) => number): void {
  const collection = store.collection<Kept>('bridge_queues');
  const last = new Map<number, number>();
  const moving: { key: Key; lane: number }[] = [];
  for (const { key, value } of collection.range({ start: [name], end: [name, Number.MAX_SAFE_INTEGER] })) {
    const [, before, number] = key as readonly [string, number, number];
    last.set(before, number);
    const lane = laneOf(value.row);
    if (lane !== before) moving.push({ key, lane });
  }
  for (const { key, lane } of moving) {
    const number = (last.get(lane) ?? 0) + 1;
    last.set(lane, number);
    collection.put([name, lane, number], collection.get(key)!);
    collection.remove(key);
  }
}

/** What is left of a bridge that is no more. */
export function forgetQueues(store: Store, name: string): void {
  const collection = store.collection<Kept>('bridge_queues');
  const range = { start: [name], end: [name, Number.MAX_SAFE_INTEGER] };
  for (const { key } of [...collection.range(range)]) collection.remove(key);
}
