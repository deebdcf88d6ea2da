import * as z from 'zod/mini';
import { parseAclFile } from './acl/parse-file.ts';
import { unknownPlaceholder } from './acl/topic-template.ts';
import { MongoTopology } from './authentication.ts';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { httpHeaders } from './kit/headers.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { httpUrl, server, servers } from './kit/servers.ts';
import { sslClient } from './kit/ssl.ts';
import { bulk, duration, flag, intBetween, mqttText, parseDuration, secret, text } from './kit/values.ts';

const NO_SYMBOL = 'not_a_enum_symbol';
const positive = expected('1..inf');

const enable = z._default(flag, true);
/** Connections to the other system. */
const poolSize = z._default(intBetween(1, 1024), 8);
const required = z.string().check(z.minLength(1, 'required_field'));
const headers = (usual: Record<string, string>) => z._default(httpHeaders, usual);

/** Rules in the syntax of EMQX's ACL files; a fault names line and column. */
const aclRules = text.check((payload) => {
  const fault = parseAclFile(payload.value).faults[0];
  if (!fault) return;
  payload.issues.push({
    code: 'custom',
    input: payload.value,
    message: `line ${fault.line}, column ${fault.column}: ${fault.message}`,
  });
});

export const FileSource = z.strictObject({ type: z.literal('file'), enable, rules: aclRules });
export type FileSource = z.output<typeof FileSource>;

export const MAX_RULES_USUAL = 100;
export const BuiltInSource = z.strictObject({
  type: z.literal('built_in_database'),
  enable,
  /** Of one client id, one username, or all; more are refused. */
  max_rules: z._default(intBetween(1, 10_000), MAX_RULES_USUAL),
});
export type BuiltInSource = z.output<typeof BuiltInSource>;

const database = {
  enable,
  server,
  database: required,
  username: z._default(text, 'root'),
  password: z.optional(secret),
  pool_size: poolSize,
  ssl: sslClient,
  /**
   * Selects `permission`, `action` and `topic` of the client's rules, and where they are `qos`, `retain`, `ipaddr`,
   * `username_re` and `clientid_re`; placeholders become values, never SQL.
   */
  query: required,
  auto_reconnect: z.optional(flag),
  prepare_statement: z.optional(z.record(z.string(), z.unknown())),
};
/** An extension: how long an answer may take, 5 s unless told. */
const queryTimeout = z.optional(duration);

export const MysqlSource = z.strictObject({
  ...database,
  type: z.literal('mysql'),
  query_timeout: queryTimeout,
});
export type MysqlSource = z.output<typeof MysqlSource>;

export const PostgresqlSource = z.strictObject({
  ...database,
  type: z.literal('postgresql'),
  username: text,
  disable_prepared_statements: z._default(flag, false),
  query_timeout: queryTimeout,
});
export type PostgresqlSource = z.output<typeof PostgresqlSource>;

const mongodb = {
  type: z.literal('mongodb'),
  enable,
  database: required,
  collection: required,
  /** Which documents are the client's rules; placeholders in its texts become values. */
  filter: z._default(z.record(z.string(), z.unknown()), {}),
  limit: z._default(z.number(positive).check(z.int(positive), z.gte(1, positive)), 1000),
  skip: z._default(z.number().check(z.int(), z.gte(0)), 0),
  username: z.optional(text),
  password: z.optional(secret),
  auth_source: z.optional(z.string()),
  pool_size: poolSize,
  /** `server` is the name of an SRV record that names the servers. */
  srv_record: z._default(flag, false),
  topology: z.prefault(MongoTopology, {}),
  use_legacy_protocol: z._default(z.union([z.literal('auto'), flag]), 'auto'),
  w_mode: z._default(z.enum(['unsafe', 'safe']), 'unsafe'),
  ssl: sslClient,
};
export const MongodbSource = z.discriminatedUnion(
  'mongo_type',
  [
    z.strictObject({ ...mongodb, mongo_type: z._default(z.literal('single'), 'single'), server }),
    z.strictObject({
      ...mongodb,
      mongo_type: z.literal('rs'),
      servers,
      replica_set_name: required,
      r_mode: z._default(z.enum(['master', 'slave_ok']), 'master'),
    }),
    z.strictObject({ ...mongodb, mongo_type: z.literal('sharded'), servers }),
  ],
  NO_SYMBOL,
);
export type MongodbSource = z.output<typeof MongodbSource>;

