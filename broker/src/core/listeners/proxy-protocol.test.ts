import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseProxyHeader } from './proxy-protocol.ts';

const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const tlv = (type: number, value: Buffer): Buffer => {
  const head = Buffer.alloc(3);
  head[0] = type;
  head.writeUInt16BE(value.length, 1);
  return Buffer.concat([head, value]);
};
function header(command: number, family: number, body: Buffer): Buffer {
  const fixed = Buffer.from([command, family, 0, 0]);
  fixed.writeUInt16BE(body.length, 2);
  return Buffer.concat([SIGNATURE, fixed, body]);
}
const tcp4 = Buffer.from([192, 0, 2, 7, 198, 51, 100, 1, 0x1f, 0x90, 0x07, 0x5b]);
const tcp6 = Buffer.from('20010db8000000000000000000000007fe8000000000000000000000000000011f90075b', 'hex');
const ssl = (flags: number, verify: number, name: string) =>
  tlv(
    0x20,
    Buffer.concat([
      Buffer.from([flags, 0, 0, 0, verify]),
      tlv(0x21, Buffer.from('TLSv1.3')),
      tlv(0x22, Buffer.from(name)),
    ]),
  );
const rest = Buffer.from('MQTT');

describe('a PROXY header', () => {
  test.each([
    ['PROXY TCP4 192.0.2.7 198.51.100.1 8080 1883\r\n', '192.0.2.7'],
    ['PROXY TCP6 2001:db8::7 fe80::1 8080 1883\r\n', '2001:db8::7'],
    ['PROXY TCP6 ::ffff:192.0.2.7 ::1 8080 1883\r\n', '192.0.2.7'],
  ])('of version 1: %j', (line, address) => {
    expect(parseProxyHeader(Buffer.concat([Buffer.from(line), rest]))).toEqual({
      bytes: line.length,
      peer: { address, port: 8080, certificate: null },
    });
  });

  test('of a proxy that does not know, or speaks for itself, leaves the connection as it is', () => {
    for (const line of ['PROXY UNKNOWN\r\n', 'PROXY UNKNOWN ff::1 ff::2 1 2\r\n'])
      expect(parseProxyHeader(Buffer.from(line))).toEqual({ bytes: line.length, peer: null });
    for (const whole of [
      header(0x20, 0, Buffer.alloc(0)),
      header(0x20, 0x11, tcp4),
      header(0x21, 0x31, Buffer.alloc(216)),
    ])
      expect(parseProxyHeader(Buffer.concat([whole, rest]))).toEqual({ bytes: whole.length, peer: null });
  });

  test('of version 2, with what the proxy has seen of TLS', () => {
    expect(parseProxyHeader(header(0x21, 0x11, tcp4))).toEqual({
      bytes: 28,
      peer: { address: '192.0.2.7', port: 8080, certificate: null },
    });
    expect(parseProxyHeader(header(0x21, 0x21, tcp6))).toMatchObject({
      peer: { address: '2001:db8::7', port: 8080 },
    });
    const mapped = Buffer.concat([Buffer.from('00000000000000000000ffffc0000207', 'hex'), tcp6.subarray(16)]);
    expect(parseProxyHeader(header(0x21, 0x21, mapped))).toMatchObject({ peer: { address: '192.0.2.7' } });
    const named = (body: Buffer) => {
      const parsed = parseProxyHeader(header(0x21, 0x11, Buffer.concat([tcp4, body])));
      return typeof parsed === 'object' && 'peer' in parsed ? parsed.peer?.certificate : 'none';
    };
    const other = tlv(0x01, Buffer.from('h2'));
    expect(named(Buffer.concat([other, ssl(0x03, 0, 'device-7')]))).toEqual({
      commonName: 'device-7',
      subject: 'CN=device-7',
      der: null,
    });
    expect(named(ssl(0x05, 0, 'device-7'))).toMatchObject({ commonName: 'device-7' }); // in a resumed session
    for (const nobody of [
      ssl(0x03, 1, 'unverified'),
      ssl(0x01, 0, 'not shown'),
      ssl(0x02, 0, 'without TLS'),
      other,
    ])
      expect(named(nobody)).toBeNull();
    // Lengths that lie end the reading, and nothing else
    expect(named(tlv(0x20, Buffer.from([3, 0, 0, 0, 0, 0x22, 0xff, 0xff, 1])))).toBeNull();
    expect(named(Buffer.from([0x20, 0xff, 0xff, 3]))).toBeNull();
  });

  test('is waited for byte by byte, and told from everything else at the first wrong one', () => {
    for (const whole of [
      Buffer.from('PROXY TCP4 192.0.2.7 198.51.100.1 8080 1883\r\n'),
      header(0x21, 0x11, Buffer.concat([tcp4, ssl(3, 0, 'x')])),
    ])
      for (let i = 0; i < whole.length; i++) expect(parseProxyHeader(whole.subarray(0, i))).toBe('more');
    const wrong = [
      'x',
      'PROXX',
      '\x10\x20',
      '\r\n\r\n\0\r\nQUIX',
      'GET / HTTP/1.1\r\n\r\n',
      `PROXY ${'x'.repeat(200)}`,
      'PROXY TCP4 1.2.3 5.6.7.8 1 2\r\n',
      'PROXY TCP4 1.2.3.4 5.6.7.8 1 65536\r\n',
      'PROXY TCP4 1.2.3.4 5.6.7.8 01 2\r\n',
      'PROXY TCP4 1.2.3.4 5.6.7.8 1\r\n',
      'PROXY TCP4 1.2.3.4 5.6.7.8 1 2 3\r\n',
      'PROXY TCP6 1.2.3.4 5.6.7.8 1 2\r\n',
      'PROXY TCP4  1.2.3.4 5.6.7.8 1 2\r\n',
      'PROXY UDP4 1.2.3.4 5.6.7.8 1 2\r\n',
    ];
    for (const text of wrong)
      expect(parseProxyHeader(Buffer.from(text, 'latin1')), text).toHaveProperty('fault');
    for (const bytes of [
      header(0x11, 0x11, tcp4),
      header(0x22, 0x11, tcp4),
      header(0x21, 0x11, tcp4.subarray(1)),
      Buffer.concat([SIGNATURE, Buffer.from([0x21, 0x11, 0xff, 0xff])]),
    ])
      expect(parseProxyHeader(bytes)).toHaveProperty('fault');
  });

  test('whatever comes, reading ends, and never beyond what there is', () => {
    const begun = fc.oneof(
      fc.constant(SIGNATURE),
      fc.constant(Buffer.from('PROXY TCP4 ')),
      fc.constant(Buffer.alloc(0)),
    );
    fc.assert(
      fc.property(begun, fc.uint8Array({ maxLength: 300 }), (start, more) => {
        const bytes = Buffer.concat([start, more]);
        const parsed = parseProxyHeader(bytes);
        if (typeof parsed === 'object' && 'bytes' in parsed)
          expect(parsed.bytes).toBeLessThanOrEqual(bytes.length);
      }),
      { numRuns: 2000 },
    );
  });
});
