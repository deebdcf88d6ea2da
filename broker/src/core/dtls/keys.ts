import {
  constants,
  createECDH,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto';
import type { KeyPair } from '../listeners/certificates.ts';
import { Alert, DtlsError } from './alerts.ts';
import type { KeyKind } from './suites.ts';

/** What the server shows, and signs with. */
export interface Credentials {
  readonly kind: KeyKind;
  readonly key: KeyObject;
  readonly chain: readonly Buffer[]; // DER, its own first
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a text in PEM form. */
export const certificatesOf = (pem: string): X509Certificate[] =>
  (pem.match(CERTIFICATE) ?? []).map((one) => new X509Certificate(one));

/** Throws a sentence for the operator when the pair is good for nothing here. */
export function credentialsOf({ cert, key, passphrase }: KeyPair): Credentials {
  const chain = certificatesOf(cert).map(({ raw }) => raw);
  const privateKey = createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  const kind = privateKey.asymmetricKeyType;
  if (kind !== 'ec' && kind !== 'rsa')
    throw new Error('DTLS needs a certificate with a key of the kind RSA or EC.');
  if (chain.length === 0) throw new Error('The certificate is no certificate in PEM form.');
  return { kind, key: privateKey, chain };
}

interface SignatureScheme {
  readonly id: number;
  readonly key: KeyKind;
  readonly hash: string;
  readonly padding?: number;
}

const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING } = constants;

/** Those of RFC 5246 and 8446 with SHA-2, the preferred first. */
const SCHEMES: readonly SignatureScheme[] = [
  { id: 0x0403, key: 'ec', hash: 'sha256' },
  { id: 0x0503, key: 'ec', hash: 'sha384' },
  { id: 0x0603, key: 'ec', hash: 'sha512' },
  { id: 0x0804, key: 'rsa', hash: 'sha256', padding: RSA_PKCS1_PSS_PADDING },
  { id: 0x0805, key: 'rsa', hash: 'sha384', padding: RSA_PKCS1_PSS_PADDING },
  { id: 0x0806, key: 'rsa', hash: 'sha512', padding: RSA_PKCS1_PSS_PADDING },
  { id: 0x0401, key: 'rsa', hash: 'sha256', padding: RSA_PKCS1_PADDING },
  { id: 0x0501, key: 'rsa', hash: 'sha384', padding: RSA_PKCS1_PADDING },
  { id: 0x0601, key: 'rsa', hash: 'sha512', padding: RSA_PKCS1_PADDING },
];
export const SIGNATURES: readonly number[] = SCHEMES.map(({ id }) => id);

/** The scheme to sign with; null: the client knows none that the key can do. */
export const schemeFor = (key: KeyKind, offered: readonly number[]): number | null =>
  SCHEMES.find((scheme) => scheme.key === key && offered.includes(scheme.id))?.id ?? null;

const paddingOf = ({ padding }: SignatureScheme) =>
  padding === undefined ? {} : { padding, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const schemeOf = (id: number): SignatureScheme | undefined => SCHEMES.find((scheme) => scheme.id === id);

export function signWith(key: KeyObject, schemeId: number, content: Buffer): Buffer {
  const scheme = schemeOf(schemeId);
  if (scheme === undefined) throw new DtlsError(Alert.internalError, 'no such signature scheme');
  return sign(scheme.hash, content, { key, ...paddingOf(scheme) });
}

export function isSignedBy(key: KeyObject, schemeId: number, content: Buffer, signature: Buffer): boolean {
  const scheme = schemeOf(schemeId);
  if (scheme === undefined || scheme.key !== key.asymmetricKeyType) return false;
  return verify(scheme.hash, content, { key, ...paddingOf(scheme) }, signature);
}

const X25519 = 29;
const CURVES: Readonly<Record<number, string>> = { 23: 'prime256v1', 24: 'secp384r1' };
const GROUPS: readonly number[] = [X25519, 23, 24];
const P256 = 23;

/** The group to agree in; null: there is none in common. A client that names none has P-256, as RFC 8422 lets us choose. */
export const groupFor = (offered: readonly number[] | null): number | null =>
  offered === null ? P256 : (GROUPS.find((group) => offered.includes(group)) ?? null);

export interface Exchange {
  readonly publicKey: Buffer;
  /** The secret that both come to; throws DtlsError when the client's point is none. */
  agree(point: Buffer): Buffer;
}

// What stands before the 32 bytes of an X25519 key in SubjectPublicKeyInfo, RFC 8410
const X25519_SPKI = Buffer.from('302a300506032b656e032100', 'hex');

/** A fresh pair of keys of a group. */
export function startExchange(group: number): Exchange {
  return group === X25519 ? exchangeX25519() : exchangeOnCurve(CURVES[group]!);
}

function exchangeX25519(): Exchange {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(X25519_SPKI.length),
    agree: (point) =>
      agreed(() => {
        const der = Buffer.concat([X25519_SPKI, point]);
        const theirs = createPublicKey({ key: der, type: 'spki', format: 'der' });
        const secret = diffieHellman({ privateKey, publicKey: theirs });
        if (secret.every((byte) => byte === 0)) throw new Error('a point of small order');
        return secret;
      }),
  };
}

function exchangeOnCurve(curve: string): Exchange {
  const ecdh = createECDH(curve);
  return { publicKey: ecdh.generateKeys(), agree: (point) => agreed(() => ecdh.computeSecret(point)) };
}

function agreed(compute: () => Buffer): Buffer {
  try {
    return compute();
  } catch {
    throw new DtlsError(Alert.illegalParameter, 'the public key of the client is none');
  }
}
