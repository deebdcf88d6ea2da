import { setImmediate } from 'node:timers/promises';

/** How long a list may keep everybody else waiting. */
const TURN_MS = 4;

/** Long work gives the event loop a turn every few milliseconds: `if (turn.over) await turn.next()`. */
export class Turn {
  private since = performance.now();

  get over(): boolean {
    return performance.now() - this.since > TURN_MS;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.since = performance.now();
  }
}
