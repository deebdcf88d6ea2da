import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { findProgram } from './engine.ts';

export const LIBCOAP_PROGRAMS = ['coap-client-notls'] as const;
/** With DTLS, for addresses that begin with `coaps:`. */
export const SECURE_LIBCOAP_PROGRAMS = ['coap-client-openssl', 'coap-client-gnutls'] as const;
const PATIENCE_MS = 20_000;

/** A run of libcoap's client: what it was answered is on its output, what went wrong on its error output. */
export interface CoapRun {
  readonly output: () => string;
  /** Settles when the output has the text. */
  shows(text: string): Promise<void>;
  /** Settles with everything that it has written when it has ended by itself. */
  readonly ended: Promise<{ output: string; errors: string }>;
  stop(): Promise<void>;
}

/** Starts another maker's client of CoAP. */
export function runCoapClient(
  args: readonly string[],
  input = '',
  program: string = LIBCOAP_PROGRAMS[0],
): CoapRun {
  const child = spawn(findProgram(program)!, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: tmpdir(),
  });
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.stdin.on('error', () => undefined); // it does not read it
  child.stdin.end(input);
  let output = '';
  let errors = '';
  let watchers: (() => void)[] = [];
  const wake = () => {
    for (const watcher of watchers.splice(0)) watcher();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    wake();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const ended = new Promise<{ output: string; errors: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => {
      process.off('exit', endWithUs);
      wake();
      resolve({ output, errors });
    });
  });
  return {
    output: () => output,
    ended,
    async shows(text) {
      const until = performance.now() + PATIENCE_MS;
      while (!output.includes(text)) {
        if (child.exitCode !== null || performance.now() >= until)
          throw new Error(`no "${text.slice(0, 80)}" but "${output.slice(-500)}", and ${errors}`);
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, until - performance.now());
          watchers = [
            ...watchers,
            () => {
              clearTimeout(timer);
              resolve();
            },
          ];
        });
      }
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
