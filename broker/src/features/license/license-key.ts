import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { isDay } from '@mqdeck/contract/kit/moment';
import * as z from 'zod/mini';

/**
 * A license as it is handed over: what it says as JSON and the issuer's ed25519 signature of those bytes, both in
 * base64url, with a dot between them. Who has the issuer's public key can tell whether a word of it was changed.
 */

const day = z.string().check(z.refine(isDay, 'it is no day of the calendar'));
const shortText = z.string().check(z.minLength(1), z.maxLength(300));

const Terms = z.strictObject({
  customer: shortText,
  email: z.string().check(z.maxLength(300)),
  deployment: z._default(z.string().check(z.maxLength(300)), 'default'),
  start_at: day,
  expiry_at: day,
  max_connections: z.int().check(z.gte(1)),
  type: z.enum(['trial', 'official']),
});

/** What a license says. */
export type Terms = z.output<typeof Terms>;

/** Whether a text in PEM form is a key that licenses can be checked with. */
export function isIssuerKey(pem: string): boolean {
  try {
    return createPublicKey(pem).asymmetricKeyType === 'ed25519' && !pem.includes('PRIVATE KEY');
  } catch {
    return false;
  }
}

/** Why a text is no license. */
export class LicenseFault extends Error {}

export function readLicense(key: string, issuer: KeyObject | null): Terms {
  if (issuer === null)
    throw new LicenseFault(
      "This broker knows no issuer of licenses: start it with --license-issuer FILE, the issuer's public key",
    );
  const [, payload, signature] = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/.exec(key.replace(/\s/g, '')) ?? [];
  if (payload === undefined || signature === undefined)
    throw new LicenseFault('This is no license: expected are two parts with a dot between them');
  const bytes = Buffer.from(payload, 'base64url');
  if (!verify(null, bytes, issuer, Buffer.from(signature, 'base64url')))
    throw new LicenseFault('The license is not signed by the issuer that this broker knows');
  const terms = z.safeParse(Terms, parsed(bytes));
  if (!terms.success) {
    const { path, message } = terms.error.issues[0]!;
    throw new LicenseFault(`The license is signed, but cannot be understood: ${path.join('.')}: ${message}`);
  }
  if (terms.data.expiry_at < terms.data.start_at) throw new LicenseFault('The license ends before it begins');
  return terms.data;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch (cause) {
    throw new LicenseFault('The license is signed, but it is no JSON', { cause });
  }
}
