import { HISTORY_SECONDS, SAMPLE_SECONDS } from '@mqdeck/contract/monitor';
import type { Collection, Store } from '../../core/store/store.ts';

/** Levels: of several rows the highest counts. */
const LEVELS = ['connections', 'live_connections', 'subscriptions', 'topics'] as const;
/** Numbers of messages within the interval: of several rows the sum counts. */
export const AMOUNTS = [
  'received',
  'sent',
  'dropped',
  'persisted',
  'validation_succeeded',
  'validation_failed',
  'transformation_succeeded',
  'transformation_failed',
  'dropped_elsewhere',
] as const;
const COLUMNS = [...LEVELS, ...AMOUNTS] as const;
type Column = (typeof COLUMNS)[number];
export type Figures = Record<Column, number>;

interface Row {
  at: number; // epoch ms, the end of the interval, a multiple of its length
  values: Float64Array; // in the order of COLUMNS
}

const FINE_MS = SAMPLE_SECONDS * 1000;
const COARSE_MS = 60_000;
const FINE_KEPT_MS = 24 * 3600 * 1000;
const KEPT_MS = HISTORY_SECONDS * 1000;

/**
 * Keeps the figures of the last days: a row every 10 s, after a day one a minute, after a week none. All of it is
 * in memory (1.5 MB), and each row in the store under its step and time.
 */
export class Series {
  private readonly stored: Collection<Uint8Array>;
  private fine: Row[];
  private coarse: Row[];

  constructor(store: Store) {
    this.stored = store.collection<Uint8Array>('series');
    this.fine = this.load(FINE_MS);
    this.coarse = this.load(COARSE_MS);
  }

  /** Takes the figures of the interval that ends now. */
  add(now: number, figures: Figures): void {
    const at = Math.floor(now / FINE_MS) * FINE_MS;
    if (at <= (this.fine.at(-1)?.at ?? 0)) return; // the clock was set back: better a gap than a step in time
    const row = { at, values: Float64Array.from(COLUMNS, (column) => figures[column]) };
    this.fine.push(row);
    this.put(FINE_MS, row);
    this.rollUp(now);
  }

  get first(): number | undefined {
    return (this.coarse[0] ?? this.fine[0])?.at;
  }

  get last(): number | undefined {
    return (this.fine.at(-1) ?? this.coarse.at(-1))?.at;
  }

  /** The rows after `from`, merged into intervals of a length; by their time. */
  merged(from: number, stepMs: number): Map<number, Figures> {
    const found = new Map<number, Float64Array>();
    for (const rows of [this.coarse, this.fine]) {
      for (let i = firstAfter(rows, from); i < rows.length; i++) {
        const { at, values } = rows[i]!;
        const start = Math.floor(at / stepMs) * stepMs;
        const known = found.get(start);
        if (known) mergeInto(known, values);
        else found.set(start, values.slice());
      }
    }
    return new Map([...found].map(([at, values]) => [at, figuresOf(values)]));
  }

  clear(): void {
    this.fine = [];
    this.coarse = [];
    this.stored.clear();
  }

  private rollUp(now: number): void {
    const before = Math.floor((now - FINE_KEPT_MS) / COARSE_MS) * COARSE_MS;
    let old = 0;
    for (; old < this.fine.length && this.fine[old]!.at < before; old++) {
      const { at, values } = this.fine[old]!;
      const minute = Math.floor(at / COARSE_MS) * COARSE_MS;
      const last = this.coarse.at(-1);
      if (last?.at === minute) mergeInto(last.values, values);
      else this.coarse.push({ at: minute, values: values.slice() });
      this.put(COARSE_MS, this.coarse.at(-1)!);
      this.stored.remove([FINE_MS, at]);
    }
    this.fine.splice(0, old);
    const gone = this.coarse.findIndex(({ at }) => at >= now - KEPT_MS);
    const expired = this.coarse.splice(0, gone === -1 ? this.coarse.length : gone);
    for (const { at } of expired) this.stored.remove([COARSE_MS, at]);
  }

  private put(stepMs: number, { at, values }: Row): void {
    this.stored.put([stepMs, at], Buffer.from(values.buffer, values.byteOffset, values.byteLength));
  }

  private load(stepMs: number): Row[] {
    const rows: Row[] = [];
    for (const { key, value } of this.stored.range({ start: [stepMs], end: [stepMs + 1] })) {
      const bytes = new Uint8Array(COLUMNS.length * Float64Array.BYTES_PER_ELEMENT);
      bytes.set(value.subarray(0, bytes.length)); // a row of fewer columns reads as zeros
      rows.push({ at: (key as number[])[1]!, values: new Float64Array(bytes.buffer) });
    }
    return rows;
  }
}

function mergeInto(known: Float64Array, values: Float64Array): void {
  for (let i = 0; i < known.length; i++)
    known[i] = i < LEVELS.length ? Math.max(known[i]!, values[i]!) : known[i]! + values[i]!;
}

const figuresOf = (values: Float64Array): Figures =>
  Object.fromEntries(COLUMNS.map((column, i) => [column, values[i]!])) as Figures;

/** Rows are in the order of time. */
function firstAfter(rows: Row[], from: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (rows[middle]!.at < from) low = middle + 1;
    else high = middle;
  }
  return low;
}
