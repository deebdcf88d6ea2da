import { CREDENTIAL_LENGTH_MAX, type login } from '@mqdeck/contract/login';
import { ApiError, apiError, fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import type { SettingsStore } from '../../settings/settings.ts';
import type { Attempts, Locked } from './attempts.ts';
import type { Tokens } from './tokens.ts';

export interface LoginDependencies {
  tokens: Tokens;
  /** Whether name and password belong together; takes its time for unknown names too. */
  checkPassword: (username: string, password: string) => Promise<boolean>;
  attempts: Attempts;
  version: string;
  edition: 'opensource' | 'enterprise';
  settings: SettingsStore;
}

export function loginApi(its: LoginDependencies): Handlers<typeof login> {
  const { tokens, attempts } = its;
  return {
    login: async ({ body: { username, password }, address }) => {
      if (username.length > CREDENTIAL_LENGTH_MAX || password.length > CREDENTIAL_LENGTH_MAX)
        return fail('BAD_REQUEST', 'The user name or the password is too long');
      const right = await attempts.check(username, address, () => its.checkPassword(username, password));
      if (typeof right === 'object') return refuseLocked(right);
      if (!right) return fail('BAD_USERNAME_OR_PWD');
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
function refuseLocked({ locked, seconds }: Locked): never {
  const { code, statusCode } = apiError('LOGIN_LOCKED');
  const who = locked === 'name' ? 'this user' : 'this address';
  throw new ApiError(code, `Too many failed logins: ${who} is locked for another ${seconds} s`, statusCode, {
    'retry-after': String(seconds),
  });
}
