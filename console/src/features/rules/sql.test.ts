import { columnsOf } from '@mqdeck/rulesql/events';
import { arities } from '@mqdeck/rulesql/signatures';
import { run } from '@mqdeck/rulesql/testing';
import { describe, expect, test } from 'vitest';
import { wordsIn } from '../../i18n/words.ts';
import { examples } from './examples.ts';
import { functionDocs } from './function-docs.ts';
import { problemsOf } from './problems.ts';
import { copyId } from './rule-ids.ts';
import { partsOf, type SqlParts, sqlOf, topicFor, withSource } from './sql-parts.ts';
import { sqlWords } from './sql-words.ts';
import { explainIn, suggestFor } from './suggest.ts';

const w = wordsIn(sqlWords, 'en');

describe('a statement becomes a form and comes back', () => {
  test.each<[string, string]>([
    ['SELECT * FROM "t/#"', 'SELECT\n  *\nFROM\n  "t/#"'],
    [
      `select a, concat(b, ',') as c from "t/1", 't/2' where a > 1`,
      `SELECT\n  a,\n  concat(b, ',') as c\nFROM\n  "t/1",\n  "t/2"\nWHERE\n  a > 1`,
    ],
    [
      'FOREACH payload.l as it DO it.a, it.b as b INCASE it.a > 1 FROM "x" WHERE qos = 1',
      'FOREACH\n  payload.l as it\nDO\n  it.a,\n  it.b as b\nINCASE\n  it.a > 1\nFROM\n  "x"\nWHERE\n  qos = 1',
    ],
    // Words of the grammar within texts and paths are no clauses.
    [
      `SELECT ' FROM "x" WHERE ' as a, payload.from as b FROM "t" WHERE a = 'FROM'`,
      `SELECT\n  ' FROM "x" WHERE ' as a,\n  payload.from as b\nFROM\n  "t"\nWHERE\n  a = 'FROM'`,
    ],
    [
      'SELECT a, -- the first, FROM them\n b FROM "t"',
      'SELECT\n  a, -- the first, FROM them\n b\nFROM\n  "t"',
    ],
    [`SELECT * FROM 'a"b'`, `SELECT\n  *\nFROM\n  'a"b'`],
  ])('%s', (sql, composed) => {
    const parts = partsOf(sql) as SqlParts;
    expect(sqlOf(parts)).toBe(composed);
    expect(sqlOf(partsOf(composed) as SqlParts)).toBe(composed);
  });

  test('what cannot be read, or would lose its comments, stays SQL', () => {
    expect(partsOf('SELECT FROM "t"')).toBe('syntax');
    expect(partsOf('-- why\nSELECT * FROM "t"')).toBe('comments');
    expect(partsOf('SELECT * FROM "a", -- and\n "b"')).toBe('comments');
  });

  test('a comment behind the last field does not swallow what follows', () => {
    const sql = sqlOf({ ...(partsOf('SELECT * FROM "t"') as SqlParts), fields: 'a -- last', where: 'a = 1' });
    expect(partsOf(sql)).toMatchObject({ fields: 'a -- last', sources: ['t'], where: 'a = 1' });
  });
});

test('a source is added behind FROM once, whatever stands behind it', () => {
  const sql = 'SELECT * FROM "t/#" WHERE a = 1';
  const more = 'SELECT * FROM "t/#", "$events/client_connected" WHERE a = 1';
  expect(withSource(sql, '$events/client_connected')).toBe(more);
  expect(withSource(more, '$events/client_connected')).toBe(more);
  expect(withSource('SELECT *', 't')).toBeNull();
});

test('a topic for a test is one that the filter lets through', () => {
  expect(topicFor('a/+/b/#')).toBe('a/a/b/a');
  expect(topicFor('#')).toBe('a');
  expect(topicFor('$share/g/t/+')).toBe('t/a');
});

