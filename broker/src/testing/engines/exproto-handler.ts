import type { Engine } from './engine.ts';
import { forkEngine } from './fork-engine.ts';

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

interface HandlerEvent {
  event: string;
  request: HandlerRequest;
}

export interface ExprotoHandler extends Engine {
  readonly url: string;
  readonly events: readonly HandlerEvent[];
  /** Settles with an event that has come, or comes. */
  expectEvent(event: string, matches?: (request: HandlerRequest) => boolean): Promise<HandlerRequest>;
  /** From now on bytes are taken, and no answer comes. */
  fallSilent(silent: boolean): Promise<void>;
}

/** A handler of a small line protocol, in a process of its own. */
export async function exprotoHandler(options: HandlerOptions): Promise<ExprotoHandler> {
  const { told, expectTold, send, ...engine } = await forkEngine<HandlerEvent>(
    './exproto-handler.mjs',
    (port) => ({ start: { port, ...options } }),
    ({ event, request }) => event !== undefined && request !== undefined,
  );
  return {
    ...engine,
    url: `http://${engine.address}`,
    events: told,
    async expectEvent(event, matches = () => true) {
      return (await expectTold((one) => one.event === event && matches(one.request))).request;
    },
    fallSilent: (silent) => send({ silent }),
  };
}
