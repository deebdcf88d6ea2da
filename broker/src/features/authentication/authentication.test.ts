import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial } from '../../testing/test-client.ts';

const BAD_PASSWORD = 0x86;
const NOT_AUTHORIZED = 0x87;
const BUILT_IN = 'password_based:built_in_database';

const builtIn = {
  mechanism: 'password_based',
  backend: 'built_in_database',
  user_id_type: 'username',
  password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
};
const jwt = { mechanism: 'jwt', use_jwks: false, algorithm: 'hmac-based', secret: 'canary-jwt-secret' };
const scram = { mechanism: 'scram', backend: 'built_in_database' };

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const create = (body: object, at = '/authentication') => broker.inject('POST', at, { body });
const addUser = (user_id: string, password: string, is_superuser = false) =>
  broker.inject('POST', `/authentication/${BUILT_IN}/users`, { body: { user_id, password, is_superuser } });
const ids = async () =>
  (await broker.inject<{ id: string }[]>('GET', '/authentication')).body.map(({ id }) => id);

/** The reason code of CONNACK. */
async function login(clientid: string, username?: string, password?: string, listener = 'tcp:default') {
  const { client } = dial(broker.core, clientid, {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    listener,
  });
  return (await client.connect()).reasonCode;
}

describe('a built-in database', () => {
  test('lets in who knows the password, and tells a wrong one from a user it does not know', async () => {
    expect(await login('before')).toBe(0);
    expect(await create(builtIn)).toMatchObject({ status: 200, body: { id: BUILT_IN, enable: true } });
    await addUser('ada', 'secret');
    expect(await login('a', 'ada', 'secret')).toBe(0);
    expect(await login('b', 'ada', 'Secret')).toBe(BAD_PASSWORD);
    expect(await login('c', 'bob', 'secret')).toBe(NOT_AUTHORIZED);
    expect(await login('d')).toBe(BAD_PASSWORD);
    const status = await broker.inject('GET', `/authentication/${BUILT_IN}/status`);
    const metrics = { total: 4, success: 1, failed: 2, nomatch: 1 };
    const { node } = broker.core;
    expect(status.body).toMatchObject({
      status: 'connected',
      metrics,
      resource_metrics: {},
      node_error: [],
      node_status: [{ node, status: 'connected' }],
      node_metrics: [{ node, metrics }],
      node_resource_metrics: [{ node, metrics: {} }],
    });
  });

  test('tells operators why a client was refused, and not the client', async () => {
    const told: (string | null)[] = [];
    broker.core.hooks.on('client.connack', (_who, _code, why) => void told.push(why));
    await create(builtIn);
    await addUser('ada', 'secret');
    const { client } = dial(broker.core, 'a', { username: 'ada', password: 'canary' });
    expect((await client.connect()).properties).toEqual({});
    await login('b', 'bob', 'canary');
    expect(told).toEqual([
      `${BUILT_IN}: the password is wrong`,
      `no authenticator knows this client; ${BUILT_IN}: there is no such user (by username)`,
    ]);
  });

  test('makes superusers, and by client id when it is told to', async () => {
    await create({ ...builtIn, user_id_type: 'clientid' });
    await addUser('boss', 'secret', true);
    await addUser('ada', 'secret');
    expect(await login('boss', 'anybody', 'secret')).toBe(0);
    expect(await login('ada', 'boss', 'secret')).toBe(0);
    expect(broker.core.registry.find('boss')?.who.isSuperuser).toBe(true);
    expect(broker.core.registry.find('ada')?.who.isSuperuser).toBe(false);
    expect(await login('nobody', 'boss', 'secret')).toBe(NOT_AUTHORIZED);
  });

  test('a changed password and a deleted user hold at the next login', async () => {
    await create(builtIn);
    await addUser('ada', 'secret');
    const one = `/authentication/${BUILT_IN}/users/ada`;
    expect(await broker.inject('PUT', one, { body: { password: 'new' } })).toMatchObject({ status: 200 });
    expect(await login('a', 'ada', 'secret')).toBe(BAD_PASSWORD);
    expect(await login('b', 'ada', 'new')).toBe(0);
    expect((await broker.inject('DELETE', one)).status).toBe(204);
    expect(await login('c', 'ada', 'new')).toBe(NOT_AUTHORIZED);
    expect((await broker.inject('DELETE', one)).status).toBe(404);
    expect((await broker.inject('GET', one)).status).toBe(404);
  });

  test('names that would mean something elsewhere are names here', async () => {
    await create(builtIn);
    for (const name of [
      '__proto__',
      'constructor',
      '+',
      '#',
      'a/b',
      '${clientid}',
      '.*',
      'ü 7',
      "' OR 1=1",
    ]) {
      expect((await addUser(name, 'secret')).status).toBe(201);
      expect(await login('x', name, 'secret')).toBe(0);
      expect(await login('y', `${name}x`, 'secret')).toBe(NOT_AUTHORIZED);
    }
    for (const name of ['', 'x'.repeat(1025), 'a\u0000b', 'a\nb'])
      expect((await addUser(name, 'secret')).status).toBe(400);
    expect(await login('z', 'x'.repeat(60_000), 'secret')).toBe(NOT_AUTHORIZED);
  });

  test('more cannot be given to a user than there is', async () => {
    await create(builtIn);
    for (const extra of [{ role: 'administrator' }, { superuser: true }, { hash: 'x', salt: '' }]) {
      const body = { user_id: 'ada', password: 'secret', ...extra };
      expect((await broker.inject('POST', `/authentication/${BUILT_IN}/users`, { body })).status).toBe(400);
    }
    expect(await login('a', 'ada', 'secret')).toBe(NOT_AUTHORIZED);
  });
});

