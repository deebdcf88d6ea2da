import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';

const css = readFileSync(path.join(import.meta.dirname, 'tokens.css'), 'utf8');

function tokensOf(theme: string): Map<string, string> {
  const block = new RegExp(`:root\\[data-theme="${theme}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? '';
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map((match) => [match[1]!, match[2]!]));
}

/** Relative luminance as WCAG defines it. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

const surfaces = ['page', 'panel', 'raised', 'hover'];
const states = ['good', 'warn', 'bad', 'off', 'busy'];
const textPairs = [
  ...surfaces.flatMap((surface) =>
    ['text', 'text-secondary', 'text-faint'].map((text) => [text, surface] as const),
  ),
  ...['page', 'panel', 'raised', 'accent-soft'].map((surface) => ['accent', surface] as const),
  ...['good', 'warn', 'bad', 'off'].map((state) => [state, `${state}-soft`] as const),
  ...states.map((state) => [state, 'panel'] as const),
  // Colours of the editor's languages: written on a panel, read only on the page.
  ...[1, 2, 3, 4, 5].flatMap((nr) => ['panel', 'page'].map((surface) => [`series-${nr}`, surface] as const)),
  ['on-accent', 'accent'] as const,
  ['on-accent', 'accent-hover'] as const,
  ['on-bad', 'bad'] as const,
  ['on-bad', 'bad-hover'] as const,
  ...['accent-soft', 'good-soft', 'warn-soft', 'bad-soft', 'off-soft'].map((soft) => ['text', soft] as const),
];
const markPairs = [
  ...states.flatMap((state) => surfaces.map((surface) => [state, surface] as const)),
  ...[1, 2, 3, 4, 5, 6].map((nr) => [`series-${nr}`, 'panel'] as const),
  ...['page', 'panel'].map((surface) => ['control-line', surface] as const),
];

describe.each(['dark', 'light'])('in the %s theme', (theme) => {
  const tokens = tokensOf(theme);
  const of = (name: string): string => {
    const value = tokens.get(name);
    if (!value) throw new Error(`${theme} has no --${name}`);
    return value;
  };
  test.each(textPairs)('%s can be read on %s', (text, surface) => {
    expect(contrast(of(text), of(surface))).toBeGreaterThanOrEqual(4.5);
  });
  test.each(markPairs)('the mark %s is seen on %s', (mark, surface) => {
    expect(contrast(of(mark), of(surface))).toBeGreaterThanOrEqual(3);
  });
});

test('both themes have the same tokens', () => {
  expect([...tokensOf('light').keys()]).toEqual([...tokensOf('dark').keys()]);
});
