import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startBroker } from '../../broker.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { Attempts } from './attempts.ts';
import { Lockout, USER_LOCK } from './lockout.ts';
import { createPasswords, hashQueue } from './passwords.ts';
import { Tokens } from './tokens.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function started(options: Parameters<typeof startTestBroker>[0] = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  open.push(broker);
  return broker;
}

interface Login {
  token: string;
}
const login = (broker: TestBroker, username: string, password: string, remoteAddress = '127.0.0.1') =>
  broker.inject<Login & { code: string }>('POST', '/login', {
    body: { username, password },
    authorization: null,
    remoteAddress,
  });

describe('signing in', () => {
  test('gives a token, the version and the edition', async () => {
    const broker = await started({ edition: 'enterprise', version: '1.2.3' });
    const { status, body } = await login(broker, 'admin', 'public');
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: '1.2.3', license: { edition: 'ee' } });
    expect((await broker.inject('GET', '/nodes', { token: body.token })).status).toBe(200);
  });

  test('a wrong password and an unknown user get the same answer', async () => {
    const broker = await started();
    const wrong = await login(broker, 'admin', 'nope');
    const unknown = await login(broker, 'nobody', 'nope');
    expect(wrong).toMatchObject({ status: 401, body: { code: 'BAD_USERNAME_OR_PWD' } });
    expect(unknown.status).toBe(wrong.status);
    expect(unknown.body).toEqual(wrong.body);
  });

  test('an empty password is a wrong one, and no password is none', async () => {
    const broker = await started();
    expect(await login(broker, 'admin', '')).toMatchObject({ status: 401 });
    const body = { username: 'admin', password: null };
    expect((await broker.inject('POST', '/login', { body, authorization: null })).status).toBe(400);
  });

  test('a form of another site cannot sign anybody in or out, nor make a key', async () => {
    const broker = await started();
    for (const path of ['/login', '/logout', '/users', '/api_key'])
      for (const type of [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ])
        expect(
          (await broker.inject('POST', path, { rawBody: '{}', headers: { 'content-type': type } })).status,
          path,
        ).toBe(415);
  });

  test('a password of a mebibyte is refused before it is hashed', async () => {
    const broker = await started();
    expect(await login(broker, 'admin', 'x'.repeat(1024 * 1024))).toMatchObject({ status: 400 });
    expect(await login(broker, 'x'.repeat(1024 * 1024), 'public')).toMatchObject({ status: 400 });
  });

  test('numbers are taken as text', async () => {
    const broker = await started();
    const body = { username: 'admin', password: 1 };
    expect(await broker.inject('POST', '/login', { body, authorization: null })).toMatchObject({
      status: 401,
    });
  });
});

