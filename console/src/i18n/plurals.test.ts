import { expect, test } from 'vitest';
import { wordsIn } from './words.ts';

const files = import.meta.glob<Record<string, unknown>>(['../**/*words.ts', '!./words.ts'], { eager: true });

const NUMBER =
  '\\{(?:allowed|bytes|connections|count|days|done|files|given|inflight|kept|levels|max|members|more|queued|removed|rows|shown|times|topics|total)\\}';
/** What is counted on the screens: behind a number it stands in both numbers. */
const COUNTED = new RegExp(
  `${NUMBER} (?:\\w+ )?(?:alarms|arguments|attributes|bytes|characters|clients|connections|counters|days|devices|entries|events|fields|files|hours|keys|levels|lines|members|messages|minutes|nodes|others|rows|rules|sessions|subscribers|subscriptions|topics|users|values|versions)\\b`,
);
const VERB = new RegExp(`${NUMBER} (?:are|do|have|wait|were)\\b`);
/** Never one: limits that are much higher. */
const NEVER_ONE = [
  'The last {max} events',
  'of at most {max} topics',
  'the {files} files that may be open',
  'the newest {kept} are kept',
  'Only the first {count} are shown',
  '{min} to {max} characters',
];

test('a text with a count has words for one', () => {
  const wrong: string[] = [];
  for (const [file, exported] of Object.entries(files))
    for (const words of Object.values(exported))
      for (const [name, text] of Object.entries(words ?? {})) {
        const { en } = text as { en?: unknown };
        if (typeof en !== 'string' || NEVER_ONE.some((known) => en.includes(known))) continue;
        if (COUNTED.test(en) || VERB.test(en)) wrong.push(`${file} ${name}: ${en}`);
      }
  expect(Object.keys(files).length).toBeGreaterThan(50);
  expect(wrong).toEqual([]);
});

test('one that was written out chooses its word too', () => {
  const words = { rows: { en: '{rows} {rows|row|rows}', zh: '{rows} 行' } } as const;
  const { rows } = wordsIn(words, 'en');
  expect([rows({ rows: '1' }), rows({ rows: '1,204' })]).toEqual(['1 row', '1,204 rows']);
});
