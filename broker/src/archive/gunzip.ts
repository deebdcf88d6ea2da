import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ArchiveFault } from './tar.ts';

/** What is in a gzip stream, not more than so many bytes of it. Throws ArchiveFault. */
export async function* gunzipped(packed: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Buffer> {
  const source = Readable.from(packed);
  const gunzip = createGunzip();
  source.once('error', (error) => gunzip.destroy(error));
  let total = 0;
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Buffer>) {
      total += chunk.length;
      if (total > bytesMax) throw new ArchiveFault('The archive is too large');
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_'))
      throw new ArchiveFault('The file is no gzip archive, or ends too early', { cause });
    throw cause;
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}
