import { setImmediate } from 'node:timers/promises';

/** RFC 1320, which OpenSSL gives no more: only for databases whose hashes were made with it. */
const BLOCK_BYTES = 64;
const HASH_BYTES = 16;
const ITERATIONS_AT_ONCE = 500; // some milliseconds

const rotated = (value: number, bits: number): number => (value << bits) | (value >>> (32 - bits));

/** The steps of the three rounds: which word is added, by how much is turned, and the round's function and constant. */
const ROUNDS = [
  {
    mix: (x: number, y: number, z: number) => (x & y) | (~x & z),
    constant: 0,
    words: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
    turns: [3, 7, 11, 19],
  },
  {
    mix: (x: number, y: number, z: number) => (x & y) | (x & z) | (y & z),
    constant: 0x5a827999,
    words: [0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15],
    turns: [3, 5, 9, 13],
  },
  {
    mix: (x: number, y: number, z: number) => x ^ y ^ z,
    constant: 0x6ed9eba1,
    words: [0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15],
    turns: [3, 9, 11, 15],
  },
];

export function md4(message: Uint8Array): Buffer {
  const padded = Buffer.alloc(Math.ceil((message.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(message);
  padded[message.length] = 0x80;
  padded.writeBigUInt64LE(BigInt(message.length) * 8n, padded.length - 8);
  const state = new Int32Array([0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]);
  for (let block = 0; block < padded.length; block += BLOCK_BYTES) {
    let [a, b, c, d] = state as unknown as [number, number, number, number];
    for (const { mix, constant, words, turns } of ROUNDS)
      for (let step = 0; step < 16; step++) {
        const sum = (a + mix(b, c, d) + padded.readInt32LE(block + words[step]! * 4) + constant) | 0;
        [a, b, c, d] = [d, rotated(sum, turns[step % 4]!), b, c];
      }
    for (const [i, value] of [a, b, c, d].entries()) state[i] = state[i]! + value;
  }
  const hash = Buffer.alloc(HASH_BYTES);
  for (const [i, value] of state.entries()) hash.writeInt32LE(value, i * 4);
  return hash;
}

function hmacMd4(key: Uint8Array): (message: Uint8Array) => Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(key.length > BLOCK_BYTES ? md4(key) : key);
  const inner = block.map((byte) => byte ^ 0x36);
  const outer = block.map((byte) => byte ^ 0x5c);
  return (message) => md4(Buffer.concat([outer, md4(Buffer.concat([inner, message]))]));
}

/** RFC 8018, 5.2, with a turn for everybody else in between. */
export async function pbkdf2Md4(
  password: Uint8Array,
  salt: Uint8Array,
  iterations: number,
  length: number,
): Promise<Buffer> {
  const hmac = hmacMd4(password);
  const blocks: Buffer[] = [];
  for (let nr = 1; blocks.length * HASH_BYTES < length; nr++) {
    const number = Buffer.alloc(4);
    number.writeUInt32BE(nr);
    let latest = hmac(Buffer.concat([salt, number]));
    const sum = Buffer.from(latest);
    for (let i = 1; i < iterations; i++) {
      latest = hmac(latest);
      for (let byte = 0; byte < HASH_BYTES; byte++) sum[byte] = sum[byte]! ^ latest[byte]!;
      if (i % ITERATIONS_AT_ONCE === 0) await setImmediate();
    }
    blocks.push(sum);
  }
  return Buffer.concat(blocks).subarray(0, length);
}
