// Reads a CPU profile of V8: which functions the time itself was spent in, without those that they called.
import path from 'node:path';
import { printTable, say } from './report.mjs';

const ROWS = 18;
const notWork = new Set(['(idle)', 'dispatch']); // the latter is the profiler being told to start and to stop

export function printHottest({ nodes, samples, timeDeltas }) {
  const micros = new Map();
  samples.forEach((id, i) => {
    micros.set(id, (micros.get(id) || 0) + timeDeltas[i]);
  });
  const byFunction = new Map();
  let busy = 0;
  for (const { id, callFrame } of nodes) {
    const spent = micros.get(id) || 0;
    if (spent === 0 || notWork.has(callFrame.functionName + callFrame.url)) continue;
    busy += spent;
    const place = callFrame.url ? ` ${path.basename(callFrame.url)}:${callFrame.lineNumber + 1}` : '';
    const name = `${callFrame.functionName || '(anonymous)'}${place}`;
    byFunction.set(name, (byFunction.get(name) || 0) + spent);
  }
  const hottest = Array.from(byFunction).sort((a, b) => b[1] - a[1]);
  printTable(
    ['function', 'of busy time'],
    hottest.slice(0, ROWS).map(([name, spent]) => [name, say((100 * spent) / busy, 1, ' %')]),
  );
}
