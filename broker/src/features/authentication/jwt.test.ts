import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SignJWT } from 'jose';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startHttpServer } from '../../testing/engines/http-server.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial } from '../../testing/test-client.ts';
import { rulesOfClaim } from './acl-claim.ts';

const BAD_PASSWORD = 0x86;
const NOT_AUTHORIZED = 0x87;
const SECRET = 'canary-secret-of-tokens-1234567890';

const hmac = { mechanism: 'jwt', use_jwks: false, algorithm: 'hmac-based', secret: SECRET };
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const pem = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString();

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const create = (body: object) => broker.inject('POST', '/authentication', { body });
const now = () => Math.floor(Date.now() / 1000);
const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Signed by hand: a library would refuse to make some of these. */
function token(claims: object, { secret = SECRET as string | Buffer, header = {} } = {}): string {
  const text = `${encoded({ alg: 'HS256', typ: 'JWT', ...header })}.${encoded(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

const signed = (claims: Record<string, unknown>, key: KeyObject, alg: string, kid?: string) =>
  new SignJWT(claims).setProtectedHeader({ alg, ...(kid !== undefined && { kid }) }).sign(key);

async function login(password: string, { username = 'ada' as string | null, clientid = 'device' } = {}) {
  const { client } = dial(broker.core, clientid, { ...(username !== null && { username }), password });
  return { client, code: (await client.connect()).reasonCode };
}
const code = async (...given: Parameters<typeof login>) => (await login(...given)).code;
const who = (clientid = 'device') => broker.core.registry.find(clientid)?.who;

describe('tokens signed with a secret', () => {
  test('let in, and nobody else: one signed with another secret is not ours to judge', async () => {
    await create(hmac);
    expect(await code(token({}))).toBe(0);
    expect(await code(token({}, { secret: 'other' }))).toBe(NOT_AUTHORIZED);
    expect(await code('secret')).toBe(NOT_AUTHORIZED);
    expect(await code('')).toBe(NOT_AUTHORIZED);
    const { body } = await broker.inject('GET', '/authentication/jwt/status');
    expect(body).toMatchObject({ metrics: { total: 4, success: 1, failed: 0, nomatch: 3 } });
  });

  test('may have a secret in base64', async () => {
    const bytes = Buffer.from([0, 255, 1, 254, 2, 253]);
    await create({ ...hmac, secret: bytes.toString('base64'), secret_base64_encoded: true });
    expect(await code(token({}, { secret: bytes }))).toBe(0);
    expect(await code(token({}, { secret: bytes.toString('base64') }))).toBe(NOT_AUTHORIZED);
  });

  test('may come as the user name', async () => {
    await create({ ...hmac, from: 'username' });
    const { client } = dial(broker.core, 'x', { username: token({}) });
    expect((await client.connect()).reasonCode).toBe(0);
    expect(await code(token({}))).toBe(NOT_AUTHORIZED);
  });

  test('hold in their time only', async () => {
    await create(hmac);
    const cases: [object, number][] = [
      [{ exp: now() + 60 }, 0],
      [{ exp: now() - 1 }, BAD_PASSWORD],
      [{ exp: String(now() + 60) }, BAD_PASSWORD],
      [{ exp: null }, BAD_PASSWORD],
      [{ exp: 1e300 }, 0],
      [{ nbf: now() - 1 }, 0],
      [{ nbf: now() + 60 }, BAD_PASSWORD],
      [{ iat: now() - 1 }, 0],
      [{ iat: now() + 60 }, BAD_PASSWORD],
    ];
    for (const [claims, wanted] of cases)
      expect(await code(token(claims)), JSON.stringify(claims)).toBe(wanted);
  });

  test('must hold the claims that are asked for, as a map or as the older list', async () => {
    const wanted = { sub: '${username}', device: 'no-${clientid}', kind: 'sensor' };
    for (const verify_claims of [wanted, Object.entries(wanted).map(([name, value]) => ({ name, value }))]) {
      await create({ ...hmac, verify_claims });
      const right = { sub: 'ada', device: 'no-7', kind: 'sensor' };
      const as = { clientid: '7' };
      expect(await code(token(right), as)).toBe(0);
      for (const wrong of [
        { ...right, sub: 'bob' },
        { ...right, device: 'no-8' },
        { ...right, kind: undefined },
        { ...right, kind: ['sensor'] },
        {},
      ])
        expect(await code(token(wrong), as), JSON.stringify(wrong)).toBe(BAD_PASSWORD);
      expect(await code(token(right), { ...as, username: null })).toBe(BAD_PASSWORD);
      await broker.inject('DELETE', '/authentication/jwt');
    }
  });

  test('ids that look like placeholders or patterns stand for themselves', async () => {
    await create({ ...hmac, verify_claims: { sub: '${username}' } });
    for (const username of ['${clientid}', '$&', '.*', '__proto__', '${username}']) {
      expect(await code(token({ sub: username }), { username })).toBe(0);
      expect(await code(token({ sub: 'device' }), { username })).toBe(BAD_PASSWORD);
    }
  });
});

describe('forgeries', () => {
  test('without an algorithm or a signature are none of ours', async () => {
    await create(hmac);
    const none = `${encoded({ alg: 'none' })}.${encoded({ is_superuser: true })}.`;
    const good = token({});
    const forged = [
      none,
      `${none}AAAA`,
      token({}, { header: { alg: 'none' } }),
      token({}, { header: { alg: 'HS512' } }),
      token({}, { header: { alg: 'RS256' } }),
      token({}, { header: { alg: 7 } }),
      token({}, { header: { crit: ['x'], x: 1 } }),
      good.slice(0, -2),
      good.replace(/\.[^.]*\./, `.${encoded({ is_superuser: true })}.`),
      'a.b.c',
      '..',
      `${good}.${good}`,
    ];
    for (const one of forged) expect(await code(one), one.slice(0, 60)).toBe(NOT_AUTHORIZED);
  });

  test('a public key is never the secret of an HMAC', async () => {
    const { publicKey } = rsa;
    await create({ ...hmac, algorithm: 'public-key', public_key: pem(publicKey), secret: undefined });
    const text = pem(publicKey);
    for (const secret of [text, text.trim(), publicKey.export({ type: 'spki', format: 'der' })])
      expect(await code(token({}, { secret }))).toBe(NOT_AUTHORIZED);
    expect(await code(await signed({}, rsa.privateKey, 'RS256'))).toBe(0);
  });
});

describe('tokens signed with a private key', () => {
  const keys = [
    ['RSA', rsa, ['RS256', 'RS512', 'PS384']],
    ['P-256', ec, ['ES256']],
    ['Ed25519', ed, ['EdDSA']],
  ] as const;
  test.each(keys)('%s', async (_name, { publicKey, privateKey }, algorithms) => {
    const body = { mechanism: 'jwt', use_jwks: false, algorithm: 'public-key', public_key: pem(publicKey) };
    expect((await create(body)).status).toBe(200);
    for (const alg of algorithms) expect(await code(await signed({}, privateKey, alg))).toBe(0);
    const other = publicKey === ec.publicKey ? ed : ec;
    const alg = other === ed ? 'EdDSA' : 'ES256';
    expect(await code(await signed({}, other.privateKey, alg))).toBe(NOT_AUTHORIZED);
  });

  test('need a public key that can be one', async () => {
    const wrong = [
      'nope',
      rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      pem(generateKeyPairSync('x25519').publicKey),
      '/etc/passwd',
    ];
    for (const public_key of wrong) {
      const answer = await create({ mechanism: 'jwt', algorithm: 'public-key', public_key });
      expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
      expect(JSON.stringify(answer.body)).not.toMatch(/root:|BEGIN/);
    }
  });
});

describe('what comes with a token', () => {
  test('superuser, attributes and the end of the connection', async () => {
    await create(hmac);
    const exp = now() + 3600;
    const claims = { is_superuser: true, exp, client_attrs: { site: 'north', no: 7, __proto__: 'x' } };
    expect(await code(token(claims))).toBe(0);
    expect(who()).toMatchObject({
      isSuperuser: true,
      attributes: { site: 'north' },
      authExpiresAt: exp * 1000,
    });
    expect(await code(token({ is_superuser: 'true', exp }))).toBe(0);
    expect(who()).toMatchObject({ isSuperuser: false });
  });

  test('the connection stays when it is told to', async () => {
    await create({ ...hmac, disconnect_after_expire: false });
    expect(await code(token({ exp: now() + 3600 }))).toBe(0);
    expect(who()?.authExpiresAt).toBeNull();
  });

  test('a connection ends with its token', async () => {
    await create(hmac);
    const { client } = await login(token({ exp: Date.now() / 1000 + 0.3 }));
    await client.expectDisconnect(NOT_AUTHORIZED);
  });

  test('rules for authorization, and a refusal when nobody can read them', async () => {
    await create(hmac);
    expect(await code(token({ acl: { pub: ['up/${clientid}'], sub: ['eq down/#'] } }))).toBe(0);
    expect(who()?.acl).toMatchObject([
      { permission: 'allow', action: 'publish', topics: [{ filter: 'up/${clientid}', eq: false }] },
      { permission: 'allow', action: 'subscribe', topics: [{ filter: 'down/#', eq: true }] },
    ]);
    expect(await code(token({}))).toBe(0);
    expect(who()?.acl).toBeUndefined();
    for (const acl of [
      'all',
      [{ permission: 'allow' }],
      [{ permission: 'maybe', action: 'all', topic: '#' }],
      7,
    ])
      expect(await code(token({ acl }))).toBe(BAD_PASSWORD);
  });

  test('rules in both shapes', () => {
    expect(rulesOfClaim({ all: ['a/#'] })).toEqual([
      {
        permission: 'allow',
        who: { kind: 'all' },
        action: 'all',
        qos: null,
        retain: null,
        topics: [{ filter: 'a/#', eq: false }],
      },
    ]);
    const rule = {
      permission: 'deny',
      action: 'publish',
      topic: 'eq t/+',
      topics: ['b'],
      qos: [1, 2],
      retain: true,
      clientid_re: '^dev',
      ipaddr: '10.0.0.0/8',
    };
    expect(rulesOfClaim([rule])).toEqual([
      {
        permission: 'deny',
        who: {
          kind: 'and',
          all: [
            { kind: 'clientid_re', pattern: '^dev' },
            { kind: 'ipaddr', networks: ['10.0.0.0/8'] },
          ],
        },
        action: 'publish',
        qos: [1, 2],
        retain: true,
        topics: [
          { filter: 't/+', eq: true },
          { filter: 'b', eq: false },
        ],
      },
    ]);
    const broken = [
      { ...rule, clientid_re: '(' },
      { ...rule, ipaddr: '10.0.0.0/99' },
      { ...rule, qos: 3 },
    ];
    for (const one of broken) expect(rulesOfClaim([one]), JSON.stringify(one)).toBeNull();
  });
});

describe('keys that a server publishes', () => {
  let server: Server;
  let keys: object[] = [];
  let asked = 0;
  let status = 200;
  beforeEach(async () => {
    asked = 0;
    status = 200;
    server = createServer((_request, response) => {
      asked++;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ keys }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const published = ({ publicKey }: { publicKey: KeyObject }, kid: string, more = {}) => ({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    ...more,
  });
  const endpoint = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  const start = (more = {}) => create({ mechanism: 'jwt', use_jwks: true, endpoint: endpoint(), ...more });
  const told = async () =>
    (
      await broker.inject<{ status: string; node_error: { error: string }[] }>(
        'GET',
        '/authentication/jwt/status',
      )
    ).body;
  const until = (wanted: string) =>
    vi.waitFor(async () => expect((await told()).status).toBe(wanted), { interval: 10, timeout: 5000 });

  test('are fetched, chosen by their id, and used for what they are', async () => {
    keys = [
      published(rsa, 'one'),
      published(ec, 'two'),
      published(ed, 'three', { use: 'enc' }),
      { kty: 'oct', kid: 'four', k: Buffer.from(SECRET).toString('base64url') },
      { kty: 'strange', kid: 'five' },
    ];
    await start();
    await until('connected');
    expect(await code(await signed({}, rsa.privateKey, 'RS256', 'one'))).toBe(0);
    expect(await code(await signed({}, ec.privateKey, 'ES256', 'two'))).toBe(0);
    expect(await code(await signed({}, ec.privateKey, 'ES256'))).toBe(0);
    expect(await code(await signed({}, ec.privateKey, 'ES256', 'one'))).toBe(NOT_AUTHORIZED);
    expect(await code(await signed({}, ed.privateKey, 'EdDSA', 'three'))).toBe(NOT_AUTHORIZED);
    expect(await code(token({}, { header: { kid: 'four' } }))).toBe(NOT_AUTHORIZED);
    expect(asked).toBe(1); // invented ids do not make us ask again and again
  });

  test('are fetched again for a token that names an unknown one, but not for every such token', async () => {
    keys = [published(rsa, 'one')];
    await start();
    await until('connected');
    keys = [published(rsa, 'one'), published(ec, 'new')];
    const fresh = await signed({}, ec.privateKey, 'ES256', 'new');
    expect(await code(fresh)).toBe(NOT_AUTHORIZED);
    const later = performance.now() + 6000;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => later);
    try {
      expect(await code(fresh)).toBe(0);
      expect(await code(await signed({}, ed.privateKey, 'EdDSA', 'invented'))).toBe(NOT_AUTHORIZED);
    } finally {
      clock.mockRestore();
    }
    expect(asked).toBe(2);
  });

  test('are fetched again when they are old', async () => {
    keys = [published(rsa, 'one')];
    await start({ refresh_interval: 1 });
    await until('connected');
    keys = [published(ec, 'new')];
    const fresh = await signed({}, ec.privateKey, 'ES256', 'new');
    await vi.waitFor(async () => expect(await code(fresh)).toBe(0), { interval: 50, timeout: 5000 });
    expect(await code(await signed({}, rsa.privateKey, 'RS256', 'one'))).toBe(NOT_AUTHORIZED);
  });

  test('stay in force while the server is down, which is told with its reason', async () => {
    keys = [published(rsa, 'one')];
    await start({ refresh_interval: 1 });
    await until('connected');
    status = 503;
    await until('disconnected');
    expect((await told()).node_error).toMatchObject([{ error: 'the server answers with status 503' }]);
    const good = await signed({}, rsa.privateKey, 'RS256', 'one');
    expect(await code(good)).toBe(0);
    server.closeAllConnections();
    server.close();
    expect(await code(good)).toBe(0);
  });

  test('that never came let nobody in', async () => {
    status = 500;
    expect(await start()).toMatchObject({ status: 200 });
    await until('disconnected');
    expect(await code(await signed({}, rsa.privateKey, 'RS256', 'one'))).toBe(NOT_AUTHORIZED);
    const answer = await broker.inject('PUT', '/authentication/jwt', { body: hmac });
    expect(answer.status).toBe(204);
    expect(await told()).toMatchObject({ status: 'connected', node_error: [] });
  });

  test('come over TLS from a server that its certificate vouches for, unless nobody asks', async () => {
    const subject = [{ name: 'commonName', value: 'localhost' }];
    const { cert, private: key } = await generate(subject, { keyType: 'ec', algorithm: 'sha256' });
    const secure = await startHttpServer({ cert, key });
    try {
      secure.answer({ body: { keys: [published(rsa, 'one')] } });
      const jwks = { endpoint: `${secure.url}/keys`, headers: { 'x-reader': 'broker' } };
      const update = (ssl: object) =>
        broker.inject('PUT', '/authentication/jwt', {
          body: { mechanism: 'jwt', use_jwks: true, ...jwks, ssl: { enable: true, ...ssl } },
        });
      await start({ ...jwks, ssl: { enable: true, verify: 'verify_peer' } });
      await until('disconnected');
      expect((await told()).node_error[0]!.error).toContain('not signed by a CA that is trusted here');
      await update({ verify: 'verify_peer', cacertfile: cert, server_name_indication: 'localhost' });
      await until('connected');
      expect(secure.got.at(-1)).toMatchObject({ url: '/keys', headers: { 'x-reader': 'broker' } });
      await update({ verify: 'verify_peer', cacertfile: cert, server_name_indication: 'elsewhere' });
      await until('disconnected');
      await update({ verify: 'verify_none' });
      await until('connected');
      expect(await code(await signed({}, rsa.privateKey, 'RS256', 'one'))).toBe(0);
      expect((await update({ cacertfile: '/nowhere/ca.pem' })).status).toBe(400);
    } finally {
      await secure.close();
    }
  });

  test('a token waits for keys that are on their way', async () => {
    server.removeAllListeners('request');
    let answer: (() => void) | undefined;
    server.on('request', (_request, response) => {
      answer = () => response.end(JSON.stringify({ keys: [published(rsa, 'one')] }));
    });
    await start();
    await vi.waitUntil(() => answer !== undefined, { interval: 5 });
    const waiting = code(await signed({}, rsa.privateKey, 'RS256', 'one'));
    answer!();
    expect(await waiting).toBe(0);
  });
});
