import * as z from 'zod/mini';

const RFC3339 = /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d))$/;
export const NO_MOMENT = 'bad_rfc3339_timestamp';

/** Whether a text is a day of the calendar: 2028-02-29 is one, 2027-02-29 is not. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  // Engines count days that do not exist into the next month
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** Epoch milliseconds of an RFC 3339 text in any zone; NaN when it is no moment. */
export function parseRfc3339(text: string): number {
  const [, day = '', time] = RFC3339.exec(text) ?? [];
  return isDay(day) ? Date.parse(`${day}T${time}`.toUpperCase()) : Number.NaN;
}

/** The end of the year 9999: what comes later has no RFC 3339 text. */
export const LAST_SECOND = 253_402_300_799;

/** Epoch seconds, whole ones, of RFC 3339 in any zone or of epoch seconds; null when it is no moment. */
function parseMoment(value: string | number): number | null {
  if (typeof value === 'number')
    return Number.isInteger(value) && value >= 0 && value <= LAST_SECOND ? value : null;
  const seconds = Math.floor(parseRfc3339(value) / 1000);
  return seconds >= 0 && seconds <= LAST_SECOND ? seconds : null;
}

/** A moment in a body, RFC 3339 or epoch seconds; epoch seconds afterwards. */
export const moment = z.pipe(
  z
    .union([z.string(), z.number()], NO_MOMENT)
    .check(z.refine((value) => parseMoment(value) !== null, NO_MOMENT)),
  z.transform((value) => parseMoment(value) ?? 0),
);

/** Moments of rows in a backup. */
export const epochSecond = z.int().check(z.gte(0), z.lte(LAST_SECOND));
export const epochMs = z.int().check(z.gte(0), z.lt((LAST_SECOND + 1) * 1000));