/** Why a command cannot tell rules, or null. */
export function redisRulesCommandFault(cmd: string): string | null {
  const [name = '', ...args] = cmd.trim().split(/\s+/);
  if (!/^hgetall$/i.test(name)) return 'The command must be HGETALL';
  return args.length === 1 ? null : 'HGETALL takes one key';
}

const redis = {
  type: z.literal('redis'),
  enable,
  /** A hash whose fields are topic filters, and whose values are actions or rules in JSON. */
  cmd: z.string().check(
    z.refine((value) => redisRulesCommandFault(value) === null, {
      error: ({ input }) => redisRulesCommandFault(String(input)) ?? '',
    }),
  ),
  username: z.optional(text),
  password: z.optional(secret),
  pool_size: poolSize,
  ssl: sslClient,
  auto_reconnect: z.optional(flag),
};
const redisDatabase = z._default(intBetween(0, 65_535), 0);
export const RedisSource = z.discriminatedUnion(
  'redis_type',
  [
    z.strictObject({
      ...redis,
      redis_type: z._default(z.literal('single'), 'single'),
      server,
      database: redisDatabase,
    }),
    z.strictObject({
      ...redis,
      redis_type: z.literal('sentinel'),
      servers,
      sentinel: required,
      database: redisDatabase,
    }),
    z.strictObject({ ...redis, redis_type: z.literal('cluster'), servers }),
  ],
  NO_SYMBOL,
);
export type RedisSource = z.output<typeof RedisSource>;

const HTTP_HEADERS = {
  accept: 'application/json',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'keep-alive': 'timeout=30, max=1000',
};

const http = {
  type: z.literal('http'),
  enable,
  url: httpUrl,
  /** Sent as JSON or form, or as query by GET; placeholders in its texts are filled in. */
  body: z.optional(z.record(z.string(), z.unknown())),
  connect_timeout: z._default(duration, '15s'),
  request_timeout: z._default(duration, '30s'),
  pool_size: poolSize,
  enable_pipelining: z._default(z.number(positive).check(z.int(positive), z.gte(1, positive)), 100),
  ssl: sslClient,
  max_retries: z.optional(z.number().check(z.int(), z.gte(0))),
  retry_interval: z.optional(duration),
};
export const HttpSource = z.discriminatedUnion(
  'method',
  [
    z.strictObject({ ...http, method: z.literal('get'), headers: headers(HTTP_HEADERS) }),
    z.strictObject({
      ...http,
      method: z.literal('post'),
      headers: headers({ ...HTTP_HEADERS, 'content-type': 'application/json' }),
    }),
  ],
  NO_SYMBOL,
);
export type HttpSource = z.output<typeof HttpSource>;

/** A source of rules; there is at most one of each type. */
export const AuthorizationSource = z.discriminatedUnion(
  'type',
  [FileSource, BuiltInSource, MysqlSource, PostgresqlSource, MongodbSource, RedisSource, HttpSource],
  'unknown_type',
);
export type AuthorizationSource = z.output<typeof AuthorizationSource>;

export const SOURCE_TYPES = [
  'file',
  'built_in_database',
  'http',
  'redis',
  'mysql',
  'postgresql',
  'mongodb',
] as const satisfies readonly AuthorizationSource['type'][];
export type SourceType = AuthorizationSource['type'];

/** Where a source goes in the order: `front`, `rear`, `before:TYPE`, `after:TYPE`. */
export type SourcePosition = 'front' | 'rear' | { before: SourceType } | { after: SourceType };

/** Null when it is none. */
export function parsePosition(text: string): SourcePosition | null {
  if (text === 'front' || text === 'rear') return text;
  const [where, name, ...more] = text.split(':');
  const type = SOURCE_TYPES.find((one) => one === name);
  if (type === undefined || more.length > 0) return null;
  if (where === 'before') return { before: type };
  return where === 'after' ? { after: type } : null;
}

