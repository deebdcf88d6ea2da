import { X509Certificate } from 'node:crypto';
import type { Listener } from '@mqdeck/contract/listeners';
import type { MqttSettings } from '@mqdeck/contract/zones';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startHttpServer } from '../../testing/engines/http-server.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

interface Pair {
  cert: string;
  key: string;
}

/** What certificates say, over real TLS. */
let broker: TestBroker;
let url: string;
let ca: Pair;
let device: Pair;
const clients: MqttClient[] = [];

async function make(name: string, signer?: Pair): Promise<Pair> {
  const attributes = [
    { name: 'organizationName', value: 'Example' },
    { name: 'commonName', value: name },
  ];
  const { cert, private: key } = await generate(attributes, {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: !signer, critical: true },
      ...(signer ? [] : [{ name: 'keyUsage' as const, keyCertSign: true, cRLSign: true }]),
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
    ...(signer && { ca: signer }),
  });
  return { cert, key };
}

beforeAll(async () => {
  ca = await make('Test CA');
  device = await make('device-7', ca);
  const server = await make('broker.example', ca);
  broker = await startTestBroker();
  const ssl_options = {
    certfile: server.cert,
    keyfile: server.key,
    cacertfile: ca.cert,
    verify: 'verify_peer',
    fail_if_no_peer_cert: false,
  };
  const { body } = await broker.inject<Listener>('POST', '/listeners', {
    body: { type: 'ssl', name: 'a', bind: '127.0.0.1:0', zone: 'devices', ssl_options },
  });
  url = `mqtts://${body.bind}`;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
});
afterAll(() => broker.close());

const set = (settings: Partial<MqttSettings>) =>
  broker.inject('PUT', '/configs/zones', { body: { devices: { mqtt: settings } } });

async function come(options: IClientOptions = {}): Promise<MqttClient> {
  const client = mqtt.connect(url, { reconnectPeriod: 0, ca: ca.cert, ...options });
  clients.push(client);
  await new Promise<void>((resolve, reject) => {
    client.once('connect', () => resolve());
    client.once('error', reject);
  });
  return client;
}

test('the fingerprint is the client id, the whole the username, the names become attributes', async () => {
  await set({
    peer_cert_as_clientid: 'md5',
    peer_cert_as_username: 'pem',
    client_attrs_init: [
      { expression: 'cn', set_as_attr: 'cn' },
      { expression: 'dn', set_as_attr: 'dn' },
    ],
  });
  await come({ clientId: 'a', username: 'ada', ...device });
  const { fingerprint256 } = new X509Certificate(device.cert);
  const who = [...broker.core.registry]
    .map((client) => client.who)
    .find(({ listener }) => listener === 'ssl:a');
  expect(who?.clientid).toMatch(/^[0-9a-f]{32}$/);
  expect(new X509Certificate(who!.username!).fingerprint256).toBe(fingerprint256);
  expect(who?.attributes).toEqual({ cn: 'device-7', dn: expect.stringContaining('CN=device-7') });
});

test('who shows none is called as it says', async () => {
  await set({ peer_cert_as_clientid: 'cn', peer_cert_as_username: 'cn' });
  await come({ clientId: 'bare', username: 'ada' });
  expect(broker.core.registry.find('bare')?.username).toBe('ada');
});

test('rules may name what a certificate says', async () => {
  await set({ client_attrs_init: [{ expression: 'cn', set_as_attr: 'device' }] });
  const rules = '{allow, all, all, ["d/${client_attrs.device}/#"]}. {deny, all}.';
  await broker.inject('PUT', '/authorization/sources/file', { body: { type: 'file', enable: true, rules } });
  const client = await come({ clientId: 'ruled', protocolVersion: 5, ...device });
  await client.subscribeAsync('d/device-7/#');
  await expect(client.subscribeAsync('d/device-8/#')).rejects.toThrow();
  const bare = await come({ clientId: 'unruled', protocolVersion: 5 });
  await expect(bare.subscribeAsync('d/device-7/#')).rejects.toThrow();
});

test('servers that decide are told who shows which certificate, and where', async () => {
  await set({});
  const server = await startHttpServer();
  server.answer(({ url: asked }) => (asked === '/acl' ? { status: 204 } : { body: { result: 'allow' } }));
  const body = { cn: '${cert_common_name}', dn: '${cert_subject}', zone: '${zone}' };
  const http = { method: 'post', body, pool_size: 1 };
  await broker.inject('DELETE', '/authorization/sources/file');
  await broker.inject('POST', '/authorization/sources', {
    body: { ...http, type: 'http', url: `${server.url}/acl` },
  });
  await broker.inject('POST', '/authentication', {
    body: { ...http, mechanism: 'password_based', backend: 'http', url: `${server.url}/auth` },
  });
  try {
    const named = { cn: 'device-7', dn: expect.stringContaining('CN=device-7'), zone: 'devices' };
    const nobody = { cn: '', dn: '', zone: 'devices' };
    for (const [shown, told] of [
      [device, named],
      [{}, nobody],
    ] as const) {
      server.got.length = 0;
      const client = await come({ username: 'ada', password: 'x', ...shown });
      await client.subscribeAsync('t');
      expect(server.got.map(({ url: asked }) => asked)).toEqual(['/auth', '/acl']);
      for (const { body: sent } of server.got) expect(JSON.parse(sent)).toEqual(told);
    }
    // Whoever asks beforehand hears the same
    const question = { clientid: 'x', username: 'ada', password: 'x', listener: 'ssl:a', topic: 't' };
    server.got.length = 0;
    await broker.inject('POST', '/access/test', { body: question });
    expect(server.got.map(({ body: sent }) => JSON.parse(sent))).toEqual([nobody, nobody]);
  } finally {
    await broker.inject('DELETE', '/authentication/password_based:http');
    await broker.inject('DELETE', '/authorization/sources/http');
    await server.close();
  }
});
