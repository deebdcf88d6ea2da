import { generate } from 'selfsigned';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type HttpEngine, startHttpServer } from '../../../testing/engines/http-server.ts';
import { LogBook } from '../../../testing/log-book.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { type ClientOptions, dial } from '../../../testing/test-client.ts';

const WELCOME = 0;
const NOT_AUTHORIZED = 0x87;
const ID = 'password_based:http';

const book = new LogBook();
let broker: TestBroker;
let server: HttpEngine;
let nextClient = 1;

beforeAll(async () => {
  [broker, server] = await Promise.all([startTestBroker({ log: book }), startHttpServer()]);
});
afterAll(async () => {
  await broker.close();
  await server.close();
});
beforeEach(() => {
  server.got.length = 0;
});
afterEach(() => broker.inject('DELETE', `/authentication/${ID}`));

const BODY = { username: '${username}', password: '${password}', cn: '${cert_common_name}' };
const create = (config: object) =>
  broker.inject('POST', '/authentication', {
    body: {
      mechanism: 'password_based',
      backend: 'http',
      method: 'post',
      url: `${server.url}/auth`,
      body: BODY,
      pool_size: 2,
      ...config,
    },
  });
const configured = async (config: object = {}) => expect(await create(config)).toMatchObject({ status: 200 });
const login = async (username: string, password = 'secret', more: ClientOptions = {}) => {
  const { client } = dial(broker.core, `c${nextClient++}`, { username, password, ...more });
  const { reasonCode } = await client.connect();
  return { reasonCode, client, known: broker.core.registry.find(client.clientid)?.who };
};
const code = async (username: string) => (await login(username)).reasonCode;
const status = async () =>
  (
    await broker.inject<{ status: string; node_error: { error: string }[] }>(
      'GET',
      `/authentication/${ID}/status`,
    )
  ).body;
const why = async () => {
  const credentials = {
    clientid: 'why',
    username: 'ada',
    password: Buffer.from('secret'),
    peerhost: '127.0.0.1',
    listener: 'tcp:default',
    mountpoint: null,
    certCommonName: null,
    certSubject: null,
    clientAttrs: {},
  };
  return (await broker.authentication.explain(credentials))[0]?.verdict.why;
};

describe('answers', () => {
  test('an allow lets in, with what it says of the client', async () => {
    await configured();
    const client_attrs = { site: 'north', number: 1 };
    server.answer({ body: { result: 'allow', is_superuser: true, client_attrs } });
    const { reasonCode, known } = await login('ada');
    expect(reasonCode).toBe(WELCOME);
    expect(known).toMatchObject({ isSuperuser: true, attributes: { site: 'north' }, authExpiresAt: null });
    expect(known?.attributes).not.toHaveProperty('number');
  });

  test('a form says it as well, and 204 says allow alone', async () => {
    await configured();
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    server.answer({ headers, body: 'result=allow&is_superuser=true' });
    expect((await login('ada')).known?.isSuperuser).toBe(true);
    server.answer({ status: 204 });
    const { reasonCode, known } = await login('ada');
    expect([reasonCode, known?.isSuperuser]).toEqual([WELCOME, false]);
  });

  test.each([
    ['deny', { body: { result: 'deny' } }],
    ['ignore', { body: { result: 'ignore' } }],
    ['no result', { body: {} }],
    ['another result', { body: { result: 'ALLOW' } }],
    ['a list', { body: [{ result: 'allow' }] }],
    ['a text', { headers: { 'content-type': 'text/plain' }, body: 'allow' }],
    ['JSON that is none', { headers: { 'content-type': 'application/json' }, body: '{"result":"allow"' }],
    ['201', { status: 201, body: { result: 'allow' } }],
    ['403', { status: 403, body: { result: 'allow' } }],
    ['500', { status: 500, body: { result: 'allow' } }],
    ['a redirect to itself', { status: 302, headers: { location: '/auth2' } }],
    ['two megabytes', { body: { result: 'allow', more: 'x'.repeat(2 * 1024 * 1024) } }],
    ['an expiry that is over', { body: { result: 'allow', expire_at: 1000 } }],
    ['an expiry that is none', { body: { result: 'allow', expire_at: 'soon' } }],
    ['rules that are none', { body: { result: 'allow', acl: [{ permission: 'allow' }] } }],
  ])('%s lets nobody in', async (_, said) => {
    await configured();
    server.answer(said);
    expect(await code('ada')).toBe(NOT_AUTHORIZED);
    expect(server.got).toHaveLength(1); // also no redirect was followed
  });

  test('rules that come with it decide first, and the connection ends at the moment it names', async () => {
    await configured();
    const expire_at = Math.floor(Date.now() / 1000) + 1000;
    const acl = [
      { permission: 'allow', action: 'publish', topic: 'mine/#' },
      { permission: 'deny', action: 'all', topic: '#' },
    ];
    server.answer({ body: { result: 'allow', expire_at, acl } });
    const { client, known } = await login('ada');
    expect(known?.authExpiresAt).toBe(expire_at * 1000);
    expect(await client.publish('mine/1', 'x', { qos: 1 })).not.toBe(NOT_AUTHORIZED);
    expect(await client.publish('other', 'x', { qos: 1 })).toBe(NOT_AUTHORIZED);
  });
});