describe('the lock after failures', () => {
  test('five wrong passwords lock that user, also for the right one, and nobody else', async () => {
    const broker = await started();
    for (let i = 0; i < 5; i++)
      expect((await login(broker, 'admin', 'nope')).body.code).toBe('BAD_USERNAME_OR_PWD');
    expect(await login(broker, 'admin', 'public')).toMatchObject({
      status: 401,
      body: { code: 'LOGIN_LOCKED' },
    });
    expect((await login(broker, 'other', 'nope')).body.code).toBe('BAD_USERNAME_OR_PWD');
  });

  test('says for how long still, in its text and to programs', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_900_000_000_000 });
    try {
      const broker = await started();
      for (let i = 0; i < 5; i++) await login(broker, 'admin', 'nope');
      vi.setSystemTime(1_900_000_100_001);
      const { headers, body } = await login(broker, 'admin', 'public');
      expect(headers['retry-after']).toBe('500');
      expect(body).toEqual({
        code: 'LOGIN_LOCKED',
        message: 'Too many failed logins: this user is locked for another 500 s',
      });
      vi.setSystemTime(1_900_000_600_000);
      expect((await login(broker, 'admin', 'public')).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
  });

  test('a name that nobody has is locked the same way', async () => {
    const broker = await started();
    for (let i = 0; i < 5; i++) await login(broker, 'nobody', 'nope');
    expect((await login(broker, 'nobody', 'nope')).body.code).toBe('LOGIN_LOCKED');
  });

  test('guesses that run at the same time cannot slip past the lock', async () => {
    const broker = await started();
    const guesses = Array.from({ length: 20 }, () => login(broker, 'admin', 'nope'));
    await Promise.all([...guesses, login(broker, 'other', 'x')]);
    expect((await login(broker, 'admin', 'public')).body.code).toBe('LOGIN_LOCKED');
  });

  test('of many guesses at once five are weighed, wherever the right one stands', async () => {
    const broker = await started();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => login(broker, 'admin', i === 10 ? 'public' : 'nope')),
    );
    const codes = answers.map(({ body }) => body.code ?? 'in');
    expect(codes.filter((code) => code === 'BAD_USERNAME_OR_PWD')).toHaveLength(5);
    expect(codes.filter((code) => code === 'LOGIN_LOCKED')).toHaveLength(25);
  });

  test('an address that fails too often is locked for every name, other addresses are not', async () => {
    const broker = await started();
    for (let i = 0; i < 50; i++) await login(broker, `user${i}`, 'nope', '10.0.0.1');
    expect((await login(broker, 'admin', 'public', '10.0.0.1')).body.code).toBe('LOGIN_LOCKED');
    expect((await login(broker, 'admin', 'public', '10.0.0.2')).status).toBe(200);
  });

  test('of many guesses at once from one address, each at another name, fifty are weighed', async () => {
    const broker = await started();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => login(broker, `user${i}`, 'nope', '10.0.0.1')),
    );
    const codes = answers.map(({ body }) => body.code);
    expect(codes.filter((code) => code === 'BAD_USERNAME_OR_PWD')).toHaveLength(50);
    expect(codes.filter((code) => code === 'LOGIN_LOCKED')).toHaveLength(50);
    expect((await login(broker, 'admin', 'public', '10.0.0.1')).body.code).toBe('LOGIN_LOCKED');
    expect((await login(broker, 'admin', 'public', '10.0.0.2')).status).toBe(200);
  });

  test('it ends after its time; failures far apart and successes do not add up', () => {
    let now = 0;
    const lockout = new Lockout(USER_LOCK, () => now);
    const fail = (name: string) => lockout.begin(name)?.failed();
    for (let i = 0; i < 5; i++) fail('a');
    now = 599_999;
    expect(lockout.locked('a')).toBe(true);
    now = 600_000;
    expect(lockout.locked('a')).toBe(false);
    for (let i = 0; i < 20; i++) {
      fail('b');
      now += 76_000; // never five within 300 s
    }
    expect(lockout.locked('b')).toBe(false);
    for (let i = 0; i < 4; i++) fail('c');
    lockout.begin('c')?.succeeded();
    for (let i = 0; i < 4; i++) fail('c');
    expect(lockout.locked('c')).toBe(false);
  });

  test('attempts under way count; a late outcome neither ends nor shortens a lock', () => {
    let now = 0;
    const lockout = new Lockout(USER_LOCK, () => now);
    const attempts = Array.from({ length: 6 }, () => lockout.begin('a'));
    expect(attempts.map((attempt) => attempt === null)).toEqual([...Array(5).fill(false), true]);
    expect(lockout.secondsLeft('a')).toBe(1);
    attempts[0]!.withdrawn();
    expect(lockout.locked('a')).toBe(false);
    const last = lockout.begin('a')!;
    for (const attempt of attempts.slice(1, 5)) attempt!.failed();
    last.failed();
    expect(lockout.secondsLeft('a')).toBe(600);

    for (let i = 0; i < 4; i++) lockout.begin('b')!.failed();
    const slow = lockout.begin('b')!;
    now = 299_000;
    slow.failed();
    expect(lockout.secondsLeft('b')).toBe(600);
    expect(lockout.begin('b')).toBeNull();
  });
});

