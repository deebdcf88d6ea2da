import type { Turn } from './turn.ts';

const RUN = 512; // rows sorted at once: well below a turn

type Compare<T> = (a: T, b: T) => number;

/** Sorts a list of any length without keeping the event loop: short runs, merged pair by pair. Stable. */
export async function sorted<T>(rows: T[], compare: Compare<T>, turn: Turn): Promise<T[]> {
  let runs: T[][] = [];
  for (let i = 0; i < rows.length; i += RUN) {
    runs.push(rows.slice(i, i + RUN).sort(compare));
    if (turn.over) await turn.next();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 < runs.length ? await merge(runs[i]!, runs[i + 1]!, compare, turn) : runs[i]!);
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(left: T[], right: T[], compare: Compare<T>, turn: Turn): Promise<T[]> {
  const out: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    const fromLeft = r === right.length || (l < left.length && compare(left[l]!, right[r]!) <= 0);
    out.push(fromLeft ? left[l++]! : right[r++]!);
    if (out.length % RUN === 0 && turn.over) await turn.next();
  }
  return out;
}

export type SortValue = string | number | boolean | null | undefined;

/** Numbers by size, texts by code unit, what is missing last; downwards when `order` says so. */
export function bySortValue<T>(valueIn: (row: T) => SortValue, order: 'asc' | 'desc'): Compare<T> {
  const sign = order === 'desc' ? -1 : 1;
  return (a, b) => {
    const x = valueIn(a) ?? null;
    const y = valueIn(b) ?? null;
    if (x === y) return 0;
    if (x === null || y === null) return x === null ? 1 : -1;
    return x < y ? -sign : sign;
  };
}
