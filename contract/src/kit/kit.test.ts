import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { api } from '../api.ts';
import { errorCodes } from '../error-codes.ts';
import { type Endpoint, pathOf } from './endpoint.ts';
import { expected, faultsOf } from './faults.ts';
import { isDay, moment } from './moment.ts';
import { pageQueryFields } from './page.ts';
import { queryBool, queryInt, queryList, queryTime } from './query.ts';
import {
  byteSize,
  duration,
  flag,
  intBetween,
  parseBytes,
  parseDuration,
  percent,
  splitBytes,
  splitDuration,
  text,
} from './values.ts';

const takes = (schema: z.ZodMiniType, value: unknown): boolean => z.safeParse(schema, value).success;

describe('durations', () => {
  test('are read with every unit, combined and bare', () => {
    const cases: [string | number, number | null][] = [
      ['1500ms', 1500],
      ['90s', 90_000],
      ['10m', 600_000],
      ['1h30m', 5_400_000],
      ['1d', 86_400_000],
      ['1w', 604_800_000],
      ['100', 100],
      [100, 100],
      ['0s', 0],
      ['1 s', null],
      ['soon', null],
      ['', null],
      ['-1s', null],
      ['1.5s', null],
      [-1, null],
      [1.5, null],
    ];
    for (const [value, ms] of cases) expect(parseDuration(value), String(value)).toBe(ms);
  });

  test('are split into the largest unit that divides them, and back', () => {
    expect(splitDuration(90_000)).toEqual({ amount: 90, unit: 's' });
    expect(splitDuration(3_600_000)).toEqual({ amount: 1, unit: 'h' });
    expect(splitDuration(0)).toEqual({ amount: 0, unit: 's' });
    for (const ms of [1, 999, 1000, 61_000, 7_200_000]) {
      const { amount, unit } = splitDuration(ms);
      expect(parseDuration(`${amount}${unit}`)).toBe(ms);
    }
  });

  test('the schema keeps them as they were written', () => {
    expect(z.parse(duration, '1h30m')).toBe('1h30m');
    expect(takes(duration, 'soon')).toBe(false);
  });
});

describe('sizes and shares', () => {
  test('sizes are whole numbers of KB, MB, GB in either case, or bytes', () => {
    const cases: [string | number, number | null][] = [
      ['1MB', 1_048_576],
      ['512kb', 524_288],
      ['2Gb', 2_147_483_648],
      ['7', 7],
      [7, 7],
      ['1.5MB', null],
      ['1B', null],
      ['1TB', null],
      ['MB', null],
      [-1, null],
    ];
    for (const [value, bytes] of cases) expect(parseBytes(value), String(value)).toBe(bytes);
    expect(splitBytes(1_048_576)).toEqual({ amount: 1, unit: 'MB' });
    expect(splitBytes(1_048_576 + 1024)).toEqual({ amount: 1025, unit: 'KB' });
    expect(takes(byteSize, '1TB')).toBe(false);
  });

  test('a share is up to 100%', () => {
    expect(['0%', '80%', '99.5%', '100%'].every((value) => takes(percent, value))).toBe(true);
    expect(['101%', '80', '-1%', '%', 'x%'].some((value) => takes(percent, value))).toBe(false);
  });
});

