import type { BuiltInDatabase } from '@mqdeck/contract/authentication';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { Authenticator, Credentials, Verdict } from './authenticator.ts';
import { type HashedPassword, matches } from './hashing.ts';
import type { AuthnUsers, UserRecord } from './users.ts';

export interface PasswordUser extends HashedPassword, UserRecord {}

/** Users with passwords in the broker's own store. */
export function openBuiltInDatabase(
  { user_id_type, password_hash_algorithm }: BuiltInDatabase,
  users: AuthnUsers<PasswordUser>,
): Authenticator {
  return {
    async authenticate({ username, clientid, password, peerhost }: Credentials): Promise<Verdict> {
      // As the real broker: who shows nothing has nothing to be known by, whoever is asked next
      if (password === null) return denied('the client shows no password');
      const id = user_id_type === 'username' ? username : clientid;
      const user = id === null ? undefined : users.get(id);
      if (!user) return { result: 'ignore', why: `there is no such user (by ${user_id_type})` };
      if (!(await matches(password_hash_algorithm, password, user.hash, user.salt, peerhost)))
        return denied('the password is wrong');
      return { result: 'allow', why: 'the password is right', isSuperuser: user.superuser };
    },
    status: 'connected',
    reason: null,
    resourceMetrics: null,
    close: () => Promise.resolve(),
  };
}

const denied = (why: string): Verdict => ({
  result: 'deny',
  reasonCode: ReasonCode.BadUserNameOrPassword,
  why,
});
