import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { AuthenticatorConfig, authenticatorId, redisCommandFault } from './authentication.ts';

const parsed = (config: object) => z.parse(AuthenticatorConfig, config);
const issueOf = (config: object) => z.safeParse(AuthenticatorConfig, config).error?.issues[0];

const sslOff = {
  ciphers: [],
  depth: 10,
  enable: false,
  hibernate_after: '5s',
  log_level: 'notice',
  reuse_sessions: true,
  secure_renegotiate: true,
  verify: 'verify_none',
  versions: ['tlsv1.3', 'tlsv1.2'],
};
const usualHash = { name: 'sha256', salt_position: 'prefix' };
const usual = { enable: true, mechanism: 'password_based' };
const database = { ...usual, password_hash_algorithm: usualHash, pool_size: 8, ssl: sslOff };

describe('what is left out is filled in as a real broker does', () => {
  const password_based = (config: object) => ({ mechanism: 'password_based', ...config });
  const query = 'SELECT password_hash, salt FROM mqtt_user where username = ${username} LIMIT 1';
  const mongo = { backend: 'mongodb', database: 'mqtt', collection: 'users' };
  const mongoUsual = {
    ...database,
    filter: {},
    password_hash_field: 'password_hash',
    salt_field: 'salt',
    is_superuser_field: 'is_superuser',
    srv_record: false,
    topology: { heartbeat_frequency_ms: '200s', max_overflow: 0 },
    use_legacy_protocol: 'auto',
    w_mode: 'unsafe',
  };
  const redis = { backend: 'redis', cmd: 'HMGET mqtt_user:${username} password_hash salt' };
  const http = { connect_timeout: '15s', request_timeout: '5s', enable_pipelining: 100, pool_size: 8 };
  const httpHeaders = {
    accept: 'application/json',
    'cache-control': 'no-cache',
    connection: 'keep-alive',
    'keep-alive': 'timeout=30, max=1000',
  };
  const jwt = {
    mechanism: 'jwt',
    enable: true,
    from: 'password',
    verify_claims: {},
    acl_claim_name: 'acl',
    disconnect_after_expire: true,
  };
  const cases: [string, object, object][] = [
    [
      'password_based:mysql',
      password_based({ backend: 'mysql', server: 'a:1', database: 'd', query }),
      { ...database, username: 'root', query_timeout: '5s' },
    ],
    [
      'password_based:postgresql',
      password_based({ backend: 'postgresql', server: 'a:1', database: 'd', username: 'u', query }),
      { ...database, disable_prepared_statements: false },
    ],
    [
      'password_based:mongodb',
      password_based({ ...mongo, server: 'a:1' }),
      { ...mongoUsual, mongo_type: 'single' },
    ],
    [
      'password_based:mongodb',
      password_based({ ...mongo, mongo_type: 'rs', servers: 'a:1,b:2', replica_set_name: 'rs' }),
      { ...mongoUsual, r_mode: 'master' },
    ],
    ['password_based:mongodb', password_based({ ...mongo, mongo_type: 'sharded', servers: 'a' }), mongoUsual],
    [
      'password_based:redis',
      password_based({ ...redis, server: 'a:1' }),
      { ...database, redis_type: 'single', database: 0 },
    ],
    [
      'password_based:redis',
      password_based({ ...redis, redis_type: 'sentinel', servers: 'a', sentinel: 's' }),
      { ...database, database: 0 },
    ],
    ['password_based:redis', password_based({ ...redis, redis_type: 'cluster', servers: 'a,b' }), database],
    [
      'password_based:http',
      password_based({ backend: 'http', method: 'get', url: 'http://a' }),
      { ...usual, ...http, ssl: sslOff, headers: httpHeaders },
    ],
    [
      'password_based:http',
      password_based({ backend: 'http', method: 'post', url: 'http://a' }),
      { ...usual, ...http, ssl: sslOff, headers: { ...httpHeaders, 'content-type': 'application/json' } },
    ],
    [
      'password_based:built_in_database',
      password_based({ backend: 'built_in_database', password_hash_algorithm: { name: 'bcrypt' } }),
      {
        ...usual,
        user_id_type: 'username',
        password_hash_algorithm: { name: 'bcrypt', salt_rounds: 10 },
        bootstrap_type: 'plain',
        bootstrap_file: '${EMQX_ETC_DIR}/auth-built-in-db-bootstrap.csv',
      },
    ],
    [
      'jwt',
      { mechanism: 'jwt', algorithm: 'hmac-based', secret: 's' },
      { ...jwt, use_jwks: false, secret_base64_encoded: false },
    ],
    [
      'jwt',
      { mechanism: 'jwt', use_jwks: true, endpoint: 'http://a/keys' },
      { ...jwt, headers: { Accept: 'application/json' }, pool_size: 8, refresh_interval: 300, ssl: sslOff },
    ],
    [
      'scram:built_in_database',
      { mechanism: 'scram', backend: 'built_in_database' },
      { mechanism: 'scram', enable: true, algorithm: 'sha256', iteration_count: 4096 },
    ],
  ];
  test.each(cases)('%s %o', (id, given, filledIn) => {
    expect(parsed(given)).toEqual({ ...given, ...filledIn });
    expect(authenticatorId(parsed(given))).toBe(id);
  });
});

test('what is wrong is named where it stands', () => {
  const builtIn = { mechanism: 'password_based', backend: 'built_in_database' };
  const cases: [object, string][] = [
    [{}, 'mechanism'],
    [{ mechanism: 'smell' }, 'mechanism'],
    [{ mechanism: 'password_based' }, 'backend'],
    [{ mechanism: 'password_based', backend: 'ldap' }, 'backend'],
    [{ mechanism: 'scram' }, 'backend'],
    [builtIn, 'password_hash_algorithm'],
    [{ ...builtIn, password_hash_algorithm: { name: 'rot13' } }, 'password_hash_algorithm.name'],
    [
      { ...builtIn, password_hash_algorithm: { name: 'pbkdf2', iterations: 1 } },
      'password_hash_algorithm.mac_fun',
    ],
    [
      { ...builtIn, password_hash_algorithm: { name: 'bcrypt', salt_rounds: 4 } },
      'password_hash_algorithm.salt_rounds',
    ],
    [{ mechanism: 'jwt' }, 'algorithm'],
    [{ mechanism: 'jwt', algorithm: 'hmac-based' }, 'secret'],
    [{ mechanism: 'jwt', use_jwks: true }, 'endpoint'],
    [{ mechanism: 'jwt', use_jwks: true, endpoint: 'http://a', ssl: { verify: 'maybe' } }, 'ssl.verify'],
    [{ mechanism: 'password_based', backend: 'redis', redis_type: 'ring' }, 'redis_type'],
    [{ mechanism: 'password_based', backend: 'http', url: 'http://a' }, 'method'],
  ];
  for (const [config, path] of cases)
    expect(issueOf(config)?.path.join('.'), JSON.stringify(config)).toBe(path);
});

test('commands of Redis ask for a hash by fields we know', () => {
  for (const cmd of [
    'HMGET mqtt_user:${username} password_hash salt is_superuser',
    'hget u password_hash',
    ' HMGET  k  password ',
  ])
    expect(redisCommandFault(cmd), cmd).toBeNull();
  for (const cmd of [
    '',
    'GET x',
    'HMGET',
    'HMGET key',
    'HGET k password_hash salt',
    'HMGET k salt',
    'HMGET k password_hash foo',
    'EVAL x 0',
    'FLUSHALL',
  ])
    expect(redisCommandFault(cmd), cmd).not.toBeNull();
});
