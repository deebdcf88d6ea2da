import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeWith, freePort } from '../../testing/engines/engine.ts';
import { type CoapRun, runCoapClient, SECURE_LIBCOAP_PROGRAMS } from '../../testing/engines/libcoap.ts';
import { OPENSSL_PROGRAMS, runSecureClient, type SecureClient } from '../../testing/engines/openssl.ts';
import { snMessage } from '../../testing/sn-device.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

interface Pair {
  cert: string;
  key: string;
}
const folder = mkdtempSync(join(tmpdir(), 'mqdeck-dtls-gateway-'));
const ends: (() => unknown)[] = [];
let broker: TestBroker;
let port: number;
let ca: Pair;
let own: Pair;
let device: Pair;

async function make(name: string, isCa: boolean, issuer?: Pair): Promise<Pair> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: isCa, critical: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
    ...(issuer && { ca: issuer }),
  });
  return { cert, key };
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

beforeAll(async () => {
  ca = await make('ca', true);
  own = await make('gateway', false, ca);
  device = await make('device-7', false, ca);
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  broker = await startTestBroker();
  port = await freePort();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await broker.close();
});

const listenerWith = (dtls_options: object) => ({
  type: 'dtls',
  name: 'safe',
  bind: `127.0.0.1:${port}`,
  dtls_options,
});

async function load(gateway: 'coap' | 'mqttsn', dtls_options: object, config: object = {}) {
  const body = { name: gateway, ...config, listeners: [listenerWith(dtls_options)] };
  return broker.inject<{ message: string } | undefined>('PUT', `/gateways/${gateway}`, { body });
}

const certificate = () => ({ certfile: own.cert, keyfile: own.key });

function secureClient(...args: string[]): SecureClient {
  const client = runSecureClient(port, args);
  ends.push(() => client.stop());
  return client;
}

function coap(program: string, args: string[], uri: string): CoapRun {
  const trust = ['-R', file('ca.pem', ca.cert)];
  const client = runCoapClient([...trust, ...args, `coaps://127.0.0.1:${port}/${uri}`], '', program);
  ends.push(() => client.stop());
  return client;
}

describeWith('CoAP over DTLS with libcoap', SECURE_LIBCOAP_PROGRAMS, () => {
  test.each(SECURE_LIBCOAP_PROGRAMS)('a message crosses to MQTT and back: %s', async (program) => {
    expect((await load('coap', certificate())).status).toBe(204);
    const reader = await broker.client('reader');
    await reader.subscribe('room/1');
    const sent = coap(
      program,
      ['-m', 'put', '-e', 'hello', '-t', 'text/plain'],
      'ps/room/1?clientid=a&username=u&password=p',
    );
    await sent.ended;
    await reader.expectMessage('hello');
    const observing = coap(program, ['-s', '60', '-w'], 'ps/room/2?clientid=b&username=u&password=p');
    await expect.poll(() => broker.core.routes.hasReceivers('room/2'), { timeout: 10_000 }).toBe(true);
    await broker.core.publish({ topic: 'room/2', payload: 'good morning' });
    await observing.shows('good morning');
  });

  test.each(SECURE_LIBCOAP_PROGRAMS)(
    'a certificate is asked for where one must be shown: %s',
    async (program) => {
      const verify = { verify: 'verify_peer', fail_if_no_peer_cert: true, cacertfile: ca.cert };
      expect((await load('coap', { ...certificate(), ...verify })).status).toBe(204);
      const reader = await broker.client('reader');
      await reader.subscribe('room/1');
      const publish = ['-m', 'put', '-e', 'hello'];
      const uri = 'ps/room/1?clientid=a&username=u&password=p';
      await coap(program, [...publish, '-B', '3'], uri).ended;
      await reader.expectNothing();
      await coap(
        program,
        ['-c', file('device.pem', device.cert), '-j', file('device.key', device.key), ...publish],
        uri,
      ).ended;
      await reader.expectMessage('hello');
    },
  );
});

