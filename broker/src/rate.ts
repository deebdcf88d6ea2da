const STEP_MS = 5000;
const STEPS = 60; // five minutes

const wallClock = {
  get now() {
    return Date.now();
  },
};

/** How often something happens, a second: lately, in the last five minutes, and at most. */
export class Rate {
  private readonly clock: { readonly now: number };
  private readonly counts = new Float64Array(STEPS);
  private step: number; // since the epoch, that of the latest count
  private highest = 0;

  constructor(clock: { readonly now: number } = wallClock) {
    this.clock = clock;
    this.step = Math.floor(clock.now / STEP_MS);
  }

  mark(): void {
    this.goOn();
    const place = this.step % STEPS;
    this.counts[place] = this.counts[place]! + 1;
  }

  get values(): { rate: number; rate_last5m: number; rate_max: number } {
    this.goOn();
    const sum = this.counts.reduce((total, count) => total + count, 0);
    return {
      rate: perSecond(this.counts[(this.step + STEPS - 1) % STEPS]!, STEP_MS),
      rate_last5m: perSecond(sum, STEP_MS * STEPS),
      rate_max: this.highest,
    };
  }

  /** Empties the steps that have begun since. */
  private goOn(): void {
    const now = Math.floor(this.clock.now / STEP_MS);
    if (now <= this.step) return;
    this.highest = Math.max(this.highest, perSecond(this.counts[this.step % STEPS]!, STEP_MS));
    for (let step = Math.max(this.step + 1, now - STEPS + 1); step <= now; step++)
      this.counts[step % STEPS] = 0;
    this.step = now;
  }
}

const perSecond = (count: number, ms: number): number => Math.round((count * 100_000) / ms) / 100;
