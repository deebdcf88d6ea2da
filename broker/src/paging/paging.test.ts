import { text as textOf } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { jsonBody } from '../http/json-body.ts';
import { pageOf, pageOfList } from './page.ts';
import { rfc3339 } from './rfc3339.ts';
import { bySortValue, sorted } from './sort.ts';
import { Turn } from './turn.ts';

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
const all = () => true;

describe('a page of a walk', () => {
  test('counts to the end where the count is wanted, and stops behind the page where it is not', async () => {
    let seen = 0;
    const matches = (n: number) => {
      seen++;
      return n % 2 === 0;
    };
    const rows = () => [numbers(100)];
    expect(await pageOf({ page: 2, limit: 10 }, { rows: rows(), matches, counted: true })).toEqual({
      data: [20, 22, 24, 26, 28, 30, 32, 34, 36, 38],
      meta: { page: 2, limit: 10, count: 50, hasnext: true },
    });
    expect(seen).toBe(100);
    seen = 0;
    const { meta } = await pageOf({ page: 1, limit: 10 }, { rows: rows(), matches, counted: false });
    expect(meta).toEqual({ page: 1, limit: 10, hasnext: true });
    expect(seen).toBe(21);
  });

  test('the last full page has no next one', async () => {
    const walk = { rows: [numbers(20)], matches: all, counted: false };
    expect((await pageOf({ page: 2, limit: 10 }, walk)).meta.hasnext).toBe(false);
    expect((await pageOf({ page: 3, limit: 10 }, walk)).data).toEqual([]);
  });

  test('skips whole slices where everything matches', async () => {
    const slice = (from: number) => ({
      length: 10,
      *[Symbol.iterator]() {
        if (from === 0) throw new Error('this slice need not be read');
        for (let i = 0; i < 10; i++) yield from + i;
      },
    });
    const walk = { rows: [slice(0), slice(10)], matches: all, counted: true, total: 20 };
    expect(await pageOf({ page: 4, limit: 4 }, walk)).toEqual({
      data: [12, 13, 14, 15],
      meta: { page: 4, limit: 4, count: 20, hasnext: true },
    });
  });

  test('sorted pages are cut from the whole order', async () => {
    const rows = [
      [3, 1],
      [2, 5, 4],
    ];
    const sorting = { by: 'size', order: 'desc', valueIn: (n: number) => n } as const;
    expect(await pageOf({ page: 2, limit: 2 }, { rows, matches: all, counted: true, sorting })).toEqual({
      data: [3, 2],
      meta: { page: 2, limit: 2, count: 5, hasnext: true, sort: 'size', order: 'desc' },
    });
  });

  test.each(['asc', 'desc'] as const)(
    'a page of a long list is cut from the whole order too: %s',
    async (order) => {
      const keys = numbers(20_000).map((i) => ((i * 7919) % 4999) - 2500);
      const rows = numbers(200).map((nr) =>
        keys.slice(nr * 100, nr * 100 + 100).map((key, i) => ({ key, at: nr * 100 + i })),
      );
      const sorting = { by: 'key', order, valueIn: ({ key }: { key: number }) => key } as const;
      const sign = order === 'asc' ? 1 : -1;
      const whole = rows.flat().sort((a, b) => sign * (a.key - b.key) || a.at - b.at);
      for (const page of [1, 3, 40, 200]) {
        const { data, meta } = await pageOf(
          { page, limit: 100 },
          { rows, matches: all, counted: true, sorting },
        );
        expect(data).toEqual(whole.slice((page - 1) * 100, page * 100));
        expect(meta).toMatchObject({ count: 20_000, hasnext: page < 200 });
      }
    },
  );

  test('a page of a list at hand', () => {
    expect(pageOfList({ page: 1, limit: 2 }, [1, 2, 3])).toEqual({
      data: [1, 2],
      meta: { page: 1, limit: 2, count: 3, hasnext: true },
    });
  });
});

test('long work lets others run in between', async () => {
  let others = 0;
  const next = () => {
    others++;
    if (others < 1000) setImmediate(next);
  };
  setImmediate(next);
  const slow = () => {
    const until = performance.now() + 2;
    while (performance.now() < until);
    return true;
  };
  await pageOf({ page: 1, limit: 10 }, { rows: [numbers(30)], matches: slow, counted: true });
  expect(others).toBeGreaterThan(5);
});

test('sorting in runs agrees with sorting at once, and is stable', async () => {
  const rows = numbers(5000).map((i) => ({ i, key: (i * 7919) % 97 }));
  const compare = bySortValue<{ key: number }>(({ key }) => key, 'asc');
  expect(await sorted(rows, compare, new Turn())).toEqual([...rows].sort(compare));
  expect(await sorted([], compare, new Turn())).toEqual([]);
});

test('what is missing sorts last in both directions', () => {
  const values = ['b', null, 'a', undefined];
  const order = (direction: 'asc' | 'desc') => [...values].sort(bySortValue((v) => v, direction));
  expect(order('asc').slice(0, 2)).toEqual(['a', 'b']);
  expect([...values.map((v) => ({ v }))].sort(bySortValue(({ v }) => v, 'desc')).map(({ v }) => v)).toEqual([
    'b',
    'a',
    null,
    undefined,
  ]);
});

test('JSON written piece by piece is the same JSON', async () => {
  const rows = numbers(5000).map((i) => ({ i, text: '"\\ü\u2028', gone: undefined }));
  const meta = { count: 5000 };
  const bodies = [rows, { data: rows }, { data: rows, meta }, { meta, data: [1] }, [], null, 5, [undefined]];
  for (const body of bodies) {
    const json = jsonBody(body);
    const written = typeof json === 'string' ? json : await textOf(json);
    expect(JSON.parse(written)).toEqual(JSON.parse(JSON.stringify(body)));
  }
});

test('moments are written with milliseconds and the offset of the server', () => {
  const moment = Date.UTC(2026, 10, 21, 2, 36, 21, 596);
  expect(rfc3339(moment)).toMatch(/^2026-11-2\dT\d\d:\d\d:21\.596[+-]\d\d:\d\d$/);
  expect(Date.parse(rfc3339(moment))).toBe(moment);
});
