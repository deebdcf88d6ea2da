import { duration, flag, intBetween, percent } from '@mqdeck/contract/kit/values';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { checkSettingsPage, commentsOf, rowsOf, typeOf } from './settings-doc.mjs';

test('the page says what the contract does', async () => {
  expect(await checkSettingsPage()).toBe(0);
}, 60_000);

test('types are told in words, with their range', () => {
  const cases = [
    [duration, 'duration'],
    [z.union([z.literal('disabled'), duration]), 'duration, or `disabled`'],
    [percent, 'share'],
    [flag, 'yes or no'],
    [intBetween(1, 3000), 'number, 1 to 3000'],
    [z.enum(['ram', 'disc']), '`ram`, `disc`'],
    [z._default(z.array(z.string()), []), 'list of text'],
    [z.union([z.number(), z.literal('infinity')]), 'number or `infinity`'],
  ];
  for (const [schema, words] of cases) expect(typeOf(schema)).toBe(words);
});

test('every setting has a row: of objects, lists, maps and choices', () => {
  const choice = z.discriminatedUnion('type', [
    z.object({ type: z.literal('a'), one: z.string() }),
    z.object({ type: z.literal('b'), two: z._default(z.string(), 'x') }),
  ]);
  const schema = z.object({
    plain: z._default(flag, true),
    inner: z.prefault(z.object({ deep: z._default(intBetween(0, 2), 1) }), {}),
    list: z._default(z.array(z.object({ topic: z.string() })), []),
    map: z.record(z.string(), choice),
  });
  const rows = Array.from(rowsOf(schema, '', undefined, new Map()));
  const told = rows.map(({ name, usual, told }) =>
    [name, usual, told].filter((part) => part !== '' && part !== undefined),
  );
  expect(told).toEqual([
    ['plain', true],
    ['inner.deep', 1],
    ['list', []],
    ['list[].topic'],
    ['map'],
    ['map.NAME.type', 'type = a'],
    ['map.NAME.one', 'type = a'],
    ['map.NAME.type', 'type = b'],
    ['map.NAME.two', 'x', 'type = b'],
  ]);
});

test('comments are found above what they speak of, not those of endpoints', () => {
  const source = [
    'const fields = {',
    '  /** 0 = never. */',
    '  interval: duration,',
    '  /**',
    '   * Two',
    '   * lines.',
    '   */',
    '  other: flag,',
    '  plain: flag,',
    '};',
    'const list = endpoint({',
    '  /** A query. */',
    '  plain: 1,',
  ].join('\n');
  expect(Array.from(commentsOf(source))).toEqual([
    ['interval', '0 = never.'],
    ['other', 'Two lines.'],
  ]);
});
