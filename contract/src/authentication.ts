import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { httpHeaders } from './kit/headers.ts';
import { page, pageQueryFields } from './kit/page.ts';
import { queryBool } from './kit/query.ts';
import { httpUrl, server, servers } from './kit/servers.ts';
import { sslClient } from './kit/ssl.ts';
import { bulk, duration, flag, intBetween, secret, text } from './kit/values.ts';

export const SIMPLE_HASHES = ['plain', 'md5', 'sha', 'sha256', 'sha512'] as const;
export const SALT_POSITIONS = ['disable', 'prefix', 'suffix'] as const;
export const MAC_FUNCTIONS = [
  'md4',
  'md5',
  'ripemd160',
  'sha',
  'sha224',
  'sha256',
  'sha384',
  'sha512',
] as const;
export const BCRYPT_ROUNDS = { min: 5, max: 10, usual: 10 } as const;
/** More of either keeps a core busy for seconds at each login. */
export const PBKDF2_MAX = { iterations: 10_000_000, dkLength: 1024 } as const;

const NO_SYMBOL = 'not_a_enum_symbol';

const SimpleHash = z.strictObject({
  name: z.enum(SIMPLE_HASHES),
  salt_position: z._default(z.enum(SALT_POSITIONS), 'prefix'),
});
const BcryptHash = z.strictObject({
  name: z.literal('bcrypt'),
  /** Of new hashes; what exists says itself how it was made. */
  salt_rounds: z._default(intBetween(BCRYPT_ROUNDS.min, BCRYPT_ROUNDS.max), BCRYPT_ROUNDS.usual),
});
const Pbkdf2Hash = z.strictObject({
  name: z.literal('pbkdf2'),
  mac_fun: z.enum(MAC_FUNCTIONS),
  iterations: intBetween(1, PBKDF2_MAX.iterations),
  /** Bytes; absent = as many as `mac_fun` gives. */
  dk_length: z.optional(intBetween(1, PBKDF2_MAX.dkLength)),
});

/** How the hash of a password is made. */
export const PasswordHash = z.discriminatedUnion('name', [SimpleHash, BcryptHash, Pbkdf2Hash], NO_SYMBOL);
export type PasswordHash = z.output<typeof PasswordHash>;

/** Of systems that others fill: only how a hash is compared matters. */
const hashOfOthers = z._default(PasswordHash, { name: 'sha256', salt_position: 'prefix' });

const positive = expected('1..inf');
const enable = z._default(flag, true);
/** Connections to the other system. */
const poolSize = z._default(intBetween(1, 1024), 8);
const timeout = (usual: string) => z._default(duration, usual);
const required = z.string().check(z.minLength(1, 'required_field'));
const headers = (usual: Record<string, string>) => z._default(httpHeaders, usual);

const passwordBased = { mechanism: z.literal('password_based'), enable };

export const BuiltInDatabase = z.strictObject({
  ...passwordBased,
  backend: z.literal('built_in_database'),
  /** What `user_id` of its users is compared with. */
  user_id_type: z._default(z.enum(['username', 'clientid']), 'username'),
  /** Without a default, as in the real API: who changes something else by chance must not change this. */
  password_hash_algorithm: PasswordHash,
  /** Kept for those who send them back; users come by API and import. */
  bootstrap_file: z._default(z.string(), '${EMQX_ETC_DIR}/auth-built-in-db-bootstrap.csv'),
  bootstrap_type: z._default(z.enum(['hash', 'plain']), 'plain'),
});
export type BuiltInDatabase = z.output<typeof BuiltInDatabase>;

const database = {
  ...passwordBased,
  server,
  database: required,
  username: z._default(text, 'root'),
  password: z.optional(secret),
  password_hash_algorithm: hashOfOthers,
  pool_size: poolSize,
  ssl: sslClient,
  /** Selects `password_hash`, `salt` and `is_superuser` of the user; placeholders become values, never SQL. */
  query: required,
  auto_reconnect: z.optional(flag),
};

