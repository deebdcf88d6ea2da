import { getLanguage } from '../i18n/language.ts';
import { wordsIn } from '../i18n/words.ts';
import { toast } from '../ui/toast.ts';
import type { ApiError } from './api-error.ts';
import { firstOf } from './in-flight.ts';
import { words } from './words.ts';

const SHOWN_MAX = 300;

/** What an error is called on the screen. */
export function sentenceOf({ status, code, message, faults, absent, trouble }: ApiError): string {
  const w = wordsIn(words, getLanguage());
  if (absent) return w.notAvailable; // a fact about the broker; its 404 tells nobody anything
  if (trouble) return w[trouble];
  if (status === 0) return w.someError;
  if (code === 'BAD_USERNAME_OR_PWD') return w.wrongCredentials;
  if (code === 'BAD_TOKEN' || code === 'TOKEN_TIME_OUT') return w.expired;
  if (code === '' && message === '') return w.networkError({ status: String(status) });
  const said = faults.length > 0 ? faults.map(faultText).join('; ') : message;
  const text = said.length > SHOWN_MAX ? `${said.slice(0, SHOWN_MAX)}…` : said;
  return w.failure({ status: String(status), code, message: text });
}

/** As `sentenceOf`, for what stands on the page instead of its data: without an answer it says so. */
export const sentenceInPlace = (error: ApiError): string =>
  error.status === 0 && !error.trouble ? wordsIn(words, getLanguage()).noAnswer : sentenceOf(error);

/** As `sentenceOf`, for a deed: without an answer nobody knows whether it was done. */
export const sentenceOfDeed = (error: ApiError): string =>
  error.status === 0 && !error.trouble ? wordsIn(words, getLanguage()).resultUnknown : sentenceOf(error);

const faultText = ({ path, reason, unknown }: ApiError['faults'][number]): string => {
  const why = typeof reason === 'string' ? reason : `expected ${reason.expected}`;
  return `${path}: ${unknown ? `${why} ${unknown}` : why}`;
};

/** Shows an error, each status once until all calls have settled. */
export function report(error: ApiError): void {
  if (firstOf(error.status)) toast('bad', sentenceOf(error));
}
