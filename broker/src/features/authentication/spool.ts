import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const PIECE_BYTES = 64 * 1024;

/**
 * Keeps a file that is read twice, on disk instead of in memory. The file has no name there as soon as it is open: nobody
 * else can read it, and nothing is left when the broker ends in between.
 */
export class Spool {
  private readonly file: FileHandle;

  private constructor(file: FileHandle) {
    this.file = file;
  }

  /** Null = in the folder where the system keeps such files. */
  static async open(folder: string | null): Promise<Spool> {
    const place = folder ?? tmpdir();
    await mkdir(place, { recursive: true });
    const name = path.join(place, `${randomBytes(8).toString('hex')}.spool`);
    const file = await open(name, 'wx+', 0o600);
    await unlink(name);
    return new Spool(file);
  }

  /** What comes goes on, and is kept. */
  async *keeping(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const piece of content) {
      await this.file.appendFile(piece);
      yield piece;
    }
  }

  /** What was kept, from its beginning. */
  async *pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; ; ) {
      const { bytesRead, buffer } = await this.file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, at);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }
}
