import type { Column } from './columns.tsx';
import type { ListState } from './list-state.ts';

/** Filters, sorts and cuts a list that is here whole. */

const textOf = (value: unknown): string =>
  value === null || value === undefined
    ? ''
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

/** The one text filter of a local list: any column holds the text, upper and lower case alike. */
export const SEARCH = 'q';

export function matching<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  filters: ListState['filters'],
): readonly Row[] {
  const entries = Object.entries(filters).map(
    ([field, value]) => [field, typeof value === 'string' ? value : (value[0] ?? '')] as const,
  );
  if (entries.length === 0) return rows;
  return rows.filter((row) =>
    entries.every(([field, wanted]) => {
      if (field === SEARCH) {
        const part = wanted.toLowerCase();
        return columns.some(({ value }) => textOf(value(row)).toLowerCase().includes(part));
      }
      const column = columns.find(({ id }) => id === field);
      const value = column ? column.value(row) : (row as Record<string, unknown>)[field];
      return textOf(value) === wanted;
    }),
  );
}

/** Numbers as numbers, texts as people sort them (`node-2` before `node-10`), nothing last either way. */
export function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { sort, order }: Pick<ListState, 'sort' | 'order'>,
): readonly Row[] {
  const column = sort === undefined ? undefined : columns.find((one) => one.sort === sort);
  if (!column) return rows;
  const collator = new Intl.Collator(undefined, { numeric: true });
  const sign = order === 'asc' ? 1 : -1;
  const nothing = (value: unknown) => value === null || value === undefined || value === '';
  return [...rows].sort((rowA, rowB) => {
    const a = column.value(rowA);
    const b = column.value(rowB);
    if (nothing(a) || nothing(b)) return Number(nothing(a)) - Number(nothing(b));
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * collator.compare(textOf(a), textOf(b));
  });
}
