import { Turn } from '../../paging/turn.ts';

/** More than that is not remembered. */
const WAITING_MAX = 100_000;

/** Runs what can wait in later turns of the event loop, in its order. */
export class Later {
  private waiting: (() => void)[] = [];
  private count = 0;

  /** False when too many wait already. `run` must not throw. */
  add(run: () => void): boolean {
    if (this.count >= WAITING_MAX) return false;
    this.count += 1;
    this.waiting.push(run);
    if (this.count === 1) void this.runAll();
    return true;
  }

  clear(): void {
    this.waiting = [];
    this.count = 0;
  }

  private async runAll(): Promise<void> {
    const turn = new Turn();
    await turn.next();
    while (this.waiting.length > 0) {
      const group = this.waiting;
      this.waiting = [];
      for (const run of group) {
        if (turn.over) await turn.next();
        if (this.count === 0) return; // cleared meanwhile
        this.count -= 1;
        run();
      }
    }
  }
}