/** The rules of the file source at the first start; also what the form for a new file begins with. */
export const DEFAULT_ACL_RULES = `%% Rules are read from top to bottom; the first that fits decides. Each is
%%   {allow|deny, Who, Action, [Topic, ...]}.
%% Who:    all, {username, "..."}, {clientid, "..."}, {ipaddr, "10.0.0.0/8"}, {ipaddrs, [...]},
%%         {client_attr, "name", "value"}, {'and', [...]}, {'or', [...]}; {re, "..."} stands for a pattern
%% Action: publish, subscribe, all, or e.g. {publish, [{qos, 1}, {retain, false}]}
%% Topic:  "t/#", "c/\${clientid}", {eq, "t/#"} for exactly this text

{allow, {username, {re, "^dashboard$"}}, subscribe, ["$SYS/#"]}.

%% Behind a proxy on this machine every client has this address, unless the listener reads the
%% address from the PROXY protocol or a header. Remove the rule there.
{allow, {ipaddr, "127.0.0.1"}, all, ["$SYS/#", "#"]}.

{deny, all, subscribe, ["$SYS/#", {eq, "#"}, {eq, "+/#"}]}.

%% Whoever wants to allow only what is written above ends with {deny, all}.
{allow, all}.
`;

const NO_DURATION = 'Not a valid duration';
const cacheFields = {
  enable: z._default(flag, true),
  /** Answers kept for one connection; the oldest makes room. */
  max_size: z._default(intBetween(1, 1_048_576), 32),
  ttl: z._default(
    z
      .union([z.string(), z.number()], NO_DURATION)
      .check(z.refine((value) => parseDuration(value) !== null, NO_DURATION)),
    '1m',
  ),
  /** Filters of topics whose answers are not kept. */
  excludes: z._default(z.array(z.string()), []),
};
const AuthorizationCache = z.strictObject(cacheFields);

/** What holds whatever the sources are. Unknown fields are ignored, as the real API does. */
export const AuthorizationSettings = z.object({
  /** When no rule fits. Not when a source could not be asked: then the answer is deny. */
  no_match: z._default(z.enum(['allow', 'deny']), 'allow'),
  /** What becomes of a client that was denied: nothing more, or it is disconnected. */
  deny_action: z._default(z.enum(['ignore', 'disconnect']), 'ignore'),
  cache: AuthorizationCache,
});
export type AuthorizationSettings = z.output<typeof AuthorizationSettings>;

/** As the settings file holds it. */
export const AuthorizationSection = z.strictObject({
  no_match: AuthorizationSettings.shape.no_match,
  deny_action: AuthorizationSettings.shape.deny_action,
  cache: z.prefault(AuthorizationCache, {}),
  sources: z._default(z.array(AuthorizationSource), [
    { type: 'file', enable: true, rules: DEFAULT_ACL_RULES },
  ]),
});
export type AuthorizationSection = z.output<typeof AuthorizationSection>;

const Metrics = z.looseObject({
  total: z.number(),
  allow: z.number(),
  deny: z.number(),
  /** It could not be asked, or its answer was none. */
  ignore: z.number(),
  nomatch: z.number(),
  rate: z.number(),
  rate_last5m: z.number(),
  rate_max: z.number(),
});
/** Of the system behind it; empty without one. */
const ResourceMetrics = z.looseObject({
  matched: z.optional(z.number()),
  success: z.optional(z.number()),
  failed: z.optional(z.number()),
  rate: z.optional(z.number()),
  rate_last5m: z.optional(z.number()),
  rate_max: z.optional(z.number()),
});

const SourceStatus = z.looseObject({
  status: z.enum(['connected', 'connecting', 'disconnected', 'inconsistent']),
  metrics: Metrics,
  resource_metrics: ResourceMetrics,
  node_status: z.array(z.looseObject({ node: z.string(), status: z.string() })),
  /** Why a node is not connected, where it knows. */
  node_error: z.array(z.looseObject({ node: z.string(), error: z.string() })),
  node_metrics: z.array(z.looseObject({ node: z.string(), metrics: Metrics })),
  node_resource_metrics: z.array(z.looseObject({ node: z.string(), metrics: ResourceMetrics })),
});
export type SourceStatus = z.infer<typeof SourceStatus>;

const qosLevel = z.union([z.literal(0), z.literal(1), z.literal(2)], expected('0..2'));

