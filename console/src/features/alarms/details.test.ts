import { expect, test } from 'vitest';
import { detailsText } from './details.ts';

test('details are pairs, whatever a broker sends', () => {
  expect(detailsText({ usage: '98.9%', high_watermark: 80 })).toBe('usage: 98.9% · high_watermark: 80');
  expect(detailsText({ nested: { a: [1] } })).toBe('nested: {"a":[1]}');
  expect(detailsText('plain')).toBe('plain');
  expect(detailsText(null)).toBe('');
  expect(detailsText({ trick: 'pay\u202eexe' })).toBe('trick: pay\\u202eexe');
});
