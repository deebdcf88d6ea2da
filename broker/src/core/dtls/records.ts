/** The record layer of RFC 6347 section 4.1. */
export const ContentType = {
  changeCipherSpec: 20,
  alert: 21,
  handshake: 22,
  applicationData: 23,
} as const;

export const DTLS_1_0 = 0xfeff;
export const DTLS_1_2 = 0xfefd;

const RECORD_HEADER_BYTES = 13;
/** What is inside a record, protected or not: RFC 5246 allows so much around 2^14 bytes. */
const FRAGMENT_BYTES_MAX = 2 ** 14 + 2048;
export const PLAINTEXT_BYTES_MAX = 2 ** 14;

export interface Record {
  type: number;
  version: number;
  epoch: number;
  sequence: number; // 48 bits
  fragment: Buffer;
}

/** The records of a datagram; what cannot be read ends it without a word (section 4.1.2.7). */
export function readRecords(datagram: Buffer): Record[] {
  const records: Record[] = [];
  let at = 0;
  while (datagram.length - at >= RECORD_HEADER_BYTES) {
    const version = datagram.readUInt16BE(at + 1);
    const length = datagram.readUInt16BE(at + 11);
    const end = at + RECORD_HEADER_BYTES + length;
    if (version >>> 8 !== 0xfe || length > FRAGMENT_BYTES_MAX || end > datagram.length) break;
    records.push({
      type: datagram[at]!,
      version,
      epoch: datagram.readUInt16BE(at + 3),
      sequence: datagram.readUIntBE(at + 5, 6),
      fragment: datagram.subarray(at + RECORD_HEADER_BYTES, end),
    });
    at = end;
  }
  return records;
}

export function recordHeader({ type, version, epoch, sequence }: Omit<Record, 'fragment'>, length: number) {
  const header = Buffer.alloc(RECORD_HEADER_BYTES);
  header[0] = type;
  header.writeUInt16BE(version, 1);
  header.writeUInt16BE(epoch, 3);
  header.writeUIntBE(sequence, 5, 6);
  header.writeUInt16BE(length, 11);
  return header;
}

export const writeRecord = (record: Record): Buffer =>
  Buffer.concat([recordHeader(record, record.fragment.length), record.fragment]);

const WINDOW = 64;

/** Which records of an epoch have come already, section 4.1.2.6. */
export class ReplayWindow {
  private last = -1;
  private seen = 0n; // bit i: the record `last - i`

  /** Whether it is new, as far as can be told. */
  fresh(sequence: number): boolean {
    if (sequence > this.last) return true;
    const back = this.last - sequence;
    return back < WINDOW && (this.seen & (1n << BigInt(back))) === 0n;
  }

  /** It has come, and is genuine. */
  add(sequence: number): void {
    if (sequence > this.last) {
      const forward = sequence - this.last;
      this.seen = forward >= WINDOW ? 1n : BigInt.asUintN(WINDOW, (this.seen << BigInt(forward)) | 1n);
      this.last = sequence;
    } else if (this.last - sequence < WINDOW) this.seen |= 1n << BigInt(this.last - sequence);
  }
}
