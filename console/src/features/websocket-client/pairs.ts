/** User properties while they are typed: names may repeat, and their order is kept. */
export interface Pair {
  /** Tells rows apart. */
  id: number;
  name: string;
  value: string;
}

let nextId = 1;
export const newPair = (name = '', value = ''): Pair => ({ id: nextId++, name, value });

/** As they are sent; null when one with a value has no name. Rows left wholly empty say nothing. */
export function pairsToSend(pairs: readonly Pair[]): [name: string, value: string][] | null {
  const meant = pairs.filter(({ name, value }) => name !== '' || value !== '');
  return meant.some(({ name }) => name === '') ? null : meant.map(({ name, value }) => [name, value]);
}
