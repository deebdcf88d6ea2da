import http from 'node:http';
import type { AddressInfo } from 'node:net';

export interface FakeAnswer {
  status?: number;
  /** Sent as JSON; a text with `type` is sent as it is. */
  body?: unknown;
  type?: string;
}
export interface FakeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
}
export type FakeHandler = (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

export interface FakeCluster {
  url: string;
  /** What came in, as `GET /alarms`. */
  calls: string[];
  /** Answers `GET /alarms` from now on; each call of it takes the place of the one before. */
  on(methodAndPath: string, handler: FakeHandler): void;
  /** What it says to what it lacks. */
  absent: FakeAnswer;
  /** It forgets what the test before taught it. */
  reset(): void;
  stop(): Promise<void>;
}

/** How clusters and the proxies before them say that there is no such endpoint. */
export const ABSENT = {
  json: { status: 404, body: { code: 'NOT_FOUND', message: 'Request Path Not Found' } },
  html: {
    status: 404,
    type: 'text/html',
    body: '<html><head><title>404 Not Found</title></head><body><center><h1>404 Not Found</h1></center><hr><center>nginx</center></body></html>',
  },
} as const satisfies Record<string, FakeAnswer>;

/** A cluster that lets anybody sign in and has nothing but what a test gives it. */
export async function startFakeCluster(): Promise<FakeCluster> {
  const handlers = new Map<string, FakeHandler>();
  const calls: string[] = [];
  const server = http.createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://cluster.invalid');
    const path = pathname.replace(/^\/api\/v5/, '');
    const method = request.method ?? 'GET';
    calls.push(`${method} ${path}`);
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const handler = handlers.get(`${method} ${path}`) ?? (() => cluster.absent);
      void Promise.resolve(handler({ method, path, query: searchParams, body })).then((answer) => {
        const { status = 200, type = 'application/json', body: said } = answer;
        response.writeHead(status, { 'content-type': type });
        response.end(
          said === undefined ? '' : type === 'application/json' ? JSON.stringify(said) : String(said),
        );
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cluster: FakeCluster = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    absent: ABSENT.json,
    on: (methodAndPath, handler) => void handlers.set(methodAndPath, handler),
    reset() {
      cluster.absent = ABSENT.json;
      calls.length = 0;
      handlers.clear();
      cluster.on('POST /login', () => ({
        body: { token: 'of-the-fake-cluster', version: '5.8.0', license: { edition: 'ee' } },
      }));
      cluster.on('POST /logout', () => ({ status: 204 }));
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  cluster.reset();
  return cluster;
}

/** A promise that a test settles when it has seen enough. */
export function gate(): { opened: Promise<void>; open: () => void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
