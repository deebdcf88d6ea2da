import { CREDENTIAL_LENGTH_MAX, type login } from '@mqdeck/contract/login';
import { ApiError, apiError, fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { Lockout } from './lockout.ts';
import type { Tokens } from './tokens.ts';

export interface LoginDependencies {
  tokens: Tokens;
  /** Whether name and password belong together; takes its time for unknown names too. */
  checkPassword: (username: string, password: string) => Promise<boolean>;
  userLockout: Lockout;
  addressLockout: Lockout;
  version: string;
  edition: 'opensource' | 'enterprise';
  settings: SettingsStore;
}

export function loginApi(its: LoginDependencies): Handlers<typeof login> {
  const { tokens, userLockout, addressLockout } = its;
  const inTurn = queueByName();
  return {
    login: async ({ body: { username, password }, address }) => {
      if (username.length > CREDENTIAL_LENGTH_MAX || password.length > CREDENTIAL_LENGTH_MAX)
        return fail('BAD_REQUEST', 'The user name or the password is too long');
      // One guess at a name after the other: of many at once, each would otherwise be weighed before any counts.
      await inTurn(username, async () => {
        refuseLocked('this user', userLockout.secondsLeft(username));
        refuseLocked('this address', addressLockout.secondsLeft(address));
        if (await its.checkPassword(username, password)) return userLockout.succeeded(username);
        userLockout.failed(username);
        addressLockout.failed(address);
        return fail('BAD_USERNAME_OR_PWD');
      });
      const token = await tokens.issue(username);
      return {
        token,
        version: its.version,
        license: { edition: its.edition === 'enterprise' ? 'ee' : 'ce' },
      };
    },
    logout: async ({ body: { username }, caller }) => {
      if (username !== caller.username) return fail('WRONG_TOKEN_OR_USERNAME');
      await tokens.end(caller.tokenId);
    },
    getSettings: () => its.settings.get('dashboard'),
    updateSettings: async ({ body }) => {
      await its.settings.change('dashboard', body);
      return body;
    },
  };
}

/** Says for how long still, to people and to programs. */
function refuseLocked(who: string, seconds: number): void {
  if (seconds === 0) return;
  const { code, statusCode } = apiError('LOGIN_LOCKED');
  throw new ApiError(code, `Too many failed logins: ${who} is locked for another ${seconds} s`, statusCode, {
    'retry-after': String(seconds),
  });
}

/** More guesses at one name than this do not wait: they would be answered minutes later. */
const WAITING_MAX = 100;

/** Runs one deed per name at a time, in the order they came; forgets a name when nobody waits for it. */
function queueByName(): (name: string, deed: () => Promise<void>) => Promise<void> {
  const queues = new Map<string, { last: Promise<void>; waiting: number }>();
  return async (name, deed) => {
    const queue = queues.get(name) ?? { last: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= WAITING_MAX) return fail('SERVICE_UNAVAILABLE', 'Too many logins wait already');
    queue.waiting += 1;
    queue.last = queue.last.then(deed, deed); // whatever became of the one before
    queues.set(name, queue);
    try {
      await queue.last;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) queues.delete(name);
    }
  };
}
