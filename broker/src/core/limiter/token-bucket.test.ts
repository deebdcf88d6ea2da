import { expect, test } from 'vitest';
import { Clock, TICK_MS, TimerWheel } from '../timer-wheel.ts';
import { SharedBucket } from './shared-bucket.ts';
import { TokenBucket } from './token-bucket.ts';

const DAY_MS = 24 * 3600 * 1000;
const perSecond = (count: number) => ({ count, perMs: 1000 });
const usual = { capacity: Number.POSITIVE_INFINITY, initial: Number.POSITIVE_INFINITY };

test('what was saved up goes at once, then it comes at the rate', () => {
  const bucket = new TokenBucket({ rate: perSecond(10), capacity: 100, initial: 100 }, 0);
  let now = 0;
  const sendAll = () => {
    let sent = 0;
    for (; bucket.has(1, now); sent++) bucket.take(1);
    return sent;
  };
  expect(sendAll()).toBe(100);
  now = 99;
  expect([sendAll(), bucket.msUntil(1, now)]).toEqual([0, 1]);
  now = 1000;
  expect(sendAll()).toBe(10);
  now = 100_000;
  expect(sendAll()).toBe(100);
});

test('without a capacity of its own it saves up what comes in the time of the rate, and begins with what it is told', () => {
  const minute = new TokenBucket({ ...usual, rate: { count: 600, perMs: 60_000 } }, 0);
  expect(minute.level(0)).toBe(600);
  minute.take(600);
  expect(minute.level(DAY_MS)).toBe(600);
  expect(new TokenBucket({ ...usual, rate: perSecond(10), initial: 0 }, 0).level(0)).toBe(0);
  expect(new TokenBucket({ rate: perSecond(10), capacity: 3, initial: 7 }, 0).level(0)).toBe(3);
});

test('one a day is one a day, to the millisecond', () => {
  const bucket = new TokenBucket({ ...usual, rate: { count: 1, perMs: DAY_MS } }, 0);
  expect(bucket.has(1, 0)).toBe(true);
  bucket.take(1);
  for (let now = 0; now < DAY_MS; now += 3_599_999) expect(bucket.has(1, now)).toBe(false);
  expect(bucket.msUntil(1, DAY_MS - 1)).toBe(1);
  expect(bucket.has(1, DAY_MS)).toBe(true);
});

test('what is more than it can hold is owed, and paid back before anything else goes', () => {
  const bucket = new TokenBucket({ rate: perSecond(1000), capacity: 1000, initial: 1000 }, 0);
  expect(bucket.has(5000, 0)).toBe(true);
  bucket.take(5000);
  expect([bucket.level(0), bucket.msUntil(1, 0)]).toEqual([-4000, 4001]);
  expect([bucket.has(1, 4000), bucket.has(1, 4001)]).toEqual([false, true]);
});

test('a small capacity does not make a high rate lower between two ticks', () => {
  const bucket = new TokenBucket({ rate: perSecond(100), capacity: 1, initial: 0 }, 0);
  let sent = 0;
  for (let now = TICK_MS; now <= 10_000; now += TICK_MS) for (; bucket.has(1, now); sent++) bucket.take(1);
  expect(sent).toBe(1000);
});

test('a clock that is set back takes nothing away, and gives nothing twice', () => {
  const bucket = new TokenBucket({ ...usual, rate: perSecond(10), initial: 5 }, 10_000);
  expect(bucket.level(2000)).toBe(5);
  expect(bucket.level(2100)).toBe(6);
});

function sharedAt(start: number, count: number) {
  let now = start;
  const clock = new Clock(() => now);
  const timers = new TimerWheel(clock, (cause) => {
    throw cause;
  });
  const bucket = new SharedBucket({ ...usual, rate: perSecond(count), initial: 0 }, timers, clock);
  const pass = (ms: number) => {
    for (let left = ms; left > 0; left -= TICK_MS) {
      now += TICK_MS;
      clock.refresh();
      timers.turn();
    }
  };
  return { bucket, clock, pass };
}

test('who waits longest is served first, and who comes later finds nothing as long as somebody waits', () => {
  const { bucket, clock, pass } = sharedAt(0, 10);
  const served: string[] = [];
  const wait = (name: string, cost = 1) => {
    const one = { need: 1, cost, served: () => served.push(name) };
    bucket.queue(one);
    return one;
  };
  wait('first');
  const second = wait('second');
  wait('greedy', 10);
  wait('fourth');
  bucket.leave(second);
  pass(100);
  expect([served, bucket.offers(1, clock.now)]).toEqual([['first'], false]);
  pass(100);
  expect(served).toEqual(['first', 'greedy']);
  pass(900);
  expect(served).toEqual(['first', 'greedy']);
  pass(200);
  expect(served).toEqual(['first', 'greedy', 'fourth']);
  pass(1000);
  expect(bucket.offers(1, clock.now)).toBe(true);
});
