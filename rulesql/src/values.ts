import type { Comparison } from './ast.ts';
import { SqlFault } from './errors.ts';
import { isNumber, numberOf, parseJson, stringifyJson } from './integers.ts';

/** A value of a statement: what JSON knows (integers that no number holds exactly as bigint), bytes that are no text, and undefined for what is not there. */
export type Value =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | Value[]
  | { [key: string]: Value };
export type ValueMap = { [key: string]: Value };

/** Texts longer than this are no result of a function: a rule must not fill the memory. */
export const TEXT_LENGTH_MAX = 16 * 1024 * 1024;

/** And lists that are longer: so many letters, so many items. */
export const LIST_LENGTH_MAX = 1_000_000;

export function limited(text: string): string {
  if (text.length > TEXT_LENGTH_MAX) throw new SqlFault('system_limit');
  return text;
}

export const isMap = (value: Value): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);

/** Sets a key of a map that may have any name: `__proto__` too is only a key. */
export function setKey(map: ValueMap, key: string, value: Value): void {
  if (key === '__proto__')
    Object.defineProperty(map, key, { value, writable: true, enumerable: true, configurable: true });
  else map[key] = value;
}

export function decodeJson(text: string): Value {
  try {
    return parseJson(text) as Value;
  } catch (cause) {
    if (cause instanceof SqlFault) throw cause;
    throw new SqlFault('decode_json_failed');
  }
}

/** What a value is in a text: itself, or JSON. */
export function textOf(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'undefined':
      return 'undefined';
  }
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return bytesToText(value);
  return jsonOf(value);
}

const decoder = new TextDecoder();
const bytesToText = (bytes: Uint8Array): string => decoder.decode(bytes);

/** As the API shows it: what is not there is the text `undefined`. */
export function jsonOf(value: Value): string {
  const room = new Room();
  const shown = (key: string, one: unknown): unknown => {
    const text = one === undefined ? 'undefined' : one instanceof Uint8Array ? bytesToText(one) : one;
    room.take(key.length + (typeof text === 'string' ? text.length : 0));
    return text;
  };
  return stringifyJson(value, shown) ?? '"undefined"';
}

const VALUE_LETTERS = 8; // what a value counts beside its own letters

/** For so many letters as one text may have. What holds the same thing many times is small until it is written out. */
class Room {
  private left = TEXT_LENGTH_MAX;

  take(letters: number): void {
    this.left -= letters + VALUE_LETTERS;
    if (this.left < 0) throw new SqlFault('system_limit');
  }
}

/**
 * The same for an answer that is sent as JSON, whose readers may round: an integer that no number holds exactly is the text of
 * its digits. Throws SqlFault when it would be too long.
 */
export function presented(value: Value, room = new Room()): unknown {
  if (value === undefined) return 'undefined';
  const text = value instanceof Uint8Array || typeof value === 'bigint' ? textOf(value) : value;
  room.take(typeof text === 'string' ? text.length : 0);
  if (Array.isArray(text)) return text.map((one) => presented(one, room));
  if (!isMap(text)) return text;
  const entries = Object.entries(text).map(([key, one]) => {
    room.take(key.length);
    return [key, presented(one, room)];
  });
  return Object.fromEntries(entries);
}

const NUMERIC = /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

export const numberIn = (text: string): number | bigint | null =>
  NUMERIC.test(text) ? numberOf(text) : null;

export function equal(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (isNumber(left) && typeof right === 'string') return numberIn(right) === left;
  if (typeof left === 'string' && isNumber(right)) return numberIn(left) === right;
  if (typeof left === 'boolean' && typeof right === 'string') return String(left) === right;
  if (typeof left === 'string' && typeof right === 'boolean') return left === String(right);
  return sameThing(left, right);
}

/** Without making a number of a text. */
export function sameThing(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (left instanceof Uint8Array || right instanceof Uint8Array)
    return (
      left instanceof Uint8Array && right instanceof Uint8Array && bytesToText(left) === bytesToText(right)
    );
  if (Array.isArray(left) || Array.isArray(right))
    return (
      Array.isArray(left) &&
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((one, at) => sameThing(one, right[at]))
    );
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameThing(left[name], right[name]))
  );
}

/** Kinds in the order in which they are smaller or greater than each other. */
const kindOf = (value: Value): number => {
  if (isNumber(value)) return 0;
  if (value === undefined || value === null || typeof value === 'boolean') return 1;
  if (isMap(value)) return 2;
  return Array.isArray(value) ? 3 : 4;
};

function order(left: Value, right: Value): number {
  let [a, b] = [left, right];
  if (isNumber(a) && typeof b === 'string') b = numberIn(b) ?? b;
  if (typeof a === 'string' && isNumber(b)) a = numberIn(a) ?? a;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  const kinds = kindOf(a) - kindOf(b);
  if (kinds !== 0) return kinds;
  const [text, other] = [textOf(a), textOf(b)];
  return text < other ? -1 : text > other ? 1 : 0;
}

export const compare = (operator: Exclude<Comparison, '=~'>, left: Value, right: Value): boolean => {
  switch (operator) {
    case '=':
      return equal(left, right);
    case '!=':
      return !equal(left, right);
    case '>':
      return order(left, right) > 0;
    case '<':
      return order(left, right) < 0;
    case '>=':
      return order(left, right) >= 0;
    case '<=':
      return order(left, right) <= 0;
  }
};

/** Where an index leads: from 1, or from the end when it is negative. -1 when it leads nowhere. */
export const placeOf = (index: number, length: number): number => {
  if (!Number.isInteger(index) || index === 0) return -1;
  const place = index > 0 ? index - 1 : length + index;
  return place >= 0 && place < length ? place : -1;
};

/** From the first to the last, both included; undefined where they are not all there. */
export function rangeOf(items: Value, from: number, to: number): Value {
  if (!Array.isArray(items)) return undefined;
  const first = placeOf(from, items.length);
  const last = placeOf(to, items.length);
  return first === -1 || last === -1 || last < first ? undefined : items.slice(first, last + 1);
}
