import type { StateChanges, StateValues } from './table-state.ts';

export const PAGE_SIZES = [20, 50, 100, 500] as const;
export const PAGE_SIZE_DEFAULT = 50;

/** What the operator asked of a list, as the URL says it. */
export interface ListState {
  page: number;
  limit: number;
  sort?: string;
  order: 'asc' | 'desc';
  /** Only filters that are set. */
  filters: Readonly<Record<string, string | readonly string[]>>;
}

export interface ListShape {
  filters: readonly string[];
  /** Names the server can sort by. */
  sorts: readonly string[];
  limit?: number;
}

const first = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

const wholeNumber = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;

/** A mangled URL gives defaults, never a broken page. */
export function readList(values: StateValues, { filters, sorts, limit }: ListShape): ListState {
  const asked = wholeNumber(first(values.limit));
  const sort = first(values.sort);
  const set = filters.flatMap((name) => {
    const value = values[name];
    return value === undefined || value.length === 0 ? [] : [[name, value] as const];
  });
  return {
    page: wholeNumber(first(values.page)) ?? 1,
    limit: PAGE_SIZES.find((size) => size === asked) ?? limit ?? PAGE_SIZE_DEFAULT,
    ...(sort !== undefined && sorts.includes(sort) ? { sort } : {}),
    order: first(values.order) === 'desc' ? 'desc' : 'asc',
    filters: Object.fromEntries(set),
  };
}

/** The query of the server's list. */
export const queryOf = ({ page, limit, sort, order, filters }: ListState): Record<string, unknown> => ({
  ...filters,
  page,
  limit,
  ...(sort === undefined ? {} : { sort, order }),
});

export const goTo = (page: number): StateChanges => ({ page: page === 1 ? undefined : String(page) });

export const resize = (limit: number, standard: number = PAGE_SIZE_DEFAULT): StateChanges => ({
  limit: limit === standard ? undefined : String(limit),
  page: undefined,
});

/** Ascending, descending, as the server likes it. */
export function sortBy(field: string, { sort, order }: ListState): StateChanges {
  if (sort !== field) return { sort: field, order: undefined, page: undefined };
  if (order === 'asc') return { sort: field, order: 'desc', page: undefined };
  return { sort: undefined, order: undefined, page: undefined };
}

/** A changed filter shows its first page. */
export const filterBy = (changes: StateChanges): StateChanges => ({ ...changes, page: undefined });

export const withoutFilters = (names: readonly string[]): StateChanges => ({
  ...Object.fromEntries(names.map((name) => [name, undefined])),
  page: undefined,
});
