import { DASHBOARD_RANGES, HISTORY_SECONDS, SAMPLE_SECONDS, type Sample } from '@mqdeck/contract/monitor';
import { usualStep } from '../../charts/series.ts';

/** Samples of `/monitor` as rows of figures. What is missing stays null: nothing here turns into zero. */

type Figure = number | null;
const LEVELS = ['connections', 'live_connections', 'subscriptions', 'topics'] as const;
const AMOUNTS = ['received', 'sent', 'dropped'] as const;
type Level = (typeof LEVELS)[number];
type Amount = (typeof AMOUNTS)[number];
export type Row = Level | Amount;

export interface History {
  stepMs: number;
  /** Epoch milliseconds, in order. */
  times: number[];
  /** Levels as they were, amounts as rates a second. */
  rows: Record<Row, Figure[]>;
}

const SAMPLE_MS = SAMPLE_SECONDS * 1000;

/** The API writes -1, or nothing at all, where there is no sample. */
const known = (value: number | undefined): Figure => (value === undefined || value < 0 ? null : value);

/** Messages dropped are those that the broker itself calls so, and all that were lost elsewhere. */
function amountOf(sample: Sample, amount: Amount): Figure {
  const count = known(sample[amount]);
  return count === null || amount !== 'dropped' ? count : count + (known(sample.dropped_elsewhere) ?? 0);
}

const stepOf = (samples: readonly Sample[]): number =>
  usualStep(samples.map(({ time_stamp }) => time_stamp)) || SAMPLE_MS;

export function historyOf(samples: readonly Sample[]): History {
  const inOrder = [...samples].sort((a, b) => a.time_stamp - b.time_stamp);
  const stepMs = stepOf(inOrder);
  const empty = (sample: Sample | undefined) =>
    !sample || AMOUNTS.every((amount) => amountOf(sample, amount) === null);
  // A merged interval at the edge of what is known holds less than its whole: its sum would look like a fall.
  const partial = (i: number) => stepMs > SAMPLE_MS && (empty(inOrder[i - 1]) || empty(inOrder[i + 1]));
  const row = (read: (sample: Sample, i: number) => Figure) => inOrder.map(read);
  return {
    stepMs,
    times: inOrder.map(({ time_stamp }) => time_stamp),
    rows: Object.fromEntries([
      ...LEVELS.map((level) => [level, row((sample) => known(sample[level]))]),
      ...AMOUNTS.map((amount) => [
        amount,
        row((sample, i) => {
          const count = partial(i) ? null : amountOf(sample, amount);
          return count === null ? null : count / (stepMs / 1000);
        }),
      ]),
    ]) as Record<Row, Figure[]>,
  };
}

/**
 * Puts the newest samples behind those known. They may come in finer steps than the rest: then they are gathered into
 * intervals of its length, and only those that they cover whole are replaced.
 */
export function withTail(samples: readonly Sample[], tail: readonly Sample[], keepMs: number): Sample[] {
  const covered = tail.slice(1); // the first one may lie half before the time asked for
  if (covered.length === 0) return [...samples];
  const stepMs = stepOf(samples);
  const newest = samples.length > 1 && stepOf(tail) < stepMs ? gathered(covered, stepMs) : covered;
  const from = newest[0]?.time_stamp ?? Number.POSITIVE_INFINITY;
  const all = [...samples.filter(({ time_stamp }) => time_stamp < from), ...newest];
  const last = all.at(-1)!.time_stamp;
  return all.filter(({ time_stamp }) => time_stamp > last - keepMs);
}

function gathered(samples: readonly Sample[], stepMs: number): Sample[] {
  const intervals = new Map<number, Sample>();
  const begin = samples[0]!.time_stamp;
  for (const sample of samples) {
    const at = Math.floor(sample.time_stamp / stepMs) * stepMs;
    if (at < begin) continue; // its beginning is not among these samples
    const interval = intervals.get(at) ?? { time_stamp: at };
    intervals.set(at, interval);
    for (const level of LEVELS) {
      const value = known(sample[level]);
      if (value !== null) interval[level] = Math.max(value, interval[level] ?? 0);
    }
    for (const amount of AMOUNTS) {
      const value = amountOf(sample, amount);
      if (value !== null) interval[amount] = value + (interval[amount] ?? 0);
    }
  }
  return [...intervals.values()];
}

export type RangeName = keyof typeof DASHBOARD_RANGES;
export const RANGE_NAMES = Object.keys(DASHBOARD_RANGES) as RangeName[];

