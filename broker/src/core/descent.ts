/** So many messages made of one go their way at once; the others give everybody else a turn. */
const AT_ONCE_MAX = 100;
/** So many may be made of what was made already. What is made of the first message itself is bounded by that. */
const DESCENDANTS_MAX = 10_000;

/** Why something was not made. */
type Stop = 'loop' | 'too many';

/** All messages that rules have made of one, directly or of what they made; all of them share it. */
export class Descent {
  private count = 0;
  private stopped = false;
  private readonly told = new Set<Stop>();

  get isLong(): boolean {
    return this.count > AT_ONCE_MAX;
  }

  /** Counts one more; false when there are too many. `distant`: it is made of one that was made. */
  add(distant: boolean): boolean {
    if (this.stopped || (distant && this.count >= DESCENDANTS_MAX)) return false;
    this.count += 1;
    return true;
  }

  /** No more of them: what waits already takes too much memory. */
  stop(): void {
    this.stopped = true;
  }

  /** Whether it is the first of its kind: what is stopped may be thousands, and is told once. */
  tells(stop: Stop): boolean {
    if (this.told.has(stop)) return false;
    this.told.add(stop);
    return true;
  }
}
