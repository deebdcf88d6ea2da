import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Actor, type Deed, during } from '../deeds.ts';
import { type Asked, type Caller, WithStatus } from './handlers.ts';
import type { Look, Views } from './views.ts';

/** Something that was asked of the API and is not a mere look: who, what, and what came of it. */
export interface Recorded {
  readonly endpoint: Endpoint;
  readonly deed: Deed;
  readonly at: number; // epoch ms
  readonly durationMs: number;
  readonly status: number;
  /** Null: it was done. */
  readonly failure: { code: string; message: string } | null;
  /** Whether it is known who asks; otherwise `source` is what somebody says of himself. */
  readonly isKnown: boolean;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** Undefined: there is none, or it is a file. */
  readonly body: unknown;
  /** The thing that it is about, before and after; undefined where there was or is none. */
  readonly thing: { before: unknown; after: unknown };
  /** What was made, where the answer shows it. */
  readonly made: unknown;
}

/** What is wanted of a request. */
export interface Wanted {
  /** That it is told when it is over. */
  readonly record: boolean;
  /** The thing that it is about, before and after. */
  readonly look: boolean;
  /** That its effects are known to be of it. */
  readonly follow: boolean;
}

export interface Recorder {
  wants(endpoint: Endpoint): Wanted;
  record(recorded: Recorded): void;
}

/** What is known of a request until it is answered. */
interface Underway {
  readonly at: number;
  readonly since: number; // performance.now()
  readonly deed: { actor: Actor } & Deed;
  readonly wanted: Wanted;
  isKnown: boolean;
  failure: { code: string; message: string } | null;
  before: unknown;
  after: unknown;
  made: unknown;
}

declare module 'fastify' {
  interface FastifyRequest {
    underway: Underway | null;
  }
}

const SAID_MAX = 256;

/** Begins to take note of a request that is more than a look. */
export function takeNote(request: FastifyRequest, recorder: Recorder): void {
  const { endpoint } = request.routeOptions.config;
  if (!endpoint || endpoint.method === 'GET' || endpoint.asks) return;
  const wanted = recorder.wants(endpoint);
  if (!wanted.record && !wanted.follow) return;
  request.underway = {
    at: Date.now(),
    since: performance.now(),
    deed: { actor: actorOf(request, endpoint), settings: [] },
    wanted,
    isKnown: false,
    failure: null,
    before: undefined,
    after: undefined,
    made: undefined,
  };
}

const operationOf = ({ method, path }: Endpoint): string => `${method} ${path}`;

/** Who it says it is, until that is known. */
function actorOf(request: FastifyRequest, endpoint: Endpoint): Actor {
  const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(request.headers.authorization ?? '') ?? [];
  const isKey = scheme.toLowerCase() === 'basic';
  const key = isKey ? Buffer.from(credentials, 'base64').toString().split(':', 1)[0]! : '';
  return {
    from: isKey ? 'rest_api' : 'dashboard',
    source: key.slice(0, SAID_MAX),
    address: request.ip,
    operation: operationOf(endpoint),
  };
}

/** Now it is known. */
export function nameActor({ underway }: FastifyRequest, caller: Caller): void {
  if (underway === null) return;
  underway.isKnown = true;
  Object.assign(underway.deed.actor, {
    from: 'apiKey' in caller ? 'rest_api' : 'dashboard',
    source: 'apiKey' in caller ? caller.apiKey : caller.username,
  });
}

/** Runs the handler so that its effects are known to be of this request, between a look before and one after. */
export async function doing(
  { underway }: FastifyRequest,
  views: Views,
  endpoint: Endpoint,
  asked: Asked<Endpoint>,
  run: () => unknown,
): Promise<unknown> {
  if (underway === null) return run();
  const { wanted, deed } = underway;
  const look: Look | null = wanted.record && wanted.look ? views.lookFor(endpoint, asked) : null;
  underway.before = await look?.();
  const answer = await (wanted.follow ? during(deed, async () => run()) : run());
  underway.after = await look?.();
  if (endpoint.method === 'POST' && views.hasThings(endpoint.path))
    underway.made = answer instanceof WithStatus ? answer.body : answer;
  return answer;
}

/** Before the answer goes out: whoever has it can be sure that it stands in the book. */
export function recordEnds(app: FastifyInstance, recorder: Recorder): void {
  app.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload) => {
    const { underway } = request;
    const { endpoint } = request.routeOptions.config;
    if (underway === null || !endpoint) return payload;
    request.underway = null; // an answer that cannot be sent is followed by another
    const { wanted, at, since, deed, isKnown, failure, before, after, made } = underway;
    if (!wanted.record) return payload;
    recorder.record({
      endpoint,
      deed: isKnown ? deed : { ...deed, actor: { ...deed.actor, ...saidInBody(request, endpoint) } },
      at,
      durationMs: Math.round(performance.now() - since),
      status: reply.statusCode,
      failure,
      isKnown: isKnown || (endpoint.access === 'none' && failure === null),
      params: request.params as Record<string, string>,
      query: (request.query ?? {}) as Record<string, unknown>,
      body: endpoint.upload ? undefined : request.body,
      thing: failure === null ? { before, after } : { before: undefined, after: undefined },
      made,
    });
    return payload;
  });
}

/** Who signs in says so in the body. */
function saidInBody(request: FastifyRequest, { access }: Endpoint): Partial<Actor> {
  if (access !== 'none') return {};
  const { username } = Object(request.body) as { username?: unknown };
  return typeof username === 'string' ? { source: username.slice(0, SAID_MAX) } : {};
}
