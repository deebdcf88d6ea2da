import { expect, test } from 'vitest';
import { checkCoverage } from './check-spec-coverage.mjs';

const files = { 'a/login.ts': 'export {}', 'a/login.test.ts': "test('a wrong password isn\\'t let in', …)" };
const readFile = (file) => files[file] ?? null;
const table = (...rows) => ['| Spec | Statement | Code | Test |', '|---|---|---|---|', ...rows].join('\n');
const problemsOf = (...rows) => checkCoverage(table(...rows), readFile).problems.join('\n');

test('a row with an existing file and an existing test title holds, and so does an open one', () => {
  const rows = table(
    "| 2 | one signs in | `a/login.ts` | `a/login.test.ts` › a wrong password isn't let in |",
    '| 2 | one leaves | open | open |',
    '| 2 | half \\| done | `a/login.ts` | open |',
  );
  expect(checkCoverage(rows, readFile)).toEqual({ problems: [], counts: { rows: 3, open: 2, shown: 1 } });
});

test('a file that is not there is named with its line', () => {
  expect(problemsOf('| 2 | x | `a/gone.ts` | open |')).toBe('line 3: Code: a/gone.ts does not exist');
});

test('a test title that is not in its file is named', () => {
  expect(problemsOf('| 2 | x | `a/login.ts` | `a/login.test.ts` › something else |')).toContain(
    'no test "something else"',
  );
});

test('the second of two named tests is looked at too', () => {
  const row = "| 2 | x | open | `a/login.test.ts` › isn't let in; `a/login.test.ts` › nothing |";
  expect(problemsOf(row)).toBe('line 3: Test: a/login.test.ts has no test "nothing"');
});

test('an empty cell, loose words and an empty page are no coverage', () => {
  expect(problemsOf('| 2 | x |  | open |')).toContain('neither a file in backticks nor the word open');
  expect(problemsOf('| 2 | x | done | open |')).toContain('neither a file in backticks nor the word open');
  expect(checkCoverage('# nothing', readFile).problems).toHaveLength(1);
});
