import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { note, text } from './kit/values.ts';

const PASSWORD_LENGTH = { min: 8, max: 64 } as const;

/** Why a password is refused, or null: 8 to 64 printable ASCII characters, two of letters, digits, symbols. */
export function passwordFault(password: string): 'length' | 'characters' | 'classes' | null {
  if (!/^[\x20-\x7e]*$/.test(password)) return 'characters';
  if (password.length < PASSWORD_LENGTH.min || password.length > PASSWORD_LENGTH.max) return 'length';
  const classes = [/[A-Za-z]/, /\d/, /[^A-Za-z\d]/].filter((one) => one.test(password)).length;
  return classes >= 2 ? null : 'classes';
}

/** Names of admin users: ASCII letters, digits and underscore. */
export const USERNAME = /^[A-Za-z0-9_]+$/;

/** The user that exists from the first start on, with the password everybody knows. */
export const DEFAULT_USER = { username: 'admin', password: 'public' } as const;
/** Names for which a sign-in with the default password brings the reminder to change it. */
export const DEFAULT_USER_NAMES: readonly string[] = ['admin', 'root', 'administrator'];

export const User = z.looseObject({ username: z.string(), description: z.string() });
export type User = z.infer<typeof User>;

/** Whoever may sign in may everything; another role would promise what is not kept. */
const role = z.optional(
  z.literal('administrator', 'users have no roles here: administrator is the only one'),
);

export const users = {
  list: endpoint({
    method: 'GET',
    path: '/users',
    summary: 'The users who may sign in',
    access: 'user',
    ok: json(z.array(User)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/users',
    summary: 'Add a user',
    access: 'user',
    body: z.object({ username: text, password: text, description: note, role }),
    ok: json(User),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/users/:username',
    summary: "Change a user's note",
    access: 'user',
    body: z.object({ description: note, role }),
    ok: json(User),
    errors: ['USER_NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/users/:username',
    summary: 'Delete a user; his tokens die with him',
    access: 'user',
    ok: noContent,
    errors: ['USER_NOT_FOUND', 'NOT_ALLOWED'],
  }),
  changePassword: endpoint({
    method: 'POST',
    path: '/users/:username/change_pwd',
    summary: 'Change a password; the tokens of that user die',
    access: 'user',
    body: z.object({ old_pwd: text, new_pwd: text }),
    ok: noContent,
    errors: ['USER_NOT_FOUND', 'ERROR_PWD_NOT_MATCH', 'NOT_ALLOWED'],
  }),
};
