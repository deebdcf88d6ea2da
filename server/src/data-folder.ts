import { constants } from 'node:fs';
import { access, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { StartFailure } from './start-failure.ts';

export interface DataFolder {
  path: string;
  /** Writes run.json: who runs here and under which addresses. */
  announce(facts: Record<string, unknown>): Promise<void>;
  /** Takes run.json and the lock away; the folder is free for the next instance. */
  release(): Promise<void>;
}

/**
 * Makes the folder where it is missing and takes its lock, a file that names the process holding it. A lock whose
 * process is gone, after a crash or a reboot, is taken over.
 */
export async function openDataFolder(folder: string): Promise<DataFolder> {
  const full = path.resolve(folder);
  process.umask(0o077); // hashes of passwords and waiting messages are nobody else's on this machine
  const lockFile = path.join(full, 'lock');
  const runFile = path.join(full, 'run.json');
  try {
    await makeFolder(full);
    await access(full, constants.R_OK | constants.W_OK | constants.X_OK);
    await takeLock(lockFile, full);
    await rm(runFile, { force: true }); // left by a crash: nobody must read old ports from it
  } catch (error) {
    if (error instanceof StartFailure) throw error;
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
      await rm(lockFile, { force: true });
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

async function takeLock(lockFile: string, folder: string): Promise<void> {
  const mine = JSON.stringify(await identify(process.pid));
  for (;;) {
    try {
      await writeFile(lockFile, mine, { flag: 'wx' });
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const found = await readLock(lockFile);
    if (found === null) continue; // released in this very moment
    const holder = await holderOf(found);
    if (holder !== null) {
      throw new StartFailure(
        `Another mqdeck (process ${holder}) uses the data folder ${folder}. End it, or choose another with --data.`,
      );
    }
    // Two instances may find the same stale lock: only one of them can move it away.
    const aside = `${lockFile}.${process.pid}`;
    try {
      await rename(lockFile, aside);
      if ((await readLock(aside)) !== found) {
        await rename(aside, lockFile); // it was a fresh lock of the faster one: put it back
        continue;
      }
      await rm(aside, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

async function readLock(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** A process id alone may have been given to another program since; the start time tells them apart where Linux says it. */
interface Identity {
  pid: number;
  startedAt: string | null;
}

async function identify(pid: number): Promise<Identity> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8');
    // The second field is the program's name in brackets and may hold anything; the start time is field 22.
    const startTicks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return { pid, startedAt: `${boot.trim()} ${startTicks}` };
  } catch {
    return { pid, startedAt: null }; // no /proc: the process id must do
  }
}

/** The process id of who holds this lock, or null when that process is gone. */
async function holderOf(lock: string): Promise<number | null> {
  let written: Partial<Identity>;
  try {
    written = JSON.parse(lock) as Partial<Identity>;
  } catch {
    return null; // cut off by a crash while it was written
  }
  const { pid, startedAt } = written;
  if (typeof pid !== 'number' || !isAlive(pid)) return null;
  const now = await identify(pid);
  if (now.startedAt !== null && startedAt) return now.startedAt === startedAt ? pid : null;
  return pid === process.pid ? null : pid; // without start times: our own id means it was given again
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // it lives, as another user
  }
}
