import {
  type CipherCCMTypes,
  type CipherGCMTypes,
  createCipheriv,
  createDecipheriv,
  createHmac,
} from 'node:crypto';
import { type Record, recordHeader } from './records.ts';

export type KeyKind = 'ec' | 'rsa';

export interface Suite {
  readonly id: number;
  readonly name: string; // of OpenSSL
  readonly standardName: string;
  readonly key: KeyKind; // of the certificate
  readonly cipher: CipherGCMTypes | CipherCCMTypes | 'chacha20-poly1305';
  readonly keyBytes: number;
  readonly tagBytes: number;
  readonly hash: 'sha256' | 'sha384';
}

const gcm = (bits: 128 | 256) => `aes-${bits}-gcm` as const;

/** ECDHE with ciphers that authenticate what they encrypt, the preferred first. */
export const SUITES: readonly Suite[] = [
  suite(0xc02b, 'ec', 'ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', gcm(128)),
  suite(0xc02f, 'rsa', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE_RSA_WITH_AES_128_GCM_SHA256', gcm(128)),
  suite(0xc02c, 'ec', 'ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', gcm(256)),
  suite(0xc030, 'rsa', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE_RSA_WITH_AES_256_GCM_SHA384', gcm(256)),
  suite(
    0xcca9,
    'ec',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256',
    'chacha20-poly1305',
  ),
  suite(
    0xcca8,
    'rsa',
    'ECDHE-RSA-CHACHA20-POLY1305',
    'ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256',
    'chacha20-poly1305',
  ),
  suite(0xc0ac, 'ec', 'ECDHE-ECDSA-AES128-CCM', 'ECDHE_ECDSA_WITH_AES_128_CCM', 'aes-128-ccm'),
  // What RFC 7252 asks of devices that speak CoAP
  suite(0xc0ae, 'ec', 'ECDHE-ECDSA-AES128-CCM8', 'ECDHE_ECDSA_WITH_AES_128_CCM_8', 'aes-128-ccm', 8),
];

function suite(
  id: number,
  key: KeyKind,
  name: string,
  standardName: string,
  cipher: Suite['cipher'],
  tagBytes = 16,
): Suite {
  const keyBytes = cipher.startsWith('aes-128') ? 16 : 32;
  const hash = standardName.endsWith('SHA384') ? 'sha384' : 'sha256';
  return { id, name, standardName: `TLS_${standardName}`, key, cipher, keyBytes, tagBytes, hash };
}

/** The pseudorandom function of RFC 5246 section 5. */
export function prf(
  hash: Suite['hash'],
  secret: Uint8Array,
  label: string,
  seed: Uint8Array,
  length: number,
): Buffer {
  const labelled = Buffer.concat([Buffer.from(label), seed]);
  const hmac = (bytes: Uint8Array) => createHmac(hash, secret).update(bytes).digest();
  const output: Buffer[] = [];
  let a: Buffer = labelled;
  for (let made = 0; made < length; made += output.at(-1)!.length) {
    a = hmac(a);
    output.push(hmac(Buffer.concat([a, labelled])));
  }
  return Buffer.concat(output).subarray(0, length);
}

const EXPLICIT_NONCE_BYTES = 8;

/** Protects the records of one direction in one epoch. */
export class Protection {
  private readonly suite: Suite;
  private readonly key: Buffer;
  private readonly iv: Buffer;

  constructor(suite: Suite, key: Buffer, iv: Buffer) {
    this.suite = suite;
    this.key = key;
    this.iv = iv;
  }

  static ivBytes(suite: Suite): number {
    return suite.cipher === 'chacha20-poly1305' ? 12 : 4;
  }

  private get explicitBytes(): number {
    return this.suite.cipher === 'chacha20-poly1305' ? 0 : EXPLICIT_NONCE_BYTES;
  }

  /** The record as it is sent. */
  seal(record: Record): Buffer {
    const { fragment } = record;
    const explicit = this.explicitBytes === 0 ? Buffer.alloc(0) : place(record);
    const cipher = this.createCipher(this.nonce(record, explicit));
    const additional = additionalData(record, fragment.length);
    cipher.setAAD(additional, { plaintextLength: fragment.length });
    const sealed = Buffer.concat([explicit, cipher.update(fragment), cipher.final(), cipher.getAuthTag()]);
    return Buffer.concat([recordHeader(record, sealed.length), sealed]);
  }

  /** What is in it; null when it is not genuine. */
  open(record: Record): Buffer | null {
    const { fragment } = record;
    const { tagBytes } = this.suite;
    const plainBytes = fragment.length - this.explicitBytes - tagBytes;
    if (plainBytes < 0) return null;
    const explicit = fragment.subarray(0, this.explicitBytes);
    const tagAt = fragment.length - tagBytes;
    const decipher = this.createDecipher(this.nonce(record, explicit));
    try {
      decipher.setAuthTag(fragment.subarray(tagAt));
      decipher.setAAD(additionalData(record, plainBytes), { plaintextLength: plainBytes });
      const plain = decipher.update(fragment.subarray(this.explicitBytes, tagAt));
      return Buffer.concat([plain, decipher.final()]);
    } catch {
      return null; // the tag does not fit: node:crypto has no gentler word for that
    }
  }

  private nonce(record: Record, explicit: Buffer): Buffer {
    if (this.explicitBytes > 0) return Buffer.concat([this.iv, explicit]);
    const nonce = Buffer.from(this.iv); // RFC 7905: the number of the record, over its end
    place(record).forEach((byte, i) => {
      nonce[4 + i]! ^= byte;
    });
    return nonce;
  }

  private createCipher(nonce: Buffer) {
    const { cipher, tagBytes } = this.suite;
    // The overloads of node:crypto tell its modes apart by literal types; all of them take the same arguments here
    return createCipheriv(cipher as CipherCCMTypes, this.key, nonce, { authTagLength: tagBytes });
  }

  private createDecipher(nonce: Buffer) {
    const { cipher, tagBytes } = this.suite;
    return createDecipheriv(cipher as CipherCCMTypes, this.key, nonce, { authTagLength: tagBytes });
  }
}

/** Epoch and number of a record. */
function place({ epoch, sequence }: Record): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16BE(epoch, 0);
  bytes.writeUIntBE(sequence, 2, 6);
  return bytes;
}

function additionalData(record: Record, length: number): Buffer {
  const rest = Buffer.alloc(5);
  rest[0] = record.type;
  rest.writeUInt16BE(record.version, 1);
  rest.writeUInt16BE(length, 3);
  return Buffer.concat([place(record), rest]);
}
