import { expect, test } from 'vitest';
import { check } from './check.ts';
import { columnsOf, events } from './events.ts';

test('a statement without faults has no findings', () => {
  expect(check(`SELECT upper(a), payload.l[nth(1, x)] FROM "t" WHERE is_null(a) and b in (abs(1))`)).toEqual(
    [],
  );
  expect(
    check(
      `FOREACH payload.l as x DO case when x > 1 then str(x) else [pad(x, 2)] end INCASE not x = 1 FROM t`,
    ),
  ).toEqual([]);
});

test('a fault of syntax is the only finding, with its place', () => {
  expect(check('SELECT a,, nofun(1) FROM t')).toEqual([
    { kind: 'syntax', start: 9, end: 10, message: `1: syntax error before: ','` },
  ]);
  expect(check('')).toMatchObject([{ kind: 'syntax', message: 'invalid_string' }]);
});

test('unknown functions and wrong numbers of arguments are found wherever they stand', () => {
  const sql =
    'FOREACH nofun(x) as y DO upper(1, 2) INCASE not (min(y) = 1) FROM t WHERE a[pad(b)] = concat(c)';
  expect(check(sql).map(({ kind, start, end }) => [kind, sql.slice(start, end)])).toEqual([
    ['unknown-function', 'nofun'],
    ['argument-count', 'upper'],
    ['unknown-function', 'min'],
    ['argument-count', 'pad'],
    ['argument-count', 'concat'],
  ]);
  expect(check('SELECT pad(a) FROM t')).toMatchObject([{ given: 1, allowed: [2, 3, 4] }]);
});

test('sources know their columns', () => {
  expect(columnsOf('t/#')).toBe(events['$events/message_publish']);
  expect(columnsOf('$events/client_connected')).toContain('keepalive');
  expect(columnsOf('$bridges/mqtt:x')).toContain('server');
  expect(columnsOf('$events/nothing')).toEqual([]);
  expect(columnsOf('$events/constructor')).toEqual([]);
});
