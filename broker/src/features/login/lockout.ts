import { LOGIN_LOCK } from '@mqdeck/contract/login';

interface Limits {
  failures: number;
  windowSeconds: number;
  lockSeconds: number;
}

/** One machine may serve many operators, so an address is given more room than a name. */
export const ADDRESS_LOCK: Limits = { failures: 50, windowSeconds: 300, lockSeconds: 60 };
export const USER_LOCK: Limits = LOGIN_LOCK;

/** Names come from whoever knocks: no more than this many are remembered, the oldest are forgotten. */
const REMEMBERED_MAX = 10_000;

interface Record {
  failedAt: number[]; // epoch ms
  lockedUntil: number; // epoch ms
}

/** Counts failures by name and locks a name after too many; names nobody has are treated like any other. */
export class Lockout {
  private readonly limits: Limits;
  private readonly now: () => number;
  private readonly records = new Map<string, Record>();

  constructor(limits: Limits, now: () => number = Date.now) {
    this.limits = limits;
    this.now = now;
  }

  locked(name: string): boolean {
    return this.secondsLeft(name) > 0;
  }

  /** Until the name may try again, counted up; 0 = it is not locked. */
  secondsLeft(name: string): number {
    const ms = (this.records.get(name)?.lockedUntil ?? 0) - this.now();
    return Math.max(0, Math.ceil(ms / 1000));
  }

  failed(name: string): void {
    const now = this.now();
    const since = now - this.limits.windowSeconds * 1000;
    const failedAt = (this.records.get(name)?.failedAt ?? []).filter((at) => at > since);
    failedAt.push(now);
    const full = failedAt.length >= this.limits.failures;
    this.records.delete(name); // moves it to the end: the map is in the order of the last failure
    this.records.set(name, {
      failedAt: full ? [] : failedAt,
      lockedUntil: full ? now + this.limits.lockSeconds * 1000 : 0,
    });
    if (this.records.size > REMEMBERED_MAX) this.records.delete(this.records.keys().next().value!);
  }

  succeeded(name: string): void {
    this.records.delete(name);
  }
}