describeWith('MQTT-SN over DTLS with OpenSSL', OPENSSL_PROGRAMS, () => {
  test('a device publishes, is kicked out, and the listener counts it', async () => {
    const predefined = [{ id: 1, topic: 'room/1' }];
    expect((await load('mqttsn', certificate(), { gateway_id: 7, predefined })).status).toBe(204);
    const reader = await broker.client('reader');
    await reader.subscribe('room/1');
    const client = secureClient('-CAfile', file('ca.pem', ca.cert), '-verify_return_error');
    await client.shows('Cipher is');
    client.writeBytes(snMessage(0x04, 0x04, 0x01, [0], 'sensor'));
    await client.shows('\u0003\u0005\u0000'); // CONNACK
    client.writeBytes(snMessage(0x0c, 0x01, [1], [0], 'hello'));
    await reader.expectMessage('hello');
    const { body } = await broker.inject<{ status: { current_connections: number } }[]>(
      'GET',
      '/gateways/mqttsn/listeners',
    );
    expect(body[0]!.status.current_connections).toBe(1);
    const clients = await broker.inject<{ data: { listener: string }[] }>('GET', '/gateways/mqttsn/clients');
    expect(clients.body.data).toHaveLength(1);
    expect((await broker.inject('DELETE', '/gateways/mqttsn/clients/sensor')).status).toBe(204);
    await client.shows('\u0002\u0018'); // DISCONNECT
  });

  test('a listener that is removed says good-bye', async () => {
    expect((await load('mqttsn', certificate(), { gateway_id: 7 })).status).toBe(204);
    const client = secureClient();
    await client.shows('Cipher is ECDHE');
    const path = '/gateways/mqttsn/listeners/mqttsn:dtls:safe';
    expect((await broker.inject('DELETE', path)).status).toBe(204);
    await client.ended;
  });

  test('another certificate is shown from the next handshake on; who is there stays', async () => {
    expect((await load('mqttsn', certificate(), { gateway_id: 7 })).status).toBe(204);
    const before = secureClient();
    await before.shows('subject=CN = gateway');
    const other = await make('renewed', false, ca);
    const { name: _, ...body } = listenerWith({ certfile: other.cert, keyfile: other.key });
    const path = '/gateways/mqttsn/listeners/mqttsn:dtls:safe';
    const changed = await broker.inject('PUT', path, { body: { ...body, name: 'safe' } });
    expect(changed.status).toBe(200);
    await secureClient().shows('subject=CN = renewed');
    before.writeBytes(snMessage(0x01, 0));
    await before.shows('\u0003\u0002\u0007'); // GWINFO
  });
});

test('what DTLS cannot be made of is refused with a sentence', async () => {
  const said = async (options: object) => {
    const { status, body } = await load('coap', options);
    return `${status} ${body?.message}`;
  };
  expect(await said({ ...certificate(), versions: ['dtlsv1'] })).toMatch(/^400 .*DTLS 1\.0 is not spoken/);
  expect(await said({ ...certificate(), enable_crl_check: true })).toMatch(
    /^400 .*Revocation is not checked/,
  );
  expect(await said({ ...certificate(), keyfile: device.key })).toMatch(/^400 .*key/);
  expect(await said({ ...certificate(), ciphers: ['AES128-SHA'] })).toMatch(/^400 .*none of these ciphers/);
  expect(await said({ ...certificate(), verify: 'verify_peer' })).toMatch(/^400 .*cacertfile/);
});

test('certificates that come as text become files, and keys are never shown', async () => {
  const dataDir = join(folder, 'data');
  const lasting = await startTestBroker({ dataDir });
  ends.push(() => lasting.close());
  const body = { name: 'coap', listeners: [listenerWith(certificate())] };
  expect((await lasting.inject('PUT', '/gateways/coap', { body })).status).toBe(204);
  const shown = await lasting.inject<{ dtls_options: { certfile: string; keyfile: string } }>(
    'GET',
    '/gateways/coap/listeners/coap:dtls:safe',
  );
  expect(shown.body.dtls_options.certfile).toMatch(/^certs\/coap-dtls-safe\/cert-/);
  expect(JSON.stringify(shown.body)).not.toContain('PRIVATE KEY');
  expect(readdirSync(join(dataDir, 'certs', 'coap-dtls-safe'))).toHaveLength(2);
});
