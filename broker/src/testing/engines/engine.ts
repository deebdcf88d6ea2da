import { spawn } from 'node:child_process';
import { accessSync, chownSync, constants, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'vitest';

/** A server for tests, on a port of its own that it keeps. */
export interface Engine {
  readonly port: number;
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** As when its machine loses power: every connection is gone at once. */
  kill(): Promise<void>;
  /** Again, on the same port with what it had stored. */
  start(): Promise<unknown>;
  /** For good, with everything it stored. */
  close(): Promise<void>;
}

const READY_MS = 60_000;
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000; // above are those the system gives away

/** A port that nobody uses now. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(Math.random() * (LAST_PORT - FIRST_PORT));
    const free = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
    if (free) return port;
  }
}

/** The path of a program of Debian's packages, or null. */
export function findProgram(name: string): string | null {
  const versions = (folder: string): string[] => {
    try {
      return readdirSync(folder).map((version) => join(folder, version, 'bin'));
    } catch {
      return []; // not there: not installed
    }
  };
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter),
    '/usr/local/sbin',
    '/usr/sbin',
    '/sbin',
    ...versions('/usr/lib/postgresql').sort().reverse(),
  ];
  for (const folder of folders.filter(Boolean)) {
    const file = join(folder, name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      // elsewhere, perhaps
    }
  }
  return null;
}

/** Tests that need an engine: without it they fail in CI, and elsewhere are skipped, by a name that says what is missing. */
export function describeWith(engine: string, programs: readonly string[], tests: () => void): void {
  const missing = programs.filter((name) => findProgram(name) === null);
  if (missing.length === 0) {
    describe(engine, tests);
    return;
  }
  const said = `${engine} is not installed (${missing.join(', ')})`;
  const inCi = Boolean(process.env.CI) && process.env.CI !== 'false';
  if (inCi)
    test(engine, () => {
      throw new Error(`${said}; npm test installs it as root on Debian`);
    });
  else describe.skip(`${engine}: ${said}`, tests);
}

/** Databases refuse to run as root. */
export interface RunAs {
  uid?: number;
  gid?: number;
}

export function userFor(name: string): RunAs {
  if (process.getuid?.() !== 0) return {};
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = [name, 'nobody'].flatMap((one) => users.find((user) => user.startsWith(`${one}:`)) ?? [])[0];
  if (line === undefined) throw new Error(`there is no user ${name} to run as`);
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** A folder that goes with the engine. */
export function ownFolder(name: string, { uid, gid }: RunAs = {}): string {
  const folder = mkdtempSync(join(tmpdir(), `mqdeck-${name}-`));
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** Runs a program to its end; its output is in the error when it fails. */
export async function runToEnd(command: string, args: readonly string[], as: RunAs): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], cwd: tmpdir(), ...as });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output}`);
}

export interface Program {
  command: string;
  args: readonly string[];
  as?: RunAs;
  /** A line of its output that says that it may be asked. */
  ready: RegExp;
  /** Ends it at once. */
  killSignal?: NodeJS.Signals;
}

/** A process of ours that is started, killed and started again. */
export class Runner {
  private readonly program: Program;
  private ended: Promise<void> = Promise.resolve();
  private stop: () => void = () => undefined;
  /** Writes to the program's input. */
  tell: (text: string) => void = () => undefined;

  constructor(program: Program) {
    this.program = program;
  }

  /** Settles with the line that says that it is ready. */
  async start(): Promise<string> {
    const { command, args, as = {}, ready, killSignal = 'SIGKILL' } = this.program;
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], cwd: tmpdir(), ...as });
    child.stdin.on('error', () => undefined); // it ended
    this.tell = (text) => void child.stdin.write(text);
    const endWithUs = () => child.kill('SIGKILL');
    process.once('exit', endWithUs);
    this.stop = () => child.kill(killSignal);
    this.ended = new Promise((resolve) => {
      child.once('close', () => {
        process.off('exit', endWithUs);
        resolve();
      });
    });
    const lines: string[] = [];
    return new Promise((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${command} ${why}: ${lines.slice(-20).join('\n')}`));
      const timer = setTimeout(() => fail('did not get ready'), READY_MS);
      child.once('error', reject);
      child.once('close', (code) => fail(`ended with ${code}`));
      for (const stream of [child.stdout, child.stderr])
        createInterface({ input: stream }).on('line', (line) => {
          lines.push(line);
          if (!ready.test(line)) return;
          clearTimeout(timer);
          resolve(line);
        });
    });
  }

  async kill(): Promise<void> {
    this.stop();
    await this.ended;
  }
}
