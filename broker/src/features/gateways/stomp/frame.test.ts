import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeFrame, type Frame, FrameError, FrameReader, type Version } from './frame.ts';

const limits = { headersMax: 10, headerBytesMax: 64, bodyBytesMax: 100 };

function read(text: string | Buffer, version: Version = '1.2', step = Number.POSITIVE_INFINITY) {
  const frames: Frame[] = [];
  let beats = 0;
  const reader = new FrameReader(
    limits,
    (frame) => frames.push(frame),
    () => beats++,
  );
  reader.version = version;
  const bytes = Buffer.from(text);
  const size = Math.min(step, Math.max(bytes.length, 1));
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return { frames, beats };
}

const plain = ({ command, headers, body }: Frame) => ({
  command,
  headers: Object.fromEntries(headers),
  body: body.toString('latin1'),
});

describe('frames are read', () => {
  test('however the stream is cut', () => {
    const stream = 'SEND\ndestination:a/b\ncontent-length:5\n\nx\0y\nz\0\n\nACK\nid:7\n\n\0';
    const whole = read(stream).frames.map(plain);
    expect(whole).toEqual([
      { command: 'SEND', headers: { destination: 'a/b', 'content-length': '5' }, body: 'x\0y\nz' },
      { command: 'ACK', headers: { id: '7' }, body: '' },
    ]);
    for (const step of [1, 2, 3, 7]) expect(read(stream, '1.2', step).frames.map(plain)).toEqual(whole);
  });

  test('a body without content-length ends with NUL, and line ends between frames are heart-beats', () => {
    const { frames, beats } = read('\n\r\nSEND\ndestination:a\n\nhello\0\n\n');
    expect(frames.map(plain)).toEqual([{ command: 'SEND', headers: { destination: 'a' }, body: 'hello' }]);
    expect(beats).toBe(4);
  });

  test('lines may end with CR LF, except in 1.1, where CR belongs to the header', () => {
    const text = 'SEND\r\ndestination:a\r\n\r\nx\0';
    expect(read(text).frames.map(plain)[0]!.headers).toEqual({ destination: 'a' });
    expect(() => read(text, '1.1')).toThrow(FrameError);
    expect(read('SEND\nkey:a\r\n\n\0', '1.1').frames[0]!.headers.get('key')).toBe('a\r');
  });

  test('the first of headers that repeat counts', () => {
    expect(read('SEND\nfoo:1\nfoo:2\n\n\0').frames[0]!.headers.get('foo')).toBe('1');
  });

  test('escapes are those of the version', () => {
    const header = (text: string, version: Version) =>
      read(`SEND\nkey:${text}\n\n\0`, version).frames[0]!.headers.get('key');
    expect(header('a\\nb\\cc\\\\d\\re', '1.2')).toBe('a\nb:c\\d\re');
    expect(header('a\\nb\\cc\\\\d', '1.1')).toBe('a\nb:c\\d');
    expect(header('a\\nb', '1.0')).toBe('a\\nb');
    expect(header(' padded ', '1.0')).toBe('padded');
    expect(header(' padded ', '1.2')).toBe(' padded ');
    for (const [text, version] of [
      ['a\\rb', '1.1'],
      ['a\\tb', '1.2'],
      ['a\\', '1.2'],
    ] as const)
      expect(() => header(text, version), text).toThrow(FrameError);
  });

  test('nothing is unescaped in CONNECT, which may be of any version', () => {
    expect(read('CONNECT\nlogin:a\\nb\n\n\0').frames[0]!.headers.get('login')).toBe('a\\nb');
  });
});

describe('what is no frame, or too large, is refused', () => {
  test.each([
    ['a command in lower case', 'send\n\n\0'],
    ['a command without end', 'A'.repeat(40)],
    ['bytes of something else', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x0a])],
    ['a header without colon', 'SEND\ndestination\n\n\0'],
    ['a header without name', 'SEND\n:a\n\n\0'],
    ['a header that is not UTF-8', Buffer.from('SEND\nkey:\xff\xfe\n\n\0', 'latin1')],
    ['eleven headers', `SEND\n${'a:b\n'.repeat(11)}\n\0`],
    ['a header of 65 bytes', `SEND\nkey:${'x'.repeat(61)}\n\n\0`],
    ['a header that never ends', `SEND\nkey:${'x'.repeat(1000)}`],
    ['a content-length that is no number', 'SEND\ncontent-length:-1\n\n\0'],
    ['a content-length over the limit', 'SEND\ncontent-length:101\n\n'],
    ['a body over the limit', `SEND\n\n${'x'.repeat(101)}`],
    ['a body longer than its content-length', 'SEND\ncontent-length:1\n\nab\0'],
  ])('%s', (_, bytes) => {
    for (const step of [1, 1000]) expect(() => read(bytes, '1.2', step)).toThrow(FrameError);
  });

  test('what is just as large as allowed is read', () => {
    const { frames } = read(`SEND\n${'a:b\n'.repeat(9)}key:${'x'.repeat(60)}\n\n${'y'.repeat(100)}\0`);
    expect(frames[0]!.body.length).toBe(100);
  });

  test('bytes of any kind never throw anything else, and never make it keep much', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.integer({ min: 1, max: 50 }), (bytes, step) => {
        try {
          read(Buffer.from(bytes), '1.2', step);
        } catch (cause) {
          expect(cause).toBeInstanceOf(FrameError);
        }
      }),
    );
  });
});

describe('frames are written', () => {
  test('and read again as they were, whatever stands in them', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    fc.assert(
      fc.property(
        fc.constantFrom<Version>('1.1', '1.2'),
        text,
        fc.uint8Array({ maxLength: 100 }),
        (version, value, body) => {
          fc.pre(version === '1.2' || !value.endsWith('\r'));
          const { frames } = read(encodeFrame('MESSAGE', [['key', value]], body, version), version);
          expect(frames).toHaveLength(1);
          expect(frames[0]!.headers.get('key')).toBe(value);
          expect([...frames[0]!.body]).toEqual([...body]);
        },
      ),
    );
  });

  test('for 1.0, which has no escapes, no value can begin a header of its own', () => {
    expect(encodeFrame('MESSAGE', [['key', 'a\nadmin:yes']], null, '1.0').toString()).toBe(
      'MESSAGE\nkey:aadmin:yes\n\n\0',
    );
  });
});
