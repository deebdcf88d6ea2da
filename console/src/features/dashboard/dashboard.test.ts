import type { Sample } from '@mqdeck/contract/monitor';
import { describe, expect, test } from 'vitest';
import {
  changeOf,
  hasBefore,
  historyOf,
  hoursOf,
  isBeforeKnown,
  rangeFault,
  rangeReaching,
  rowBefore,
  secondsToAsk,
  withTail,
} from './history.ts';
import { memoryBytes } from './memory.ts';
import { countersOf, formatCount, GROUPS, groupOf, inTwo, seenOf } from './metric-list.ts';
import { metricWords } from './metric-words.ts';
import { parseZoom } from './use-chart-range.ts';

const sample = (time_stamp: number, received?: number, connections = 1): Sample =>
  received === undefined
    ? { time_stamp }
    : { time_stamp, received, sent: 0, dropped: 0, connections, subscriptions: 0, topics: 0 };

/** A sample every so often, each with the same number of messages. */
const series = (from: number, count: number, stepMs: number, received: number): Sample[] =>
  Array.from({ length: count }, (_, i) => sample(from + i * stepMs, received, i));

describe('the history of /monitor', () => {
  test('counts of an interval become rates a second', () => {
    const { rows, stepMs } = historyOf(series(0, 4, 10_000, 250));
    expect(stepMs).toBe(10_000);
    expect(rows.received).toEqual([25, 25, 25, 25]);
  });

  test('a row without values and a value of -1 are gaps, never zero', () => {
    const rows = [sample(0, 10), sample(10_000), sample(20_000, -1, -1), sample(30_000, 0)];
    const history = historyOf(rows);
    expect(history.rows.received).toEqual([1, null, null, 0]);
    expect(history.rows.connections).toEqual([1, null, null, 1]);
    expect(history.rows.live_connections).toEqual([null, null, null, null]);
  });

  test('merged intervals at the edge of what is known show no rate, but their level', () => {
    const minutes = [...series(0, 3, 60_000, 600), sample(180_000), ...series(240_000, 3, 60_000, 600)];
    const { rows } = historyOf(minutes);
    expect(rows.received).toEqual([null, 10, null, null, null, 10, null]);
    expect(rows.connections).toEqual([0, 1, 2, null, 0, 1, 2]);
  });

  test('the newest samples replace what they cover and push out what is too old', () => {
    const known = series(0, 6, 10_000, 10);
    const tail = [sample(40_000), sample(50_000, 20), sample(60_000, 30)];
    const all = withTail(known, tail, 50_000);
    expect(all.map(({ time_stamp }) => time_stamp)).toEqual([20_000, 30_000, 40_000, 50_000, 60_000]);
    // The first one of the tail may be half outside of what was asked for.
    expect(all.map(({ received }) => received)).toEqual([10, 10, 10, 20, 30]);
  });

  test('finer samples are gathered into the intervals on screen: amounts add up, levels keep their highest', () => {
    const known = series(0, 3, 60_000, 600);
    const tail = series(100_000, 9, 10_000, 50);
    const all = withTail(known, tail, 3_600_000);
    expect(all.map(({ time_stamp }) => time_stamp)).toEqual([0, 60_000, 120_000, 180_000]);
    expect(all[1]?.received).toBe(600);
    expect(all[2]).toMatchObject({ received: 300, connections: 7 });
    expect(all[3]).toMatchObject({ received: 50, connections: 8 });
  });

  test('what was lost on the way to a subscriber is dropped too, also where samples are gathered', () => {
    const lossy = (time_stamp: number) => ({ ...sample(time_stamp, 0), dropped: 10, dropped_elsewhere: 20 });
    expect(historyOf([lossy(0), sample(10_000, 0)]).rows.dropped).toEqual([3, 0]);
    const all = withTail(series(0, 2, 60_000, 1), [40_000, 50_000, 60_000, 70_000].map(lossy), 3_600_000);
    expect(all[1]).toMatchObject({ time_stamp: 60_000, dropped: 60 });
  });

  test('an answer without news changes nothing', () => {
    const known = series(0, 3, 10_000, 1);
    expect(withTail(known, [], 60_000)).toEqual(known);
  });

  test('a zoom into the recent past asks for finer samples, one into the past for as many as reach it', () => {
    const now = 10_000_000_000;
    const zoom = (back: number) => [now - back, now - back / 2] as const;
    expect(secondsToAsk('7d', null, false, now)).toBe(604_800);
    expect(secondsToAsk('7d', zoom(1_800_000), false, now)).toBe(3600);
    expect(secondsToAsk('7d', zoom(2 * 86_400_000), false, now)).toBe(2 * 86_400);
    expect(secondsToAsk('1h', zoom(86_400_000), false, now)).toBe(86_400);
  });

  test('to compare, the period before is asked for too, as far as samples are kept', () => {
    const now = 10_000_000_000;
    const day = 86_400_000;
    expect(secondsToAsk('1h', null, true, now)).toBe(7200);
    expect(secondsToAsk('7d', null, true, now)).toBe(604_800);
    expect(secondsToAsk('1h', [now - 2 * day, now - day], true, now)).toBe(3 * 86_400);
    expect(hasBefore([now - 3 * day, now], now)).toBe(true);
    expect(hasBefore([now - 4 * day, now], now)).toBe(false);
  });

  test('a row of the period before stands at the times of now, with gaps where nothing is known', () => {
    const history = historyOf([...series(0, 3, 10_000, 10), ...series(30_000, 3, 10_000, 90)]);
    expect(rowBefore(history, 'received', 30_000)).toEqual([null, null, null, 1, 1, 1]);
    expect(rowBefore(history, 'received', 34_000)).toEqual([null, null, null, 1, 1, 1]);
    expect(rowBefore(historyOf([]), 'received', 30_000)).toEqual([]);
  });

  test('a period before of which nothing is known within the range is told from one that was quiet', () => {
    const young = historyOf(series(100_000, 6, 10_000, 10));
    expect(isBeforeKnown(young, ['received', 'topics'], [90_000, 150_000])).toBe(false);
    const quiet = historyOf(series(0, 16, 10_000, 0));
    expect(isBeforeKnown(quiet, ['received'], [90_000, 150_000])).toBe(true);
    // What is known is of another time
    expect(isBeforeKnown(quiet, ['received'], [0, 46_000])).toBe(false);
  });

  test('of a typed range it is said which of its ends cannot be, and why', () => {
    const [day, now] = [86_400_000, 1_000 * 86_400_000];
    expect(rangeFault(now - day, now, now)).toBeNull();
    expect(rangeFault(now - 7 * day, now, now)).toBeNull();
    expect(rangeFault(now - 8 * day, now, now)).toEqual(['from', 'rangeOld']);
    expect(rangeFault(now + 1, now + day, now)).toEqual(['from', 'rangeFuture']);
    expect(rangeFault(now - day, now - 2 * day, now)).toEqual(['to', 'rangeShort']);
    expect(rangeFault(Number.NaN, now, now)).toEqual(['from', 'rangeIncomplete']);
    expect(rangeFault(now - day, Number.NaN, now)).toEqual(['to', 'rangeIncomplete']);
  });

  test('a typed range chooses the smallest one that reaches its beginning', () => {
    const now = 10_000_000_000;
    expect(rangeReaching(now - 3_600_000, now)).toBe('1h');
    expect(rangeReaching(now - 3_600_001, now)).toBe('6h');
    expect(rangeReaching(now - 30 * 86_400_000, now)).toBe('7d');
  });
});

