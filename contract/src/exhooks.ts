import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { sslClient } from './kit/ssl.ts';
import { flag, parseBytes, parseDuration } from './kit/values.ts';

/** What a server can ask to hear of, or to decide. */
export const EXHOOK_HOOKS = [
  'client.connect',
  'client.connack',
  'client.connected',
  'client.disconnected',
  'client.authenticate',
  'client.authorize',
  'client.subscribe',
  'client.unsubscribe',
  'session.created',
  'session.subscribed',
  'session.unsubscribed',
  'session.resumed',
  'session.discarded',
  'session.takenover',
  'session.terminated',
  'message.publish',
  'message.delivered',
  'message.dropped',
  'message.acked',
] as const;
export type ExhookHook = (typeof EXHOOK_HOOKS)[number];

export const EXHOOK_NAME = /^[A-Za-z0-9]+[A-Za-z0-9-_]*$/;
export const EXHOOK_NAME_MAX = 256;
/** Each is a connection that is kept. */
const EXHOOK_POOL_MAX = 1024;

const NO_URL = 'The address is http://host:port or https://host:port';
const GRPC_URL = /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@[\]\\%]+)(?::\d{1,5})?\/?$/i;
const NO_DURATION = 'Not a valid duration';
const NO_SIZE = 'Not a valid bytesize';
const positive = expected('pos_integer()');

const longerThanNothing = (value: string | number): boolean => (parseDuration(value) ?? 0) > 0;
/** Written back exactly as it was sent. */
const duration = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => longerThanNothing(value), NO_DURATION));
const size = z
  .union([z.string(), z.number()], NO_SIZE)
  .check(z.refine((value) => parseBytes(value) !== null, NO_SIZE));

/** Where a gRPC server is asked: no path, no user and password. */
export const isGrpcUrl = (value: string): boolean => GRPC_URL.test(value) && URL.canParse(value);
const grpcUrl = z.string().check(z.refine(isGrpcUrl, NO_URL));

/** A server that hears of what happens in the broker, and decides where its hooks let it. */
export const ExhookServer = z.strictObject({
  name: z.string().check(
    z.refine((value) => value.length >= 1 && value.length <= EXHOOK_NAME_MAX, 'Name Length must =< 256'),
    z.refine((value) => value === '' || EXHOOK_NAME.test(value), {
      error: ({ input }) => `Bad ExHook Name "${String(input).slice(0, 64)}", expect "${EXHOOK_NAME.source}"`,
    }),
  ),
  enable: z._default(flag, true),
  url: grpcUrl,
  pool_size: z._default(
    z.number(positive).check(z.int(positive), z.gte(1, positive), z.lte(EXHOOK_POOL_MAX, positive)),
    8,
  ),
  /** How long an answer may take. */
  request_timeout: z._default(duration, '5s'),
  /**
   * What becomes of a client or message that the server would have decided about, when there is no answer: refused, or as
   * if the server had not asked for the hook.
   */
  failed_action: z._default(z.enum(['deny', 'ignore']), 'deny'),
  /** The longest pause between attempts to reach it; false = none but the first. */
  auto_reconnect: z._default(z.union([z.literal(false), duration], 'matched_no_union_member'), '60s'),
  /** TLS, also where the address begins with `https://`. */
  ssl: sslClient,
  /** Kept for those who send it back: small packets always leave at once. */
  socket_options: z.prefault(
    z.strictObject({
      keepalive: z._default(flag, true),
      nodelay: z._default(flag, true),
      recbuf: z.optional(size),
      sndbuf: z.optional(size),
    }),
    {},
  ),
});
export type ExhookServer = z.output<typeof ExhookServer>;

export const ExhookSettings = z.strictObject({
  /** In the order in which they are asked. */
  servers: z._default(z.array(ExhookServer), []),
});
export type ExhookSettings = z.output<typeof ExhookSettings>;

/** Where a server goes in the order: `front`, `rear`, `before:NAME`, `after:NAME`. */
export type ExhookPosition = 'front' | 'rear' | { before: string } | { after: string };

/** Null when it is none. */
export function parseExhookPosition(text: string): ExhookPosition | null {
  if (text === 'front' || text === 'rear') return text;
  const [, where, name = ''] = /^(before|after):(.+)$/.exec(text) ?? [];
  if (name === '') return null;
  return where === 'before' ? { before: name } : { after: name };
}

/** Calls of the server. `rate` is of the last seconds. */
const Metrics = z.looseObject({
  succeed: z.number(),
  failed: z.number(),
  rate: z.number(),
  max_rate: z.number(),
  /** An extension: events the server never heard of, as it was too slow or away; among the failed ones. */
  dropped: z.optional(z.number()),
});
export type ExhookMetrics = z.infer<typeof Metrics>;
const NodeMetrics = z.array(z.looseObject({ node: z.string(), metrics: Metrics }));

/** Message hooks have `topics`: the filters that the server wants, none = every topic. */
const Params = z.looseObject({ topics: z.optional(z.array(z.string())) });

export const EXHOOK_STATUSES = ['connected', 'connecting', 'disconnected', 'disabled', 'error'] as const;
/** `disconnected`: nobody tries to reach it any more; `error`: it cannot work as it is configured, or is no such server. */
export type ExhookStatus = (typeof EXHOOK_STATUSES)[number];

const NodeStatus = z.looseObject({
  node: z.string(),
  status: z.enum(EXHOOK_STATUSES),
  /** An extension: why it is not connected, where that is known. */
  status_reason: z.optional(z.string()),
});

const Detail = z.looseObject({
  ...ExhookServer.shape,
  hooks: z.array(z.looseObject({ name: z.string(), params: Params })),
  metrics: Metrics,
  node_metrics: NodeMetrics,
  node_status: z.array(NodeStatus),
});
export type ExhookDetail = z.infer<typeof Detail>;

const Hook = z.looseObject({ name: z.string(), params: Params, metrics: Metrics, node_metrics: NodeMetrics });
export type ExhookHookInfo = z.infer<typeof Hook>;

/**
 * Servers of others that extend the broker: it asks them by gRPC (`emqx.exhook.v3.HookProvider`, or v2 where a server
 * knows no v3). A server says itself which hooks it wants when it is reached. It is asked who a client is when no
 * authenticator is enabled, what a client may do when no rule of a source fits, and about a message before the rules and
 * the retainer see it.
 */
export const exhooks = {
  list: endpoint({
    method: 'GET',
    path: '/exhooks',
    summary: 'All exhook servers in their order; secrets are masked',
    ok: json(z.array(Detail)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/exhooks',
    summary: 'Add an exhook server behind the others',
    body: ExhookServer,
    ok: json(Detail),
  }),
  get: endpoint({
    method: 'GET',
    path: '/exhooks/:name',
    summary: 'An exhook server',
    ok: json(Detail),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/exhooks/:name',
    summary: 'Change an exhook server, also its name; it is connected anew',
    body: ExhookServer,
    ok: json(Detail),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/exhooks/:name',
    summary: 'Remove an exhook server',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  hooks: endpoint({
    method: 'GET',
    path: '/exhooks/:name/hooks',
    summary: 'The hooks that a server has asked for',
    ok: json(z.array(Hook)),
    errors: ['NOT_FOUND'],
  }),
  move: endpoint({
    method: 'POST',
    path: '/exhooks/:name/move',
    summary: 'Move an exhook server in the order',
    body: z.strictObject({ position: z.string() }),
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
};
