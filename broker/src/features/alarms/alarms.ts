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

/** EMQX's defaults: so many past alarms are remembered, and for so long. */
const HISTORY_MAX = 1000;
const HISTORY_KEPT_MS = 24 * 3600 * 1000;

/** Keeps the alarms that are active and those that were; both outlive a restart. */
export class Alarms {
  private readonly node: string;
  private readonly now: () => number;
  private readonly active: Collection<StoredAlarm>;
  private readonly past: Collection<StoredAlarm>;

  constructor(store: Store, node: string, now: () => number = Date.now) {
    this.node = node;
    this.now = now;
    this.active = store.collection<StoredAlarm>('alarms.active');
    this.past = store.collection<StoredAlarm>('alarms.past');
  }

  /** An alarm that is active already keeps its beginning, and tells the news. */
  activate(name: string, message: string, details: Record<string, unknown> = {}): void {
    const activatedAt = this.active.get(name)?.activatedAt ?? this.now();
    this.active.put(name, { name, message, details, activatedAt, deactivatedAt: null });
  }

  deactivate(name: string): void {
    const alarm = this.active.get(name);
    if (!alarm) return;
    this.active.remove(name);
    this.past.put([alarm.activatedAt, name], { ...alarm, deactivatedAt: this.now() });
    this.forgetOld();
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

  private latestFirst(alarms: Collection<StoredAlarm>): Alarm[] {
    return [...alarms.range()]
      .map(({ value }) => value)
      .sort((a, b) => b.activatedAt - a.activatedAt)
      .map((alarm) => this.present(alarm));
  }

  private forgetOld(): void {
    const since = this.now() - HISTORY_KEPT_MS;
    let spare = this.past.count() - HISTORY_MAX;
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
