import { randomBytes } from 'node:crypto';
import { constants, createWriteStream } from 'node:fs';
import { type FileHandle, link, mkdir, mkdtemp, open, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDeepStrictEqual } from 'node:util';
import { createGzip } from 'node:zlib';
import {
  BACKUP_EXTENSION,
  type BackupPreview,
  ENCRYPTED_EXTENSION,
  isBackupName,
  isEncryptedBackup,
} from '@mqdeck/contract/data';
import { MASK } from '@mqdeck/contract/kit/values';
import * as z from 'zod/mini';
import { checkedHeader, encrypted } from '../../archive/encrypt.ts';
import { ArchiveFault } from '../../archive/tar.ts';
import type { Log } from '../../core/core.ts';
import type { Store } from '../../core/store/store.ts';
import { rfc3339, rfc3339Seconds } from '../../paging/rfc3339.ts';
import {
  checkedSections,
  type Section,
  SettingsError,
  SettingsFault,
  type SettingsStore,
} from '../../settings/settings.ts';
import { archived, type Meta, read, type Source } from './archive.ts';
import { type Backed, BackupFault } from './parts.ts';

export interface BackupFacts {
  filename: string;
  size: number;
  createdAt: number; // epoch ms
}

export interface BackupParts {
  /** Null = a folder that goes with the broker. */
  folder: string | null;
  store: Store;
  settings: SettingsStore;
  kinds: readonly Backed[];
  node: string;
  version: string;
  log: Log;
}

type Settings = ReturnType<typeof checkedSections>;
interface Examined {
  meta: Meta;
  settings: Settings;
}

/** Rows in a group of the store: written together, and never all at once. */
const ROWS_IN_A_GROUP = 2000;
/** Settings are nested less deep; what recurses must come to an end. */
const DEPTH_MAX = 100;
/** What is being written: a name that no archive has. */
const PARTIAL = '.partial';

/**
 * Keeps the archives of this node, files in a folder of their own that nobody else may read: they hold every secret.
 * Writes them, and restores them; one at a time.
 */
export class Backups {
  private readonly parts: BackupParts;
  private folder: Promise<string> | null = null;
  private working: Promise<unknown> = Promise.resolve();

  constructor(parts: BackupParts) {
    this.parts = parts;
  }

