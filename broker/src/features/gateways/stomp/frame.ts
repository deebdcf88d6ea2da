/**
 * The frames of STOMP 1.0, 1.1 and 1.2: a command, headers, a body, NUL. https://stomp.github.io has the specifications;
 * README.md beside this file says where they leave a choice and what it is here.
 */

export type Version = '1.0' | '1.1' | '1.2';
/** In the order in which they are preferred. */
export const VERSIONS: readonly Version[] = ['1.2', '1.1', '1.0'];

export interface Frame {
  command: string;
  /** Of a header that comes twice the first one counts. */
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

export interface FrameLimits {
  headersMax: number;
  headerBytesMax: number; // of one header, its name and its value
  bodyBytesMax: number;
}

/** What came is no frame, or one that is too large; the text is for the device. */
export class FrameError extends Error {}

const NUL = 0x00;
const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const COMMAND_BYTES_MAX = 32;
const NOTHING = Buffer.alloc(0);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Nothing in these is escaped, so that those who speak 1.0 understand them [1.1 and 1.2, CONNECT and CONNECTED]. */
const isPlain = (command: string): boolean =>
  command === 'CONNECT' || command === 'CONNECTED' || command === 'STOMP';

/**
 * Takes a stream of bytes apart, however it is cut. What is not a whole frame yet is kept, and never more than a frame
 * may have.
 */
export class FrameReader {
  /** Decided with CONNECT; what holds for the frames behind it. */
  version: Version = '1.2';
  private readonly limits: FrameLimits;
  private readonly onFrame: (frame: Frame) => void;
  /** Line ends between frames: a heart-beat. */
  private readonly onBeat: () => void;
  private line = new Bytes();
  private command: string | null = null;
  private headers = new Map<string, string>();
  private count = 0;
  private inBody = false;
  private body = new Bytes();
  private bodyLength: number | null = null;

  constructor(limits: FrameLimits, onFrame: (frame: Frame) => void, onBeat: () => void = () => undefined) {
    this.limits = limits;
    this.onFrame = onFrame;
    this.onBeat = onBeat;
  }

  /** Throws FrameError; whoever sent it cannot be understood any more. `wanted` says whether to go on after a frame. */
  push(chunk: Buffer, wanted: () => boolean = () => true): void {
    let at = 0;
    while (at < chunk.length && wanted())
      at = this.inBody ? this.readBody(chunk, at) : this.readLine(chunk, at);
  }

  private readLine(chunk: Buffer, from: number): number {
    const end = chunk.indexOf(LF, from);
    const upTo = end === -1 ? chunk.length : end;
    const max = this.command === null ? COMMAND_BYTES_MAX : this.limits.headerBytesMax;
    if (this.line.length + upTo - from > max + 1) throw new FrameError(this.tooLong());
    this.line.add(chunk.subarray(from, upTo));
    if (end === -1) return upTo;
    const line = this.line.take();
    const whole = line.at(-1) === CR && this.version !== '1.1' ? line.subarray(0, -1) : line; // 1.1 has LF only
    if (whole.length > max) throw new FrameError(this.tooLong());
    this.takeLine(whole);
    return end + 1;
  }

  private tooLong(): string {
    return this.command === null ? 'this is no command of STOMP' : 'a header is too long';
  }

  private takeLine(line: Buffer): void {
    if (this.command === null) {
      if (line.length === 0) this.onBeat();
      else this.command = commandOf(line);
    } else if (line.length > 0) this.takeHeader(line, this.command);
    else {
      this.inBody = true;
      this.bodyLength = this.contentLength();
    }
  }

  private takeHeader(line: Buffer, command: string): void {
    this.count++;
    if (this.count > this.limits.headersMax) throw new FrameError('there are too many headers');
    const colon = line.indexOf(COLON);
    if (colon === -1) throw new FrameError('a header has no colon');
    const escaped = this.version !== '1.0' && !isPlain(command);
    const read = (bytes: Buffer) => (escaped ? unescaped(bytes, this.version) : textOf(bytes));
    let name = read(line.subarray(0, colon));
    let value = read(line.subarray(colon + 1));
    if (this.version === '1.0') {
      name = name.trim();
      value = value.trim();
    }
    if (name === '') throw new FrameError('a header has no name');
    if (!this.headers.has(name)) this.headers.set(name, value);
  }

