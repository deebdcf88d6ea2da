import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPem } from '../core/listeners/certificates.ts';

const FOLDER = 'certs';
const PARTS = { certfile: 'cert', keyfile: 'key', cacertfile: 'cacert', dhfile: 'dh' } as const;
type Part = keyof typeof PARTS;
const parts = Object.keys(PARTS) as Part[];
/** Of TLS or DTLS. */
type PemOptions = { readonly [P in Part]?: string | undefined };

/** Whether something of it is a text that may become a file. */
export const hasTexts = (options: PemOptions): boolean => parts.some((part) => isPem(options[part] ?? ''));

/**
 * Keeps certificates and keys that came as text in files of their own, below `certs/` of the data folder, for this
 * user's eyes only. Their names tell their content apart, so that the old ones are there until the new ones are in force.
 */
export class PemFiles {
  private readonly dataDir: string;

  constructor(dataDir: string) {
    this.dataDir = path.resolve(dataDir);
  }

  /** The same options, with paths instead of texts: below the data folder, wherever that may be moved. */
  async keep<O extends PemOptions>(id: string, options: O): Promise<O> {
    const kept: { [P in Part]?: string } = {};
    for (const part of parts) {
      const text = options[part];
      if (text === undefined || !isPem(text)) continue;
      const name = `${PARTS[part]}-${createHash('sha256').update(text).digest('hex').slice(0, 16)}.pem`;
      const file = path.join(this.folderOf(id), name);
      await mkdir(this.folderOf(id), { recursive: true, mode: 0o700 });
      await rm(`${file}.partial`, { force: true });
      await writeFile(`${file}.partial`, `${text.trimEnd()}\n`, { mode: 0o600, flag: 'wx' });
      await chmod(`${file}.partial`, 0o600); // whatever the umask is
      await rename(`${file}.partial`, file);
      kept[part] = path.relative(this.dataDir, file);
    }
    return { ...options, ...kept };
  }

  /** Removes what the options no longer name; all without options. */
  async tidy(id: string, options: PemOptions | null): Promise<void> {
    const folder = this.folderOf(id);
    if (options === null) {
      await rm(folder, { recursive: true, force: true });
      return;
    }
    const used = new Set(parts.map((part) => path.resolve(this.dataDir, options[part] ?? '')));
    for (const name of await readdir(folder).catch(() => [])) {
      const file = path.join(folder, name);
      if (!used.has(file)) await rm(file, { force: true });
    }
  }

  /** `ssl-default`, `stomp-ssl-default`: names of listeners are safe, and no type has a hyphen. */
  private folderOf(id: string): string {
    return path.join(this.dataDir, FOLDER, id.replaceAll(':', '-'));
  }
}
