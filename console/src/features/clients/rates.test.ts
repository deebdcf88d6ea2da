import { expect, test } from 'vitest';
import { listedRate, noteRows } from './list-rates.ts';
import { rateBetween, withReading } from './rates.ts';

test('a rate is what a counter gained per second; one that began anew has none', () => {
  expect(rateBetween({ count: 10, at: 1000 }, 30, 6000)).toBe(4);
  expect(rateBetween({ count: 10, at: 1000 }, 10, 6000)).toBe(0);
  expect(rateBetween({ count: 10, at: 1000 }, 3, 6000)).toBeNull();
  expect(rateBetween({ count: 10, at: 1000 }, 30, 1000)).toBeNull();
  expect(rateBetween(undefined, 30, 6000)).toBeNull();
});

test('the first reading knows no rate, the same answer counts once, old readings go', () => {
  let readings = withReading([], { recv_msg: 5, send_msg: 0 }, 1000);
  expect(readings[0]!.rates.recv_msg).toBeNull();
  readings = withReading(readings, { recv_msg: 5, send_msg: 0 }, 1000);
  expect(readings).toHaveLength(1);
  readings = withReading(readings, { recv_msg: 15, send_msg: 0 }, 6000);
  expect(readings.at(-1)!.rates).toMatchObject({ recv_msg: 2, send_msg: 0, recv_oct: null });
  for (let i = 2; i < 100; i += 1) readings = withReading(readings, { recv_msg: i }, i * 5000);
  expect(readings).toHaveLength(60);
});

test('a client that went away has no socket figures: no rate, and none either when they are back', () => {
  let readings = withReading([], { recv_oct: 500 }, 1000);
  readings = withReading(readings, {}, 6000);
  expect(readings.at(-1)!.rates.recv_oct).toBeNull();
  readings = withReading(readings, { recv_oct: 20 }, 11_000);
  expect(readings.at(-1)!.rates.recv_oct).toBeNull();
});

test('the list tells rates of the clients on screen alone', () => {
  noteRows(
    [
      { clientid: 'a', recv_msg: 10, send_msg: 0 },
      { clientid: 'b', recv_msg: 1 },
    ],
    1000,
  );
  expect(listedRate('a', 'recv_msg')).toBeNull();
  noteRows(
    [
      { clientid: 'a', recv_msg: 30, send_msg: 5 },
      { clientid: 'c', recv_msg: 1 },
    ],
    11_000,
  );
  expect(listedRate('a', 'recv_msg')).toBe(2);
  expect(listedRate('a', 'send_msg')).toBe(0.5);
  // The page was left and entered again: what was known of b is gone.
  noteRows([{ clientid: 'b', recv_msg: 100 }], 21_000);
  expect(listedRate('b', 'recv_msg')).toBeNull();
  expect(listedRate('a', 'recv_msg')).toBeNull();
});

test('a column without its counter keeps the rate of the other', () => {
  noteRows([{ clientid: 'x', send_msg: 1 }], 1000);
  noteRows([{ clientid: 'x', send_msg: 11 }], 2000);
  expect(listedRate('x', 'send_msg')).toBe(10);
  expect(listedRate('x', 'recv_msg')).toBeNull();
});
