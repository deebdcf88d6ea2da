import { execFileSync } from 'node:child_process';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect as dial } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect as dialTls, type TLSSocket } from 'node:tls';
import { MASK } from '@mqdeck/contract/kit/values';
import type { Listener } from '@mqdeck/contract/listeners';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import type { BrokerOptions } from '../../broker.ts';
import { closed } from '../../testing/socket-client.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const DAY_MS = 24 * 3600 * 1000;
interface Pair {
  cert: string;
  key: string;
}

async function make(
  name: string,
  { ca, days = 365, isCa = false }: { ca?: Pair; days?: number; isCa?: boolean } = {},
): Promise<Pair> {
  const attributes = [
    { name: 'organizationName', value: 'Example' },
    { name: 'commonName', value: name },
  ];
  const { cert, private: key } = await generate(attributes, {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 2 * DAY_MS),
    notAfterDate: new Date(Date.now() + days * DAY_MS + DAY_MS / 2),
    extensions: [
      { name: 'basicConstraints', cA: isCa, critical: true },
      ...(isCa ? [{ name: 'keyUsage' as const, keyCertSign: true, cRLSign: true }] : []),
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
    ...(ca && { ca }),
  });
  return { cert, key };
}

const ca = await make('Test CA', { isCa: true });
const between = await make('Between', { isCa: true, ca });
const server = await make('broker.example', { ca });
const device = await make('device-7', { ca });
const distant = await make('device-8', { ca: between });
const stranger = await make('stranger', { ca: await make('Other CA', { isCa: true }) });
const PASSPHRASE = 'canary-passphrase';
const encrypted = createPrivateKey(server.key)
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSPHRASE })
  .toString();

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});
async function start(options: Partial<BrokerOptions> = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  ends.push(() => broker.close());
  return broker;
}
function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'listeners-tls-'));
  ends.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const own = { certfile: server.cert, keyfile: server.key };
