import { expect, test } from 'vitest';
import { JsonItemsReader } from './json-items.ts';

test('items of a JSON array are found wherever the text is cut', () => {
  const items = [{ a: '[{,}]"\\' }, [1, [2]], 'x,]', 7, null, true, { ü: '\u00fc' }, {}];
  const text = ` ${JSON.stringify(items, null, 1)}\n `;
  for (const size of [1, 2, 3, 7, 1000]) {
    const reader = new JsonItemsReader();
    const found: unknown[] = [];
    for (let at = 0; at < text.length; at += size) found.push(...reader.take(text.slice(at, at + size)));
    reader.end();
    expect(found).toEqual(items);
  }
});
