import { type ChildProcess, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm run build` made; another build can be put to the same tests by MQDECK_PROGRAM. */
const program =
  process.env.MQDECK_PROGRAM ?? fileURLToPath(new URL('../../server/dist/mqdeck.js', import.meta.url));

export interface RunningServer {
  /** Where the console is, without a slash at the end. */
  url: string;
  ports: { http: number; tcp: number; ws: number };
  dataDir: string;
  /** True: it is there for all files of a worker, and nobody ends it. */
  shared?: boolean;
  /** Ends it as a service manager would and removes its data unless they are to be kept. */
  stop(options?: { keepData?: boolean }): Promise<void>;
  /** Ends it as a power cut would; the data stay. */
  kill(): Promise<void>;
}

export interface ServerProcess extends RunningServer {
  signal(signal: NodeJS.Signals): void;
  /** How it ended, once it has: its exit code, or the signal that killed it. */
  ended: Promise<number | NodeJS.Signals>;
}

interface StartOptions {
  args?: string[];
  dataDir?: string;
}

/** Starts the product itself, on free ports and in a fresh data folder. */
export async function startServer({ args = [], dataDir }: StartOptions = {}): Promise<ServerProcess> {
  const data = dataDir ?? fs.mkdtempSync(path.join(os.tmpdir(), 'mqdeck-e2e-'));
  const free = ['--http', '0', '--tcp', '0', '--ssl', '0', '--ws', '0', '--wss', '0'];
  const child = spawn(process.execPath, [program, ...free, '--data', data, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk;
    });
  }
  const ended = new Promise<number | NodeJS.Signals>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code!)),
  );
  const announced = path.join(data, 'run.json');
  const run = await waitForRun(announced, child, () => output);
  const remove = () => fs.rmSync(data, { recursive: true, force: true });
  return {
    url: `http://localhost:${run.http}`,
    ports: run,
    dataDir: data,
    async stop({ keepData = false } = {}) {
      child.kill('SIGTERM');
      await ended;
      if (!keepData) remove();
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    signal: (signal) => void child.kill(signal),
    ended,
  };
}

/** The server writes run.json when it is ready; one that a killed predecessor left behind names another pid. */
function waitForRun(
  file: string,
  child: ChildProcess,
  output: () => string,
): Promise<{ http: number; tcp: number; ws: number }> {
  return new Promise((resolve, reject) => {
    const look = () => {
      let run: { pid?: number; http: number; tcp: number; ws: number } | undefined;
      try {
        run = JSON.parse(fs.readFileSync(file, 'utf8'));
      } catch (error) {
        if (!(error instanceof SyntaxError) && (error as NodeJS.ErrnoException).code !== 'ENOENT')
          throw error;
      }
      if (run?.pid !== child.pid) return;
      finish();
      resolve(run as { http: number; tcp: number; ws: number });
    };
    const timer = setInterval(look, 50);
    const failed = () => {
      finish();
      reject(new Error(`the server ended before it was ready:\n${output()}`));
    };
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      failed();
    }, 30_000);
    const finish = () => {
      clearInterval(timer);
      clearTimeout(late);
      child.off('close', failed);
    };
    child.once('close', failed);
  });
}
