import { lookUp } from '@mqdeck/rulesql/template';
import { jsonOf, type Value } from '@mqdeck/rulesql/values';
import { BackendConfigError } from '../../../backends/backend.ts';
import type { Row } from '../../../resources/driver.ts';

/** An SQL statement with places for what a row says; they become parameters, never SQL. */
export interface SqlStatement {
  /** For one row. */
  readonly text: string;
  values(row: Row): SqlParameter[];
  /** For several rows in one statement; null where it is no INSERT of values. */
  many(rows: readonly Row[]): { text: string; values: SqlParameter[] } | null;
}

export type SqlParameter = string | number | boolean | null | Buffer;

/** The mark of a parameter, by its number from 1: `?` or `$1`. */
export type Mark = (number: number) => string;

const PLACE = /'\$\{([^{}\s]*)\}'|"\$\{([^{}\s]*)\}"|\$\{([^{}\s]*)\}/g;
const PARAMETERS_MAX = 30_000; // of one statement

/** Throws BackendConfigError where a place stands inside of a quoted text. */
export function sqlStatement(sql: string, mark: Mark): SqlStatement {
  const clean = sql.trim().replace(/;+$/, '');
  checkQuotes(clean);
  const whole = partsOf(clean);
  const insert = insertOf(clean);
  return {
    text: written(whole, mark, 0),
    values: (row) => whole.names.map((name) => parameter(row, name)),
    many(rows) {
      if (insert === null || rows.length * insert.tuple.names.length > PARAMETERS_MAX) return null;
      const { head, tuple, tail } = insert;
      const size = tuple.names.length;
      const tuples = rows.map((_, at) => written(tuple, mark, at * size));
      return {
        text: `${head}${tuples.join(', ')}${tail}`,
        values: rows.flatMap((row) => tuple.names.map((name) => parameter(row, name))),
      };
    },
  };
}

interface Parts {
  texts: string[];
  names: string[];
}

function partsOf(sql: string): Parts {
  const texts: string[] = [];
  const names: string[] = [];
  let end = 0;
  for (const match of sql.matchAll(PLACE)) {
    texts.push(sql.slice(end, match.index));
    names.push(match[1] ?? match[2] ?? match[3]!);
    end = match.index + match[0].length;
  }
  texts.push(sql.slice(end));
  return { texts, names };
}

const written = ({ texts }: Parts, mark: Mark, before: number): string =>
  texts.reduce((all, text, at) => (at === 0 ? text : all + mark(before + at) + text), '');

/** A place alone between quotes is a value; one among other letters would not be seen as such. */
function checkQuotes(sql: string): void {
  const without = sql.replace(PLACE, '');
  if (/'[^']*\$\{[^']*'/.test(without))
    throw new BackendConfigError('sql', 'a place such as ${topic} must not stand inside of a quoted text');
  const inside = sql.match(/'(?:[^']|'')*'/g) ?? [];
  if (inside.some((text) => /\$\{[^{}]*\}/.test(text) && !/^'\$\{[^{}]*\}'$/.test(text)))
    throw new BackendConfigError('sql', 'a place such as ${topic} must not stand inside of a quoted text');
}

/** Of `INSERT … VALUES (…) …`: what is before the tuple, the tuple, what is behind; places only in the tuple. */
function insertOf(sql: string): { head: string; tuple: Parts; tail: string } | null {
  if (!/^(?:insert|replace)\s+into\b/i.test(sql)) return null;
  const values = /\bvalues\s*\(/i.exec(sql);
  if (!values) return null;
  const start = values.index + values[0].length - 1;
  const end = closing(sql, start);
  if (end === -1) return null;
  const tail = sql.slice(end + 1);
  const head = sql.slice(0, start);
  if (/\$\{/.test(head) || /\$\{/.test(tail) || /^\s*,/.test(tail)) return null;
  return { head, tuple: partsOf(sql.slice(start, end + 1)), tail };
}

/** Where the bracket that opens at a place closes. */
function closing(sql: string, open: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = open; at < sql.length; at++) {
    const letter = sql[at];
    if (letter === "'") quoted = !quoted;
    if (quoted) continue;
    if (letter === '(') depth++;
    if (letter === ')' && --depth === 0) return at;
  }
  return -1;
}

function parameter(row: Row, name: string): SqlParameter {
  const value = valueAt(row, name);
  if (value === undefined || value === null) return null;
  if (value instanceof Uint8Array) return Buffer.from(value);
  // Drivers of databases take an integer of 64 bits as the text of its digits
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'object' ? jsonOf(value) : value;
}

export function valueAt(row: Row, name: string): Value {
  const path = name.split('.').filter((key) => key !== '');
  return path.length === 0 ? jsonOf(row) : lookUp(row, path);
}
