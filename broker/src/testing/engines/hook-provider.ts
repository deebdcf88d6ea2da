import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Engine, freePort } from './engine.ts';

const program = fileURLToPath(new URL('./hook-provider.mjs', import.meta.url));

/** What a server says to a call; without `clientid` and `topic` to every one. */
export interface HookAnswer {
  call: string; // `OnMessagePublish`
  clientid?: string;
  topic?: string;
  type?: 'CONTINUE' | 'IGNORE' | 'STOP_AND_RETURN';
  bool_result?: boolean;
  message?: { topic?: string; payload?: string; qos?: number; headers?: Record<string, string> };
  /** It never answers. */
  silent?: boolean;
  error?: string;
}

export interface HookBehaviour {
  hooks?: { name: string; topics?: string[] }[];
  answers?: HookAnswer[];
}

interface HookProviderOptions extends HookBehaviour {
  /** The package it knows. */
  pack?: 'emqx.exhook.v3' | 'emqx.exhook.v2' | 'other.package';
  tls?: { cert: string; key: string; ca?: string };
}

/** What of a request tests look at; payloads are text. */
interface HookRequestFields {
  broker?: { version: string };
  clientinfo?: { clientid: string; username: string; password: string; anonymous: boolean };
  message?: { topic: string; payload: string; from: string };
  topic?: string;
}

/** A call as the server has got it. */
export interface HookRequest {
  call: string;
  request: HookRequestFields;
}

export interface HookProvider extends Engine {
  readonly url: string;
  /** Every call so far. */
  readonly calls: readonly HookRequest[];
  /** Settles with a call that has come, or comes. */
  expectCall(
    call: string,
    matches?: (request: HookRequest['request']) => boolean,
  ): Promise<HookRequest['request']>;
  /** In force when it settles. */
  behave(behaviour: HookBehaviour): Promise<void>;
}

/** A server in a process of its own. */
export async function hookProvider(options: HookProviderOptions = {}): Promise<HookProvider> {
  const { pack = 'emqx.exhook.v3', tls } = options;
  const port = await freePort();
  let behaviour: HookBehaviour = { hooks: options.hooks ?? [], answers: options.answers ?? [] };
  const calls: HookRequest[] = [];
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
      process.once('exit', () => reject(new Error('the exhook server has ended')));
    });
  }

  async function start(): Promise<void> {
    child = fork(program, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child.on('message', (message: Partial<HookRequest>) => {
      if (message.call === undefined) return;
      calls.push(message as HookRequest);
      for (const wake of watchers.splice(0)) wake();
    });
    const ready = said(child, 'ready');
    child.send({ start: { port, pack, tls }, ...behaviour });
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
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    calls,
    start,
    kill,
    close: kill,
    async expectCall(call, matches = () => true) {
      for (;;) {
        const found = calls.find((one) => one.call === call && matches(one.request));
        if (found) return found.request;
        await new Promise<void>((resolve) => watchers.push(resolve));
      }
    },
    async behave(changed) {
      behaviour = { ...behaviour, ...changed };
      const done = said(child!, 'changed');
      child!.send(changed);
      await done;
    },
  };
}
