import type { PageMeta } from '@mqdeck/contract/kit/page';

/** What a pager can say: all of it where the server counted, else only whether there is more. */
export type Pager =
  | { kind: 'counted'; page: number; last: number; count: number; from: number; to: number }
  | { kind: 'open'; page: number; hasNext: boolean; from: number; to: number };

/** Trusts what was asked for page and limit; some answers leave them out. */
export function pagerOf(
  meta: Partial<PageMeta> | undefined,
  asked: { page: number; limit: number },
  rows: number,
): Pager {
  const start = (asked.page - 1) * asked.limit;
  const span = { page: asked.page, from: rows === 0 ? 0 : start + 1, to: rows === 0 ? 0 : start + rows };
  const count = meta?.count;
  // Peers write -1 for "not counted".
  if (count !== undefined && count >= 0)
    return { kind: 'counted', ...span, count, last: Math.max(1, Math.ceil(count / asked.limit)) };
  return { kind: 'open', ...span, hasNext: meta?.hasnext ?? rows === asked.limit };
}

/** First, last and the neighbours of the current page; a gap hides at least two pages. */
export function pageButtons(current: number, last: number): (number | 'gap')[] {
  const shown = new Set([1, last, current - 1, current, current + 1]);
  if (current <= 3) for (const page of [2, 3, 4]) shown.add(page);
  if (current >= last - 2) for (const page of [last - 1, last - 2, last - 3]) shown.add(page);
  const pages = [...shown].filter((page) => page >= 1 && page <= last).sort((a, b) => a - b);
  return pages.flatMap((page, i) => {
    const before = pages[i - 1] ?? page - 1;
    if (page - before === 2) return [before + 1, page];
    return page - before > 2 ? ['gap' as const, page] : [page];
  });
}

/** Where to go when a page turned out empty (its last row was deleted), or null to stay. */
export function pageInstead(
  meta: Partial<PageMeta> | undefined,
  asked: { page: number; limit: number },
  rows: number,
): number | null {
  if (rows > 0 || asked.page <= 1) return null;
  const count = meta?.count;
  if (count !== undefined && count >= 0)
    return Math.min(asked.page - 1, Math.max(1, Math.ceil(count / asked.limit)));
  return asked.page - 1;
}
