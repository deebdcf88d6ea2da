import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Engine, freePort } from './engine.ts';

const program = fileURLToPath(new URL('./exproto-handler.mjs', import.meta.url));

interface HandlerOptions {
  /** Where the gateway's gRPC server is. */
  adapterAddress: string;
  service?: 'ConnectionUnaryHandler' | 'ConnectionHandler';
  /** Of the gateway's gRPC server. */
  tls?: { ca: string; name: string };
}

/** What of an event tests look at; bytes and payloads are text. */
interface HandlerRequest {
  conn: string;
  conninfo?: { socktype: string; peername: { host: string; port: number } };
  bytes?: string;
  reason?: string;
  type?: string;
  messages?: { topic: string; payload: string; qos: number; from: string }[];
}

export interface ExprotoHandler extends Engine {
  readonly url: string;
  readonly events: readonly { event: string; request: HandlerRequest }[];
  /** Settles with an event that has come, or comes. */
  expectEvent(event: string, matches?: (request: HandlerRequest) => boolean): Promise<HandlerRequest>;
  /** From now on bytes are taken, and no answer comes. */
  fallSilent(silent: boolean): Promise<void>;
}

/** A handler of a small line protocol, in a process of its own. */
export async function exprotoHandler(options: HandlerOptions): Promise<ExprotoHandler> {
  const port = await freePort();
  const events: { event: string; request: HandlerRequest }[] = [];
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
      process.once('exit', () => reject(new Error('the handler has ended')));
    });
  }

  async function start(): Promise<void> {
    child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', (message: { event?: string; request?: HandlerRequest }) => {
      if (message.event === undefined || message.request === undefined) return;
      events.push({ event: message.event, request: message.request });
      for (const wake of watchers.splice(0)) wake();
    });
    const ready = said(child, 'ready');
    child.send({ start: { port, ...options } });
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
    url: `http://127.0.0.1:${port}`,
    events,
    start,
    kill,
    close: kill,
    async expectEvent(event, matches = () => true) {
      for (;;) {
        const found = events.find((one) => one.event === event && matches(one.request));
        if (found) return found.request;
        await new Promise<void>((resolve) => watchers.push(resolve));
      }
    },
    async fallSilent(silent) {
      const done = said(child!, 'changed');
      child!.send({ silent });
      await done;
    },
  };
}
