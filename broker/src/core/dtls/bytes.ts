import { Alert, DtlsError } from './alerts.ts';

/** Reads the fields of a message in order; reaching beyond its end is a decode error. */
export class ByteReader {
  private readonly bytes: Buffer;
  private at = 0;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  take(length: number): Buffer {
    if (length > this.left) throw new DtlsError(Alert.decodeError, 'a message ends too early');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  u8(): number {
    return this.take(1)[0]!;
  }

  u16(): number {
    return this.take(2).readUInt16BE();
  }

  u24(): number {
    return this.take(3).readUIntBE(0, 3);
  }

  /** A vector, behind its length in so many bytes. */
  vector(lengthBytes: 1 | 2 | 3): Buffer {
    return this.take(lengthBytes === 1 ? this.u8() : lengthBytes === 2 ? this.u16() : this.u24());
  }

  /** A vector of numbers of two bytes. */
  u16s(lengthBytes: 1 | 2): number[] {
    const inner = new ByteReader(this.vector(lengthBytes));
    const numbers: number[] = [];
    while (inner.left > 0) numbers.push(inner.u16());
    return numbers;
  }

  finish(): void {
    if (this.left > 0) throw new DtlsError(Alert.decodeError, 'a message has bytes behind its end');
  }
}

export function u8(value: number): Buffer {
  return Buffer.of(value);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

export function u24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntBE(value, 0, 3);
  return bytes;
}

/** Bytes behind their length. */
export const vector = (lengthBytes: 1 | 2 | 3, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts);
  const length = (lengthBytes === 1 ? u8 : lengthBytes === 2 ? u16 : u24)(body.length);
  return Buffer.concat([length, body]);
};
