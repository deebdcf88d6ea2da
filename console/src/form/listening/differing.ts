import { same } from '../values.ts';

type Values = Record<string, unknown>;

const isBlock = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is not at its default, block by block: the rest is left to the broker, which may have another one. */
export function differing(values: Values, standard: Values): Values {
  const entries = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    if (same(value, standard[key])) return [];
    return [[key, isBlock(value) && isBlock(standard[key]) ? differing(value, standard[key]) : value]];
  });
  return Object.fromEntries(entries);
}
