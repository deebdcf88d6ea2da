import { getLanguage } from '../i18n/language.ts';
import { wordsIn } from '../i18n/words.ts';
import { visibleText } from './visible-text.ts';
import { words } from './words.ts';

/** An id of a person's making fits; what is longer is a machine's, told apart by its ends. */
const WHOLE_MAX = 120;
const FIRST = 60;
const LAST = 30;

export const isLong = (text: string): boolean => text.length > WHOLE_MAX && [...text].length > WHOLE_MAX;

/** A text for a sentence: unseen characters made visible, the middle of a long one left out and its length said. */
export function shortText(text: string): string {
  if (!isLong(text)) return visibleText(text);
  const characters = [...text];
  const first = characters.slice(0, FIRST).join('');
  const last = characters.slice(-LAST).join('');
  const length = wordsIn(words, getLanguage()).characters({ count: characters.length });
  return `${visibleText(first)}…${visibleText(last)} (${length})`;
}
