import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { Bursts } from '@mqdeck/broker/core/bursts';
import { answerFailure, routerOptions } from '@mqdeck/broker/http/api';
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { serveConsole } from './console-files.ts';
import { failure } from './failure.ts';
import type { Edition } from './options.ts';
import { hostCheck, isTrustworthy, securityHeaders } from './security-headers.ts';

/** What stands behind the console: the embedded broker or a cluster. */
export interface Backend {
  /** Adds the routes of the REST API and its neighbours (/status, /api-docs). */
  register(app: FastifyInstance): void;
  /** MQTT over WebSocket on the console's own origin. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What the console asks before anything else: where it is and what it stands in front of. */
export interface ConsoleFacts {
  mode: 'embedded' | 'upstream';
  upstream: string | null;
  version: string;
  base: string;
  edition: Edition | null; // null: the cluster will say
}

export interface HttpOptions {
  backend: Backend;
  consoleFolder: string;
  facts: ConsoleFacts;
  host: string;
  allowHost: string[];
  log: FastifyBaseLogger;
  timeouts?: Timeouts;
}

/** How long the head of a request, and the whole of it, may take to arrive. */
export interface Timeouts {
  headersMs: number;
  requestMs: number;
  /** The connections are looked through so often. */
  checkMs: number;
}
const TIMEOUTS: Timeouts = { headersMs: 20_000, requestMs: 300_000, checkMs: 5_000 };
/** More sockets than operators and scrapers need; beyond, MQTT would lack files and memory. */
const CONNECTIONS_MAX = 4096;

/** The one origin: console, REST API and MQTT over WebSocket. Not listening yet. */
export function createHttp({
  backend,
  consoleFolder,
  facts,
  host,
  allowHost,
  log,
  timeouts = TIMEOUTS,
}: HttpOptions): FastifyInstance {
  const { base } = facts;
  const hosts = hostCheck(host, allowHost);
  const headersOf = securityHeaders(base);
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    routerOptions,
    frameworkErrors: answerFailure,
    // A client id may have 65,535 bytes, thrice that in a path; Node's own limit is 16 KB.
    http: {
      maxHeaderSize: 256 * 1024,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    clientErrorHandler: answerUnreadable,
    requestTimeout: timeouts.requestMs,
    forceCloseConnections: true,
    rewriteUrl: ({ url }) => withoutBase(url ?? '/', base),
  });

  app.server.maxConnections = CONNECTIONS_MAX;
  // Requests that arrive together are answered in several turns of the event loop: MQTT goes on between them.
  const bursts = new Bursts();
  app.addHook('onRequest', async (request, reply) => {
    if (bursts.tooLong) await bursts.turn();
    reply.headers(headersOf(request.url));
    if (isTrustworthy(request.headers)) reply.header('cross-origin-opener-policy', 'same-origin');
    if (!hosts.allowsHost(request.headers.host)) {
      const hint = 'Start it with --allow-host NAME if it should.';
      return reply
        .code(421)
        .send(failure('NOT_ALLOWED', `This server does not answer under this name. ${hint}`));
    }
    if (!request.url.startsWith('/') || request.url.startsWith('//')) {
      return reply.code(400).send(failure('BAD_REQUEST', 'The address must be a plain path.'));
    }
  });
  // Again at the end: a proxied answer may not bring its own. Data is never kept by a cache.
  app.addHook('onSend', async (request, reply) => {
    reply.headers(headersOf(request.url));
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  app.setErrorHandler((error, request, reply) => {
    const { statusCode = 500, message } = error as Error & { statusCode?: number };
    const code = statusCode === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'BAD_REQUEST';
    if (statusCode < 500) return reply.code(statusCode).send(failure(code, message));
    request.log.error({ err: error, url: request.url }, 'a request failed');
    return reply.code(500).send(failure('INTERNAL_ERROR', 'The server failed; its log says more.'));
  });

  // Nothing here reads a body: one that is sent to an address that is not there must cost nothing.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, _payload, done) => done(null));
  app.get('/console.json', () => facts);
  countPolicyReports(app);
  backend.register(app);
  app.setNotFoundHandler(serveConsole(app, consoleFolder, base));

  app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy()); // a peer that is gone before it is answered
    const path = withoutBase(request.url ?? '', base).split('?')[0];
    if (!hosts.allowsHost(request.headers.host)) return refuseUpgrade(socket, '421 Misdirected Request');
    if (!hosts.allowsOrigin(request.headers)) return refuseUpgrade(socket, '403 Forbidden');
    if (path !== '/mqtt') return refuseUpgrade(socket, '404 Not Found');
    backend.handleUpgrade(request, socket, head);
  });
  return app;
}

const unreadable: Readonly<Record<string, [status: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The address or the headers are too long.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** What is no HTTP never becomes a request: the answer is written to the socket itself. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, message] = unreadable[error.code ?? ''] ?? ['400 Bad Request', 'This is no HTTP request.'];
  const body = JSON.stringify(failure('BAD_REQUEST', message));
  const head = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status}\r\n${head}\r\n\r\n${body}`);
}

/** A proxy in front may pass the prefix on or strip it: both arrive at the same path. */
function withoutBase(url: string, base: string): string {
  if (base === '' || !url.startsWith(base)) return url;
  const rest = url.slice(base.length);
  if (rest === '') return '/';
  if (rest.startsWith('/')) return rest;
  return rest.startsWith('?') ? `/${rest}` : url;
}

/** Ends a websocket handshake with an HTTP status instead. */
export function refuseUpgrade(socket: Duplex, status: string): void {
  socket.once('finish', () => socket.destroy()); // a peer that never closes its side must not keep ours
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** Browsers tell here what the content security policy refused: counted, and the first few logged. */
function countPolicyReports(app: FastifyInstance): void {
  const logged = 20; // anyone can post here: the log must not grow by that
  let violations = 0;
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      ['application/csp-report', 'application/reports+json'],
      { parseAs: 'string', bodyLimit: 16_384 },
      (_request, body, done) => done(null, body),
    );
    scope.post('/csp-report', (request, reply) => {
      violations += 1;
      if (violations <= logged)
        request.log.warn({ report: request.body }, 'the content security policy refused something');
      return reply.code(204).send();
    });
    scope.get('/csp-report', () => ({ violations }));
  });
}
