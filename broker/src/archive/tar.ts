/**
 * Archives in the ustar form (POSIX.1-1988), as much of it as is needed of strangers' archives: plain files, whole in
 * memory one after the other. What else an archive may hold (links, devices, long names) is refused.
 */

const BLOCK = 512;
const NAME_BYTES_MAX = 100;
/** Tools fill an archive up, to 10 KB as a rule. */
const PADDING_BYTES_MAX = 1024 ** 2;
const FILE_TYPES = ['0', '\0'];
const FOLDER_TYPE = '5';

/** Why an archive is not read on. */
export class ArchiveFault extends Error {}

export interface ArchiveLimits {
  /** Of one file; it is in memory as a whole. */
  entryBytesMax: number;
  entriesMax: number;
  /** Folders may be named, as tools do; they are not told of. Without it they are refused too. */
  folders?: boolean;
}

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

/** The files in their order. Throws ArchiveFault at the first thing that may not be there. */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  limits: ArchiveLimits,
): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(chunks);
  try {
    yield* entries(bytes, limits);
  } finally {
    await bytes.close();
  }
}

async function* entries(bytes: Bytes, limits: ArchiveLimits): AsyncGenerator<TarEntry> {
  const { entriesMax, folders = false } = limits;
  let count = 0;
  for (;;) {
    const header = await bytes.take(BLOCK);
    if (header.every((byte) => byte === 0)) return bytes.end();
    if (++count > entriesMax) throw new ArchiveFault(`The archive has more than ${entriesMax} files`);
    const { name, size, type } = parsed(header, limits);
    if (folders && type === FOLDER_TYPE && size === 0) continue;
    if (!FILE_TYPES.includes(type))
      throw new ArchiveFault(`${shown(name)} in the archive is no plain file: links and devices are refused`);
    const content = await bytes.take(size);
    await bytes.take(padding(size));
    yield { name, content };
  }
}

function parsed(
  header: Buffer,
  { entryBytesMax }: ArchiveLimits,
): { name: string; size: number; type: string } {
  if (number(header, 148, 8) !== checksum(header)) throw new ArchiveFault('The archive is damaged');
  const name = text(header, 0, NAME_BYTES_MAX);
  const type = String.fromCharCode(header[156]!);
  if (text(header, 345, 155) !== '')
    throw new ArchiveFault(`${shown(name)} in the archive has a name too long`);
  const size = number(header, 124, 12);
  if (size === null) throw new ArchiveFault('The archive is damaged');
  if (size > entryBytesMax)
    throw new ArchiveFault(`${shown(name)} in the archive is larger than ${entryBytesMax / 1024 ** 2} MB`);
  return { name, size, type };
}

/** The path below the archive's only folder, which bears the given name. Throws for every path that leads elsewhere. */
export function pathIn(folder: string, name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are meant
  if (/[\u0000-\u001f\u007f\\]|(^|\/)\.{0,2}(\/|$)/.test(name))
    throw new ArchiveFault(`${shown(name)} in the archive is no name of a file below its folder`);
  if (!name.startsWith(`${folder}/`))
    throw new ArchiveFault(`The folder in the archive must be named ${folder}, as the file is`);
  return name.slice(folder.length + 1);
}

/** Names of strangers, with what a log or a terminal would take amiss written out. */
export const shown = (name: string): string => JSON.stringify(name.slice(0, 120));

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
      if (done) throw new ArchiveFault('The archive ends too early');
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
      if (left > PADDING_BYTES_MAX) throw new ArchiveFault('Something follows the end of the archive');
    }
  }

  async close(): Promise<void> {
    await this.chunks.return?.();
  }
}