  /** The latest first. */
  async list(): Promise<BackupFacts[]> {
    const folder = await this.ready();
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => entry.isFile() && isBackupName(entry.name));
    const all = await Promise.all(names.map(({ name }) => factsOf(folder, name).catch(ifGone)));
    return all
      .filter((facts) => facts !== undefined)
      .sort((a, b) => b.createdAt - a.createdAt || (a.filename < b.filename ? 1 : -1));
  }

  /** Encrypted with a passphrase, unless that is null. */
  export(passphrase: string | null): Promise<BackupFacts> {
    return this.inTurn(async () => {
      const { settings, kinds, node, version, log } = this.parts;
      const folder = await this.ready();
      const name = await freeName(folder);
      const filename = name + (passphrase === null ? BACKUP_EXTENSION : ENCRYPTED_EXTENSION);
      const now = Date.now();
      const leftOut = new Map<string, number>();
      await this.written(folder, filename, async (partial) => {
        const bytes = archived(name, {
          meta: { version, node, created_at: rfc3339(now) },
          settings: settings.all,
          kinds,
          onLeftOut: (kind) => leftOut.set(kind, (leftOut.get(kind) ?? 0) + 1),
        });
        const gzip = createGzip();
        const target = fileTo(partial);
        if (passphrase === null) await pipeline(Readable.from(bytes), gzip, target);
        else await pipeline(Readable.from(bytes), gzip, (packed) => encrypted(packed, passphrase), target);
      });
      if (leftOut.size > 0)
        log.warn({ leftOut: Object.fromEntries(leftOut) }, 'rows too large for a backup were left out of it');
      return factsOf(folder, filename);
    });
  }

  /** Takes an archive in; what is none leaves nothing behind. An encrypted one cannot be examined yet. False when there is one of that name. */
  async take(filename: string, content: AsyncIterable<Buffer>): Promise<boolean> {
    const folder = await this.ready();
    if (await exists(path.join(folder, filename))) return false;
    return this.written(folder, filename, async (partial) => {
      await pipeline(content, fileTo(partial));
      await this.inTurn(() =>
        withFile(partial, async (file) => {
          if (isEncryptedBackup(filename)) await examineHeader(file);
          else await this.examine(file, { filename, passphrase: null });
        }),
      );
    });
  }

  /** Null when there is none of that name. */
  async open(filename: string): Promise<FileHandle | null> {
    const folder = await this.ready();
    return openPlain(path.join(folder, filename))
      .catch(ifGone)
      .then((file) => file ?? null);
  }

  async remove(filename: string): Promise<boolean> {
    const file = path.join(await this.ready(), filename);
    if (!(await exists(file))) return false;
    await rm(file, { force: true });
    return true;
  }

  /** Null when there is none of that name. */
  async preview(source: Source): Promise<BackupPreview | null> {
    const file = await this.open(source.filename);
    return file && this.inTurn(() => closing(file, () => this.previewed(file, source)));
  }

  /** False when there is none of that name. */
  async import(source: Source): Promise<boolean> {
    const file = await this.open(source.filename);
    if (!file) return false;
    await this.inTurn(() => closing(file, () => this.restore(file, source)));
    return true;
  }

  /** An archive from anywhere on this machine, of any size. */
  async importFile(file: string, passphrase: string | null): Promise<void> {
    const filename = path.basename(file);
    if (!isBackupName(filename))
      throw new BackupFault(
        `${filename} is no name of a backup: it must end with ${BACKUP_EXTENSION} or ${ENCRYPTED_EXTENSION}`,
      );
    await this.inTurn(() => withFile(file, (opened) => this.restore(opened, { filename, passphrase })));
  }

  async close(): Promise<void> {
    await this.working;
    if (this.parts.folder === null && this.folder)
      await rm(await this.folder, { recursive: true, force: true });
  }

  private ready(): Promise<string> {
    this.folder ??= prepared(this.parts.folder);
    this.folder.catch(() => {
      this.folder = null; // the next one tries again
    });
    return this.folder;
  }

  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.working.then(work);
    this.working = done.catch(() => undefined); // whoever asked was told
    return done;
  }

  /** Either the whole file is there under its name, or nothing. False when the name was taken meanwhile. */
  private async written(
    folder: string,
    filename: string,
    write: (partial: string) => Promise<void>,
  ): Promise<boolean> {
    const partial = path.join(folder, `${randomBytes(8).toString('hex')}${PARTIAL}`);
    try {
      await write(partial);
      await link(partial, path.join(folder, filename));
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw cause;
    } finally {
      await rm(partial, { force: true });
    }
  }

  /** Reads all of it and changes nothing: throws BackupFault when it cannot be restored. */
  private async examine(
    file: FileHandle,
    source: Source,
    onRow: (backed: Backed, row: unknown) => void = () => undefined,
  ): Promise<Examined> {
    const { kinds } = this.parts;
    const inspections = new Map(kinds.map((backed) => [backed.kind, backed.inspect?.()]));
    let meta: Meta | null = null;
    let settings: Settings = {};
    for await (const told of read(file, source, kinds)) {
      if (told.what === 'meta') meta = told.meta;
      else if (told.what === 'settings') settings = checkedSettings(told.settings, this.parts.settings);
      else {
        const backed = this.kindOf(told.kind);
        const row = checkedRow(backed, told.row, told.where);
        const fault = inspections.get(told.kind)?.fault(row) ?? null;
        if (fault !== null) throw new BackupFault(`${told.where}: ${fault}`);
        onRow(backed, row);
      }
    }
    return { meta: meta!, settings };
  }

  private async previewed(file: FileHandle, source: Source): Promise<BackupPreview> {
    const counts = new Map(
      this.parts.kinds.map(({ kind }) => [kind, { kind, added: 0, changed: 0, unchanged: 0 }]),
    );
    const { meta, settings } = await this.examine(file, source, (backed, row) => {
      counts.get(backed.kind)![standingOf(backed, row)]++;
    });
    const { all } = this.parts.settings;
    const sections = Object.entries(settings).map(([section, values]) => ({
      section,
      keys: differing(all[section as keyof Settings], values),
    }));
    return {
      filename: source.filename,
      ...meta,
      settings: sections.filter(({ keys }) => keys.length > 0),
      kinds: [...counts.values()].filter(({ added, changed, unchanged }) => added + changed + unchanged > 0),
    };
  }

  /** Everything is checked before anything is changed. */
  private async restore(file: FileHandle, source: Source): Promise<void> {
    const { kinds, store, settings: here, log } = this.parts;
    const { settings } = await this.examine(file, source);
    let put = await this.put(file, source, ({ beforeSettings = false }) => beforeSettings);
    await here.changeAll(settings).catch((cause: unknown) => {
      if (isOfSystem(cause)) throw cause;
      throw new BackupFault(`The settings in the archive cannot be used: ${(cause as Error).message}`, {
        cause,
      });
    });
    put += await this.put(file, source, ({ beforeSettings = false }) => !beforeSettings);
    for (const backed of kinds) await backed.restored?.();
    await store.flushed();
    log.info({ filename: source.filename, rows: put }, 'a backup was restored');
  }

  /** Puts the rows of these kinds, as far as they are not here already; tells how many. */
  private async put(file: FileHandle, source: Source, which: (backed: Backed) => boolean): Promise<number> {
    const { kinds, store } = this.parts;
    let put = 0;
    for await (const told of read(file, source, kinds)) {
      if (told.what !== 'row') continue;
      const backed = this.kindOf(told.kind);
      if (!which(backed)) continue;
      const row = checkedRow(backed, told.row, told.where);
      if (standingOf(backed, row) === 'unchanged') continue;
      backed.put(row);
      if (++put % ROWS_IN_A_GROUP === 0) await store.flushed().catch(() => undefined); // told at the end
    }
    return put;
  }

  private kindOf(kind: string): Backed {
    return this.parts.kinds.find((one) => one.kind === kind)!;
  }
}

