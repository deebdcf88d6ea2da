import { expect, test } from 'vitest';
import { fullnessOf } from './BarMeter.tsx';
import { sparkPieces } from './Sparkline.tsx';
import { axisEnd, loneSamples, marksAt, spansOf, spread, summaryOf, usualStep, withGaps } from './series.ts';
import { axisTimes } from './time-format.ts';

test('where samples are missing a row without values interrupts the line', () => {
  const { times, columns } = withGaps([0, 10, 20, 50, 60], [[1, 2, 3, 4, 5]]);
  expect(times).toEqual([0, 10, 20, 30, 50, 60]);
  expect(columns).toEqual([[1, 2, 3, null, 4, 5]]);
});

test('samples in even steps stay as they are, and a null stays a null', () => {
  const { times, columns } = withGaps([0, 10, 20], [[1, null, 0]]);
  expect(times).toEqual([0, 10, 20]);
  expect(columns).toEqual([[1, null, 0]]);
});

test('a pause does not change what counts as the usual step', () => {
  expect(usualStep([0, 10, 20, 5000, 5010])).toBe(10);
  expect(usualStep([7])).toBe(0);
});

test('a sample between two gaps is drawn as a point', () => {
  expect(loneSamples([1, null, 2, null, 3, 4])).toEqual([0, 2]);
});

test('a summary counts only what is in sight and is no zero', () => {
  const summary = summaryOf([0, 10, 20, 30], [100, 4, null, 8], [10, 30]);
  expect(summary).toEqual({ last: 8, lastAt: 30, lowest: 4, highest: 8, highestAt: 30, mean: 6 });
  expect(summaryOf([0, 10], [null, null], [0, 10])).toBeNull();
});

test('an axis ends at a round number above the highest value', () => {
  expect(axisEnd(0)).toBe(1);
  expect(axisEnd(97)).toBe(120);
  expect(axisEnd(1000)).toBe(1200);
  expect(axisEnd(0.9)).toBe(1);
});

test('labels that would cover each other move apart and stay inside', () => {
  expect(spread([50, 52], 14, 0, 100)).toEqual([50, 64]);
  expect(spread([98, 99], 14, 0, 100)).toEqual([86, 100]);
  expect(spread([10, 60], 14, 0, 100)).toEqual([10, 60]);
});

test('a sparkline is interrupted where there is no sample', () => {
  const pieces = sparkPieces([0, 1, null, 1, 0]);
  expect(pieces).toHaveLength(2);
  expect(pieces[0]).toBe('M0.00 22.50L25.00 1.50');
  expect(pieces[1]).toBe('M75.00 1.50L100.00 22.50');
  expect(sparkPieces([])).toEqual([]);
});

test('a day begins with its date on the axis, other marks are times', () => {
  const midnight = new Date(2026, 10, 21).getTime();
  const [first, second] = axisTimes([midnight, midnight + 3_600_000], 3_600_000, 'en');
  expect(first).toMatch(/21/);
  expect(second).toBe('01:00');
  expect(axisTimes([midnight + 5000], 5000, 'en')).toEqual(['00:00:05']);
});

test('marks of a plot of seconds, or of a part of one, are all different', () => {
  const begin = new Date(2026, 10, 21, 10, 20, 30).getTime();
  for (const stepMs of [1, 5, 20, 50, 200, 250, 500, 1000, 2000, 15_000, 60_000, 90_000, 300_000])
    for (const language of ['en', 'zh'] as const) {
      const said = axisTimes(
        Array.from({ length: 8 }, (_, i) => begin + i * stepMs),
        stepMs,
        language,
      );
      expect(new Set(said).size, `${stepMs} ms: ${said.join(' ')}`).toBe(8);
    }
  expect(axisTimes([begin, begin + 500], 500, 'en')).toEqual(['10:20:30.0', '10:20:30.5']);
});

test('alarms that overlap are one strip: they do not add up', () => {
  const mark = (from: number, to: number | null) => ({ id: `${from}`, from, to, label: '' });
  expect(spansOf([mark(30, null), mark(0, null), mark(10, 20)], [5, 100])).toEqual([[5, 100]]);
  expect(spansOf([mark(50, 60), mark(10, 20), mark(15, 30)], [0, 100])).toEqual([
    [10, 30],
    [50, 60],
  ]);
  expect(spansOf([mark(0, 4), mark(101, null)], [5, 100])).toEqual([]);
});

test('a meter says when little is left', () => {
  expect(fullnessOf(1, 10)).toBe('good');
  expect(fullnessOf(8, 10)).toBe('warn');
  expect(fullnessOf(95, 100)).toBe('bad');
  expect(fullnessOf(1, 0)).toBe('good');
});

test('a mark covers the samples nearest to its beginning and its end; one that still holds all after it', () => {
  const marks = [
    { id: 'a', from: 95, to: 118, label: 'a' },
    { id: 'b', from: 200, to: null, label: 'b' },
  ];
  const at = (time: number) => marksAt(marks, time, 10).map(({ id }) => id);
  expect([80, 90, 110, 120, 130].map(at)).toEqual([[], ['a'], ['a'], ['a'], []]);
  expect([190, 200, 9000].map(at)).toEqual([[], ['b'], ['b']]);
});
