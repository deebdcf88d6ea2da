import type { ExploredValue } from '@mqdeck/contract/topic-explorer';
import {
  type Decoded,
  type Decoding,
  decode,
  guess,
  type ProtobufChoice,
} from '../../payload/decode/decode.ts';
import { numericFields } from '../../payload/decode/plain.ts';
import { fromBase64 } from '../../payload/payload-formats.ts';

export type Reading = Decoding | 'auto' | 'raw';
export const READINGS = ['auto', 'json', 'cbor', 'msgpack', 'sparkplug', 'protobuf', 'raw'] as const;

/** The newest first, as many as the broker keeps. */
const VALUES_MAX = 100;

/** What came meanwhile before what was known. */
export function joined(
  known: readonly ExploredValue[],
  news: readonly ExploredValue[],
): readonly ExploredValue[] {
  if (news.length === 0) return known;
  const oldest = news.at(-1)!.at;
  return [...news, ...known.filter(({ at }) => at < oldest)].slice(0, VALUES_MAX);
}

/** A name for each value that newer ones do not change; several may be of one millisecond. */
export function namesOf(values: readonly ExploredValue[]): readonly string[] {
  const seen = new Map<number, number>();
  return values
    .map(({ at }) => at)
    .reverse()
    .map((at) => {
      const nr = seen.get(at) ?? 0;
      seen.set(at, nr + 1);
      return `${at} ${nr}`;
    })
    .reverse();
}

export function bytesOf({ payload }: Pick<ExploredValue, 'payload'>): Uint8Array<ArrayBuffer> {
  const parsed = fromBase64(payload);
  return 'bytes' in parsed ? parsed.bytes : new Uint8Array();
}

/** The value of a payload; null when it is shown as bytes. */
export function readValue(
  value: ExploredValue,
  topic: string,
  reading: Reading,
  protobuf: ProtobufChoice | undefined,
): Decoded | null {
  if (reading === 'raw') return null;
  const bytes = bytesOf(value);
  const how = reading === 'auto' ? guess(bytes, topic, value.content_type) : reading;
  return how === null ? null : decode(bytes, how, protobuf);
}

export interface Line {
  path: string;
  times: number[];
  values: (number | null)[];
}

/** The numbers of all values by their place, oldest first; those of the newest value lead. A bare number is one too. */
export function linesOf(
  values: readonly ExploredValue[],
  read: (value: ExploredValue) => Decoded | null,
): Line[] {
  const oldestFirst = [...values].reverse();
  const times = oldestFirst.map(({ at }) => at);
  const lines = new Map<string, Line>();
  for (const [i, value] of oldestFirst.entries()) {
    const decoded = read(value);
    if (decoded === null || !('value' in decoded)) continue;
    for (const { path, value: number } of numericFields(decoded.value)) {
      let line = lines.get(path);
      if (!line) {
        line = { path, times, values: times.map(() => null) };
        lines.set(path, line);
      }
      line.values[i] = number;
    }
  }
  return [...lines.values()];
}

export interface Difference {
  path: string;
  before: string | undefined;
  after: string | undefined;
}

const DIFFERENCES_MAX = 500;

/** What differs between two values, leaf by leaf. */
export function differences(before: unknown, after: unknown): Difference[] {
  const [old, now] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])]
    .map((path) => ({ path, before: old.get(path), after: now.get(path) }))
    .filter((one) => one.before !== one.after)
    .slice(0, DIFFERENCES_MAX);
}

function leavesOf(value: unknown): Map<string, string> {
  const leaves = new Map<string, string>();
  const walk = (one: unknown, path: string) => {
    if (typeof one === 'object' && one !== null && Object.keys(one).length > 0)
      for (const [key, entry] of Object.entries(one))
        walk(entry, Array.isArray(one) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`);
    else leaves.set(path, JSON.stringify(one) ?? '');
  };
  walk(value, '');
  return leaves;
}
