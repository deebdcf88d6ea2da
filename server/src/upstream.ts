import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Duplex, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errors, Pool } from 'undici';
import { failure } from './failure.ts';
import { type Backend, refuseUpgrade } from './http.ts';
import type { Upstream } from './options.ts';
import { upstreamPath } from './upstream-path.ts';

export interface UpstreamOptions {
  upstream: Upstream;
  ws: URL | null;
  timeouts?: { connectMs: number; headersMs: number };
}

// RFC 9110, 7.6.1: these speak about one connection only.
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
// What a client could use to be taken for another, or to have another path or method served than the one we checked;
// cookies and origins belong to our address, not to the cluster's.
const notForUpstream = new Set([
  ...hopByHop,
  'host',
  'expect',
  'cookie',
  'origin',
  'referer',
  'forwarded',
  'x-real-ip',
  'x-original-url',
  'x-rewrite-url',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
]);
// Our own security headers take the place of the cluster's.
const notForClient = new Set([
  ...hopByHop,
  'set-cookie',
  'strict-transport-security',
  'cache-control',
  'clear-site-data',
  'service-worker-allowed',
  'server',
  'alt-svc',
]);

/** What another site's form could send without asking; uploads (multipart) need the bearer token besides. */
const fromForm = ({ method, headers }: FastifyRequest): boolean =>
  method === 'POST' &&
  /^(text\/plain|application\/x-www-form-urlencoded)\b/i.test(headers['content-type'] ?? '');

/** The console in front of a cluster: its REST API and its MQTT over WebSocket through our own origin. */
export function createUpstream({
  upstream,
  ws,
  timeouts,
}: UpstreamOptions): Backend & { close(): Promise<void> } {
  const { connectMs, headersMs } = timeouts ?? { connectMs: 10_000, headersMs: 60_000 };
  const basePath = upstream.url.pathname.replace(/\/+$/, '').replace(/\/api\/v5$/, '');
  const pool = new Pool(upstream.url.origin, {
    connections: 64,
    connect: { timeout: connectMs },
    headersTimeout: headersMs,
    bodyTimeout: 0, // a download may pause as long as the cluster likes; the client ends it by leaving
  });

  const tunnels = new Set<Duplex>();

  async function forward(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const path = upstreamPath(request.url, basePath);
    if (path === null) {
      return reply.code(400).send(failure('BAD_REQUEST', 'The address has steps like ".." or "//".'));
    }
    if (fromForm(request)) {
      return reply.code(415).send(failure('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON.'));
    }
    const left = new AbortController();
    reply.raw.once('close', () => left.abort()); // also after a full answer, when it has no effect
    try {
      const answer = await pool.request({
        method: request.method as 'GET',
        path,
        headers: requestHeaders(request.headers),
        body: (request.body as Readable | undefined) ?? null,
        signal: left.signal,
      });
      reply.code(answer.statusCode);
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined && goesToClient(name, value, answer.headers)) reply.header(name, value);
      }
      return reply.send(answer.body);
    } catch (error) {
      if (left.signal.aborted) return reply; // the client is gone: nobody hears an answer
      return refuse(error, request, reply);
    }
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const late = error instanceof errors.HeadersTimeoutError || error instanceof errors.ConnectTimeoutError;
    const { code, message } = error as NodeJS.ErrnoException;
    request.log.warn(`${upstream.name} does not answer: ${message}`);
    const how = late ? ' in time' : ` (${code ?? 'no connection'})`;
    return reply
      .code(late ? 504 : 502)
      .send(failure('UPSTREAM_UNREACHABLE', `${upstream.name} does not answer${how}.`));
  }

  return {
    register(app) {
      app.register(async (scope) => {
        // Bodies pass through untouched and unread, whatever they hold.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
        for (const path of ['/api/v5/*', '/api/v5', '/api-docs', '/api-docs/*', '/status'])
          scope.all(path, forward);
      });
    },
    handleUpgrade(request, socket, head) {
      tunnels.add(socket);
      socket.once('close', () => tunnels.delete(socket));
      tunnel(request, socket, head, ws ?? defaultWs(upstream.url), connectMs);
    },
    async close() {
      for (const socket of tunnels) socket.destroy();
      await pool.destroy();
    },
  };
}

/** EMQX listens for MQTT over WebSocket on 8083 without TLS, and on 8084 with it. */
function defaultWs({ protocol, hostname }: URL): URL {
  return protocol === 'https:'
    ? new URL(`wss://${hostname}:8084/mqtt`)
    : new URL(`ws://${hostname}:8083/mqtt`);
}

function requestHeaders(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = namedByConnection(headers);
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || notForUpstream.has(name) || named.has(name)) continue;
    if (name.startsWith('x-forwarded-') || name.startsWith('sec-fetch-')) continue;
    kept[name] = value;
  }
  return kept;
}

function goesToClient(name: string, value: string | string[], headers: IncomingHttpHeaders): boolean {
  if (notForClient.has(name) || namedByConnection(headers).has(name)) return false;
  if (name.startsWith('access-control-')) return false;
  // A redirect elsewhere would take the operator's token along.
  if (name === 'location') return typeof value === 'string' && /^\/(?![/\\])/.test(value);
  return true;
}

/** `Connection: x` makes `x` a header of this connection too. */
function namedByConnection({ connection }: IncomingHttpHeaders): Set<string> {
  return new Set(
    String(connection ?? '')
      .toLowerCase()
      .split(/\s*,\s*/),
  );
}

/** Carries a websocket to the cluster byte by byte: subprotocol and extensions are agreed by the two ends. */
function tunnel(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  target: URL,
  connectMs: number,
): void {
  const headers: Record<string, string | string[]> = { connection: 'Upgrade', upgrade: 'websocket' };
  for (const [name, value] of Object.entries(request.headers)) {
    if (name.startsWith('sec-websocket-') && value !== undefined) headers[name] = value;
  }
  const { request: ask } = target.protocol === 'wss:' ? https : http;
  const asked = ask({
    protocol: target.protocol === 'wss:' ? 'https:' : 'http:',
    hostname: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port || (target.protocol === 'wss:' ? 443 : 80),
    path: target.pathname,
    headers,
    agent: false,
    timeout: connectMs,
  });
  asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
  asked.once('error', () => refuseUpgrade(socket, '502 Bad Gateway'));
  asked.once('response', (answer) => {
    answer.resume();
    refuseUpgrade(socket, '502 Bad Gateway'); // it is there, but speaks no websocket at this path
  });
  asked.once('upgrade', (answer, other, otherHead) => {
    other.setTimeout(0);
    const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket'];
    for (const [name, value] of Object.entries(answer.headers)) {
      if (name.startsWith('sec-websocket-')) lines.push(`${name}: ${String(value)}`);
    }
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    if (otherHead.length > 0) socket.write(otherHead);
    if (head.length > 0) other.write(head);
    socket.pipe(other).pipe(socket);
    // One end gone takes the other along: half a tunnel serves nobody.
    socket.once('close', () => other.destroy());
    other.once('close', () => socket.destroy());
    other.on('error', () => socket.destroy());
  });
  socket.once('close', () => asked.destroy());
  asked.end();
}
