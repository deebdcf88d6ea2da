import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AccessAnswer } from '@mqdeck/contract/access';
import { SignJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const BUILT_IN = 'password_based:built_in_database';
const builtIn = {
  mechanism: 'password_based',
  backend: 'built_in_database',
  user_id_type: 'username',
  password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
};
const jwt = { mechanism: 'jwt', use_jwks: false, algorithm: 'hmac-based', secret: 'canary-jwt-secret' };

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

async function ok(method: string, path: string, body?: object): Promise<void> {
  const { status, body: answer } = await broker.inject(method, path, { ...(body && { body }) });
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
}

async function asked(question: object): Promise<AccessAnswer> {
  const { status, body } = await broker.inject<AccessAnswer>('POST', '/access/test', { body: question });
  expect(status).toBe(200);
  return body;
}

const setFile = (rules: string) =>
  ok('PUT', '/authorization/sources/file', { type: 'file', enable: true, rules });
const ada = { clientid: 'a', username: 'ada', peerhost: '10.0.0.7' };
const addAda = async (is_superuser = false) => {
  await ok('POST', '/authentication', builtIn);
  await ok('POST', `/authentication/${BUILT_IN}/users`, { user_id: 'ada', password: 'secret', is_superuser });
};

describe('the connection', () => {
  test('is open to everybody as long as nobody authenticates', async () => {
    expect(await asked({ ...ada, password: 'any' })).toEqual({
      client: { ...ada, listener: 'tcp:default', connected: false },
      banned: null,
      authentication: { decision: 'allow', steps: [] },
      superuser: false,
      authorization: null,
      verdict: 'allowed',
      reason: 'may_connect',
    });
  });

  test('is refused by the entry of the blacklist that a real client meets', async () => {
    await ok('POST', '/banned', { as: 'peerhost_net', who: '10.0.0.0/24', reason: 'scanner' });
    expect(await asked({ ...ada, topic: 't' })).toMatchObject({
      banned: { as: 'peerhost_net', who: '10.0.0.0/24', reason: 'scanner', until: 'infinity' },
      authorization: null,
      verdict: 'refused',
      reason: 'banned',
    });
    expect(await asked({ ...ada, peerhost: '10.0.1.7' })).toMatchObject({ banned: null, verdict: 'allowed' });
  });

  test('names who refuses a password, who ignored it, and who let it in', async () => {
    await ok('POST', '/authentication', jwt);
    await addAda();
    const steps = (result: string) => [
      { id: 'jwt', result: 'ignore' },
      { id: BUILT_IN, result, why: expect.stringMatching(/./) },
    ];
    expect(await asked({ ...ada, password: 'secret' })).toMatchObject({
      authentication: { decision: 'allow', steps: steps('allow') },
      verdict: 'allowed',
      reason: 'may_connect',
    });
    expect(await asked({ ...ada, password: 'Secret', topic: 't' })).toMatchObject({
      authentication: { decision: 'deny', steps: steps('deny') },
      superuser: null,
      authorization: null,
      verdict: 'refused',
      reason: 'bad_credentials',
    });
    expect(await asked({ clientid: 'a', username: 'bob', password: 'x' })).toMatchObject({
      authentication: { decision: 'deny', steps: steps('ignore') },
      reason: 'nobody_knows',
    });
  });

  test('without a password is not tried, and what a login would tell is not known', async () => {
    await addAda(true);
    expect(await asked(ada)).toMatchObject({
      authentication: { decision: 'not_tried', steps: [] },
      superuser: null,
      verdict: 'allowed',
      reason: 'may_connect_untested',
    });
  });
});

describe('a request', () => {
  test('is decided by the rule that a real client meets, wherever it stands', async () => {
    await setFile('{allow, {username, "ada"}, publish, ["up/#"]}.\n\n{deny, all, publish, ["up/#"]}.');
    expect(await asked({ ...ada, topic: 'up/1' })).toMatchObject({
      authorization: {
        decision: 'allow',
        steps: [
          {
            source: 'file',
            result: 'allow',
            rule: { index: 1, line: 1, text: expect.stringContaining('"ada"') },
          },
        ],
      },
      verdict: 'allowed',
      reason: 'rule',
    });
    const bob = { clientid: 'b', username: 'bob' };
    expect(await asked({ ...bob, topic: 'up/1', qos: 1, retain: true })).toMatchObject({
      authorization: { decision: 'deny', steps: [{ rule: { index: 2, line: 3 } }] },
      verdict: 'refused',
      reason: 'rule',
    });
    const real = await broker.client('b', { username: 'bob' });
    expect(await real.publish('up/1', 'x', { qos: 1 })).toBe(0x87);
  });

  test('passes a source without a fitting rule; in the end the setting decides', async () => {
    await setFile('{allow, {username, "nobody"}, all, ["#"]}.');
    await ok('POST', '/authorization/sources', { type: 'built_in_database', enable: true });
    const nomatch = [
      { source: 'built_in_database', result: 'nomatch', rule: null },
      { source: 'file', result: 'nomatch', rule: null },
    ];
    expect(await asked({ ...ada, topic: 't' })).toMatchObject({
      authorization: {
        decision: 'allow',
        steps: [...nomatch, { source: 'no_match', result: 'allow' }],
        no_match: 'allow',
        deny_action: 'ignore',
      },
      reason: 'no_match',
    });
    const { body } = await broker.inject<object>('GET', '/authorization/settings');
    await ok('PUT', '/authorization/settings', { ...body, no_match: 'deny' });
    expect(await asked({ ...ada, action: 'subscribe', topic: '$share/g/t/+' })).toMatchObject({
      authorization: { decision: 'deny', steps: [...nomatch, { source: 'no_match', result: 'deny' }] },
      verdict: 'refused',
      reason: 'no_match',
    });
  });

  test('of a superuser passes every rule, once the password has shown that it is one', async () => {
    await addAda(true);
    await setFile('{deny, all}.');
    expect(await asked({ ...ada, password: 'secret', topic: 't' })).toMatchObject({
      superuser: true,
      authorization: { decision: 'allow', steps: [{ source: 'superuser', result: 'allow' }] },
      reason: 'superuser',
    });
    expect(await asked({ ...ada, topic: 't' })).toMatchObject({
      superuser: null,
      verdict: 'refused',
      reason: 'rule',
    });
  });

  test('below $SYS is refused to everybody, a superuser included', async () => {
    await addAda(true);
    const publish = { ...ada, password: 'secret', action: 'publish' };
    for (const topic of ['$SYS/x', '$delayed/5/$SYS/x'])
      expect(await asked({ ...publish, topic })).toMatchObject({
        verdict: 'refused',
        authorization: { decision: 'deny', steps: [{ source: 'system_topic', result: 'deny' }] },
        reason: 'system_topic',
      });
    expect(await asked({ ...publish, action: 'subscribe', topic: '$SYS/x' })).toMatchObject({
      reason: 'superuser',
    });
  });

  test('that no source could decide because one failed is refused', async () => {
    const gone = createServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const { port } = gone.address() as AddressInfo;
    await ok('DELETE', '/authorization/sources/file');
    await ok('POST', '/authorization/sources', {
      type: 'http',
      enable: true,
      method: 'get',
      url: `http://127.0.0.1:${port}/acl`,
      request_timeout: '5s',
    });
    await new Promise((resolve) => gone.close(resolve));
    expect(await asked({ ...ada, topic: 't' })).toMatchObject({
      authorization: {
        decision: 'deny',
        steps: [
          { source: 'http', result: 'ignore', rule: null },
          { source: 'undecided', result: 'deny' },
        ],
        no_match: 'allow',
      },
      verdict: 'refused',
      reason: 'undecided',
    });
  });
});

describe('a connected client', () => {
  test('is taken as it connected: its name, its address, and what its login gave it', async () => {
    await addAda(true);
    await broker.client('a', { username: 'ada', password: 'secret' });
    const { address } = broker.core.registry.find('a')!;
    expect(await asked({ clientid: 'a', connected: true, topic: 't', username: 'other' })).toMatchObject({
      client: { clientid: 'a', username: 'ada', peerhost: address, connected: true },
      authentication: { decision: 'not_tried' },
      superuser: true,
      reason: 'superuser',
    });
  });

  test('is held to the rules of its token', async () => {
    await ok('POST', '/authentication', jwt);
    const password = await new SignJWT({ acl: [{ permission: 'allow', action: 'publish', topic: 'own/#' }] })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(jwt.secret));
    await broker.client('a', { username: 'ada', password });
    await setFile('{deny, all}.');
    const connected = { clientid: 'a', connected: true };
    expect(await asked({ ...connected, topic: 'own/1' })).toMatchObject({
      authorization: {
        decision: 'allow',
        steps: [
          { source: 'acl', result: 'allow', rule: { index: 1, text: expect.stringContaining('own/#') } },
        ],
      },
      reason: 'rule',
    });
    expect(await asked({ ...connected, topic: 'other' })).toMatchObject({
      authorization: {
        steps: [
          { source: 'acl', result: 'nomatch' },
          { source: 'file', result: 'deny' },
        ],
      },
      verdict: 'refused',
    });
    const login = { clientid: 'b', username: 'ada', password, topic: 'own/1' };
    expect(await asked(login)).toMatchObject({
      superuser: false,
      authorization: { steps: [{ source: 'acl' }] },
    });
  });

  test('has to be connected', async () => {
    const question = { clientid: 'nobody', connected: true };
    expect(await broker.inject('POST', '/access/test', { body: question })).toMatchObject({
      status: 404,
      body: { code: 'CLIENTID_NOT_FOUND' },
    });
  });
});

