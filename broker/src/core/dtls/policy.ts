import type { KeyPair } from '../listeners/certificates.ts';
import type { PeerPolicy } from '../listeners/tls.ts';
import { certificatesOf, credentialsOf } from './keys.ts';
import { SUITES, type Suite } from './suites.ts';

/** What is asked of DTLS beside a certificate of our own. */
export interface DtlsPolicy {
  /** OpenSSL's names or those of the standard; empty = all that we have. */
  ciphers: readonly string[];
  /** Whether the server's order of suites counts, or the client's. */
  honorCipherOrder: boolean;
  handshakeTimeoutMs: number;
  /** Null: clients are not asked for a certificate. */
  peers: PeerPolicy | null;
}

export const usualDtls: DtlsPolicy = {
  ciphers: [],
  honorCipherOrder: true,
  handshakeTimeoutMs: 15_000,
  peers: null,
};

export type Terms = ReturnType<typeof termsOf>;

/** Everything a handshake needs. Throws a sentence for the operator when there can be none. */
export function termsOf(pair: KeyPair, policy: DtlsPolicy) {
  const { ciphers, peers } = policy;
  const credentials = credentialsOf(pair);
  const named = ciphers.length === 0 ? SUITES : ciphers.flatMap((name) => SUITES.filter(isCalled(name)));
  const suites = named.filter(({ key }) => key === credentials.kind);
  if (suites.length === 0)
    throw new Error(
      `DTLS has none of these ciphers for a certificate with a key of the kind ${keyName(credentials.kind)}.`,
    );
  return { policy, credentials, suites, trusted: peers === null ? [] : certificatesOf(peers.ca) };
}

const isCalled =
  (name: string) =>
  (suite: Suite): boolean =>
    suite.name === name || suite.standardName === name;

const keyName = (kind: 'ec' | 'rsa'): string => (kind === 'ec' ? 'EC' : 'RSA');

/** The suite of a handshake; null: none in common. */
export function suiteFor({ suites, policy }: Terms, offered: readonly number[]): Suite | null {
  if (policy.honorCipherOrder) return suites.find(({ id }) => offered.includes(id)) ?? null;
  for (const id of offered) {
    const suite = suites.find((one) => one.id === id);
    if (suite) return suite;
  }
  return null;
}
