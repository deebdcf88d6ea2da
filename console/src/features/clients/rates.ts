/** What a counter did between two readings; null where it began anew, as after a reconnect. */
export function rateBetween(
  before: { count: number; at: number } | undefined,
  count: number,
  at: number,
): number | null {
  if (before === undefined || at <= before.at || count < before.count) return null;
  return ((count - before.count) * 1000) / (at - before.at);
}

export const RATE_FIELDS = ['recv_msg', 'send_msg', 'recv_oct', 'send_oct', 'recv_pkt', 'send_pkt'] as const;
export type RateField = (typeof RATE_FIELDS)[number];
export type Counters = { [F in RateField]?: number | undefined };

/** Five minutes of polls. */
const KEPT_MAX = 60;

export interface Reading {
  at: number;
  counters: Counters;
  rates: { [F in RateField]: number | null };
}

/** Appends a reading; the same answer read twice is one reading. */
export function withReading(
  readings: readonly Reading[],
  counters: Counters,
  at: number,
): readonly Reading[] {
  const last = readings.at(-1);
  if (last !== undefined && at <= last.at) return readings;
  const rates = Object.fromEntries(
    RATE_FIELDS.map((field) => {
      const now = counters[field];
      const before = last?.counters[field];
      const known = now !== undefined && before !== undefined && last !== undefined;
      return [field, known ? rateBetween({ count: before, at: last.at }, now, at) : null];
    }),
  ) as Reading['rates'];
  return [...readings, { at, counters, rates }].slice(-KEPT_MAX);
}
