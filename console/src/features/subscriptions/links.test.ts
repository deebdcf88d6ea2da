import { expect, test } from 'vitest';
import { shareGroupOf, subscribersOf } from './links.ts';

const query = (address: string) => Object.fromEntries(new URL(address, 'http://console').searchParams);

test('the subscribers of a filter are asked for by the filter itself', () => {
  expect(query(subscribersOf('a/+/#'))).toEqual({ topic: 'a/+/#' });
  expect(query(subscribersOf('50% & more=1#'))).toEqual({ topic: '50% & more=1#' });
});

test('those of a shared one by group and match, for the API does not find them by the filter', () => {
  expect(query(subscribersOf('$share/ingest/plant/#'))).toEqual({
    match_topic: 'plant/#',
    share_group: 'ingest',
  });
});

test('the group of a shared filter', () => {
  expect(shareGroupOf('$share/ingest/plant/#')).toBe('ingest');
  expect(shareGroupOf('plant/#')).toBeUndefined();
  expect(shareGroupOf('$share/ingest')).toBeUndefined();
});
