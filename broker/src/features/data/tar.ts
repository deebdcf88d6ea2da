import { BackupFault } from './parts.ts';

/**
 * Archives in the ustar form (POSIX.1-1988), as much of it as backups need: plain files, whole in memory one after the
 * other. What else an archive may hold (links, devices, long names) has no place in a backup, and is refused.
 */

const BLOCK = 512;
const NAME_BYTES_MAX = 100;
/** An entry is in memory as a whole; those that we write have a quarter of a megabyte, or one row. */
export const ENTRY_BYTES_MAX = 32 * 1024 ** 2;
const ENTRIES_MAX = 100_000;
/** Tools fill an archive up, to 10 KB as a rule. */
const PADDING_BYTES_MAX = 1024 ** 2;
const FILE_TYPES = ['0', '\0'];

export interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
}

/** An entry as it stands in the archive. */
export function tarEntry(name: string, content: Buffer, atMs: number): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES_MAX) throw new Error(`${name} is too long for an archive`);
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, NAME_BYTES_MAX);
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(content.length, 12), 124);
  header.write(octal(Math.floor(atMs / 1000), 12), 136);
  header.write('0', 156);
  header.write('ustar\x0000', 257);
  header.write(octal(checksum(header), 7), 148);
  header.write(' ', 155);
  return Buffer.concat([header, content, Buffer.alloc(padding(content.length))]);
}

/** What an archive ends with. */
export const TAR_END: Buffer = Buffer.alloc(2 * BLOCK);

/** The entries in their order. Throws BackupFault at the first thing that does not belong into a backup. */
export async function* readTar(chunks: AsyncIterable<Buffer>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(chunks);
  try {
    yield* entries(bytes);
  } finally {
    await bytes.close();
  }
}

async function* entries(bytes: Bytes): AsyncGenerator<TarEntry> {
  let count = 0;
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.every((byte) => byte === 0)) return bytes.end();
    if (++count > ENTRIES_MAX) throw new BackupFault(`The archive has more than ${ENTRIES_MAX} files`);
    const { name, size } = parsed(header);
    const content = await bytes.take(size);
    await bytes.take(padding(size));
    yield { name, content };
  }
}

function parsed(header: Buffer): { name: string; size: number } {
  if (number(header, 148, 8) !== checksum(header)) throw new BackupFault('The archive is damaged');
  const name = text(header, 0, NAME_BYTES_MAX);
  const type = String.fromCharCode(header[156]!);
  const shown = JSON.stringify(name);
  if (!FILE_TYPES.includes(type))
    throw new BackupFault(`${shown} in the archive is no plain file: a backup has no links and no devices`);
  if (text(header, 345, 155) !== '') throw new BackupFault(`${shown} in the archive has a name too long`);
  const size = number(header, 124, 12);
  if (size === null) throw new BackupFault('The archive is damaged');
  if (size > ENTRY_BYTES_MAX)
    throw new BackupFault(`${shown} in the archive is larger than ${ENTRY_BYTES_MAX / 1024 ** 2} MB`);
  return { name, size };
}

/** With the place of the sum itself taken as blanks. */
function checksum(header: Buffer): number {
  let sum = 8 * 0x20;
  for (let i = 0; i < BLOCK; i++) if (i < 148 || i >= 156) sum += header[i]!;
  return sum;
}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK;
const octal = (value: number, width: number): string => `${value.toString(8).padStart(width - 1, '0')}\0`;

function text(header: Buffer, at: number, length: number): string {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end < 0 ? length : end);
}

function number(header: Buffer, at: number, length: number): number | null {
  const digits = text(header, at, length).trim();
  return /^[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : null;
}

/** Bytes of a stream, as many at a time as are wanted. */
class Bytes {
  private readonly chunks: AsyncIterator<Buffer>;
  private held: Buffer[] = [];
  private length = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  async take(wanted: number): Promise<Buffer> {
    while (this.length < wanted) {
      const { value, done } = await this.chunks.next();
      if (done) throw new BackupFault('The archive ends too early');
      this.held.push(value);
      this.length += value.length;
    }
    const all = this.held.length === 1 ? this.held[0]! : Buffer.concat(this.held);
    const rest = all.subarray(wanted);
    this.held = rest.length === 0 ? [] : [rest];
    this.length -= wanted;
    return all.subarray(0, wanted);
  }

  /** Reads what is left, which is padding: only then is it sure that nothing is missing. */
  async end(): Promise<void> {
    let left = this.length;
    for (;;) {
      const { value, done } = await this.chunks.next();
      if (done) return;
      left += value.length;
      if (left > PADDING_BYTES_MAX) throw new BackupFault('Something follows the end of the archive');
    }
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
