import type { Timer, TimerWheel } from '../timer-wheel.ts';
import { type BucketNumbers, TokenBucket } from './token-bucket.ts';

/** Somebody in a queue for tokens. */
export interface InLine {
  /** So many have to be there, and so many are taken then. */
  readonly need: number;
  readonly cost: number;
  /** They were taken for it. */
  served(): void;
}

/**
 * A bucket of many. Keeps a queue of those who found too little: tokens go to whoever waits longest, and who comes later
 * finds none as long as somebody waits, so that no neighbour is starved.
 */
export class SharedBucket extends TokenBucket {
  private readonly timers: TimerWheel;
  private readonly clock: { readonly now: number };
  private readonly line = new Set<InLine>();
  private timer: Timer | null = null;

  constructor(numbers: BucketNumbers, timers: TimerWheel, clock: { readonly now: number }) {
    super(numbers, clock.now);
    this.timers = timers;
    this.clock = clock;
  }

  /** Whether somebody who comes now may take at once. */
  offers(need: number, now: number): boolean {
    return this.line.size === 0 && this.has(need, now);
  }

  queue(one: InLine): void {
    this.line.add(one);
    this.timer ??= this.wakeLater();
  }

  leave(one: InLine): void {
    this.line.delete(one);
    if (this.line.size > 0) return;
    this.timer?.cancel();
    this.timer = null;
  }

  private wakeLater(): Timer {
    const [first] = this.line;
    const waitMs = this.msUntil(first?.need ?? 1, this.clock.now);
    return this.timers.after(waitMs, () => this.serve());
  }

  private serve(): void {
    this.timer = null;
    const { now } = this.clock;
    for (const one of this.line) {
      if (!this.has(one.need, now)) break;
      this.line.delete(one);
      this.take(one.cost);
      one.served();
    }
    if (this.line.size > 0) this.timer ??= this.wakeLater();
  }
}
