import { expect, test } from 'vitest';
import { sameJson } from './same-json.ts';

test('values with the same JSON are the same', () => {
  const same: [unknown, unknown][] = [
    [1, 1],
    [
      { a: 1, b: [{}] },
      { b: [{}], a: 1 },
    ],
    [{ a: undefined }, {}],
    [{}, { a: undefined }],
  ];
  for (const [a, b] of same) expect(sameJson(a, b), JSON.stringify([a, b])).toBe(true);
  const others: [unknown, unknown][] = [
    [1, '1'],
    [null, {}],
    [[], {}],
    [[1], [1, 2]],
    [[1, 2], [1]],
    [{ a: null }, {}],
    [{ a: { b: 1 } }, { a: { b: 2 } }],
    [{ a: 1 }, { a: 1, b: 2 }],
  ];
  for (const [a, b] of others) expect(sameJson(a, b), JSON.stringify([a, b])).toBe(false);
});

test('what two versions of a section share is not looked into', () => {
  let looks = 0;
  const shared = Object.defineProperty({}, 'field', {
    enumerable: true,
    get: () => ++looks,
  });
  expect(sameJson({ shared, a: 1 }, { shared, a: 2 })).toBe(false);
  expect(sameJson({ a: [shared] }, { a: [shared] })).toBe(true);
  expect(looks).toBe(0);
});
