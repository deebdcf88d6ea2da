import { expect, test } from 'vitest';
import { judge, placesOf } from './compare-recordings.mjs';

const report = [
  'users | add one [POST /users]',
  '    status 200 → 201',
  'users | gone: missing',
  'users | seen by a client',
  '    /0: missing',
  'same 1, different 2, missing 1',
].join('\n');
const expected = ['add', 'add one', 'gone', 'seen by a client', 'list'].map((title) => ({
  feature: 'users',
  title,
}));
const known = (title, reason = 'because') => ({ feature: 'users', title, reason });

test('every difference that is not listed is found, also a missing exchange and an observation', () => {
  const { unexplained, different } = judge(report, expected, [known('gone')]);
  expect(unexplained.map((one) => one.title)).toEqual(['add one', 'seen by a client']);
  expect(different).toBe(3);
});

test('a listed difference that is none any more is found, and one without a reason', () => {
  const { outdated, withoutReason } = judge(report, expected, [known('list'), known('gone', '')]);
  expect(outdated.map((one) => one.title)).toEqual(['list']);
  expect(withoutReason.map((one) => one.title)).toEqual(['gone']);
});

test('a reason for one place does not cover another', () => {
  const at = (...places) => [
    Object.assign(known('add one'), { at: places }),
    known('gone'),
    known('seen by a client'),
  ];
  expect(judge(report, expected, at('status')).unexplained).toEqual([]);
  expect(judge(report, expected, at('/code')).unexplained.map((one) => one.title)).toEqual(['add one']);
  expect(placesOf(report, expected[3])).toEqual(['/0']);
});
