import { passwordFault, USERNAME } from '@mqdeck/contract/users';
import type { ApiError } from '../../api/api-error.ts';
import type { Words } from '../../i18n/words.ts';
import type { words } from './words.ts';

type W = Words<typeof words>;

/** The rules of usernames and passwords, each with the sentence that stands beside the field. */

export function usernameFault(username: unknown, w: W): string | null {
  const text = String(username ?? '').trim();
  if (text === '') return w.usernameRequired;
  return USERNAME.test(text) ? null : w.usernameRule;
}

export const passwordProblem = (password: unknown, w: W): string | null =>
  passwordFault(String(password ?? '')) === null ? null : w.rule;

export function newPasswordProblem(old: unknown, password: unknown, w: W): string | null {
  const text = String(password ?? '');
  if (text !== '' && text === String(old ?? '')) return w.same;
  return passwordProblem(text, w);
}

export const repeatProblem = (password: unknown, repeated: unknown, w: W): string | null =>
  String(repeated ?? '') === String(password ?? '') ? null : w.mismatch;

/** What the broker refused, said beside the field it is about. */
export function faultOf(error: ApiError, w: W): { field: string; text: string } | undefined {
  if (error.code === 'ERROR_PWD_NOT_MATCH') return { field: 'old_pwd', text: w.oldWrong };
  // Both spellings are the broker's, of two generations.
  if (/user_?name_already_exist/i.test(error.message) || error.code === 'ALREADY_EXISTS')
    return { field: 'username', text: w.usernameTaken };
  return undefined;
}
