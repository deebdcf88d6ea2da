import type { KeyObject } from 'node:crypto';

/** Which algorithms a kind of key may be used with: a public key never as the secret of an HMAC. */
const HMAC_ALGORITHMS = ['HS256', 'HS384', 'HS512'];
const EC_ALGORITHMS: Readonly<Record<string, string>> = {
  prime256v1: 'ES256',
  secp384r1: 'ES384',
  secp521r1: 'ES512',
};
const RSA_ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** Keys that may have signed a token with this header. */
export interface KeySource {
  keysFor(header: { alg: string; kid?: string }): Promise<readonly KeyObject[]>;
}

/** The algorithms that a key of this kind can have signed with. */
export function algorithmsOf(key: KeyObject): readonly string[] {
  if (key.type === 'secret') return HMAC_ALGORITHMS;
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return RSA_ALGORITHMS;
    case 'rsa-pss':
      return RSA_ALGORITHMS.filter((name) => name.startsWith('PS'));
    case 'ec':
      return [EC_ALGORITHMS[key.asymmetricKeyDetails?.namedCurve ?? ''] ?? ''];
    case 'ed25519':
      return ['EdDSA', 'Ed25519'];
    default:
      return [];
  }
}
