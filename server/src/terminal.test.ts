import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Output } from './terminal.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-terminal-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('lines arrive whole and in their order', async () => {
  const file = path.join(folder, 'out');
  const descriptor = openSync(file, 'w');
  const output = new Output(descriptor);
  const lines = Array.from({ length: 2000 }, (_, i) => `line ${i}\n`);
  for (const line of lines) output.write(line);
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(lines.join('')));
  output.close();
  closeSync(descriptor);
});

test.skipIf(!existsSync('/dev/full'))('an output that takes nothing ends nothing', async () => {
  const failed = vi.fn();
  process.on('uncaughtException', failed);
  const descriptor = openSync('/dev/full', 'w');
  const output = new Output(descriptor);
  // More than may wait: each batch that was refused makes room for the next.
  for (let i = 0; i < 10; i += 1) {
    output.write(`${'x'.repeat(1024 * 1024)}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(() => expect(output.idle).toBe(true));
  expect(failed).not.toHaveBeenCalled();
  process.off('uncaughtException', failed);
  output.close();
  closeSync(descriptor);
});
