import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewApiKey } from '@mqdeck/contract/api-keys';
import type { AuditEntry } from '@mqdeck/contract/audit';
import { MASK } from '@mqdeck/contract/kit/values';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { memoryStore } from '../../core/store/memory-store.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { AuditLog } from './audit.ts';
import { changesOf } from './changes.ts';
import { discreet } from './discretion.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

type Query = Record<string, string | number>;
type Listed = { data: AuditEntry[]; meta: { count: number; hasnext: boolean } };

const list = async (query: Query = {}, by = broker) =>
  (await by.inject<Listed>('GET', '/audit', { query })).body;
const latest = async (query: Query = {}) => (await list({ limit: 1, ...query })).data[0]!;
const changesIn = ({ changes = [] }: AuditEntry) =>
  changes.map(({ path, before, after }) => [path.join('.'), before, after]);

const makeKey = async () =>
  (await broker.inject<NewApiKey>('POST', '/api_key', { body: { name: 'robot', desc: '', enable: true } }))
    .body;
const basic = ({ api_key, api_secret }: Pick<NewApiKey, 'api_key' | 'api_secret'>) =>
  `Basic ${Buffer.from(`${api_key}:${api_secret}`).toString('base64')}`;

describe('a change is told with who made it, from where, and what was and is', () => {
  test('of settings, exactly what differs', async () => {
    const { body } = await broker.inject<Record<string, unknown>>('GET', '/configs/log');
    const console = { ...(body.console as object), level: 'error' };
    await broker.inject('PUT', '/configs/log', { body: { console }, remoteAddress: '10.1.2.3' });
    const entry = await latest();
    expect(entry).toMatchObject({
      from: 'dashboard',
      source: 'admin',
      source_ip: '10.1.2.3',
      node: 'mqdeck@127.0.0.1',
      operation_id: '/configs/log',
      operation_type: 'configs',
      operation_result: 'success',
      http_method: 'put',
      http_status_code: 200,
      http_request: { method: 'put', body: { console: { level: 'error' } } },
    });
    expect(changesIn(entry)).toEqual([['log.console.level', 'warning', 'error']]);
    expect(Date.now() - Date.parse(entry.created_at)).toBeLessThan(60_000);
    expect((await broker.inject<AuditEntry>('GET', `/audit/${entry.id}`)).body).toEqual(entry);
  });

  test('two at the same moment each have their own', async () => {
    await Promise.all([
      broker.inject('PUT', '/configs/dashboard', { body: { token_expired_time: '2h' } }),
      broker.inject('PUT', '/slow_subscriptions/settings', { body: { top_k_num: 77 } }),
    ]);
    const { data } = await list({ http_method: 'put' });
    expect(Object.fromEntries(data.map((entry) => [entry.operation_id, changesIn(entry)]))).toEqual({
      '/configs/dashboard': [['dashboard.token_expired_time', '60m', '2h']],
      '/slow_subscriptions/settings': [['slow_subs.top_k_num', 10, 77]],
    });
  });

  test('of a thing that is no setting, as its own endpoint or its list shows it', async () => {
    const key = await makeKey();
    const authorization = basic(key);
    expect(changesIn(await latest())).toContainEqual(['api_key.robot.name', undefined, 'robot']);
    await broker.inject('PUT', '/api_key/robot', { body: { desc: 'of the plant', enable: true } });
    expect(changesIn(await latest())).toEqual([['api_key.robot.desc', '', 'of the plant']]);
    await broker.inject('POST', '/users', {
      body: { username: 'ops', password: 'Some-password-1', description: '' },
    });
    await broker.inject('PUT', '/users/ops', { body: { description: 'night shift' } });
    expect(changesIn(await latest())).toEqual([['users.ops.description', '', 'night shift']]);
    await broker.inject('DELETE', '/users/ops');
    expect(changesIn(await latest())).toContainEqual(['users.ops.description', 'night shift', undefined]);

    await broker.inject('POST', '/banned', {
      authorization,
      body: { as: 'clientid', who: 'thief', reason: 'stolen' },
    });
    const ban = await latest();
    expect(ban).toMatchObject({
      from: 'rest_api',
      source: key.api_key,
      source_name: 'robot',
      operation_id: '/banned',
    });
    for (const source of [key.api_key, 'robot'])
      expect((await list({ source })).data.map(({ id }) => id)).toEqual([ban.id]);
    expect(changesIn(ban)).toContainEqual(['banned.reason', undefined, 'stolen']);
  });

  test('a request that fails changes nothing, and says why', async () => {
    await broker.inject('PUT', '/configs/dashboard', { body: { token_expired_time: 'soon' } });
    const entry = await latest();
    expect(entry).toMatchObject({
      operation_result: 'failure',
      http_status_code: 400,
      failure: { code: 'BAD_REQUEST' },
      changes: [],
    });
  });

  test('a mere look is not recorded', async () => {
    const { meta } = await list();
    for (const path of ['/users', '/configs/log', '/audit', '/nowhere']) await broker.inject('GET', path);
    await broker.inject('POST', '/nowhere', { body: {} });
    const question = { publisher: 'a', topic: 't', subscriber: 'b' };
    const asked = [
      await broker.inject('POST', '/delivery/explain', { body: question }),
      await broker.inject('POST', '/access/test', { body: { clientid: 'a' } }),
      await broker.inject('POST', '/bridges_probe', { body: { type: 'webhook' } }),
    ];
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 400]);
    expect((await list()).meta.count).toBe(meta.count);
    await broker.inject('POST', '/delivery/probe', { body: { ...question, payload: 'x', seconds: 1 } });
    expect(await latest()).toMatchObject({ operation_id: '/delivery/probe' });
  });
});

