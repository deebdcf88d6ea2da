import {
  type AuthorizationSource,
  BuiltInSource,
  DEFAULT_ACL_RULES,
  FileSource,
  HttpSource,
  MongodbSource,
  MysqlSource,
  PostgresqlSource,
  RedisSource,
} from '@mqdeck/contract/authorization';
import type * as z from 'zod/mini';
import {
  MONGODB_CONNECTION,
  MYSQL_CONNECTION,
  POSTGRESQL_CONNECTION,
  REDIS_CONNECTION,
} from '../../form/backends/connections.tsx';
import { HTTP_CONNECTION } from '../../form/backends/HttpConnection.tsx';
import { jsonText } from '../../form/backends/json-text.ts';
import type { Words } from '../../i18n/words.ts';
import type { words } from './words.ts';

/** Every source the console has a form for, in the order in which they are offered. */
export const SOURCES = [
  'file',
  'built_in_database',
  'mysql',
  'mongodb',
  'postgresql',
  'redis',
  'http',
] as const satisfies readonly AuthorizationSource['type'][];
export type Source = (typeof SOURCES)[number];

type Values = Record<string, unknown>;

export const sourceOf = (type: string): Source | undefined => SOURCES.find((one) => one === type);

/** What a newer broker has and we know no word for keeps its own. */
export function nameOf(type: string, w: Words<typeof words>): string {
  const source = sourceOf(type);
  return source ? w[source] : type;
}

/** What is sent of a form: the contract's own shape, which also knows limits and defaults. */
const bodies = {
  file: FileSource,
  built_in_database: BuiltInSource,
  mysql: MysqlSource,
  mongodb: MongodbSource,
  postgresql: PostgresqlSource,
  redis: RedisSource,
  http: HttpSource,
} as const satisfies Record<Source, z.ZodMiniType>;

export const bodyFor = (type: Source): z.ZodMiniType => bodies[type];

export const STANDARD_SQL = 'SELECT permission, action, topic FROM mqtt_acl WHERE username = ${username}';
export const STANDARD_COMMAND = 'HGETALL mqtt_acl:${username}';
export const STANDARD_FILTER = jsonText({ username: '${username}' });
export const STANDARD_BODY = jsonText({
  username: '${username}',
  topic: '${topic}',
  action: '${action}',
});

// Not every broker knows a timeout of these queries: it is sent only when somebody sets one.
const { query_timeout: _, ...MYSQL } = MYSQL_CONNECTION;

const INITIAL: Readonly<Record<Source, Values>> = {
  file: { rules: DEFAULT_ACL_RULES },
  built_in_database: {},
  mysql: { ...MYSQL, database: 'mqtt_acl', query: STANDARD_SQL },
  mongodb: { ...MONGODB_CONNECTION, collection: 'mqtt_acl', filter: STANDARD_FILTER },
  postgresql: { ...POSTGRESQL_CONNECTION, database: 'mqtt_acl', query: STANDARD_SQL },
  redis: { ...REDIS_CONNECTION, cmd: STANDARD_COMMAND },
  http: { ...HTTP_CONNECTION, request_timeout: '30s', body: STANDARD_BODY },
};

/** Fields that the form holds as text while the API has an object. */
const AS_TEXT: Readonly<Partial<Record<Source, string>>> = { mongodb: 'filter', http: 'body' };
/** Of these only the ones that belong to the choices made come in an answer; another choice needs its default. */
const OF_CHOICES = ['server', 'servers', 'replica_set_name', 'r_mode', 'sentinel'];

export const initialFor = (type: Source): Values => structuredClone(INITIAL[type]);

/** The form's values of what the API answered. */
export function valuesFrom(type: Source, answer: Values): Values {
  const others = Object.entries(INITIAL[type]).filter(
    ([key]) => OF_CHOICES.includes(key) && !(key in answer),
  );
  const values: Values = { ...Object.fromEntries(others), ...answer };
  const text = AS_TEXT[type];
  if (text) values[text] = jsonText(answer[text]);
  return values;
}
