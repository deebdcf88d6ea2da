import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsIn } from '../i18n/words.ts';
import {
  copyPayload,
  editPayload,
  firstNonUtf8,
  fromBase64,
  fromHex,
  hexDump,
  PAYLOAD_FORMATS,
  parsePayload,
  payloadFileName,
  showPayload,
  suggestFormat,
  toBase64,
  toHex,
} from './payload-formats.ts';
import { layOutJson } from './payload-json.ts';
import { faultSentence, words } from './words.ts';

const utf8 = (text: string) => new TextEncoder().encode(text);
const bytes = (...values: number[]) => Uint8Array.from(values);
/** Any character. The `binary` unit of fast-check would first make a table of all of them. */
const character = fc
  .oneof(
    fc.integer({ min: 0, max: 0xff }),
    fc.integer({ min: 0x100, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((codePoint) => String.fromCodePoint(codePoint));
const shown = (text: string) => showPayload(utf8(text), 'plaintext').text;

test('what a format writes it reads back, byte for byte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...PAYLOAD_FORMATS), (payload, format) => {
      const text = editPayload(payload, format);
      if (text === null) return;
      // In JSON the text is the payload too, but not every text is JSON.
      const parsed = parsePayload(text, format === 'json' ? 'plaintext' : format);
      expect(parsed).toEqual({ bytes: Uint8Array.from(payload) });
    }),
  );
});

test('text is its own payload in Plaintext; JSON is sent as it was written', () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(parsePayload(text, 'plaintext')).toEqual({ bytes: utf8(text) });
    }),
  );
  expect(parsePayload('{"a": 1.0}', 'json')).toEqual({ bytes: utf8('{"a": 1.0}') });
});

test('every payload is copied as its format says', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (payload) => {
      expect(fromHex(copyPayload(payload, 'hex'))).toEqual({ bytes: Uint8Array.from(payload) });
      expect(fromBase64(copyPayload(payload, 'base64'))).toEqual({ bytes: Uint8Array.from(payload) });
    }),
  );
  expect(copyPayload(utf8('a\u202eb\r\n'), 'plaintext')).toBe('a\u202eb\r\n');
  expect(copyPayload(bytes(0x61, 0xff), 'plaintext')).toBe('a\\xff');
  expect(copyPayload(utf8('[1]'), 'json')).toBe('[\n  1\n]');
});

test('nothing that is shown is invisible, except line ends and tabs', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(...PAYLOAD_FORMATS), (payload, format) => {
      expect(showPayload(payload, format).text).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: character }), (text) => {
      expect(shown(text)).not.toMatch(/(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
  expect(shown('gnp.\u202eexe')).toBe('gnp.\\u202eexe');
  expect(shown('a\u200bb\u0000')).toBe('a\\u200bb\\u0000');
  expect(shown('\ufeffx')).toBe('\\ufeffx');
  expect(shown('one\r\ntwo\ttab\rthree')).toBe('one\ntwo\ttab\\u000dthree');
});

test('bytes that are no text stand as escapes between the text that is', () => {
  expect(showPayload(bytes(0x68, 0xff, 0xc3, 0xa9, 0xc3), 'plaintext').text).toBe('h\\xffé\\xc3');
  // An overlong slash, a surrogate, what lies beyond Unicode.
  expect(showPayload(bytes(0xc0, 0xaf), 'plaintext').text).toBe('\\xc0\\xaf');
  expect(showPayload(bytes(0xed, 0xa0, 0x80), 'plaintext').text).toBe('\\xed\\xa0\\x80');
  expect(showPayload(bytes(0xf4, 0x90, 0x80, 0x80), 'plaintext').text).toBe('\\xf4\\x90\\x80\\x80');
  expect(showPayload(utf8('温度 21 ℃ 😀'), 'plaintext').text).toBe('温度 21 ℃ 😀');
});

test('our eye for UTF-8 is the decoder’s', () => {
  const tricky = fc.constantFrom(
    0x00,
    0x41,
    0x80,
    0xbf,
    0xc1,
    0xc2,
    0xdf,
    0xe0,
    0xa0,
    0xed,
    0x9f,
    0xf0,
    0x90,
    0xf4,
    0x8f,
    0xf5,
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(tricky, fc.nat(255)), { maxLength: 12 }), (values) => {
      const payload = bytes(...values);
      const at = firstNonUtf8(payload);
      const good = at === -1 ? payload : payload.subarray(0, at);
      const decoder = () => new TextDecoder('utf-8', { fatal: true });
      expect(() => decoder().decode(good)).not.toThrow();
      if (at !== -1) expect(() => decoder().decode(payload)).toThrow();
    }),
    { numRuns: 2000 },
  );
  expect(firstNonUtf8(bytes(0x61, 0x62, 0xe2, 0x82))).toBe(2);
});

