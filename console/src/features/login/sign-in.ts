import { type LoginAnswer, login } from '@mqdeck/contract/login';
import { DEFAULT_USER, DEFAULT_USER_NAMES, passwordFault, users } from '@mqdeck/contract/users';
import { request } from '../../api/request.ts';
import { beginSession, expectSessionEnd } from '../../api/session.ts';
import { rememberEdition } from '../../preferences.ts';

/** Everything is told in the form, nothing by toast. */
const inPlace = { quiet: true, handles: [400, 401] } as const;

export async function signIn(username: string, password: string): Promise<void> {
  const answer: LoginAnswer = await request(login.login, { body: { username, password } }, inPlace);
  rememberEdition(answer.license?.edition ?? '');
  await beginSession({ token: answer.token, username, version: answer.version });
}

/** The password that everybody knows is worth a reminder. */
export const isDefaultPassword = (username: string, password: string): boolean =>
  password === DEFAULT_USER.password && DEFAULT_USER_NAMES.includes(username);

/** Why the new password will not do, or null. */
export function newPasswordFault(
  old: string,
  password: string,
  repeated: string,
): 'rule' | 'same' | 'mismatch' | null {
  if (password === old) return 'same';
  if (passwordFault(password) !== null) return 'rule';
  return password === repeated ? null : 'mismatch';
}

/** Changes the user's own password. His token dies with the old one, so he is signed in anew. */
export async function changePassword(username: string, old: string, password: string): Promise<void> {
  const takeBack = expectSessionEnd();
  try {
    await request(
      users.changePassword,
      { params: { username }, body: { old_pwd: old, new_pwd: password } },
      inPlace,
    );
    await signIn(username, password);
  } finally {
    takeBack();
  }
}
