import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MqttError, ReasonCode } from './reason-codes.ts';
import { decodeUtf8, encodeUtf8, isMqttText } from './utf8.ts';

const decode = (bytes: number[]) => decodeUtf8(Uint8Array.from([0x7e, ...bytes, 0x7e]), 1, bytes.length + 1);
const long = Array.from({ length: 60 }, () => 0x61);

test.each([
  ['a lone continuation byte', [0x80]],
  ['a truncated sequence', [0x61, 0xe6, 0x88]],
  ['an overlong slash', [0xc0, 0xaf]],
  ['an encoded surrogate', [0xed, 0xa0, 0x80]],
  ['a pair of encoded surrogates', [0xed, 0xa0, 0x81, 0xed, 0xb0, 0x81]],
  ['a code point above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['U+0000', [0x61, 0x00]],
  ['U+0000 at the start', [0x00]],
  ['U+0000 in a group of four', [0x61, 0x62, 0x00, 0x63]],
])('%s is malformed [MQTT-1.5.4-1] [MQTT-1.5.4-2]', (_, bytes) => {
  for (const all of [bytes, [...long, ...bytes], [...bytes, ...long]]) {
    expect(() => decode(all)).toThrow(expect.objectContaining({ reasonCode: ReasonCode.MalformedPacket }));
  }
});

test('U+FEFF is kept wherever it stands [MQTT-1.5.4-3]', () => {
  expect(decode([0xef, 0xbb, 0xbf])).toBe('\ufeff');
  expect(decode([0xef, 0xbb, 0xbf, ...long])).toBe(`\ufeff${'a'.repeat(60)}`);
});

test('any text that may travel comes back the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
      if (!isMqttText(text)) return;
      const bytes = encodeUtf8(text);
      expect(decodeUtf8(bytes, 0, bytes.length)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test('bytes are accepted exactly when a fatal decoder accepts them and no NUL is among them', () => {
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const byte = fc.oneof(
    fc.integer({ min: 0, max: 255 }),
    fc.constantFrom(0x61, 0xc3, 0xa9, 0xe2, 0x82, 0xac),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 20 }), (bytes) => {
      let expected: string | null = null;
      try {
        expected = strict.decode(Uint8Array.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError);
      }
      if (expected === null || expected.includes('\0')) expect(() => decode(bytes)).toThrow(MqttError);
      else expect(decode(bytes)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});
