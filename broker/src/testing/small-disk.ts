import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A disk of 4 MB, to be filled up; null where none can be mounted: it needs root, who may mount. */
export function mountSmallDisk(): { folder: string; fill(): void; free(): void; unmount(): void } | null {
  const folder = mkdtempSync(join(tmpdir(), 'full-'));
  const remove = () => rmSync(folder, { recursive: true });
  const ballast = join(folder, 'ballast');
  try {
    if (process.platform !== 'linux' || process.getuid?.() !== 0) throw new Error('only root may mount');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'none', folder], { stdio: 'ignore' });
  } catch {
    console.warn('A test of a full disk is skipped: no small disk can be mounted here.');
    remove();
    return null;
  }
  return {
    folder,
    /** To the last byte. */
    fill() {
      for (let bytes = 1_000_000; bytes >= 1; bytes = Math.floor(bytes / 2)) {
        try {
          for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
        } catch {
          // this much no longer fits
        }
      }
    },
    free: () => rmSync(ballast),
    unmount() {
      execFileSync('umount', ['-l', folder]);
      remove();
    },
  };
}
