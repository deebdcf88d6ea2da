import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import net, { type AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { createHttp } from './http.ts';
import { createUpstream } from './upstream.ts';

let cluster: Server;
let answer: RequestListener;
let seen: IncomingMessage[];
let ends: (() => Promise<unknown>)[];

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeEach(async () => {
  seen = [];
  ends = [];
  answer = (_request, response) => response.end('{}');
  cluster = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  });
  cluster.listen(0, '127.0.0.1');
  await once(cluster, 'listening');
});
afterEach(async () => {
  for (const end of ends) await end();
  cluster.closeAllConnections();
  cluster.close();
});

async function startDoor(
  address = `http://127.0.0.1:${portOf(cluster)}/emqx`,
  headersMs = 5000,
): Promise<FastifyInstance> {
  const upstream = createUpstream({
    upstream: { name: 'plant', url: new URL(address) },
    ws: new URL(`ws://127.0.0.1:${portOf(cluster)}/mqtt`),
    timeouts: { connectMs: 2000, headersMs },
  });
  const app = createHttp({
    backend: upstream,
    consoleFolder: '/nowhere',
    facts: { mode: 'upstream', upstream: 'plant', version: '1', base: '', edition: null },
    host: '127.0.0.1',
    allowHost: [],
    log: pino({ level: 'silent' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  ends.push(() => app.close(), upstream.close);
  return app;
}

/** A request whose path and headers go out exactly as given. */
function ask(app: FastifyInstance, path: string, options: object = {}) {
  const asked = httpRequest({ host: '127.0.0.1', port: portOf(app.server as Server), path, ...options });
  const answered = once(asked, 'response').then(([response]) => response as IncomingMessage);
  return { asked, answered };
}
const read = async (response: IncomingMessage): Promise<string> => {
  response.setEncoding('utf8');
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};
async function get(app: FastifyInstance, path: string, headers: object = {}) {
  const { asked, answered } = ask(app, path, { headers });
  asked.end();
  const response = await answered;
  return { status: response.statusCode, headers: response.headers, body: await read(response) };
}

describe('requests', () => {
  test('arrive with method, path, query and body as they were, below the base of the cluster', async () => {
    const app = await startDoor();
    let body = '';
    answer = async (request, response) => {
      body = await read(request);
      response.writeHead(201, { 'content-type': 'application/json' }).end('{"ok":1}');
    };
    const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
    const { asked, answered } = ask(app, '/api/v5/topics/t%2F1?a=%20&a=2', { method: 'PUT', headers });
    asked.end('{"a": 1}');
    const response = await answered;
    expect([response.statusCode, await read(response)]).toEqual([201, '{"ok":1}']);
    expect([seen[0]!.method, seen[0]!.url, body]).toEqual([
      'PUT',
      '/emqx/api/v5/topics/t%2F1?a=%20&a=2',
      '{"a": 1}',
    ]);
    expect(seen[0]!.headers).toMatchObject(headers);
    expect(seen[0]!.headers.host).toBe(`127.0.0.1:${portOf(cluster)}`);
  });

  test('bring the API key of a program, which the cluster judges', async () => {
    const app = await startDoor();
    answer = (_request, response) =>
      response
        .writeHead(401, { 'www-authenticate': 'Basic realm="emqx"' })
        .end('{"code":"BAD_API_KEY_OR_SECRET"}');
    const authorization = `Basic ${Buffer.from('0011223344556677:se:cret+/=').toString('base64')}`;
    const { status, headers, body } = await get(app, '/api/v5/nodes', { authorization });
    expect(seen[0]!.headers.authorization).toBe(authorization);
    expect([status, body]).toEqual([401, '{"code":"BAD_API_KEY_OR_SECRET"}']);
    expect(headers['www-authenticate']).toBe('Basic realm="emqx"');
  });

  test('lose what speaks of one connection only, and what could pass them off as another', async () => {
    const app = await startDoor();
    await get(app, '/api/v5/status', {
      connection: 'close, x-private',
      'x-private': '1',
      te: 'trailers',
      'x-forwarded-host': 'evil',
      'x-http-method-override': 'DELETE',
      'x-original-url': '/admin',
      cookie: 'a=b',
      origin: `http://127.0.0.1`,
      'x-kept': 'yes',
    });
    const { headers } = seen[0]!;
    const gone = [
      'x-private',
      'te',
      'x-forwarded-host',
      'x-http-method-override',
      'x-original-url',
      'cookie',
      'origin',
    ];
    for (const name of gone) expect(headers).not.toHaveProperty(name);
    expect(headers['x-kept']).toBe('yes');
  });

  test.each([
    '/api/v5/../../admin',
    '/api/v5/%2e%2e/admin',
    '/api/v5//x',
    '/api/v5/a%2f..%2f..%2f..%2fadmin',
  ])('%s never reaches the cluster', async (path) => {
    const app = await startDoor();
    expect((await get(app, path)).status).toBe(400);
    expect(seen).toHaveLength(0);
  });

  test.each(['/admin', '/api/v4/clients', '/api', '/api/v5x'])(
    '%s is not the API and never reaches it either',
    async (path) => {
      const app = await startDoor();
      expect((await get(app, path)).status).toBe(404);
      expect(seen).toHaveLength(0);
    },
  );

  test('of two lengths at once are refused, so that nothing can hide behind the shorter one', async () => {
    const app = await startDoor();
    const socket = net.connect({ host: '127.0.0.1', port: portOf(app.server as Server) });
    socket.write(
      'POST /api/v5/x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    );
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen).toHaveLength(0);
    socket.destroy();
  });

  test("that another site's form could send do not pass", async () => {
    const app = await startDoor();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      const { asked, answered } = ask(app, '/api/v5/publish', {
        method: 'POST',
        headers: { 'content-type': type },
      });
      asked.end('{}');
      expect([type, (await answered).statusCode]).toEqual([type, 415]);
    }
    expect(seen).toEqual([]);
  });

  test('an upload streams: the cluster has the first part before the last one is sent', async () => {
    const app = await startDoor();
    const firstPart = new Promise<string>((resolve) => {
      answer = (request, response) => {
        request.once('data', (chunk) => resolve(String(chunk)));
        request.once('end', () => response.end('done'));
      };
    });
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const { asked, answered } = ask(app, '/api/v5/data/files', { method: 'POST', headers });
    asked.write('first');
    expect(await firstPart).toBe('first');
    asked.end('last');
    expect(await read(await answered)).toBe('done');
  });

  test('a client that leaves ends the request at the cluster too', async () => {
    const app = await startDoor();
    const arrived = new Promise<IncomingMessage>((resolve) => {
      answer = (request) => resolve(request);
    });
    const { asked, answered } = ask(app, '/api/v5/slow');
    answered.catch(() => undefined); // it is the one that leaves
    asked.once('error', () => undefined);
    asked.end();
    const request = await arrived;
    const closed = once(request.socket, 'close');
    asked.destroy();
    await closed;
  });
});

describe('answers', () => {
  test('come with their status and headers, without those of one connection or one origin', async () => {
    const app = await startDoor();
    answer = (_request, response) =>
      response
        .writeHead(404, {
          'content-type': 'text/html',
          'content-disposition': 'attachment; filename="a.log"',
          'set-cookie': 'a=b',
          'access-control-allow-origin': '*',
          'content-security-policy': 'default-src *',
          'cache-control': 'public',
          location: 'https://evil.example/',
        })
        .end('<h1>no</h1>');
    const { status, headers, body } = await get(app, '/api/v5/x');
    expect([status, body]).toEqual([404, '<h1>no</h1>']);
    expect(headers).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment; filename="a.log"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    for (const name of ['set-cookie', 'access-control-allow-origin', 'location'])
      expect(headers).not.toHaveProperty(name);
  });

  test('a download streams: the first part is there before the last one exists', async () => {
    const app = await startDoor();
    let finish: () => void = () => undefined;
    answer = (_request, response) => {
      response.write('first');
      finish = () => response.end('last');
    };
    const { asked, answered } = ask(app, '/api/v5/trace/a/download');
    asked.end();
    const response = await answered;
    const [chunk] = await once(response, 'data');
    expect(String(chunk)).toBe('first');
    finish();
    expect(await read(response)).toBe('last');
  });

  test('a compressed answer stays as it is', async () => {
    const app = await startDoor();
    answer = (_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('not really');
    const { headers, body } = await get(app, '/api/v5/x', { 'accept-encoding': 'gzip' });
    expect([headers['content-encoding'], body]).toEqual(['gzip', 'not really']);
  });

  test('204 without a body, and HEAD', async () => {
    const app = await startDoor();
    answer = (_request, response) => response.writeHead(204).end();
    expect(await get(app, '/api/v5/x')).toMatchObject({ status: 204, body: '' });
    const { asked, answered } = ask(app, '/api/v5/x', { method: 'HEAD' });
    asked.end();
    expect((await answered).statusCode).toBe(204);
  });
});

describe('a cluster that', () => {
  test('is not there is 502 with a code', async () => {
    const app = await startDoor('http://127.0.0.1:1');
    const { status, body } = await get(app, '/api/v5/x');
    expect([status, JSON.parse(body)]).toEqual([
      502,
      { code: 'UPSTREAM_UNREACHABLE', message: expect.stringContaining('plant') },
    ]);
  });

  test('says nothing is 504 with a code', async () => {
    const app = await startDoor(undefined, 100);
    answer = () => undefined;
    const { status, body } = await get(app, '/api/v5/x');
    expect([status, JSON.parse(body).code]).toEqual([504, 'UPSTREAM_UNREACHABLE']);
  });

  test('breaks off in the middle breaks the answer off, it does not end it', async () => {
    const app = await startDoor();
    answer = (_request, response) => {
      response.write('first', () => response.destroy());
    };
    const { asked, answered } = ask(app, '/api/v5/x');
    asked.end();
    await expect(answered.then(read)).rejects.toThrow('aborted');
  });
});

describe('MQTT over WebSocket', () => {
  const url = (app: FastifyInstance) => `ws://127.0.0.1:${portOf(app.server as Server)}/mqtt`;

  test('passes through both ways with its subprotocol, and ends at both ends', async () => {
    const app = await startDoor();
    const broker = new WebSocketServer({ server: cluster, path: '/mqtt' });
    const accepted = once(broker, 'connection');
    const client = new WebSocket(url(app), 'mqtt');
    await once(client, 'open');
    const [peer] = (await accepted) as [WebSocket];
    expect(client.protocol).toBe('mqtt');
    client.send('up');
    expect(String((await once(peer, 'message'))[0])).toBe('up');
    peer.send('down');
    expect(String((await once(client, 'message'))[0])).toBe('down');
    const gone = once(peer, 'close');
    client.terminate();
    await gone;
  });

  test('is refused when the cluster speaks none there', async () => {
    const app = await startDoor();
    const client = new WebSocket(url(app), 'mqtt');
    const [error] = await once(client, 'error');
    expect(error.message).toContain('502');
  });
});
