import type { Alarm } from '@mqdeck/contract/alarms';
import type { Collection, Store } from '../../core/store/store.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';

interface StoredAlarm {
  name: string;
  message: string;
  details: Record<string, unknown>;
  activatedAt: number; // epoch ms
  deactivatedAt: number | null;
}

/** How many past alarms are remembered, and for how long. */
export interface HistoryLimits {
  max: number;
  keptMs: number;
}
/** EMQX's defaults. */
const USUAL: HistoryLimits = { max: 1000, keptMs: 24 * 3600 * 1000 };

type Listener = (event: 'activate' | 'deactivate', alarm: Alarm) => void;

/** Keeps the alarms that are active and those that were; both outlive a restart. */
export class Alarms {
  private readonly node: string;
  private readonly now: () => number;
  private readonly active: Collection<StoredAlarm>;
  private readonly past: Collection<StoredAlarm>;
  private readonly listeners = new Set<Listener>();
  private readonly limits: () => HistoryLimits;

  constructor(
    store: Store,
    node: string,
    now: () => number = Date.now,
    limits: () => HistoryLimits = () => USUAL,
  ) {
    this.limits = limits;
    this.node = node;
    this.now = now;
    this.active = store.collection<StoredAlarm>('alarms.active');
    this.past = store.collection<StoredAlarm>('alarms.past');
  }

  /** An alarm that is active already keeps its beginning, and tells the news. */
  activate(name: string, message: string, details: Record<string, unknown> = {}): void {
    const known = this.active.get(name);
    const activatedAt = known?.activatedAt ?? this.now();
    const alarm = { name, message, details, activatedAt, deactivatedAt: null };
    this.active.put(name, alarm);
    if (!known) this.tell('activate', alarm);
  }

  /** False when it was not active. */
  deactivate(name: string): boolean {
    const alarm = this.active.get(name);
    if (!alarm) return false;
    this.active.remove(name);
    const over = { ...alarm, deactivatedAt: this.now() };
    this.past.put([alarm.activatedAt, name], over);
    this.forgetOld();
    this.tell('deactivate', over);
    return true;
  }

  /** Calls for each alarm that begins or ends. The answer ends it. */
  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => void this.listeners.delete(listener);
  }

  listActive(): Alarm[] {
    return this.latestFirst(this.active);
  }

  listPast(): Alarm[] {
    this.forgetOld();
    return this.latestFirst(this.past);
  }

  clearPast(): void {
    this.past.clear();
  }

  private tell(event: 'activate' | 'deactivate', alarm: StoredAlarm): void {
    for (const listener of this.listeners) listener(event, this.present(alarm));
  }

  private latestFirst(alarms: Collection<StoredAlarm>): Alarm[] {
    return [...alarms.range()]
      .map(({ value }) => value)
      .sort((a, b) => b.activatedAt - a.activatedAt)
      .map((alarm) => this.present(alarm));
  }

  private forgetOld(): void {
    const { max, keptMs } = this.limits();
    const since = this.now() - keptMs;
    let spare = this.past.count() - max;
    for (const { key, value } of [...this.past.range()]) {
      if (spare-- > 0 || (value.deactivatedAt ?? 0) < since) this.past.remove(key);
    }
  }

  private present({ name, message, details, activatedAt, deactivatedAt }: StoredAlarm): Alarm {
    return {
      node: this.node,
      name,
      message,
      details,
      duration: Math.max(0, (deactivatedAt ?? this.now()) - activatedAt),
      activate_at: rfc3339(activatedAt),
      ...(deactivatedAt !== null && { deactivate_at: rfc3339(deactivatedAt) }),
    };
  }
}
