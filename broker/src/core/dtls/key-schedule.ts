import { createHash } from 'node:crypto';
import { Protection, prf, type Suite } from './suites.ts';

/** All messages of a handshake so far, as if none had been fragmented (RFC 6347 section 4.2.6). */
export class Transcript {
  private readonly messages: Buffer[] = [];

  add(message: Buffer): void {
    this.messages.push(message);
  }

  get bytes(): Buffer {
    return Buffer.concat(this.messages);
  }

  digest(hash: Suite['hash']): Buffer {
    return createHash(hash).update(this.bytes).digest();
  }
}

export interface Randoms {
  client: Buffer;
  server: Buffer;
}

const MASTER_BYTES = 48;
const VERIFY_BYTES = 12;

/** `sessionHash`: up to the ClientKeyExchange, where both know RFC 7627; null where not. */
export function masterSecret(
  { hash }: Suite,
  preMaster: Buffer,
  { client, server }: Randoms,
  sessionHash: Buffer | null,
): Buffer {
  return sessionHash === null
    ? prf(hash, preMaster, 'master secret', Buffer.concat([client, server]), MASTER_BYTES)
    : prf(hash, preMaster, 'extended master secret', sessionHash, MASTER_BYTES);
}

/** What protects each direction from now on. */
export function protections(
  suite: Suite,
  master: Buffer,
  { client, server }: Randoms,
): { reading: Protection; writing: Protection } {
  const ivBytes = Protection.ivBytes(suite);
  const { keyBytes, hash } = suite;
  const seed = Buffer.concat([server, client]);
  const block = prf(hash, master, 'key expansion', seed, 2 * (keyBytes + ivBytes));
  const part = (from: number, length: number) => block.subarray(from, from + length);
  return {
    reading: new Protection(suite, part(0, keyBytes), part(2 * keyBytes, ivBytes)),
    writing: new Protection(suite, part(keyBytes, keyBytes), part(2 * keyBytes + ivBytes, ivBytes)),
  };
}

export const verifyData = (
  { hash }: Suite,
  master: Buffer,
  who: 'client' | 'server',
  transcript: Transcript,
): Buffer => prf(hash, master, `${who} finished`, transcript.digest(hash), VERIFY_BYTES);
