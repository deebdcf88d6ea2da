import type { Language } from '../../i18n/language.ts';
import { wordsIn } from '../../i18n/words.ts';
import { NOTHING } from '../../ui/format.ts';
import { words } from './words.ts';

/** The role of a node; a word we do not know stays as it is. */
export function roleText(role: string | undefined, language: Language): string {
  const w = wordsIn(words, language);
  if (role === 'core') return w.core;
  if (role === 'replicant') return w.replicant;
  return role ?? NOTHING;
}
