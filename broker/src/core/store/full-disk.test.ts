import { execFileSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openStore } from './environment.ts';

const folder = mkdtempSync(join(tmpdir(), 'full-'));
const canMount = mountSmallDisk(); // needs root, and a container that lets root mount

function mountSmallDisk(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

if (!canMount) console.warn('The test of a full disk is skipped: no small disk can be mounted here.');
afterAll(() => {
  if (canMount) execFileSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true });
});

test.skipIf(!canMount)(
  'a full disk ends nothing: it is said, and writing goes on when there is room',
  async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined); // LMDB's own words
    const store = openStore(folder);
    const rows = store.collection<Buffer>('rows');
    const news = new EventEmitter();
    store.onTrouble((trouble) => news.emit(trouble ? 'trouble' : 'well'));
    let committed = 0;
    const ask = store.joinGroups({ prepare: () => undefined, committed: () => void committed++ });
    rows.put('first', Buffer.from('1'));
    await store.flushed();
    const ballast = join(folder, 'ballast');
    writeFileSync(ballast, Buffer.alloc(3_500_000));

    const trouble = once(news, 'trouble');
    ask();
    for (let i = 0; i < 10; i++) rows.put(i, Buffer.alloc(100_000));
    await expect(store.flushed()).rejects.toThrow('could not be written');
    await trouble;
    expect(store.trouble?.cause).toBeInstanceOf(Error);
    expect(committed).toBe(0);
    await expect(store.flushed()).rejects.toThrow('could not be written');
    expect(rows.get(9)).toHaveLength(100_000);

    const well = once(news, 'well');
    rmSync(ballast);
    await well;
    expect(store.trouble).toBeNull();
    await store.flushed();
    expect(committed).toBe(1);
    await store.close();
    const again = openStore(folder);
    expect(again.collection<Buffer>('rows').count()).toBe(11);
    await again.close();
  },
);