describe('who is not let in is told too', () => {
  const login = (username: string, password: string, remoteAddress = '10.0.0.1') =>
    broker.inject('POST', '/login', { body: { username, password }, authorization: null, remoteAddress });

  test('a sign-in, a sign-out, and a loop of wrong passwords as one entry with a number', async () => {
    await login('admin', 'public');
    expect(await latest()).toMatchObject({
      source: 'admin',
      operation_id: '/login',
      operation_result: 'success',
    });
    for (let i = 0; i < 4; i++) await login('admin', `wrong-${i}`, '10.0.0.66');
    const token = await broker.tokens.issue('admin');
    await broker.inject('POST', '/logout', { body: { username: 'admin' }, token });
    const { data } = await list();
    expect(data[0]).toMatchObject({ source: 'admin', operation_id: '/logout', operation_result: 'success' });
    expect(data[1]).toMatchObject({
      source: 'admin',
      source_ip: '10.0.0.66',
      operation_id: '/login',
      operation_result: 'failure',
      http_status_code: 401,
      failure: { code: 'BAD_USERNAME_OR_PWD' },
      times: 4,
    });
    expect(JSON.stringify(data)).not.toContain('wrong-');
  });

  test('changes with no token, a wrong secret, or a key that may not', async () => {
    const key = await makeKey();
    await broker.inject('DELETE', '/users/admin', { authorization: null });
    expect(await latest()).toMatchObject({ source: '', http_status_code: 401, operation_result: 'failure' });
    const authorization = basic({ ...key, api_secret: 'guessed' });
    await broker.inject('POST', '/banned', { authorization, body: { as: 'clientid', who: 'x' } });
    expect(await latest()).toMatchObject({ from: 'rest_api', source: key.api_key, http_status_code: 401 });
    await broker.inject('DELETE', '/users/admin', { authorization: basic(key) });
    expect(await latest()).toMatchObject({
      from: 'rest_api',
      source: key.api_key,
      operation_result: 'failure',
      failure: { code: 'API_KEY_NOT_ALLOW' },
    });
  });
});

