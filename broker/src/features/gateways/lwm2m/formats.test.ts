import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogBook } from '../../../testing/log-book.ts';
import { ContentFault, readContent, writeNewInstance, writeTlv } from './content.ts';
import { readObjectList, splitLinks } from './links.ts';
import { definitionsOf, ObjectBook, readObjects } from './objects.ts';
import { readPath, writePath } from './path.ts';
import { decodeTlv, encodeTlv, type Tlv, TlvFault } from './tlv.ts';
import { decodeValue, encodeValue, ValueFault } from './values.ts';
import { readXml, XmlFault } from './xml.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const book = new ObjectBook();

/** The example of LwM2M 1.0, 6.4.3.1: the Device object read at `/3/0`. */
const DEVICE = hex(
  `C8 00 14 4F 70 65 6E 20 4D 6F 62 69 6C 65 20 41 6C 6C 69 61 6E 63 65
   C8 01 16 4C 69 67 68 74 77 65 69 67 68 74 20 4D 32 4D 20 43 6C 69 65 6E 74
   C8 02 09 33 34 35 30 30 30 31 32 33 C3 03 31 2E 30 86 06 41 00 01 41 01 05
   88 07 08 42 00 0E D8 42 01 13 88 87 08 41 00 7D 42 01 03 84 C1 09 64 C1 0A 0F 83 0B 41 00 00
   C4 0D 51 82 42 8F C6 0E 2B 30 32 3A 30 30 C1 10 55`.replaceAll('\n', ''),
);

test('the example of the specification is read as it says, at the instance and within the object', () => {
  const expected = [
    { path: '/3/0/0', value: 'Open Mobile Alliance' },
    { path: '/3/0/1', value: 'Lightweight M2M Client' },
    { path: '/3/0/2', value: '345000123' },
    { path: '/3/0/3', value: '1.0' },
    { path: '/3/0/6/0', value: 1 },
    { path: '/3/0/6/1', value: 5 },
    { path: '/3/0/7/0', value: 3800 },
    { path: '/3/0/7/1', value: 5000 },
    { path: '/3/0/8/0', value: 125 },
    { path: '/3/0/8/1', value: 900 },
    { path: '/3/0/9', value: 100 },
    { path: '/3/0/10', value: 15 },
    { path: '/3/0/11/0', value: 0 },
    { path: '/3/0/13', value: 1_367_491_215 },
    { path: '/3/0/14', value: '+02:00' },
    { path: '/3/0/16', value: 'U' },
  ];
  expect(readContent([3, 0], 11_542, DEVICE, book)).toEqual(expected);
  expect(readContent([3, 0], 1542, DEVICE, book)).toEqual(expected);
  const whole = encodeTlv([{ kind: 'instance', id: 0, children: decodeTlv(DEVICE) }]);
  expect(readContent([3], 11_542, whole, book)).toEqual(expected);
  expect(encodeTlv(decodeTlv(DEVICE))).toEqual(DEVICE);
});

test('what is written is read, whatever the lengths and ids', () => {
  const value = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes));
  const id = fc.integer({ min: 0, max: 65_535 });
  const resource: fc.Arbitrary<Tlv> = fc.record({ kind: fc.constant('resource' as const), id, value });
  const part: fc.Arbitrary<Tlv> = fc.record({ kind: fc.constant('part' as const), id, value });
  const multiple: fc.Arbitrary<Tlv> = fc.record({
    kind: fc.constant('multiple' as const),
    id,
    children: fc.array(part, { maxLength: 4 }),
  });
  const instance: fc.Arbitrary<Tlv> = fc.record({
    kind: fc.constant('instance' as const),
    id,
    children: fc.array(fc.oneof(resource, multiple), { maxLength: 4 }),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(resource, multiple, instance), { maxLength: 5 }), (items) => {
      expect(decodeTlv(encodeTlv(items))).toEqual(items);
    }),
  );
});

test('bytes that are no TLV are refused, whatever they are', () => {
  for (const bad of ['C8', 'C800', 'C80014', 'C301', 'E1', '0806 0804 0002 C100', '8604 C1 00 01'])
    expect(() => decodeTlv(hex(bad)), bad).toThrow(TlvFault);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (noise) => {
      try {
        decodeTlv(Buffer.from(noise));
      } catch (cause) {
        expect(cause).toBeInstanceOf(TlvFault);
      }
    }),
    { numRuns: 2000 },
  );
  const many = Buffer.alloc(30_002, hex('C00000'));
  expect(() => decodeTlv(many.subarray(0, 20_002))).toThrow('too many');
});

