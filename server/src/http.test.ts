import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import net, { type AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttp, type HttpOptions } from './http.ts';

let folder: string;
const apps: FastifyInstance[] = [];
const html =
  '<!doctype html><meta name="mqdeck-base" content="/" /><script src="./assets/main-1.js"></script>';
/** As it is served at the root: deeper paths get the same page, so its addresses start there. */
const served = html.replace('./', '/');
const script = `/* ${'x'.repeat(2000)} */`;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'mqdeck-console-'));
  await mkdir(path.join(folder, 'assets'));
  await mkdir(path.join(folder, '.vite'));
  await writeFile(path.join(folder, 'index.html'), html);
  await writeFile(path.join(folder, 'theme.js'), 'x');
  await writeFile(path.join(folder, '.vite/manifest.json'), '{}');
  await writeFile(path.join(folder, 'assets/main-1.js'), script);
  await writeFile(path.join(folder, 'assets/main-1.js.br'), brotliCompressSync(script));
  await writeFile(path.join(folder, 'assets/main-1.js.map'), '{}');
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.close()));
  await rm(folder, { recursive: true, force: true });
});

function create(options: Partial<HttpOptions> = {}, base = ''): FastifyInstance {
  const app = createHttp({
    backend: {
      register(scope) {
        scope.get('/api/v5/hello', () => ({ hello: 'world' }));
        scope.get('/api/v5/crash', () => {
          throw new Error('secret detail');
        });
        scope.get('/api/v5/framed', (_request, reply) =>
          reply.header('content-security-policy', 'default-src *').send('x'),
        );
        scope.register(async (own) => {
          own.removeAllContentTypeParsers();
          own.addContentTypeParser(
            'application/json',
            { parseAs: 'string' },
            own.getDefaultJsonParser('error', 'error'),
          );
          own.post('/api/v5/hello', () => ({}));
        });
      },
      handleUpgrade: (_request, socket) =>
        socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    },
    consoleFolder: folder,
    facts: { mode: 'embedded', upstream: null, version: '1.2.3', base, edition: 'opensource' },
    host: '127.0.0.1',
    allowHost: [],
    log: pino({ level: 'silent' }),
    ...options,
  });
  apps.push(app);
  return app;
}
const browser = { accept: 'text/html,*/*;q=0.8' };

