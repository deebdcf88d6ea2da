import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { StoreError } from './check-file.ts';
import { openStore } from './environment.ts';

const root = mkdtempSync(join(tmpdir(), 'damage-'));
afterAll(() => rmSync(root, { recursive: true }));
let next = 0;

async function filled(): Promise<{ folder: string; file: string }> {
  const folder = join(root, `${next++}`);
  const store = openStore(folder);
  const rows = store.collection<Buffer>('rows');
  for (let i = 0; i < 300; i++) rows.put(i, Buffer.alloc(i % 10 === 0 ? 9000 : 500, i));
  await store.flushed();
  for (let i = 0; i < 300; i += 3) rows.remove(i);
  await store.close();
  return { folder, file: join(folder, 'store', 'data.mdb') };
}

function overwrite(file: string, at: number, bytes: number): void {
  const fd = openSync(file, 'r+');
  writeSync(fd, Buffer.alloc(bytes, 0x5a), 0, bytes, at);
  closeSync(fd);
}

/** The same place of every page but the first two. */
const inEachPage = (at: number, bytes: number) => (file: string, size: number) => {
  for (let page = 8192; page < size; page += 4096) overwrite(file, page + at, bytes);
};

test.each<[string, (file: string, size: number) => void]>([
  ['its first bytes overwritten', (file) => overwrite(file, 0, 16)],
  ['its first page overwritten', (file) => overwrite(file, 0, 4096)],
  ['its second page overwritten', (file) => overwrite(file, 4096, 100)],
  ['nothing in it', (file) => truncateSync(file, 0)],
  ['a piece of a page', (file) => truncateSync(file, 100)],
  ['one page', (file) => truncateSync(file, 4096)],
  ['two pages', (file) => truncateSync(file, 8192)],
  ['half of its pages', (file, size) => truncateSync(file, size >> 1)],
  ['the heads of its pages overwritten', inEachPage(0, 24)],
  ['the numbers of its pages overwritten', inEachPage(0, 1)],
  ['the ages of its pages overwritten', inEachPage(8, 8)],
  ['the places of its records overwritten', inEachPage(24, 2)],
  ['another content', (file) => writeFileSync(file, 'hello '.repeat(10_000))],
])('a store with %s is refused with a sentence that names the file', async (_what, harm) => {
  const { folder, file } = await filled();
  harm(file, readFileSync(file).length);
  expect(() => openStore(folder)).toThrow(StoreError);
  expect(() => openStore(folder)).toThrow(file);
  expect(() => openStore(folder)).toThrow('move it away to start afresh');
});

test('a file in the place of the folder is refused', () => {
  const folder = mkdtempSync(join(root, 'x'));
  writeFileSync(join(folder, 'store'), 'x');
  expect(() => openStore(folder)).toThrow(StoreError);
});

test('a file without its last pages opens when nothing uses them', async () => {
  const { folder, file } = await filled();
  const content = readFileSync(file);
  // What LMDB leaves behind when the newest pages were given back before they were written
  for (const meta of [0, 4096]) content.writeBigUInt64LE(BigInt(content.length / 4096 + 5), meta + 144);
  writeFileSync(file, content);
  const store = openStore(folder);
  expect(store.collection('rows').count()).toBe(200);
  store.collection<string>('rows').put('new', 'x');
  await store.close();
});
