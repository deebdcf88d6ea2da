import type { DeliveryCheck } from '@mqdeck/contract/delivery';
import type { Language } from '../../i18n/language.ts';
import { wordsIn } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { checkWords } from './check-words.ts';

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d/;
type Fill = (values: Record<string, string | number>) => string;

const lookUp = (key: string, language: Language): unknown => {
  const all: Readonly<Record<string, unknown>> = wordsIn(checkWords, language);
  return Object.hasOwn(all, key) ? all[key] : undefined;
};

/** What was looked at. A newer broker may look at more. */
export function nameOf(id: string, language: Language): string {
  const name = lookUp(id, language);
  return typeof name === 'string' ? name : id;
}

function sourceText(source: string, language: Language): string {
  const known = lookUp(`source.${source}`, language);
  return typeof known === 'string' ? known : visibleText(source);
}

/** What was found, in words. */
export function sentenceOf({ id, found, facts }: DeliveryCheck, language: Language): string {
  const sentence = lookUp(`${id}.${found}`, language);
  if (typeof sentence === 'string') return sentence;
  if (typeof sentence !== 'function') return found;
  const shown = Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name,
      typeof value === 'number'
        ? value
        : typeof value === 'string' && MOMENT.test(value)
          ? formatTime(value, language)
          : name === 'source'
            ? sourceText(String(value), language)
            : visibleText(String(value)),
    ]),
  );
  return (sentence as Fill)(shown).trim();
}
