import * as z from 'zod/mini';
import { expected } from './faults.ts';
import { NO_MOMENT, parseRfc3339 } from './moment.ts';

/** Query values arrive as text and are given by programs as what they are; both are taken, neither is guessed at. */

/** A whole number in a query. `0x10`, `1e3` and `1.5` are refused. */
export const queryInt = ({ min, max }: { min?: number; max?: number } = {}) => {
  const range = expected(
    min === undefined && max === undefined ? 'integer()' : `${min ?? '-inf'}..${max ?? 'inf'}`,
  );
  const checks = [
    ...(min === undefined ? [] : [z.gte(min, range)]),
    ...(max === undefined ? [] : [z.lte(max, range)]),
  ];
  return z.pipe(
    z.union([z.number(), z.string().check(z.regex(/^-?\d{1,15}$/, range))], range),
    z.pipe(z.transform(Number), z.int(range).check(...checks)),
  );
};

const NO_BOOLEAN = 'Unable to parse boolean value';

/** `true` or `false`, nothing else. */
export const queryBool = z.pipe(
  z.union([z.boolean(), z.enum(['true', 'false'])], NO_BOOLEAN),
  z.transform((value) => value === true || value === 'true'),
);

/** A key that may be repeated: one value or several, always a list afterwards. */
export const queryList = z.pipe(
  z.union([z.array(z.string()), z.string()]),
  z.transform((value) => (Array.isArray(value) ? value : [value])),
);

/** Milliseconds of an RFC 3339 text or of epoch milliseconds; NaN when it is no moment. */
const epochMs = (value: string): number => (/^\d{1,15}$/.test(value) ? Number(value) : parseRfc3339(value));

/** A moment as RFC 3339 or epoch milliseconds; milliseconds afterwards. */
export const queryTime = z.pipe(
  z.union(
    [z.number(), z.string().check(z.refine((value) => !Number.isNaN(epochMs(value)), NO_MOMENT))],
    NO_MOMENT,
  ),
  z.transform((value) => (typeof value === 'number' ? value : epochMs(value))),
);
