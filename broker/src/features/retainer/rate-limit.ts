/** So many events a second, and as many at once after a quiet second. */
export class RateLimit {
  private readonly perSecond: () => number;
  private tokens = 0;
  private filledAt = Number.NEGATIVE_INFINITY;

  /** Read at use, so that a changed setting counts at once. */
  constructor(perSecond: () => number) {
    this.perSecond = perSecond;
  }

  /** Whether there is any limit at present. */
  get limits(): boolean {
    return this.perSecond() !== Number.POSITIVE_INFINITY;
  }

  /** How long until the next event may be; 0 = now. */
  waitMs(now: number): number {
    const perSecond = this.perSecond();
    if (perSecond === Number.POSITIVE_INFINITY) return 0;
    const most = Math.max(1, perSecond);
    const since = Math.max(0, now - this.filledAt);
    this.tokens = Math.min(
      most,
      since === Number.POSITIVE_INFINITY ? most : this.tokens + (since * perSecond) / 1000,
    );
    this.filledAt = now;
    if (this.tokens >= 1) return 0;
    return perSecond === 0 ? 1000 : Math.ceil(((1 - this.tokens) * 1000) / perSecond);
  }

  /** After `waitMs` said 0. */
  take(): void {
    this.tokens--;
  }
}
