import type { Word } from './form-context.ts';

/** A choice of a select field. */
export interface Option {
  value: string | number | boolean;
  label?: Word | string | undefined;
}

/** Select controls know texts only: `true` and `false` go there and come back. */
export const toChoice = (value: unknown): string =>
  value === undefined || value === null ? '' : String(value);

/** The value behind a control's text, in the type its option has; no choice is an empty text. */
export function fromChoice(text: string, options: readonly Option[]): string | number | boolean {
  return options.find(({ value }) => toChoice(value) === text)?.value ?? text;
}

/** A list of plain values, of options, or of whatever an answer holds; anything else is no choice at all. */
export function choicesFrom(list: unknown, pick?: (item: unknown) => Option): Option[] {
  const items = Array.isArray(list) ? list : (list as { data?: unknown } | undefined)?.data;
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown): Option[] => {
    if (pick) return [pick(item)];
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
      return [{ value: item }];
    const { value, label, name, id } = (item ?? {}) as Record<string, unknown>;
    const key = value ?? id ?? name;
    if (typeof key !== 'string' && typeof key !== 'number' && typeof key !== 'boolean') return [];
    const text = label ?? name;
    return [{ value: key, ...(typeof text === 'string' || isWord(text) ? { label: text } : {}) }];
  });
}

const isWord = (value: unknown): value is Word =>
  typeof value === 'object' && value !== null && 'en' in value && 'zh' in value;