  private contentLength(): number | null {
    const text = this.headers.get('content-length');
    if (text === undefined) return null;
    if (!/^\s*\d{1,10}\s*$/.test(text)) throw new FrameError('content-length is no number');
    const length = Number(text);
    if (length > this.limits.bodyBytesMax) throw new FrameError('the body is too large');
    return length;
  }

  private readBody(chunk: Buffer, from: number): number {
    const missing = this.bodyLength === null ? null : this.bodyLength - this.body.length;
    if (missing !== null && missing > 0) {
      const upTo = Math.min(chunk.length, from + missing);
      this.body.add(chunk.subarray(from, upTo));
      return upTo;
    }
    if (missing === 0) {
      if (chunk[from] !== NUL) throw new FrameError('behind the body there is no NUL');
      this.finish();
      return from + 1;
    }
    const end = chunk.indexOf(NUL, from);
    const upTo = end === -1 ? chunk.length : end;
    if (this.body.length + upTo - from > this.limits.bodyBytesMax)
      throw new FrameError('the body is too large');
    this.body.add(chunk.subarray(from, upTo));
    if (end === -1) return upTo;
    this.finish();
    return end + 1;
  }

  private finish(): void {
    const frame = { command: this.command ?? '', headers: this.headers, body: this.body.take() };
    this.command = null;
    this.headers = new Map();
    this.count = 0;
    this.inBody = false;
    this.bodyLength = null;
    this.onFrame(frame);
  }
}

/** Pieces that become one: byte by byte they must not be copied each time. */
class Bytes {
  length = 0;
  private pieces: Buffer[] = [];

  add(piece: Buffer): void {
    if (piece.length === 0) return;
    this.length += piece.length;
    this.pieces.push(piece);
    if (this.pieces.length >= 512) this.pieces = [Buffer.concat(this.pieces)];
  }

  /** A copy: the chunks may be large, and what they hold is not kept with them. */
  take(): Buffer {
    const whole = this.length === 0 ? NOTHING : Buffer.concat(this.pieces, this.length);
    this.pieces = [];
    this.length = 0;
    return whole;
  }
}

function commandOf(line: Buffer): string {
  const command = line.toString('latin1');
  if (!/^[A-Z]+$/.test(command)) throw new FrameError('this is no command of STOMP');
  return command;
}

function textOf(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new FrameError('a header is not UTF-8');
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', c: ':', '\\': '\\' };
const ESCAPED: Readonly<Record<string, string>> = { '\n': '\\n', ':': '\\c', '\\': '\\\\', '\r': '\\r' };

function unescaped(bytes: Buffer, version: Version): string {
  const text = textOf(bytes);
  if (!bytes.includes(BACKSLASH)) return text;
  return text.replace(/\\([\s\S]?)/g, (_, letter: string) => {
    if (letter === 'r' && version === '1.2') return '\r';
    const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
    if (meant === undefined) throw new FrameError('a header has an escape that is none');
    return meant;
  });
}

/** In 1.0 nothing can be escaped: what would end the line is left out. */
function escaped(text: string, command: string, version: Version): string {
  if (version === '1.0' || isPlain(command)) return text.replace(/[\r\n]/g, '');
  const special = version === '1.2' ? /[\n:\\\r]/g : /[\n:\\]/g;
  return text.replace(special, (letter) => ESCAPED[letter] ?? letter);
}

/** A frame as it is sent; a body gets its length, so that it may hold NUL. */
export function encodeFrame(
  command: string,
  headers: Iterable<readonly [name: string, value: string]>,
  body: Uint8Array | null,
  version: Version,
): Buffer {
  let head = `${command}\n`;
  for (const [name, value] of headers)
    head += `${escaped(name, command, version)}:${escaped(value, command, version)}\n`;
  if (body !== null && body.length > 0) head += `content-length:${body.length}\n`;
  const start = Buffer.from(`${head}\n`);
  const whole = Buffer.allocUnsafe(start.length + (body?.length ?? 0) + 1);
  whole.set(start);
  if (body) whole.set(body, start.length);
  whole[whole.length - 1] = NUL;
  return whole;
}
