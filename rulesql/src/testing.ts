import { compile } from './compile.ts';
import type { World } from './functions/function.ts';
import { functionTable } from './functions/table.ts';
import { presented, type Value } from './values.ts';

const NOW = Date.parse('2026-11-21T02:30:05.550Z');

export const PAYLOAD = {
  a: 1,
  b: 2.5,
  s: 'Hello World',
  t: true,
  n: null,
  l: [3, 1, 2],
  o: { x: { y: [{ z: 9 }, { z: 8 }] } },
  list: [
    { id: 1, v: 'a' },
    { id: 2, v: 'b' },
    { id: 3, v: 'c' },
  ],
  e: [],
  num: '12',
  'odd key': 7,
};

export const ROW: Record<string, Value> = {
  clientid: 'c1',
  username: 'u1',
  topic: 't/a/b',
  qos: 1,
  flags: { retain: false },
  payload: JSON.stringify(PAYLOAD),
};

export const newWorld = (): World => ({
  now: () => NOW,
  topicMatches: (topic, filter) => {
    const [levels, wanted] = [topic.split('/'), filter.split('/')];
    return wanted.every((one, at) => one === '#' || one === '+' || one === levels[at]);
  },
  store: new Map(),
});

/** What a statement makes of the row, as the API shows it. */
export function run(sql: string, row: Record<string, Value> = ROW, world: World = newWorld()): unknown {
  const result = compile(sql, functionTable, world).run(row);
  return result === null ? null : presented(result);
}

/** The value of one expression. */
export const value = (expression: string, row?: Record<string, Value>, world?: World): unknown =>
  (run(`SELECT ${expression} as r FROM "t/#"`, row, world) as { r: unknown }).r;
