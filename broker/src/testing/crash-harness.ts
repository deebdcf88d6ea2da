import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { workerSource } from '../../../scripts/worker-source.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const cache = fileURLToPath(new URL('../../../node_modules/.cache/crash', import.meta.url));

/** A broker in a process of its own, on a folder that stays while the process comes and goes. */
export interface CrashBroker {
  readonly folder: string;
  /** The port. */
  start(): Promise<number>;
  /** `kill -9`; settles when the process is gone. */
  kill(): Promise<void>;
  /** Ends the process, and removes all that it left. */
  remove(): Promise<void>;
}

let building: Promise<string> | null = null;

/** The built program; it is built once for all test files of a process, and goes with the process. */
async function buildProgram(): Promise<string> {
  // Node runs no TypeScript; beside node_modules, so that the built file finds lmdb
  const built = join(cache, String(process.pid));
  process.once('exit', () => rmSync(built, { recursive: true, force: true }));
  await build({
    configFile: false,
    logLevel: 'silent',
    root: here,
    plugins: [workerSource()],
    ssr: { noExternal: [/^@mqdeck/] },
    build: { ssr: 'crash-broker.ts', outDir: built, emptyOutDir: true, target: 'node20' },
  });
  return join(built, 'crash-broker.js');
}

export async function crashBroker(): Promise<CrashBroker> {
  building ??= buildProgram();
  const program = await building;
  const folder = mkdtempSync(join(tmpdir(), 'crash-'));
  let child: ChildProcess | null = null;

  async function kill(): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  return {
    folder,
    async start() {
      child = spawn(process.execPath, [program, folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const port = once(child.stdout!, 'data').then(([line]) => Number((line as Buffer).toString()));
      const died = once(child, 'exit').then(() => Promise.reject(new Error('the broker did not start')));
      died.catch(() => undefined); // later it dies as it should
      return Promise.race([port, died]);
    },
    kill,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true });
    },
  };
}