test('it is found by who, where, what, how, when and how it ended', async () => {
  await broker.inject('PUT', '/configs/dashboard', { body: { token_expired_time: '2h' } });
  await broker.inject('PUT', '/configs/dashboard', {
    body: { token_expired_time: 'x' },
    remoteAddress: '10.9.9.9',
  });
  await broker.inject('POST', '/users', {
    body: { username: 'ops', password: 'Some-password-1', description: '' },
  });
  await broker.inject('DELETE', '/users/ops');
  const count = async (query: Query) => (await list(query)).meta.count;
  expect(await count({})).toBe(5); // and the start
  expect(await count({ from: 'cli' })).toBe(1);
  expect(await count({ source: 'admin' })).toBe(4);
  expect(await count({ source: 'nobody' })).toBe(0);
  expect(await count({ source_ip: '10.9.9.9' })).toBe(1);
  expect(await count({ operation_id: '/configs/dashboard' })).toBe(2);
  expect(await count({ operation_type: 'users' })).toBe(2);
  expect(await count({ operation_result: 'failure' })).toBe(1);
  expect(await count({ http_method: 'delete' })).toBe(1);
  expect(await count({ http_status_code: 201 })).toBe(0);
  expect(await count({ like_text: 'OPS' })).toBe(1);
  const { created_at } = (await list({ limit: 1 })).data[0]!;
  expect(await count({ gte_created_at: created_at })).toBeGreaterThan(0);
  expect(await count({ lte_created_at: '2020-01-01T00:00:00Z' })).toBe(0);
  const pages = [await list({ limit: 2, page: 1 }), await list({ limit: 2, page: 3 })];
  expect(pages.map(({ data, meta }) => [data.length, meta.hasnext])).toEqual([
    [2, true],
    [1, false],
  ]);
  expect((await broker.inject('GET', '/audit', { query: { from: 'x' } })).status).toBe(400);
  expect((await broker.inject('GET', '/audit/x')).status).toBe(404);
  expect((await broker.inject('GET', '/audit', { authorization: null })).status).toBe(401);
});

describe('settings', () => {
  const set = (audit: object) => broker.inject('PUT', '/configs/log', { body: { audit } });

  test('turned off it records nothing but that it was turned off', async () => {
    await set({ enable: false });
    await broker.inject('PUT', '/configs/dashboard', { body: { token_expired_time: '2h' } });
    expect(changesIn(await latest())).toEqual([['log.audit.enable', true, false]]);
    await set({ enable: true });
    await broker.inject('PUT', '/configs/dashboard', { body: { token_expired_time: '3h' } });
    expect(changesIn(await latest())).toEqual([['dashboard.token_expired_time', '2h', '3h']]);
  });

  test('what programs do all day is one entry with a number, or none', async () => {
    const publish = () =>
      broker.inject('POST', '/publish', { body: { topic: 't', payload: 'x'.repeat(1000) } });
    for (let i = 0; i < 5; i++) await publish();
    const entry = await latest();
    expect(entry).toMatchObject({ operation_id: '/publish', times: 5 });
    expect(JSON.stringify(entry).length).toBeLessThan(1000);
    await broker.client('one');
    await broker.client('two');
    for (const id of ['one', 'two']) await broker.inject('DELETE', `/clients/${id}`);
    const kicks = (await list({ like_text: '/clients' })).data.map(
      ({ http_request }) => http_request?.bindings,
    );
    expect(kicks).toEqual([{ clientid: 'two' }, { clientid: 'one' }]);
    await set({ ignore_high_frequency_request: true });
    const { meta } = await list();
    await publish();
    await broker.inject('DELETE', '/clients/nobody');
    expect((await list()).meta.count).toBe(meta.count);
  });

  test('no key decides what is kept; it may change the rest of the log', async () => {
    const authorization = basic(await makeKey());
    const put = (body: object) => broker.inject('PUT', '/configs/log', { authorization, body });
    expect(await put({ audit: { enable: false } })).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('only a signed-in user') },
    });
    expect(await latest()).toMatchObject({ source_name: 'robot', operation_result: 'failure' });
    const rawBody = 'log { audit { max_filter_size = 10 } }';
    const headers = { 'content-type': 'text/plain' };
    expect((await broker.inject('PUT', '/configs', { authorization, rawBody, headers })).status).toBe(400);
    const { body } = await broker.inject<{ audit: object }>('GET', '/configs/log');
    expect(body.audit).toMatchObject({ enable: true, max_filter_size: 5000 });
    expect((await put({ audit: body.audit, console: { level: 'error' } })).status).toBe(200);
    expect((await set({ max_filter_size: 20 })).status).toBe(200);
  });

  test('no more is kept than is set; fewer sizes than ten are refused', async () => {
    for (let i = 0; i < 15; i++)
      await broker.inject('PUT', '/configs/dashboard', { body: { token_expired_time: `${i + 1}h` } });
    await set({ max_filter_size: 10 });
    await expect.poll(async () => (await list()).meta.count).toBe(10);
    expect((await set({ max_filter_size: 9 })).status).toBe(400);
  });
});

