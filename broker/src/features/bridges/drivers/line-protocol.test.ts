import { expect, test } from 'vitest';
import { lineTemplate } from './line-protocol.ts';

const line = lineTemplate('m,client=${clientid},kind=x text="${payload}",n=1i');

test.each([
  ['a,kind=y v=2', 'm,client=a\\,kind\\=y\\ v\\=2,kind=x text="p",n=1i'],
  ['a\nm2 v=2', 'm,client=a\\ m2\\ v\\=2,kind=x text="p",n=1i'],
  ['a\\b', 'm,client=a\\\\b,kind=x text="p",n=1i'],
])('a client id stays the value of its tag: %j', (clientid, expected) => {
  expect(line({ clientid, payload: 'p' })).toBe(expected);
});

test('a tag that ends with a backslash is left out: the comma behind it would become its own', () => {
  expect(line({ clientid: 'a\\', payload: 'p' })).toBe('m,kind=x text="p",n=1i');
});

test.each(['"', '\\', '",n=2i', '\\",n=2i'])('a text stays between its quotes: %j', (payload) => {
  const [, quoted] = /text="((?:[^"\\]|\\.)*)",n=1i$/.exec(line({ clientid: 'a', payload })!)!;
  expect(quoted!.replace(/\\(.)/g, '$1')).toBe(payload);
});
