import { expect, test, vi } from 'vitest';
import { CHUNK_TIMEOUT_MS, lazyPage } from './lazy-page.ts';

const preloadOf = (component: unknown) => (component as { preload: () => Promise<unknown> }).preload();

test('a page that does not arrive in 120 seconds is given up', async () => {
  vi.useFakeTimers();
  const page = lazyPage(() => new Promise<{ Page: () => null }>(() => undefined), 'Page');
  const outcome = vi.fn();
  preloadOf(page).then(outcome, outcome);
  await vi.advanceTimersByTimeAsync(CHUNK_TIMEOUT_MS - 1);
  expect(outcome).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(outcome).toHaveBeenCalled();
});

test('a page that arrives leaves no timer behind', async () => {
  vi.useFakeTimers();
  await preloadOf(lazyPage(async () => ({ Page: () => null }), 'Page'));
  expect(vi.getTimerCount()).toBe(0);
});
