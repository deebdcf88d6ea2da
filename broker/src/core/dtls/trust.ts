import { X509Certificate } from 'node:crypto';
import { Alert, DtlsError } from './alerts.ts';

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
const CHAIN_MAX = 10; // certificates that a client may show

export function readChain(ders: readonly Buffer[]): X509Certificate[] {
  if (ders.length > CHAIN_MAX) throw new DtlsError(Alert.badCertificate, 'a chain that is too long');
  try {
    return ders.map((der) => new X509Certificate(der));
  } catch {
    throw new DtlsError(Alert.badCertificate, 'a certificate that cannot be read');
  }
}

/**
 * Whether a client's certificate, the first of those it has shown, leads to a trusted one over at most `depth` others.
 * Throws a DtlsError that says why not.
 */
export function checkChain(
  shown: readonly X509Certificate[],
  trusted: readonly X509Certificate[],
  depth: number,
  now: number,
): void {
  const [leaf] = shown;
  if (leaf === undefined) throw new DtlsError(Alert.badCertificate, 'no certificate');
  if (leaf.keyUsage !== undefined && !leaf.keyUsage.includes(CLIENT_AUTH))
    throw new DtlsError(Alert.unsupportedCertificate, 'the certificate is not one for clients');
  checkTime(leaf, now);
  let current = leaf;
  const passed = new Set([leaf.fingerprint256]);
  for (let between = 0; ; between++) {
    const isTrusted = trusted.some(({ fingerprint256 }) => fingerprint256 === current.fingerprint256);
    if (isTrusted) return;
    const anchor = trusted.find((ca) => issued(ca, current));
    if (anchor !== undefined) {
      checkTime(anchor, now);
      return;
    }
    if (between >= depth)
      throw new DtlsError(Alert.unknownCa, 'the certificate is too far from a trusted one');
    const issuer = shown.find((one) => !passed.has(one.fingerprint256) && issued(one, current));
    if (issuer === undefined) throw new DtlsError(Alert.unknownCa, 'the certificate leads to no trusted one');
    checkTime(issuer, now);
    passed.add(issuer.fingerprint256);
    current = issuer;
  }
}

function issued(issuer: X509Certificate, subject: X509Certificate): boolean {
  return issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);
}

function checkTime({ validFrom, validTo }: X509Certificate, now: number): void {
  if (now < Date.parse(validFrom) || now > Date.parse(validTo))
    throw new DtlsError(Alert.certificateExpired, 'a certificate is not valid now');
}
