import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { Zip, ZipDeflate } from 'fflate';

/** Small enough that nobody waits for its compression. */
const CHUNK_BYTES = 32 * 1024;
const NOTHING = new Uint8Array(0);

/** An archive with one file in it, as long as the file is now, made while it is fetched. */
export function zipOf(name: string, file: FileHandle): Readable {
  return Readable.from(bytesOf(name, file));
}

async function* bytesOf(name: string, file: FileHandle): AsyncGenerator<Uint8Array> {
  const made: Uint8Array[] = [];
  const zip = new Zip((fault, bytes) => {
    if (fault) throw fault;
    made.push(bytes);
  });
  const entry = new ZipDeflate(name);
  try {
    const { size, mtime } = await file.stat();
    entry.mtime = mtime;
    zip.add(entry);
    if (size > 0)
      for await (const chunk of file.createReadStream({
        start: 0,
        end: size - 1,
        highWaterMark: CHUNK_BYTES,
        autoClose: false,
      })) {
        entry.push(chunk as Uint8Array);
        yield* made.splice(0);
      }
    entry.push(NOTHING, true);
    zip.end();
    yield* made.splice(0);
  } finally {
    await file.close();
  }
}
