import { isUserId } from '@mqdeck/contract/user-import';
import * as z from 'zod/mini';
import type { Users } from './authenticators.ts';
import type { PasswordUser } from './built-in-database.ts';
import type { ScramUser } from './scram.ts';
import type { AuthnUsers, KINDS } from './users.ts';

const base64 = z.string().check(z.maxLength(400), z.regex(/^[A-Za-z0-9+/]+={0,2}$/));
/** More keep a core busy for long at each login. */
const ITERATIONS_MAX = 10_000_000;

const named = {
  /** `mqtt:global`, or the listener. */
  chain: z.string().check(z.minLength(1), z.maxLength(300)),
  user_id: z.string().check(z.refine(isUserId, 'it is no id of a user')),
  is_superuser: z.boolean(),
};
const PasswordRow = z.strictObject({
  kind: z.literal('password'),
  ...named,
  password_hash: z.string().check(z.maxLength(10_000)),
  salt: z.string().check(z.maxLength(10_000)),
});
const ScramRow = z.strictObject({
  kind: z.literal('scram'),
  ...named,
  salt: base64,
  iterations: z.int().check(z.gte(1), z.lte(ITERATIONS_MAX)),
  stored_key: base64,
  server_key: base64,
});
const Row = z.discriminatedUnion('kind', [PasswordRow, ScramRow]);
type Row = z.output<typeof Row>;

/** Users of the built-in database, with what their proofs are compared with; of every chain. */
export const authnUsersBacked = (users: Users) => {
  const of = (chain: string, kind: keyof typeof KINDS): AuthnUsers<PasswordUser> | AuthnUsers<ScramUser> =>
    kind === 'password' ? users.passwords(chain) : users.scram(chain);
  return {
    kind: 'authn_users',
    row: Row,
    async *rows(): AsyncGenerator<Row> {
      for (const { chain, kind } of users.inUse)
        for await (const slice of of(chain, kind).records())
          for (const { id, user } of slice) yield rowOf(chain, id, user);
    },
    find({ chain, kind, user_id: id }: Row): Row | undefined {
      const user = of(chain, kind).get(id);
      return user && rowOf(chain, id, user);
    },
    put(row: Row): void {
      const { chain, user_id: id, is_superuser: superuser } = row;
      if (row.kind === 'password') {
        users.passwords(chain).put(id, { hash: row.password_hash, salt: row.salt, superuser });
        return;
      }
      const { salt, iterations, stored_key: storedKey, server_key: serverKey } = row;
      users.scram(chain).put(id, { salt, iterations, storedKey, serverKey, superuser });
    },
  };
};

function rowOf(chain: string, id: string, user: PasswordUser | ScramUser): Row {
  const common = { chain, user_id: id, is_superuser: user.superuser, salt: user.salt };
  if ('hash' in user) return { kind: 'password', ...common, password_hash: user.hash };
  const { iterations, storedKey, serverKey } = user;
  return { kind: 'scram', ...common, iterations, stored_key: storedKey, server_key: serverKey };
}
