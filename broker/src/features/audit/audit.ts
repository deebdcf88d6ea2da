import { setImmediate } from 'node:timers/promises';
import type { AuditChange, AuditSettings } from '@mqdeck/contract/audit';
import type { Collection, Store } from '../../core/store/store.ts';

/**
 * `deed`: done by somebody who is known; `failed`: tried by him, and nothing came of it; `refused`: tried by nobody knows
 * whom; `frequent`: what programs do all day.
 */
export type AuditKind = 'deed' | 'failed' | 'refused' | 'frequent';

/** An entry as it is kept. Times are epoch ms. */
export interface StoredEntry {
  readonly at: number;
  readonly kind: AuditKind;
  readonly from: string;
  readonly source: string;
  readonly sourceName?: string; // of a key, as it was called then
  readonly address: string;
  readonly operation: string; // the path of an endpoint, or a command
  readonly method: string | null; // lower case; null = at the command line
  readonly status: number | null;
  readonly failure: { code: string; message: string } | null;
  readonly durationMs: number;
  readonly request: Readonly<Record<string, unknown>> | null;
  readonly args?: readonly string[];
  readonly changes: readonly AuditChange[];
  readonly leftOff: number;
  times: number;
  lastAt: number;
}

export interface KeptEntry extends StoredEntry {
  readonly id: number;
}

/** What anybody can cause, what a program that errs tries on and on, or programs cause all day, has this share of the room and pushes nothing else out. */
const SHARE = 0.2;
/** The same attempt within it is told by a number. */
const FOLD_MS = 60_000;
const FOLDS_MAX = 1000;
const REMOVED_AT_ONCE = 500;
const READ_AT_ONCE = 100;

interface Fold {
  id: number;
  lastAt: number;
}

/** Keeps what was done through the API and the command line, in the store, and no more than the settings allow. */
export class AuditLog {
  private readonly entries: Collection<StoredEntry>;
  /** Those of little weight, by id. */
  private readonly light: Record<Exclude<AuditKind, 'deed'>, Collection<number>>;
  private readonly settings: () => AuditSettings;
  private readonly folds = new Map<string, Fold>();
  private lastId: number;
  private pruning: Promise<void> | null = null;
  private closed = false;

  constructor(store: Store, settings: () => AuditSettings) {
    this.settings = settings;
    this.entries = store.collection('audit');
    this.light = {
      failed: store.collection('audit.failed'),
      refused: store.collection('audit.refused'),
      frequent: store.collection('audit.frequent'),
    };
    const [last] = this.entries.range({ reverse: true, limit: 1 });
    this.lastId = Number(last?.key ?? 0);
  }

  get count(): number {
    return this.entries.count();
  }

  get(id: number): KeptEntry | null {
    const entry = this.entries.get(id);
    return entry ? { ...entry, id } : null;
  }

  /** The latest first, in slices. */
  *slices(): Generator<KeptEntry[]> {
    let end: number | undefined;
    for (;;) {
      const slice = [
        ...this.entries.range({ ...(end !== undefined && { end }), reverse: true, limit: READ_AT_ONCE }),
      ];
      if (slice.length === 0) return;
      yield slice.map(({ key, value }) => ({ ...value, id: Number(key) }));
      end = Number(slice.at(-1)!.key);
    }
  }

  add(entry: Omit<StoredEntry, 'times' | 'lastAt'>): void {
    if (entry.kind !== 'deed' && this.folded(entry)) return;
    const id = ++this.lastId;
    this.entries.put(id, { ...entry, times: 1, lastAt: entry.at });
    if (entry.kind !== 'deed') {
      this.light[entry.kind].put(id, 1);
      this.remember(foldOf(entry), { id, lastAt: entry.at });
    }
    this.prune();
  }

  /** When less is to be kept from now on. */
  prune(): void {
    this.pruning ??= this.pruneAll().finally(() => {
      this.pruning = null;
    });
  }

  /** Settles when no more is kept than may be. */
  async pruned(): Promise<void> {
    while (this.pruning !== null) await this.pruning;
  }

  close(): void {
    this.closed = true;
  }

  /** Whether it is told by the entry of an attempt right before. */
  private folded({ at, ...entry }: Omit<StoredEntry, 'times' | 'lastAt'>): boolean {
    const name = foldOf(entry);
    const fold = this.folds.get(name);
    if (!fold || at - fold.lastAt > FOLD_MS) return false;
    const first = this.entries.get(fold.id);
    if (!first) return false;
    this.entries.put(fold.id, { ...first, times: first.times + 1, lastAt: at });
    this.remember(name, { id: fold.id, lastAt: at });
    return true;
  }

  private remember(name: string, fold: Fold): void {
    this.folds.delete(name);
    this.folds.set(name, fold);
    if (this.folds.size <= FOLDS_MAX) return;
    for (const oldest of this.folds.keys()) {
      this.folds.delete(oldest);
      return;
    }
  }

  private async pruneAll(): Promise<void> {
    await setImmediate(); // of many that come at once, all
    while (!this.closed) {
      const [kept, excess] = this.fullest();
      if (excess <= 0) return;
      for (const { key } of [...kept.range({ limit: Math.min(excess, REMOVED_AT_ONCE) })])
        for (const collection of [this.entries, ...Object.values(this.light)]) collection.remove(key);
      if (excess > REMOVED_AT_ONCE) await setImmediate();
    }
  }

  /** Of what there is too much, and how much too much. */
  private fullest(): [Collection<unknown>, number] {
    const max = this.settings().max_filter_size;
    const share = Math.floor(max * SHARE);
    for (const light of Object.values(this.light))
      if (light.count() > share) return [light, light.count() - share];
    return [this.entries, this.entries.count() - max];
  }
}

/** What is the same attempt. Of somebody who is known it is about the same thing, but for what was published. */
const foldOf = (entry: Omit<StoredEntry, 'times' | 'lastAt' | 'at'>): string => {
  const { kind, from, source, address, method, operation, status, failure, request } = entry;
  const same = [kind, from, source, address, method, operation, status, failure?.code];
  if (kind === 'refused') return JSON.stringify(same);
  const about = operation.startsWith('/publish') ? null : [request?.bindings, request?.body];
  return JSON.stringify([...same, about]);
};
