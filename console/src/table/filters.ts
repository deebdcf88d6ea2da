import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import type { Word } from './columns.tsx';

/** Asks the broker; handed to loaders so that they are abortable. */
export type Ask = <E extends Endpoint>(endpoint: E, request: RequestOf<E>) => Promise<AnswerOf<E>>;

export interface Choice {
  value: string;
  label?: Word | string;
}

interface Base {
  /** The key in the query of the list. */
  field: string;
  label: Word;
  /** Always in the row; others come through "+ Filter". */
  pinned: boolean;
}

export interface TextFilter extends Base {
  kind: 'text';
  /** What may be entered, by example. */
  example?: string | undefined;
}
/** Several texts, separated by commas; found is what equals one of them. */
export interface ListFilter extends Base {
  kind: 'list';
  example?: string | undefined;
}
export interface ChoiceFilter extends Base {
  kind: 'choice';
  choices: readonly Choice[] | ((ask: Ask) => Promise<readonly Choice[]>);
}
export interface TimeFilter extends Base {
  kind: 'time';
}
export interface NumberFilter extends Base {
  kind: 'number';
}
export type Filter = TextFilter | ListFilter | ChoiceFilter | TimeFilter | NumberFilter;

interface FilterOptions {
  pinned?: boolean;
}

export const textFilter = (
  field: string,
  label: Word,
  { pinned = true, example }: FilterOptions & { example?: string } = {},
): TextFilter => ({
  kind: 'text',
  field,
  label,
  pinned,
  example,
});

export const listFilter = (
  field: string,
  label: Word,
  { pinned = false, example = 'a, b' }: FilterOptions & { example?: string } = {},
): ListFilter => ({ kind: 'list', field, label, pinned, example });

/** The texts of `a, b`; a comma or space that belongs to a text has a backslash before it. */
export const splitList = (text: string): string[] =>
  (text.match(/(?:\\[, ]|[^,])+/g) ?? [])
    .map((part) => {
      const chars = part.match(/\\[, ]|./gsu) ?? [];
      const first = chars.findIndex((char) => char !== ' ');
      const last = chars.findLastIndex((char) => char !== ' ');
      return chars
        .slice(Math.max(first, 0), last + 1)
        .map((char) => (char.length === 2 && char.startsWith('\\') ? char.slice(1) : char))
        .join('');
    })
    .filter((part) => part !== '');

export const joinList = (texts: readonly string[]): string =>
  texts.map((text) => text.replace(/,|^ | $/g, '\\$&')).join(', ');

export const choiceFilter = (
  field: string,
  label: Word,
  choices: readonly (Choice | string)[] | ((ask: Ask) => Promise<readonly Choice[]>),
  { pinned = false }: FilterOptions = {},
): ChoiceFilter => ({
  kind: 'choice',
  field,
  label,
  choices:
    typeof choices === 'function'
      ? choices
      : choices.map((one) => (typeof one === 'string' ? { value: one } : one)),
  pinned,
});

/** A moment, sent as RFC 3339; shown and entered in the operator's zone. */
export const timeFilter = (
  field: string,
  label: Word,
  { pinned = false }: FilterOptions = {},
): TimeFilter => ({
  kind: 'time',
  field,
  label,
  pinned,
});

/** Numbers of the list's own unit. @public */
export const numberFilter = (
  field: string,
  label: Word,
  { pinned = false }: FilterOptions = {},
): NumberFilter => ({ kind: 'number', field, label, pinned });

/** RFC 3339 in UTC of what a `datetime-local` control holds; undefined where it holds nothing whole. */
export function momentOf(local: string): string | undefined {
  const date = new Date(local);
  return local === '' || Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** What a `datetime-local` control shows for a moment of the URL; empty where it is none. */
export function localOf(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return '';
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, local.getUTCSeconds() === 0 ? 16 : 19);
}
