import { expect, test, vi } from 'vitest';
import { Clock, TimerWheel } from './timer-wheel.ts';

function wheelAt(start: number) {
  let now = start;
  const clock = new Clock(() => now);
  const faults: unknown[] = [];
  const wheel = new TimerWheel(clock, (cause) => faults.push(cause));
  const pass = (ms: number) => {
    now += ms;
    clock.refresh();
    wheel.turn();
  };
  return { wheel, pass, faults };
}

test('a timer runs once, not before its time and at most a tick later', () => {
  const { wheel, pass } = wheelAt(1_000_037);
  let ran = 0;
  wheel.after(250, () => ran++);
  pass(249);
  expect(ran).toBe(0);
  pass(101);
  expect(ran).toBe(1);
  pass(1_000_000);
  expect(ran).toBe(1);
});

test('a timer of many turns of the wheel waits for them', () => {
  const { wheel, pass } = wheelAt(0);
  let ran = 0;
  wheel.after(3_600_000, () => ran++);
  for (let i = 0; i < 35_999; i++) pass(100);
  expect(ran).toBe(0);
  pass(200);
  expect(ran).toBe(1);
});

test('a cancelled timer stays silent, one that throws hurts no other, and infinity never comes', () => {
  const { wheel, pass, faults } = wheelAt(50);
  const ran: string[] = [];
  wheel.after(100, () => {
    throw new Error('mine');
  });
  wheel.after(100, () => victim.cancel());
  const victim = wheel.after(100, () => ran.push('victim'));
  wheel.after(100, () => ran.push('last'));
  wheel.after(Number.POSITIVE_INFINITY, () => ran.push('never'));
  pass(10_000_000);
  expect(ran).toEqual(['last']);
  expect(faults).toHaveLength(1);
});

test('of a thousand that are due at the same time some have to wait for others, and none is forgotten', async () => {
  const { wheel, pass } = wheelAt(0);
  const ran: number[] = [];
  for (let i = 0; i < 1000; i++) wheel.after(500, () => ran.push(i));
  wheel.after(600, () => ran.push(1000));
  const again = wheel.after(500, () => ran.push(-1));
  pass(700);
  expect(ran.length).toBeGreaterThan(0);
  expect(ran.length).toBeLessThan(500);
  again.cancel();
  wheel.after(0, () => ran.push(1001));
  pass(100); // the next tick comes before the rest of this one
  await vi.waitFor(() => expect(ran).toHaveLength(1002));
  expect(ran.slice(0, 1001)).toEqual(Array.from({ length: 1001 }, (_, i) => i));
  expect(ran[1001]).toBe(1001);
});
