import { beforeEach, expect, test, vi } from 'vitest';
import { startPoll } from './poll.ts';

let hidden = false;
beforeEach(() => {
  vi.useFakeTimers();
  hidden = false;
  vi.spyOn(document, 'hidden', 'get').mockImplementation(() => hidden);
});

const show = (shown: boolean) => {
  hidden = !shown;
  document.dispatchEvent(new Event('visibilitychange'));
};

test('the next run starts an interval after the last start, a failure notwithstanding', async () => {
  const run = vi.fn().mockRejectedValue(new Error('away'));
  const stop = startPoll(run, 1000);
  await vi.advanceTimersByTimeAsync(3000);
  expect(run).toHaveBeenCalledTimes(3);
  stop();
  await vi.advanceTimersByTimeAsync(3000);
  expect(run).toHaveBeenCalledTimes(3);
});

test('a slow answer is waited for, then the next run starts at once', async () => {
  const run = vi.fn(() => new Promise<void>((resolve) => setTimeout(resolve, 2500)));
  const stop = startPoll(run, 1000);
  await vi.advanceTimersByTimeAsync(3400);
  expect(run).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(run).toHaveBeenCalledTimes(2);
  stop();
});

test('it rests while the tab is hidden and catches up on return', async () => {
  const run = vi.fn().mockResolvedValue(undefined);
  const stop = startPoll(run, 1000);
  show(false);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(run).not.toHaveBeenCalled();
  show(true);
  await vi.advanceTimersByTimeAsync(0);
  expect(run).toHaveBeenCalledTimes(1);
  stop();
});
