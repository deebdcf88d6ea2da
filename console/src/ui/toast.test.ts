import { beforeEach, expect, test, vi } from 'vitest';
import { getToasts, toast } from './toast.ts';

beforeEach(() => vi.useFakeTimers());

test('at most four toasts are on screen, the newest ones', () => {
  for (const nr of [1, 2, 3, 4, 5, 6]) toast('info', `toast ${nr}`);
  expect(getToasts().map(({ text }) => text)).toEqual(['toast 3', 'toast 4', 'toast 5', 'toast 6']);
});

test('the same text counts up instead of piling up', () => {
  toast('bad', 'again');
  toast('bad', 'again');
  expect(getToasts()).toMatchObject([{ text: 'again', times: 2 }]);
});

test('a toast goes by itself, a failure later', () => {
  toast('good', 'done');
  toast('bad', 'failed');
  vi.advanceTimersByTime(5000);
  expect(getToasts().map(({ text }) => text)).toEqual(['failed']);
  vi.advanceTimersByTime(5000);
  expect(getToasts()).toEqual([]);
});