const ruleTopic = text.check(
  z.refine((value) => value.startsWith('eq ') || unknownPlaceholder(value) === null, {
    error: ({ input }) =>
      `there is no placeholder ${unknownPlaceholder(String(input))}: use \${username}, \${clientid} or \${client_attrs.NAME}`,
  }),
);

/** A rule of the built-in database; `eq ` before the topic makes it exactly this text. */
export const BuiltInRule = z.strictObject({
  permission: z.enum(['allow', 'deny']),
  action: z.enum(['publish', 'subscribe', 'all']),
  topic: ruleTopic,
  qos: z._default(z.array(qosLevel), [0, 1, 2]),
  /** Of publishing. */
  retain: z._default(z.union([z.literal('all'), flag]), 'all'),
});
export type BuiltInRule = z.output<typeof BuiltInRule>;

const rules = bulk(BuiltInRule);
export const OWNER_BYTES_MAX = 1024;
/** The key of what a client or a user may. */
const owner = mqttText.check(
  z.refine((value) => new TextEncoder().encode(value).length <= OWNER_BYTES_MAX, {
    error: `${OWNER_BYTES_MAX} bytes at most`,
  }),
);
const ClientRules = z.strictObject({ clientid: owner, rules });
export type ClientRules = z.output<typeof ClientRules>;
const UserRules = z.strictObject({ username: owner, rules });
export type UserRules = z.output<typeof UserRules>;
const AllRules = z.strictObject({ rules });

/** An answer kept for a connection. */
const CachedAccess = z.looseObject({
  access: z.looseObject({
    action_type: z.enum(['publish', 'subscribe']),
    qos: z.number(),
    retain: z.optional(z.boolean()), // of publishing
  }),
  topic: z.string(),
  result: z.enum(['allow', 'deny']),
  updated_time: z.number(), // epoch ms
});
export type CachedAccess = z.infer<typeof CachedAccess>;

const RULES = '/authorization/sources/built_in_database/rules';

/**
 * What clients may publish and subscribe to. A superuser may all. Then the rules that came with the credentials are
 * asked, then the enabled sources in their order, until one allows or denies. When none does, `no_match` decides; but
 * where a source could not be asked or did not answer as it should, the client is denied. A subscription needs a rule
 * that covers its whole filter: `a/#` covers `a/+`, `a/+` does not cover `a/#`.
 *
 * Asked is for every PUBLISH and every filter of a SUBSCRIBE, and for a will when it is published; answers are kept as
 * the cache says. What is allowed stays: losing a permission ends no subscription, takes back no retained message and
 * holds up no delivery, not even over a reconnection into a kept session; the next PUBLISH or SUBSCRIBE is denied. A rule or source that changes counts at once.
 */
