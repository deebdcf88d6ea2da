import * as z from 'zod/mini';

const RFC3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;
/** The end of the year 9999: what comes later has no RFC 3339 text. */
export const LAST_SECOND = 253_402_300_799;

/** Epoch seconds, whole ones, of RFC 3339 in any zone or of epoch seconds; null when it is no moment. */
function parseMoment(value: string | number): number | null {
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 0 && value <= LAST_SECOND ? value : null;
  const seconds = RFC3339.test(value) ? Math.floor(Date.parse(value.replace(' ', 'T')) / 1000) : Number.NaN;
  return seconds >= 0 && seconds <= LAST_SECOND ? seconds : null;
}

/** A moment in a body, RFC 3339 or epoch seconds; epoch seconds afterwards. */
export const moment = z.pipe(
  z
    .union([z.string(), z.number()], 'bad_rfc3339_timestamp')
    .check(z.refine((value) => parseMoment(value) !== null, 'bad_rfc3339_timestamp')),
  z.transform((value) => parseMoment(value) ?? 0),
);

/** Moments of rows in a backup. */
export const epochSecond = z.int().check(z.gte(0), z.lte(LAST_SECOND));
export const epochMs = z.int().check(z.gte(0), z.lt((LAST_SECOND + 1) * 1000));
