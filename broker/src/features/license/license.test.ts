import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { Alarm } from '@mqdeck/contract/alarms';
import type { License } from '@mqdeck/contract/license';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../core/store/memory-store.ts';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { dial } from '../../testing/test-client.ts';
import { Licensing } from './licensing.ts';

const DAY_MS = 86_400_000;
const day = (fromNow: number) => new Date(Date.now() + fromNow * DAY_MS).toISOString().slice(0, 10);
const terms = {
  customer: 'Waterworks',
  email: 'ops@waterworks.example',
  start_at: day(-10),
  expiry_at: day(300),
  max_connections: 2,
  type: 'official',
};

const issuer = generateKeyPairSync('ed25519');
const pem = issuer.publicKey.export({ type: 'spki', format: 'pem' }).toString();
function signed(content: object, key: KeyObject = issuer.privateKey): string {
  const bytes = Buffer.from(JSON.stringify(content));
  return `${bytes.toString('base64url')}.${sign(null, bytes, key).toString('base64url')}`;
}

interface Failure {
  code: string;
  message: string;
}

describe('the enterprise edition', () => {
  let broker: TestBroker;
  beforeEach(async () => {
    broker = await startTestBroker({ edition: 'enterprise', licenseIssuer: pem });
  });
  afterEach(() => broker.close());

  const license = async () => (await broker.inject<License>('GET', '/license')).body;
  const put = (key: string) => broker.inject<License & Failure>('POST', '/license', { body: { key } });
  const alarm = async (name: string) =>
    (await broker.inject<{ data: Alarm[] }>('GET', '/alarms')).body.data.find((one) => one.name === name);
  const connect = async (clientid: string) => {
    const { client } = dial(broker.core, clientid);
    return { client, reasonCode: (await client.connect()).reasonCode };
  };

  test('begins with a license for evaluation of a year', async () => {
    expect(await license()).toMatchObject({
      customer: 'Evaluation',
      customer_type: 10,
      type: 'trial',
      expiry: false,
      max_connections: 1000,
      start_at: day(0),
      expiry_at: day(365),
    });
    expect((await broker.inject<{ edition: string }[]>('GET', '/nodes')).body[0]?.edition).toBe('Enterprise');
  });

  test('runs under the license that it is given, and goes back to evaluation', async () => {
    const { deployment } = (await put(signed(terms))).body;
    expect(deployment).toBe('default');
    expect(await license()).toMatchObject({ ...terms, expiry: false, customer_type: 1 });
    await put('default');
    expect((await license()).customer).toBe('Evaluation');
  });

  test.each<[string, () => string, RegExp]>([
    ['that is empty', () => ' ', /empty/],
    ['that is nothing', () => 'nonsense', /no license/],
    ['of another issuer', () => signed(terms, generateKeyPairSync('ed25519').privateKey), /not signed/],
    [
      'that was changed',
      () =>
        `${Buffer.from(JSON.stringify({ ...terms, max_connections: 9 })).toString('base64url')}.${signed(terms).split('.')[1]}`,
      /not signed/,
    ],
    ['that is over', () => signed({ ...terms, expiry_at: day(-1) }), /over/],
    ['that ends before it begins', () => signed({ ...terms, start_at: day(301) }), /before it begins/],
    ['without clients', () => signed({ ...terms, max_connections: 0 }), /max_connections/],
    [
      'with a day that is not in the calendar',
      () => signed({ ...terms, expiry_at: '2127-02-29' }),
      /expiry_at/,
    ],
    ['with a day that is none', () => signed({ ...terms, expiry_at: 'soon' }), /expiry_at/],
  ])('refuses a license %s', async (_, key, why) => {
    const { status, body } = await put(key());
    expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
    expect(body.message).toMatch(why);
    expect((await license()).customer).toBe('Evaluation');
  });

  test('lets in as many clients as the license says; who is there already takes his own place', async () => {
    await put(signed(terms));
    const { client: first } = await connect('a');
    await connect('b');
    expect((await connect('c')).reasonCode).toBe(ReasonCode.QuotaExceeded);
    expect((await connect('a')).reasonCode).toBe(0);
    await first.expectDisconnect(ReasonCode.SessionTakenOver);
    const { client: b } = await connect('b');
    await b.disconnect();
    expect((await connect('c')).reasonCode).toBe(0);
  });

  test('raises an alarm when clients come near to what the license allows, and ends it', async () => {
    await put(signed({ ...terms, max_connections: 4 }));
    const setting = { connection_low_watermark: '30%', connection_high_watermark: '50%' };
    expect((await broker.inject('PUT', '/license/setting', { body: setting })).body).toEqual(setting);
    expect((await broker.inject('GET', '/license/setting')).body).toEqual(setting);
    const { client: a } = await connect('a');
    expect(await alarm('license_quota')).toBeUndefined();
    const { client: b } = await connect('b');
    expect((await alarm('license_quota'))?.details).toMatchObject({ connections: 2, max_connections: 4 });
    for (const client of [a, b]) await client.disconnect();
    expect(await alarm('license_quota')).toBeUndefined();
    const wrong = { connection_low_watermark: '50%', connection_high_watermark: '50%' };
    expect((await broker.inject('PUT', '/license/setting', { body: wrong })).status).toBe(400);
  });

  test('raises an alarm a month before the license ends', async () => {
    await put(signed({ ...terms, expiry_at: day(10) }));
    expect((await alarm('license_expiry'))?.message).toBe(`The license ends on ${day(10)}`);
    await put(signed(terms));
    expect(await alarm('license_expiry')).toBeUndefined();
  });
});

