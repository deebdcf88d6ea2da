import { expect, test } from 'vitest';
import {
  formatBytes,
  formatDuration,
  formatDurationShort,
  formatNumber,
  formatRate,
  formatRelative,
  formatTime,
} from './format.ts';
import { visibleText } from './visible-text.ts';

test('a span is spelt out without parts of zero', () => {
  expect(formatDuration(93_784_000, 'en')).toBe('1 day 2 hours 3 minutes 4 seconds');
  expect(formatDuration(86_403_000, 'en')).toBe('1 day 3 seconds');
  expect(formatDurationShort(93_784_000, 'en')).toBe('1d 2h');
  expect(formatDuration(120, 'en')).toBe('120 milliseconds');
  expect(formatDuration(Number.NaN, 'en')).toBe('–');
});

test('in Chinese a space stands between a number and its unit', () => {
  expect(formatDuration(305_000, 'zh')).toBe('5 分钟 5 秒');
  expect(formatDurationShort(93_784_000, 'zh')).toMatch(/^1 天 2 \p{Script=Han}+$/u);
  const now = Date.parse('2026-11-21T03:27:05Z');
  expect(formatRelative('2026-11-21T03:24:00Z', 'zh', now)).toBe('3 分钟前');
});

test('sizes go in steps of 1024', () => {
  expect(formatBytes(1023, 'en')).toBe('1,023 B');
  expect(formatBytes(1536, 'en')).toBe('1.5 KB');
  expect(formatBytes(1024 ** 3, 'en')).toBe('1 GB');
});

test('numbers are grouped, rates are as exact as they are small', () => {
  expect(formatNumber(1_234_567, 'en')).toBe('1,234,567');
  expect(formatRate(0.456, 'en')).toBe('0.46');
  expect(formatRate(12.34, 'en')).toBe('12.3');
  expect(formatRate(1234.5, 'en')).toBe('1,235');
});

test('times say their zone and relative times their direction', () => {
  expect(formatTime('2026-11-21T03:27:05Z', 'en')).toMatch(/2026.* UTC/);
  const now = Date.parse('2026-11-21T03:27:05Z');
  expect(formatRelative('2026-11-21T03:24:00Z', 'en', now)).toBe('3 minutes ago');
  expect(formatRelative('2026-11-21T05:27:05Z', 'en', now)).toBe('in 2 hours');
  expect(formatRelative('nonsense', 'en', now)).toBe('–');
});

test('characters that hide or turn text round become visible', () => {
  expect(visibleText('a\u202eb\u0000c\u200bd')).toBe('a\\u202eb\\u0000c\\u200bd');
  expect(visibleText('传感器-1 é 😀')).toBe('传感器-1 é 😀');
});
