/** Seals texts for browser storage. */
export interface Cipher {
  seal(text: string): Promise<string>;
  /** Throws when the text was sealed by another key or tampered with. */
  open(sealed: string): Promise<string>;
}

/** Where the key lies; a store that loses it merely costs a sign-in. */
export interface KeyStore {
  /** What was put there, if it is still there. */
  get(): Promise<unknown>;
  put(key: CryptoKey | Uint8Array<ArrayBuffer>): Promise<void>;
}

const NONCE_BYTES = 12;
const KEY_BYTES = 32;

/**
 * In a secure context the key cannot be read by any script, this one included. Brokers are also opened over
 * http://10.0.0.5, where the browser has no WebCrypto: there the key is plain bytes beside the sealed text, which
 * keeps the token from a glance and from a copied localStorage, not from a script on this origin.
 */
export const openCipher = (keys: KeyStore): Promise<Cipher> =>
  globalThis.crypto.subtle ? webCryptoCipher(keys, globalThis.crypto.subtle) : plainHttpCipher(keys);

async function webCryptoCipher(keys: KeyStore, subtle: SubtleCrypto): Promise<Cipher> {
  const stored = await keys.get();
  let key = stored instanceof CryptoKey ? stored : undefined;
  if (!key) {
    key = await subtle.generateKey({ name: 'AES-GCM', length: KEY_BYTES * 8 }, false, ['encrypt', 'decrypt']);
    await keys.put(key);
  }
  const own = key;
  return {
    async seal(text) {
      const iv = randomBytes(NONCE_BYTES);
      const bytes = await subtle.encrypt({ name: 'AES-GCM', iv }, own, new TextEncoder().encode(text));
      return pack(iv, new Uint8Array(bytes));
    },
    async open(sealed) {
      const { nonce, bytes } = unpack(sealed);
      return new TextDecoder().decode(await subtle.decrypt({ name: 'AES-GCM', iv: nonce }, own, bytes));
    },
  };
}

async function plainHttpCipher(keys: KeyStore): Promise<Cipher> {
  const { gcm } = await import('@noble/ciphers/aes.js');
  const stored = await keys.get();
  let key = stored instanceof Uint8Array && stored.length === KEY_BYTES ? new Uint8Array(stored) : undefined;
  if (!key) {
    key = randomBytes(KEY_BYTES);
    await keys.put(key);
  }
  const own = key;
  return {
    async seal(text) {
      const nonce = randomBytes(NONCE_BYTES);
      return pack(nonce, gcm(own, nonce).encrypt(new TextEncoder().encode(text)));
    },
    async open(sealed) {
      const { nonce, bytes } = unpack(sealed);
      return new TextDecoder().decode(gcm(own, nonce).decrypt(bytes));
    },
  };
}

const randomBytes = (length: number): Uint8Array<ArrayBuffer> =>
  globalThis.crypto.getRandomValues(new Uint8Array(length));

function pack(nonce: Uint8Array, bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...nonce, ...bytes));
}

function unpack(sealed: string): { nonce: Uint8Array<ArrayBuffer>; bytes: Uint8Array<ArrayBuffer> } {
  const all = Uint8Array.from(atob(sealed), (char) => char.charCodeAt(0));
  return { nonce: all.slice(0, NONCE_BYTES), bytes: all.slice(NONCE_BYTES) };
}
