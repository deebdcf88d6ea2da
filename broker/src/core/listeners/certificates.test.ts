import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  CertificateError,
  type CertificateOptions,
  type Certificates,
  openCertificates,
} from './certificates.ts';

const DAY_MS = 24 * 3600 * 1000;
const open: Certificates[] = [];
let warnings: string[];
let root: string;
let folder: string;
let now: number;
beforeEach(async () => {
  warnings = [];
  now = Date.now();
  root = await mkdtemp(join(tmpdir(), 'mqdeck-certs-'));
  folder = join(root, 'certs');
});
afterEach(async () => {
  for (const one of open.splice(0)) one.close();
  await rm(root, { recursive: true, force: true });
});

const say = (_facts: object, text: string) => warnings.push(text);
const log = { debug: () => undefined, info: () => undefined, warn: say, error: say };

async function start(options: Partial<CertificateOptions> = {}): Promise<Certificates> {
  const one = await openCertificates({ folder, host: '127.0.0.1', log, now: () => now, ...options });
  open.push(one);
  return one;
}
const x509Of = ({ current }: Certificates) => new X509Certificate(current.cert);
const read = (name: string) => readFile(join(folder, name), 'utf8');

describe('a certificate of our own making', () => {
  test('is for this machine by all its names, on P-256, for 397 days, and stays the same', async () => {
    const first = await start({ host: '192.0.2.7' });
    const x509 = x509Of(first);
    for (const address of ['127.0.0.1', '::1', '192.0.2.7']) expect(x509.checkIP(address)).toBe(address);
    for (const name of ['localhost', hostname()]) expect(x509.checkHost(name)).toBe(name);
    expect(x509.checkHost('broker.example')).toBeUndefined();
    expect(x509.publicKey.asymmetricKeyDetails).toMatchObject({ namedCurve: 'prime256v1' });
    expect(Date.parse(x509.validTo) - Date.parse(x509.validFrom)).toBe(397 * DAY_MS);
    expect(Date.parse(x509.validFrom)).toBeLessThan(now); // for devices whose clock is late
    expect(first.selfSigned).toBe(true);
    expect(first.current.file).toBe(join(folder, 'cert.pem'));

    expect((await readdir(folder)).sort()).toEqual(['cert.pem', 'key.pem']);
    expect((await stat(join(folder, 'key.pem'))).mode & 0o777).toBe(0o600);
    expect((await start({ host: '192.0.2.7' })).current).toEqual(first.current);
    expect(warnings).toEqual([]);
  });

  test('without a data folder is in memory, and another one each time', async () => {
    const first = await start({ folder: null });
    const second = await start({ folder: null });
    expect(first.current.file).toBeNull();
    expect(second.current.cert).not.toBe(first.current.cert);
    expect(await readdir(root)).toEqual([]);
  });

  test.each(['0.0.0.0', '::', 'my_broker', 'fe80::1%eth0'])('is made once when bound to %s', async (host) => {
    const first = await start({ host });
    expect((await start({ host })).current).toEqual(first.current);
  });

  test('is renewed a month before its end, by the daily look as by a start, and those who use it are told', async () => {
    const first = await start();
    const before = first.current;
    const told: string[] = [];
    const stop = first.onChange(({ cert }) => told.push(cert));
    now += 365 * DAY_MS;
    await first.check();
    expect([first.current, told]).toEqual([before, []]);
    expect((await start()).current).toEqual(before);
    now += 2 * DAY_MS;
    await first.check();
    expect(first.current.cert).not.toBe(before.cert);
    expect(told).toEqual([first.current.cert]);
    expect(await read('cert.pem')).toBe(first.current.cert);
    expect((await start()).current).toEqual(first.current);
    expect((await readdir(folder)).sort()).toEqual(['cert.pem', 'key.pem']);
    stop();
    now += 397 * DAY_MS;
    await first.check();
    expect(told).toHaveLength(1);
    expect((await start()).current).toEqual(first.current);
  });

  test.each([
    [
      'the clock was far ahead when it was made',
      () => {
        now -= 1000 * DAY_MS;
      },
      {},
    ],
    ['the broker is bound to another address since', () => undefined, { host: '192.0.2.7' }],
  ])('is made anew when %s', async (_why, change, options) => {
    const first = await start();
    change();
    expect((await start(options)).current.cert).not.toBe(first.current.cert);
  });

  test.each<[string, () => Promise<unknown>, string]>([
    [
      'a certificate that is none',
      () => writeFile(join(folder, 'cert.pem'), 'x'),
      'cert.pem is no certificate',
    ],
    ['an empty certificate', () => writeFile(join(folder, 'cert.pem'), ''), 'cert.pem is no certificate'],
    ['a damaged key', () => writeFile(join(folder, 'key.pem'), 'x'), 'key.pem is no private key'],
    ['a key that is gone', () => rm(join(folder, 'key.pem')), 'key.pem is missing'],
    ['a certificate that is gone', () => rm(join(folder, 'cert.pem')), 'cert.pem is missing'],
    [
      "another certificate's key",
      async () => writeFile(join(folder, 'key.pem'), (await start({ folder: null })).current.key),
      'key.pem does not belong to its certificate',
    ],
    [
      'what cannot be read',
      async () => {
        await rm(join(folder, 'key.pem'));
        await mkdir(join(folder, 'key.pem'));
      },
      'key.pem cannot be read: it is a folder',
    ],
  ])('%s is a sentence and a new pair; what was there is kept aside', async (_what, damage, sentence) => {
    const first = await start();
    await damage();
    const before = (await readdir(folder)).length;
    const second = await start();
    expect(warnings.join()).toContain(sentence);
    expect(second.current.cert).not.toBe(first.current.cert);
    expect(await readdir(folder)).toHaveLength(before + 2);
    warnings.length = 0;
    expect((await start()).current).toEqual(second.current);
    expect(warnings).toEqual([]);
  });

  test('a folder that cannot be written is a sentence, and the pair is in memory', async () => {
    await writeFile(folder, 'a file');
    const { current } = await start();
    expect(current.file).toBeNull();
    expect(warnings.at(-1)).toContain('it lasts as long as this process');
    expect(await readFile(folder, 'utf8')).toBe('a file');
  });
});

