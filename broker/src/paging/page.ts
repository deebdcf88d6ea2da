import type { PageMeta } from '@mqdeck/contract/kit/page';
import { bySortValue, type SortValue, sorted } from './sort.ts';
import { Turn } from './turn.ts';

export interface PageQuery {
  page: number;
  limit: number;
}

interface Sorting<T> {
  by: string;
  order: 'asc' | 'desc';
  /** Called once per row. */
  valueIn: (row: T) => SortValue;
}

/** Rows that belong together; one whose length is known can be skipped as a whole. */
export type Slice<T> = Iterable<T> & { length?: number };

interface Sorted<T> {
  row: T;
  value: SortValue;
}

const PRUNE_ROWS = 2048; // beyond those of the page, before what is not on it is let go

interface Walk<T> {
  /** The rows to choose from, in slices short enough for one turn each. */
  rows: AsyncIterable<Slice<T>> | Iterable<Slice<T>>;
  matches: (row: T) => boolean;
  /** Whether all that match are counted, or the walk ends with the page. */
  counted: boolean;
  /** What the count is known to be without a walk to the end: every row matches. */
  total?: number | undefined;
  sorting?: Sorting<T> | undefined;
}

// Not an interface: answers of the contract are open to further keys, and only a type alias is.
export type PageOf<T> = {
  data: T[];
  meta: PageMeta;
};

/** One page of what a walk finds. The event loop gets a turn every few milliseconds, however long the list. */
export async function pageOf<T>(query: PageQuery, walk: Walk<T>): Promise<PageOf<T>> {
  return walk.sorting ? sortedPage(query, walk, walk.sorting) : walkedPage(query, walk);
}

/**
 * Turns rows into what the answer shows, each at the moment it is written: ten thousand rows made beforehand would
 * all be alive at once, and the garbage collector would stop everybody to copy them.
 */
export const presented = <T, R>({ data, meta }: PageOf<T>, present: (row: T) => R): PageOf<R> => ({
  data: data.map((row) => ({ toJSON: () => present(row) }) as R),
  meta,
});

/** A page of a list that is at hand. */
export function pageOfList<T>({ page, limit }: PageQuery, list: readonly T[]): PageOf<T> {
  const data = list.slice((page - 1) * limit, page * limit);
  return { data, meta: { page, limit, count: list.length, hasnext: page * limit < list.length } };
}

async function walkedPage<T>({ page, limit }: PageQuery, walk: Walk<T>): Promise<PageOf<T>> {
  const { rows, matches, counted, total } = walk;
  const first = (page - 1) * limit;
  const end = first + limit;
  const toTheEnd = counted && total === undefined;
  const data: T[] = [];
  const turn = new Turn();
  let found = 0;
  walking: for await (const slice of rows) {
    if (total !== undefined && slice.length !== undefined && found + slice.length <= first) {
      found += slice.length;
      continue;
    }
    for (const row of slice) {
      if (turn.over) await turn.next();
      if (!matches(row)) continue;
      if (found >= first && found < end) data.push(row);
      found++;
      if (!toTheEnd && found > end) break walking;
    }
  }
  const count = counted ? (total ?? found) : undefined;
  return {
    data,
    meta: { page, limit, ...(count !== undefined && { count }), hasnext: (count ?? found) > end },
  };
}

async function sortedPage<T>(
  { page, limit }: PageQuery,
  { rows, matches, counted }: Walk<T>,
  { by, order, valueIn }: Sorting<T>,
): Promise<PageOf<T>> {
  const turn = new Turn();
  const compareValues = bySortValue<SortValue>((value) => value, order);
  const compare = (a: Sorted<T>, b: Sorted<T>) => compareValues(a.value, b.value);
  const needed = page * limit;
  let best: Sorted<T>[] = [];
  let last: Sorted<T> | null = null; // behind it nothing can be on the page
  let found = 0;
  for await (const slice of rows) {
    for (const row of slice) {
      if (turn.over) await turn.next();
      if (!matches(row)) continue;
      found++;
      const value = valueIn(row);
      if (last !== null && compareValues(value, last.value) >= 0) continue;
      best.push({ row, value });
      if (best.length < 2 * needed + PRUNE_ROWS) continue;
      best = (await sorted(best, compare, turn)).slice(0, needed);
      last = best.at(-1) ?? null;
    }
  }
  best = await sorted(best, compare, turn);
  const data = best.slice(needed - limit, needed).map(({ row }) => row);
  const count = counted ? { count: found } : {};
  return { data, meta: { page, limit, ...count, hasnext: found > needed, sort: by, order } };
}
