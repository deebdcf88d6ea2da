import { webcrypto } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { type KeyStore, openCipher } from './cipher.ts';

function memoryKeys(): KeyStore & { key?: CryptoKey | Uint8Array<ArrayBuffer> } {
  const store: KeyStore & { key?: CryptoKey | Uint8Array<ArrayBuffer> } = {
    get: async () => store.key,
    put: async (key) => {
      store.key = key;
    },
  };
  return store;
}

const worlds: [string, () => void][] = [
  ['in a secure context', () => vi.stubGlobal('crypto', webcrypto)],
  [
    'over plain http, without WebCrypto',
    () => vi.stubGlobal('crypto', { getRandomValues: webcrypto.getRandomValues.bind(webcrypto) }),
  ],
];

describe.each(worlds)('%s', (_, enter) => {
  test('what is sealed can be opened with the stored key, later too', async () => {
    enter();
    const keys = memoryKeys();
    const sealed = await (await openCipher(keys)).seal('{"token":"密"}');
    expect(sealed).not.toContain('token');
    expect(await (await openCipher(keys)).open(sealed)).toBe('{"token":"密"}');
  });

  test('the same text is sealed differently each time', async () => {
    enter();
    const cipher = await openCipher(memoryKeys());
    expect(await cipher.seal('x')).not.toBe(await cipher.seal('x'));
  });

  test('another key or a changed text opens nothing', async () => {
    enter();
    const cipher = await openCipher(memoryKeys());
    const sealed = await cipher.seal('secret');
    await expect((await openCipher(memoryKeys())).open(sealed)).rejects.toThrow();
    const changed = (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1);
    await expect(cipher.open(changed)).rejects.toThrow();
  });
});

test('the key of a secure context cannot be read out', async () => {
  vi.stubGlobal('crypto', webcrypto);
  const keys = memoryKeys();
  await openCipher(keys);
  expect(keys.key).toMatchObject({ extractable: false });
});
