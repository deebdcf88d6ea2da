import { expect, test } from 'vitest';
import { noteServerTime } from '../../api/server-clock.ts';
import { wordsIn } from '../../i18n/words.ts';
import { hasPath, isEverybody, isOver, untilFault, whoFault } from './ban.ts';
import { words } from './words.ts';

const w = wordsIn(words, 'en');
const HOUR_MS = 3_600_000;
const moment = (fromNowMs: number) => new Date(Date.now() + fromNowMs).toISOString();

test('an expiry is judged by the clock of the server', () => {
  expect(untilFault('infinity', w)).toBe(null);
  expect(untilFault('', w)).toBe('Please enter the expire time');
  expect(untilFault(moment(HOUR_MS), w)).toBe(null);
  expect(untilFault(moment(-1000), w)).toBe('Expiry time cannot be earlier than now');
  noteServerTime(new Date(Date.now() + 2 * HOUR_MS).toUTCString());
  expect(untilFault(moment(HOUR_MS), w)).toBe('Expiry time cannot be earlier than now');
  noteServerTime('no date');
  expect(untilFault(moment(3 * HOUR_MS), w)).toBe(null);
});

test('an entry whose time is over is known as such', () => {
  const ban = { as: 'clientid', who: 'a', by: '', reason: '', at: moment(-HOUR_MS) };
  expect(isOver({ ...ban, until: 'infinity' })).toBe(false);
  expect(isOver({ ...ban, until: moment(HOUR_MS) })).toBe(false);
  expect(isOver({ ...ban, until: moment(-1) })).toBe(true);
});

test('a value has to look like what it is banned as', () => {
  expect(whoFault('clientid', '', w)).toBe('Please enter Banned value');
  expect(whoFault('clientid', 'a b', w)).toBe(null);
  expect(whoFault('clientid', 'x'.repeat(1025), w)).toBe('At most 1,024 characters');
  expect(whoFault('clientid_re', 'x'.repeat(513), w)).toBe('At most 512 characters');
  for (const good of ['10.0.0.7', ' ::1 ', '::ffff:10.0.0.1'])
    expect(whoFault('peerhost', good, w)).toBe(null);
  for (const bad of ['10.0.0', '999.1.1.1', '10.0.0.0/8', 'localhost'])
    expect(whoFault('peerhost', bad, w)).toBe(w.badAddress);
  expect(whoFault('peerhost_net', '10.0.0.0/8', w)).toBe(null);
  expect(whoFault('peerhost_net', '10.0.0.0/33', w)).toBe(w.badNetwork);
  expect([isEverybody('peerhost_net', '::/0'), isEverybody('peerhost_net', '10.0.0.0/1')]).toEqual([
    true,
    false,
  ]);
  expect(['', '.', '..', 'a/b'].map((who) => hasPath({ who }))).toEqual([false, false, false, true]);
});
