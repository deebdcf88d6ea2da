import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod/mini';
import { isPem } from '../../core/listeners/certificates.ts';

/** As PemFiles names them: `certs/ssl-default/key-0123456789abcdef.pem`. */
const FILE =
  /^certs\/(?:[a-z0-9]{2,8}-)?[a-z]{2,3}-[A-Za-z0-9_-]{1,256}\/(cert|key|cacert|dh)-[0-9a-f]{16}\.pem$/;
const FOLDER = 'certs';
const TEXT_LENGTH_MAX = 1024 * 1024;

const Row = z.strictObject({
  file: z.string().check(z.regex(FILE, 'no certificate is kept under this name')),
  text: z
    .string()
    .check(z.maxLength(TEXT_LENGTH_MAX), z.refine(isPem, 'it is no certificate or key in PEM form')),
});
type Row = z.output<typeof Row>;

/**
 * Certificates and keys that operators gave to listeners: there are few, and each is small. They come before the settings
 * that name them. The certificate that a broker makes for itself stays with it.
 */
export const certificatesBacked = (dataDir: string | null) => ({
  kind: 'certificates',
  beforeSettings: true,
  row: Row,
  *rows(): Generator<Row> {
    if (dataDir === null) return;
    for (const folder of entriesOf(path.join(dataDir, FOLDER)))
      for (const name of entriesOf(path.join(dataDir, FOLDER, folder))) {
        const file = [FOLDER, folder, name].join('/');
        const text = FILE.test(file) ? textOf(dataDir, file) : undefined;
        if (text !== undefined) yield { file, text };
      }
  },
  find({ file }: Row): Row | undefined {
    const text = dataDir === null ? undefined : textOf(dataDir, file);
    return text === undefined ? undefined : { file, text };
  },
  put({ file, text }: Row): void {
    if (dataDir === null) return;
    const target = path.join(dataDir, ...file.split('/'));
    mkdirSync(path.dirname(target), { recursive: true, mode: 0o700 });
    rmSync(`${target}.partial`, { force: true });
    writeFileSync(`${target}.partial`, text, { mode: 0o600, flag: 'wx' });
    renameSync(`${target}.partial`, target);
  },
});

/** None where there is no such folder. */
function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(String((cause as NodeJS.ErrnoException).code))) return [];
    throw cause;
  }
}

function textOf(dataDir: string, file: string): string | undefined {
  try {
    return readFileSync(path.join(dataDir, ...file.split('/')), 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
