import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { ArchiveFault } from './tar.ts';

/**
 * A stream encrypted with a passphrase: a header, then segments of AES-256-GCM. The nonce of a segment holds its number and
 * whether it is the last one, so segments cannot be cut off, exchanged or repeated unnoticed. Layout of version 1:
 *
 * header   "MQDECKBK", version (1 byte), salt of scrypt (16), prefix of the nonces (7); authenticated with each segment
 * segment  up to 64 KB of ciphertext, authentication tag (16)
 * nonce    prefix (7), number of the segment (4, big-endian), 1 for the last one and 0 otherwise
 */

const MAGIC = Buffer.from('MQDECKBK');
const VERSION = 1;
const SALT_BYTES = 16;
const PREFIX_BYTES = 7;
const HEADER_BYTES = MAGIC.length + 1 + SALT_BYTES + PREFIX_BYTES;
const SEGMENT_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Of version 1, as OWASP recommends for 32 MB of memory. */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 ** 2 };

const deriveKey = promisify<string, Buffer, number, typeof SCRYPT, Buffer>(scrypt);

/** The passphrase is missing or wrong. A damaged first segment looks the same. */
export class PassphraseError extends ArchiveFault {}

export async function* encrypted(content: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const header = Buffer.concat([
    MAGIC,
    Buffer.of(VERSION),
    randomBytes(SALT_BYTES),
    randomBytes(PREFIX_BYTES),
  ]);
  const key = await keyOf(header, passphrase);
  yield header;
  let number = 0;
  for await (const { bytes, isLast } of segments(content, SEGMENT_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonceOf(header, number++, isLast)).setAAD(header);
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/** What was encrypted. Throws PassphraseError, and ArchiveFault where the stream is none of ours, damaged or cut off. */
export async function* decrypted(content: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  let header: Buffer | null = null;
  let key: Buffer = Buffer.alloc(0);
  let number = 0;
  for await (const { bytes, isLast } of segments(content, SEGMENT_BYTES + TAG_BYTES, HEADER_BYTES)) {
    if (header === null) {
      header = checkedHeader(bytes);
      key = await keyOf(header, passphrase);
      continue;
    }
    yield opened(bytes, header, { key, number: number++, isLast });
  }
  if (number === 0) throw new ArchiveFault('The encrypted archive ends too early');
}

/** Whether bytes begin as an encrypted stream of a known version; throws ArchiveFault otherwise. */
export function checkedHeader(bytes: Buffer): Buffer {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new ArchiveFault('The file is no encrypted archive');
  const version = bytes[MAGIC.length]!;
  if (version !== VERSION)
    throw new ArchiveFault(
      `The archive was encrypted by another version, in form ${version}, which is unknown here`,
    );
  return bytes.subarray(0, HEADER_BYTES);
}

interface Opening {
  key: Buffer;
  number: number;
  isLast: boolean;
}

function opened(bytes: Buffer, header: Buffer, { key, number, isLast }: Opening): Buffer {
  if (bytes.length < TAG_BYTES) throw new ArchiveFault('The encrypted archive ends too early');
  const decipher = createDecipheriv('aes-256-gcm', key, nonceOf(header, number, isLast)).setAAD(header);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(0, -TAG_BYTES)), decipher.final()]);
  } catch (cause) {
    if (number > 0) throw new ArchiveFault('The encrypted archive is damaged or cut off', { cause });
    throw new PassphraseError('The passphrase is wrong, or the archive is damaged', { cause });
  }
}

/** The same letters have the same key, however they were typed. */
const keyOf = (header: Buffer, passphrase: string): Promise<Buffer> => {
  const salt = header.subarray(MAGIC.length + 1, MAGIC.length + 1 + SALT_BYTES);
  return deriveKey(passphrase.normalize('NFC'), salt, KEY_BYTES, SCRYPT);
};

function nonceOf(header: Buffer, number: number, isLast: boolean): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt32BE(number);
  rest[4] = Number(isLast);
  return Buffer.concat([header.subarray(-PREFIX_BYTES), rest]);
}

/** Pieces of a size, the first of another one where that is given; the last is as long as what is left. */
async function* segments(
  content: AsyncIterable<Buffer>,
  size: number,
  first = size,
): AsyncGenerator<{ bytes: Buffer; isLast: boolean }> {
  let held: Buffer[] = [];
  let length = 0;
  let wanted = first;
  for await (const chunk of content) {
    held.push(chunk);
    length += chunk.length;
    if (length <= wanted) continue;
    let all = Buffer.concat(held);
    while (all.length > wanted) {
      yield { bytes: all.subarray(0, wanted), isLast: false };
      all = all.subarray(wanted);
      wanted = size;
    }
    held = [all];
    length = all.length;
  }
  yield { bytes: Buffer.concat(held), isLast: true };
}
