import { spawn } from 'node:child_process';
import { findProgram } from './engine.ts';

export const OPENSSL_PROGRAMS = ['openssl'] as const;
const PATIENCE_MS = 20_000;

/** A run of OpenSSL's client of DTLS. */
export interface SecureClient {
  write(text: string): void;
  writeBytes(bytes: Uint8Array): void;
  /** Settles when what it has printed, on either output, has the text. */
  shows(text: string): Promise<void>;
  /** Settles with everything it has printed when it has ended by itself. */
  readonly ended: Promise<string>;
  /** Says good-bye: the end of its input. */
  end(): void;
  stop(): Promise<void>;
}

/** Starts another maker's client of DTLS 1.2, which prints what it receives and sends each line that is written to it. */
export function runSecureClient(
  port: number,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): SecureClient {
  const child = spawn(
    findProgram(OPENSSL_PROGRAMS[0])!,
    ['s_client', '-dtls1_2', '-connect', `127.0.0.1:${port}`, '-timeout', ...args],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  );
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.stdin.on('error', () => undefined); // it has ended
  let printed = '';
  const watchers: (() => void)[] = [];
  const wake = () => {
    for (const watcher of watchers.splice(0)) watcher();
  };
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
      wake();
    });
  let over = false;
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      process.off('exit', endWithUs);
      over = true;
      wake();
      resolve(printed);
    });
  });
  return {
    write: (text) => void child.stdin.write(`${text}\n`),
    writeBytes: (bytes) => void child.stdin.write(bytes),
    ended,
    async shows(text) {
      const until = performance.now() + PATIENCE_MS;
      while (!printed.includes(text)) {
        if (over || performance.now() >= until) throw new Error(`no "${text}" but "${printed.slice(-2000)}"`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, until - performance.now());
          watchers.push(() => {
            clearTimeout(timer);
            resolve();
          });
        });
      }
    },
    end: () => void child.stdin.end(),
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
