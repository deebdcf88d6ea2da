import { readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPluginId, PLUGIN_EXTENSION, PluginManifest } from '@mqdeck/contract/plugins';
import { isValidFilter, parseShared } from '@mqdeck/mqtt/topics';
import * as z from 'zod/mini';
import { gunzipped } from '../../archive/gunzip.ts';
import { ArchiveFault, pathIn, readTar, shown } from '../../archive/tar.ts';

const MANIFEST_FILE = 'release.json';
const MANIFEST_BYTES_MAX = 256 * 1024;
const README_BYTES_MAX = 512 * 1024;
const UNPACKED_BYTES_MAX = 64 * 1024 ** 2;
/** The packages themselves, as they came: for backups. */
const PACKAGES = '.packages';
const LIMITS = { entryBytesMax: 16 * 1024 ** 2, entriesMax: 2000, folders: true };
/** What is being unpacked; no plugin has a name that begins with a dot. */
const PARTIAL = '.partial-';

/** Why a package cannot be installed, or what is installed cannot be read. */
export class PackageFault extends Error {}

/** A plugin on disk. */
export interface Installed {
  readonly id: string; // name-version, its folder's name
  readonly folder: string;
  readonly manifest: PluginManifest;
}

/**
 * Unpacks a package into its folder below `folder`, and keeps it. What is wrong with it leaves nothing behind; `reject`
 * may find more. Throws PackageFault.
 */
export async function unpack(
  folder: string,
  filename: string,
  content: AsyncIterable<Buffer>,
  reject: (manifest: PluginManifest) => string | null = () => null,
): Promise<Installed> {
  const id = idOfFile(filename);
  const partial = path.join(folder, PARTIAL + id);
  await rm(partial, { recursive: true, force: true });
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const chunks: Buffer[] = [];
    await writeAll(partial, id, kept(content, chunks));
    const { manifest } = await readInstalled(partial, id);
    const why = reject(manifest);
    if (why !== null) throw new PackageFault(`The plugin does not fit this broker: ${why}`);
    await mkdir(path.join(folder, PACKAGES), { recursive: true, mode: 0o700 });
    await writeFile(packageFile(folder, id), Buffer.concat(chunks), { mode: 0o600 });
    const target = path.join(folder, id);
    await rename(partial, target);
    return { id, folder: target, manifest };
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    throw cause instanceof ArchiveFault ? new PackageFault(cause.message, { cause }) : cause;
  }
}

async function* kept(content: AsyncIterable<Buffer>, chunks: Buffer[]): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    chunks.push(chunk);
    yield chunk;
  }
}

const packageFile = (folder: string, id: string): string =>
  path.join(folder, PACKAGES, id + PLUGIN_EXTENSION);

/** The package of an installed plugin, as it came; null where it was lost. */
export function packageOf(folder: string, id: string): Buffer | null {
  try {
    return readFileSync(packageFile(folder, id));
  } catch (cause) {
    if (isCode(cause, 'ENOENT', 'ENOTDIR')) return null;
    throw cause;
  }
}

export async function removeInstalled(folder: string, id: string): Promise<void> {
  await rm(path.join(folder, id), { recursive: true, force: true });
  await rm(packageFile(folder, id), { force: true });
}

function idOfFile(filename: string): string {
  const id = filename.endsWith(PLUGIN_EXTENSION) ? filename.slice(0, -PLUGIN_EXTENSION.length) : '';
  if (!isPluginId(id))
    throw new PackageFault(
      `The file must be named name-version${PLUGIN_EXTENSION}: ${shown(filename)} is not`,
    );
  return id;
}

async function writeAll(partial: string, id: string, content: AsyncIterable<Buffer>): Promise<void> {
  const seen = new Set<string>();
  for await (const entry of readTar(gunzipped(content, UNPACKED_BYTES_MAX), LIMITS)) {
    const name = pathIn(id, entry.name);
    // Some disks know no difference between small and capital letters.
    const key = name.toLowerCase();
    if (seen.has(key)) throw new PackageFault(`${shown(entry.name)} is twice in the archive`);
    seen.add(key);
    const file = path.join(partial, name);
    try {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(file, entry.content, { flag: 'wx', mode: 0o600 });
    } catch (cause) {
      if (isCode(cause, 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'))
        throw new PackageFault(`${shown(entry.name)} in the archive cannot be a file beside the others`, {
          cause,
        });
      throw cause;
    }
  }
}

/** The plugins of a folder; of what cannot be read `onFault` is told. */
export async function installedIn(
  folder: string,
  onFault: (id: string, reason: string) => void,
): Promise<Installed[]> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const found: Installed[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith(PARTIAL)) {
      await rm(path.join(folder, name), { recursive: true, force: true });
      continue;
    }
    if (!entry.isDirectory() || !isPluginId(name)) continue;
    try {
      found.push(await readInstalled(path.join(folder, name), name));
    } catch (cause) {
      if (!(cause instanceof PackageFault)) throw cause;
      onFault(name, cause.message);
    }
  }
  return found;
}

async function readInstalled(folder: string, id: string): Promise<Installed> {
  const text = await readText(path.join(folder, MANIFEST_FILE), MANIFEST_BYTES_MAX);
  if (text === null) throw new PackageFault(`The package has no ${MANIFEST_FILE}`);
  const manifest = checkedManifest(text);
  const { name, rel_vsn, main } = manifest;
  if (`${name}-${rel_vsn}` !== id)
    throw new PackageFault(`${MANIFEST_FILE} is of ${name}-${rel_vsn}, and the package of ${id}`);
  if (!(await isFile(path.join(folder, main))))
    throw new PackageFault(`${MANIFEST_FILE} names ${main} as the module, which is not in the package`);
  return { id, folder, manifest };
}

function checkedManifest(text: string): PluginManifest {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text, (key, value: unknown) => {
      if (key !== '__proto__') return value;
      throw new PackageFault(`${MANIFEST_FILE}: no field may be named __proto__`);
    });
  } catch (cause) {
    if (cause instanceof PackageFault) throw cause;
    throw new PackageFault(`${MANIFEST_FILE} is no JSON`, { cause });
  }
  const { success, data, error } = z.safeParse(PluginManifest, parsed);
  if (!success) {
    const { path: at, message } = error.issues[0]!;
    throw new PackageFault(`${MANIFEST_FILE}: ${at.length > 0 ? `${at.join('.')}: ` : ''}${message}`);
  }
  for (const filter of data.hooks.flatMap(({ topics = [] }) => topics))
    if (!isValidFilter(filter) || parseShared(filter) !== null)
      throw new PackageFault(`${MANIFEST_FILE}: hooks: ${shown(filter)} is no topic filter`);
  return data;
}

/** Null = it has none. */
export function readmeOf({ folder, manifest }: Installed): Promise<string | null> {
  return readText(path.join(folder, manifest.readme), README_BYTES_MAX);
}

async function readText(file: string, bytesMax: number): Promise<string | null> {
  if (!(await isFile(file))) return null;
  const bytes = await readFile(file);
  if (bytes.length > bytesMax) throw new PackageFault(`${path.basename(file)} is larger than it can be`);
  return bytes.toString('utf8');
}

const isFile = (file: string): Promise<boolean> =>
  stat(file).then(
    (one) => one.isFile(),
    (cause: unknown) => {
      if (isCode(cause, 'ENOENT', 'ENOTDIR')) return false;
      throw cause;
    },
  );

const isCode = (cause: unknown, ...codes: string[]): boolean =>
  cause instanceof Error && 'code' in cause && codes.includes(String(cause.code));
