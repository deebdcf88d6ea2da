import { parseDuration } from '@mqdeck/contract/kit/values';

const QUERY_MS = 5000;
const MOST_MS = 2 ** 31 - 1; // what a timer takes

/** Milliseconds of a duration of the configuration; 5 s where there is none. */
export const milliseconds = (duration: string | number | undefined): number =>
  Math.min(Math.max((duration === undefined ? null : parseDuration(duration)) ?? QUERY_MS, 1), MOST_MS);
