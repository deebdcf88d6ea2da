// What Linux says about the CPU time and the memory of a process.
import fs from 'node:fs';
import { Failure } from '../../scripts/run.mjs';

const TICK_MS = 10; // USER_HZ is 100 on every Linux that Node runs on

export function needLinux() {
  if (!fs.existsSync('/proc/self/stat'))
    throw new Failure('This benchmark reads CPU time and memory from /proc, which only Linux has.');
}

/** CPU time of all threads of a process so far, and how much of it the kernel spent for it. */
export function cpuTime(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name in brackets may hold anything; utime and stime are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const kernelMs = Number(fields[12]) * TICK_MS;
  return { totalMs: Number(fields[11]) * TICK_MS + kernelMs, kernelMs };
}

/** Memory of a process that lies in RAM. */
export function residentBytes(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'latin1'));
  return Number(kilobytes) * 1024;
}
