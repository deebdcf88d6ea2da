import type { Language } from '../../i18n/language.ts';
import { wordsIn } from '../../i18n/words.ts';
import { words } from './words.ts';

const LANGUAGES: readonly Language[] = ['en', 'zh'];

/** The name of a connection; one that nobody has given it speaks the language of now. */
export function nameIn(language: Language, name: string): string {
  const id = /\d+$/.exec(name)?.[0] ?? '';
  const unnamed = LANGUAGES.some((one) => wordsIn(words, one).defaultName({ id }) === name);
  return unnamed ? wordsIn(words, language).defaultName({ id }) : name;
}
