import * as z from 'zod/mini';
import type { FromPlugin } from './protocol.ts';

/** What a plugin's thread may say. Anybody may speak there: nothing is taken that the thread's own end does not send. */

const LINE_CHARS_MAX = 4000;

const id = z.int().check(z.gte(0));
const line = z.string().check(z.maxLength(LINE_CHARS_MAX));

const said = z.discriminatedUnion('did', [
  z.strictObject({ did: z.literal('start') }),
  z.strictObject({ did: z.literal('fail'), reason: line }),
  z.strictObject({ did: z.literal('answer'), id, answer: z.unknown() }),
  z.strictObject({ did: z.literal('throw'), id, reason: line }),
  z.strictObject({ did: z.literal('hear'), count: id }),
  z.strictObject({ did: z.literal('publish'), id, message: z.unknown(), trail: z.array(z.string()) }),
  z.strictObject({ did: z.literal('log'), level: z.enum(['debug', 'info', 'warn', 'error']), text: line }),
  z.strictObject({ did: z.literal('pong'), id, heapBytes: z.number(), outsideBytes: z.number() }),
  z.strictObject({ did: z.literal('stop') }),
]);

/** Null = it cannot be understood. */
export function readSaid(one: unknown): FromPlugin | null {
  const result = z.safeParse(said, one);
  return result.success ? result.data : null;
}

/** About so many bytes it takes in memory; counting ends beyond `bytesMax`. */
export function bytesOf(value: unknown, bytesMax: number): number {
  let bytes = 0;
  const seen = new Set<object>(); // what it holds may hold itself
  const left: unknown[] = [value];
  while (left.length > 0 && bytes <= bytesMax) {
    const one = left.pop();
    bytes += 8;
    if (typeof one === 'string') bytes += one.length;
    if (typeof one !== 'object' || one === null || seen.has(one)) continue;
    seen.add(one);
    if (one instanceof ArrayBuffer || one instanceof SharedArrayBuffer) bytes += one.byteLength;
    else if (ArrayBuffer.isView(one))
      left.push(one.buffer); // a small view may bring a large buffer
    else if (Array.isArray(one) && one.length > bytesMax / 8) return Number.POSITIVE_INFINITY;
    else for (const item of itemsOf(one)) left.push(item);
  }
  return bytes;
}

function* itemsOf(one: object): Iterable<unknown> {
  if (one instanceof Map) yield* one.keys();
  if (one instanceof Map || one instanceof Set) yield* one.values();
  else yield* Array.isArray(one) ? one : Object.values(one);
}
