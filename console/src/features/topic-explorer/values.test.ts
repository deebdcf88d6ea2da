import type { ExploredValue } from '@mqdeck/contract/topic-explorer';
import { describe, expect, test } from 'vitest';
import { differences, joined, linesOf, namesOf, readValue } from './values.ts';

const value = (at: number, text: string): ExploredValue => ({
  at,
  payload: btoa(text),
  bytes: text.length,
  qos: 0,
  retain: false,
  from: 'pump',
});
const read = (one: ExploredValue) => readValue(one, 't', 'auto', undefined);

test('what came meanwhile stands before what was known, each once, and not without end', () => {
  const known = [value(2, 'b'), value(1, 'a')];
  expect(joined(known, [])).toBe(known);
  expect(joined(known, [value(3, 'c'), value(2, 'b')]).map(({ at }) => at)).toEqual([3, 2, 1]);
  const many = Array.from({ length: 100 }, (_, i) => value(200 - i, 'x'));
  expect(joined(known, many)).toHaveLength(100);
});

test('values of one millisecond are told apart, and newer ones change no name', () => {
  const known = [value(2, 'c'), value(1, 'b'), value(1, 'a')];
  const names = namesOf(known);
  expect(new Set(names).size).toBe(3);
  expect(namesOf([value(2, 'd'), ...known]).slice(1)).toEqual(names);
});

describe('numbers of the values', () => {
  test('are lines by their place, with gaps where a value has none', () => {
    const lines = linesOf([value(3, '{"a":3,"b":1}'), value(2, 'text'), value(1, '{"a":1}')], read);
    expect(lines).toEqual([
      { path: 'a', times: [1, 2, 3], values: [1, null, 3] },
      { path: 'b', times: [1, 2, 3], values: [null, null, 1] },
    ]);
  });

  test('a bare number is one too', () => {
    expect(linesOf([value(1, '21.5')], read)).toEqual([{ path: 'value', times: [1], values: [21.5] }]);
  });
});

test('values are compared leaf by leaf', () => {
  expect(differences({ a: 1, b: { c: [1, 2] }, gone: true }, { a: 1, b: { c: [1, 3] }, added: 'x' })).toEqual(
    [
      { path: 'b.c[1]', before: '2', after: '3' },
      { path: 'gone', before: 'true', after: undefined },
      { path: 'added', before: undefined, after: '"x"' },
    ],
  );
  expect(differences('on', 'off')).toEqual([{ path: '', before: '"on"', after: '"off"' }]);
  expect(differences({}, {})).toEqual([]);
});

test('bytes stay bytes when they are asked for as such', () => {
  expect(readValue(value(1, '{"a":1}'), 't', 'raw', undefined)).toBeNull();
  expect(readValue(value(1, 'plain text'), 't', 'auto', undefined)).toBeNull();
  expect(readValue(value(1, 'plain text'), 't', 'json', undefined)).toHaveProperty('fault');
});
