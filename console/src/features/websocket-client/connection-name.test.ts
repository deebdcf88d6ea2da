import { expect, test } from 'vitest';
import { nameIn } from './connection-name.ts';

test('a connection that nobody has named is called so in the language of now', () => {
  expect(nameIn('zh', 'Connection 12')).toBe('连接 12');
  expect(nameIn('en', '连接 3')).toBe('Connection 3');
  expect(nameIn('en', 'Connection 3')).toBe('Connection 3');
});

test('a name that somebody gave stays', () => {
  for (const name of ['Connection', 'My Connection 3', '连接', 'boiler 7', '']) {
    expect(nameIn('zh', name)).toBe(name);
    expect(nameIn('en', name)).toBe(name);
  }
});
