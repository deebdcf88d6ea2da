const BUCKET_MS = 5000;
const BUCKETS = 60; // five minutes

/** How often something happens, in calls a second: of the last whole five seconds, of five minutes, and at most. */
export class Rate {
  private readonly now: () => number;
  private readonly buckets = new Array<number>(BUCKETS).fill(0);
  private begin: number; // of the bucket that fills up
  private current = 0;
  private highest = 0;

  constructor(now: () => number = Date.now) {
    this.now = now;
    this.begin = now();
  }

  mark(): void {
    this.turn();
    this.current++;
  }

  get values(): { rate: number; rate_last5m: number; rate_max: number } {
    this.turn();
    const sum = this.buckets.reduce((total, count) => total + count, 0);
    return {
      rate: perSecond(this.buckets.at(-1)!, BUCKET_MS),
      rate_last5m: perSecond(sum, BUCKET_MS * BUCKETS),
      rate_max: this.highest,
    };
  }

  /** Closes the buckets whose time is over. */
  private turn(): void {
    const over = Math.floor((this.now() - this.begin) / BUCKET_MS);
    if (over <= 0) return;
    this.begin += over * BUCKET_MS;
    this.highest = Math.max(this.highest, perSecond(this.current, BUCKET_MS));
    const closed = [this.current, ...new Array<number>(Math.min(over - 1, BUCKETS)).fill(0)];
    this.current = 0;
    this.buckets.push(...closed);
    this.buckets.splice(0, this.buckets.length - BUCKETS);
  }
}

const perSecond = (count: number, ms: number): number => Math.round((count * 100_000) / ms) / 100;
