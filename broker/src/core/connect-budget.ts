/** Of one CONNECT: a will of 64 KiB, and as much again for the names, the password or token, and the properties. */
export const CONNECT_BYTES_MAX = 128 * 1024;
/** Not counted, so that an ordinary CONNECT finds room however many large ones there are. */
export const FREE_BYTES = 4096;
/** Of all connections together, beyond what is free. */
export const BUDGET_BYTES = 16 * 1024 * 1024;

/** A connection that was not let in yet. */
export interface Newcomer {
  /** Its CONNECT has not arrived as a whole: nobody works on it. */
  readonly unfinished: boolean;
  /** Ends it; an unfinished one holds nothing then. */
  giveUp(): void;
}

/** Keeps how much memory the CONNECTs hold that are not finished or not authenticated. */
export class ConnectBudget {
  private readonly held = new Map<Newcomer, number>(); // beyond what is free; in the order in which they began to
  private bytes = 0;

  /**
   * A newcomer holds so many bytes now; 0 = it was let in, or has ended. When that is too much, the unfinished ones go,
   * the oldest first, and then the newcomer itself.
   */
  holds(newcomer: Newcomer, bytes: number): void {
    const counted = Math.max(0, bytes - FREE_BYTES);
    const before = this.held.get(newcomer) ?? 0;
    if (counted === before) return;
    this.bytes += counted - before;
    if (counted === 0) this.held.delete(newcomer);
    else this.held.set(newcomer, counted);
    if (counted < before || this.bytes <= BUDGET_BYTES) return;
    for (const other of this.held.keys()) {
      if (other.unfinished) other.giveUp();
      if (this.bytes <= BUDGET_BYTES) return;
    }
    newcomer.giveUp();
  }
}
