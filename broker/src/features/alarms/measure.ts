import { readFileSync } from 'node:fs';
import os from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** What is measured; tests bring their own. */
export interface Measure {
  memoryUsedPercent(): number;
  /** Of the machine's memory, by this process. */
  processMemoryPercent(): number;
  /** Of all processors together, since the last call; null when no time has passed. */
  cpuUsedPercent(): number | null;
  /** So late came, of a hundred turns of the event loop since the last call, the worst but one; milliseconds. */
  eventLoopDelayMs(): number;
  /** How many files the process may have open; null when that is not known. */
  readonly filesMax: number | null;
  close?(): void;
}

const DELAY_RESOLUTION_MS = 20;

export function thisMachine(): Measure {
  let last = processorTimes();
  const delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  delay.enable();
  return {
    memoryUsedPercent: () => (1 - os.freemem() / os.totalmem()) * 100,
    processMemoryPercent: () => (process.memoryUsage.rss() / os.totalmem()) * 100,
    cpuUsedPercent() {
      const now = processorTimes();
      const total = now.total - last.total;
      const idle = now.idle - last.idle;
      last = now;
      return total > 0 ? (1 - idle / total) * 100 : null;
    },
    eventLoopDelayMs() {
      const late = delay.percentile(99) / 1e6 - DELAY_RESOLUTION_MS;
      delay.reset();
      return Math.max(0, late);
    },
    filesMax: filesMax(),
    close: () => delay.disable(),
  };
}

function filesMax(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null; // not on this system
  }
}

function processorTimes(): { idle: number; total: number } {
  let idle = 0;
  let total = 0;
  for (const { times } of os.cpus()) {
    idle += times.idle;
    total += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, total };
}