describe('the chain', () => {
  test('is asked in its order, and the first that knows the client decides', async () => {
    await create(jwt);
    await create(builtIn);
    await addUser('ada', 'secret');
    expect(await login('a', 'ada', 'secret')).toBe(0);
    const nomatch = async (id: string) =>
      (await broker.inject<{ metrics: { nomatch: number } }>('GET', `/authentication/${id}/status`)).body
        .metrics.nomatch;
    expect([await nomatch('jwt'), await nomatch(BUILT_IN)]).toEqual([1, 0]);
  });

  test('whoever is disabled is not asked; without anybody to ask all come in', async () => {
    await create(builtIn);
    expect(await login('a')).toBe(BAD_PASSWORD);
    const one = `/authentication/${BUILT_IN}`;
    expect(await broker.inject('PUT', one, { body: { ...builtIn, enable: false } })).toMatchObject({
      status: 204,
    });
    expect(await login('b')).toBe(0);
    await broker.inject('PUT', one, { body: builtIn });
    expect(await login('c')).toBe(BAD_PASSWORD);
  });

  test('moves its links to the front, the rear, before and behind others', async () => {
    await create(builtIn);
    await create(jwt);
    await create(scram);
    const [SCRAM, JWT] = ['scram:built_in_database', 'jwt'];
    const move = async (id: string, position: string) =>
      (await broker.inject('PUT', `/authentication/${id}/position/${encodeURIComponent(position)}`)).status;
    expect(await move(SCRAM, 'front')).toBe(204);
    expect(await ids()).toEqual([SCRAM, BUILT_IN, JWT]);
    expect(await move(SCRAM, 'rear')).toBe(204);
    expect(await ids()).toEqual([BUILT_IN, JWT, SCRAM]);
    expect(await move(SCRAM, `before:${JWT}`)).toBe(204);
    expect(await ids()).toEqual([BUILT_IN, SCRAM, JWT]);
    expect(await move(BUILT_IN, `after:${JWT}`)).toBe(204);
    expect(await ids()).toEqual([SCRAM, JWT, BUILT_IN]);
    for (const wrong of ['middle', 'before:', 'after', 'top']) expect(await move(JWT, wrong)).toBe(400);
    for (const absent of ['before:jwt', 'after:password_based:redis'])
      expect(await move(JWT, absent)).toBe(404);
    expect(await move('password_based:redis', 'front')).toBe(404);
    expect(await ids()).toEqual([SCRAM, JWT, BUILT_IN]);
  });

  test('takes a whole order, if it names everybody once', async () => {
    await create(builtIn);
    await create(jwt);
    const order = async (...names: string[]) =>
      (await broker.inject('PUT', '/authentication/order', { body: names.map((id) => ({ id })) })).status;
    expect(await order('jwt', BUILT_IN)).toBe(204);
    expect(await ids()).toEqual(['jwt', BUILT_IN]);
    for (const wrong of [[], ['jwt'], ['jwt', 'jwt'], ['jwt', BUILT_IN, 'jwt'], ['jwt', 'nobody']])
      expect(await order(...wrong)).toBe(400);
    expect(await ids()).toEqual(['jwt', BUILT_IN]);
  });

  test('holds each kind once, and refuses what cannot work without keeping anything', async () => {
    await create(builtIn);
    expect(await create(builtIn)).toMatchObject({ status: 409, body: { code: 'ALREADY_EXISTS' } });
    const wrong: object[] = [
      {},
      { backend: 'built_in_database' },
      { mechanism: 'smell' },
      { mechanism: 'password_based' },
      { mechanism: 'password_based', backend: 'sqlite' },
      { ...builtIn, foo: 1 },
      { ...builtIn, password_hash_algorithm: { name: 'bcrypt', salt_rounds: 11 } },
      { ...jwt, from: 'cookie' },
      { ...jwt, secret: '' },
      { ...jwt, secret: 'not base64!', secret_base64_encoded: true },
      { ...jwt, verify_claims: { a: '${password}' } },
      { ...jwt, algorithm: 'public-key', public_key: 'nope' },
      { ...scram, algorithm: 'sha1' },
    ];
    for (const body of wrong) expect(await create(body), JSON.stringify(body)).toMatchObject({ status: 400 });
    expect(await ids()).toEqual([BUILT_IN]);
    const other = await broker.inject('PUT', `/authentication/${BUILT_IN}`, { body: jwt });
    expect(other).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await broker.inject('PUT', '/authentication/jwt', { body: jwt })).toMatchObject({ status: 404 });
  });

  test('says which fields a shape knows when it meets one it does not', async () => {
    const { body } = await create({ ...builtIn, foo: 1 });
    expect(JSON.parse((body as { message: string }).message)).toEqual({
      kind: 'validation_error',
      path: 'root',
      reason: 'unknown_fields',
      unknown: 'foo',
      unmatched: 'enable,bootstrap_file,...',
    });
  });

  test('parallel creation makes one of each', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create(builtIn)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect(await ids()).toEqual([BUILT_IN]);
  });

  test('a deleted authenticator takes its users with it', async () => {
    await create(builtIn);
    await addUser('ada', 'secret');
    expect((await broker.inject('DELETE', `/authentication/${BUILT_IN}`)).status).toBe(204);
    expect((await broker.inject('DELETE', `/authentication/${BUILT_IN}`)).status).toBe(404);
    expect(await login('a')).toBe(0);
    await create(builtIn);
    expect(await login('b', 'ada', 'secret')).toBe(NOT_AUTHORIZED);
    const { body } = await broker.inject('GET', `/authentication/${BUILT_IN}/users`);
    expect(body).toMatchObject({ data: [], meta: { count: 0 } });
  });
});