describe('every answer', () => {
  test.each([
    '/',
    '/api/v5/hello',
    '/api/v5/nothing',
    '/api/v5/crash',
    '/api/v5/framed',
    '/assets/gone.svg',
    '/console.json',
  ])('%s carries our security headers', async (url) => {
    const { headers } = await create().inject({ url, headers: browser });
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "script-src 'self';",
      "style-src 'self';",
      "frame-ancestors 'none'",
      "object-src 'none'",
    ]) {
      expect(policy).toContain(part);
    }
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test('scripts and sheets, which are never documents, carry only what concerns them', async () => {
    const { headers } = await create().inject({ url: '/assets/main-1.js', headers: browser });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('content-security-policy');
  });

  test('has an opener policy where a browser would heed it', async () => {
    const policyFor = async (host: string, more = {}) =>
      (await create().inject({ url: '/console.json', headers: { host, ...more } })).headers[
        'cross-origin-opener-policy'
      ];
    expect(await policyFor('127.0.0.1:1')).toBe('same-origin');
    expect(await policyFor('10.0.0.5:1')).toBeUndefined();
    expect(await policyFor('10.0.0.5:1', { 'x-forwarded-proto': 'https' })).toBe('same-origin');
  });

  test('only hashed assets may be kept by a cache', async () => {
    const app = create();
    const cacheOf = async (url: string) =>
      (await app.inject({ url, headers: browser })).headers['cache-control'];
    expect(await cacheOf('/assets/main-1.js')).toContain('immutable');
    expect(await cacheOf('/theme.js')).toBe('no-cache');
    for (const url of ['/', '/users', '/api/v5/hello', '/api/v5/nothing', '/console.json']) {
      expect(await cacheOf(url)).toBe('no-store');
    }
  });

  test('a failure of ours says nothing about its inside', async () => {
    const answer = await create().inject('/api/v5/crash');
    expect([answer.statusCode, answer.json().code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(answer.body).not.toContain('secret detail');
  });

  test('a request that cannot be read is 400 with a code', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await create().inject({ method: 'POST', url: '/api/v5/hello', headers, payload: '{' });
    expect([answer.statusCode, answer.json().code]).toEqual([400, 'BAD_REQUEST']);
  });
});

describe('the console', () => {
  test.each(['/', '/users', '/connections/detail/a.b%2Fc?tab=x', '/no/such/page'])(
    'is what a browser gets at %s',
    async (url) => {
      const answer = await create().inject({ url, headers: browser });
      expect([answer.statusCode, answer.body]).toEqual([200, served]);
    },
  );

  test('comes compressed to who can read that', async () => {
    const app = create();
    const get = (encoding: string, url = '/') =>
      app.inject({ url, headers: { ...browser, 'accept-encoding': encoding } });
    expect(brotliDecompressSync((await get('gzip, br')).rawPayload).toString()).toBe(served);
    expect(gunzipSync((await get('gzip')).rawPayload).toString()).toBe(served);
    const asset = await get('gzip, br', '/assets/main-1.js');
    expect(asset.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(asset.rawPayload).toString()).toBe(script);
  });

  test.each([
    ['/api/v5/nothing', browser],
    ['/api/v5', browser],
    ['/assets/gone.js', browser],
    ['/assets/main-1.js.map', browser],
    ['/users', { accept: 'application/json' }],
    ['/..%2f..%2fpackage.json', { accept: '*/*' }],
    ['/.vite/manifest.json', { accept: '*/*' }],
    ['/assets/..%2f..%2f..%2fpackage.json', browser],
  ])('is not what %s gets with %j, but 404 in JSON', async (url, headers) => {
    const answer = await create().inject({ url, headers });
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual({ code: 'NOT_FOUND', message: expect.any(String) });
  });

  test('learns where it stands from /console.json', async () => {
    expect((await create({}, '/x').inject('/x/console.json')).json()).toEqual({
      mode: 'embedded',
      upstream: null,
      version: '1.2.3',
      base: '/x',
      edition: 'opensource',
    });
  });

  test('that was not built says so', async () => {
    const answer = await create({ consoleFolder: '/nowhere' }).inject({ url: '/', headers: browser });
    expect([answer.statusCode, answer.body]).toEqual([503, expect.stringContaining('not built')]);
  });
});

describe('with --base', () => {
  test.each(['/deck/api/v5/hello', '/api/v5/hello'])(
    '%s works, whether the proxy strips the prefix or not',
    async (url) => {
      expect((await create({}, '/deck').inject(url)).json()).toEqual({ hello: 'world' });
    },
  );

  test.each(['/deck', '/deck/', '/deck/users', '/deck?x=1'])(
    '%s shows the console with that prefix',
    async (url) => {
      const answer = await create({}, '/deck').inject({ url, headers: browser });
      expect(answer.body).toContain('<meta name="mqdeck-base" content="/deck/" />');
      expect(answer.body).toContain('<script src="/deck/assets/main-1.js">');
    },
  );

  test('a path that only begins alike is not taken for it', async () => {
    expect((await create({}, '/deck').inject('/decked/api/v5/hello')).statusCode).toBe(404);
  });
});

describe('a name that is not ours', () => {
  const statusFor = async (host: string, options: Partial<HttpOptions> = {}) =>
    (await create(options).inject({ url: '/api/v5/hello', headers: { host } })).statusCode;

  test.each(['localhost', 'LOCALHOST:18083', '127.0.0.1:18083', '[::1]:18083', '10.0.0.5', 'a.localhost'])(
    '%s is ours on a loopback address',
    async (host) => {
      expect(await statusFor(host)).toBe(200);
    },
  );

  test.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'localhost@evil.example',
    'a b',
  ])('"%s" is refused with 421', async (host) => {
    expect(await statusFor(host)).toBe(421);
  });

  test('it is ours once it is allowed, and then others are refused on any address', async () => {
    expect(await statusFor('deck.example', { allowHost: ['deck.example'] })).toBe(200);
    expect(await statusFor('deck.example', { host: '0.0.0.0' })).toBe(200);
    expect(await statusFor('evil.example', { host: '0.0.0.0', allowHost: ['deck.example'] })).toBe(421);
  });
});