const standingOf = (backed: Backed, row: unknown): 'added' | 'changed' | 'unchanged' => {
  const here = backed.find(row);
  if (here === undefined) return 'added';
  return isDeepStrictEqual(here, row) ? 'unchanged' : 'changed';
};

function checkedRow({ row }: Backed, value: unknown, where: string): unknown {
  const { success, data, error } = z.safeParse(row, value);
  if (success) return data;
  const { path: names, message } = error.issues[0]!;
  throw new BackupFault(`${[where, names.join('.'), message].filter((part) => part !== '').join(': ')}`);
}

function checkedSettings(value: unknown, here: SettingsStore): Settings {
  const unknownSecret = maskIn(value);
  if (unknownSecret !== null)
    throw new BackupFault(`settings.json: ${unknownSecret}: ${MASK} is no secret, it only stands for one`);
  try {
    const settings = checkedSections(value);
    for (const [section, values] of Object.entries(settings)) here.check(section as Section, values);
    return settings;
  } catch (cause) {
    if (!(cause instanceof SettingsError || cause instanceof SettingsFault)) throw cause;
    const place = cause instanceof SettingsFault ? `${cause.path.join('.')}: ` : '';
    throw new BackupFault(`settings.json: ${place}${cause.message}`, { cause });
  }
}

/** The path of the first MASK, or null. */
function maskIn(value: unknown, depth = 0): string | null {
  if (value === MASK) return '';
  if (typeof value !== 'object' || value === null) return null;
  if (depth > DEPTH_MAX) throw new BackupFault('settings.json: nothing that can be set is nested so deep');
  for (const [name, inner] of Object.entries(value)) {
    const found = maskIn(inner, depth + 1);
    if (found !== null) return found === '' ? name : `${name}.${found}`;
  }
  return null;
}

/** The keys at which two sections differ. */
function differing(here: object, there: object): string[] {
  const values = new Map(Object.entries(here));
  const keys = new Set([...values.keys(), ...Object.keys(there)]);
  const others = new Map(Object.entries(there));
  return [...keys].filter((key) => !isDeepStrictEqual(values.get(key), others.get(key)));
}

// --- files

async function examineHeader(file: FileHandle): Promise<void> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
  try {
    checkedHeader(buffer.subarray(0, bytesRead));
  } catch (cause) {
    throw cause instanceof ArchiveFault ? new BackupFault(cause.message, { cause }) : cause;
  }
}

async function prepared(wanted: string | null): Promise<string> {
  if (wanted === null) return mkdtemp(path.join(tmpdir(), 'mqdeck-backup-'));
  await mkdir(wanted, { recursive: true, mode: 0o700 });
  // What was being written when the broker ended
  for (const name of await readdir(wanted))
    if (name.endsWith(PARTIAL)) await rm(path.join(wanted, name), { force: true });
  return wanted;
}

async function freeName(folder: string): Promise<string> {
  for (let at = Date.now(); ; at++) {
    const name = `mqdeck-export-${rfc3339(at).slice(0, 23).replace(/[T:]/g, '-')}`;
    const names = [BACKUP_EXTENSION, ENCRYPTED_EXTENSION].map((extension) => name + extension);
    if (!(await Promise.all(names.map((one) => exists(path.join(folder, one))))).includes(true)) return name;
  }
}

async function factsOf(folder: string, filename: string): Promise<BackupFacts> {
  const { size, mtimeMs } = await stat(path.join(folder, filename));
  return { filename, size, createdAt: mtimeMs };
}

const fileTo = (file: string) => createWriteStream(file, { mode: 0o600, flags: 'wx', flush: true });

/** Nobody is led elsewhere by a link. */
const openPlain = (file: string): Promise<FileHandle> =>
  open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));

const exists = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    (cause: unknown) => ifGone(cause) ?? false,
  );

function ifGone(cause: unknown): undefined {
  const { code } = cause as NodeJS.ErrnoException;
  if (code !== 'ENOENT' && code !== 'ELOOP' && code !== 'ENAMETOOLONG') throw cause;
}

const isOfSystem = (cause: unknown): boolean => cause instanceof Error && 'syscall' in cause;

async function closing<T>(file: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } finally {
    await file.close();
  }
}

async function withFile<T>(file: string, work: (opened: FileHandle) => Promise<T>): Promise<T> {
  const opened = await open(file, 'r');
  return closing(opened, () => work(opened));
}

export const presentFile = ({ filename, size, createdAt }: BackupFacts, node: string) => ({
  filename,
  size,
  created_at: rfc3339Seconds(createdAt),
  created_at_sec: Math.floor(createdAt / 1000),
  node,
});
