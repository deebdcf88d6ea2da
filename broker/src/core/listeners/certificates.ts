import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Log } from '../core.ts';

/** The operator's certificate cannot be used; the message is a sentence for the operator. */
export class CertificateError extends Error {}

/** Texts in PEM form; `cert` may be followed by those of its issuers. */
export interface KeyPair {
  cert: string;
  key: string;
  /** Of a key that is encrypted. */
  passphrase?: string;
}

interface Found extends KeyPair {
  file: string | null; // where the certificate is; null = in memory
}

export interface CertificateOptions {
  /** Where one of our own making is kept; null = in memory. */
  folder: string | null;
  /** What listeners bind to; our own certificate is also for that. */
  host: string;
  log: Log;
  /** Files of the operator, or their texts, instead of one of our own making. */
  files?: KeyPair | null;
  now?: () => number; // epoch ms
}

const DAY_MS = 24 * 3600 * 1000;
const VALID_DAYS = 397; // what browsers take at most is 398
const RENEW_DAYS = 30; // before the end
const NAME = 'mqdeck'; // by which we know a certificate of our own making
const PEM_BYTES_MAX = 1024 * 1024;
const EVERY_ADDRESS = ['0.0.0.0', '::'];

/**
 * The certificate of the TLS listeners. Keeps the pair in force, and replaces it: one of our own making before it
 * ends, one of the operator when its files have changed.
 */
export class Certificates {
  current: Found;
  private readonly options: CertificateOptions;
  private readonly watchers = new Set<(pair: KeyPair) => void>();
  private readonly timer: NodeJS.Timeout;

  /** Use `openCertificates`. */
  constructor(current: Found, options: CertificateOptions) {
    this.current = current;
    this.options = options;
    this.timer = setInterval(() => void this.check(), DAY_MS).unref();
  }

  /** Whether we made it: then nobody trusts it who was not given it. */
  get selfSigned(): boolean {
    return isOurs(new X509Certificate(this.current.cert));
  }

  /** Tells of every later pair, until the function it returns is called. */
  onChange(watcher: (pair: KeyPair) => void): () => void {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  }

  /** What happens once a day. Never fails: the pair in force stays until there is a better one. */
  async check(): Promise<void> {
    const { log } = this.options;
    try {
      const pair = await findPair(this.options, this.current);
      const { cert, key, passphrase } = this.current;
      if (pair.cert === cert && pair.key === key && pair.passphrase === passphrase) return;
      this.current = pair;
      for (const watcher of this.watchers) watcher(pair);
      log.info({ validTo: new X509Certificate(pair.cert).validTo }, 'the TLS certificate was replaced');
    } catch (err) {
      log.error({ err }, 'the TLS certificate could not be replaced; the one in force stays');
    }
  }

  close(): void {
    clearInterval(this.timer);
    this.watchers.clear();
  }
}

/** Reads the certificate of the TLS listeners, or makes one. Throws only when the operator's own cannot be used. */
export async function openCertificates(options: CertificateOptions): Promise<Certificates> {
  return new Certificates(await findPair(options, null), options);
}

async function findPair(options: CertificateOptions, inForce: Found | null): Promise<Found> {
  const { files, folder, log } = options;
  if (files) {
    const pair = await readOwn(files);
    warnOfEnd(options, pair);
    return pair;
  }
  const kept = inForce ?? (folder === null ? null : await readKept(folder));
  if (typeof kept === 'string')
    log.warn(
      {},
      `The TLS certificate cannot be used, a new one takes its place: ${kept}. Devices need the new one.`,
    );
  if (kept === null || typeof kept === 'string') return make(options);
  const x509 = new X509Certificate(kept.cert);
  if (!isOurs(x509)) warnOfEnd(options, kept);
  else if (isDue(x509, options)) return make(options);
  return kept;
}

const isOurs = (x509: X509Certificate): boolean =>
  x509.subject === `CN=${NAME}` && x509.issuer === x509.subject;

function isDue(x509: X509Certificate, { host, now = Date.now }: CertificateOptions): boolean {
  if (now() < Date.parse(x509.validFrom)) return true; // the clock was wrong when it was made
  if (now() > Date.parse(x509.validTo) - RENEW_DAYS * DAY_MS) return true;
  const name = withoutZone(host); // may be another one since
  if (!namesOf(host).includes(name)) return false;
  return (isIP(name) ? x509.checkIP(name) : x509.checkHost(name)) === undefined;
}

/** What is the operator's we never replace. */
function warnOfEnd({ log, now = Date.now }: CertificateOptions, { cert }: KeyPair): void {
  const { validTo } = new X509Certificate(cert);
  if (now() > Date.parse(validTo))
    log.warn({ validTo }, 'the TLS certificate has ended: devices will refuse it');
  else if (now() > Date.parse(validTo) - RENEW_DAYS * DAY_MS)
    log.warn({ validTo }, 'the TLS certificate ends soon');
}

// --- the operator's own

async function readOwn({ cert: certFile, key: keyFile, passphrase }: KeyPair): Promise<Found> {
  const [cert, key] = await Promise.all([readPem(certFile), readPem(keyFile)]);
  const pair = { cert, key, ...(passphrase && { passphrase }) };
  const why = faultOf(
    pair,
    isPem(certFile) ? 'The certificate' : `The certificate ${certFile}`,
    isPem(keyFile) ? 'The key' : `The key ${keyFile}`,
  );
  if (why !== null) throw new CertificateError(`${why}.`);
  return { ...pair, file: isPem(certFile) ? null : certFile };
}