describe('questions', () => {
  const HOSTILE = [
    "' OR 1=1",
    '"},"x":{"',
    'a&result=allow',
    'a\r\nX-Evil: 1',
    '${password}',
    '%2e%2e',
    'ü /?#',
  ];

  test.each(HOSTILE)('a name stays a name, in JSON, form, query and path: %j', async (name) => {
    server.answer({ status: 204 });
    await configured({ url: `${server.url}/auth/\${username}?u=\${username}` });
    await login(name);
    expect(JSON.parse(server.got[0]!.body)).toEqual({ username: name, password: 'secret', cn: '' });
    const url = new URL(server.got[0]!.url, server.url);
    expect(url.pathname.split('/').map(decodeURIComponent)).toEqual(['', 'auth', name]);
    expect([...url.searchParams]).toEqual([['u', name]]);

    await broker.inject('DELETE', `/authentication/${ID}`);
    await configured({ headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    await login(name);
    expect(Object.fromEntries(new URLSearchParams(server.got[1]!.body))).toMatchObject({ username: name });

    await broker.inject('DELETE', `/authentication/${ID}`);
    await configured({
      method: 'get',
      url: `${server.url}/auth?c=1`,
      headers: { accept: 'application/json' },
    });
    await login(name);
    const { method, url: asked, body, headers } = server.got[2]!;
    expect([method, body, headers['content-type']]).toEqual(['GET', '', undefined]);
    const query = new URL(asked, server.url).searchParams;
    expect([...query.keys()]).toEqual(['c', 'username', 'password', 'cn']);
    expect(query.get('username')).toBe(name);
    expect(server.got.every((one) => !('x-evil' in one.headers))).toBe(true);
  });

  test('a name that would end a header’s line is not sent', async () => {
    server.answer({ status: 204 });
    await configured({ headers: { 'x-user': '${username}', 'content-type': 'application/json' } });
    expect(await code('a\r\nX-Evil: 1')).toBe(NOT_AUTHORIZED);
    expect(server.got).toEqual([]);
    expect(await code('ada')).toBe(WELCOME);
    expect(server.got[0]!.headers['x-user']).toBe('ada');
  });

  test('placeholders that nobody knows are refused when they are written', async () => {
    for (const config of [
      { body: { a: '${nobody}' } },
      { url: `${server.url}/\${__proto__}` },
      { headers: { 'content-type': 'application/json', x: '${topic}' } },
    ])
      expect(await create(config)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect((await broker.inject('GET', '/authentication')).body).toEqual([]);
  });
});

describe('the connection', () => {
  test('a server that does not answer in time refuses, and is left alone', async () => {
    await configured({ request_timeout: '200ms' });
    server.answer({ silent: true });
    expect(await code('ada')).toBe(NOT_AUTHORIZED);
    expect(await why()).toBe('no answer within 200 ms');
  });

  test('while the server is gone nobody gets in; it comes back by itself', async () => {
    await configured();
    server.answer({ status: 204 });
    expect(await code('ada')).toBe(WELCOME);
    const since = book.lines.length;
    await server.kill();
    expect(await code('ada')).toBe(NOT_AUTHORIZED);
    const reason = `nobody listens on ${server.address}`;
    await book.line('a backend is away', since, reason);
    expect(await status()).toMatchObject({ status: 'disconnected', node_error: [{ error: reason }] });
    await server.start();
    await book.line('a backend is back', since);
    expect(await code('ada')).toBe(WELCOME);
    expect(await status()).toMatchObject({ status: 'connected', node_error: [] });
  });

  test('a connection that the server ended while it was idle is no failure', async () => {
    await configured();
    server.answer({ status: 204, headers: { connection: 'close' } });
    for (let i = 0; i < 5; i++) expect(await code('ada')).toBe(WELCOME);
  });

  test('whoever is removed leaves no connection behind', async () => {
    await configured();
    server.answer({ status: 204 });
    await Promise.all(Array.from({ length: 5 }, () => code('ada')));
    expect(server.connections).toBeGreaterThan(0);
    await broker.inject('DELETE', `/authentication/${ID}`);
    await expect.poll(() => server.connections).toBe(0);
  });

  test('no password is in the log', () => {
    expect(book.lines.length).toBeGreaterThan(0);
    expect(book.all).not.toContain('secret');
  });
});

describe('over TLS', () => {
  let certificate: { cert: string; key: string };
  let secure: HttpEngine;
  beforeAll(async () => {
    const made = await generate([{ name: 'commonName', value: 'auth.example' }], {
      keySize: 2048,
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'auth.example' }] },
      ],
    });
    certificate = { cert: made.cert, key: made.private };
    secure = await startHttpServer(certificate);
    secure.answer({ status: 204 });
  });
  afterAll(() => secure.close());

  const over = (ssl: object) => configured({ url: `${secure.url}/auth`, ssl: { enable: true, ...ssl } });

  test('a certificate that a CA of ours has signed, for the right name, is trusted', async () => {
    await over({
      verify: 'verify_peer',
      cacertfile: certificate.cert,
      server_name_indication: 'auth.example',
    });
    expect(await code('ada')).toBe(WELCOME);
  });

  test('another name, an unknown CA: nobody gets in, and the reason is told', async () => {
    const since = book.lines.length;
    await over({ verify: 'verify_peer', cacertfile: certificate.cert });
    await book.line('a backend is away', since, 'bears another name');
    expect(await code('ada')).toBe(NOT_AUTHORIZED);
    await broker.inject('DELETE', `/authentication/${ID}`);
    await over({ verify: 'verify_peer', server_name_indication: 'auth.example' });
    await book.line('a backend is away', since, 'not signed by a CA that is trusted here');
    expect(await code('ada')).toBe(NOT_AUTHORIZED);
  });

  test('any certificate will do when nobody verifies', async () => {
    await over({ verify: 'verify_none' });
    expect(await code('ada')).toBe(WELCOME);
  });

  test('a certificate that cannot be read is refused when it is written', async () => {
    const ssl = { enable: true, verify: 'verify_peer', cacertfile: '/nowhere/ca.pem' };
    const answer = await create({ url: `${secure.url}/auth`, ssl });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(JSON.stringify(answer.body)).toContain('ssl.cacertfile');
  });
});