test('leaves no trace: no figure moves, nobody is banned, no answer is kept', async () => {
  await addAda();
  await setFile('{deny, {username, "ada"}, publish, ["up/#"]}.');
  const figures = async () => {
    const paths = [`/authentication/${BUILT_IN}/status`, '/authorization/sources/file/status', '/metrics'];
    const answers = await Promise.all(paths.map((path) => broker.inject('GET', path)));
    return answers.map(({ body }) => body);
  };
  const client = await broker.client('a', { username: 'ada', password: 'secret' });
  const before = await figures();
  await asked({ ...ada, password: 'wrong', topic: 'up/1' });
  await asked({ ...ada, password: 'secret', topic: 'up/1' });
  await asked({ clientid: 'a', connected: true, topic: 'up/1' });
  expect(await figures()).toEqual(before);
  expect(await broker.inject('GET', '/banned')).toMatchObject({ body: { data: [] } });
  expect(await broker.inject('GET', '/clients/a/authorization/cache')).toMatchObject({ body: [] });
  await client.ping();
});

test('what cannot be asked says why', async () => {
  const code = async (question: object) =>
    (await broker.inject<{ code: string }>('POST', '/access/test', { body: question })).body.code;
  expect(await code({ ...ada, topic: 'a/+' })).toBe('BAD_TOPIC');
  expect(await code({ ...ada, action: 'subscribe', topic: 'a/#/b' })).toBe('BAD_TOPIC');
  expect(await code({ ...ada, topic: '' })).toBe('BAD_TOPIC');
  expect(await code({ ...ada, peerhost: 'localhost' })).toBe('BAD_REQUEST');
  expect(await code({ ...ada, listener: 'tcp' })).toBe('BAD_REQUEST');
  expect(await code({ ...ada, clientid: '' })).toBe('BAD_REQUEST');
});

test('a few at a time: the others are told to come again', async () => {
  await addAda();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      broker.inject<{ code?: string }>('POST', '/access/test', { body: { ...ada, password: 'secret' } }),
    ),
  );
  const statuses = new Set(answers.map(({ status }) => status));
  expect(statuses.has(200)).toBe(true);
  for (const { status, body } of answers)
    if (status !== 200) expect([status, body.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect(await asked(ada)).toMatchObject({ verdict: 'allowed' });
});
