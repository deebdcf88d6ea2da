import { readFileSync } from 'node:fs';
import os from 'node:os';

const GIBI = 1024 ** 3;

/** Bytes as the API writes memory: `1.33G`. */
const gigabytes = (bytes: number): string => `${(bytes / GIBI).toFixed(2)}G`;

/** How the machine is doing. */
export function machine() {
  const [load1, load5, load15] = os.loadavg().map((load) => Math.round(load * 100) / 100);
  const total = os.totalmem();
  return {
    load1: load1!,
    load5: load5!,
    load15: load15!,
    memory_used: gigabytes(total - os.freemem()),
    memory_total: gigabytes(total),
  };
}

/** How many files and sockets this process may have open; a word where the system does not say. */
export function openFilesMax(): number | string {
  try {
    const limit = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined || !/^\d+$/.test(limit) ? (limit ?? 'unknown') : Number(limit);
  } catch {
    return 'unknown'; // not Linux
  }
}
