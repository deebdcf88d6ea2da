import type { LogLine } from '@mqdeck/contract/log';
import { expect, test } from 'vitest';
import { factText, lineText } from './line-text.ts';
import { joined, LINES_SHOWN } from './use-log-lines.ts';

const line = (position: number): LogLine => ({
  position,
  time: '2026-01-02T03:04:05.678+00:00',
  level: 'warning',
  msg: 'a line',
  facts: {},
});
const some = (from: number, count: number) => Array.from({ length: count }, (_, i) => line(from + i));

test('what came is joined to what is there, and no more is kept than is shown', () => {
  const first = joined([], some(0, 300), 0);
  const both = joined(first, some(300, 300), 0);
  expect(both).toHaveLength(LINES_SHOWN);
  expect([both[0]?.position, both.at(-1)?.position]).toEqual([100, 599]);
  expect(joined(both, [], 0)).toBe(both); // nothing new is drawn
});

test('lines that were gone are told before the first that came', () => {
  const gap = joined(
    some(0, 1).map((one) => ({ ...one, missedBefore: 0 })),
    some(9, 2),
    8,
  );
  expect(gap.map(({ missedBefore }) => missedBefore)).toEqual([0, 8, 0]);
});

test('a line is copied as a file would have it, on one line', () => {
  const facts = { clientid: 'a\nb\u202e', reason: 'not now', code: 5, plain: 'x' };
  const text = lineText({ ...line(1), msg: 'odd\r\nmessage', facts });
  expect(text).toBe(
    '2026-01-02T03:04:05.678+00:00 [warning] odd\\u000d\\u000amessage clientid="a\\nb\\u202e" reason="not now" code=5 plain=x',
  );
  expect(factText('<b>')).toBe('<b>');
  expect(factText({ a: 1 })).toBe('{"a":1}');
});
