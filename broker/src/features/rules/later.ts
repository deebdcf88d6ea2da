import { Turn } from '../../paging/turn.ts';

/** More than that is not remembered. */
const WAITING_MAX = 100_000;
const WAITING_BYTES_MAX = 64 * 1024 ** 2;

interface Task {
  /** Must not throw. */
  run: () => void;
  /** What it keeps in memory. */
  bytes: number;
}

/** Runs what can wait in later turns of the event loop, in its order. */
export class Later {
  private tasks: Task[] = [];
  /** Of the tasks, these are done. */
  private done = 0;
  private bytes = 0;
  private running = false;

  /** False when too much waits already. */
  add(task: Task): boolean {
    if (this.tasks.length - this.done >= WAITING_MAX || this.bytes + task.bytes > WAITING_BYTES_MAX)
      return false;
    this.tasks.push(task);
    this.bytes += task.bytes;
    if (!this.running) void this.runAll();
    return true;
  }

  clear(): void {
    this.tasks = [];
    this.done = 0;
    this.bytes = 0;
  }

  private async runAll(): Promise<void> {
    this.running = true;
    const turn = new Turn();
    await turn.next();
    while (this.done < this.tasks.length) {
      const { run, bytes } = this.tasks[this.done]!;
      this.done += 1;
      this.bytes -= bytes;
      run();
      if (!turn.over) continue;
      this.tasks.splice(0, this.done);
      this.done = 0;
      await turn.next();
    }
    this.clear();
    this.running = false;
  }
}