describe('secrets', () => {
  test('are never in an answer; the mask keeps what is stored, and is no secret itself', async () => {
    const made = await create(jwt);
    expect(made.body).toMatchObject({ secret: '******' });
    for (const path of ['', '/jwt', '/jwt/status'])
      expect(JSON.stringify((await broker.inject('GET', `/authentication${path}`)).body)).not.toContain(
        'canary',
      );
    const again = { ...jwt, secret: '******', acl_claim_name: 'rules' };
    expect((await broker.inject('PUT', '/authentication/jwt', { body: again })).status).toBe(204);
    expect(broker.settings.get('authentication').global).toMatchObject([
      { secret: 'canary-jwt-secret', acl_claim_name: 'rules' },
    ]);
    await broker.inject('DELETE', '/authentication/jwt');
    const copied = await create({ ...jwt, secret: '******' });
    expect(copied).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(await ids()).toEqual([]);
  });

  test('are in no log either, whatever goes wrong', async () => {
    const lines: string[] = [];
    const write = (facts: object, text: string) => void lines.push(JSON.stringify([facts, text]));
    const own = await startTestBroker({ log: { debug: write, info: write, warn: write, error: write } });
    try {
      await own.inject('POST', '/authentication', { body: builtIn });
      await own.inject('POST', '/authentication', { body: jwt });
      const user = { user_id: 'ada', password: 'canary-password' };
      await own.inject('POST', `/authentication/${BUILT_IN}/users`, { body: user });
      const jwks = {
        mechanism: 'jwt',
        use_jwks: true,
        endpoint: 'http://127.0.0.1:1/keys',
        headers: { authorization: 'Bearer canary-header' },
        ssl: { password: 'canary-passphrase' },
      };
      await own.inject('PUT', '/authentication/jwt', { body: jwks });
      for (const password of ['canary-shown', 'canary.of.token', 'canary-password']) {
        const { client } = dial(own.core, 'x', { username: 'ada', password });
        await client.connect();
      }
      const { body } = await own.inject('GET', '/authentication');
      expect(body).toMatchObject([{}, { headers: { authorization: '******' }, ssl: { password: '******' } }]);
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.join()).not.toContain('canary');
    } finally {
      await own.close();
    }
  });

  test('are in no refusal either', async () => {
    await create(jwt);
    const wrong = await create({ ...jwt, secret: ['canary-2'], foo: 1 });
    expect(wrong.status).toBe(400);
    expect(JSON.stringify(wrong.body)).not.toContain('canary');
    const twice = await create(jwt);
    expect(JSON.stringify(twice.body)).not.toContain('canary');
  });
});

