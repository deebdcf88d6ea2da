import { constants } from 'node:fs';
import { access, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FolderInUse, type FolderLock, lockFolder } from './folder-lock.ts';
import { StartFailure } from './start-failure.ts';

export interface DataFolder {
  path: string;
  /** Writes run.json: who runs here and under which addresses. */
  announce(facts: Record<string, unknown>): Promise<void>;
  /** Takes run.json away and releases the lock; the folder is free for the next instance. */
  release(): Promise<void>;
}

/** Makes the folder where it is missing and takes its lock. */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const full = path.resolve(folder);
  process.umask(0o077); // hashes of passwords and waiting messages are nobody else's on this machine
  const runFile = path.join(full, 'run.json');
  let lock: FolderLock;
  try {
    await makeFolder(full);
    await access(full, constants.R_OK | constants.W_OK | constants.X_OK);
    lock = await lockFolder(full);
    await rm(runFile, { force: true }); // left by a crash: nobody must read old ports from it
  } catch (error) {
    if (error instanceof FolderInUse) {
      throw new StartFailure(
        `Another mqdeck (process ${error.pid}) uses the data folder ${full}. End it, or choose another with --data.`,
      );
    }
    const why = reasons[(error as NodeJS.ErrnoException).code ?? ''] ?? (error as Error).message;
    throw new StartFailure(`The data folder ${full} cannot be used: ${why}. Choose another with --data.`);
  }
  return {
    path: full,
    async announce(facts) {
      const partial = `${runFile}.partial`;
      await writeFile(partial, `${JSON.stringify({ pid: process.pid, ...facts }, null, 2)}\n`);
      await rename(partial, runFile); // a reader sees all of it or nothing
    },
    async release() {
      await rm(runFile, { force: true });
      await lock.release();
    },
  };
}

/** Level by level: where the system refuses (`/proc`), Node's own recursion tries again without end. */
async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder);
  const made = await mkdir(folder).catch((error: NodeJS.ErrnoException) => error);
  if (!(made instanceof Error)) return;
  if (made.code === 'EEXIST' && (await stat(folder)).isDirectory()) return;
  if (made.code !== 'ENOENT' || parent === folder || (await isFolder(parent))) throw made;
  await makeFolder(parent);
  await mkdir(folder);
}

const isFolder = (folder: string): Promise<boolean> =>
  stat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );

const reasons: Record<string, string> = {
  ENOENT: 'the system lets nobody make a folder there',
  EACCES: 'this user may not read and write there',
  EPERM: 'this user may not read and write there',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of its path is a file',
  EEXIST: 'it is a file',
  ENOSPC: 'the disk is full',
};