/** The smallest range that reaches back to a moment. */
export const rangeReaching = (at: number, now: number): RangeName =>
  RANGE_NAMES.find((name) => now - at <= DASHBOARD_RANGES[name] * 1000) ?? '7d';

/** Less than this has hardly a sample. */
const LEAST_RANGE_MS = 60_000;
/** All that is kept may be asked for, though somebody needs a while to type. */
const TYPING_MS = 3_600_000;
export type RangeField = 'from' | 'to';
type RangeFault = 'rangeIncomplete' | 'rangeShort' | 'rangeOld' | 'rangeFuture';

/** Why a typed range cannot be shown, and which of its ends is to be changed. A moment that is none is NaN. */
export function rangeFault(begin: number, end: number, now: number): [RangeField, RangeFault] | null {
  if (Number.isNaN(begin)) return ['from', 'rangeIncomplete'];
  if (Number.isNaN(end)) return ['to', 'rangeIncomplete'];
  if (begin < now - HISTORY_SECONDS * 1000 - TYPING_MS) return ['from', 'rangeOld'];
  if (begin > now) return ['from', 'rangeFuture'];
  return end - begin < LEAST_RANGE_MS ? ['to', 'rangeShort'] : null;
}

/** How far back an answer may go: the ranges, and twice some of them for the period before. */
const REACHES = [...Object.values(DASHBOARD_RANGES), 2 * 3600, 2 * 86_400, 6 * 86_400].sort((a, b) => a - b);

/** What to ask for: as little as reaches back to where the charts begin, or to the period before. */
export function secondsToAsk(
  range: RangeName,
  zoom: readonly [number, number] | null,
  compare: boolean,
  now: number,
): number {
  const chosen = DASHBOARD_RANGES[range];
  if (zoom === null && !compare) return chosen;
  const [from, to] = zoom ?? [now - chosen * 1000, now];
  const back = (now - (compare ? from - (to - from) : from)) / 1000;
  return REACHES.find((seconds) => seconds >= back) ?? HISTORY_SECONDS;
}

/** Whether samples of the period before are kept so long. */
export const hasBefore = ([from, to]: readonly [number, number], now: number): boolean =>
  from - (to - from) >= now - HISTORY_SECONDS * 1000;

/** A row as it was so long before, at the times of now. */
export function rowBefore({ times, rows, stepMs }: History, row: Row, byMs: number): Figure[] {
  let i = 0;
  return times.map((time) => {
    const wanted = time - byMs;
    while (i < times.length - 1 && times[i]! < wanted - stepMs / 2) i++;
    return Math.abs(times[i]! - wanted) <= stepMs / 2 ? rows[row][i]! : null;
  });
}

/** Whether anything is known of the period before, at any time within a range. */
export const isBeforeKnown = (
  history: History,
  rows: readonly Row[],
  [from, to]: readonly [number, number],
): boolean =>
  rows.some((row) =>
    rowBefore(history, row, to - from).some(
      (value, i) => value !== null && history.times[i]! >= from && history.times[i]! <= to,
    ),
  );

const HOUR_MS = 3_600_000;
/** Less than this of the hour before says nothing about it. */
const LEAST_COMPARED_MS = 10 * 60_000;

export interface HourFigures {
  /** The last hour, for a sparkline. */
  line: Figure[];
  /** Mean of the last hour, and of the one before; null where too little is known. */
  mean: Figure;
  before: Figure;
}

/** The last hour and the one before it. */
export function hoursOf(history: History, row: Row): HourFigures {
  const until = history.times.at(-1) ?? 0;
  const between = (from: number, to: number) =>
    history.rows[row].filter((_, i) => history.times[i]! > from && history.times[i]! <= to);
  const mean = (figures: Figure[]) => {
    const found = figures.filter((figure) => figure !== null);
    if (found.length * history.stepMs < LEAST_COMPARED_MS) return null;
    return found.reduce((sum, figure) => sum + figure, 0) / found.length;
  };
  const line = between(until - HOUR_MS, until);
  return { line, mean: mean(line), before: mean(between(until - 2 * HOUR_MS, until - HOUR_MS)) };
}

/** By which share something grew; null where a share says nothing, 0 where it moved by less than half a percent. */
export function changeOf(mean: Figure, before: Figure): number | null {
  if (mean === null || before === null) return null;
  if (before === 0) return mean === 0 ? 0 : null;
  const share = (mean - before) / before;
  return Math.abs(share) < 0.005 ? 0 : share;
}
