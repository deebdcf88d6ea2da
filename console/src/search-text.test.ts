import { expect, test } from 'vitest';
import { parseSearch, searchText } from './search-text.ts';

test('values stay texts and repeated keys become lists', () => {
  expect(parseSearch('?clientid=123&node=a&node=b&empty=')).toEqual({
    clientid: '123',
    node: ['a', 'b'],
    empty: '',
  });
});

test.each([{ like_clientid: 'a&b=c #%+客' }, { node: ['a', 'b'] }, { page: '2', sort: 'clientid' }])(
  '%j survives the address',
  (search) => expect(parseSearch(searchText(search))).toEqual(search),
);

test('what is empty does not reach the address', () => {
  expect(searchText({ a: undefined, b: '', c: [] })).toBe('');
});

test('a mangled address breaks nothing', () => {
  expect(parseSearch('?%E0%A4%A&=x&page=')).toBeTypeOf('object');
});
