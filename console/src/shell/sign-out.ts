import { login } from '@mqdeck/contract/login';
import { ApiError } from '../api/api-error.ts';
import { request } from '../api/request.ts';
import { endSession, getSession } from '../api/session.ts';
import { getLanguage } from '../i18n/language.ts';
import { wordsIn } from '../i18n/words.ts';
import { confirm } from '../ui/confirm.ts';
import { toast } from '../ui/toast.ts';
import { words } from './words.ts';

/** Asks, then signs out here and at the broker. */
export async function signOut(): Promise<void> {
  const session = getSession();
  if (session === null) return;
  const w = wordsIn(words, getLanguage());
  const { username } = session;
  const yes = await confirm({
    title: w.signOutQuestion,
    text: w.signOutText({ username }),
    action: w.signOut,
  });
  if (!yes) return;
  try {
    await request(login.logout, { body: { username } }, { quiet: true });
  } catch (error) {
    // The broker is away or has forgotten the token: we leave all the same.
    if (!(error instanceof ApiError)) throw error;
  }
  endSession('signed-out');
  toast('good', w.signedOut);
}
