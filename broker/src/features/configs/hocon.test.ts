import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HoconError, type HoconObject, mergeInto, readHocon } from './hocon-reader.ts';
import { writeHocon } from './hocon-writer.ts';

describe('what is written is read', () => {
  const cases: [string, string, HoconObject][] = [
    ['nothing', ' \n# only a comment\n', {}],
    [
      'numbers, switches and words',
      'a = 1\nb: -2.5e3\nc = true\nd=null\n',
      { a: 1, b: -2500, c: true, d: null },
    ],
    [
      'durations, sizes, shares and rates without quotes',
      'a = 1h30m, b = 10MB\nc = 80%\nd = 1000/1m\ne = 007',
      { a: '1h30m', b: '10MB', c: '80%', d: '1000/1m', e: '007' },
    ],
    ['several words are one text', 'a = two  words # not this\nb = x "y z"', { a: 'two  words', b: 'x y z' }],
    ['quotes keep what is in them', 'a = "# ${x} \\"1\\" \\u00fc"\nb = "1"', { a: '# ${x} "1" ü', b: '1' }],
    ['blocks with and without =', 'a { b = 1 }\nc = { d { e = 2 } }', { a: { b: 1 }, c: { d: { e: 2 } } }],
    ['paths', 'a.b.c = 1\na."b.c".d = 2', { a: { b: { c: 1 }, 'b.c': { d: 2 } } }],
    [
      'what comes twice is joined, or replaced',
      'a { b = 1, c = 2 }\na { b = 3 }\nd = [1]\nd = [2]',
      {
        a: { b: 3, c: 2 },
        d: [2],
      },
    ],
    [
      'lists',
      'a = []\nb = [1, two, "three",]\nc = [\n {x = 1}\n {x = 2}\n]\nd = [[1], [2]]',
      {
        a: [],
        b: [1, 'two', 'three'],
        c: [{ x: 1 }, { x: 2 }],
        d: [[1], [2]],
      },
    ],
    ['comments of both kinds', '// one\na = 1 // two\n# three\nb = 2', { a: 1, b: 2 }],
    ['texts of several lines', 'a = """one\n  "two"\n"""\nb = """x"""""', { a: 'one\n  "two"\n', b: 'x""' }],
    ['texts of several lines, moved in', 'a = """~\n    one\n      two\n  ~"""', { a: 'one\n  two\n' }],
    ['JSON', '{"a": {"b": [1, "x", null]}, "c": true}', { a: { b: [1, 'x', null] }, c: true }],
    ['lines as Windows ends them, and a mark of byte order', '\uFEFFa = 1\r\nb = x\r\n', { a: 1, b: 'x' }],
    [
      'names that objects have of themselves',
      'constructor = 1\ntoString { a = 1 }',
      {
        constructor: 1 as unknown as never,
        toString: { a: 1 } as unknown as never,
      },
    ],
  ];
  for (const [name, text, value] of cases)
    test(name, () => {
      expect(readHocon(text)).toEqual(value);
    });
});

describe('what cannot be read says in which line', () => {
  const cases: [string, string, number, RegExp][] = [
    ['a value that is missing', 'alarm { size_limit = \n', 1, /value is missing/],
    ['a block that is never closed', 'a = 1\nb {\n c = 1\n', 2, /\{ is never closed/],
    ['a list that is never closed', 'a = [1,\n2', 1, /\[ is never closed/],
    ['a text that is never closed', '\na = "x\n"', 2, /never closed/],
    ['a text of several lines that is never closed', 'a = """x', 1, /never closed/],
    ['one brace too many', 'a = 1\n}', 2, /no room for "}"/],
    ['two fields side by side', 'a = 1\nb = {} c = 2', 2, /comma or a new line/],
    ['two commas', 'a = 1,, b = 2', 1, /between two commas/],
    ['a name without a value', 'a = 1\nb\n', 2, /no = behind b/],
    ['a sign that needs quotes', '\n\na = http://x', 3, /":" must stand in quotes/],
    ['a substitution', 'a = ${b}', 1, /not understood/],
    ['another file', 'include "other.conf"', 1, /include is not understood/],
    ['an addition', 'a += 1', 1, /\+= is not understood/],
    ['a wrong escape', 'a = "\\x"', 1, /means nothing/],
    ['a name that is none', '__proto__ { a = 1 }', 1, /is no name/],
    ['a path without names', 'a..b = 1', 1, /name is missing/],
  ];
  for (const [name, text, line, reason] of cases)
    test(name, () => {
      expect(() => readHocon(text)).toThrow(reason);
      try {
        readHocon(text);
      } catch (error) {
        expect(error).toBeInstanceOf(HoconError);
        expect((error as HoconError).line).toBe(line);
      }
    });
});

test('what is nested very deep is refused, not a failure', () => {
  const deep = [
    '['.repeat(100_000),
    '{a='.repeat(100_000),
    `${'a.'.repeat(100_000)}a = 1`,
    `a = ${'['.repeat(1e5)}`,
  ];
  for (const text of deep) expect(() => readHocon(text), text.slice(0, 10)).toThrow(HoconError);
});

test('texts of any signs are read or refused, and never change what all objects have', () => {
  const signs = fc.array(fc.constantFrom(...'{}[]=:,."\\#/$ \n\r\tab1_~+', '"""', '__proto__'), {
    maxLength: 60,
  });
  fc.assert(
    fc.property(signs, (some) => {
      try {
        readHocon(some.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(HoconError);
      }
      expect(({} as Record<string, unknown>).a).toBeUndefined();
    }),
  );
});

describe('the writer', () => {
  test('writes blocks in order, short things on one line, words bare', () => {
    const value = {
      b: { y: 1, x: 'disabled' },
      a: {},
      c: [],
      d: { only: '60s' },
      e: [{ k: 'true' }],
      'f.g': [1, 'a b'],
    };
    expect(writeHocon(value)).toBe(
      [
        'a {}',
        'b {',
        '  x = disabled',
        '  y = 1',
        '}',
        'c = []',
        'd {only = "60s"}',
        'e = [',
        '  {k = "true"}',
        ']',
        '"f.g" = [1, "a b"]',
        '',
      ].join('\n'),
    );
  });

  test('keeps the lines of long texts', () => {
    const pem = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
    expect(writeHocon({ pem })).toBe(`pem = """${pem}"""\n`);
  });

  test('writes what the reader reads, whatever the values', () => {
    const leaf = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', '\n', '~', 'a', '\\', ' ', '#', '\r') }),
      fc.integer(),
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .map((number) => (Object.is(number, -0) ? 0 : number)),
      fc.boolean(),
      fc.constant(null),
    );
    const key = fc.string().filter((name) => name !== '__proto__');
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('tree')),
        fc.dictionary(key, tie('tree'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, tree, { noNullPrototype: true }), (value) => {
        const object = value as HoconObject;
        expect(readHocon(writeHocon(object))).toEqual(object);
      }),
    );
  });
});

test('joining two configurations joins blocks and replaces the rest', () => {
  const both: HoconObject = { a: { b: 1, c: [1] }, d: 1 };
  mergeInto(both, { a: { c: [2] }, d: { e: 1 } });
  expect(both).toEqual({ a: { b: 1, c: [2] }, d: { e: 1 } });
});
