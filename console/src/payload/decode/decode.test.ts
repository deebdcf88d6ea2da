import { encode as encodeMessagePack } from '@msgpack/msgpack';
import { encode as encodeCbor } from 'cborg';
import { describe, expect, test } from 'vitest';
import { decode, guess } from './decode.ts';
import { numericFields, plain } from './plain.ts';
import { decodeMessage, readSchema } from './protobuf.ts';
import { decodeSparkplug } from './sparkplug.ts';

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

describe('a payload is read as', () => {
  const value = { a: 1, b: [true, null, 'x'], c: { d: -2.5 } };

  test('JSON, CBOR or MessagePack, and so guessed', () => {
    const given = {
      json: text(JSON.stringify(value)),
      cbor: encodeCbor(value),
      msgpack: encodeMessagePack(value),
    };
    for (const how of ['json', 'cbor', 'msgpack'] as const) {
      expect(decode(given[how], how)).toEqual({ value });
      expect(guess(given[how], 't')).toBe(how);
    }
  });

  test('nothing where it is a text, or bytes of no kind', () => {
    expect(guess(text('21.5 degrees'), 't')).toBeNull();
    expect(guess(new Uint8Array(), 't')).toBeNull();
    expect(guess(bytesOf('ff00ff'), 't')).toBeNull();
    expect(decode(text('{'), 'json')).toHaveProperty('fault');
    expect(decode(bytesOf('a1'), 'cbor')).toHaveProperty('fault');
    expect(decode(bytesOf('c1'), 'msgpack')).toHaveProperty('fault');
  });

  test('what JSON cannot say becomes a text', () => {
    expect(
      plain({ a: 2n ** 60n, b: new Uint8Array([1, 255]), c: Number.NaN, d: new Map([[1, 2n]]) }),
    ).toEqual({
      a: '1152921504606846976',
      b: '0x01ff',
      c: 'NaN',
      d: { '1': 2 },
    });
    // 1(1363896240): a moment of RFC 8949, appendix A
    expect(decode(bytesOf('c11a514b67b0'), 'cbor')).toEqual({ value: '2013-03-21T20:04:00.000Z' });
  });

  test('a bomb of nested lists is refused, and nothing falls over', () => {
    const deep = new Uint8Array(100_000).fill(0x81);
    expect(decode(deep, 'cbor')).toHaveProperty('fault');
    expect(decode(deep.fill(0x91), 'msgpack')).toHaveProperty('fault');
  });
});

describe('Protobuf', () => {
  const schema = readSchema(`
    syntax = "proto3";
    package plant;
    enum Mode { OFF = 0; ON = 1; }
    message Reading {
      message Place { string hall = 1; sint32 level = 2; }
      double value = 1;
      repeated int32 samples = 2;
      Mode mode = 3;
      Place place = 4;
      map<string, uint32> counts = 5;
      fixed32 stamp = 6;
      int32 below = 7;
    }
  `);

  test('is read by its schema: packed lists, maps, enums, nested and negative values', () => {
    const bytes = bytesOf(
      '09000000000000f83f' + // value 1.5
        '120301ac02' + // samples packed: 1, 300
        '1801' + // mode ON
        '22050a01411003' + // place { hall "A", level -2 }
        '2a050a01611007' + // counts { a: 7 }
        '3501000000' + // stamp 1
        '38ffffffffffffffffff01' + // below -1
        '4a0178', // unknown field 9
    );
    expect(schema.messages).toEqual(['plant.Reading', 'plant.Reading.Place']);
    expect(plain(decodeMessage(schema, 'plant.Reading', bytes))).toEqual({
      value: 1.5,
      samples: [1, 300],
      mode: 'ON',
      place: { hall: 'A', level: -2 },
      counts: { a: 7 },
      stamp: 1,
      below: -1,
      '#9': ['0x78'],
    });
  });

  test('says what is wrong', () => {
    expect(() => decodeMessage(schema, 'plant.Reading', bytesOf('0900'))).toThrow(/middle of a field/);
    expect(() => decodeMessage(schema, 'plant.Reading', bytesOf('0801'))).toThrow(/wire type/);
    expect(() => decodeMessage(schema, 'none', bytesOf('08'))).toThrow(/no message/);
    expect(() => readSchema('message {')).toThrow();
    expect(decode(bytesOf('0801'), 'protobuf')).toEqual({ fault: 'no schema' });
  });
});

describe('Sparkplug B', () => {
  test('metrics have a value, whatever they travelled as', () => {
    // timestamp 1, a metric "s" of type Int32 with int_value -10, seq 0
    const bytes = bytesOf('0801120b0a0173200350f6ffffff0f1800');
    expect(plain(decodeSparkplug(bytes))).toEqual({
      timestamp: 1,
      metrics: [{ name: 's', datatype: 3, value: -10 }],
      seq: 0,
    });
    expect(guess(bytes, 'spBv1.0/g/DDATA/n')).toBe('sparkplug');
    expect(guess(bytes, 'else')).toBeNull();
  });
});

test('every number of a value has a place', () => {
  const value = { a: 1, on: true, list: [2, { name: 'speed', value: 3 }], text: 'x' };
  expect(numericFields(value)).toEqual([
    { path: 'a', value: 1 },
    { path: 'on', value: 1 },
    { path: 'list[0]', value: 2 },
    { path: 'list[speed].value', value: 3 },
  ]);
  expect(numericFields(21.5)).toEqual([{ path: 'value', value: 21.5 }]);
});