test('without an issuer no license can be given', async () => {
  const broker = await startTestBroker({ edition: 'enterprise' });
  const answer = await broker.inject<Failure>('POST', '/license', { body: { key: signed(terms) } });
  expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  expect(answer.body.message).toContain('--license-issuer');
  await broker.close();
});

test('the open source edition knows no license', async () => {
  const broker = await startTestBroker();
  for (const method of ['GET', 'POST'])
    expect((await broker.inject(method, '/license')).body).toMatchObject({ code: 'NOT_FOUND' });
  await broker.close();
});

test('watermarks in a wrong order are refused by either edition: the other one could not start with them', async () => {
  for (const edition of ['opensource', 'enterprise'] as const) {
    const broker = await startTestBroker({ edition });
    const text = 'license { connection_low_watermark = "90%", connection_high_watermark = "10%" }';
    const headers = { 'content-type': 'text/plain' };
    const answer = await broker.inject('PUT', '/configs', { rawBody: text, headers });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining('license.connection_low_watermark'),
    ]);
    await broker.close();
  }
});

test('an evaluation that is over lets nobody in; a license that is over only raises an alarm', async () => {
  const { core, close } = startTestCore();
  const raised = new Set<string>();
  const alarms = {
    activate: (name: string) => void raised.add(name),
    deactivate: (name: string) => void raised.delete(name),
  };
  const settings = new SettingsStore(null);
  const store = memoryStore();
  let now = Date.now();
  const licensing = new Licensing({ core, store, settings, alarms, issuer: pem, now: () => now });
  const connect = async (clientid: string) => {
    const { client } = dial(core, clientid);
    return (await client.connect()).reasonCode;
  };
  expect(await connect('a')).toBe(0);
  now += 366 * DAY_MS;
  licensing.check();
  expect(raised).toContain('license_expiry');
  expect(await connect('b')).toBe(ReasonCode.QuotaExceeded);
  now -= 366 * DAY_MS;
  await licensing.put(signed(terms));
  now += 366 * DAY_MS;
  licensing.check();
  expect(licensing.inForce).toMatchObject({ expiry: true, customer: 'Waterworks' });
  expect(raised).toContain('license_expiry');
  expect(await connect('b')).toBe(0);
  licensing.close();
  await close();
});
