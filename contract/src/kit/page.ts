import * as z from 'zod/mini';
import { json } from './endpoint.ts';
import { queryInt } from './query.ts';

/** `limit` of every paged list: 1 to 10000, 100 unless told. `page` counts from 1. */
const PAGE_LIMIT_MAX = 10_000;
const PAGE_LIMIT_DEFAULT = 100;

export const pageQueryFields = {
  page: z._default(queryInt({ min: 1 }), 1),
  limit: z._default(queryInt({ min: 1, max: PAGE_LIMIT_MAX }), PAGE_LIMIT_DEFAULT),
};

/**
 * Sorting, an extension: a broker that sorts says so by echoing `meta.sort`; one that knows no sorting ignores the keys.
 */
export const sortQueryFields = <const F extends readonly [string, ...string[]]>(fields: F) => ({
  sort: z.optional(z.enum(fields)),
  order: z._default(z.enum(['asc', 'desc']), 'asc'),
});

export const PageMeta = z.looseObject({
  page: z.number(),
  limit: z.number(),
  /** Absent where counting would mean reading everything (fuzzy filters): use `hasnext`. */
  count: z.optional(z.number()),
  hasnext: z.optional(z.boolean()),
  sort: z.optional(z.string()),
  order: z.optional(z.enum(['asc', 'desc'])),
});
export type PageMeta = z.infer<typeof PageMeta>;

export interface Page<T> {
  data: T[];
  meta: PageMeta;
}

/** The answer of a paged list. */
export const page = <S extends z.ZodMiniType>(item: S) =>
  json(z.looseObject({ data: z.array(item), meta: PageMeta }));
