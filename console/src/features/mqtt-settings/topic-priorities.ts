import { newRow, type Row } from './rows.ts';

/** What orders a queue: `disabled`, or a whole number of each topic. What cannot be read stays as it was typed. */
export const DISABLED = 'disabled';
export const PRIORITY_MIN = 1;
export const PRIORITY_MAX = 255;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const rowsOfPriorities = (value: unknown): Row[] =>
  isObject(value) ? Object.entries(value).map(([topic, one]) => newRow(topic, String(one))) : [];

/** A wrong number stays a text, which the check refuses. */
export const prioritiesOf = (rows: readonly Row[]): Record<string, unknown> =>
  Object.fromEntries(
    rows
      .filter(({ left }) => left !== '')
      .map(({ left, right }) => [left, /^\d{1,15}$/.test(right.trim()) ? Number(right) : right]),
  );

/** The value of a text of JSON; the text itself where it is no object, which the check refuses. */
export function prioritiesOfJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

export const jsonOfPriorities = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);
