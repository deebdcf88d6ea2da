import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';

export interface Rotation {
  bytesMax: number; // Infinity = none
  filesMax: number; // the one being written among them
}

/** Told when the file can no longer be written, and with null when it can again. */
type OnTrouble = (reason: string | null, lost: number) => void;

const BATCH_BYTES = 256 * 1024;
/** What waits while the disk is slow or refuses; beyond it lines are lost, and counted. */
const WAITING_BYTES_MAX = 8 * 1024 * 1024;
/** So long after a failure the file is tried again. */
const RETRY_MS = 5000;
const FILE_MODE = 0o640;
/** No link is followed, and nothing is waited for where the file is a pipe. */
const APPEND =
  constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file that grows by lines and begins anew when it is full, keeping those before as `.1`, `.2`… */
export class RotatingFile {
  private rotation: Rotation;
  /** There may be more older files than there should be. */
  private prune = false;
  private readonly file: string;
  private readonly onTrouble: OnTrouble;
  private readonly retryMs: number;
  private waiting: Buffer[] = [];
  private waitingBytes = 0;
  private lost = 0;
  private reason: string | null = null;
  private handle: FileHandle | null = null;
  private size = 0;
  private draining: Promise<void> | null = null;
  private retry: NodeJS.Timeout | null = null;

  constructor(file: string, rotation: Rotation, onTrouble: OnTrouble, retryMs = RETRY_MS) {
    this.file = file;
    this.rotation = rotation;
    this.onTrouble = onTrouble;
    this.retryMs = retryMs;
  }

  /** Never waits, never throws. */
  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.waitingBytes + bytes.length > WAITING_BYTES_MAX) {
      this.lost += 1;
      return;
    }
    this.waiting.push(bytes);
    this.waitingBytes += bytes.length;
    if (this.retry === null) this.drain();
  }

  /** With other settings: older files that are too many go at once. */
  rotateBy(rotation: Rotation): void {
    this.rotation = rotation;
    this.start();
  }

  /** Opens the file, so that trouble is known before there is a line. */
  start(): void {
    this.prune = true;
    if (this.retry === null) this.drain();
  }

  /** Settles when everything is written, or cannot be. */
  async settled(): Promise<void> {
    while (this.draining !== null) await this.draining;
  }

  async close(): Promise<void> {
    if (this.retry !== null) this.stopWaiting();
    if (this.waiting.length > 0) this.drain();
    await this.settled();
    if (this.retry !== null) this.stopWaiting();
    await this.handle?.close();
    this.handle = null;
  }

  /** The process ends now: what waits is written without turns of the event loop. */
  flushNow(): void {
    if (this.waiting.length === 0 || this.reason !== null) return;
    const descriptor = openSync(this.file, APPEND, FILE_MODE);
    writeSync(descriptor, Buffer.concat(this.waiting.splice(0)));
    closeSync(descriptor);
  }

  private stopWaiting(): void {
    clearTimeout(this.retry!);
    this.retry = null;
  }

  private drain(): void {
    this.draining ??= this.writeAll().finally(() => {
      this.draining = null;
      if ((this.waiting.length > 0 || this.prune) && this.retry === null) this.drain();
    });
  }

  private async writeAll(): Promise<void> {
    try {
      await this.openAgain();
      while (this.waiting.length > 0 || this.prune) {
        if (this.prune) await this.removeOlder();
        else await this.writeBatch();
      }
      this.tellRecovery();
    } catch (cause) {
      await this.closeQuietly();
      const reason = cause instanceof Error ? cause.message : String(cause);
      const news = this.reason === null;
      this.reason = reason;
      this.retry = setTimeout(() => {
        this.retry = null;
        this.drain();
      }, this.retryMs).unref();
      if (news) this.onTrouble(reason, 0);
    }
  }

  private tellRecovery(): void {
    const { lost, reason } = this;
    if (reason === null && lost === 0) return;
    this.reason = null;
    this.lost = 0;
    this.onTrouble(null, lost);
  }

  private async writeBatch(): Promise<void> {
    await this.openAgain();
    const [first] = this.waiting;
    if (this.size > 0 && this.size + first!.length > this.rotation.bytesMax) await this.rotate();
    const room = Math.min(BATCH_BYTES, this.rotation.bytesMax - this.size);
    let count = 1;
    let bytes = first!.length;
    while (count < this.waiting.length && bytes + this.waiting[count]!.length <= room) {
      bytes += this.waiting[count]!.length;
      count += 1;
    }
    let batch = count === 1 ? first! : Buffer.concat(this.waiting.slice(0, count), bytes);
    this.waiting.splice(0, count);
    try {
      while (batch.length > 0) {
        const { bytesWritten } = await this.handle!.write(batch);
        batch = batch.subarray(bytesWritten);
        this.size += bytesWritten;
        this.waitingBytes -= bytesWritten;
      }
    } catch (cause) {
      this.waiting.unshift(batch); // the rest of it, so that no line is there twice
      throw cause;
    }
  }

  /** Also when somebody moved or removed the file meanwhile: lines belong into the one of this name. */
  private async openAgain(): Promise<void> {
    if (this.handle !== null) {
      const [own, named] = await Promise.all([this.handle.stat(), stat(this.file).catch(() => null)]);
      this.size = own.size;
      if (named !== null && named.ino === own.ino && named.dev === own.dev) return;
      await this.closeQuietly();
    }
    this.handle = await openFile(this.file);
    this.size = (await this.handle.stat()).size;
  }

  private async rotate(): Promise<void> {
    await this.closeQuietly();
    const { file } = this;
    const { filesMax } = this.rotation;
    let free = 1;
    while (free < filesMax && (await stat(`${file}.${free}`).catch(() => null)) !== null) free += 1;
    for (let n = Math.min(free, filesMax - 1); n > 1; n -= 1)
      await rename(`${file}.${n - 1}`, `${file}.${n}`);
    if (filesMax > 1) await rename(file, `${file}.1`);
    else await rm(file);
    this.handle = await openFile(file);
    this.size = 0;
  }

  private async removeOlder(): Promise<void> {
    this.prune = false;
    const folder = path.dirname(this.file);
    const prefix = `${path.basename(this.file)}.`;
    for (const { name } of (await readdir(folder, { withFileTypes: true })).filter((one) => one.isFile())) {
      const number = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      const isOlder = /^[1-9]\d{0,2}$/.test(number) && Number(number) >= this.rotation.filesMax;
      if (isOlder) await rm(path.join(folder, name), { force: true });
    }
  }

  private async closeQuietly(): Promise<void> {
    const { handle } = this;
    this.handle = null;
    // A disk that fails says so in writing; what its closing says besides helps nobody.
    await handle?.close().catch(() => undefined);
  }
}

async function openFile(file: string): Promise<FileHandle> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o750 });
  const handle = await open(file, APPEND, FILE_MODE);
  if ((await handle.stat()).isFile()) return handle;
  await handle.close();
  throw new Error(`${file} is no file`);
}

/** Why lines cannot be written to this file; null when they can. */
export async function whyUnusable(file: string): Promise<string | null> {
  try {
    await (await openFile(file)).close();
    return null;
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}