/** A pipe that nobody writes to would never open. */
const READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** Whether it is the text itself and no path. */
export const isPem = (text: string): boolean => text.includes('-----BEGIN ');

/** A text in PEM form, which is the answer, or the path of a file that holds one. */
export async function readPem(text: string): Promise<string> {
  if (isPem(text)) return text;
  try {
    const handle = await open(text, READ);
    try {
      if (!(await handle.stat()).isFile()) throw new Error('it is no file'); // a device may never end
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(PEM_BYTES_MAX + 1), 0);
      if (bytesRead > PEM_BYTES_MAX) throw new Error('it is too large');
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (cause) {
    throw new CertificateError(
      `The file ${text} cannot be read: ${reasonOf(cause as NodeJS.ErrnoException)}.`,
      { cause },
    );
  }
}

const reasonOf = ({ code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT'
    ? 'there is no such file'
    : code === 'EACCES'
      ? 'this user may not read it'
      : code === 'EISDIR'
        ? 'it is a folder'
        : message;

/** Why TLS cannot be done with a pair, begun with the name of the part that is to blame; null when it can. */
function faultOf({ cert, key, passphrase }: KeyPair, certName: string, keyName: string): string | null {
  let x509: X509Certificate;
  let privateKey: KeyObject;
  try {
    x509 = new X509Certificate(cert);
  } catch {
    return `${certName} is no certificate in PEM form`;
  }
  try {
    privateKey = createPrivateKey({ key, format: 'pem', ...(passphrase !== undefined && { passphrase }) });
  } catch {
    if (!/\bENCRYPTED\b/.test(key)) return `${keyName} is no private key in PEM form`;
    return passphrase === undefined
      ? `${keyName} asks for a passphrase, and there is none`
      : `${keyName} has another passphrase`;
  }
  if (!x509.checkPrivateKey(privateKey)) return `${keyName} does not belong to its certificate`;
  try {
    createSecureContext({ cert, key, ...(passphrase !== undefined && { passphrase }) });
  } catch (cause) {
    return `${certName} cannot be used: ${(cause as Error).message}`;
  }
  return null;
}

// --- one of our own making

const filesIn = (folder: string): KeyPair => ({
  cert: join(folder, 'cert.pem'),
  key: join(folder, 'key.pem'),
});

/** What the folder has, and why it is of no use: null when there is none yet. */
async function readKept(folder: string): Promise<Found | string | null> {
  const files = filesIn(folder);
  const texts: Partial<KeyPair> = {};
  for (const part of ['cert', 'key'] as const) {
    try {
      texts[part] = await readFile(files[part], 'utf8');
    } catch (cause) {
      const fault = cause as NodeJS.ErrnoException;
      if (fault.code !== 'ENOENT') return `${files[part]} cannot be read: ${reasonOf(fault)}`;
    }
  }
  const { cert, key } = texts;
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined) return `${files.cert} is missing`;
  if (key === undefined) return `${files.key} is missing`;
  return faultOf({ cert, key }, files.cert, files.key) ?? { cert, key, file: files.cert };
}

async function make(options: CertificateOptions): Promise<Found> {
  const pair = await generatePair(options);
  const { folder, log } = options;
  if (folder === null) return { ...pair, file: null };
  try {
    await keep(folder, pair);
    return { ...pair, file: filesIn(folder).cert };
  } catch (err) {
    log.warn({ err, folder }, 'the new TLS certificate cannot be kept: it lasts as long as this process');
    return { ...pair, file: null };
  }
}

async function generatePair({ host, now = Date.now }: CertificateOptions): Promise<KeyPair> {
  const { generate } = await import('selfsigned'); // takes a fifth of a second, and is needed once a year
  const notBefore = now() - DAY_MS; // for devices whose clock is late
  const { cert, private: key } = await generate([{ name: 'commonName', value: NAME }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(notBefore),
    notAfterDate: new Date(notBefore + VALID_DAYS * DAY_MS),
    extensions: [
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: namesOf(host).map((name) =>
          isIP(name) ? { type: 7, ip: name } : { type: 2, value: name },
        ),
      },
    ],
  });
  return { cert: `${cert.trimEnd()}\n`, key };
}

/** Under which names and addresses devices find this machine. */
function namesOf(host: string): string[] {
  const names = ['localhost', '127.0.0.1', '::1', hostname(), withoutZone(host)];
  return [...new Set(names)].filter((name) => /^[\w.:-]+$/.test(name) && !EVERY_ADDRESS.includes(name));
}

const withoutZone = (host: string): string => host.replace(/%.*$/, ''); // fe80::1%eth0

/** The key before the certificate: whoever finds a certificate finds its key. What is not ours is moved aside. */
async function keep(folder: string, pair: KeyPair): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const files = filesIn(folder);
  const kept = await readKept(folder);
  if (typeof kept === 'string' || (kept !== null && !isOurs(new X509Certificate(kept.cert)))) {
    const at = new Date().toISOString().replaceAll(':', '-');
    for (const file of [files.cert, files.key])
      await rename(file, `${file}.${at}`).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'ENOENT') throw cause;
      });
  }
  for (const part of ['key', 'cert'] as const) {
    const partial = `${files[part]}.partial`;
    await rm(partial, { force: true });
    await writeFile(partial, pair[part], { mode: part === 'key' ? 0o600 : 0o644, flag: 'wx' });
    await rename(partial, files[part]);
  }
}
