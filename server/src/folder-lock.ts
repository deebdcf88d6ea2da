import { randomUUID } from 'node:crypto';
import { link, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A folder is held by one process at a time. */
export interface FolderLock {
  release(): Promise<void>;
}

/** A living process holds the folder. */
export class FolderInUse extends Error {
  readonly pid: number;

  constructor(pid: number) {
    super(`the folder is used by process ${pid}`);
    this.pid = pid;
  }
}

/**
 * Takes the lock of a folder: the file `lock.N` with the highest N names the process that holds it. Whoever finds that its
 * process is gone, after a crash or a reboot, makes `lock.N+1`, which only one can; the highest is never removed, so that
 * nobody who looked earlier can make it again.
 * Throws `FolderInUse`.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const claim = path.join(folder, `claim-${randomUUID()}`);
  await writeFile(claim, JSON.stringify(await identify(process.pid)));
  try {
    for (;;) {
      const highest = Math.max(0, ...(await locksOf(folder)));
      const holder = await holderOf(await readLock(folder, highest));
      if (holder !== null) throw new FolderInUse(holder);
      const mine = highest + 1;
      if (!(await makeLock(claim, folder, mine))) continue; // another one was faster
      const locks = await locksOf(folder);
      if (locks.every((number) => number <= mine)) {
        for (const number of locks) if (number < mine) await rm(fileOf(folder, number), { force: true });
        return { release: () => writeFile(fileOf(folder, mine), '') };
      }
      await rm(fileOf(folder, mine), { force: true }); // it was made and removed before: the list was read too long ago
    }
  } finally {
    await rm(claim, { force: true });
  }
}

const fileOf = (folder: string, number: number): string => path.join(folder, `lock.${number}`);

async function locksOf(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => (/^lock\.\d+$/.test(name) ? [Number(name.slice('lock.'.length))] : []));
}

/** A link appears with its whole content, or not at all where the name is taken. */
async function makeLock(claim: string, folder: string, number: number): Promise<boolean> {
  try {
    await link(claim, fileOf(folder, number));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Empty where there is none: a holder that was released, or overtaken. */
async function readLock(folder: string, number: number): Promise<string> {
  try {
    return await readFile(fileOf(folder, number), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
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

/** The process id of who holds this lock; null when it was released, that process is gone, or a power cut left it unreadable. */
async function holderOf(lock: string): Promise<number | null> {
  let written: Partial<Identity>;
  try {
    written = JSON.parse(lock) as Partial<Identity>;
  } catch {
    return null;
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
