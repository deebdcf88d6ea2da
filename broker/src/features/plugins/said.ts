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
  z.strictObject({ did: z.literal('pong'), id, outsideBytes: z.number() }),
  z.strictObject({ did: z.literal('stop') }),
]);

/** Null = it cannot be understood. */
export function readSaid(one: unknown): FromPlugin | null {
  const result = z.safeParse(said, one);
  return result.success ? result.data : null;
}
