import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { placeFaults } from './faults.ts';
import { newPair, objectOf, pairFaults, pairsOf } from './key-value.ts';
import {
  byteRateParts,
  durationParts,
  joined,
  joinedByteRate,
  parseByteRate,
  sizeParts,
} from './measures.ts';
import { parseNumber } from './numbers.ts';
import { choicesFrom, fromChoice, toChoice } from './options.ts';
import { bodyOf, factsOf, schemaAt } from './schema-facts.ts';
import { holdsMask, isStored } from './secret.ts';
import { isServerPath, tlsBody } from './tls-body.ts';
import { changedNames, same, valueAt, withValue } from './values.ts';

const units = ['ms', 's', 'm', 'h'] as const;

describe('a duration', () => {
  test.each([
    ['15s', '15', 's'],
    ['60s', '60', 's'],
    ['1h30m', '90', 'm'],
    ['7d', '168', 'h'],
    [90_000, '90', 's'],
    ['0s', '0', 's'],
    [0, '0', 's'],
  ])('%s is shown as %s %s', (value, amount, unit) => {
    expect(durationParts(value, units)).toEqual({ amount, unit });
  });

  test.each([[''], ['infinity'], ['1.5s'], [undefined], [null], [{}]])('%s is none', (value) => {
    expect(durationParts(value, units)).toBeNull();
  });

  test('becomes one text again, empty where nothing is said', () => {
    expect(joined({ amount: ' 15 ', unit: 's' })).toBe('15s');
    expect(joined({ amount: '', unit: 's' })).toBe('');
    expect(joined({ amount: '1000', unit: 'B' })).toBe('1000');
  });
});

test.each([
  ['1MB', '1', 'MB'],
  ['1024kb', '1024', 'KB'],
  [1_048_576, '1', 'MB'],
  [1000, '1000', 'B'],
])('the size %s is shown as %s %s', (value, amount, unit) => {
  expect(sizeParts(value)).toEqual({ amount, unit });
});

test.each([['0x10'], ['1e3'], ['Infinity'], ['１２'], ['1 000'], ['1,000'], ['--1'], [''], ['.5']])(
  '%s is no number',
  (text) => {
    expect(parseNumber(text)).toBeNull();
  },
);

test('numbers with blanks around, signs and decimals are numbers', () => {
  expect([' 42 ', '-3', '0.25', '007'].map((text) => parseNumber(text))).toEqual([42, -3, 0.25, 7]);
});

test('a rate of bytes is a number and a unit, and the same text again', () => {
  for (const [text, amount, unit] of [
    ['10MB/s', '10', 'MB/s'],
    ['512kb/s', '512', 'kb/s'],
    ['1000/s', '1000', 'B/s'],
    ['1GB/10m', '1', 'GB/10m'],
  ] as const) {
    const parts = byteRateParts(text);
    expect(parts).toEqual({ amount, unit });
    expect(joinedByteRate(parts!)).toBe(text);
    expect(parseByteRate(text)).toBe(Number(amount));
  }
  for (const none of ['infinity', '10', 'MB/s', '1.5MB/s', '10 MB/s', '', 7])
    expect(byteRateParts(none)).toBeNull();
  expect(joinedByteRate({ amount: ' ', unit: 'MB/s' })).toBe('');
});

