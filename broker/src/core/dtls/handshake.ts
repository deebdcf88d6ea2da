import { Alert, DtlsError } from './alerts.ts';
import { u8, u16, u24 } from './bytes.ts';

/** Types of handshake messages, those of a handshake with certificates. */
export const HandshakeType = {
  helloRequest: 0,
  clientHello: 1,
  serverHello: 2,
  helloVerifyRequest: 3,
  certificate: 11,
  serverKeyExchange: 12,
  certificateRequest: 13,
  serverHelloDone: 14,
  certificateVerify: 15,
  clientKeyExchange: 16,
  finished: 20,
} as const;

const HEADER_BYTES = 12;
const MESSAGE_BYTES_MAX = 16 * 1024; // a chain of certificates is the longest
const AHEAD_MAX = 4; // messages of a flight that overtake others
const RANGES_MAX = 64; // of a message, apart from each other

interface Fragment {
  type: number;
  length: number; // of the message
  sequence: number;
  offset: number;
  body: Buffer;
}

export interface HandshakeMessage {
  type: number;
  sequence: number;
  body: Buffer;
}

/** The fragments of a record; throws DtlsError when it is none. */
export function readFragments(record: Buffer): Fragment[] {
  const fragments: Fragment[] = [];
  for (let at = 0; at < record.length; ) {
    if (record.length - at < HEADER_BYTES) throw new DtlsError(Alert.decodeError, 'a fragment is cut');
    const length = record.readUIntBE(at + 1, 3);
    const offset = record.readUIntBE(at + 6, 3);
    const bytes = record.readUIntBE(at + 9, 3);
    const from = at + HEADER_BYTES;
    if (from + bytes > record.length || offset + bytes > length || length > MESSAGE_BYTES_MAX)
      throw new DtlsError(Alert.decodeError, 'a fragment is longer than its message');
    fragments.push({
      type: record[at]!,
      length,
      sequence: record.readUInt16BE(at + 4),
      offset,
      body: record.subarray(from, from + bytes),
    });
    at = from + bytes;
  }
  return fragments;
}

/** A message as the transcript has it, or a fragment of it as it is sent. */
export const writeMessage = (
  { type, sequence, body }: HandshakeMessage,
  offset = 0,
  bytes = body.length,
): Buffer =>
  Buffer.concat([
    u8(type),
    u24(body.length),
    u16(sequence),
    u24(offset),
    u24(bytes),
    body.subarray(offset, offset + bytes),
  ]);

interface Partial {
  type: number;
  body: Buffer;
  /** Ranges that have come, in order, apart from each other. */
  have: [from: number, to: number][];
}

/** Puts messages together from their fragments, in order. Keeps what came of the next few. */
export class Reassembly {
  /** The number of the message that is waited for. */
  next: number;
  private readonly partials = new Map<number, Partial>();

  constructor(next: number) {
    this.next = next;
  }

  add({ type, length, sequence, offset, body }: Fragment): void {
    if (sequence < this.next || sequence >= this.next + AHEAD_MAX) return;
    let partial = this.partials.get(sequence);
    if (partial === undefined) {
      partial = { type, body: Buffer.alloc(length), have: [] };
      this.partials.set(sequence, partial);
    }
    if (partial.type !== type || partial.body.length !== length)
      throw new DtlsError(Alert.illegalParameter, 'fragments of a message do not agree');
    if (partial.have.length >= RANGES_MAX) return;
    body.copy(partial.body, offset);
    partial.have = joined([...partial.have, [offset, offset + body.length]]);
  }

  /** The next message when it is whole. */
  take(): HandshakeMessage | null {
    const partial = this.partials.get(this.next);
    if (partial === undefined) return null;
    const { type, body, have } = partial;
    if (have.length !== 1 || have[0]![0] !== 0 || have[0]![1] !== body.length) return null;
    this.partials.delete(this.next);
    const sequence = this.next++;
    return { type, sequence, body };
  }
}

function joined(ranges: [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of ranges.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
