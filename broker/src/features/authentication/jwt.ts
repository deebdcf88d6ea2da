import { createPublicKey, createSecretKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { JwtAuthenticator } from '@mqdeck/contract/authentication';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { compactVerify, decodeProtectedHeader } from 'jose';
import { BackendConfigError, type BackendParts } from '../../backends/backend.ts';
import { rulesOfClaim } from './acl-claim.ts';
import type { Admission, Authenticator, Credentials, Verdict } from './authenticator.ts';
import { type Jwks, openJwks } from './jwks.ts';
import { algorithmsOf, type KeySource } from './jwt-keys.ts';

const PLACEHOLDER = /\$\{([^{}]*)\}/g;
const TOKEN_BYTES_MAX = 65_535;

/** Tokens whose signature, times and claims are right let their bearer in. */
export function openJwt(config: JwtAuthenticator, parts: BackendParts): Authenticator {
  for (const [name, value] of Object.entries(config.verify_claims))
    for (const [placeholder, inner] of value.matchAll(PLACEHOLDER))
      if (inner !== 'clientid' && inner !== 'username')
        throw new BackendConfigError(
          `verify_claims.${name}`,
          `${placeholder} is unknown; there are \${clientid} and \${username}`,
        );
  const jwks: Jwks | null = config.use_jwks ? openJwks(config, parts) : null;
  const keys: KeySource = jwks ?? keysOf(config as Exclude<JwtAuthenticator, { use_jwks: true }>);
  return {
    async authenticate(credentials) {
      const token = config.from === 'password' ? textOf(credentials.password) : credentials.username;
      if (token === null) return { result: 'ignore', why: `there is no token in the ${config.from}` };
      const claims = await verified(token, keys);
      return typeof claims === 'string'
        ? { result: 'ignore', why: claims }
        : judged(claims, credentials, config);
    },
    get status() {
      return jwks?.status ?? 'connected';
    },
    get reason() {
      return jwks?.reason ?? null;
    },
    get resourceMetrics() {
      return jwks?.metrics ?? null;
    },
    close: async () => jwks?.close(),
  };
}

function keysOf(config: Exclude<JwtAuthenticator, { use_jwks: true }>): KeySource {
  const key =
    config.algorithm === 'hmac-based'
      ? createSecretKey(secretOf(config.secret, config.secret_base64_encoded))
      : publicKey(config.public_key);
  const algorithms = algorithmsOf(key);
  if (algorithms.length === 0 || algorithms[0] === '')
    throw new BackendConfigError(
      'public_key',
      'keys of RSA, of P-256, P-384 or P-521, and Ed25519 can be used',
    );
  return { keysFor: async ({ alg }) => (algorithms.includes(alg) ? [key] : []) };
}

function secretOf(secret: string, isBase64: boolean): Buffer {
  if (!isBase64) return Buffer.from(secret);
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(secret)) throw new BackendConfigError('secret', 'it is not base64');
  return Buffer.from(secret, 'base64');
}

function publicKey(pem: string): KeyObject {
  if (pem.includes('PRIVATE KEY'))
    throw new BackendConfigError('public_key', 'this is a private key; give its public key');
  try {
    return pem.includes('BEGIN CERTIFICATE') ? new X509Certificate(pem).publicKey : createPublicKey(pem);
  } catch {
    throw new BackendConfigError('public_key', 'it must be a public key or a certificate in PEM form');
  }
}

function textOf(password: Uint8Array | null): string | null {
  return password === null || password.length > TOKEN_BYTES_MAX
    ? null
    : Buffer.from(password).toString('latin1');
}

type Claims = Record<string, unknown>;

/** The claims of a token that one of the keys has signed, or why there are none. */
async function verified(token: string, keys: KeySource): Promise<Claims | string> {
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return 'it is no token'; // also one without signature
  let header: { alg?: string; kid?: string };
  try {
    header = decodeProtectedHeader(token);
  } catch {
    return 'it is no token';
  }
  const { alg, kid } = header;
  if (typeof alg !== 'string') return 'the token names no algorithm';
  const candidates = await keys.keysFor(typeof kid === 'string' ? { alg, kid } : { alg });
  for (const key of candidates) {
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [...algorithmsOf(key)] });
      return claimsOf(payload);
    } catch {
      // another key may have signed it
    }
  }
  return candidates.length === 0
    ? `no key fits the token (algorithm ${alg.slice(0, 20)})`
    : 'the signature of the token is wrong';
}

function claimsOf(payload: Uint8Array): Claims | string {
  const claims: unknown = JSON.parse(new TextDecoder().decode(payload));
  return typeof claims === 'object' && claims !== null && !Array.isArray(claims)
    ? (claims as Claims)
    : 'the token holds no claims';
}

/** The signature is right: from here on the token decides. */
function judged(claims: Claims, credentials: Credentials, config: JwtAuthenticator): Verdict {
  const now = Date.now() / 1000;
  const { exp, nbf, iat } = claims;
  const untimely =
    (exp !== undefined && !(isMoment(exp) && now < exp) && 'the token has expired') ||
    (nbf !== undefined && !(isMoment(nbf) && nbf <= now) && 'the token is not valid yet') ||
    (iat !== undefined && !(isMoment(iat) && iat <= now) && 'the token was issued in the future');
  if (untimely) return refused(untimely);
  for (const [name, value] of Object.entries(config.verify_claims)) {
    const wanted = filledIn(value, credentials);
    const claim = Object.hasOwn(claims, name) ? claims[name] : undefined;
    const isText = ['string', 'number', 'boolean'].includes(typeof claim);
    if (wanted === null || !isText || String(claim) !== wanted)
      return refused(`the claim ${name} is not as it must be`);
  }
  const admission = admissionOf(claims, config);
  return admission === null
    ? refused(`the rules in the claim ${config.acl_claim_name} cannot be understood`)
    : { result: 'allow', why: 'the token is right', ...admission };
}

const isMoment = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const refused = (why: string): Verdict => ({
  result: 'deny',
  reasonCode: ReasonCode.BadUserNameOrPassword,
  why,
});

/** Null when the client has no user name to fill in. What is filled in is not looked at for placeholders again. */
function filledIn(template: string, { clientid, username }: Credentials): string | null {
  if (username === null && template.includes('${username}')) return null;
  return template.replace(PLACEHOLDER, (_, name: string) => (name === 'clientid' ? clientid : username!));
}

function admissionOf(
  claims: Claims,
  { acl_claim_name, disconnect_after_expire }: JwtAuthenticator,
): Admission | null {
  const claim = Object.hasOwn(claims, acl_claim_name) ? claims[acl_claim_name] : undefined;
  const acl = claim === undefined ? undefined : rulesOfClaim(claim);
  if (acl === null) return null;
  return {
    isSuperuser: claims.is_superuser === true,
    clientAttrs: attributesOf(claims.client_attrs),
    expiresAt:
      disconnect_after_expire && isMoment(claims.exp)
        ? Math.min(claims.exp * 1000, Number.MAX_SAFE_INTEGER)
        : null,
    ...(acl && { acl }),
  };
}

/** Attributes are texts; what is none is left out. */
export function attributesOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