describe('keys and values', () => {
  test('survive the names of the language itself', () => {
    const pairs = [newPair('__proto__', 'x'), newPair('constructor', 'y')];
    expect(Object.entries(objectOf(pairs))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });

  test('say which row repeats a key and which has none', () => {
    const pairs = [newPair('a', '1'), newPair('', '2'), newPair('a', '3'), newPair()];
    expect(pairFaults(pairs)).toEqual(
      new Map<number, object>([
        [pairs[1]!.id, { kind: 'empty' }],
        [pairs[2]!.id, { kind: 'duplicate', key: 'a' }],
      ]),
    );
    expect(pairsOf({ a: 1 }).map(({ key, value }) => [key, value])).toEqual([['a', '1']]);
  });
});

describe('what the contract says', () => {
  const schema = z.strictObject({
    name: z.string(),
    note: z.optional(z.string()),
    count: z._default(z.number().check(z.int(), z.gte(1), z.lte(9)), 3),
    state: z.enum(['a', 'b']),
    deep: z.optional(
      z.strictObject({ list: z.array(z.strictObject({ topic: z.string().check(z.minLength(2)) })) }),
    ),
    open: z.optional(z.looseObject({ known: z.optional(z.string()) })),
  });

  test('of a field are its limits, default and choices', () => {
    expect(factsOf(schemaAt(schema, 'count'))).toMatchObject({
      kind: 'number',
      optional: true,
      standard: 3,
      integer: true,
      min: 1,
      max: 9,
    });
    expect(factsOf(schemaAt(schema, 'state')).choices).toEqual(['a', 'b']);
    expect(factsOf(schemaAt(schema, 'deep.list.0.topic')).min).toBe(2);
    expect(schemaAt(schema, 'nowhere.x')).toBeUndefined();
  });

  test('is all that is sent, however deep', () => {
    expect(
      bodyOf(schema, {
        name: '',
        note: '',
        status: 'connected',
        deep: { list: [{ topic: 't', node: 'x' }], more: 1 },
        open: { known: '', other: 1 },
      }),
    ).toEqual({ name: '', deep: { list: [{ topic: 't' }] }, open: { other: 1 } });
  });

  test('a text that was emptied is sent where what is left out would stay; an emptied number never is', () => {
    const change = z.strictObject({
      note: z.optional(z.string()),
      max: z.optional(z.number()),
      deep: z.optional(z.strictObject({ path: z.optional(z.string()) })),
    });
    const typed = { note: '', max: '', deep: { path: '' } };
    expect(bodyOf(change, typed, true)).toEqual({ note: '', deep: { path: '' } });
    expect(bodyOf(change, typed)).toEqual({ deep: {} });
  });
});

describe('of several shapes', () => {
  const base = { note: z.optional(z.string()) };
  const schema = z.discriminatedUnion('kind', [
    z.strictObject({ ...base, kind: z._default(z.literal('one'), 'one'), server: z.string() }),
    z.discriminatedUnion('way', [
      z.strictObject({ ...base, kind: z.literal('many'), way: z.literal('a'), servers: z.string() }),
      z.strictObject({
        ...base,
        kind: z.literal('many'),
        way: z.literal('b'),
        name: z.string().check(z.minLength(2)),
      }),
    ]),
  ]);

  test('a field is found in the one that has it', () => {
    expect(factsOf(schemaAt(schema, 'name')).min).toBe(2);
    expect(schemaAt(schema, 'nowhere')).toBeUndefined();
  });

  test('only what belongs to the shape chosen is sent', () => {
    const typed = { note: '', server: 's', servers: 'a,b', name: 'rs' };
    expect(bodyOf(schema, { ...typed, kind: 'one' })).toEqual({ kind: 'one', server: 's' });
    expect(bodyOf(schema, { ...typed, kind: 'many', way: 'b' })).toEqual({
      kind: 'many',
      way: 'b',
      name: 'rs',
    });
    expect(bodyOf(schema, { ...typed, kind: 'other' })).toEqual({ ...typed, kind: 'other' });
  });
});

test('faults find their field by path, by a prefix of the broker, and inside a field', () => {
  const fault = (path: string): ValidationFault => ({ kind: 'validation_error', path, reason: 'r' });
  const { placed, over } = placeFaults(
    [fault('root.max'), fault('a.topics.2'), fault('list.1.topic'), fault('elsewhere')],
    ['max', 'topics', 'list.0.topic'],
  );
  expect([...placed.keys()]).toEqual(['max', 'topics', 'list.0.topic']);
  expect(over.map(({ path }) => path)).toEqual(['elsewhere']);
});

test('choices come from plain values, options and pages of things; true and false come back as what they are', () => {
  expect(choicesFrom(['a', 1, true]).map(({ value }) => value)).toEqual(['a', 1, true]);
  expect(choicesFrom({ data: [{ id: 'r1', name: 'Rule' }, null, 7] })).toEqual([
    { value: 'r1', label: 'Rule' },
    { value: 7 },
  ]);
  expect(choicesFrom('nonsense')).toEqual([]);
  const options = [{ value: true }, { value: false }];
  expect(fromChoice(toChoice(false), options)).toBe(false);
  expect(fromChoice('', options)).toBe('');
});

test('only six asterisks alone stand for the stored secret', () => {
  expect(isStored('******')).toBe(true);
  expect(['******x', '***', 'a*****b'].map(holdsMask)).toEqual([true, true, true]);
  expect(['******', 'p*ss**', ''].map(holdsMask)).toEqual([false, false, false]);
});

test('a TLS block that is off says nothing else; one that is on says nothing empty', () => {
  expect(tlsBody({ enable: false, certfile: 'x' })).toEqual({ enable: false });
  expect(tlsBody({ enable: true, certfile: 'x', keyfile: '' })).toEqual({ enable: true, certfile: 'x' });
  expect(isServerPath('/etc/certs/a.pem')).toBe(true);
  expect(isServerPath('-----BEGIN CERTIFICATE-----\nMII')).toBe(false);
});

test('what changed is what differs to an operator', () => {
  expect(same({ a: [1, { b: '' }] }, { a: [1, {}] })).toBe(true);
  expect(same([1], { 0: 1 })).toBe(false);
  expect(changedNames(['a', 'b.c'], { a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 } })).toEqual(['b.c']);
  expect(valueAt(withValue({ a: { x: 1 } }, 'a.b', 2), 'a')).toEqual({ x: 1, b: 2 });
});
