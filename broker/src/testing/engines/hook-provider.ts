import type { Engine } from './engine.ts';
import { forkEngine } from './fork-engine.ts';

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
  let behaviour: HookBehaviour = { hooks: options.hooks ?? [], answers: options.answers ?? [] };
  const { told, expectTold, send, ...engine } = await forkEngine<HookRequest>(
    './hook-provider.mjs',
    (port) => ({ start: { port, pack, tls }, ...behaviour }),
    ({ call }) => call !== undefined,
  );
  return {
    ...engine,
    url: `${tls ? 'https' : 'http'}://${engine.address}`,
    calls: told,
    async expectCall(call, matches = () => true) {
      return (await expectTold((one) => one.call === call && matches(one.request))).request;
    },
    async behave(changed) {
      behaviour = { ...behaviour, ...changed };
      await send(changed);
    },
  };
}