test('it outlives the broker, which tells of its start and end', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'audit-'));
  try {
    const first = await startTestBroker({ dataDir });
    await first.inject('PUT', '/configs/dashboard', { body: { token_expired_time: '2h' } });
    await first.close();
    const second = await startTestBroker({ dataDir });
    const { data } = await list({}, second);
    await second.close();
    expect(data.map(({ from, operation_id }) => [from, operation_id])).toEqual([
      ['cli', 'start'],
      ['cli', 'stop'],
      ['dashboard', '/configs/dashboard'],
      ['cli', 'start'],
    ]);
    expect(data.map(({ id }) => id)).toEqual([4, 3, 2, 1]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test('a program that errs on and on pushes nothing out of what was done', async () => {
  await broker.inject('PUT', '/configs/log', { body: { audit: { max_filter_size: 50 } } });
  for (let i = 0; i < 60; i++) await broker.inject('DELETE', `/users/nobody-${i}`);
  await broker.inject('DELETE', '/users/nobody-59');
  await expect.poll(async () => (await list({ operation_result: 'failure' })).meta.count).toBe(10);
  expect(await latest()).toMatchObject({ http_status_code: 404, source: 'admin', times: 2 });
  expect((await list({ operation_id: '/configs/log' })).data).toHaveLength(1);
});

test('strangers who knock push nothing out of what was done', async () => {
  const book = new AuditLog(memoryStore(), () => ({
    enable: true,
    max_filter_size: 50,
    ignore_high_frequency_request: false,
  }));
  const entry = {
    from: 'dashboard',
    source: '',
    operation: '/login',
    method: 'post',
    status: 401,
    failure: null,
    durationMs: 1,
    request: null,
    changes: [],
    leftOff: 0,
  } as const;
  for (let at = 0; at < 40; at++) book.add({ ...entry, at, kind: 'deed', address: 'inside' });
  for (let at = 0; at < 500; at++) book.add({ ...entry, at, kind: 'refused', address: `10.0.0.${at}` });
  await book.pruned();
  const kept = [...book.slices()].flat();
  expect(kept.filter(({ kind }) => kind === 'deed')).toHaveLength(40);
  expect(kept.filter(({ kind }) => kind === 'refused').map(({ address }) => address)).toEqual(
    Array.from({ length: 10 }, (_, i) => `10.0.0.${499 - i}`),
  );
});

describe('what differs', () => {
  const between = (before: unknown, after: unknown, alive = false) =>
    changesOf([{ path: ['x'], before, after, alive }]).changes.map(({ path, ...rest }) => [
      path.join('.'),
      rest,
    ]);

  test('is told value by value: new, gone, other, moved', () => {
    expect(between({ a: 1, b: { c: [1], d: 2 } }, { a: 1, b: { c: [1, 2] }, e: true })).toEqual([
      ['x.b.c', { before: [1], after: [1, 2] }],
      ['x.b.d', { before: 2 }],
      ['x.e', { after: true }],
    ]);
    const [a, b] = [
      { mechanism: 'jwt', enable: true },
      { mechanism: 'password_based', backend: 'mysql', enable: true },
    ];
    expect(between([a, b], [{ ...b, enable: false }, a])).toEqual([
      ['x.password_based:mysql.enable', { before: true, after: false }],
      ['x.order', { before: ['jwt', 'password_based:mysql'], after: ['password_based:mysql', 'jwt'] }],
    ]);
    expect(between({ metrics: { n: 1 }, name: 'a' }, { metrics: { n: 2 }, name: 'a' }, true)).toEqual([]);
  });

  test('says that a secret is another one, and not which', () => {
    const config = (password: string, key: string) => ({
      authentication: { password },
      headers: { 'x-any': key, accept: 'a' },
      url: `http://u:${password}@h/?token=${key}&x=1`,
      ssl: { keyfile: `-----BEGIN PRIVATE KEY-----${key}` },
    });
    const told = between(config('one', 'k1'), config('two', 'k2'));
    expect(JSON.stringify(told)).not.toMatch(/one|two|k1|k2/);
    expect(told).toEqual([
      ['x.authentication.password', { before: MASK, after: MASK }],
      ['x.headers.x-any', { before: MASK, after: MASK }],
      [
        'x.url',
        { before: `http://${MASK}@h/?token=${MASK}&x=1`, after: `http://${MASK}@h/?token=${MASK}&x=1` },
      ],
      ['x.ssl.keyfile', { before: MASK, after: MASK }],
    ]);
  });

  test('is no more than can be read', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${i}`, 'x'.repeat(5000)]));
    const { changes, leftOff } = changesOf([{ path: [], before: {}, after: many, alive: false }]);
    expect(JSON.stringify(changes).length).toBeLessThan(20_000);
    expect(changes.length + leftOff).toBe(500);
  });
});

test('what is kept of a request is bounded, however deep, wide or long it is', () => {
  let deep: unknown = 1;
  for (let i = 0; i < 5000; i++) deep = [{ deep }];
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`n${i}`, i]));
  const kept = JSON.stringify(discreet({ deep, wide, long: 'x'.repeat(100_000), list: Array(5000).fill(1) }));
  expect(kept.length).toBeLessThan(10_000);
});

test('no planted secret stands in the book, its answers, or the store', async () => {
  const canary = (n: number) => `C4nary-${n}-secret`;
  await broker.inject('POST', '/users', {
    body: { username: 'ops', password: canary(1), description: '' },
  });
  await broker.inject('POST', '/users/ops/change_pwd', { body: { old_pwd: canary(1), new_pwd: canary(2) } });
  await broker.inject('POST', '/login', {
    body: { username: 'ops', password: canary(3) },
    authorization: null,
  });
  await broker.inject('POST', '/login', {
    body: { username: 'ops', password: [canary(3)] },
    authorization: null,
  });
  const key = await makeKey();
  await broker.inject('DELETE', '/users/x', { authorization: basic({ ...key, api_secret: canary(4) }) });
  await broker.inject('DELETE', '/users/x', { authorization: `Bearer ${canary(4)}` });
  const authenticator = {
    mechanism: 'password_based',
    backend: 'mysql',
    server: '127.0.0.1:1',
    database: 'd',
    username: 'u',
    password: canary(5),
    query: 'SELECT password_hash FROM u LIMIT 1',
    password_hash_algorithm: { name: 'plain', salt_position: 'disable' },
  };
  await broker.inject('POST', '/authentication', { body: authenticator });
  await broker.inject('PUT', '/authentication/password_based:mysql', {
    body: { ...authenticator, password: canary(6) },
  });
  await broker.inject('POST', '/authentication', {
    body: { mechanism: 'jwt', use_jwks: false, secret: canary(7), from: 'password' },
  });
  await broker.inject('POST', '/bridges', {
    body: {
      type: 'webhook',
      name: 'w',
      enable: false,
      url: `http://user:${canary(8)}@127.0.0.1:1/x?api_key=${canary(8)}`,
      method: 'post',
      headers: { authorization: canary(9), 'x-anything': canary(9) },
    },
  });
  await broker.inject('POST', '/listeners', {
    body: {
      type: 'ssl',
      name: 'other',
      bind: '127.0.0.1:0',
      ssl_options: {
        keyfile: `-----BEGIN PRIVATE KEY-----\n${canary(10)}\n-----END PRIVATE KEY-----`,
        password: canary(10),
      },
    },
  });
  await broker.inject('POST', '/access/test', {
    body: { clientid: 'c', username: 'u', password: canary(11) },
  });
  await broker.inject('PUT', '/configs', {
    rawBody: `prometheus { push_gateway { headers { any = "${canary(12)}" } } }`,
    headers: { 'content-type': 'text/plain' },
  });
  const { data, meta } = await list({ limit: 100 });
  expect(meta.count).toBeGreaterThan(13);
  expect(
    data.some(
      ({ operation_id, operation_result }) => operation_id === '/configs' && operation_result === 'success',
    ),
  ).toBe(true);
  expect(JSON.stringify(data)).not.toMatch(/C4nary/);
  expect(JSON.stringify(data)).not.toContain(key.api_secret);
  expect(JSON.stringify(data)).toContain(MASK);
  const exported = await broker.inject('POST', '/data/export', { body: {} });
  expect(JSON.stringify(exported.body)).not.toMatch(/C4nary/);
});