describe('a certificate of the operator', () => {
  const make = async (days: number) => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'broker.example' }], {
      keyType: 'ec',
      algorithm: 'sha256',
      notAfterDate: new Date(now + days * DAY_MS),
    });
    return { cert, key };
  };
  const files = () => ({ cert: join(root, 'own.crt'), key: join(root, 'own.key') });
  const write = async ({ cert, key }: { cert: string; key: string }) => {
    await writeFile(files().cert, cert);
    await writeFile(files().key, key);
  };

  test('is used as it is, whatever the name, and read again when its files have changed', async () => {
    const own = await make(90);
    await write(own);
    const certificates = await start({ files: files() });
    expect(certificates.current).toMatchObject(own);
    expect(certificates.selfSigned).toBe(false);
    const next = await make(180);
    await writeFile(files().cert, next.cert); // half of a change: not yet
    await certificates.check();
    expect(certificates.current).toMatchObject(own);
    expect(warnings).toEqual(['the TLS certificate could not be replaced; the one in force stays']);
    await writeFile(files().key, next.key);
    await certificates.check();
    expect(certificates.current).toMatchObject(next);
    expect(await readdir(root)).not.toContain('certs');
  });

  test('put in our folder is never replaced, only told to end', async () => {
    const own = await make(10);
    await mkdir(folder);
    await writeFile(join(folder, 'cert.pem'), own.cert);
    await writeFile(join(folder, 'key.pem'), own.key);
    const certificates = await start();
    expect(certificates.current).toMatchObject(own);
    expect(warnings).toEqual(['the TLS certificate ends soon']);
    now += 20 * DAY_MS;
    await certificates.check();
    expect(warnings.at(-1)).toBe('the TLS certificate has ended: devices will refuse it');
    expect(await read('cert.pem')).toBe(own.cert);
  });

  test('put in our folder while ours was in force is moved aside by its renewal, and not lost', async () => {
    const certificates = await start();
    const own = await make(90);
    await writeFile(join(folder, 'cert.pem'), own.cert);
    await writeFile(join(folder, 'key.pem'), own.key);
    now += 370 * DAY_MS;
    await certificates.check();
    expect(await read('cert.pem')).toBe(certificates.current.cert);
    const aside = (await readdir(folder)).filter((name) => name.startsWith('cert.pem.'));
    expect(aside).toHaveLength(1);
    expect(await read(aside[0]!)).toBe(own.cert);
  });

  test.each<[string, (own: { cert: string; key: string }) => Promise<unknown>, string]>([
    [
      'a certificate that is not there',
      () => rm(files().cert),
      'own.crt cannot be read: there is no such file.',
    ],
    ['a key that is not there', () => rm(files().key), 'own.key cannot be read: there is no such file.'],
    [
      'a certificate that is none',
      () => writeFile(files().cert, 'x'),
      'own.crt is no certificate in PEM form.',
    ],
    ['a key that is none', () => writeFile(files().key, 'x'), 'own.key is no private key in PEM form.'],
    [
      'the key of another',
      async () => writeFile(files().key, (await make(1)).key),
      'own.key does not belong to its certificate.',
    ],
    [
      'a key behind a passphrase',
      ({ key }) =>
        writeFile(
          files().key,
          createPrivateKey(key).export({
            type: 'pkcs8',
            format: 'pem',
            cipher: 'aes-256-cbc',
            passphrase: 'p',
          }),
        ),
      'own.key asks for a passphrase, and there is none.',
    ],
  ])('%s is a sentence, and nothing is made in its place', async (_what, damage, sentence) => {
    const own = await make(90);
    await write(own);
    await damage(own);
    const refused = await start({ files: files() }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CertificateError);
    expect((refused as Error).message).toContain(sentence);
    expect(await readdir(root)).not.toContain('certs');
  });
});
