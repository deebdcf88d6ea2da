import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DtlsError } from './alerts.ts';
import { Reassembly, readFragments, writeMessage } from './handshake.ts';
import { readClientHello } from './messages.ts';
import { ReplayWindow, readRecords, writeRecord } from './records.ts';
import { prf } from './suites.ts';

test('records of a datagram are read one after the other, up to what is none', () => {
  const record = { type: 22, version: 0xfefd, epoch: 1, sequence: 2 ** 40, fragment: Buffer.from('abc') };
  const bytes = writeRecord(record);
  expect(bytes.toString('hex')).toBe('16fefd0001010000000000' + '0003616263');
  expect(readRecords(Buffer.concat([bytes, bytes]))).toEqual([record, record]);
  expect(readRecords(Buffer.concat([bytes, bytes.subarray(0, 15)]))).toEqual([record]);
  expect(readRecords(Buffer.from('160303000000000000000000036162630', 'hex'))).toEqual([]); // TLS
});

test('a record counts once, also out of order, and never when it is too late', () => {
  const window = new ReplayWindow();
  const take = (sequence: number) => {
    const fresh = window.fresh(sequence);
    if (fresh) window.add(sequence);
    return fresh;
  };
  expect([0, 0, 5, 3, 3, 5, 4].map(take)).toEqual([true, false, true, true, false, false, true]);
  expect([100, 37, 36, 100].map(take)).toEqual([true, true, false, false]);
  expect([2 ** 47, 2 ** 47 - 63, 2 ** 47 - 64].map(take)).toEqual([true, true, false]);
  fc.assert(
    fc.property(fc.array(fc.nat(200)), (sequences) => {
      const fresh = new ReplayWindow();
      const taken = sequences.filter((one) => {
        if (!fresh.fresh(one)) return false;
        fresh.add(one);
        return true;
      });
      expect(new Set(taken).size).toBe(taken.length);
    }),
  );
});

test('a message is put together from any pieces in any order', () => {
  const pieces = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 60 })), { maxLength: 20 });
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 60 }), pieces, (bytes, extra) => {
      const message = { type: 11, sequence: 3, body: Buffer.from(bytes) };
      const all = Array.from(bytes, (_, at): [number, number] => [at, 1]).reverse();
      const reassembly = new Reassembly(3);
      for (const [from, length] of [...extra, ...all]) {
        const offset = Math.min(from, bytes.length - 1);
        const piece = writeMessage(message, offset, Math.min(length, bytes.length - offset));
        for (const fragment of readFragments(piece)) reassembly.add(fragment);
      }
      expect(reassembly.take()).toEqual(message);
      expect(reassembly.take()).toBeNull();
    }),
  );
});

test('pieces that do not fit together are refused', () => {
  const reassembly = new Reassembly(0);
  const [first] = readFragments(writeMessage({ type: 11, sequence: 0, body: Buffer.alloc(20) }, 0, 5));
  const [other] = readFragments(writeMessage({ type: 11, sequence: 0, body: Buffer.alloc(30) }, 5, 5));
  reassembly.add(first!);
  expect(() => reassembly.add(other!)).toThrow(DtlsError);
  for (const wrong of ['0b', '0b000005000000000000000006', '0bffffff0000000000000000'])
    expect(() => readFragments(Buffer.from(wrong, 'hex'))).toThrow(DtlsError);
});

test('no bytes do more to a ClientHello than be refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        readClientHello(Buffer.from(bytes));
      } catch (error) {
        expect(error).toBeInstanceOf(DtlsError);
      }
    }),
  );
});

test('the pseudorandom function is that of TLS 1.2', () => {
  // A vector that the working group has published, for SHA-256
  const secret = Buffer.from('9bbe436ba940f017b17652849a71db35', 'hex');
  const seed = Buffer.from('a0ba9f936cda311827a6f796ffd5198c', 'hex');
  expect(prf('sha256', secret, 'test label', seed, 100).toString('hex')).toBe(
    'e3f229ba727be17b8d122620557cd453c2aab21d07c3d495329b52d4e61edb5a6b301791e90d35c9c9a46b4e14baf9af0f' +
      'a022f7077def17abfd3797c0564bab4fbc91666e9def9b97fce34f796789baa48082d122ee42c5a72e5a5110fff701' +
      '87347b66',
  );
});
