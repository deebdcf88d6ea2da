const TURN_MS = 20;

/**
 * A burst of one connection does not keep the others waiting: once a turn of the event loop has taken that long, what
 * is left of it goes on in later turns, one burst after the other. Keeps those that wait.
 */
export class Bursts {
  private waiting: (() => void)[] = [];
  private readonly now: () => number;
  private since = 0; // when work was asked about first in this turn, by `now`; 0 = not yet
  private readonly run = () => {
    this.since = 0;
    const round = this.waiting;
    this.waiting = [];
    let next = 0;
    while (next < round.length && !this.tooLong) round[next++]!();
    if (next < round.length) this.waiting = round.slice(next).concat(this.waiting);
  };

  /** `now` in milliseconds, never 0: a test has its own. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now;
  }

  /** Whether this turn has been long enough. Ask now and then only. */
  get tooLong(): boolean {
    if (this.since !== 0) return this.now() - this.since >= TURN_MS;
    this.begin();
    return false;
  }

  later(run: () => void): void {
    this.waiting.push(run);
    if (this.since === 0) this.begin();
  }

  /** As `later`, to be awaited. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.later(resolve));
  }

  private begin(): void {
    this.since = this.now();
    setImmediate(this.run);
  }
}
