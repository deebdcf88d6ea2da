import { parse } from 'node:querystring';
import type { Access, Endpoint } from '@mqdeck/contract/kit/endpoint';
import type {
  FastifyError,
  FastifyInstance,
  FastifyPluginAsync,
  FastifyReply,
  FastifyRequest,
} from 'fastify';
import { StoreUnwritable } from '../core/store/store.ts';
import { ApiError, apiError, fail } from './api-error.ts';
import type { Caller } from './handlers.ts';
import { nameActor, type Recorder, recordEnds, takeNote } from './recorder.ts';
import { Views } from './views.ts';

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null;
  }
  interface FastifyInstance {
    views: Views;
  }
}

/** More parts of a query are not even taken apart: a request of 256 KB may have 100,000. */
const QUERY_PARTS_MAX = 2000;
const TOO_MANY_PARTS = {};

/**
 * What the HTTP server must be made with, so that paths are understood as the API means them: an id is one encoded
 * segment of any length, and a slash at the end changes nothing.
 */
export const routerOptions = {
  ignoreTrailingSlash: true,
  maxParamLength: 200_000,
  querystringParser: (text: string) =>
    hasMore(text, '&', QUERY_PARTS_MAX) ? TOO_MANY_PARTS : { ...parse(text, '&', '=', { maxKeys: 0 }) },
};

function hasMore(text: string, part: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0 && count <= max; at = text.indexOf(part, at + 1)) count++;
  return count > max;
}

/** Reads the Authorization header; throws ApiError when it gives no access. */
export type Authenticate = (
  header: string | undefined,
  access: Exclude<Access, 'none'>,
  address: string,
) => Promise<Caller>;

interface ApiOptions {
  authenticate: Authenticate;
  /** Whether figures are for those alone who show who they are. */
  scrapeNeedsLogin: () => boolean;
  /** Hears of all that is more than a look. */
  recorder: Recorder;
  /** Every endpoint, to tell "no such path" from "not with this method". */
  endpoints: readonly Endpoint[];
  /** Registers the answers. */
  routes: (app: FastifyInstance) => void;
}

/** The API as a plugin, to be registered below its base path. */
export const apiPlugin =
  ({ authenticate, scrapeNeedsLogin, recorder, endpoints, routes }: ApiOptions): FastifyPluginAsync =>
  async (app) => {
    readJsonOnly(app);
    const methodsOf = methodsByPath(endpoints);
    const missing = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const allowed = methodsOf(pathBelow(request.url, app.prefix));
      if (allowed.length === 0)
        return answerFailure(apiError('NOT_FOUND', 'There is nothing at this path'), request, reply);
      reply.header('allow', allowed.join(', '));
      return answerFailure(apiError('METHOD_NOT_ALLOWED', `Allowed: ${allowed.join(', ')}`), request, reply);
    };
    app.decorateRequest('caller', null);
    app.decorateRequest('underway', null);
    app.decorate('views', new Views());
    app.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      takeNote(request, recorder);
      if (request.is404) return missing(request, reply); // its body is not read
      if (request.query === TOO_MANY_PARTS) return fail('BAD_REQUEST', 'The query has too many parts');
      const { access } = request.routeOptions.config;
      if (!access || access === 'none' || (access === 'scrape' && !scrapeNeedsLogin())) return;
      request.caller = await authenticate(request.headers.authorization, access, request.ip);
      nameActor(request, request.caller);
    });
    recordEnds(app, recorder);
    app.setErrorHandler(answerFailure);
    app.setNotFoundHandler(missing);
    routes(app);
  };

/** Mutations are JSON: what a form of another site could send is refused before anything is read. */
function readJsonOnly(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) done(null, undefined);
    else parse(request, text as string, done);
  });
}

/** The path below the base path, without query and without a slash at the end. */
function pathBelow(url: string, prefix: string): string {
  const path = url.split('?', 1)[0]!;
  return (path.startsWith(prefix) ? path.slice(prefix.length) : path).replace(/\/$/, '');
}

function methodsByPath(endpoints: readonly Endpoint[]): (path: string) => string[] {
  const known = endpoints.map(({ path, method }) => ({
    method,
    pattern: new RegExp(`^${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+')}$`),
  }));
  return (path) =>
    [...new Set(known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method))].sort();
}

/**
 * Everything that went wrong leaves as `{code, message}`; what nobody foresaw is logged and told as our
 * fault. A server with the API takes it as `frameworkErrors` too, for addresses that cannot be decoded.
 */
export function answerFailure(
  error: FastifyError | Error,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const failure = error instanceof ApiError ? error : translated(error, request);
  if (request.underway) request.underway.failure = { code: failure.code, message: failure.message };
  reply.code(failure.statusCode).headers(failure.headers).type('application/json');
  return reply.send(JSON.stringify({ code: failure.code, message: failure.message, ...failure.more }));
}

const isDiskFull = (error: Error): boolean =>
  error instanceof StoreUnwritable ||
  ('code' in error && ['ENOSPC', 'EDQUOT', 'EROFS'].includes(String(error.code)));

function translated(error: FastifyError | Error, request: FastifyRequest): ApiError {
  const status = 'statusCode' in error ? (error.statusCode ?? 500) : 500;
  if (status === 415) return apiError('UNSUPPORTED_MEDIA_TYPE', 'Bodies must be application/json');
  if (status === 413) {
    // Of a login: as any other name or password that is too long.
    if (request.routeOptions.config.access === 'none')
      return apiError('BAD_REQUEST', 'The body is too large');
    return apiError('EXCEED_LIMIT', 'The body is too large', 413);
  }
  if ('code' in error && error.code === 'FST_ERR_BAD_URL')
    return apiError('BAD_REQUEST', 'The path cannot be decoded');
  if (isDiskFull(error)) {
    request.log.error({ err: error, method: request.method, url: request.url }, 'a change could not be kept');
    return apiError(
      'SERVICE_UNAVAILABLE',
      'The change cannot be written to disk at present; is the disk full?',
    );
  }
  if (status >= 400 && status < 500)
    return apiError('BAD_REQUEST', 'The request cannot be read; a body must be valid JSON');
  request.log.error({ err: error, method: request.method, url: request.url }, 'a request failed');
  return apiError('INTERNAL_ERROR');
}
