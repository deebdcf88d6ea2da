import { expect, test } from 'vitest';
import { momentOf, placeBefore, placeOf } from './use-waiting-messages.ts';

test('the place of a message is that of the API, in a queue with its priority', () => {
  expect(placeOf({ inserted_at: '1716187698257189921', mqueue_priority: 0 })).toBe('1716187698257189921_0');
  expect(placeOf({ inserted_at: '1716187698257189921', mqueue_priority: 'infinity' })).toBe(
    '1716187698257189921_infinity',
  );
  expect(placeOf({ inserted_at: '1716187698257189921' })).toBe('1716187698257189921');
});

test('the place before it leaves out nothing between, and an address may hold anything', () => {
  expect(placeBefore('1716187698257189921_-3')).toBe('1716187698257189920_-3');
  expect(placeBefore('1716187698000000000')).toBe('1716187697999999999');
  for (const nonsense of ['', 'x', '1_', '1_0_0', '-1', '1e3', '9'.repeat(21)])
    expect(placeBefore(nonsense)).toBeUndefined();
});

test('nanoseconds become the milliseconds of the same moment', () => {
  expect(momentOf('1716187698257189921')).toBe(1_716_187_698_257);
  for (const nothing of [undefined, '', 'now', '12']) expect(momentOf(nothing)).toBeUndefined();
});
