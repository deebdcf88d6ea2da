import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*\.log(\.[1-9]\d{0,2})?$/;
const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

interface Found {
  name: string;
  size: number; // bytes
  changedAt: number; // epoch ms
}

/** The log files of the folder, without anything else that lies there. */
export async function listLogFiles(folder: string): Promise<Found[]> {
  const names = (await namesIn(folder)).filter((name) => NAME.test(name));
  const found = await Promise.all(names.map((name) => described(folder, name)));
  return found.filter((file) => file !== null).sort((a, b) => byName.compare(a.name, b.name));
}

const byName = new Intl.Collator('en', { numeric: true });

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw cause;
  }
}

async function described(folder: string, name: string): Promise<Found | null> {
  try {
    const found = await lstat(path.join(folder, name));
    return found.isFile() ? { name, size: found.size, changedAt: found.mtimeMs } : null;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null; // rotated meanwhile
    throw cause;
  }
}

/** As long as the file is now: it may grow meanwhile. Null when there is no such file. */
export async function readLogFile(folder: string, name: string): Promise<Readable | null> {
  if (!NAME.test(name)) return null;
  const handle = await open(path.join(folder, name), READ).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ELOOP') return null;
    throw cause;
  });
  if (handle === null) return null;
  const found = await handle.stat();
  if (found.isFile() && found.size > 0) return handle.createReadStream({ start: 0, end: found.size - 1 });
  await handle.close();
  return found.isFile() ? Readable.from([]) : null;
}
