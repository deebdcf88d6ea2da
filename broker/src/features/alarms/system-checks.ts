import os from 'node:os';
import type { Alarms } from './alarms.ts';

/** EMQX's defaults, in percent. */
const CPU = { high: 80, low: 60 };
const MEMORY = { high: 70 };
const CHECK_EVERY_MS = 60_000;

/** What is measured; tests bring their own. */
export interface Measure {
  memoryUsedPercent(): number;
  /** Of all processors together, since the last call; null when no time has passed. */
  cpuUsedPercent(): number | null;
}

/** Raises and clears the alarms of the machine; the returned function ends it. */
export function startSystemChecks(alarms: Alarms, measure: Measure = thisMachine()): () => void {
  const timer = setInterval(() => checkSystem(alarms, measure), CHECK_EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export function checkSystem(alarms: Alarms, measure: Measure): void {
  const memory = rounded(measure.memoryUsedPercent());
  if (memory > MEMORY.high) {
    const details = { high_watermark: MEMORY.high, usage: memory };
    alarms.activate('high_system_memory_usage', `${memory}% mem usage`, details);
  } else {
    alarms.deactivate('high_system_memory_usage');
  }
  const cpu = measure.cpuUsedPercent();
  if (cpu === null) return;
  if (cpu >= CPU.high) {
    const details = { high_watermark: CPU.high, low_watermark: CPU.low, usage: rounded(cpu) };
    alarms.activate('high_cpu_usage', `${rounded(cpu)}% cpu usage`, details);
  } else if (cpu <= CPU.low) {
    alarms.deactivate('high_cpu_usage'); // in between it stays as it was
  }
}

const rounded = (percent: number): number => Math.round(percent * 100) / 100;

function thisMachine(): Measure {
  let last = processorTimes();
  return {
    memoryUsedPercent: () => (1 - os.freemem() / os.totalmem()) * 100,
    cpuUsedPercent() {
      const now = processorTimes();
      const total = now.total - last.total;
      const idle = now.idle - last.idle;
      last = now;
      return total > 0 ? (1 - idle / total) * 100 : null;
    },
  };
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
