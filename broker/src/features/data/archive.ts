import type { FileHandle } from 'node:fs/promises';
import { backupFolder, isEncryptedBackup } from '@mqdeck/contract/data';
import * as z from 'zod/mini';
import { decrypted, PassphraseError } from '../../archive/encrypt.ts';
import { gunzipped } from '../../archive/gunzip.ts';
import { ArchiveFault, pathIn, readTar, shown, TAR_END, type TarEntry, tarEntry } from '../../archive/tar.ts';
import { Turn } from '../../paging/turn.ts';
import { type Backed, BackupFault, PassphraseFault } from './parts.ts';

/**
 * An archive: `<folder>/META.json`, `<folder>/settings.json`, then for each kind of thing `<folder>/<kind>/000001.jsonl`
 * and so on, a row on each line. The folder bears the name of the file.
 */
const META_FILE = 'META.json';
/** Read before it is known who wrote it; ours has some two hundred. */
const META_BYTES_MAX = 64 * 1024;
const SETTINGS_FILE = 'settings.json';
/** Raised with the first change that an older broker could not read. */
const FORMAT = 1;
const PRODUCT = 'mqdeck';
/** Rows of so many bytes make a file. */
const FILE_BYTES = 256 * 1024;
const TOTAL_BYTES_MAX = 8 * 1024 ** 3;
/** An entry is in memory as a whole; those that we write have a quarter of a megabyte, or one row. */
const ENTRY_BYTES_MAX = 32 * 1024 ** 2;
const LIMITS = { entryBytesMax: ENTRY_BYTES_MAX, entriesMax: 100_000 };
const NEWLINE = Buffer.from('\n');

const Meta = z.object({
  format: z.number(),
  product: z.literal(PRODUCT, 'it was not made by mqdeck'),
  version: z.string().check(z.maxLength(100)),
  node: z.string().check(z.maxLength(300)),
  created_at: z.string().check(z.maxLength(100)),
});
export type Meta = Omit<z.output<typeof Meta>, 'format' | 'product'>;

/** What an archive tells, one after the other. Rows are not checked yet. */
export type Told =
  | { what: 'meta'; meta: Meta }
  | { what: 'settings'; settings: unknown }
  | { what: 'row'; kind: string; row: unknown; where: string };

interface Content {
  meta: Meta;
  settings: unknown;
  kinds: readonly Backed[];
  /** Of rows too large for any archive. */
  onLeftOut: (kind: string) => void;
}

/** The bytes of an archive before they are compressed. Others have a turn every few milliseconds. */
export async function* archived(
  folder: string,
  { meta, settings, kinds, onLeftOut }: Content,
): AsyncGenerator<Buffer> {
  const now = Date.now();
  const file = (name: string, content: Buffer) => tarEntry(`${folder}/${name}`, content, now);
  yield file(META_FILE, json({ format: FORMAT, product: PRODUCT, ...meta }));
  yield file(SETTINGS_FILE, json(settings));
  const turn = new Turn();
  for (const backed of kinds) {
    const { kind } = backed;
    let lines: Buffer[] = [];
    let bytes = 0;
    let number = 0;
    const full = () => file(`${kind}/${String(++number).padStart(6, '0')}.jsonl`, Buffer.concat(lines));
    for await (const row of backed.rows()) {
      if (turn.over) await turn.next();
      const line = Buffer.from(`${JSON.stringify(row)}\n`);
      if (line.length > ENTRY_BYTES_MAX) {
        onLeftOut(kind);
        continue;
      }
      if (bytes > 0 && bytes + line.length > FILE_BYTES) {
        yield full();
        lines = [];
        bytes = 0;
      }
      lines.push(line);
      bytes += line.length;
    }
    if (bytes > 0) yield full();
  }
  yield TAR_END;
}

const json = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`);

/** An archive by its name, and what it is encrypted with; null = with nothing. */
export interface Source {
  filename: string;
  passphrase: string | null;
}

/** Reads an archive to its end, as often as it is called. Throws BackupFault at the first thing that is wrong. */
export async function* read(
  file: FileHandle,
  { filename, passphrase }: Source,
  kinds: readonly Backed[],
): AsyncGenerator<Told> {
  try {
    yield* told(packed(file, { filename, passphrase }), filename, kinds);
  } catch (cause) {
    if (cause instanceof PassphraseError) throw new PassphraseFault(cause.message, { cause });
    throw cause instanceof ArchiveFault ? new BackupFault(cause.message, { cause }) : cause;
  }
}

/** The archive as it is compressed. */
function packed(file: FileHandle, { filename, passphrase }: Source): AsyncIterable<Buffer> {
  if (!isEncryptedBackup(filename)) return blocks(file);
  if (passphrase === null) throw new PassphraseFault('The archive is encrypted: its passphrase is needed');
  return decrypted(blocks(file), passphrase);
}

async function* told(
  archive: AsyncIterable<Buffer>,
  filename: string,
  kinds: readonly Backed[],
): AsyncGenerator<Told> {
  const folder = backupFolder(filename);
  const seen = new Set<string>();
  const turn = new Turn();
  for await (const { name, content } of readTar(gunzipped(archive, TOTAL_BYTES_MAX), LIMITS)) {
    const path = pathIn(folder, name);
    if (seen.has(name)) throw new BackupFault(`${shown(name)} is twice in the archive`);
    seen.add(name);
    if (seen.size === 1 && path !== META_FILE) throw new BackupFault(`The archive has no ${META_FILE}`);
    if (path === META_FILE) yield { what: 'meta', meta: metaOf(content) };
    else if (path === SETTINGS_FILE) yield { what: 'settings', settings: parsed(content, path) };
    else yield* rowsOf({ name: path, content }, kinds, turn);
    if (turn.over) await turn.next();
  }
  for (const needed of [META_FILE, SETTINGS_FILE])
    if (!seen.has(`${folder}/${needed}`)) throw new BackupFault(`The archive has no ${needed}`);
}

async function* rowsOf(
  { name, content }: TarEntry,
  kinds: readonly Backed[],
  turn: Turn,
): AsyncGenerator<Told> {
  const kind = /^([a-z_]+)\/\d{6}\.jsonl$/.exec(name)?.[1];
  if (!kinds.some((one) => one.kind === kind))
    throw new BackupFault(`${shown(name)} in the archive is nothing that this version knows`);
  let line = 0;
  for (let at = 0; at < content.length; ) {
    const end = content.indexOf(NEWLINE, at);
    const where = `${name}, line ${++line}`;
    const row = parsed(content.subarray(at, end < 0 ? content.length : end), where);
    yield { what: 'row', kind: kind!, row, where };
    at = end < 0 ? content.length : end + 1;
    if (turn.over) await turn.next();
  }
}

function metaOf(content: Buffer): Meta {
  if (content.length > META_BYTES_MAX) throw new BackupFault(`${META_FILE} is larger than it can be`);
  const { success, data, error } = z.safeParse(Meta, parsed(content, META_FILE));
  if (!success) throw new BackupFault(`${META_FILE}: ${error.issues[0]!.message}`);
  if (data.format !== FORMAT)
    throw new BackupFault(`The archive was made by another version, ${data.version}, in a form unknown here`);
  return { version: data.version, node: data.node, created_at: data.created_at };
}

function parsed(content: Buffer, where: string): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(content));
  } catch (cause) {
    throw new BackupFault(`${where} cannot be read: it is no JSON`, { cause });
  }
}

/** From its beginning, whatever was read of it before. */
async function* blocks(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(64 * 1024), 0, 64 * 1024, at);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
    at += bytesRead;
  }
}