describe('tokens', () => {
  const hour = 3_600_000;

  test('every use prolongs the life; after a silence the token has timed out, and still has later', async () => {
    let now = 1_000_000;
    const tokens = new Tokens(
      memoryStore(),
      () => hour,
      () => now,
    );
    const token = await tokens.issue('admin');
    for (let i = 0; i < 5; i++) {
      now += 0.9 * hour;
      expect(await tokens.use(token)).toMatchObject({ username: 'admin' });
    }
    now += hour;
    expect(await tokens.use(token)).toBe('expired');
    now += 60_000;
    expect(await tokens.use(token)).toBe('expired');
    now += 25 * hour;
    await tokens.issue('admin');
    expect(await tokens.use(token)).toBe('unknown');
  });

  test('a changed life counts from the next use on', async () => {
    let now = 0;
    let life = hour;
    const tokens = new Tokens(
      memoryStore(),
      () => life,
      () => now,
    );
    const token = await tokens.issue('admin');
    life = 3000;
    expect(await tokens.use(token)).toMatchObject({ username: 'admin' });
    now = 3000;
    expect(await tokens.use(token)).toBe('expired');
  });

  test('forged tokens are unknown: other key, other algorithm, no signature', async () => {
    const tokens = new Tokens(memoryStore(), () => hour);
    const token = await tokens.issue('admin');
    const [header, payload] = token.split('.');
    const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
    const elsewhere = await new Tokens(memoryStore(), () => hour).issue('admin');
    for (const forged of [`${header}.${payload}.AAAA`, `${none}.${payload}.`, elsewhere, 'abc', 'a.b.c', ''])
      expect(await tokens.use(forged), forged).toBe('unknown');
  });

  test('a user who signs in a thousand times too often loses the tokens unused for longest', async () => {
    let now = 0;
    const tokens = new Tokens(
      memoryStore(),
      () => hour,
      () => now++,
    );
    const first = await tokens.issue('admin');
    for (let i = 0; i < 999; i++) await tokens.issue('admin');
    expect(await tokens.use(first)).toMatchObject({ username: 'admin' });
    const second = await tokens.issue('admin');
    for (let i = 0; i < 1000; i++) await tokens.issue('admin');
    expect(await tokens.use(first)).toBe('unknown');
    expect(await tokens.use(second)).toBe('unknown');
  });

  test('they outlive a restart of the broker', async () => {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'mqdeck-login-'));
    const options = {
      dataDir,
      host: '127.0.0.1',
      tcp: 'off',
      ws: 'off',
      version: '0',
      passwordCost: 2,
    } as const;
    try {
      const first = await startBroker(options);
      const token = await first.tokens.issue('admin');
      await first.close();
      const second = await startBroker(options);
      expect(await second.tokens.use(token)).toMatchObject({ username: 'admin' });
      await second.close();
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});

describe('the Authorization header', () => {
  test('a missing one, a bad token and an unreadable header have their own answers', async () => {
    const broker = await started();
    const cases: [string | null, number, string][] = [
      [null, 401, 'AUTHORIZATION_HEADER_ERROR'],
      ['Bearer abc', 401, 'BAD_TOKEN'],
      ['Bearer ', 400, 'BAD_REQUEST'],
      ['Digest abc', 400, 'BAD_REQUEST'],
      ['Basic !!!', 400, 'BAD_REQUEST'],
      [`Basic ${Buffer.from('admin:public').toString('base64')}`, 401, 'BAD_API_KEY_OR_SECRET'],
    ];
    for (const [authorization, status, code] of cases)
      expect(await broker.inject('GET', '/nodes', { authorization }), String(authorization)).toMatchObject({
        status,
        body: { code },
      });
  });

  test('the scheme may be written in lower case', async () => {
    const broker = await started();
    const authorization = `bearer ${broker.token}`;
    expect((await broker.inject('GET', '/nodes', { authorization })).status).toBe(200);
  });
});

describe('signing out', () => {
  test('kills the token at once, and only under its own name', async () => {
    const broker = await started();
    const { token } = (await login(broker, 'admin', 'public')).body;
    expect(await broker.inject('POST', '/logout', { token, body: { username: 'other' } })).toMatchObject({
      status: 401,
      body: { code: 'WRONG_TOKEN_OR_USERNAME' },
    });
    expect((await broker.inject('POST', '/logout', { token, body: { username: 'admin' } })).status).toBe(204);
    expect((await broker.inject<Login & { code: string }>('GET', '/nodes', { token })).body.code).toBe(
      'BAD_TOKEN',
    );
    expect((await broker.inject('GET', '/nodes')).status).toBe(200);
  });
});

test('a password hash is salted, carries its cost, and matches nothing but its password', async () => {
  const passwords = createPasswords(hashQueue(), 4);
  const [one, two] = await Promise.all([passwords.hash('secret'), passwords.hash('secret')]);
  expect(one).not.toBe(two);
  expect(one).toMatch(/^scrypt\$4\$8\$1\$/);
  expect(await passwords.matches('secret', one)).toBe(true);
  expect(await passwords.matches('Secret', one)).toBe(false);
  expect(await passwords.matches('secret', undefined)).toBe(false);
  expect(await createPasswords(hashQueue(), 8).matches('secret', one)).toBe(true); // a raised cost keeps old passwords valid
});

test('of a flood of logins from one address a hundred wait; the others are told to come later', async () => {
  const queue = hashQueue();
  const attempts = new Attempts(queue);
  const passwords = createPasswords(queue, 4);
  const check = (name: string, address: string) =>
    attempts.check(name, address, () => passwords.matches('x', undefined));
  const results = await Promise.allSettled(Array.from({ length: 300 }, (_, i) => check(`u${i}`, '10.0.0.1')));
  const refused = results.filter((result) => result.status === 'rejected');
  expect(refused).toHaveLength(300 - 102); // two at work, a hundred waiting
  for (const { reason } of refused)
    expect(reason).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      statusCode: 503,
      headers: { 'retry-after': '10' },
    });
  expect(await check('u', '10.0.0.2')).toBe(false);
});

