import { type CoapMessage, type CoapOption, optionOf, uintOption } from './message.ts';

/** A part of a body: which, whether more follow, and how large they are (RFC 7959, 2.2). */
export interface Block {
  readonly num: number;
  readonly more: boolean;
  readonly szx: number; // 0 = 16 bytes … 6 = 1024 bytes
}

export const SZX_MAX = 6;
const NUM_MAX = 2 ** 20 - 1; // 20 bits

export const blockBytes = (szx: number): number => 2 ** (szx + 4);

/** Undefined: there is none. Null: it is none that may be. */
export function blockOf(message: CoapMessage, name: 'Block1' | 'Block2'): Block | null | undefined {
  const value = optionOf(message, name);
  if (value === undefined) return undefined;
  if (value.length > 3) return null;
  const number = value.length === 0 ? 0 : value.readUIntBE(0, value.length);
  const szx = number & 7;
  if (szx > SZX_MAX) return null; // 7 is reserved
  return { num: number >>> 4, more: (number & 8) !== 0, szx };
}

export function blockOption(name: 'Block1' | 'Block2', { num, more, szx }: Block): CoapOption {
  if (num > NUM_MAX) throw new RangeError('more blocks than can be numbered');
  return uintOption(name, num * 16 + (more ? 8 : 0) + szx);
}

/** A block of a body, or null when it has no such block. */
export function partOf(body: Buffer, num: number, szx: number): { part: Buffer; more: boolean } | null {
  const from = num * blockBytes(szx);
  if (from >= body.length && !(num === 0 && body.length === 0)) return null;
  const to = from + blockBytes(szx);
  return { part: body.subarray(from, to), more: to < body.length };
}
