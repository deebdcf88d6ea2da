import { LOGIN_LOCK } from '@mqdeck/contract/login';

interface Limits {
  failures: number;
  windowSeconds: number;
  lockSeconds: number;
}

/** One machine may serve many operators, so an address is given more room than a name. */
export const ADDRESS_LOCK: Limits = { failures: 50, windowSeconds: 300, lockSeconds: 60 };
export const USER_LOCK: Limits = LOGIN_LOCK;

/** More names than can be tried within a window: otherwise new names would push locked ones out. */
const REMEMBERED_MAX = 50_000;

interface Record {
  failedAt: number[]; // epoch ms
  underWay: number;
  lockedUntil: number; // epoch ms
}

/** An attempt that has begun takes one of the places that the limit leaves; it ends exactly once. */
export interface Attempt {
  failed(): void;
  /** The failures before it are forgotten. */
  succeeded(): void;
  /** It gives its place back; the failures before it stay. */
  withdrawn(): void;
}

/** Counts attempts by name and locks a name after too many failures; unknown names are treated like known ones. */
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

  /** Until the name may try again, rounded up; 0 = not locked. */
  secondsLeft(name: string): number {
    const record = this.records.get(name);
    if (!record) return 0;
    const ms = record.lockedUntil - this.now();
    if (ms > 0) return Math.ceil(ms / 1000);
    // The attempts under way may be the last failures before the lock.
    return this.recent(record).length + record.underWay >= this.limits.failures ? 1 : 0;
  }

  /** Counts before anything is checked, so that attempts at the same time are not more than the limit. Null = locked. */
  begin(name: string): Attempt | null {
    if (this.locked(name)) return null;
    const record = this.records.get(name) ?? { failedAt: [], underWay: 0, lockedUntil: 0 };
    record.underWay++;
    this.remember(name, record);
    return {
      failed: () => {
        record.underWay--;
        record.failedAt = [...this.recent(record), this.now()];
        if (record.failedAt.length >= this.limits.failures) {
          record.failedAt = [];
          record.lockedUntil = this.now() + this.limits.lockSeconds * 1000;
        }
        this.remember(name, record);
      },
      succeeded: () => {
        record.underWay--;
        record.failedAt = [];
        this.forgetEmpty(name, record);
      },
      withdrawn: () => {
        record.underWay--;
        this.forgetEmpty(name, record);
      },
    };
  }

  private recent({ failedAt }: Record): number[] {
    const since = this.now() - this.limits.windowSeconds * 1000;
    return failedAt.filter((at) => at > since);
  }

  /** The map is in the order of the last attempt. */
  private remember(name: string, record: Record): void {
    this.records.delete(name);
    this.records.set(name, record);
    if (this.records.size > REMEMBERED_MAX) this.records.delete(this.records.keys().next().value!);
  }

  private forgetEmpty(name: string, record: Record): void {
    if (record.underWay === 0 && record.failedAt.length === 0 && this.records.get(name) === record)
      this.records.delete(name);
  }
}