test('logins from 150 addresses at once do not delay one from another address', async () => {
  const broker = await started();
  const answered: string[] = [];
  const flood = Array.from({ length: 900 }, async (_, i) => {
    await login(broker, `user${i}`, 'nope', `10.0.1.${i % 150}`);
    answered.push('flood');
  });
  await Promise.all(flood.slice(0, 300)); // each address was served once
  const before = answered.length;
  expect((await login(broker, 'admin', 'public', '10.0.0.2')).status).toBe(200);
  expect(answered.length - before).toBeLessThan(10);
  await Promise.all(flood);
});

test('an address that signed in before is served at once while 150 others flood', async () => {
  const broker = await started();
  expect((await login(broker, 'admin', 'public', '10.0.0.2')).status).toBe(200);
  const answered: string[] = [];
  const flood = Array.from({ length: 150 }, async (_, i) => {
    await login(broker, `user${i}`, 'nope', `10.0.1.${i}`);
    answered.push('flood');
  });
  expect((await login(broker, 'admin', 'public', '10.0.0.2')).status).toBe(200);
  expect(answered.length).toBeLessThan(50);
  await Promise.all(flood);
});

test('an IPv6 peer has one address, whatever it puts into the last 64 bits', async () => {
  const broker = await started();
  for (let i = 0; i < 50; i++) await login(broker, `user${i}`, 'nope', `2001:db8::${i.toString(16)}`);
  expect((await login(broker, 'admin', 'public', '2001:db8::ffff')).body.code).toBe('LOGIN_LOCKED');
  expect((await login(broker, 'admin', 'public', '2001:db8:0:1::1')).status).toBe(200);
});

describe('how long a token lives', () => {
  const settings = { token_expired_time: '3s' };

  test('is changed by an operator, at once', async () => {
    const broker = await started();
    expect((await broker.inject('GET', '/configs/dashboard')).body).toEqual({ token_expired_time: '60m' });
    expect(await broker.inject('PUT', '/configs/dashboard', { body: settings })).toMatchObject({
      status: 200,
      body: settings,
    });
    expect((await broker.inject('GET', '/configs/dashboard')).body).toEqual(settings);
    const { body } = await login(broker, 'admin', 'public');
    const { exp } = JSON.parse(Buffer.from(body.token.split('.')[1]!, 'base64url').toString());
    expect(exp - Date.now()).toBeGreaterThan(1000);
    expect(exp - Date.now()).toBeLessThanOrEqual(3000);
  });

  test.each(['0s', '999ms', '4000d', '9'.repeat(400), 'soon', '', -1, null, 1e300])(
    'is never %j',
    async (token_expired_time) => {
      const broker = await started();
      const body = { token_expired_time };
      expect((await broker.inject('PUT', '/configs/dashboard', { body })).status).toBe(400);
      expect((await broker.inject('GET', '/configs/dashboard')).body).toEqual({ token_expired_time: '60m' });
    },
  );
});
