import { copyName } from '@mqdeck/contract/limiter';
import { expect, test } from 'vitest';
import { wordsIn } from '../../i18n/words.ts';
import { sentenceOf } from './sentence.ts';
import { words } from './words.ts';

const en = wordsIn(words, 'en');
const zh = wordsIn(words, 'zh');

test('what a client may send is said in a sentence', () => {
  const numbers = { rate: '10/s', capacity: '100', initial: '0' };
  expect(sentenceOf('message_in', 'client', numbers, en, 'en')).toBe(
    'A client may send 100 messages at once, then 10 messages per second. It begins with nothing saved up.',
  );
  expect(sentenceOf('message_in', 'client', { ...numbers, initial: '1' }, zh, 'zh')).toBe(
    '每个客户端可一次发送 100 条消息，之后每秒 10 条消息。开始时有 1 条消息。',
  );
  expect(sentenceOf('bytes_in', 'node', { rate: '1MB/10s', burst: '512KB' }, en, 'en')).toBe(
    'All clients together may send 1.5 MB at once, then 1 MB every 10 seconds.',
  );
});

test('without a capacity it is what the rate brings in its time, and never less than one', () => {
  const perDay = { rate: '1/1d', capacity: 'infinity', initial: '5' };
  expect(sentenceOf('message_in', 'client', perDay, en, 'en')).toBe(
    'A client may send 1 message at once, then 1 message per day. It begins with 1 message.',
  );
  expect(
    sentenceOf('connection', 'client', { rate: '60/m', capacity: 'infinity', initial: '0' }, en, 'en'),
  ).toBe('An address may open 60 connections at once, then 60 connections per minute.');
});

test('no limit is said as such, and what cannot be read says nothing', () => {
  expect(sentenceOf('message_in', 'bucket', { rate: 'infinity' }, en, 'en')).toBe(
    'No limit for all together.',
  );
  for (const numbers of [
    { rate: '0/s' },
    { rate: 'fast' },
    { rate: '' },
    { rate: '1/s', capacity: 'much' },
    { rate: undefined },
  ])
    expect(sentenceOf('message_in', 'node', numbers, en, 'en')).toBeNull();
});

test('the name of a copy is new, and a copy of a copy counts up', () => {
  expect(copyName('fast', ['fast'])).toBe('fast_duplication');
  expect(copyName('fast_duplication', ['fast', 'fast_duplication'])).toBe('fast_duplication_1');
  expect(copyName('fast', ['fast_duplication', 'fast_duplication_1'])).toBe('fast_duplication_2');
});
