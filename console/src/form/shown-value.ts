import type { Words } from '../i18n/words.ts';
import { visibleText } from '../ui/visible-text.ts';
import type { FormContextValue } from './form-context.ts';
import { blank } from './values.ts';
import type { words } from './words.ts';

const LONGEST = 120; // characters; more is no glance

/** What a field's value is called in a sentence: in the field's own words, or as short as it can be said. */
export function shownValue(
  { fields }: Pick<FormContextValue, 'fields'>,
  name: string,
  value: unknown,
  w: Words<typeof words>,
): string {
  const own = fields.get(name)?.show?.(value);
  return own ?? plain(value, w);
}

function plain(value: unknown, w: Words<typeof words>): string {
  if (blank(value)) return w.empty;
  if (typeof value === 'boolean') return value ? w.on : w.off;
  if (Array.isArray(value) && value.length === 0) return w.empty;
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return cut(value.join(', '));
  return cut(typeof value === 'object' ? JSON.stringify(value) : String(value));
}

const cut = (text: string): string =>
  visibleText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
