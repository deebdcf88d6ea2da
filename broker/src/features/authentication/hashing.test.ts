import { createHash, pbkdf2Sync } from 'node:crypto';
import { MAC_FUNCTIONS, type PasswordHash, SALT_POSITIONS } from '@mqdeck/contract/authentication';
import bcrypt from 'bcrypt';
import { describe, expect, test } from 'vitest';
import { hashNew, matches as matchesFrom } from './hashing.ts';
import { md4, pbkdf2Md4 } from './md4.ts';

const matches = (algorithm: PasswordHash, password: Uint8Array, hash: string, salt: string) =>
  matchesFrom(algorithm, password, hash, salt, '10.0.0.1');
const bytes = (text: string) => Buffer.from(text);
const hex = (name: string, text: string) => createHash(name).update(text).digest('hex');
const pbkdf2 = { name: 'pbkdf2', mac_fun: 'sha256', iterations: 4096 } as const;

describe('hashes that others made', () => {
  test.each([
    ['md5', 'md5'],
    ['sha', 'sha1'],
    ['sha256', 'sha256'],
    ['sha512', 'sha512'],
  ] as const)('%s with the salt before, behind and not at all', async (name, openssl) => {
    const cases = { prefix: 'saltsecret', suffix: 'secretsalt', disable: 'secret' };
    for (const salt_position of SALT_POSITIONS) {
      const hash = hex(openssl, cases[salt_position]);
      const algorithm = { name, salt_position };
      expect(await matches(algorithm, bytes('secret'), hash, 'salt')).toBe(true);
      expect(await matches(algorithm, bytes('secret'), hash.toUpperCase(), 'salt')).toBe(true);
      expect(await matches(algorithm, bytes('Secret'), hash, 'salt')).toBe(false);
      const salted = salt_position !== 'disable';
      expect(await matches(algorithm, bytes('secret'), hash, 'tlas')).toBe(!salted);
    }
  });

  test('plain is compared letter by letter', async () => {
    const plain = { name: 'plain', salt_position: 'disable' } as const;
    expect(await matches(plain, bytes('Sécret'), 'Sécret', '')).toBe(true);
    for (const other of ['sécret', 'Sécre', 'Sécret ', '']) {
      expect(await matches(plain, bytes(other), 'Sécret', '')).toBe(false);
    }
    expect(await matches({ ...plain, salt_position: 'prefix' }, bytes('b'), 'ab', 'a')).toBe(true);
  });

  test('bcrypt of every letter, with the salt that is in it', async () => {
    const hash = await bcrypt.hash('secret', 5);
    for (const letter of ['a', 'b', 'x', 'y']) {
      const written = `$2${letter}${hash.slice(3)}`;
      expect(await matches({ name: 'bcrypt', salt_rounds: 10 }, bytes('secret'), written, 'any')).toBe(true);
      expect(await matches({ name: 'bcrypt', salt_rounds: 10 }, bytes('Secret'), written, '')).toBe(false);
    }
  });

  test('pbkdf2, vectors of RFC 6070', async () => {
    const cases: [number, number, string][] = [
      [1, 20, '0c60c80f961f0e71f3a9b524af6012062fe037a6'],
      [4096, 20, '4b007901b765489abead49d926f721d065a429c1'],
      [4096, 16, '4b007901b765489abead49d926f721d0'],
    ];
    for (const [iterations, dk_length, hash] of cases) {
      const algorithm = { name: 'pbkdf2', mac_fun: 'sha', iterations, dk_length } as const;
      expect(await matches(algorithm, bytes('password'), hash, 'salt')).toBe(true);
      expect(await matches(algorithm, bytes('passwort'), hash, 'salt')).toBe(false);
    }
  });

  test('pbkdf2 without a length is as long as its function', async () => {
    const key = pbkdf2Sync('p', 's', 4096, 32, 'sha256').toString('hex');
    expect(await matches(pbkdf2, bytes('p'), key, 's')).toBe(true);
    expect(await matches(pbkdf2, bytes('p'), key.slice(0, 62), 's')).toBe(false);
  });
});

test('md4 gives the digests of RFC 1320', () => {
  expect(md4(bytes('')).toString('hex')).toBe('31d6cfe0d16ae931b73c59d7e0c089c0');
  expect(md4(bytes('abc')).toString('hex')).toBe('a448017aaf21d8525fc10ae87aa6729d');
  expect(md4(bytes('1234567890'.repeat(8))).toString('hex')).toBe('e33b4ddc9c38f2199c3e7b164fcc0536');
});

test('pbkdf2 with md4 gives the key that OpenSSL gives with its legacy provider', async () => {
  const key = '610501bfaa9102561874283f339fff6c2c6372188c585a693ccd8e9e1ef3a1e43bcf1231b380da6d';
  expect((await pbkdf2Md4(bytes('password'), bytes('saltsalt'), 3, 40)).toString('hex')).toBe(key);
});

test('every algorithm knows the hash that it made, and no other', async () => {
  const algorithms: PasswordHash[] = [
    ...(['plain', 'md5', 'sha', 'sha256', 'sha512'] as const).flatMap((name) =>
      SALT_POSITIONS.map((salt_position) => ({ name, salt_position })),
    ),
    { name: 'bcrypt', salt_rounds: 5 },
    ...MAC_FUNCTIONS.map((mac_fun) => ({ name: 'pbkdf2', mac_fun, iterations: 50 }) as const),
    { ...pbkdf2, dk_length: 7 },
  ];
  for (const algorithm of algorithms) {
    const { hash, salt } = await hashNew(algorithm, bytes('pässwörd'));
    expect(await matches(algorithm, bytes('pässwörd'), hash, salt), JSON.stringify(algorithm)).toBe(true);
    expect(await matches(algorithm, bytes('pässword'), hash, salt), JSON.stringify(algorithm)).toBe(false);
    expect(await matches(algorithm, bytes('pässwörd'), 'nonsense', salt)).toBe(false);
    expect(await matches(algorithm, bytes(''), '', salt)).toBe(
      algorithm.name === 'plain' && (salt === '' || algorithm.salt_position === 'disable'),
    );
  }
  const two = await Promise.all([hashNew(pbkdf2, bytes('x')), hashNew(pbkdf2, bytes('x'))]);
  expect(two[0].salt).not.toBe(two[1].salt);
});

test('a hash that would take minutes, or is none, matches nothing at once', async () => {
  const hash = (await bcrypt.hash('secret', 5)).replace('$05$', '$31$');
  // With 2^31 rounds the first one would not end within the time limit of this test
  for (const written of [hash, '$2b$05$short', '', '$1$abc', `${hash}x`])
    expect(await matches({ name: 'bcrypt', salt_rounds: 10 }, bytes('secret'), written, '')).toBe(false);
});

test('slow hashes for 150 addresses do not delay one for another address', async () => {
  const slow = { ...pbkdf2, iterations: 10 };
  const { hash, salt } = await hashNew(slow, bytes('secret'));
  const answered: string[] = [];
  const flood = Array.from({ length: 900 }, async (_, i) => {
    await matchesFrom(slow, bytes('guess'), hash, salt, `10.0.1.${i % 150}`);
    answered.push('flood');
  });
  await Promise.all(flood.slice(0, 300)); // each address was served once
  const before = answered.length;
  expect(await matchesFrom(slow, bytes('secret'), hash, salt, '10.0.0.2')).toBe(true);
  expect(answered.length - before).toBeLessThan(10);
  await Promise.all(flood);
});
