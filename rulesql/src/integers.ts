import { SqlFault } from './errors.ts';

/**
 * Integers of rules are exact from -2^63 to 2^64 - 1, which JSON, MessagePack and databases can carry; larger ones are
 * refused. Those that a JavaScript number holds exactly are numbers, the others are bigints. A number beyond the safe
 * range is therefore a float.
 */

const MIN = -(2n ** 63n);
const MAX = 2n ** 64n - 1n;
/** Fewer digits are always within the safe range. */
const MANY_DIGITS = /\d{16}/;
const DIGITS_MAX = 20;
const INTEGER = /^[+-]?\d+$/;

/** As a number where it is exact. Throws SqlFault beyond 64 bits. */
export function integer(value: bigint): number | bigint {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  if (value < MIN || value > MAX) throw new SqlFault('system_limit');
  return value;
}

/** A text of digits, or of a number with a fraction or an exponent, which is a float. */
export function numberOf(text: string): number | bigint {
  if (!INTEGER.test(text)) return Number(text);
  const digits = text.replace(/^([+-]?)0+(?=\d)/, '$1');
  if (digits.length > DIGITS_MAX + 1) throw new SqlFault('system_limit');
  return integer(BigInt(digits.replace('+', '')));
}

export const isInteger = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || Number.isInteger(value);

export const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'number' || typeof value === 'bigint';

const isExact = (value: number | bigint): boolean => typeof value === 'bigint' || Number.isSafeInteger(value);

/** Exact for two integers; a float where one of them is a float. */
export function calculate(
  a: number | bigint,
  b: number | bigint,
  of: { floats: (a: number, b: number) => number; integers: (a: bigint, b: bigint) => bigint },
): number | bigint {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = of.floats(a, b);
    if (Math.abs(result) <= Number.MAX_SAFE_INTEGER || !isExact(a) || !isExact(b)) return result;
  }
  if (isExact(a) && isExact(b)) return integer(of.integers(BigInt(a), BigInt(b)));
  return of.floats(Number(a), Number(b));
}

export const PLUS = { floats: (a: number, b: number) => a + b, integers: (a: bigint, b: bigint) => a + b };
export const MINUS = { floats: (a: number, b: number) => a - b, integers: (a: bigint, b: bigint) => a - b };
export const TIMES = { floats: (a: number, b: number) => a * b, integers: (a: bigint, b: bigint) => a * b };
export const OVER = {
  div: { floats: (a: number, b: number) => Math.trunc(a / b), integers: (a: bigint, b: bigint) => a / b },
  mod: { floats: (a: number, b: number) => a % b, integers: (a: bigint, b: bigint) => a % b },
};

/** Marks an integer that JSON.parse and JSON.stringify handle as a text. Nobody can guess the mark. */
const MARK = `integer:${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}:`;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARKED = new RegExp(`"${MARK}(-?\\d+)"`, 'g');

/** As JSON.parse, but integers are exact. Throws SyntaxError, and SqlFault for integers beyond 64 bits. */
export function parseJson(text: string): unknown {
  const rounded: unknown = JSON.parse(text);
  if (!MANY_DIGITS.test(text)) return rounded;
  const marked = text.replace(TOKENS, (token) =>
    /^-?\d{16,}$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK}${token}"` : token,
  );
  return JSON.parse(marked, (_key, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? numberOf(value.slice(MARK.length)) : value,
  );
}

/** As JSON.stringify, with integers in all their digits. */
export function stringifyJson(
  value: unknown,
  replacer: (key: string, value: unknown) => unknown = (_key, one) => one,
): string | undefined {
  let marks = false;
  const text = JSON.stringify(value, (key, one: unknown) => {
    if (typeof one !== 'bigint') return replacer(key, one);
    marks = true;
    return MARK + one;
  });
  return marks ? text.replace(MARKED, '$1') : text;
}
