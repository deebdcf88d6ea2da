import { expect, test } from 'vitest';
import { Rate } from './rate.ts';

test('a rate is that of the last whole five seconds, of five minutes, and the highest', () => {
  const clock = { now: 1_000_000_000 };
  const rate = new Rate(clock);
  for (let i = 0; i < 50; i++) rate.mark();
  expect(rate.values).toEqual({ rate: 0, rate_last5m: 0.17, rate_max: 0 });
  clock.now += 5000;
  for (let i = 0; i < 10; i++) rate.mark();
  expect(rate.values).toEqual({ rate: 10, rate_last5m: 0.2, rate_max: 10 });
  clock.now += 5000;
  expect(rate.values).toEqual({ rate: 2, rate_last5m: 0.2, rate_max: 10 });
  clock.now += 5000;
  expect(rate.values).toEqual({ rate: 0, rate_last5m: 0.2, rate_max: 10 });
  clock.now += 290_000;
  expect(rate.values).toEqual({ rate: 0, rate_last5m: 0, rate_max: 10 });
  clock.now += 86_400_000;
  rate.mark();
  clock.now += 5000;
  expect(rate.values.rate).toBe(0.2);
});