test('JSON is laid out without touching its tokens', () => {
  expect(
    showPayload(utf8('{"id":12345678901234567890,"t":1.0,"t":[],"o":{},"a":[1,{"b":null}]}'), 'json'),
  ).toEqual({
    text: '{\n  "id": 12345678901234567890,\n  "t": 1.0,\n  "t": [],\n  "o": {},\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}',
  });
  expect(showPayload(utf8('"a\u202eb"'), 'json')).toEqual({ text: '"a\\u202eb"' });
});

test('laid out JSON means the same, and its layout is that of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const layout = layOutJson(text);
      expect('text' in layout && JSON.parse(layout.text)).toEqual(JSON.parse(text));
      const compact = JSON.stringify(JSON.parse(text));
      expect(layOutJson(compact)).toEqual({ text: JSON.stringify(JSON.parse(text), null, 2) });
    }),
  );
});

test('what is JSON is decided as JSON.parse decides', () => {
  const piece = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '1',
    '-',
    '01',
    '.5',
    'e3',
    'true',
    'nul',
    '\\',
    '\\u12',
    ' ',
    '\n',
    '\u0001',
    '\ufeff',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('');
      let parses = true;
      try {
        JSON.parse(text);
      } catch {
        parses = false;
      }
      expect('text' in layOutJson(text)).toBe(parses);
    }),
    { numRuns: 5000 },
  );
});

test('what is not JSON says where, and is shown as it is', () => {
  expect(showPayload(utf8('{\n  "a": 1,\n  温: 2\n}'), 'json')).toEqual({
    text: '{\n  "a": 1,\n  温: 2\n}',
    fault: { kind: 'notJson', line: 3, column: 3 },
  });
  expect(showPayload(utf8('["😀" x]'), 'json').fault).toEqual({ kind: 'notJson', line: 1, column: 6 });
  expect(showPayload(utf8('{"a":'), 'json').fault).toEqual({ kind: 'jsonEnds', line: 1, column: 6 });
  expect(showPayload(utf8('"a\\q"'), 'json').fault).toEqual({ kind: 'notJson', line: 1, column: 4 });
  expect(showPayload(utf8('"never ends'), 'json').fault).toEqual({ kind: 'jsonEnds', line: 1, column: 12 });
  expect(showPayload(utf8(''), 'json').fault).toEqual({ kind: 'jsonEnds', line: 1, column: 1 });
  expect(showPayload(bytes(0x7b, 0xff), 'json')).toEqual({
    text: '{\\xff',
    fault: { kind: 'notUtf8', offset: 1 },
  });
});

test('hostile nesting neither overflows the stack nor fills the memory', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const layout = layOutJson(deep);
  expect('text' in layout && layout.text.length).toBeLessThan(deep.length * 8 + 65_537);
  expect(layOutJson('['.repeat(100_000))).toEqual({ at: 100_000 });
  const wide = `${'['.repeat(32)}${'1,'.repeat(200_000)}1${']'.repeat(32)}`;
  expect(layOutJson(wide)).toEqual({ text: wide });
});

test('hex has offsets, groups of eight and a printable column', () => {
  const lines = hexDump(utf8('Hello, broker\n\u0001 <img>')).split('\n');
  expect(lines).toEqual([
    '00000000  48 65 6c 6c 6f 2c 20 62  72 6f 6b 65 72 0a 01 20  Hello, broker.. ',
    '00000010  3c 69 6d 67 3e                                    <img>',
  ]);
  expect(hexDump(utf8('abcdefghij'), 8).split('\n')).toEqual([
    '00000000  61 62 63 64 65 66 67 68  abcdefgh',
    '00000008  69 6a                    ij',
  ]);
  expect(hexDump(bytes())).toBe('');
});

test('hex takes what people paste', () => {
  const expected = { bytes: bytes(0xde, 0xad, 0xbe, 0xef) };
  for (const text of [
    'deadbeef',
    'DE AD BE EF',
    'de:ad:be:ef',
    '0xDEADBEEF',
    '0xde, 0xad,\n0xbe, 0xef',
    ' dead-beef ',
  ])
    expect(fromHex(text)).toEqual(expected);
  expect(fromHex('')).toEqual({ bytes: bytes() });
  expect(fromHex('de a')).toEqual({ fault: { kind: 'hexHalf', position: 4 } });
  expect(fromHex('d e')).toEqual({ fault: { kind: 'hexHalf', position: 1 } });
  expect(fromHex('0x')).toEqual({ bytes: bytes() });
  expect(fromHex('de xy')).toEqual({ fault: { kind: 'notHex', position: 4, character: 'x' } });
  expect(fromHex('00x1')).toEqual({ fault: { kind: 'notHex', position: 3, character: 'x' } });
  expect(fromHex('a😀')).toEqual({ fault: { kind: 'notHex', position: 2, character: '😀' } });
});

