import {
  BuiltInDatabase,
  HttpAuthenticator,
  JwtAuthenticator,
  MongodbAuthenticator,
  MysqlAuthenticator,
  PostgresqlAuthenticator,
  RedisAuthenticator,
  ScramAuthenticator,
} from '@mqdeck/contract/authentication';
import type * as z from 'zod/mini';
import type { Words } from '../../i18n/words.ts';
import type { words } from './words.ts';

/** Every authenticator the console has a form for, in the order in which they are offered. */
export const BACKENDS = ['built_in_database', 'mysql', 'mongodb', 'postgresql', 'http', 'redis'] as const;
export type Backend = (typeof BACKENDS)[number];

export const MECHANISMS = ['password_based', 'jwt', 'scram'] as const;
export type Mechanism = (typeof MECHANISMS)[number];

/** What is sent of a form: the contract's own shape, which also knows limits and defaults. */
const bodies = {
  'password_based:built_in_database': BuiltInDatabase,
  'password_based:mysql': MysqlAuthenticator,
  'password_based:mongodb': MongodbAuthenticator,
  'password_based:postgresql': PostgresqlAuthenticator,
  'password_based:http': HttpAuthenticator,
  'password_based:redis': RedisAuthenticator,
  jwt: JwtAuthenticator,
  'scram:built_in_database': ScramAuthenticator,
} as const satisfies Record<string, z.ZodMiniType>;

/** `password_based:mysql`: what the API calls it, since a chain holds each once. */
export type KindId = keyof typeof bodies;

export const kindOf = (id: string): KindId | undefined => (id in bodies ? (id as KindId) : undefined);
export const bodyFor = (id: KindId): z.ZodMiniType => bodies[id];
export const idFor = (mechanism: Mechanism, backend: Backend): KindId =>
  mechanism === 'jwt'
    ? 'jwt'
    : mechanism === 'scram'
      ? 'scram:built_in_database'
      : `password_based:${backend}`;

type W = Words<typeof words>;
const isWord = (name: string): name is Mechanism | Backend =>
  (MECHANISMS as readonly string[]).includes(name) || (BACKENDS as readonly string[]).includes(name);
/** What a newer broker has and we know no word for keeps its own. */
const wordFor = (name: string, w: W): string => (isWord(name) ? w[name] : name);

/** What operators call it: the backend where it has one, `MySQL`, else the mechanism. */
export function nameOf(
  { mechanism, backend }: { mechanism: string; backend?: string | undefined },
  w: W,
): string {
  if (backend === undefined) return wordFor(mechanism, w);
  return mechanism === 'password_based'
    ? wordFor(backend, w)
    : `${wordFor(mechanism, w)} · ${wordFor(backend, w)}`;
}

/** The mechanism and backend that an id is made of. */
export function partsOf(id: string): { mechanism: string; backend?: string } {
  const [mechanism = id, backend] = id.split(':');
  return { mechanism, ...(backend === undefined ? {} : { backend }) };
}

export const mechanismName = (mechanism: string, w: W): string => wordFor(mechanism, w);
