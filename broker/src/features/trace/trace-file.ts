import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** Lines are written together, so long after the first of them. */
const FLUSH_MS = 200;
/** And no later than when so much waits. */
const FLUSH_BYTES = 256 * 1024;
/** What waits while the disk is slow; beyond it lines are left out, and counted. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
const FILE_MODE = 0o640;
/** No link is followed, and nothing is waited for where the file is a pipe. */
const SAFELY = constants.O_NOFOLLOW | constants.O_NONBLOCK;
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | SAFELY;
const READ = constants.O_RDONLY | SAFELY;
/** A character of UTF-8 has at most so many bytes. */
const CHARACTER_BYTES = 4;

export interface Piece {
  text: string;
  /** Where it ends, in bytes. */
  position: number;
}

/** Told once, when nothing more is written: the file is full, or the disk refuses. */
export type OnEnd = (why: 'size' | 'disk', reason: string) => void;

/** The file's own lines: it is full, or some were left out because there were too many. */
export type OwnLine = (what: 'full' | 'left_out', lines: number) => string;

/** The file of one trace on this node: grows by lines, until it is as large as it may be. */
export class TraceFile {
  readonly file: string;
  private readonly bytesMax: number;
  private readonly ownLine: OwnLine;
  private readonly onEnd: OnEnd;
  private waiting: string[] = [];
  private waitingBytes = 0;
  private leftOut = 0;
  private written = 0;
  private changedAt = 0; // epoch ms
  private ended = false;
  private timer: NodeJS.Timeout | null = null;
  private draining: Promise<void> | null = null;
  private handle: FileHandle | null = null;

  constructor(file: string, bytesMax: number, ownLine: OwnLine, onEnd: OnEnd) {
    this.file = file;
    this.bytesMax = bytesMax;
    this.ownLine = ownLine;
    this.onEnd = onEnd;
  }

  /** Bytes on disk. */
  get size(): number {
    return this.written;
  }
  get mtime(): number {
    return this.changedAt;
  }

  /** As it is on disk; one that is not there is empty. */
  async look(): Promise<void> {
    const found = await stat(this.file).catch(ifGone);
    this.written = found?.size ?? 0;
    this.changedAt = found?.mtimeMs ?? 0;
  }

  /** Never waits, never throws. */
  write(line: string): void {
    if (this.ended) return;
    const bytes = Buffer.byteLength(line) + 1;
    if (this.written + this.waitingBytes + bytes > this.bytesMax) {
      this.ended = true;
      this.tellLeftOut();
      this.add(this.ownLine('full', 0));
      this.onEnd('size', 'its file is as large as it may be');
    } else if (this.waitingBytes + bytes > WAITING_BYTES_MAX) this.leaveOut();
    else {
      this.tellLeftOut();
      this.add(line);
    }
  }

  /** A line that is not written; how many there were is. */
  leaveOut(): void {
    if (this.ended) return;
    this.leftOut++;
    this.flushSoon();
  }

  private tellLeftOut(): void {
    if (this.leftOut > 0) this.add(this.ownLine('left_out', this.leftOut));
    this.leftOut = 0;
  }

  /** Opens the file, so that trouble is known before there is a line. */
  start(): void {
    this.drain();
  }

  private add(line: string): void {
    this.waiting.push(line);
    this.waitingBytes += Buffer.byteLength(line) + 1;
    if (this.waitingBytes >= FLUSH_BYTES) this.drain();
    else this.flushSoon();
  }

  private flushSoon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.tellLeftOut();
      this.drain();
    }, FLUSH_MS);
  }

  private drain(): void {
    this.draining ??= this.writeAll().finally(() => {
      this.draining = null;
    });
  }

  private async writeAll(): Promise<void> {
    try {
      if (this.handle === null) {
        await mkdir(path.dirname(this.file), { recursive: true, mode: 0o750 });
        this.handle = await open(this.file, APPEND, FILE_MODE);
        this.changedAt = Date.now();
      }
      while (this.waiting.length > 0) {
        const text = `${this.waiting.join('\n')}\n`;
        this.waiting = [];
        await this.handle.appendFile(text);
        const bytes = Buffer.byteLength(text);
        this.waitingBytes -= bytes;
        this.written += bytes;
        this.changedAt = Date.now();
      }
    } catch (cause) {
      this.ended = true;
      this.waiting = [];
      this.waitingBytes = 0;
      await this.look().catch(() => undefined); // a disk that refuses has said so already
      this.onEnd('disk', cause instanceof Error ? cause.message : String(cause));
    }
  }

  /** Settles when all lines so far are in the file, or cannot be. */
  async settled(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (this.waiting.length > 0) this.drain();
    while (this.draining !== null) {
      await this.draining;
      if (this.waiting.length > 0) this.drain();
    }
  }

  /** What was written so far stays. */
  async close(): Promise<void> {
    this.ended = true;
    await this.settled();
    await this.handle?.close();
    this.handle = null;
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.file, { force: true });
  }

  /** From a position on, at most so many bytes; a character is never cut. Null when it ends before the position. */
  async read(position: number, bytesMax: number): Promise<Piece | null> {
    const handle = await this.openToRead();
    if (handle === null) return position === 0 ? { text: '', position: 0 } : null;
    try {
      const { size } = await handle.stat();
      if (position > size) return null;
      const wanted = Math.min(bytesMax, size - position);
      if (wanted === 0) return { text: '', position };
      const room = Math.min(wanted + CHARACTER_BYTES - 1, size - position);
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(room), 0, room, position);
      let end = Math.min(wanted, bytesRead);
      while (end < bytesRead && (buffer[end]! & 0xc0) === 0x80) end++;
      return { text: buffer.toString('utf8', 0, end), position: position + end };
    } finally {
      await handle.close();
    }
  }

  /** Null when there is none. */
  async openToRead(): Promise<FileHandle | null> {
    return (await open(this.file, READ).catch(ifGone)) ?? null;
  }
}

function ifGone(cause: unknown): undefined {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
}
