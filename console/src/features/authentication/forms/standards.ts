import {
  MONGODB_CONNECTION,
  MYSQL_CONNECTION,
  POSTGRESQL_CONNECTION,
  REDIS_CONNECTION,
} from '../../../form/backends/connections.tsx';
import { HTTP_CONNECTION } from '../../../form/backends/HttpConnection.tsx';
import { HASH_INITIAL, isSalted } from '../../../form/backends/hash.ts';
import { jsonText } from '../../../form/backends/json-text.ts';
import { type KindId, partsOf } from '../kinds.ts';

/** What the forms begin with, how they take an answer of the API, and what they send. */

type Values = Record<string, unknown>;

export const standardSql = (salted: boolean): string =>
  `SELECT password_hash${salted ? ', salt' : ''} FROM mqtt_user WHERE username = \${username} LIMIT 1`;

export const standardCommand = (salted: boolean): string =>
  `HMGET mqtt_user:\${username} password_hash${salted ? ' salt' : ''}`;

export const STANDARD_FILTER = jsonText({ username: '${username}' });
export const STANDARD_BODY = jsonText({ username: '${username}', password: '${password}' });

const hash = { password_hash_algorithm: HASH_INITIAL };
const JWT = {
  use_jwks: false,
  algorithm: 'hmac-based',
  from: 'password',
  secret: '',
  secret_base64_encoded: false,
  public_key: '',
  endpoint: '',
  refresh_interval: 300,
  pool_size: 8,
  ssl: { enable: false, verify: 'verify_peer' },
  verify_claims: {},
  acl_claim_name: 'acl',
  disconnect_after_expire: true,
};

const INITIAL: Readonly<Record<KindId, Values>> = {
  'password_based:built_in_database': { user_id_type: 'username', ...hash },
  'password_based:mysql': { ...MYSQL_CONNECTION, database: 'mqtt_user', ...hash, query: standardSql(true) },
  'password_based:postgresql': {
    ...POSTGRESQL_CONNECTION,
    database: 'mqtt_user',
    ...hash,
    query: standardSql(true),
  },
  'password_based:mongodb': {
    ...MONGODB_CONNECTION,
    collection: 'users',
    filter: STANDARD_FILTER,
    password_hash_field: 'password_hash',
    salt_field: 'salt',
    is_superuser_field: 'is_superuser',
    ...hash,
  },
  'password_based:redis': { ...REDIS_CONNECTION, ...hash, cmd: standardCommand(true) },
  'password_based:http': { ...HTTP_CONNECTION, request_timeout: '5s', body: STANDARD_BODY },
  jwt: JWT,
  'scram:built_in_database': { algorithm: 'sha256', iteration_count: 4096 },
};

/** Fields that the form holds as text while the API has an object. */
const AS_TEXT: Readonly<Partial<Record<KindId, string>>> = {
  'password_based:mongodb': 'filter',
  'password_based:http': 'body',
};

export const initialFor = (id: KindId, httpBody?: string): Values => ({
  ...structuredClone(INITIAL[id]),
  ...(httpBody !== undefined && id === 'password_based:http' ? { body: httpBody } : {}),
});

/** The form's values of what the API answered. What another choice would need is there too, at its default. */
export function valuesFrom(id: KindId, answer: Values): Values {
  const standard = initialFor(id);
  const values = { ...onlyOthers(standard, answer), ...answer };
  const text = AS_TEXT[id];
  if (text) values[text] = jsonText(answer[text]);
  const { password_hash_algorithm: stored } = answer;
  if (standard.password_hash_algorithm && typeof stored === 'object')
    values.password_hash_algorithm = { ...HASH_INITIAL, ...stored };
  return values;
}

/** Defaults for fields of the choices that were not made: a field that was left out on purpose stays out. */
const CHOICES = [
  'server',
  'servers',
  'replica_set_name',
  'r_mode',
  'sentinel',
  'secret',
  'public_key',
  'endpoint',
];
const onlyOthers = (standard: Values, answer: Values): Values =>
  Object.fromEntries(
    Object.entries(standard).filter(([key]) => !(key in answer) && (CHOICES.includes(key) || key in JWT)),
  );

/** What is sent: the contract then keeps only what belongs to the choices made. */
export function bodyFrom(id: KindId, values: Values): Values {
  const { salt_field, ...rest } = values;
  const salted = salt_field !== undefined && isSalted(values.password_hash_algorithm);
  return {
    ...rest,
    ...(salted ? { salt_field } : {}),
    ...partsOf(id),
  };
}
