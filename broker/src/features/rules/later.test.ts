import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { Later } from './later.ts';

test('what waits runs in its order, with what it adds itself, and not at once', async () => {
  const later = new Later();
  const ran: string[] = [];
  const add = (name: string, next?: () => void) =>
    later.add({
      bytes: 1,
      run: () => {
        ran.push(name);
        next?.();
      },
    });
  add('a', () => add('c', () => add('d')));
  add('b');
  expect(ran).toEqual([]);
  await vi.waitFor(() => expect(ran).toEqual(['a', 'b', 'c', 'd']));
  add('e');
  await vi.waitFor(() => expect(ran.at(-1)).toBe('e'));
});

test('too many bytes are refused until some have run', async () => {
  const later = new Later();
  let ran = 0;
  const large = { bytes: 40 * 1024 ** 2, run: () => void ran++ };
  expect([later.add(large), later.add(large)]).toEqual([true, false]);
  await vi.waitFor(() => expect(ran).toBe(1));
  expect(later.add(large)).toBe(true);
});

test('what is cleared does not run', async () => {
  const later = new Later();
  const run = vi.fn();
  later.add({ bytes: 1, run });
  later.clear();
  await nextTurn();
  await nextTurn();
  expect(run).not.toHaveBeenCalled();
});
