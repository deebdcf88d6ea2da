/** Rows of a key/value editor and the object that the API knows. */
export interface Pair {
  /** Tells rows apart while their keys are typed. */
  id: number;
  key: string;
  value: string;
}

let nextId = 1;
export const newPair = (key = '', value = ''): Pair => ({ id: nextId++, key, value });

export const pairsOf = (value: unknown): Pair[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([key, one]) =>
        newPair(key, typeof one === 'string' ? one : JSON.stringify(one)),
      )
    : [];

/** Rows left wholly empty say nothing. */
export const objectOf = (pairs: readonly Pair[]): Record<string, string> =>
  Object.fromEntries(pairs.filter(({ key }) => key !== '').map(({ key, value }) => [key, value]));

export type PairFault = { kind: 'duplicate'; key: string } | { kind: 'empty' };

/** What is wrong with each row, by its id. */
export function pairFaults(pairs: readonly Pair[]): Map<number, PairFault> {
  const seen = new Set<string>();
  const faults = new Map<number, PairFault>();
  for (const { id, key, value } of pairs) {
    if (key === '' && value !== '') faults.set(id, { kind: 'empty' });
    if (key !== '' && seen.has(key)) faults.set(id, { kind: 'duplicate', key });
    seen.add(key);
  }
  return faults;
}