export const MysqlAuthenticator = z.strictObject({
  ...database,
  backend: z.literal('mysql'),
  query_timeout: timeout('5s'),
});
export type MysqlAuthenticator = z.output<typeof MysqlAuthenticator>;

export const PostgresqlAuthenticator = z.strictObject({
  ...database,
  backend: z.literal('postgresql'),
  username: text,
  disable_prepared_statements: z._default(flag, false),
  /** An extension: 5 s unless told. */
  query_timeout: z.optional(duration),
});
export type PostgresqlAuthenticator = z.output<typeof PostgresqlAuthenticator>;

/** Of the connection to MongoDB. */
export const MongoTopology = z.strictObject({
  connect_timeout_ms: z.optional(duration),
  server_selection_timeout_ms: z.optional(duration),
  socket_timeout_ms: z.optional(duration),
  wait_queue_timeout_ms: z.optional(duration),
  heartbeat_frequency_ms: timeout('200s'),
  min_heartbeat_frequency_ms: z.optional(duration),
  local_threshold_ms: z.optional(duration),
  overflow_check_period: z.optional(duration),
  overflow_ttl: z.optional(duration),
  max_overflow: z._default(z.number().check(z.int(), z.gte(0)), 0),
});

const mongodb = {
  ...passwordBased,
  backend: z.literal('mongodb'),
  database: required,
  collection: required,
  /** Which document is the user's; placeholders in its texts become values. */
  filter: z._default(z.record(z.string(), z.unknown()), {}),
  username: z.optional(text),
  password: z.optional(secret),
  auth_source: z.optional(z.string()),
  password_hash_algorithm: hashOfOthers,
  password_hash_field: z._default(required, 'password_hash'),
  salt_field: z._default(required, 'salt'),
  is_superuser_field: z._default(required, 'is_superuser'),
  pool_size: poolSize,
  /** `server` is the name of an SRV record that names the servers. */
  srv_record: z._default(flag, false),
  topology: z.prefault(MongoTopology, {}),
  use_legacy_protocol: z._default(z.union([z.literal('auto'), flag]), 'auto'),
  w_mode: z._default(z.enum(['unsafe', 'safe']), 'unsafe'),
  ssl: sslClient,
};
export const MongodbAuthenticator = z.discriminatedUnion(
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
export type MongodbAuthenticator = z.output<typeof MongodbAuthenticator>;

const REDIS_FIELDS = ['password_hash', 'password', 'salt', 'is_superuser'];

/** Why a command cannot tell a password, or null: HGET or HMGET, a key, and the fields we know, a hash among them. */
export function redisCommandFault(cmd: string): string | null {
  const [name = '', key, ...fields] = cmd.trim().split(/\s+/);
  if (!/^h(m)?get$/i.test(name)) return 'The command must be HMGET or HGET';
  if (key === undefined || fields.length === 0) return 'The command needs a key and the names of fields';
  if (/^hget$/i.test(name) && fields.length > 1) return 'HGET takes one field; use HMGET';
  const unknown = fields.find((field) => !REDIS_FIELDS.includes(field));
  if (unknown !== undefined) return `The fields are ${REDIS_FIELDS.join(', ')}`;
  if (!fields.includes('password_hash') && !fields.includes('password'))
    return 'The command must ask for password_hash';
  return null;
}

const redis = {
  ...passwordBased,
  backend: z.literal('redis'),
  cmd: z.string().check(
    z.refine((value) => redisCommandFault(value) === null, {
      error: ({ input }) => redisCommandFault(String(input)) ?? '',
    }),
  ),
  username: z.optional(text),
  password: z.optional(secret),
  password_hash_algorithm: hashOfOthers,
  pool_size: poolSize,
  ssl: sslClient,
  auto_reconnect: z.optional(flag),
};
const redisDatabase = z._default(intBetween(0, 65_535), 0);
export const RedisAuthenticator = z.discriminatedUnion(
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
export type RedisAuthenticator = z.output<typeof RedisAuthenticator>;

const HTTP_HEADERS = {
  accept: 'application/json',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'keep-alive': 'timeout=30, max=1000',
};

const http = {
  ...passwordBased,
  backend: z.literal('http'),
  url: httpUrl,
  /** Sent as JSON or form, or as query by GET; placeholders in its texts are filled in. */
  body: z.optional(z.record(z.string(), z.unknown())),
  connect_timeout: timeout('15s'),
  request_timeout: timeout('5s'),
  pool_size: poolSize,
  enable_pipelining: z._default(z.number(positive).check(z.int(positive), z.gte(1, positive)), 100),
  ssl: sslClient,
  max_retries: z.optional(z.number().check(z.int(), z.gte(0))),
  retry_interval: z.optional(duration),
};
export const HttpAuthenticator = z.discriminatedUnion(
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
export type HttpAuthenticator = z.output<typeof HttpAuthenticator>;

const Claims = z.record(z.string(), z.string());
/** What must stand in the token; as a map, or as the list of names and values that older versions wrote. */
const verifyClaims = z._default(
  z.pipe(
    z.union([Claims, z.array(z.strictObject({ name: z.string(), value: z.string() }))], expected('map()')),
    z.transform((claims) =>
      Array.isArray(claims) ? Object.fromEntries(claims.map(({ name, value }) => [name, value])) : claims,
    ),
  ),
  {},
);

const jwt = {
  mechanism: z.literal('jwt'),
  enable,
  /** Where the client shows its token. */
  from: z._default(z.enum(['username', 'password']), 'password'),
  /** Values may hold `${clientid}` and `${username}`. */
  verify_claims: verifyClaims,
  acl_claim_name: z._default(z.string(), 'acl'),
  disconnect_after_expire: z._default(flag, true),
};
const keysFromConfig = z._default(z.literal(false), false);

const JwtHmac = z.strictObject({
  ...jwt,
  use_jwks: keysFromConfig,
  algorithm: z.literal('hmac-based'),
  secret: secret.check(z.minLength(1, 'required_field')),
  secret_base64_encoded: z._default(flag, false),
});
const JwtPublicKey = z.strictObject({
  ...jwt,
  use_jwks: keysFromConfig,
  algorithm: z.literal('public-key'),
  /** In PEM form: a public key, or a certificate that has one. */
  public_key: required,
});
export const JwtJwks = z.strictObject({
  ...jwt,
  use_jwks: z.literal(true),
  endpoint: httpUrl,
  headers: headers({ Accept: 'application/json' }),
  /** Seconds. */
  refresh_interval: z._default(intBetween(1, 31_536_000), 300),
  pool_size: poolSize,
  ssl: sslClient,
});
export const JwtAuthenticator = z.discriminatedUnion(
  'use_jwks',
  [z.discriminatedUnion('algorithm', [JwtHmac, JwtPublicKey], NO_SYMBOL), JwtJwks],
  NO_SYMBOL,
);
export type JwtAuthenticator = z.output<typeof JwtAuthenticator>;
export type JwtJwks = z.output<typeof JwtJwks>;

const SCRAM_ITERATIONS_USUAL = 4096; // RFC 5802, 5.1: the least a server should ask for
export const ScramAuthenticator = z.strictObject({
  mechanism: z.literal('scram'),
  backend: z.literal('built_in_database'),
  enable,
  algorithm: z._default(z.enum(['sha256', 'sha512']), 'sha256'),
  /** Of users that are added from now on. */
  iteration_count: z._default(intBetween(1, 10_000_000), SCRAM_ITERATIONS_USUAL),
});
export type ScramAuthenticator = z.output<typeof ScramAuthenticator>;

const UNSUPPORTED = 'unsupported_mechanism';

/** One link of the chain, by mechanism and backend. */
export const AuthenticatorConfig = z.discriminatedUnion(
  'mechanism',
  [
    z.discriminatedUnion(
      'backend',
      [
        BuiltInDatabase,
        MysqlAuthenticator,
        PostgresqlAuthenticator,
        MongodbAuthenticator,
        RedisAuthenticator,
        HttpAuthenticator,
      ],
      UNSUPPORTED,
    ),
    JwtAuthenticator,
    ScramAuthenticator,
  ],
  UNSUPPORTED,
);
export type AuthenticatorConfig = z.output<typeof AuthenticatorConfig>;

/** `password_based:mysql`, `jwt`, `scram:built_in_database`: a chain holds each once. */
export const authenticatorId = (config: AuthenticatorConfig): string =>
  'backend' in config ? `${config.mechanism}:${config.backend}` : config.mechanism;

/** The chains as the settings file keeps them, those of listeners by their ids. */
export const AuthenticationSettings = z.strictObject({
  global: z._default(z.array(AuthenticatorConfig), []),
  listeners: z._default(z.record(z.string(), z.array(AuthenticatorConfig)), {}),
});
export type AuthenticationSettings = z.output<typeof AuthenticationSettings>;

/** Those that have users of their own, which the API lists and changes. */
export const WITH_USERS: readonly string[] = ['password_based:built_in_database', 'scram:built_in_database'];

/** A link as answers show it: its configuration, secrets masked. */
const Authenticator = z.looseObject({
  id: z.string(),
  mechanism: z.string(),
  backend: z.optional(z.string()),
  enable: z.boolean(),
});
export type Authenticator = z.infer<typeof Authenticator>;

const Metrics = z.looseObject({
  total: z.number(),
  success: z.number(),
  failed: z.number(),
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

const AuthenticatorStatus = z.looseObject({
  status: z.enum(['connected', 'connecting', 'disconnected', 'inconsistent']),
  metrics: Metrics,
  resource_metrics: ResourceMetrics,
  node_status: z.array(z.looseObject({ node: z.string(), status: z.string() })),
  /** Why a node is not connected, where it knows. */
  node_error: z.array(z.looseObject({ node: z.string(), error: z.string() })),
  node_metrics: z.array(z.looseObject({ node: z.string(), metrics: Metrics })),
  node_resource_metrics: z.array(z.looseObject({ node: z.string(), metrics: ResourceMetrics })),
});
export type AuthenticatorStatus = z.infer<typeof AuthenticatorStatus>;

export const AuthnUser = z.looseObject({ user_id: z.string(), is_superuser: z.boolean() });
export type AuthnUser = z.infer<typeof AuthnUser>;

const newUser = { password: z.string(expected('binary()')), is_superuser: z._default(flag, false) };

/** What became of a file of users; the rows are an extension. */
const ImportReport = z.looseObject({
  total: z.number(),
  success: z.number(),
  override: z.number(),
  skipped: z.number(),
  failed: z.number(),
  /** Those that failed, at most IMPORT_ROWS_TOLD of them; the first line of a CSV file is line 1, of JSON the first item. */
  rows: z.optional(
    z.array(z.looseObject({ line: z.number(), user_id: z.nullable(z.string()), reason: z.string() })),
  ),
});
export type ImportReport = z.infer<typeof ImportReport>;

export const IMPORT_ROWS_TOLD = 1000;
export const IMPORT_BYTES_MAX = 256 * 1024 * 1024;
export const USER_ID_BYTES_MAX = 1024;

/** The endpoints of one chain, below its path; `extension` marks those of a chain that the real API lacks. */
function chainAt<const P extends string>(base: P, extension?: string) {
  const at = <const S extends string>(rest: S) => `${base}${rest}` as `${P}${S}`;
  const marked = extension === undefined ? {} : { extension };
  return {
    list: endpoint({
      method: 'GET',
      path: at(''),
      summary: 'The authenticators of the chain, in its order',
      ok: json(z.array(Authenticator)),
      ...marked,
    }),
    create: endpoint({
      method: 'POST',
      path: at(''),
      summary: 'Add an authenticator at the end of the chain',
      body: AuthenticatorConfig,
      ok: json(Authenticator),
      errors: ['ALREADY_EXISTS'],
      ...marked,
    }),
    reorder: endpoint({
      method: 'PUT',
      path: at('/order'),
      summary: 'Give the chain another order: the id of each authenticator, once',
      body: bulk(z.strictObject({ id: z.string() })),
      ok: noContent,
      ...marked,
    }),
    get: endpoint({
      method: 'GET',
      path: at('/:id'),
      summary: 'One authenticator; secrets are masked',
      ok: json(Authenticator),
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    update: endpoint({
      method: 'PUT',
      path: at('/:id'),
      summary: 'Change an authenticator: its whole configuration. A masked secret keeps its value',
      body: AuthenticatorConfig,
      ok: noContent,
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    remove: endpoint({
      method: 'DELETE',
      path: at('/:id'),
      summary: 'Remove an authenticator, with its users',
      ok: noContent,
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    status: endpoint({
      method: 'GET',
      path: at('/:id/status'),
      summary: 'Whether it is connected, and what it decided',
      ok: json(AuthenticatorStatus),
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    /** `front`, `rear`, `before:ID`, `after:ID` */
    move: endpoint({
      method: 'PUT',
      path: at('/:id/position/:position'),
      summary: 'Move an authenticator: front, rear, before:ID or after:ID',
      ok: noContent,
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    users: endpoint({
      method: 'GET',
      path: at('/:id/users'),
      summary: 'Users of a built-in database',
      query: z.object({
        ...pageQueryFields,
        like_user_id: z.optional(z.string()),
        is_superuser: z.optional(queryBool),
      }),
      ok: page(AuthnUser),
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    createUser: endpoint({
      method: 'POST',
      path: at('/:id/users'),
      summary: 'Add a user',
      body: z.strictObject({ user_id: text, ...newUser }),
      ok: json(AuthnUser, 201),
      errors: ['ALREADY_EXISTS', 'NOT_FOUND'],
      ...marked,
    }),
    /** A segment of three, so that no user can bear its name. */
    exportUsers: endpoint({
      method: 'GET',
      path: at('/:id/export_users'),
      summary: 'All users with their hashes as CSV, in the form that import_users reads with type=hash',
      ok: json(z.string()),
      errors: ['NOT_FOUND'],
      extension: extension ?? 'users can be taken elsewhere',
    }),
    importUsers: endpoint({
      method: 'POST',
      path: at('/:id/import_users'),
      summary: 'Add users from a CSV or JSON file, or from a JSON body',
      query: z.object({
        /** Whether the passwords come as they are, or as hashes made by the authenticator's algorithm. */
        type: z._default(z.enum(['plain', 'hash']), 'hash'),
        /** An extension: what becomes of users that exist. */
        override: z._default(queryBool, false),
        /** An extension: one faulty row keeps all others out. The answer is 400 with the report. */
        all_or_nothing: z._default(queryBool, false),
      }),
      upload: { field: 'filename', bytesMax: IMPORT_BYTES_MAX },
      ok: json(ImportReport),
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    user: endpoint({
      method: 'GET',
      path: at('/:id/users/:user_id'),
      summary: 'One user',
      ok: json(AuthnUser),
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    updateUser: endpoint({
      method: 'PUT',
      path: at('/:id/users/:user_id'),
      summary: "Change a user's password and whether he is a superuser",
      body: z.strictObject(newUser),
      ok: json(AuthnUser),
      errors: ['NOT_FOUND'],
      ...marked,
    }),
    removeUser: endpoint({
      method: 'DELETE',
      path: at('/:id/users/:user_id'),
      summary: 'Delete a user; he stays connected where he is',
      ok: noContent,
      errors: ['NOT_FOUND'],
      ...marked,
    }),
  };
}

/**
 * Who may connect. Asked are the enabled authenticators in their order, until one decides: it lets the client in, or
 * refuses it (0x86 wrong password, 0x87 otherwise). One that knows nothing of the client, or whose backend fails, leaves
 * the decision to the next; when nobody decided, the client is refused with 0x87. Without an enabled one all come in.
 */
export const authentication = chainAt('/authentication');

/** A listener that has a chain of its own asks that one instead of the global one. */
export const listenerAuthentication = chainAt(
  '/listeners/:listener_id/authentication',
  'chains of single listeners, which later versions of the real API hide',
);
