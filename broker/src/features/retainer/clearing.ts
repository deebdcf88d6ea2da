import type { Clearing } from '@mqdeck/contract/retainer';
import type { Log } from '../../core/core.ts';
import { rfc3339 } from '../../paging/rfc3339.ts';
import { Turn } from '../../paging/turn.ts';
import type { Retained, RetainedStore } from './store.ts';

interface Run {
  readonly topic: string | null;
  readonly startedAt: number;
  state: Clearing['state'];
  total: number;
  removed: number;
}

/** Removes many messages, in slices and one removal at a time. Keeps how far the last one came, until the broker ends. */
export class RetainedClearing {
  private readonly store: RetainedStore;
  private readonly log: Log;
  private run: Run | null = null;
  private ended: Promise<void> = Promise.resolve();

  constructor(store: RetainedStore, log: Log) {
    this.store = store;
    this.log = log;
  }

  get isRunning(): boolean {
    return this.run?.state === 'running';
  }

  get last(): Clearing | null {
    if (this.run === null) return null;
    const { startedAt, ...told } = this.run;
    return { ...told, started_at: rfc3339(startedAt) };
  }

  /** Begins; settles with how many there are to remove, all of them for `null`. Not while another one is running. */
  async start(topic: string | null, now: number): Promise<Clearing> {
    const run: Run = { topic, startedAt: now, state: 'running', total: 0, removed: 0 };
    this.run = run;
    run.total = topic === null ? this.store.size : await this.count(topic);
    this.ended = this.remove(run);
    return this.last!;
  }

  /** What is gone stays gone. */
  cancel(): void {
    if (this.run?.state === 'running') this.run.state = 'cancelled';
  }

  async close(): Promise<void> {
    this.cancel();
    await this.ended;
  }

  private async count(topic: string): Promise<number> {
    const turn = new Turn();
    let count = 0;
    for (const found of this.store.matching(topic)) {
      if (found !== undefined) count++;
      if (turn.over) await turn.next();
    }
    return count;
  }

  private async remove(run: Run): Promise<void> {
    const { topic, startedAt } = run;
    try {
      await this.store.removeEach(
        whileRunning(run, topic === null ? this.store.all() : this.store.matching(topic)),
        ({ timestamp }) => {
          if (timestamp > startedAt) return false; // came meanwhile
          run.removed++;
          return true;
        },
      );
      if (run.state === 'running') run.state = 'done';
    } catch (err) {
      run.state = 'failed';
      this.log.error({ err, topic }, 'retained messages could not be removed');
    }
  }
}

function* whileRunning(run: Run, found: Iterable<Retained | undefined>): Generator<Retained | undefined> {
  for (const one of found) {
    if (run.state !== 'running') return;
    yield one;
  }
}