export const authorization = {
  settings: endpoint({
    method: 'GET',
    path: '/authorization/settings',
    summary: 'Settings of authorization',
    ok: json(AuthorizationSettings),
  }),
  updateSettings: endpoint({
    method: 'PUT',
    path: '/authorization/settings',
    summary: 'Change the settings of authorization; every kept answer is forgotten',
    body: AuthorizationSettings,
    ok: json(AuthorizationSettings),
  }),
  clearCache: endpoint({
    method: 'DELETE',
    path: '/authorization/cache',
    summary: 'Forget every kept answer',
    ok: noContent,
  }),
  sources: endpoint({
    method: 'GET',
    path: '/authorization/sources',
    summary: 'The sources of rules in their order; secrets are masked',
    ok: json(z.looseObject({ sources: z.array(AuthorizationSource) })),
  }),
  create: endpoint({
    method: 'POST',
    path: '/authorization/sources',
    summary: 'Add a source before the others',
    body: AuthorizationSource,
    ok: noContent,
  }),
  reorder: endpoint({
    method: 'PUT',
    path: '/authorization/sources/order',
    summary: 'Give the sources another order: the type of each, once',
    body: bulk(z.strictObject({ type: z.enum(SOURCE_TYPES) })),
    ok: noContent,
  }),
  get: endpoint({
    method: 'GET',
    path: '/authorization/sources/:type',
    summary: 'One source; secrets are masked',
    ok: json(AuthorizationSource),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/authorization/sources/:type',
    summary: 'Change a source: its whole configuration. A masked secret keeps its value',
    body: AuthorizationSource,
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/authorization/sources/:type',
    summary: 'Remove a source; the rules of the built-in database stay for when it comes back',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  status: endpoint({
    method: 'GET',
    path: '/authorization/sources/:type/status',
    summary: 'Whether it is connected, and what it decided',
    ok: json(SourceStatus),
    errors: ['NOT_FOUND'],
  }),
  move: endpoint({
    method: 'POST',
    path: '/authorization/sources/:type/move',
    summary: 'Move a source: front, rear, before:TYPE or after:TYPE',
    body: z.strictObject({ position: z.string() }),
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  purgeRules: endpoint({
    method: 'DELETE',
    path: RULES,
    summary: 'Remove every rule of the built-in database, which must be disabled for that',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  clientRules: endpoint({
    method: 'GET',
    path: `${RULES}/clients`,
    summary: 'Rules of single client ids',
    query: z.object({ ...pageQueryFields, like_clientid: z.optional(z.string()) }),
    ok: page(ClientRules),
  }),
  createClientRules: endpoint({
    method: 'POST',
    path: `${RULES}/clients`,
    summary: 'Add rules of client ids that have none yet; all of them or none',
    body: bulk(ClientRules),
    ok: noContent,
    errors: ['ALREADY_EXISTS'],
  }),
  clientRule: endpoint({
    method: 'GET',
    path: `${RULES}/clients/:clientid`,
    summary: 'Rules of a client id',
    ok: json(ClientRules),
    errors: ['NOT_FOUND'],
  }),
  updateClientRules: endpoint({
    method: 'PUT',
    path: `${RULES}/clients/:clientid`,
    summary: 'Set the rules of a client id, also of one that has none',
    body: ClientRules,
    ok: noContent,
  }),
  removeClientRules: endpoint({
    method: 'DELETE',
    path: `${RULES}/clients/:clientid`,
    summary: 'Remove the rules of a client id',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  userRules: endpoint({
    method: 'GET',
    path: `${RULES}/users`,
    summary: 'Rules of single usernames',
    query: z.object({ ...pageQueryFields, like_username: z.optional(z.string()) }),
    ok: page(UserRules),
  }),
  createUserRules: endpoint({
    method: 'POST',
    path: `${RULES}/users`,
    summary: 'Add rules of usernames that have none yet; all of them or none',
    body: bulk(UserRules),
    ok: noContent,
    errors: ['ALREADY_EXISTS'],
  }),
  userRule: endpoint({
    method: 'GET',
    path: `${RULES}/users/:username`,
    summary: 'Rules of a username',
    ok: json(UserRules),
    errors: ['NOT_FOUND'],
  }),
  updateUserRules: endpoint({
    method: 'PUT',
    path: `${RULES}/users/:username`,
    summary: 'Set the rules of a username, also of one that has none',
    body: UserRules,
    ok: noContent,
  }),
  removeUserRules: endpoint({
    method: 'DELETE',
    path: `${RULES}/users/:username`,
    summary: 'Remove the rules of a username',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  allRules: endpoint({
    method: 'GET',
    path: `${RULES}/all`,
    summary: 'Rules for everybody; asked after those of the client id and the username',
    ok: json(AllRules),
  }),
  setAllRules: endpoint({
    method: 'POST',
    path: `${RULES}/all`,
    summary: 'Set the rules for everybody',
    body: AllRules,
    ok: noContent,
  }),
  removeAllRules: endpoint({
    method: 'DELETE',
    path: `${RULES}/all`,
    summary: 'Remove the rules for everybody',
    ok: noContent,
  }),
  clientCache: endpoint({
    method: 'GET',
    path: '/clients/:clientid/authorization/cache',
    summary: 'The answers kept for a client, the latest first; none while it is not connected',
    ok: json(z.array(CachedAccess)),
    errors: ['CLIENTID_NOT_FOUND'],
  }),
  clearClientCache: endpoint({
    method: 'DELETE',
    path: '/clients/:clientid/authorization/cache',
    summary: 'Forget the answers kept for a client',
    ok: noContent,
    errors: ['CLIENTID_NOT_FOUND'],
  }),
};
