import type { RedisAuthenticator } from '@mqdeck/contract/authentication';
import type { BackendParts } from '../../../backends/backend.ts';
import { BackendError } from '../../../backends/backend.ts';
import { AUTHENTICATION_NAMES, parseCommand, render } from '../../../backends/placeholders.ts';
import { openRedis } from '../../../backends/redis.ts';
import type { Authenticator } from '../authenticator.ts';
import { asking, judged, NO_PASSWORD, type StoredUser } from './asking.ts';

/** Users as hashes of Redis; the contract has checked that the command is HMGET or HGET. */
export const openRedisAuthenticator = (config: RedisAuthenticator, deps: BackendParts): Authenticator =>
  asking(() => {
    const [command, ...words] = parseCommand(config.cmd, { names: AUTHENTICATION_NAMES, path: 'cmd' });
    const fields = words.slice(1).map((word) => render(word, () => null));
    const name = render(command!, () => null);
    const backend = openRedis(config, deps);
    return {
      backend,
      ask: async ({ password, peerhost }, values) => {
        if (password === null) return NO_PASSWORD;
        const answer = await backend.command(
          name,
          words.map((word) => render(word, values)),
        );
        const found = userOf(fields, Array.isArray(answer) ? answer : [answer]);
        return judged(found, password, config.password_hash_algorithm, peerhost);
      },
    };
  });

/** Null when none of the fields is there. */
function userOf(fields: readonly string[], answer: readonly unknown[]): StoredUser | null {
  if (answer.length !== fields.length) throw new BackendError('the answer has other fields than asked for');
  if (answer.every((value) => value === null)) return null;
  const field = (name: string): unknown => answer[fields.indexOf(name)] ?? null;
  return {
    hash: field('password_hash') ?? field('password'),
    salt: field('salt'),
    isSuperuser: field('is_superuser'),
  };
}
