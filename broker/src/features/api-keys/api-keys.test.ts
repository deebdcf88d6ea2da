import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { api } from '@mqdeck/contract/api';
import type { NewApiKey } from '@mqdeck/contract/api-keys';
import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { pathOf } from '@mqdeck/contract/kit/endpoint';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { memoryStore } from '../../core/store/memory-store.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { ApiKeys } from './api-keys.ts';
import { newSecret } from './secrets.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const one of open.splice(0)) await one.close();
});

async function started(options: Parameters<typeof startTestBroker>[0] = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  open.push(broker);
  return broker;
}

type Pair = Pick<NewApiKey, 'api_key' | 'api_secret'>;

const basic = (key: string, secret: string) => `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;

async function create(broker: TestBroker, name: string, rest: object = {}): Promise<NewApiKey> {
  const { status, body } = await broker.inject<NewApiKey>('POST', '/api_key', {
    body: { name, desc: '', enable: true, ...rest },
  });
  expect(status).toBe(200);
  return body;
}

const use = (
  broker: TestBroker,
  { api_key, api_secret }: Pair,
  { method = 'GET', url = '/nodes', from = '127.0.0.1', body = undefined as unknown } = {},
) =>
  broker.inject<{ code: string }>(method, url, {
    authorization: basic(api_key, api_secret),
    remoteAddress: from,
    ...(body !== undefined && { body }),
  });

const REFUSED = { status: 401, body: { code: 'BAD_API_KEY_OR_SECRET' } };
const LOCKED = { status: 401, body: { code: 'LOGIN_LOCKED' } };

describe('an API key', () => {
  test('has 16 hexadecimal digits, and a secret of 44 letters and digits that is shown once', async () => {
    const broker = await started();
    const made = await create(broker, 'scraper', { desc: 'of the metrics' });
    expect(made).toMatchObject({ name: 'scraper', desc: 'of the metrics', enable: true, expired: false });
    expect(made).toMatchObject({ expired_at: 'infinity', api_key: expect.stringMatching(/^[0-9a-f]{16}$/) });
    expect(made.api_secret).toMatch(/^[A-Za-z0-9]{44}$/);
    expect(made.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/);
    const change = { body: { desc: 'changed' } };
    const answers = [
      await broker.inject('GET', '/api_key'),
      await broker.inject('GET', '/api_key/scraper'),
      await broker.inject('PUT', '/api_key/scraper', change),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(JSON.stringify(body)).not.toMatch(/secret/);
      expect(JSON.stringify(body)).not.toContain(made.api_secret);
    }
  });

  test('its name says nothing of its secret: made anew it has another key and another secret', async () => {
    const broker = await started();
    const first = await create(broker, 'scraper');
    await broker.inject('DELETE', '/api_key/scraper');
    const second = await create(broker, 'scraper');
    expect(second.api_key).not.toBe(first.api_key);
    expect(second.api_secret).not.toBe(first.api_secret);
    expect(await use(broker, first)).toMatchObject(REFUSED);
    expect(await use(broker, { ...second, api_secret: first.api_secret })).toMatchObject(REFUSED);
    expect((await use(broker, second)).status).toBe(200);
  });

  test('of a secret every letter and digit is about as likely', () => {
    const counts = new Map<string, number>();
    for (let i = 0; i < 500; i++)
      for (const letter of newSecret()) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    expect(counts.size).toBe(62);
    const usual = (500 * 44) / 62; // 355, the deviation is some 19
    for (const [letter, count] of counts) expect(Math.abs(count - usual), letter).toBeLessThan(8 * 19);
  });

  test('keeps what a change leaves out', async () => {
    const broker = await started();
    await create(broker, 'k', { desc: 'one', expired_at: '2100-01-01T00:00:00Z' });
    const after = async (body: object) => (await broker.inject('PUT', '/api_key/k', { body })).body;
    expect(await after({})).toMatchObject({ desc: 'one', enable: true });
    expect(await after({ enable: false })).toMatchObject({ desc: 'one', enable: false, expired: false });
    expect(await after({ expired_at: 'infinity' })).toMatchObject({ expired_at: 'infinity', enable: false });
    expect(await broker.inject('GET', '/api_key/k')).toMatchObject({ body: { desc: 'one', enable: false } });
  });

  test.each([
    ['2035-12-31T23:59:59.999Z', 2_082_758_399],
    ['2035-12-31T23:59:59+08:00', 2_082_729_599],
    [2_000_000_000, 2_000_000_000],
  ])('expires at a moment given as %s', async (expired_at, seconds) => {
    const broker = await started();
    const made = await create(broker, 'k', { expired_at });
    expect(Date.parse(made.expired_at) / 1000).toBe(seconds);
    expect(made.expired).toBe(false);
  });

  test.each(['infinity', 'undefined'])('never expires when told %s', async (expired_at) => {
    const broker = await started();
    expect(await create(broker, 'k', { expired_at })).toMatchObject({ expired_at: 'infinity' });
  });

  test.each([
    { name: '' },
    { name: '1k' },
    { name: 'a b' },
    { name: 'a.b' },
    { name: 'ké' },
    { name: 'k\n' },
    { name: 'k'.repeat(257) },
    { name: undefined },
    { desc: undefined },
    { desc: null },
    { enable: undefined },
    { enable: 'yes' },
    { expired_at: 'tomorrow' },
    { expired_at: '2036-13-01' },
    { expired_at: '2037-02-29T00:00:00Z' },
    { expired_at: -1 },
    { expired_at: null },
    { role: 'administrator' },
    { api_secret: 'chosen' },
    { created_at: '2020-01-01T00:00:00Z' },
  ])('is not made with %j', async (wrong) => {
    const body = { name: 'k', desc: '', enable: true, ...wrong };
    const broker = await started();
    expect(await broker.inject('POST', '/api_key', { body })).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
    expect((await broker.inject('GET', '/api_key')).body).toEqual([]);
  });

  test('has a name of its own, also when two ask for it at once', async () => {
    const broker = await started();
    const body = { name: 'k', desc: '', enable: true };
    const answers = await Promise.all([
      broker.inject('POST', '/api_key', { body }),
      broker.inject('POST', '/api_key', { body }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await broker.inject<unknown[]>('GET', '/api_key')).body).toHaveLength(1);
  });

  test.each([
    ['none', 404, 'NOT_FOUND'],
    ['a%20b', 400, 'BAD_REQUEST'],
    ['k'.repeat(3000), 400, 'BAD_REQUEST'],
  ])('that is not there has an answer: %s', async (name, status, code) => {
    const broker = await started();
    const expected = { status, body: { code } };
    expect(await broker.inject('GET', `/api_key/${name}`)).toMatchObject(expected);
    expect(await broker.inject('PUT', `/api_key/${name}`, { body: {} })).toMatchObject(expected);
    expect(await broker.inject('DELETE', `/api_key/${name}`)).toMatchObject(expected);
  });

  test('outlives a restart, and nothing on disk holds its secret', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'mqdeck-keys-'));
    try {
      const first = await startTestBroker({ dataDir });
      const made = await create(first, 'k');
      expect((await use(first, made)).status).toBe(200);
      await first.close();
      const second = await startTestBroker({ dataDir });
      expect((await use(second, made)).status).toBe(200);
      await second.close();
      for (const name of readdirSync(dataDir, { recursive: true, withFileTypes: true }))
        if (name.isFile())
          expect(readFileSync(path.join(name.parentPath, name.name)).includes(made.api_secret)).toBe(false);
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});

describe('who asks with an API key', () => {
  test('may do what a user may, except what concerns users, keys and sign-ins', async () => {
    const broker = await started();
    const made = await create(broker, 'k');
    const message = { topic: 'room/1', payload: 'x' };
    expect((await use(broker, made)).status).toBe(200);
    expect((await use(broker, made, { method: 'POST', url: '/publish', body: message })).status).toBeLessThan(
      300,
    );

    const own = Object.values(api)
      .flatMap((feature): Endpoint[] => Object.values(feature))
      .filter(({ access }) => access === 'user');
    expect(own.map(({ method, path: at }) => `${method} ${at}`)).toEqual(
      expect.arrayContaining([
        'GET /users',
        'GET /data/files/:filename',
        'POST /users/:username/change_pwd',
        'POST /api_key',
        'POST /logout',
      ]),
    );
    for (const { method, path: at } of own) {
      const url = pathOf(at, { username: 'admin', name: 'k', filename: 'a.tar.gz' });
      expect(await use(broker, made, { method, url, body: {} }), `${method} ${at}`).toMatchObject({
        status: 401,
        body: { code: 'API_KEY_NOT_ALLOW' },
      });
    }
    expect((await broker.inject<unknown[]>('GET', '/users')).body).toHaveLength(1);
  });

  test('is refused with a wrong secret, an unknown key, or the name and password of a user', async () => {
    const broker = await started();
    const { api_key } = await create(broker, 'k');
    for (const pair of [
      { api_key, api_secret: 'wrong' },
      { api_key, api_secret: '' },
      { api_key: 'nokey', api_secret: 'wrong' },
      { api_key: '__proto__', api_secret: 'x' },
      { api_key: 'k', api_secret: 'x' },
      { api_key: 'admin', api_secret: 'public' },
      { api_key: 'x'.repeat(5000), api_secret: 'y'.repeat(5000) },
    ])
      expect(await use(broker, pair), pair.api_key.slice(0, 20)).toMatchObject(REFUSED);
  });

  test('is refused from the moment the key is disabled, and welcome again when it is enabled', async () => {
    const broker = await started();
    const made = await create(broker, 'k');
    expect((await use(broker, made)).status).toBe(200);
    await broker.inject('PUT', '/api_key/k', { body: { enable: false } });
    expect(await use(broker, made)).toMatchObject(REFUSED);
    await broker.inject('PUT', '/api_key/k', { body: { enable: true } });
    expect((await use(broker, made)).status).toBe(200);
    await broker.inject('DELETE', '/api_key/k');
    expect(await use(broker, made)).toMatchObject(REFUSED);
  });

  test('is refused from the second on in which the key expires, by the clock of the broker', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 });
    const broker = await started();
    const made = await create(broker, 'k', { expired_at: 1_900_000_060 });
    expect((await use(broker, made)).status).toBe(200);
    vi.setSystemTime(1_900_000_059_999);
    expect((await use(broker, made)).status).toBe(200);
    vi.setSystemTime(1_900_000_060_000);
    expect(await use(broker, made)).toMatchObject(REFUSED);
    const { body } = await broker.inject('GET', '/api_key/k');
    expect(body).toMatchObject({ enable: true, expired: true });
    await broker.inject('PUT', '/api_key/k', { body: { expired_at: 1_900_000_120 } });
    expect((await use(broker, made)).status).toBe(200);
  });

  test('a key gets no expiry in the past, but may be sent back with the one that it has', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 });
    const broker = await started();
    const past = { expired_at: '2020-01-01T00:00:00Z' };
    const refused = {
      status: 400,
      body: { code: 'BAD_REQUEST', message: expect.stringContaining('expired_at') },
    };
    const body = { name: 'k', desc: '', enable: true };
    expect(await broker.inject('POST', '/api_key', { body: { ...body, ...past } })).toMatchObject(refused);
    const made = await create(broker, 'k', { expired_at: 1_900_000_060 });
    expect(await broker.inject('PUT', '/api_key/k', { body: past })).toMatchObject(refused);
    vi.setSystemTime(1_900_000_061_000);
    const unchanged = { desc: 'note', expired_at: made.expired_at };
    expect(await broker.inject('PUT', '/api_key/k', { body: unchanged })).toMatchObject({
      status: 200,
      body: { desc: 'note', expired: true },
    });
  });
});

describe('guessing a secret', () => {
  test('is over for an address after five, and the holder of the key hears nothing of it elsewhere', async () => {
    const broker = await started();
    const made = await create(broker, 'k');
    for (let i = 0; i < 5; i++) await use(broker, { ...made, api_secret: `guess${i}` }, { from: '10.0.0.1' });
    const locked = await broker.inject<{ code: string; message: string }>('GET', '/nodes', {
      authorization: basic(made.api_key, made.api_secret),
      remoteAddress: '10.0.0.1',
    });
    expect(locked).toMatchObject({ status: 401, headers: { 'retry-after': '600' } });
    expect(locked.body.code).toBe('LOGIN_LOCKED');
    expect(locked.body.message).toContain('Too many wrong secrets');
    expect((await use(broker, made, { from: '10.0.0.2' })).status).toBe(200);
  });

  test('five guesses of thirty at once are weighed, wherever the right one stands', async () => {
    const broker = await started();
    const made = await create(broker, 'k');
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        use(broker, { ...made, api_secret: i === 10 ? made.api_secret : `guess${i}` }),
      ),
    );
    const codes = answers.map(({ body }) => body.code).sort();
    expect(codes).toEqual([...Array(5).fill('BAD_API_KEY_OR_SECRET'), ...Array(25).fill('LOGIN_LOCKED')]);
  });

  test('whoever was let in with a secret stays in, whatever others guess from the same address', async () => {
    const broker = await started();
    const made = await create(broker, 'k');
    expect((await use(broker, made)).status).toBe(200);
    for (let i = 0; i < 60; i++) await use(broker, { ...made, api_secret: `guess${i}` });
    expect((await use(broker, made)).status).toBe(200);
  });

  test('after fifty wrong ones an address is locked for every key, and logins from it are not', async () => {
    const broker = await started();
    const made = await create(broker, 'k');
    const from = '10.0.0.1';
    for (let i = 0; i < 50; i++) await use(broker, { api_key: `key${i}`, api_secret: 'x' }, { from });
    expect(await use(broker, made, { from })).toMatchObject(LOCKED);
    const body = { username: 'admin', password: 'public' };
    expect(
      await broker.inject('POST', '/login', { body, authorization: null, remoteAddress: from }),
    ).toMatchObject({
      status: 200,
    });
  });

  test('many requests of one program at once are one guess, and cost one hash', async () => {
    let hashed = 0;
    const hashing = {
      hash: async (secret: string) => `hash of ${secret}`,
      matches: async (secret: string, hash: string | undefined) => {
        hashed++;
        return hash === `hash of ${secret}`;
      },
    };
    const keys = new ApiKeys(memoryStore(), hashing);
    const { key, secret } = (await keys.create('k', {}))!;
    expect(keys.recall(key.apiKey, secret)).toBeNull();
    expect(await keys.weigh(key.apiKey, 'wrong')).toEqual({ right: false, mayAct: false });
    expect(keys.recall(key.apiKey, 'wrong')).toBeNull();
    await keys.weigh(key.apiKey, secret);
    expect(hashed).toBe(2);
    for (let i = 0; i < 1000; i++) expect(keys.recall(key.apiKey, secret)).toBe(true);
    expect(keys.recall(key.apiKey, `${secret}x`)).toBeNull();
    expect(hashed).toBe(2);
    await keys.update('k', { desc: 'changed' });
    expect(keys.recall(key.apiKey, secret)).toBeNull();

    const broker = await started();
    const made = await create(broker, 'k');
    const answers = await Promise.all(Array.from({ length: 200 }, () => use(broker, made)));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('an unknown key is weighed like a known one', async () => {
    const weighed: (string | undefined)[] = [];
    const hashing = {
      hash: async () => 'the hash',
      matches: async (_: string, hash: string | undefined) => {
        weighed.push(hash);
        return false;
      },
    };
    const keys = new ApiKeys(memoryStore(), hashing);
    const { key } = (await keys.create('k', {}))!;
    await keys.weigh(key.apiKey, 'wrong');
    await keys.weigh('0000000000000000', 'wrong');
    expect(weighed).toEqual(['the hash', undefined]);
  });
});
