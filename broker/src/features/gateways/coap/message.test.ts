import fc from 'fast-check';
import { expect, test } from 'vitest';
import { blockOf, blockOption, partOf } from './block.ts';
import {
  type CoapMessage,
  DATAGRAM_BYTES_MAX,
  decode,
  emptyMessage,
  encode,
  NO_BYTES,
  notUnderstood,
  textOption,
  textsOf,
  uintOf,
  uintOption,
} from './message.ts';

const message = (given: Partial<CoapMessage>): CoapMessage => ({
  type: 'CON',
  code: '0.01',
  messageId: 1,
  token: NO_BYTES,
  options: [],
  payload: NO_BYTES,
  ...given,
});

test('a message is read as it was written', () => {
  const sent = message({
    type: 'NON',
    code: '2.05',
    messageId: 0xfffe,
    token: Buffer.from('00ff10', 'hex'),
    options: [
      uintOption('Observe', 70_000),
      textOption('Uri-Path', 'ps'),
      textOption('Uri-Path', ''),
      textOption('Uri-Query', 'ключ=值'),
      { name: '65000', value: Buffer.alloc(300, 1) },
    ],
    payload: Buffer.from([0, 255, 0]),
  });
  const read = decode(encode(sent));
  expect(read).toEqual(sent);
  if ('malformed' in read) throw new Error(read.malformed);
  expect(uintOf(read, 'Observe')).toBe(70_000);
  expect(textsOf(read, 'Uri-Path')).toEqual(['ps', '']);
  expect(textsOf(read, 'Uri-Query')).toEqual(['ключ=值']);
});

/** Each is one byte or two away from a message. */
const MALFORMED: Record<string, string> = {
  'nothing at all': '',
  'three bytes': '400100',
  'another version': '80010001',
  'a token of nine bytes': '49010001000000000000000000',
  'a token that is not there': '4401000100',
  'an option whose length is not there': '400100011d',
  'an option that runs over the end': '40010001b470730a',
  'the reserved delta': '40010001f1ff',
  'the reserved length': '40010001bf',
  'a marker with nothing behind it': '40010001ff',
  'an empty message with a token': '4100000101',
  'an empty message with a payload': '40000001ff31',
  'a reserved class': '40210001',
};

test.each(Object.entries(MALFORMED))('%s is no message', (_, hex) => {
  expect(decode(Buffer.from(hex, 'hex'))).toHaveProperty('malformed');
});

test('a datagram of more than anybody needs is not looked at', () => {
  const payload = Buffer.alloc(DATAGRAM_BYTES_MAX - 5, 65);
  expect(decode(encode(message({ payload })))).not.toHaveProperty('malformed');
  expect(decode(encode(message({ payload: Buffer.alloc(payload.length + 1, 65) })))).toHaveProperty(
    'malformed',
  );
});

test('no datagram makes it throw, and what is read is written alike', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.boolean(), (noise, isVersion1) => {
      const bytes = Buffer.from(noise);
      if (isVersion1 && bytes.length > 0) bytes[0] = (bytes[0]! & 0x38) | 0x40;
      const read = decode(bytes);
      if (!('malformed' in read)) expect(encode(read)).toEqual(bytes);
    }),
    { numRuns: 3000 },
  );
});

test('an option that may not be passed over and is not understood is found by name', () => {
  expect(
    notUnderstood(message({ options: [textOption('Uri-Path', 'a'), uintOption('Observe', 0)] })),
  ).toBeUndefined();
  expect(notUnderstood(message({ options: [{ name: '65000', value: NO_BYTES }] }))).toBeUndefined();
  expect(notUnderstood(message({ options: [{ name: '65001', value: NO_BYTES }] }))).toBe('65001');
  expect(notUnderstood(message({ options: [textOption('Proxy-Uri', 'coap://x')] }))).toBe('Proxy-Uri');
  expect(notUnderstood(message({ options: [{ name: 'If-Match', value: NO_BYTES }] }))).toBe('If-Match');
});

test('texts that are no UTF-8 are not taken for texts', () => {
  expect(
    textsOf(message({ options: [{ name: 'Uri-Path', value: Buffer.from('ff', 'hex') }] }), 'Uri-Path'),
  ).toBeNull();
});

test('blocks are read as they were written, and a reserved size is none', () => {
  for (const block of [
    { num: 0, more: true, szx: 6 },
    { num: 2 ** 20 - 1, more: false, szx: 0 },
    { num: 17, more: true, szx: 2 },
  ])
    expect(blockOf(message({ options: [blockOption('Block1', block)] }), 'Block1')).toEqual(block);
  expect(blockOf(message({ options: [uintOption('Block2', 7)] }), 'Block2')).toBeNull();
  expect(blockOf(message({ options: [{ name: 'Block2', value: Buffer.alloc(4) }] }), 'Block2')).toBeNull();
  expect(blockOf(message({}), 'Block2')).toBeUndefined();
  expect(() => blockOption('Block1', { num: 2 ** 20, more: false, szx: 6 })).toThrow();
});

test('a body has as many parts as it needs', () => {
  const body = Buffer.alloc(33, 7);
  expect(partOf(body, 0, 0)).toEqual({ part: body.subarray(0, 16), more: true });
  expect(partOf(body, 2, 0)).toEqual({ part: body.subarray(32), more: false });
  expect(partOf(body, 3, 0)).toBeNull();
  expect(partOf(body.subarray(0, 32), 2, 0)).toBeNull();
  expect(partOf(NO_BYTES, 0, 6)).toEqual({ part: NO_BYTES, more: false });
});

test('a message without content is four bytes', () => {
  expect(encode(emptyMessage('RST', 0x1234))).toEqual(Buffer.from('70001234', 'hex'));
});