const asks = { ...own, verify: 'verify_peer', cacertfile: ca.cert };
const portOf = ({ bind }: { bind: string }) => Number(/\d+$/.exec(bind)![0]);
async function create(broker: TestBroker, ssl_options: object, more: object = {}): Promise<Listener> {
  const body = { type: 'ssl', name: 'a', bind: '127.0.0.1:0', ssl_options, ...more };
  const answer = await broker.inject<Listener>('POST', '/listeners', { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
const put = (broker: TestBroker, ssl_options: object) =>
  broker.inject<Listener & { message: string }>('PUT', '/listeners/ssl:a', {
    body: { type: 'ssl', ssl_options },
  });
const get = async (broker: TestBroker) => {
  const { body } = await broker.inject<Listener>('GET', '/listeners/ssl:a');
  if (body.type !== 'ssl') throw new Error(`${body.type} instead of ssl`);
  return body;
};
const alarmsOf = async (broker: TestBroker) =>
  (await broker.inject<{ data: { name: string; message: string }[] }>('GET', '/alarms')).body.data;

/** The socket after its handshake; throws when that fails, also when the broker ends it just afterwards. */
async function shakeHands(listener: Listener, options: ConnectionOptions = {}): Promise<TLSSocket> {
  const socket = dialTls({ host: '127.0.0.1', port: portOf(listener), ca: ca.cert, ...options });
  ends.push(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}
async function connect(listener: Listener, options: IClientOptions = {}): Promise<MqttClient> {
  const scheme = listener.type === 'wss' ? 'wss' : 'mqtts';
  const client = mqtt.connect(`${scheme}://127.0.0.1:${portOf(listener)}${scheme === 'wss' ? '/mqtt' : ''}`, {
    reconnectPeriod: 0,
    ca: ca.cert,
    ...options,
  });
  ends.push(() => client.endAsync(true));
  await new Promise<void>((resolve, reject) => {
    client.on('connect', () => resolve());
    client.on('error', reject);
    client.on('close', () => reject(new Error('the connection was closed')));
  });
  return client;
}
const serialOf = (socket: TLSSocket) => socket.getPeerX509Certificate()?.serialNumber;
const serial = ({ cert }: Pair) => new X509Certificate(cert).serialNumber;

describe('certificates and keys', () => {
  test('that come as text become files for the broker alone; answers show paths, and no secret', async () => {
    const dataDir = folder();
    const broker = await start({ dataDir });
    const made = await create(broker, { ...own, keyfile: encrypted, password: PASSPHRASE });
    const { ssl_options: shown, certificate } = await get(broker);
    expect(shown).toMatchObject({
      certfile: expect.stringMatching(/^certs\/ssl-a\/cert-[0-9a-f]{16}\.pem$/),
      keyfile: expect.stringMatching(/^certs\/ssl-a\/key-[0-9a-f]{16}\.pem$/),
      password: MASK,
    });
    expect(certificate).toMatchObject({
      subject: 'CN=broker.example,O=Example',
      issuer: 'CN=Test CA,O=Example',
      days: 365,
      self_signed: false,
      own: false,
    });
    const files = readdirSync(join(dataDir, 'certs/ssl-a'));
    expect(files).toHaveLength(2);
    for (const file of files) expect(statSync(join(dataDir, 'certs/ssl-a', file)).mode & 0o077).toBe(0);
    expect(statSync(join(dataDir, 'settings.json')).mode & 0o077).toBe(0);
    for (const path of ['/listeners', '/listeners/ssl:a', '/listeners_status'])
      expect(JSON.stringify((await broker.inject('GET', path)).body)).not.toMatch(/canary|PRIVATE/);
    await connect(made);

    // Sent back unchanged it keeps the secret, also over a restart
    expect((await put(broker, shown)).status).toBe(200);
    await broker.close();
    const again = await start({ dataDir });
    await connect(await get(again));
    expect((await again.inject('DELETE', '/listeners/ssl:a')).status).toBe(204);
    expect(existsSync(join(dataDir, 'certs/ssl-a'))).toBe(false);
  });

  test('without a data folder the text stays in memory, and the key is not shown', async () => {
    const broker = await start();
    const made = await create(broker, own);
    expect(made).toMatchObject({ ssl_options: { certfile: server.cert, keyfile: MASK } });
    expect((await put(broker, { keyfile: MASK })).status).toBe(200);
    await connect(made);
  });

  test('may be files of the operator', async () => {
    const dataDir = folder();
    writeFileSync(join(dataDir, 'mine.pem'), server.cert);
    writeFileSync(join(dataDir, 'mine.key'), server.key);
    const broker = await start({ dataDir });
    const made = await create(broker, { certfile: join(dataDir, 'mine.pem'), keyfile: 'mine.key' });
    expect(made).toMatchObject({ ssl_options: { certfile: join(dataDir, 'mine.pem'), keyfile: 'mine.key' } });
    await connect(made);
    await broker.inject('DELETE', '/listeners/ssl:a');
    expect(existsSync(join(dataDir, 'mine.key'))).toBe(true);
  });

  test('that do not fit are refused with a sentence, and everything stays as it was', async () => {
    const dataDir = folder();
    mkdirSync(join(dataDir, 'folder'));
    execFileSync('mkfifo', [join(dataDir, 'pipe')]); // nobody writes to it
    const broker = await start({ dataDir });
    const made = await create(broker, own);
    const client = await connect(made);
    const files = readdirSync(join(dataDir, 'certs/ssl-a')).sort();
    const before = await get(broker);
    const faults: [object, RegExp][] = [
      [{ certfile: device.cert }, /does not belong to its certificate/],
      [{ keyfile: device.key }, /does not belong to its certificate/],
      [{ certfile: 'nope' }, /nope cannot be read: there is no such file/],
      [{ certfile: '/dev/zero' }, /zero cannot be read: it is no file/],
      [{ certfile: 'folder' }, /folder cannot be read/],
      [{ certfile: 'pipe' }, /pipe cannot be read: it is no file/],
      [
        { certfile: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' },
        /no certificate in PEM form/,
      ],
      [{ keyfile: server.cert }, /no private key in PEM form/],
      [{ keyfile: encrypted }, /asks for a passphrase, and there is none/],
      [{ keyfile: encrypted, password: 'wrong' }, /has another passphrase/],
      [{ keyfile: '' }, /belong together/],
      [{ certfile: '' }, /belong together/],
      [{ verify: 'verify_peer' }, /cacertfile must say/],
      [{ verify: 'verify_peer', cacertfile: server.key }, /no certificate in PEM form/],
      [{ password: MASK }, /there is none/],
      [{ ciphers: ['NONE-SUCH'] }, /no cipher NONE-SUCH/],
      [{ dhfile: server.cert }, /no parameters of Diffie-Hellman/],
    ];
    for (const [fault, message] of faults) {
      const answer = await put(broker, fault);
      expect([answer.status, answer.body], JSON.stringify(fault).slice(0, 80)).toMatchObject([
        400,
        { code: 'BAD_REQUEST', message: expect.stringMatching(message) },
      ]);
      expect(answer.body.message).not.toMatch(/canary|PRIVATE/);
    }
    expect(await get(broker)).toEqual(before);
    expect(readdirSync(join(dataDir, 'certs/ssl-a')).sort()).toEqual(files);
    await client.publishAsync('t', 'x', { qos: 1 });
    expect(serialOf(await shakeHands(made))).toBe(serial(server));
    const none = await broker.inject('POST', '/listeners', {
      body: { type: 'ssl', name: 'b', bind: '127.0.0.1:0', ssl_options: { ...own, keyfile: device.key } },
    });
    expect(none.status).toBe(400);
    expect(existsSync(join(dataDir, 'certs/ssl-b'))).toBe(false);
  });

  test('that are replaced are those of the next handshake; who is there stays', async () => {
    const dataDir = folder();
    const broker = await start({ dataDir });
    const made = await create(broker, own);
    const client = await connect(made);
    const next = await make('broker.example', { ca, days: 100 });
    expect(await put(broker, { certfile: next.cert, keyfile: next.key })).toMatchObject({
      status: 200,
      body: { bind: made.bind, certificate: { days: 100 } },
    });
    expect(readdirSync(join(dataDir, 'certs/ssl-a'))).toHaveLength(2);
    expect(serialOf(await shakeHands(made))).toBe(serial(next));
    await client.publishAsync('t', 'x', { qos: 1 });
    // Without one of its own it has the broker's
    const back = await put(broker, { certfile: '', keyfile: '' });
    expect(back.body.certificate).toMatchObject({ own: true, self_signed: true });
    expect(serialOf(await shakeHands(made, { rejectUnauthorized: false }))).not.toBe(serial(next));
    expect(readdirSync(join(dataDir, 'certs/ssl-a'))).toEqual([]);
  });

  test('that end soon raise an alarm until they are replaced; each listener has its figure', async () => {
    const broker = await start({ ssl: 0 });
    const soon = await make('broker.example', { ca, days: 12 });
    await create(broker, { certfile: soon.cert, keyfile: soon.key });
    expect(await alarmsOf(broker)).toMatchObject([
      { name: 'certificate_expiry:ssl:a', message: 'The certificate of the listener ssl:a ends in 12 days' },
    ]);
    const { body } = await broker.inject<string>('GET', '/prometheus/stats');
    const figure = (name: string) =>
      Number(
        new RegExp(`^emqx_cert_expiry_at\\{.*listener_name="${name}".*\\} (\\d+)$`, 'm').exec(body)?.[1],
      );
    expect(figure('a')).toBe(Math.floor(Date.parse(new X509Certificate(soon.cert).validTo) / 1000));
    expect(figure('default')).toBeGreaterThan(figure('a'));
    const over = await make('broker.example', { ca, days: -1 });
    await put(broker, { certfile: over.cert, keyfile: over.key });
    expect(await get(broker)).toMatchObject({ certificate: { days: -1 } });
    await put(broker, own);
    expect(await alarmsOf(broker)).toEqual([]);
  });

  test('that are gone at the start: the listener is down with an alarm, and never speaks in clear', async () => {
    const dataDir = folder();
    const first = await start({ dataDir, tcp: 0 });
    await create(first, own);
    await first.close();
    rmSync(join(dataDir, 'certs/ssl-a'), { recursive: true });
    const broker = await start({ dataDir, tcp: 0 });
    expect(await get(broker)).toMatchObject({
      running: false,
      enable: true,
      failure: expect.stringMatching(/there is no such file/),
    });
    expect(await alarmsOf(broker)).toMatchObject([{ name: 'listener_down:ssl:a' }]);
    expect((await broker.inject('POST', '/listeners/ssl:a/start')).status).toBe(400);
    expect((await put(broker, own)).status).toBe(200);
    await connect(await get(broker));
    expect(await alarmsOf(broker)).toEqual([]);
  });
});

describe('certificates of clients', () => {
  const as = ({ cert, key }: Pair) => ({ cert, key });

  test.each(['ssl', 'wss'])('are wanted, or may be shown, or are not asked for, over %s', async (type) => {
    const broker = await start();
    await broker.inject('PUT', '/configs/zones', {
      body: { named: { mqtt: { peer_cert_as_username: 'cn' } } },
    });
    const listener = await create(broker, { ...asks, fail_if_no_peer_cert: true }, { type, zone: 'named' });
    const change = (ssl_options: object) =>
      broker.inject('PUT', `/listeners/${type}:a`, { body: { type, ssl_options } });
    const nameOf = (clientid: string) => broker.core.registry.find(clientid)?.username;
    await connect(listener, { clientId: 'a', ...as(device) });
    expect(nameOf('a')).toBe('device-7');
    await expect(connect(listener)).rejects.toThrow();
    await expect(connect(listener, as(stranger))).rejects.toThrow();

    await change({ fail_if_no_peer_cert: false });
    await connect(listener, { clientId: 'b' });
    expect(nameOf('b')).toBeNull();
    await connect(listener, { clientId: 'c', ...as(device) });
    expect(nameOf('c')).toBe('device-7');
    await expect(connect(listener, as(stranger))).rejects.toThrow();

    await change({ verify: 'verify_none' });
    await connect(listener, { clientId: 'd', ...as(stranger) });
    expect(nameOf('d')).toBeNull();
  });

  test('are followed so far and no further', async () => {
    const broker = await start();
    const listener = await create(broker, { ...asks, depth: 1 });
    const chain = { cert: `${distant.cert}\n${between.cert}`, key: distant.key };
    await connect(listener, chain);
    await put(broker, { depth: 0 });
    await expect(connect(listener, chain)).rejects.toThrow();
    await connect(listener, as(device));
  });

  test('are asked for anew when who is trusted changes, also in a session that comes back', async () => {
    const broker = await start();
    const listener = await create(broker, asks);
    const first = await shakeHands(listener, as(device));
    const [session] = (await once(first, 'session')) as [Buffer];
    await put(broker, { cacertfile: between.cert });
    await expect(connect(listener, { ...as(device), session } as IClientOptions)).rejects.toThrow();
  });
});

describe('options of TLS', () => {
  test('versions', async () => {
    const broker = await start();
    const listener = await create(broker, { ...own, versions: ['tlsv1.2'] });
    expect((await shakeHands(listener)).getProtocol()).toBe('TLSv1.2');
    await put(broker, { versions: ['tlsv1.3'] });
    expect((await shakeHands(listener)).getProtocol()).toBe('TLSv1.3');
    await expect(shakeHands(listener, { maxVersion: 'TLSv1.2' })).rejects.toThrow(/protocol version/);
    const old = { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' } as const;
    await expect(shakeHands(listener, old)).rejects.toThrow(/protocol version/);
    await put(broker, { versions: ['tlsv1.3', 'tlsv1.1'] });
    expect((await shakeHands(listener, old)).getProtocol()).toBe('TLSv1.1');
    await expect(shakeHands(listener, { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' })).rejects.toThrow();
  });

  test('ciphers, and whose order counts', async () => {
    const broker = await start();
    const [one, two] = ['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-ECDSA-AES128-GCM-SHA256'];
    const listener = await create(broker, { ...own, versions: ['tlsv1.2'], ciphers: [one] });
    const chosen = async (ciphers: string) => (await shakeHands(listener, { ciphers })).getCipher().name;
    expect(await chosen(`${two}:${one}`)).toBe(one);
    await expect(chosen(two)).rejects.toThrow();
    await put(broker, { ciphers: [one, two] });
    expect(await chosen(`${two}:${one}`)).toBe(one);
    await put(broker, { honor_cipher_order: false });
    expect(await chosen(`${two}:${one}`)).toBe(two);
  });

  test('resumption', async () => {
    const broker = await start();
    const listener = await create(broker, { ...own, versions: ['tlsv1.2'] });
    const reused = async () => {
      const first = await shakeHands(listener);
      const session = first.getSession();
      first.destroy();
      return (await shakeHands(listener, session ? { session } : {})).isSessionReused();
    };
    expect(await reused()).toBe(true);
    await put(broker, { reuse_sessions: false });
    expect(await reused()).toBe(false);
  });

  test('who does not shake hands in time is gone', async () => {
    const broker = await start();
    const listener = await create(broker, { ...own, handshake_timeout: '200ms' });
    const silent = dial(portOf(listener), '127.0.0.1');
    const half = dial(portOf(listener), '127.0.0.1');
    half.write(Buffer.from('160301', 'hex'));
    await Promise.all([closed(silent), closed(half)]);
    await put(broker, { handshake_timeout: '1m' });
    await connect(listener);
  });

  test('a name that a listener has in two kinds has two folders', async () => {
    const dataDir = folder();
    const broker = await start({ dataDir });
    await create(broker, own);
    const wss = await create(broker, { certfile: device.cert, keyfile: device.key }, { type: 'wss' });
    expect(readdirSync(join(dataDir, 'certs')).sort()).toEqual(['ssl-a', 'wss-a']);
    await connect(wss);
    await broker.inject('DELETE', '/listeners/ssl:a');
    expect(
      readFileSync(join(dataDir, 'certs/wss-a', readdirSync(join(dataDir, 'certs/wss-a'))[0]!), 'utf8'),
    ).toContain('BEGIN');
  });
});
