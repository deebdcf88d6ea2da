import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { decrypted, encrypted } from './encrypt.ts';

const PASSPHRASE = 'correct horse battery';
const HEADER = 32;

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
async function all(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}
const seal = (bytes: Buffer, size = 50_000) => all(encrypted(cut(bytes, size), PASSPHRASE));
const open = (bytes: Buffer, passphrase = PASSPHRASE, size = 7001) =>
  all(decrypted(cut(bytes, size), passphrase));

test.each([0, 65_536, 200_000])(
  '%i bytes come back with the passphrase, however they are cut',
  async (length) => {
    const content = randomBytes(length);
    const sealed = await seal(content);
    expect(sealed.subarray(0, 9).toString('latin1')).toBe('MQDECKBK\u0001');
    expect((await open(sealed)).equals(content)).toBe(true);
  },
);

test('nothing comes back with another passphrase, and the error says so', async () => {
  const sealed = await seal(Buffer.from('secret'));
  await expect(open(sealed, 'correct horse')).rejects.toThrow('The passphrase is wrong');
  expect(sealed.includes('secret')).toBe(false);
  expect((await seal(Buffer.from('secret'))).equals(sealed)).toBe(false);
});

test('a letter counts as the same letter in each of its spellings', async () => {
  const sealed = await all(encrypted(cut(Buffer.from('x'), 1), 'Grüße an alle'));
  expect((await open(sealed, 'Gru\u0308ße an alle')).toString()).toBe('x');
});

test('segments that are changed, cut off, exchanged, repeated or added are refused', async () => {
  const sealed = await seal(randomBytes(200_000));
  const segment = 65_536 + 16;
  const part = (at: number) => sealed.subarray(HEADER + at * segment, HEADER + (at + 1) * segment);
  const head = sealed.subarray(0, HEADER);
  const flipped = (at: number) => {
    const copy = Buffer.from(sealed);
    copy[at]! ^= 1;
    return copy;
  };
  for (const [name, bytes] of Object.entries({
    changed: flipped(HEADER + segment + 5),
    'cut in a segment': sealed.subarray(0, -1),
    'cut behind a segment': sealed.subarray(0, HEADER + 2 * segment),
    exchanged: Buffer.concat([head, part(0), part(2), part(1), part(3)]),
    repeated: Buffer.concat([head, part(0), part(1), part(1), part(2), part(3)]),
    longer: Buffer.concat([sealed, Buffer.from('x')]),
  }))
    await expect(open(bytes), name).rejects.toThrow('damaged');
  for (const at of [9, HEADER])
    await expect(open(flipped(at)), `byte ${at}`).rejects.toThrow('The passphrase is wrong');
  await expect(open(flipped(0))).rejects.toThrow('no encrypted archive');
  await expect(open(flipped(8))).rejects.toThrow('another version');
  for (const length of [0, 5, HEADER]) await expect(open(sealed.subarray(0, length))).rejects.toThrow();
});
