import { expect, test } from 'vitest';
import { passwordFault, USERNAME } from './users.ts';

test('a password has 8 to 64 printable characters of two classes', () => {
  const cases: [string, ReturnType<typeof passwordFault>][] = [
    ['abcdef1', 'length'],
    ['abcdefg1', null],
    ['a1'.repeat(32), null],
    [`${'a1'.repeat(32)}x`, 'length'],
    ['abcdefgh', 'classes'],
    ['12345678', 'classes'],
    ['!!!!!!!!', 'classes'],
    ['pass word', null], // a blank is a symbol
    ['Passwörd1', 'characters'],
    ['password\u00001', 'characters'],
    ['', 'length'],
  ];
  for (const [password, fault] of cases) expect(passwordFault(password), password).toBe(fault);
});

test('a user name is made of ASCII letters, digits and underscores', () => {
  expect(['admin', 'ops_1', '5'].every((name) => USERNAME.test(name))).toBe(true);
  expect(['', 'a b', 'a.b', 'ü', 'a\n'].some((name) => USERNAME.test(name))).toBe(false);
});