describe('values of bodies and queries', () => {
  test('texts take numbers, switches take words', () => {
    expect(z.parse(text, 5)).toBe('5');
    expect(z.parse(flag, 'true')).toBe(true);
    expect(z.parse(queryBool, 'false')).toBe(false);
    expect([takes(text, {}), takes(flag, 'maybe'), takes(queryBool, '1')]).toEqual([false, false, false]);
  });

  test('whole numbers are not guessed at, and say their range', () => {
    const limit = queryInt({ min: 1, max: 10 });
    expect(z.parse(limit, '7')).toBe(7);
    expect(z.parse(limit, 7)).toBe(7);
    for (const value of ['0', '11', '1.5', '0x1', '1e0', '１', '', ' 7', 'Infinity', '-1', 1.5, null]) {
      const { error } = z.safeParse(limit, value);
      expect(error?.issues[0]?.message, String(value)).toBe(expected('1..10'));
    }
    expect(takes(intBetween(0, 65_535), 65_536)).toBe(false);
    expect(takes(intBetween(0, 65_535), '5')).toBe(false);
  });

  test('moments are RFC 3339 in any zone, or milliseconds', () => {
    const ms = Date.UTC(2026, 0, 2, 3, 4, 5);
    for (const value of [
      '2026-01-02T03:04:05Z',
      '2026-01-02T04:04:05+01:00',
      '2026-01-02 03:04:05.000Z',
      String(ms),
      ms,
    ])
      expect(z.parse(queryTime, value), String(value)).toBe(ms);
    for (const value of ['yesterday', '2026-01-02', '2026-13-01T00:00:00Z', '', '2026-01-02T03:04:05'])
      expect(takes(queryTime, value), value).toBe(false);
  });

  test('moments are in the calendar', () => {
    for (const day of ['2027-02-29', '2100-02-29', '2026-02-31', '2026-04-31', '2026-00-10', '2026-12-00']) {
      expect(takes(queryTime, `${day}T00:00:00Z`), day).toBe(false);
      expect(takes(moment, `${day}T00:00:00Z`), day).toBe(false);
      expect(isDay(day), day).toBe(false);
    }
    for (const time of ['24:00:00Z', '23:60:00Z', '23:59:60Z', '00:00:00+24:00'])
      expect(takes(moment, `2026-01-01T${time}`), time).toBe(false);
    expect(z.parse(moment, '2028-02-29t00:00:00z')).toBe(Date.UTC(2028, 1, 29) / 1000);
    expect(z.parse(moment, '2026-03-01 00:30:00+01:00')).toBe(Date.UTC(2026, 1, 28, 23, 30) / 1000);
  });

  test('lists take one or several', () => {
    expect(z.parse(queryList, 'a')).toEqual(['a']);
    expect(z.parse(queryList, ['a', 'b'])).toEqual(['a', 'b']);
  });

  test('a page is the first one of a hundred unless told', () => {
    expect(z.parse(z.object(pageQueryFields), {})).toEqual({ page: 1, limit: 100 });
  });

  test('a page is a whole number from 1, and has up to 10,000 rows', () => {
    for (const page of ['0', '-1', '1.5', '1e9', 'abc', '', '0x10', '１', 'Infinity'])
      expect(takes(pageQueryFields.page, page), page).toBe(false);
    for (const limit of ['0', '10001', '-1', '1.5', 'abc'])
      expect(takes(pageQueryFields.limit, limit), limit).toBe(false);
    expect(takes(pageQueryFields.limit, '10000')).toBe(true);
  });
});

describe('faults in a message', () => {
  test('one, several, or none where the message is text', () => {
    const fault = { kind: 'validation_error', path: 'root.qos', reason: 'required_field' };
    expect(faultsOf(JSON.stringify(fault))).toEqual([fault]);
    expect(faultsOf(JSON.stringify([fault, fault]))).toHaveLength(2);
    for (const message of ['Bad username', '#{kind => validation_error}', '{oops', '[1,null]', '{"a":1}', ''])
      expect(faultsOf(message), message).toEqual([]);
  });
});

describe('paths', () => {
  test('each parameter is one encoded segment', () => {
    expect(pathOf('/clients/:clientid/subscribe', { clientid: 'a/b ?#ü%' })).toBe(
      '/clients/a%2Fb%20%3F%23%C3%BC%25/subscribe',
    );
    expect(pathOf('/clients/:clientid', { clientid: '..' })).toBe('/clients/%2E%2E');
    expect(() => pathOf('/clients/:clientid')).toThrow(/clientid/);
  });
});

describe('the whole of it', () => {
  const endpoints = Object.values(api).flatMap((feature): Endpoint[] => Object.values(feature));

  test('no two endpoints share method and path', () => {
    const addresses = endpoints.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(new Set(addresses).size).toBe(addresses.length);
  });

  test('bodies belong to methods that have one, and 204 has none to answer', () => {
    for (const { method, path, body, ok } of endpoints) {
      if (body) expect(['POST', 'PUT'], path).toContain(method);
      if (ok.status === 204) expect(ok.schema, path).toBeNull();
    }
  });

  test('every code has a status and a meaning', () => {
    for (const [code, [status, meaning]] of Object.entries(errorCodes)) {
      expect(code).toMatch(/^[A-Z_]+$/);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(meaning.length).toBeGreaterThan(5);
    }
  });
});
