import type { Rate } from '../entrance.ts';
import { TICK_MS } from '../timer-wheel.ts';

const NEARLY = 1e-9; // a token that lacks no more than the error of adding up fractions
/** Who waits is woken by ticks: a bucket that held less than they bring would give less than its rate. */
const TICKS = 2;

export interface BucketNumbers {
  rate: Rate;
  capacity: number; // Infinity = as many as the rate brings in its time
  initial: number; // Infinity = as many as there is room for
}

/** Tokens that come at a rate and are saved up as far as there is room. What is taken beyond that is owed. */
export class TokenBucket {
  readonly numbers: BucketNumbers;
  readonly capacity: number;
  private readonly perMs: number;
  private tokens: number;
  private filledAt: number;

  constructor(numbers: BucketNumbers, now: number) {
    const { rate, capacity, initial } = numbers;
    this.numbers = numbers;
    this.perMs = rate.count / rate.perMs;
    const room = Number.isFinite(capacity) ? capacity : rate.count;
    this.capacity = Math.max(1, room, this.perMs * TICK_MS * TICKS);
    this.tokens = Math.min(initial, Math.max(1, room));
    this.filledAt = now;
  }

  /** What there is; below 0 it is owed. */
  level(now: number): number {
    const elapsed = now - this.filledAt;
    if (elapsed !== 0) {
      this.filledAt = now; // a clock set back costs nobody anything
      if (elapsed > 0) this.tokens = Math.min(this.capacity, this.tokens + elapsed * this.perMs);
    }
    return this.tokens;
  }

  has(count: number, now: number): boolean {
    return this.level(now) >= Math.min(count, this.capacity) - NEARLY;
  }

  take(count: number): void {
    this.tokens -= count;
  }

  /** What is given back finds room as what comes by itself does. */
  giveBack(count: number): void {
    this.tokens = Math.min(this.capacity, this.tokens + count);
  }

  /** How long until so many are there, 0 = they are. */
  msUntil(count: number, now: number): number {
    const missing = Math.min(count, this.capacity) - this.level(now);
    return missing <= NEARLY ? 0 : Math.max(1, Math.ceil((missing - NEARLY) / this.perMs));
  }

  /** Goes on with what another one had. */
  continue(other: TokenBucket): void {
    this.tokens = Math.min(this.capacity, other.tokens);
    this.filledAt = other.filledAt;
  }

  hasNumbersOf({ rate, capacity, initial }: BucketNumbers): boolean {
    const own = this.numbers;
    return (
      own.rate.count === rate.count &&
      own.rate.perMs === rate.perMs &&
      own.capacity === capacity &&
      own.initial === initial
    );
  }
}
