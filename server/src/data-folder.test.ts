import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDataFolder } from './data-folder.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'mqdeck-data-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('run.json says the process and what was announced, and is gone after the release', async () => {
  const data = await openDataFolder(path.join(folder, 'new/deep'));
  await data.announce({ http: 1234 });
  expect(JSON.parse(await readFile(path.join(data.path, 'run.json'), 'utf8'))).toEqual({
    pid: process.pid,
    http: 1234,
  });
  await data.release();
  expect(await readdir(data.path)).toEqual(['lock.1']); // which names nobody
});

test('a second instance on the same folder is refused, and let in after the release', async () => {
  const first = await openDataFolder(folder);
  await expect(openDataFolder(folder)).rejects.toThrow(`Another mqdeck (process ${process.pid}) uses`);
  await first.release();
  await (await openDataFolder(folder)).release();
});

test.each([
  ['of a process that is gone', JSON.stringify({ pid: 2 ** 30, startedAt: null })],
  ['cut off while it was written', '{"pid"'],
  [
    'of a process id that was given again',
    JSON.stringify({ pid: process.pid, startedAt: 'before the reboot 1' }),
  ],
])('a lock %s is taken over', async (_, lock) => {
  await writeFile(path.join(folder, 'lock.1'), lock);
  await writeFile(path.join(folder, 'run.json'), '{"http": 1}');
  const data = await openDataFolder(folder);
  expect(await readdir(folder)).toEqual(['lock.2']);
  await data.release();
});

test('of several instances that find the same stale lock exactly one gets in, however often they try', async () => {
  for (let round = 1; round <= 20; round += 1) {
    const stale = JSON.stringify({ pid: 2 ** 30, startedAt: null });
    await writeFile(path.join(folder, `lock.${round}`), stale);
    const results = await Promise.allSettled([1, 2, 3, 4].map(() => openDataFolder(folder)));
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    expect(await readdir(folder)).toEqual([`lock.${round + 1}`]);
  }
});

test('a folder that is a file, or may not be written, is refused with a sentence', async () => {
  const file = path.join(folder, 'file');
  await writeFile(file, '');
  await expect(openDataFolder(file)).rejects.toThrow('it is a file');
  await expect(openDataFolder(path.join(file, 'below'))).rejects.toThrow('a part of its path is a file');
});

test('a folder that may not be written is refused with a sentence', async () => {
  await chmod(folder, 0o500);
  const root = process.getuid?.() === 0;
  if (root) process.seteuid?.(65_534); // nobody: for root every folder is writable
  try {
    await expect(openDataFolder(folder)).rejects.toThrow('may not read and write there');
  } finally {
    if (root) process.seteuid?.(0);
  }
});

test('a missing folder is made with all the levels above it, for this user alone', async () => {
  const data = await openDataFolder(path.join(folder, 'a', 'b', 'c'));
  await data.announce({});
  for (const made of ['a', 'a/b/c', 'a/b/c/run.json'])
    expect((await stat(path.join(folder, made))).mode & 0o077).toBe(0);
  await data.release();
});

test.runIf(existsSync('/proc/self'))(
  'a place where nobody can make a folder is refused at once',
  async () => {
    await expect(openDataFolder('/proc/mqdeck/data')).rejects.toThrow('cannot be used');
  },
);
