import { DELIVERY_CHECKS, type DeliveryCheck } from '@mqdeck/contract/delivery';
import { expect, test } from 'vitest';
import { checkWords } from './check-words.ts';
import { isWhole, questionOf, searchOf } from './question.ts';
import { nameOf, sentenceOf } from './sentence.ts';

test('a question stands in the address, and the usual is left out', () => {
  const usual = questionOf({});
  expect(isWhole(usual)).toBe(false);
  expect(Object.values(searchOf(usual)).every((value) => value === undefined)).toBe(true);
  const question = questionOf({
    publisher: 'a',
    topic: 't',
    subscriber: 'b',
    qos: '2',
    retain: 'true',
    expiry: '9',
  });
  expect(isWhole(question)).toBe(true);
  expect(questionOf(searchOf(question) as Record<string, string>)).toEqual(question);
  expect(questionOf({ qos: '7', payload_bytes: '-3', expiry: 'x' })).toEqual(usual);
});

test('every check has a name, in both languages', () => {
  for (const id of DELIVERY_CHECKS) {
    expect(checkWords).toHaveProperty([id, 'en']);
    expect(checkWords).toHaveProperty([id, 'zh']);
  }
});

test('what was found is a sentence; what is not known stands as it is', () => {
  const check: DeliveryCheck = {
    id: 'publisher',
    result: 'ok',
    found: 'connected',
    facts: { address: '10.0.0.5', listener: 'tcp:default', since: '2026-01-02T03:04:05Z' },
  };
  expect(sentenceOf(check, 'en')).toBe('Connected from 10.0.0.5 at tcp:default.');
  expect(sentenceOf({ ...check, found: 'not_connected' }, 'en')).toMatch(/^Not connected since .*2026/);
  expect(sentenceOf({ ...check, found: 'abducted' }, 'en')).toBe('abducted');
  const allowed = (source: string): DeliveryCheck => ({
    id: 'publish_allowed',
    result: 'ok',
    found: 'allowed',
    facts: { source },
  });
  expect(sentenceOf(allowed('file'), 'en')).toBe('Allowed by the ACL file.');
  expect(sentenceOf(allowed('file'), 'zh')).toBe('由 ACL 文件允许。');
  expect(sentenceOf(allowed('mysql'), 'zh')).toBe('由 mysql 允许。');
  expect(nameOf('toString', 'en')).toBe('toString');
});

test('a name that would turn the sentence around is shown, not obeyed', () => {
  const evil = 'a\u202Eb';
  const check: DeliveryCheck = { id: 'shared', result: 'ok', found: 'alone', facts: { group: evil } };
  expect(sentenceOf(check, 'en')).not.toContain('\u202E');
});