describe('the change against the hour before', () => {
  const minutes = (received: (minute: number) => number) =>
    historyOf(Array.from({ length: 121 }, (_, i) => sample(i * 60_000, received(i) * 60)));

  test('is the mean of the last hour over that of the one before', () => {
    const { mean, before, line } = hoursOf(
      minutes((minute) => (minute > 60 ? 15 : 10)),
      'received',
    );
    expect([mean, before]).toEqual([15, 10]);
    expect(line).toHaveLength(60);
    expect(changeOf(mean, before)).toBeCloseTo(0.5);
  });

  test('is unknown while too little of the hour before is known', () => {
    const young = historyOf(series(0, 65, 60_000, 60));
    expect(hoursOf(young, 'received').before).toBeNull();
    expect(changeOf(1, null)).toBeNull();
  });

  test('has no share of nothing, and a hair is no change', () => {
    expect(changeOf(5, 0)).toBeNull();
    expect(changeOf(0, 0)).toBe(0);
    expect(changeOf(100.1, 100)).toBe(0);
    expect(changeOf(0, 10)).toBe(-1);
  });
});

describe('metrics', () => {
  test('every counter has an explanation in both languages, and belongs to a group', () => {
    const keys = Object.keys(metricWords);
    expect(keys).toHaveLength(99);
    for (const key of keys) {
      expect(metricWords[key]?.en).toMatch(/^[A-Z]/);
      expect(metricWords[key]?.zh).toMatch(/[\u4e00-\u9fff]/);
      expect(GROUPS).toContain(groupOf(key));
    }
  });

  test('counters are grouped by what they are about, and none is lost', () => {
    expect(groupOf('client.connected')).toBe('client');
    expect(groupOf('client.authenticate')).toBe('authorization');
    expect(groupOf('client.auth.anonymous')).toBe('authorization');
    expect(groupOf('authorization.allow')).toBe('authorization');
    expect(groupOf('authentication.success')).toBe('other');
    expect(groupOf('overload_protection.gc')).toBe('other');
    expect(groupOf('something.new')).toBe('other');
  });

  test('a rate is the growth since the first reading; a counter that began anew counts from zero', () => {
    const since = { at: 0, values: { node: 'a', up: 100, reset: 90 } };
    const now = { at: 10_000, values: { node: 'a', up: 150, reset: 20, fresh: 4 } };
    expect(countersOf(now, since)).toEqual([
      { key: 'fresh', value: 4, rate: null },
      { key: 'reset', value: 20, rate: 2 },
      { key: 'up', value: 150, rate: 5 },
    ]);
    expect(countersOf(now, undefined)[2]).toEqual({ key: 'up', value: 150, rate: null });
  });

  test('search looks into names and explanations; zeros can be left out; values sort as numbers', () => {
    const counters = countersOf({ at: 0, values: { 'a.x': 9, 'b.y': 100, 'c.z': 0 } }, undefined);
    const explain = (key: string) => (key === 'c.z' ? 'Bytes in' : '');
    const view = { text: '', nonZero: false, by: 'key', descending: false } as const;
    const keys = (change: object) => seenOf(counters, { ...view, ...change }, explain).map(({ key }) => key);
    expect(keys({})).toEqual(['a.x', 'b.y', 'c.z']);
    expect(keys({ text: 'BYTES' })).toEqual(['c.z']);
    expect(keys({ nonZero: true })).toEqual(['a.x', 'b.y']);
    expect(keys({ by: 'value', descending: true })).toEqual(['b.y', 'a.x', 'c.z']);
  });

  test('a count beyond 2^53 is not shown as if it were exact', () => {
    expect(formatCount(1_204, 'en')).toBe('1,204');
    expect(formatCount(2 ** 53 + 2, 'en')).toBe('≈ 9,007,199,254,740,994');
    expect(formatCount('9007199254740993', 'en')).toBe('9,007,199,254,740,993');
  });

  test('groups stand in two stacks of about the same height', () => {
    const rows = { messages: 21, delivery: 6, packets: 40, bytes: 2, client: 6 } as Record<string, number>;
    const stacks = inTwo(['messages', 'delivery', 'packets', 'bytes', 'client'], (group) => rows[group] ?? 0);
    expect(stacks).toEqual([
      ['messages', 'bytes', 'client'],
      ['delivery', 'packets'],
    ]);
    expect(inTwo(['bytes'], () => 2)).toEqual([['bytes']]);
  });
});

test('memory is read as nodes write it', () => {
  expect(memoryBytes('1.5G')).toBe(1.5 * 1024 ** 3);
  expect(memoryBytes('512M')).toBe(512 * 1024 ** 2);
  expect(memoryBytes(1024)).toBe(1024);
  expect(memoryBytes('n/a')).toBeNull();
  expect(memoryBytes(undefined)).toBeNull();
});

test('a zoom in the address is two moments, the first one first', () => {
  expect(parseZoom('1795228200-1795228500')).toEqual([1_795_228_200_000, 1_795_228_500_000]);
  expect(parseZoom('1795228500-1795228200')).toBeNull();
  expect(parseZoom('x')).toBeNull();
  expect(parseZoom(undefined)).toBeNull();
});
