import { type ChildProcess, fork, type Serializable } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Engine, freePort } from './engine.ts';

/** A server of our own, in a process of its own; it tells what it is asked. */
export interface ForkedEngine<Told> extends Engine {
  /** All that it has told so far. */
  readonly told: readonly Told[];
  /** Settles with what it has told already, or tells. */
  expectTold(matches: (told: Told) => boolean): Promise<Told>;
  /** In force when it settles. */
  send(change: object): Promise<void>;
}

/** `begin` is the first message to the program, at every start; it answers `ready`, and to a later one `changed`. */
export async function forkEngine<Told extends object>(
  file: string,
  begin: (port: number) => Serializable,
  isTold: (message: Partial<Told>) => boolean,
): Promise<ForkedEngine<Told>> {
  const port = await freePort();
  const told: Told[] = [];
  let child: ChildProcess | null = null;
  const watchers: (() => void)[] = [];

  function said(process: ChildProcess, what: 'ready' | 'changed'): Promise<void> {
    return new Promise((resolve, reject) => {
      const onMessage = (message: Record<string, unknown>) => {
        if (!(what in message)) return;
        process.off('message', onMessage);
        resolve();
      };
      process.on('message', onMessage);
      process.once('exit', () => reject(new Error(`${file} has ended`)));
    });
  }

  async function start(): Promise<void> {
    const program = fileURLToPath(new URL(file, import.meta.url));
    child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', (message: Partial<Told>) => {
      if (!isTold(message)) return;
      told.push(message as Told);
      for (const wake of watchers.splice(0)) wake();
    });
    const ready = said(child, 'ready');
    child.send(begin(port));
    await ready;
  }

  async function kill(): Promise<void> {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  await start();
  return {
    port,
    address: `127.0.0.1:${port}`,
    told,
    start,
    kill,
    close: kill,
    async expectTold(matches) {
      for (;;) {
        const found = told.find(matches);
        if (found) return found;
        await new Promise<void>((resolve) => watchers.push(resolve));
      }
    },
    async send(change) {
      const done = said(child!, 'changed');
      child!.send(change);
      await done;
    },
  };
}