describe('the chain of a listener', () => {
  const at = '/listeners/tcp:default/authentication';

  test('replaces the global one for its listener, with users of its own', async () => {
    const own = await startTestBroker({ tcp: 0 });
    try {
      const post = (path: string, body: object) => own.inject('POST', path, { body });
      const try_ = async (listener: string, username: string) => {
        const { client } = dial(own.core, 'x', { username, password: 'secret', listener });
        return (await client.connect()).reasonCode;
      };
      await post('/authentication', builtIn);
      await post(`/authentication/${BUILT_IN}/users`, { user_id: 'global', password: 'secret' });
      expect(await post(at, builtIn)).toMatchObject({ status: 200 });
      await post(`${at}/${BUILT_IN}/users`, { user_id: 'own', password: 'secret' });
      expect(await try_('tcp:default', 'own')).toBe(0);
      expect(await try_('tcp:default', 'global')).toBe(NOT_AUTHORIZED);
      expect(await try_('ws:default', 'own')).toBe(NOT_AUTHORIZED);
      expect(await try_('ws:default', 'global')).toBe(0);
      // disabled, it opens no door that the global one keeps shut
      await own.inject('PUT', `${at}/${BUILT_IN}`, { body: { ...builtIn, enable: false } });
      expect(await try_('tcp:default', 'own')).toBe(NOT_AUTHORIZED);
      expect(await try_('tcp:default', 'global')).toBe(0);
      expect(await own.inject('GET', `${at}/${BUILT_IN}/users`)).toMatchObject({
        body: { data: [{ user_id: 'own' }], meta: { count: 1 } },
      });
      await own.inject('DELETE', `${at}/${BUILT_IN}`);
      expect(own.settings.get('authentication').listeners).toEqual({});
    } finally {
      await own.close();
    }
  });

  test('is there for listeners that exist', async () => {
    const nowhere = '/listeners/tcp%3Anone/authentication';
    expect(await broker.inject('GET', nowhere)).toMatchObject({
      status: 404,
      body: { code: 'BAD_LISTENER_ID' },
    });
    expect((await create(builtIn, nowhere)).status).toBe(404);
  });
});

test('after a restart everything is as it was; secrets are in a file for the broker alone', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'authentication-'));
  const first = await startTestBroker({ dataDir });
  await first.inject('POST', '/authentication', { body: jwt });
  await first.inject('POST', '/authentication', { body: builtIn });
  await first.inject('PUT', `/authentication/${BUILT_IN}/position/front`);
  await first.inject('POST', `/authentication/${BUILT_IN}/users`, {
    body: { user_id: 'ada', password: 'canary-password' },
  });
  const before = await first.inject('GET', '/authentication');
  await first.close();
  const file = join(dataDir, 'settings.json');
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(readFileSync(file, 'utf8')).not.toContain('canary-password');

  const again = await startTestBroker({ dataDir });
  try {
    expect((await again.inject('GET', '/authentication')).body).toEqual(before.body);
    expect(again.settings.get('authentication').global).toMatchObject([{}, { secret: 'canary-jwt-secret' }]);
    for (const [password, code] of [
      ['canary-password', 0],
      ['other', BAD_PASSWORD],
    ] as const) {
      const { client } = dial(again.core, 'x', { username: 'ada', password });
      expect((await client.connect()).reasonCode).toBe(code);
    }
  } finally {
    await again.close();
    rmSync(dataDir, { recursive: true });
  }
});

test('explains what it would say, and counts nothing', async () => {
  await create(jwt);
  await create(builtIn);
  await addUser('ada', 'secret');
  const credentials = {
    clientid: 'a',
    username: 'ada',
    password: Buffer.from('wrong'),
    peerhost: '127.0.0.1',
    listener: 'tcp:default',
    mountpoint: null,
    certCommonName: null,
    certSubject: null,
    clientAttrs: {},
  };
  expect(await broker.authentication.explain(credentials)).toMatchObject([
    { id: 'jwt', verdict: { result: 'ignore' } },
    { id: BUILT_IN, verdict: { result: 'deny', reasonCode: BAD_PASSWORD } },
  ]);
  const { body } = await broker.inject('GET', `/authentication/${BUILT_IN}/status`);
  expect(body).toMatchObject({ metrics: { total: 0 } });
});
