import * as z from 'zod/mini';
import { parseBytes, parseDuration } from './values.ts';

/** So many within so long. */
export interface RateFacts {
  count: number; // of what is limited: bytes, messages, connections …
  ms: number;
}

const RATE = /^(\d+(?:kb|mb|gb)?)(?:\/(\d*)(ms|s|m|h|d))?$/i;

/** `100/s`, `1000/1m`, `1MB/10s`; without a time per second. Null for `infinity` (no limit), undefined when it is no rate. */
export function rateOf(value: string | number): RateFacts | null | undefined {
  if (value === 'infinity') return null;
  const match = RATE.exec(String(value));
  if (!match) return undefined;
  const count = parseBytes(match[1]!);
  const ms = match[3] === undefined ? 1000 : parseDuration(`${match[2] || 1}${match[3]}`);
  return count && ms && Number.isSafeInteger(count) ? { count, ms } : undefined; // zero is no rate
}

const NO_RATE = 'Not a valid rate';
const rate = (hasUnits: boolean) =>
  z
    .union([z.string(), z.number()], NO_RATE)
    .check(
      z.refine(
        (value) => rateOf(value) !== undefined && (hasUnits || !/\d[kmg]b/i.test(String(value))),
        NO_RATE,
      ),
    );

/** A rate of things, `100/s`, or `infinity`. */
export const countRate = rate(false);
/** A rate of bytes, `1MB/s`, or `infinity`. */
export const byteRate = rate(true);
