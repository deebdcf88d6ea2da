import { X509Certificate } from 'node:crypto';
import path from 'node:path';
import { getCiphers } from 'node:tls';
import type { ListenerCertificate, ListenerSslOptions } from '@mqdeck/contract/listeners';
import type { Log } from '../core/core.ts';
import {
  CertificateError,
  type Certificates,
  isPem,
  openCertificates,
  readPem,
} from '../core/listeners/certificates.ts';
import { checkTls, oneLine, type TlsPolicy } from '../core/listeners/tls.ts';
import { rfc3339 } from '../paging/rfc3339.ts';
import { tlsPolicy } from './port-options.ts';

const DAY_MS = 24 * 3600 * 1000;

/** What a TLS listener needs to start. */
export interface TlsMaterial {
  certificates: Certificates;
  policy: TlsPolicy;
  /** Whether the certificates are this listener's alone, and end with it. */
  ours: boolean;
}

interface Sources {
  log: Log;
  /** What paths are relative to. */
  folder: string;
  /** The broker's own certificate, for listeners that have none. */
  shared: () => Promise<Certificates>;
}

/** Reads it, and tries it out. Throws CertificateError with a sentence when no TLS can be made of it. */
export async function readMaterial(
  given: ListenerSslOptions,
  { log, folder, shared }: Sources,
): Promise<TlsMaterial> {
  const options = located(given, folder);
  const policy = await readPolicy(options);
  const { certfile, keyfile, password } = options;
  if ((certfile === '') !== (keyfile === ''))
    throw new CertificateError(
      'A certificate and its key belong together: both certfile and keyfile are needed.',
    );
  const ours = certfile !== '';
  const certificates = ours
    ? await openCertificates({
        folder: null,
        host: '',
        log,
        files: { cert: certfile, key: keyfile, ...(password && { passphrase: password }) },
      })
    : await shared();
  try {
    checkTls(certificates.current, policy);
  } catch (cause) {
    if (ours) certificates.close();
    throw new CertificateError(`TLS is not possible with these options: ${(cause as Error).message}.`, {
      cause,
    });
  }
  return { certificates, policy, ours };
}

function located(options: ListenerSslOptions, folder: string): ListenerSslOptions {
  const at = (text: string) => (text === '' || isPem(text) ? text : path.resolve(folder, text));
  const { certfile, keyfile, cacertfile, dhfile = '' } = options;
  return {
    ...options,
    certfile: at(certfile),
    keyfile: at(keyfile),
    cacertfile: at(cacertfile),
    dhfile: at(dhfile),
  };
}

async function readPolicy(options: ListenerSslOptions): Promise<TlsPolicy> {
  const { ciphers, verify, cacertfile, dhfile } = options;
  const known = new Set(getCiphers());
  const unknown = ciphers.find((name) => !known.has(name.toLowerCase()));
  if (unknown !== undefined) throw new CertificateError(`There is no cipher ${unknown}.`);
  if (verify === 'verify_peer' && cacertfile === '')
    throw new CertificateError('To verify certificates of clients, cacertfile must say who signs them.');
  const ca = cacertfile === '' ? '' : await readPem(cacertfile);
  if (cacertfile !== '') checkAuthorities(ca, cacertfile);
  const dhparam = dhfile ? await readPem(dhfile) : null;
  if (dhparam !== null && !dhparam.includes('-----BEGIN DH PARAMETERS-----'))
    throw new CertificateError('In dhfile there are no parameters of Diffie-Hellman in PEM form.'); // Node would use none
  return tlsPolicy(options, ca, dhparam);
}

const BLOCK = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** Node passes over what it cannot read, and would trust nobody without a word. */
function checkAuthorities(ca: string, from: string): void {
  const name = isPem(from) ? 'cacertfile' : from;
  const blocks = ca.match(BLOCK);
  if (blocks === null) throw new CertificateError(`In ${name} there is no certificate in PEM form.`);
  for (const block of blocks) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw new CertificateError(`In ${name} there is a certificate that cannot be read.`, { cause });
    }
  }
}

/** What the listener shows to its clients. */
export function shownCertificate({ certificates, ours }: TlsMaterial, now: number): ListenerCertificate {
  const x509 = new X509Certificate(certificates.current.cert);
  const notAfter = Date.parse(x509.validTo);
  return {
    subject: oneLine(x509.subject),
    issuer: oneLine(x509.issuer),
    not_after: rfc3339(notAfter),
    days: Math.floor((notAfter - now) / DAY_MS),
    self_signed: x509.subject === x509.issuer,
    own: !ours && certificates.selfSigned,
  };
}
