import type { PasswordHash } from '@mqdeck/contract/authentication';
import { DEFAULT_ZONE } from '@mqdeck/contract/zones';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { type Backend, BackendError } from '../../../backends/backend.ts';
import type { Values } from '../../../backends/placeholders.ts';
import { PlaceholderError } from '../../../backends/url-values.ts';
import type { Authenticator, Credentials, Verdict } from '../authenticator.ts';
import { matches } from '../hashing.ts';

/** What is stored of a user elsewhere. */
export interface StoredUser {
  hash: unknown;
  salt: unknown;
  isSuperuser: unknown;
}

/** An authenticator that asks another system; one that fails has no opinion. Throws BackendConfigError when it cannot work. */
export function asking<B extends Backend>(
  open: () => { backend: B; ask: (credentials: Credentials, values: Values) => Promise<Verdict> },
): Authenticator {
  const { backend, ask } = open();
  return {
    async authenticate(credentials) {
      try {
        return await ask(credentials, valuesOf(credentials));
      } catch (error) {
        if (error instanceof BackendError || error instanceof PlaceholderError)
          return { result: 'ignore', why: error.message };
        throw error;
      }
    },
    get status() {
      return backend.status;
    },
    get reason() {
      return backend.reason;
    },
    get resourceMetrics() {
      return backend.metrics;
    },
    close: () => backend.close(),
  };
}

/** Who shows no password is refused, as the real broker does; whoever else is unknown is left to the next one. */
export async function judged(
  user: StoredUser | null,
  password: Uint8Array,
  algorithm: PasswordHash,
  peerhost: string,
): Promise<Verdict> {
  if (user === null) return { result: 'ignore', why: 'there is no such user' };
  const hash = textOf(user.hash);
  if (hash === null) return denied(ReasonCode.NotAuthorized, 'no password is stored of this user');
  if (!(await matches(algorithm, password, hash, textOf(user.salt) ?? '', peerhost)))
    return denied(ReasonCode.BadUserNameOrPassword, 'the password is wrong');
  return { result: 'allow', why: 'the password is right', isSuperuser: isTrue(user.isSuperuser) };
}

export const denied = (reasonCode: ReasonCode, why: string): Verdict => ({
  result: 'deny',
  reasonCode,
  why,
});

export const NO_PASSWORD: Verdict = denied(ReasonCode.BadUserNameOrPassword, 'the client shows no password');

/** Databases give texts as bytes where a column is binary. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return value instanceof Uint8Array ? Buffer.from(value).toString() : null;
}

/** 1, `true` and what databases make of them. */
export function isTrue(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.length === 1 && (value[0] === 1 || value[0] === 0x31);
  if (typeof value === 'number' || typeof value === 'bigint') return value >= 1;
  return value === true || value === 'true' || value === '1';
}

/** What placeholders stand for. */
function valuesOf(credentials: Credentials): Values {
  const { clientAttrs } = credentials;
  return (name) => {
    switch (name) {
      case 'username':
        return credentials.username;
      case 'clientid':
        return credentials.clientid;
      case 'password':
        return passwordText(credentials.password);
      case 'peerhost':
        return credentials.peerhost;
      case 'mountpoint':
        return credentials.mountpoint;
      case 'cert_subject':
        return credentials.certSubject;
      case 'cert_common_name':
        return credentials.certCommonName;
      case 'listener':
        return credentials.listener;
      case 'zone':
        return credentials.zone ?? DEFAULT_ZONE;
      case 'proto_name':
        return credentials.guest?.protocolName ?? 'MQTT';
    }
    const { facts = {} } = credentials.guest ?? {};
    if (Object.hasOwn(facts, name)) return facts[name];
    const attribute = name.replace(/^client_attrs\./, '');
    return attribute !== name && Object.hasOwn(clientAttrs, attribute) ? clientAttrs[attribute] : null;
  };
}

/** Two passwords that are no text must not become the same text. */
function passwordText(password: Uint8Array | null): string | null {
  if (password === null) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(password);
  } catch {
    throw new PlaceholderError('the password is no text, and cannot be sent as one');
  }
}