test('values become bytes of the shortest form, and come back', () => {
  expect(encodeValue('Integer', 0)).toEqual(hex('00'));
  expect(encodeValue('Integer', -129)).toEqual(hex('FF7F'));
  expect(encodeValue('Integer', '70000')).toEqual(hex('00011170'));
  expect(encodeValue('Time', 2 ** 40)).toHaveLength(8);
  expect(encodeValue('Boolean', 'true')).toEqual(hex('01'));
  expect(encodeValue('Objlnk', '3:0')).toEqual(hex('00030000'));
  expect(encodeValue('Opaque', 'AAH/')).toEqual(hex('0001FF'));
  for (const [type, value] of [
    ['Integer', -129],
    ['Integer', '9223372036854775807'],
    ['Float', 21.5],
    ['String', 'grün 值'],
    ['Boolean', false],
    ['Objlnk', '65535:1'],
    ['Opaque', 'AAH/'],
  ] as const)
    expect(decodeValue(type, encodeValue(type, value)), type).toBe(value);
  expect(decodeValue('Float', hex('41AC0000'))).toBe(21.5);
  expect(decodeValue(null, Buffer.from('text'))).toBe('text');
  expect(decodeValue(null, hex('00FF'))).toBe('AP8=');
});

test('values that do not fit their type are refused', () => {
  for (const [type, value] of [
    ['Integer', 1.5],
    ['Integer', 'x'],
    ['Integer', '99999999999999999999'],
    ['Float', 'x'],
    ['Float', '1e999'],
    ['Boolean', 'yes'],
    ['Objlnk', '3'],
    ['Objlnk', '70000:1'],
    ['Opaque', '***'],
    ['String', null],
    ['Time', {}],
  ] as const)
    expect(() => encodeValue(type, value), `${type} ${value}`).toThrow(ValueFault);
  expect(() => decodeValue('Integer', hex('000000'))).toThrow(ValueFault);
  expect(() => decodeValue('Boolean', hex('02'))).toThrow(ValueFault);
  expect(() => decodeValue('String', hex('ff'))).toThrow(ValueFault);
});

test('plain text, bytes, links and JSON are read by their formats', () => {
  expect(readContent([3, 0, 9], 0, Buffer.from('55'), book)).toEqual([{ path: '/3/0/9', value: 55 }]);
  expect(readContent([3, 0, 0], undefined, Buffer.from('ACME'), book)).toEqual([
    { path: '/3/0/0', value: 'ACME' },
  ]);
  expect(readContent([5, 0, 0], 42, hex('00ff'), book)).toEqual([{ path: '/5/0/0', value: 'AP8=' }]);
  expect(readContent([3, 0], 40, Buffer.from('</3/0>;pmin=10,</3/0/1>'), book)).toEqual([
    '</3/0>;pmin=10',
    '</3/0/1>',
  ]);
  const json = Buffer.from(
    '{"bn":"/3/0/","e":[{"n":"0","sv":"ACME"},{"n":"7/0","v":3800},{"n":"x","bv":true}]}',
  );
  expect(() => readContent([3, 0], 11_543, json, book)).toThrow(ContentFault);
  const good = Buffer.from('{"e":[{"n":"0","sv":"ACME"},{"n":"7/0","v":3800}]}');
  expect(readContent([3, 0], 11_543, good, book)).toEqual([
    { path: '/3/0/0', value: 'ACME' },
    { path: '/3/0/7/0', value: 3800 },
  ]);
  for (const [format, bytes] of [
    [0, 'five'],
    [60, ''],
    [11_543, '[]'],
    [11_543, '{"e":[{}]}'],
    [11_543, '{"e":[{"n":"a/b","v":1}]}'],
    [11_543, 'x'],
    [11_542, 'x'],
    [40, 'x'],
  ] as const)
    expect(() => readContent([3, 0, 9], format, Buffer.from(bytes), book), `${format} ${bytes}`).toThrow(
      ContentFault,
    );
});

test('what is written is TLV of one resource, of several, or of an instance', () => {
  const one = { path: [3, 0, 13], type: 'Time' as const, value: 5 };
  expect(writeTlv([one])).toEqual(hex('C10D05'));
  expect(
    writeTlv([
      one,
      { path: [3, 0, 6, 1], type: 'Integer', value: 1 },
      { path: [3, 0, 6, 2], type: 'Integer', value: 2 },
    ]),
  ).toEqual(hex('C10D05 8606 410101 410202'));
  expect(writeNewInstance([one], 4)).toEqual(hex('0304 C10D05'));
  expect(writeNewInstance([one], null)).toEqual(hex('C10D05'));
  expect(() => writeTlv([{ path: [3, 0], type: 'Time', value: 5 }])).toThrow(ContentFault);
});

