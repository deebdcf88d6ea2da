import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { isIP } from 'node:net';
import type { SecureVersion } from 'node:tls';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import { BackendConfigError } from './backend.ts';

const VERSIONS: Readonly<Record<SslClient['versions'][number], SecureVersion>> = {
  tlsv1: 'TLSv1',
  'tlsv1.1': 'TLSv1.1',
  'tlsv1.2': 'TLSv1.2',
  'tlsv1.3': 'TLSv1.3',
};
const OLDEST_FIRST = ['tlsv1', 'tlsv1.1', 'tlsv1.2', 'tlsv1.3'] as const;

/** Of a TLS connection, as Node wants them. */
export interface TlsOptions {
  rejectUnauthorized: boolean;
  minVersion: SecureVersion;
  maxVersion: SecureVersion;
  ciphers?: string;
  ca?: string;
  cert?: string;
  key?: string;
  passphrase?: string;
  /** The name that the certificate must have; missing where it is that of the address. */
  servername?: string;
  /** Where any name will do. */
  checkServerIdentity?: () => undefined;
}

/** Null without TLS. Throws BackendConfigError for files that cannot be read. */
export function tlsOptions(ssl: SslClient): TlsOptions | null {
  if (!ssl.enable) return null;
  const { cacertfile, certfile, keyfile, password, server_name_indication: name } = ssl;
  const versions = OLDEST_FIRST.filter((version) => ssl.versions.includes(version));
  return {
    rejectUnauthorized: ssl.verify === 'verify_peer',
    minVersion: VERSIONS[versions[0]!]!,
    maxVersion: VERSIONS[versions.at(-1)!]!,
    ...(ssl.ciphers.length > 0 && { ciphers: ssl.ciphers.join(':') }),
    ...(cacertfile && { ca: pem('ssl.cacertfile', cacertfile) }),
    ...(certfile && { cert: pem('ssl.certfile', certfile) }),
    ...(keyfile && { key: pem('ssl.keyfile', keyfile) }),
    ...(password && { passphrase: password }),
    ...(name && name !== 'disable' && !isIP(name) && { servername: name }),
    ...(name === 'disable' && { checkServerIdentity: () => undefined }),
  };
}

/** A PEM text, or that of the file it names. */
function pem(path: string, value: string): string {
  if (value.includes('-----BEGIN')) return value;
  try {
    return fileText(value);
  } catch {
    throw new BackendConfigError(path, 'it is neither in PEM form nor a file that can be read here');
  }
}

const PEM_BYTES_MAX = 1024 * 1024;

/** Everybody waits meanwhile: no device that never ends, no pipe that nobody writes to. */
function fileText(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    if (!fstatSync(descriptor).isFile()) throw new Error('it is no file');
    const buffer = Buffer.alloc(PEM_BYTES_MAX + 1);
    const bytes = readSync(descriptor, buffer);
    if (bytes > PEM_BYTES_MAX) throw new Error('it is too large');
    return buffer.toString('utf8', 0, bytes);
  } finally {
    closeSync(descriptor);
  }
}
