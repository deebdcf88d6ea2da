export interface FairQueueOptions {
  /** Tasks that run at the same time. */
  lanes: number;
  waitingMax: number;
  waitingPerKeyMax: number;
  /** The error of a task that finds the queue full. */
  onFull: () => Error;
}

interface Waiting {
  start: () => void;
  refuse: () => void;
}

/** Keys whose number of runs is remembered; the one that ran first is forgotten first. */
const COUNTED_MAX = 10_000;
/** The number of runs of a key that is trusted: before keys that never ran. */
const TRUSTED = -1;

/**
 * Runs a few tasks at a time. The next one belongs to the key with the fewest runs since it was trusted last, so that
 * keys with many tasks delay themselves. A full queue drops a task of the key that has the most.
 */
export class FairQueue {
  private readonly options: FairQueueOptions;
  /** In the order in which the keys waited first. */
  private readonly waiting = new Map<string, Waiting[]>();
  private readonly runs = new Map<string, number>();
  private waitingCount = 0;
  private running = 0;

  constructor(options: FairQueueOptions) {
    this.options = options;
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.lanes) await this.turnOf(key);
    else this.begin(key);
    try {
      return await task();
    } finally {
      this.running--;
      this.startNext();
    }
  }

  private begin(key: string): void {
    this.running++;
    this.setRuns(key, Math.max(0, this.runs.get(key) ?? 0) + 1);
  }

  /** What the key has asked for so far was right: its next task comes before those of keys that nothing is known of. */
  trust(key: string): void {
    this.setRuns(key, TRUSTED);
  }

  private setRuns(key: string, runs: number): void {
    this.runs.delete(key);
    this.runs.set(key, runs);
    if (this.runs.size > COUNTED_MAX) this.runs.delete(this.runs.keys().next().value!);
  }

  private turnOf(key: string): Promise<void> {
    const { waitingMax, waitingPerKeyMax, onFull } = this.options;
    const own = this.waiting.get(key) ?? [];
    if (
      own.length >= waitingPerKeyMax ||
      (this.waitingCount >= waitingMax && !this.dropFromLongest(own.length))
    )
      throw onFull();
    return new Promise((resolve, reject) => {
      const start = () => {
        this.begin(key);
        resolve();
      };
      own.push({ start, refuse: () => reject(onFull()) });
      this.waiting.set(key, own);
      this.waitingCount++;
    });
  }

  /** Makes room for a key that has `length` tasks; false when no key has more than it would have then. */
  private dropFromLongest(length: number): boolean {
    let longest: Waiting[] = [];
    for (const tasks of this.waiting.values()) if (tasks.length > longest.length) longest = tasks;
    if (longest.length <= length + 1) return false;
    longest.pop()!.refuse();
    this.waitingCount--;
    return true;
  }

  private startNext(): void {
    if (this.waitingCount === 0) return;
    let key = '';
    let fewest = Number.POSITIVE_INFINITY;
    for (const one of this.waiting.keys()) {
      const runs = this.runs.get(one) ?? 0;
      if (runs >= fewest) continue;
      key = one;
      fewest = runs;
    }
    const tasks = this.waiting.get(key)!;
    const next = tasks.shift()!;
    this.waitingCount--;
    if (tasks.length === 0) this.waiting.delete(key);
    next.start();
  }
}
