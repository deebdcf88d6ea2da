import { useMemo, useSyncExternalStore } from 'react';
import { getLanguage, type Language, onLanguageChange } from './language.ts';

/**
 * A text in both languages. `{name}` is filled in; `{count|client|clients}` chooses by the number in `count`
 * (zero and plural take the second word), also where it comes written out.
 */
interface Text {
  en: string;
  zh: string;
}

type Names<S extends string> = S extends `${string}{${infer P}}${infer Rest}`
  ? (P extends `${infer N}|${string}` ? N : P) | Names<Rest>
  : never;

/** Both languages must fill in the same names; `{count|…}` of English needs no twin in Chinese. */
type Checked<W extends Record<string, Text>> = {
  [K in keyof W]: Names<W[K]['zh']> extends Names<W[K]['en']>
    ? Names<W[K]['en']> extends Names<W[K]['zh']>
      ? Text
      : { zh: `zh lacks {${Names<W[K]['en']>}}` }
    : { en: `en lacks {${Names<W[K]['zh']>}}` };
};

type Values<N extends string> = { [K in N]: string | number };

/** The words of one feature as a component sees them: a text, or a function where something is filled in. */
export type Words<W extends Record<string, Text>> = {
  [K in keyof W]: [Names<W[K]['en']>] extends [never]
    ? string
    : (values: Values<Names<W[K]['en']>>) => string;
};

/** Declares the words of a feature. A missing language or a placeholder that differs does not compile. */
export const defineWords = <const W extends Record<string, Text>>(words: W & Checked<W>): W => words;

function fill(text: string, values: Record<string, string | number>, language: Language): string {
  return text.replace(
    /\{(\w+)(?:\|([^|}]*)\|([^|}]*))?\}/g,
    (whole, name: string, one: string | undefined, many: string | undefined, at: number) => {
      const value = values[name];
      if (value === undefined) return whole;
      if (one !== undefined && many !== undefined) return value === 1 || value === '1' ? one : many;
      const filled = typeof value === 'number' ? value.toLocaleString(language) : value;
      return apart(text.slice(0, at), filled, text.slice(at + whole.length));
    },
  );
}

/** Chinese and Latin are set apart by a space, whichever of them a filled-in name happens to be. */
const apart = (before: string, filled: string, after: string): string =>
  (/\p{Script=Han}$/u.test(before) && /^[a-z\d]/i.test(filled) ? ' ' : '') +
  filled +
  (/^\p{Script=Han}/u.test(after) && /[a-z\d]$/i.test(filled) ? ' ' : '');

const made = new WeakMap<object, Partial<Record<Language, object>>>();

/** The words in a language; made once per language and kept. */
export function wordsIn<W extends Record<string, Text>>(words: W, language: Language): Words<W> {
  const known = made.get(words) ?? {};
  made.set(words, known);
  known[language] ??= Object.fromEntries(
    Object.entries(words).map(([key, text]) => {
      const inLanguage = text[language];
      const placeholders = inLanguage.includes('{');
      return [
        key,
        placeholders
          ? (values: Record<string, string | number>) => fill(inLanguage, values, language)
          : inLanguage,
      ];
    }),
  );
  return known[language] as Words<W>;
}

export const useLanguage = (): Language => useSyncExternalStore(onLanguageChange, getLanguage);

/** The words of a feature in the language of the moment; follows a switch without reload. */
export function useWords<W extends Record<string, Text>>(words: W): Words<W> {
  const language = useLanguage();
  return useMemo(() => wordsIn(words, language), [words, language]);
}
