import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { type Engine, freePort } from './engine.ts';

export interface Received {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

export interface Said {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: unknown;
  /** Never answers. */
  silent?: boolean;
}

export interface HttpEngine extends Engine {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly got: Received[];
  /** What it answers from now on, whatever is asked. */
  answer(said: Said | ((received: Received) => Said)): void;
  /** Connections that are open now. */
  readonly connections: number;
}

/** An HTTP server that answers as it is told and keeps what it was sent; with a certificate over TLS. */
export async function startHttpServer(certificate?: { cert: string; key: string }): Promise<HttpEngine> {
  const port = await freePort();
  const got: Received[] = [];
  const sockets = new Set<Socket>();
  let say: (received: Received) => Said = () => ({ status: 204 });
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body,
      };
      got.push(received);
      const { status = 200, headers = {}, body: said, silent } = say(received);
      if (silent) return;
      const isText = said === undefined || typeof said === 'string';
      response.writeHead(status, { ...(!isText && { 'content-type': 'application/json' }), ...headers });
      response.end(isText ? said : JSON.stringify(said));
    });
  };
  let server: Server | null = null;
  const start = async () => {
    const made = certificate ? createTlsServer(certificate, listener) : createServer(listener);
    made.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      made.once('error', reject);
      made.listen(port, '127.0.0.1', resolve);
    });
    server = made;
  };
  const kill = async () => {
    const old = server;
    server = null;
    const closed = new Promise((resolve) => (old ? old.close(resolve) : resolve(null)));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await start();
  const { port: own } = (server as unknown as Server).address() as AddressInfo;
  return {
    port: own,
    address: `127.0.0.1:${own}`,
    url: `${certificate ? 'https' : 'http'}://127.0.0.1:${own}`,
    got,
    answer: (said) => {
      say = typeof said === 'function' ? said : () => said;
    },
    get connections() {
      return sockets.size;
    },
    start,
    kill,
    close: kill,
  };
}
