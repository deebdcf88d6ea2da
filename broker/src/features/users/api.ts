import { DEFAULT_USER, passwordFault, type users } from '@mqdeck/contract/users';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { isName, type Users } from './users.ts';

const PASSWORD_RULE =
  'The password must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols';

/** The part of the login's attempts that a change of password needs. */
interface Attempts {
  check(
    username: string,
    address: string,
    check: () => Promise<boolean>,
  ): Promise<boolean | { locked: 'name' | 'address'; seconds: number }>;
}

/** `attempts` locks apart from the login: who guesses at an old password shuts nobody out of signing in. */
export const usersApi = (all: Users, attempts: Attempts): Handlers<typeof users> => ({
  list: () => all.list(),
  create: async ({ body: { username, password, description } }) => {
    if (username === '' || password === '') return fail('BAD_REQUEST', 'Username and password are required');
    if (!isName(username))
      return fail('BAD_REQUEST', 'A user name consists of letters, digits and underscores, up to 1,024');
    checkRule(password);
    if (!(await all.create(username, password, description)))
      return fail('BAD_REQUEST', 'username_already_exists');
    return { username, description };
  },
  update: async ({ params: { username }, body: { description } }) => {
    if (!(await all.describe(username, description))) return fail('USER_NOT_FOUND');
    return { username, description };
  },
  remove: async ({ params: { username }, caller }) => {
    if (username === caller.username) return fail('NOT_ALLOWED', 'Nobody can delete himself');
    if (!all.has(username)) return fail('USER_NOT_FOUND');
    if (username === DEFAULT_USER.username) return fail('NOT_ALLOWED', 'The default user cannot be deleted');
    if (all.count === 1) return fail('NOT_ALLOWED', 'The last user cannot be deleted');
    await all.remove(username);
  },
  changePassword: async ({ params: { username }, body: { old_pwd, new_pwd }, address }) => {
    if (!all.has(username)) return fail('USER_NOT_FOUND');
    checkRule(new_pwd);
    const right = await attempts.check(username, address, () => all.checkPassword(username, old_pwd));
    if (typeof right === 'object')
      return fail('NOT_ALLOWED', `Too many wrong old passwords: try again in ${right.seconds} s`);
    if (!right) return fail('ERROR_PWD_NOT_MATCH');
    await all.changePassword(username, new_pwd);
  },
});

/** Cheap, so it comes before every hash. */
function checkRule(password: string): void {
  if (passwordFault(password) !== null) fail('BAD_REQUEST', PASSWORD_RULE);
}
