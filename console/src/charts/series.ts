/** What charts and their summaries need to know of a row of samples. No sample is null, never zero. */

export type Values = readonly (number | null)[];

export interface TimeSeries {
  id: string;
  label: string;
  /** One value for each of the chart's times. */
  values: Values;
  /** Which of the six series colours of the theme. */
  color: 1 | 2 | 3 | 4 | 5 | 6;
  /** A faint area under the line. */
  area?: boolean | undefined;
  /** The id of the series that it is to be compared with: a thin broken line that comes and goes with that one. */
  beside?: string | undefined;
}

/** Something that held for a while, or still does, to be seen beside the figures: an alarm. */
export interface TimeMark {
  id: string;
  /** Epoch milliseconds. */
  from: number;
  /** Null: it holds still. */
  to: number | null;
  label: string;
}

/** Those that held at a time, give or take half a sample. */
export const marksAt = (marks: readonly TimeMark[], at: number, stepMs: number): TimeMark[] =>
  marks.filter(({ from, to }) => from - stepMs / 2 <= at && (to === null || at <= to + stepMs / 2));

/** Where marks hold within a range: times at which several do are one span, so that many weigh no more than one. */
export function spansOf(
  marks: readonly TimeMark[],
  [begin, end]: readonly [number, number],
): [from: number, to: number][] {
  const spans: [number, number][] = [];
  for (const { from, to } of [...marks].sort((a, b) => a.from - b.from)) {
    const [left, right] = [Math.max(from, begin), Math.min(to ?? end, end)];
    if (left > right) continue;
    const last = spans.at(-1);
    if (last && left <= last[1]) last[1] = Math.max(last[1], right);
    else spans.push([left, right]);
  }
  return spans;
}

/** The usual distance of two samples: the median, so that a pause does not stretch it. Zero of fewer than two. */
export function usualStep(times: readonly number[]): number {
  const steps = times.slice(1).map((time, i) => time - times[i]!);
  steps.sort((a, b) => a - b);
  return steps[steps.length >> 1] ?? 0;
}

/** A row without values where samples are missing, so that no line is drawn across. */
export function withGaps(
  times: readonly number[],
  columns: readonly Values[],
): { times: number[]; columns: (number | null)[][] } {
  const step = usualStep(times);
  const outTimes: number[] = [];
  const outColumns = columns.map((): (number | null)[] => []);
  times.forEach((time, i) => {
    const before = times[i - 1];
    if (before !== undefined && time - before > step * 1.5) {
      outTimes.push(before + step);
      for (const column of outColumns) column.push(null);
    }
    outTimes.push(time);
    columns.forEach((column, nr) => {
      outColumns[nr]!.push(column[i] ?? null);
    });
  });
  return { times: outTimes, columns: outColumns };
}

/** Samples with a gap on either side: a line alone would not show them. */
export function loneSamples(values: Values): number[] {
  const lone: number[] = [];
  values.forEach((value, i) => {
    if (value !== null && (values[i - 1] ?? null) === null && (values[i + 1] ?? null) === null) lone.push(i);
  });
  return lone;
}

export interface Summary {
  last: number;
  lastAt: number;
  lowest: number;
  highest: number;
  highestAt: number;
  mean: number;
}

/** Null when there is no sample between the two times. */
export function summaryOf(
  times: readonly number[],
  values: Values,
  [from, to]: readonly [number, number],
): Summary | null {
  let summary: Summary | null = null;
  let sum = 0;
  let count = 0;
  times.forEach((time, i) => {
    const value = values[i] ?? null;
    if (value === null || time < from || time > to) return;
    sum += value;
    count += 1;
    summary ??= { last: 0, lastAt: 0, lowest: value, highest: value, highestAt: time, mean: 0 };
    summary.last = value;
    summary.lastAt = time;
    summary.lowest = Math.min(summary.lowest, value);
    if (value > summary.highest) {
      summary.highest = value;
      summary.highestAt = time;
    }
    summary.mean = sum / count;
  });
  return summary;
}

const NICE = [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** The end of an axis from zero: a round number with a little air above the highest value. */
export function axisEnd(highest: number): number {
  if (!(highest > 0)) return 1;
  const wanted = highest * 1.05;
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * (NICE.find((nice) => nice * power >= wanted) ?? 10);
}

/** Moves labels apart that would lie on each other; `at` are their middles, from the top. */
export function spread(at: readonly number[], distance: number, top: number, bottom: number): number[] {
  const order = at.map((_, i) => i).sort((a, b) => at[a]! - at[b]!);
  const placed = [...at];
  let least = top;
  for (const i of order) {
    placed[i] = Math.max(placed[i]!, least);
    least = placed[i]! + distance;
  }
  let most = bottom;
  for (const i of order.reverse()) {
    placed[i] = Math.min(placed[i]!, most);
    most = placed[i]! - distance;
  }
  return placed;
}