test('base64 takes both alphabets, padding or none, and line breaks', () => {
  const expected = { bytes: bytes(0xfb, 0xff, 0xfe, 0x01) };
  for (const text of ['+//+AQ==', '-__-AQ', '+//+\r\nAQ==\n', ' +//+AQ = = '])
    expect(fromBase64(text)).toEqual(expected);
  expect(fromBase64('')).toEqual({ bytes: bytes() });
  expect(fromBase64('YWJ*')).toEqual({ fault: { kind: 'notBase64', position: 4, character: '*' } });
  expect(fromBase64('YQ==YQ==')).toEqual({ fault: { kind: 'notBase64', position: 3, character: '=' } });
  expect(fromBase64('YWJjZ')).toEqual({ fault: { kind: 'base64Ends', position: 5 } });
  expect(toBase64(new Uint8Array(100_000))).toHaveLength(133_336);
  expect(toHex(bytes(0, 255))).toBe('00ff');
});

test('half of a character cannot be sent', () => {
  expect(parsePayload('a\ud800', 'plaintext')).toEqual({ fault: { kind: 'halfCharacter', position: 2 } });
  expect(parsePayload('"\udc00"', 'json')).toEqual({ fault: { kind: 'halfCharacter', position: 2 } });
});

test('what a text area would change is not offered as text', () => {
  expect(editPayload(utf8('a\r\nb'), 'plaintext')).toBeNull();
  expect(editPayload(bytes(0xff), 'json')).toBeNull();
  expect(editPayload(bytes(0xff), 'hex')).toBe('ff');
});

test('the first format is the one most people would choose', () => {
  expect(suggestFormat(utf8('21.5'))).toBe('plaintext');
  expect(suggestFormat(utf8('21.5'), 'application/json')).toBe('json');
  expect(suggestFormat(utf8('{"t":21}'), 'text/plain')).toBe('json');
  expect(suggestFormat(utf8('<svg>'), 'application/ld+json; charset=utf-8')).toBe('plaintext');
  expect(suggestFormat(utf8('[not json'))).toBe('plaintext');
  expect(suggestFormat(utf8('\u001b[31mred\u001b[0m\n'))).toBe('plaintext');
  expect(suggestFormat(bytes(0, 1, 2))).toBe('hex');
  expect(suggestFormat(bytes(0x89, 0x50), 'application/json')).toBe('hex');
  expect(suggestFormat(bytes())).toBe('plaintext');
});

test('a file name is safe, whatever the topic', () => {
  const name = (topic: string, payload = utf8('x')) => payloadFileName(topic, payload);
  expect(name('room/1/temperature')).toBe('room-1-temperature.txt');
  expect(name('../../etc/passwd')).toBe('etc-passwd.txt');
  expect(name('大厅/温度', utf8('{}'))).toBe('大厅-温度.json');
  expect(name('$SYS/brokers', bytes(0xff))).toBe('SYS-brokers.bin');
  expect(name('CON')).toBe('payload-CON.txt');
  expect(name('nul.json')).toBe('payload-nul.json.txt');
  expect(name('gnp.\u202e\u0000"<>|:*?\\exe')).toBe('gnp.-exe.txt');
  for (const topic of ['', '/', '...', '\u200b']) expect(name(topic)).toBe('payload.txt');
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 500 }), (topic) => {
      const made = name(topic);
      expect(made).toMatch(/^[\p{L}\p{N}\p{M}_][\p{L}\p{N}\p{M}_.-]*\.txt$/u);
      expect(made).not.toContain('..');
      expect([...made].length).toBeLessThanOrEqual(100);
    }),
  );
});

test('every fault has its sentence in both languages, and the character it names is visible', () => {
  const fault = { kind: 'notHex', position: 3, character: '\u202e' } as const;
  expect(faultSentence(fault, wordsIn(words, 'en'))).toBe('“\\u202e” at position 3 is not a hex digit');
  expect(faultSentence({ kind: 'notUtf8', offset: 0 }, wordsIn(words, 'zh'))).toBe(
    '从第 1 字节起不是 UTF-8 文本',
  );
  expect(faultSentence({ kind: 'jsonEnds', line: 1, column: 6 }, wordsIn(words, 'en'))).toBe(
    'Not JSON: it ends too early, in line 1, column 6',
  );
});