describe('on the wire', () => {
  let port: number;
  let app: FastifyInstance;
  beforeAll(async () => {
    app = create({}, '/deck');
    await app.listen({ host: '127.0.0.1', port: 0 });
    port = (app.server.address() as AddressInfo).port;
  });

  const ask = (options: object): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const asked = httpRequest({ host: '127.0.0.1', port, ...options });
      asked.once('response', (answer) => resolve(answer.resume()));
      asked.once('upgrade', (answer, socket) => resolve(answer) ?? socket.destroy());
      asked.once('error', reject);
      asked.end();
    });
  const upgrade = (url: string, headers: object = {}) =>
    ask({ path: url, headers: { connection: 'Upgrade', upgrade: 'websocket', ...headers } });

  test('a websocket at /mqtt goes to the broker, below the prefix too', async () => {
    expect((await upgrade('/mqtt')).statusCode).toBe(101);
    expect((await upgrade('/deck/mqtt?x')).statusCode).toBe(101);
    expect((await upgrade('/deck/mqtt', { origin: `http://127.0.0.1:${port}` })).statusCode).toBe(101);
  });

  test('a websocket elsewhere, or from a foreign page or name, is refused', async () => {
    expect((await upgrade('/mqtts')).statusCode).toBe(404);
    expect((await upgrade('/mqtt', { origin: 'https://evil.example' })).statusCode).toBe(403);
    expect((await upgrade('/mqtt', { origin: 'null' })).statusCode).toBe(403);
    expect((await upgrade('/mqtt', { host: 'evil.example' })).statusCode).toBe(421);
  });

  test.each(['http://evil.example/api/v5/hello', '//evil.example/api/v5/hello'])(
    'the address %s is refused',
    async (url) => {
      expect((await ask({ path: url })).statusCode).toBeGreaterThanOrEqual(400);
    },
  );
});

test('reports of refused content are counted, huge or odd ones refused', async () => {
  const app = create();
  const report = (payload: string, type = 'application/csp-report') =>
    app.inject({ method: 'POST', url: '/csp-report', headers: { 'content-type': type }, payload });
  expect((await report('{"csp-report":{}}')).statusCode).toBe(204);
  expect((await report('[{}]', 'application/reports+json')).statusCode).toBe(204);
  expect((await report('x'.repeat(20_000))).statusCode).toBe(413);
  expect((await report('x', 'text/plain')).statusCode).toBe(415);
  expect((await app.inject('/csp-report')).json()).toEqual({ violations: 2 });
});

test('a page of another site learns from no answer that it may read it', async () => {
  const app = create();
  const foreign = { host: 'localhost', origin: 'https://evil.example' };
  const asked = { ...foreign, 'access-control-request-method': 'POST' };
  for (const [method, headers] of [
    ['GET', foreign],
    ['OPTIONS', asked],
  ] as const) {
    const answer = await app.inject({ method, url: '/api/v5/hello', headers });
    const told = Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'));
    expect(told, method).toEqual([]);
  }
});

describe('a peer that does not finish its request', () => {
  async function answerTo(text: string): Promise<string> {
    const timeouts = { headersMs: 50, requestMs: 100, checkMs: 20 };
    const app = create({ timeouts });
    await app.listen({ host: '127.0.0.1', port: 0 });
    const socket = net.connect((app.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(text);
    let answer = '';
    for await (const chunk of socket) answer += chunk; // until the server closes the connection
    return answer;
  }
  const late =
    /^HTTP\/1\.1 408 .*\{"code":"BAD_REQUEST","message":"The request did not arrive in time\."\}$/s;

  test('gets 408 when the head does not come to its end', async () => {
    expect(await answerTo('GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')).toMatch(late);
  });

  test('gets 408 when it sends nothing at all', async () => {
    expect(await answerTo('')).toMatch(late);
  });

  test('gets 408 when the body does not come to its end', async () => {
    const head = 'POST /api/v5/hello HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    expect(await answerTo(`${head}Content-Length: 100\r\n\r\n{"a`)).toMatch(late);
  });

  test('has 20 s for the head and five minutes for a body in the product, on one of 4,096 connections', () => {
    const { server } = create();
    expect([server.headersTimeout, server.requestTimeout, server.maxConnections]).toEqual([
      20_000, 300_000, 4096,
    ]);
  });
});