test('paths are numbers between slashes', () => {
  expect(readPath('/3/0/7')).toEqual([3, 0, 7]);
  expect(readPath('3/0/')).toEqual([3, 0]);
  for (const bad of ['', '/', '//', '/a', '/3//1', '/70000', '/1/2/3/4/5', 3, null])
    expect(readPath(bad)).toBeNull();
  expect(writePath([3, 0])).toBe('/3/0');
});

test('the list of objects is that below the alternate path', () => {
  expect(readObjectList('</>;rt="oma.lwm2m";ct=11543,</1/0>,</3/0>,</19>')).toEqual({
    alternatePath: '/',
    objects: ['/1/0', '/3/0', '/19'],
  });
  expect(readObjectList('</lwm2m>;rt="oma.lwm2m",</lwm2m/1/0>,</3/0>;title="a, b \\" c",<x>')).toEqual({
    alternatePath: '/lwm2m',
    objects: ['/1/0'],
  });
  expect(readObjectList('')).toEqual({ alternatePath: '/', objects: [] });
  for (const bad of ['x', '<', '</1/0', '</1/0>,', '</1/0>;t="', ','])
    expect(readObjectList(bad), bad).toBeNull();
  const hostile = `</1>;${' '.repeat(200_000)}<`;
  expect(splitLinks(hostile)).toBeNull();
});

const DEFINITION = `<?xml version="1.0" encoding="utf-8"?>
<!-- a comment -->
<LWM2M xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <Object ObjectType="MODefinition">
    <Name>Pump &amp; Valve</Name><ObjectID>26241</ObjectID>
    <Resources>
      <Item ID="1"><Name>Pressure</Name><Operations>R</Operations><MultipleInstances>Single</MultipleInstances><Type>Float</Type></Item>
      <Item ID="2"><Name><![CDATA[Open <now>]]></Name><Operations>E</Operations><Type></Type></Item>
    </Resources>
    <Description2/>
  </Object>
</LWM2M>`;

test('object definitions of OMA are read', () => {
  const [[id, object]] = definitionsOf(DEFINITION) as [ReturnType<typeof definitionsOf>[number]];
  expect(id).toBe(26_241);
  expect(object.name).toBe('Pump & Valve');
  expect([...object.resources]).toEqual([
    [1, { name: 'Pressure', operations: 'R', type: 'Float' }],
    [2, { name: 'Open <now>', operations: 'E', type: null }],
  ]);
});

test.each([
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['a document type within', '<a><!DOCTYPE a></a>'],
  ['an entity', '<a>&b;</a>'],
  ['an entity from outside', '<a>&#xffffff;</a>'],
  ['an entity without an end', '<a>&amp</a>'],
  ['what is not closed', '<a><b></a>'],
  ['no end', '<a>'],
  ['two roots', '<a/><b/>'],
  ['no element', 'text'],
  ['nothing', ''],
  ['an element without a name', '<><a/>'],
  ['an endless comment', '<a><!-- '],
  ['too much depth', '<a>'.repeat(40) + '</a>'.repeat(40)],
  ['too many elements', `<a>${'<b/>'.repeat(20_001)}</a>`],
])('XML with %s is refused', (_, source) => {
  expect(() => readXml(source)).toThrow(XmlFault);
});

test('a folder of definitions is read, and what is none is told of and left out', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-objects-'));
  try {
    writeFileSync(path.join(folder, 'pump.xml'), DEFINITION);
    writeFileSync(path.join(folder, 'bomb.xml'), '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>');
    writeFileSync(path.join(folder, 'no-id.XML'), '<LWM2M><Object><ObjectID>x</ObjectID></Object></LWM2M>');
    writeFileSync(path.join(folder, 'readme.txt'), 'not XML');
    const log = new LogBook();
    const read = await readObjects(folder, log);
    expect(read.resource([26_241, 0, 1])).toMatchObject({ name: 'Pressure', type: 'Float' });
    expect(read.resource([3, 0, 9])).toEqual({ name: 'Battery Level', operations: 'R', type: 'Integer' });
    expect(read.resource([3, 0, 99])).toBeUndefined();
    expect(log.lines.map(({ facts }) => path.basename(String((facts as { file: string }).file)))).toEqual([
      'bomb.xml',
      'no-id.XML',
    ]);
    expect((await readObjects(path.join(folder, 'nowhere'), log)).object(6)?.name).toBe('Location');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