describe('the editor says', () => {
  const said = (sql: string) =>
    problemsOf(sql, w).map(({ line, column, endColumn, severity, text }) => ({
      at: `${line}:${column}-${endColumn}`,
      severity,
      text,
    }));
  test.each([
    ['SELECT *\nFRM "t"', '2:1-4', 'error', 'This cannot stand here: FRM'],
    ['SELECT * FROM', '1:14-14', 'error', 'The statement ends too early'],
    ["SELECT 'a FROM t", '1:8-9', 'error', "A sign that cannot stand here, or an open quote: '"],
    [
      'SELECT\n  nofun(1) as a\nFROM "t"',
      '2:3-8',
      'warning',
      'There is no function nofun; the rule would fail on each message',
    ],
    ['SELECT concat(1) as a FROM "t"', '1:8-14', 'warning', 'concat takes 2 arguments, not 1'],
    [
      'SELECT payloda.x as a FROM "t"',
      '1:8-15',
      'warning',
      'The source has no column payloda; it will be the text “undefined”',
    ],
    [
      'SELECT * FROM "$events/nothing"',
      '1:15-32',
      'warning',
      'There is no event $events/nothing; nothing comes from it',
    ],
    ['SELECT * FROM "t/#/x"', '1:15-22', 'warning', 't/#/x is not a topic filter; no message matches it'],
  ])('%s', (sql, at, severity, text) => {
    expect(said(sql)).toEqual([{ at, severity, text }]);
  });

  test('nothing of columns that are there, names given above, and sources it does not know', () => {
    expect(said('SELECT clientid as c, c FROM "t" WHERE c = 1 and flags.retain = true')).toEqual([]);
    expect(said('FOREACH payload.l as it DO it.a as b FROM "t"')).toEqual([]);
    expect(said('SELECT key FROM "$bridges/kafka_consumer:k"')).toEqual([]);
    expect(said('')).toEqual([]);
  });
});

describe('the editor suggests', () => {
  const known = {
    events: [{ event: '$events/client_connected', title: 'Client connected' }],
    bridgeSources: ['$bridges/mqtt:in'],
  };
  const suggest = suggestFor(known, w, 'en');
  const labels = (before: string, rest = ' FROM "t"') =>
    suggest(before, before + rest)?.suggestions.map(({ label }) => label) ?? null;

  test('columns of the sources, names given above and functions among the fields', () => {
    const found = labels('SELECT pay');
    expect(found).toEqual(expect.arrayContaining([...columnsOf('t'), 'concat', 'FROM', 'AS']));
    expect(labels('SELECT ', ' FROM "$events/client_connected"')).toContain('keepalive');
    expect(labels('SELECT ', ' FROM "$events/client_connected"')).not.toContain('publish_received_at');
    expect(labels('SELECT payload.a as height, he')).toContain('height');
    expect(suggest('SELECT pay', '')?.length).toBe(3);
  });

  test('events and bridges behind FROM, with the quote closed', () => {
    const found = suggest('SELECT * FROM "$ev', 'SELECT * FROM "$ev');
    expect(found?.length).toBe(3);
    expect(found?.suggestions.map(({ insert }) => insert)).toEqual([
      't/#"',
      '$events/client_connected"',
      '$bridges/mqtt:in"',
    ]);
    expect(suggest('SELECT * FROM ', '')?.suggestions[1]?.insert).toBe('"$events/client_connected"');
  });

  test('nothing within texts, comments and paths', () => {
    expect(labels("SELECT 'pay")).toBeNull();
    expect(labels('SELECT a -- pay')).toBeNull();
    expect(labels('SELECT payload.')).toBeNull();
  });
});

test('every function of the language is explained in both languages, and no other', () => {
  expect(Object.keys(functionDocs).sort()).toEqual([...arities.keys()].sort());
  for (const { en, zh } of Object.values(functionDocs)) expect(`${en}${zh}`).toMatch(/^.+\..+。$/);
});

test('the pointer on a function is told its arguments, on a column of the same name nothing', () => {
  const sql = 'SELECT topic, concat(a, b) as c, mod(7, 2) as m FROM "t"';
  const explain = explainIn('en');
  expect(explain(sql, sql.indexOf('concat') + 2)).toMatchObject({
    start: sql.indexOf('concat'),
    title: 'concat(value, value)',
    text: 'Two values joined to one text.',
  });
  expect(explain(sql, sql.indexOf('mod') + 1)?.title).toBe('mod(integer, integer)');
  expect(explain(sql, sql.indexOf('topic'))).toBeNull();
  expect(explain("SELECT 'open", 3)).toBeNull();
});

test.each(examples.map((one) => [one.id, one] as const))(
  'the example %s makes what it says of what it says',
  (_, { sql, input, output }) => {
    expect(problemsOf(sql, w)).toEqual([]);
    expect(run(sql, input as never)).toEqual(output);
  },
);

test('copies are numbered from the second on, copies of copies too', () => {
  expect(copyId('a', [])).toBe('a_duplication');
  expect(copyId('a', ['a', 'a_duplication'])).toBe('a_duplication_1');
  expect(copyId('a_duplication', ['a_duplication', 'a_duplication_1'])).toBe('a_duplication_2');
});
