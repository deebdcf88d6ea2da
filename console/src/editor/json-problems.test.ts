import { expect, test } from 'vitest';
import { wordsIn } from '../i18n/words.ts';
import { jsonProblems } from './json-problems.ts';
import { words } from './words.ts';

const w = wordsIn(words, 'en');

test.each(['{}', '[]', 'null', '-1.5e3', ' {"a": [1, "x\\u0041\\n", {"b": {}}], "c": true}\n', '"\u0085"'])(
  '%s is JSON',
  (text) => {
    expect(jsonProblems(text, w)).toEqual([]);
  },
);

test.each([
  ['{\n  "a": 1,\n}', 3, 1, w.json],
  ['{\n  "a": 1\n', 3, 1, w.jsonEnd],
  ['{a: 1}', 1, 2, w.json],
  ['{"a" 1}', 1, 6, w.json],
  ['[1 2]', 1, 4, w.json],
  ['[1, ]', 1, 5, w.json],
  ['{} x', 1, 4, w.json],
  ['{"a": 01}', 1, 8, w.json],
  ['{"a": "\tb"}', 1, 7, w.json],
  ['{"a": ${username}}', 1, 7, w.json],
  ['[}', 1, 2, w.json],
  ['', 1, 1, w.jsonEnd],
])('%j is no JSON from line %d, column %d', (text, line, column, said) => {
  expect(jsonProblems(text, w)).toEqual([{ line, column, endColumn: column + 1, text: said }]);
});

test('where a text is no JSON, a place is found, and elsewhere none', () => {
  const whole = '{"a": [1, -2.5e1, "b\\"c", {"d": null}], "e": false}';
  for (let at = 0; at < whole.length; at++) {
    for (const broken of [
      whole.slice(0, at),
      whole.slice(0, at) + whole.slice(at + 1),
      `${whole.slice(0, at)}]${whole.slice(at)}`,
    ]) {
      let isJson = true;
      try {
        JSON.parse(broken);
      } catch {
        isJson = false;
      }
      const said = jsonProblems(broken, w);
      expect([broken, said.length]).toEqual([broken, isJson ? 0 : 1]);
      for (const { column } of said) expect(column).toBeLessThanOrEqual(broken.length + 1);
    }
  }
});
