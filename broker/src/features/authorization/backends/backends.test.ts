import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { describeWith, type Engine } from '../../../testing/engines/engine.ts';
import { startHttpServer } from '../../../testing/engines/http-server.ts';
import { MARIADB, MARIADB_PROGRAMS, startMariadb } from '../../../testing/engines/mariadb.ts';
import { MONGO, startMongoFake } from '../../../testing/engines/mongo-fake.ts';
import { POSTGRESQL, POSTGRESQL_PROGRAMS, startPostgresql } from '../../../testing/engines/postgresql.ts';
import { REDIS_PASSWORD, REDIS_PROGRAMS, startRedis } from '../../../testing/engines/redis.ts';
import { LogBook } from '../../../testing/log-book.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { dial } from '../../../testing/test-client.ts';
import type { SourceVerdict } from '../source.ts';

const START_MS = 60_000;
const NOT_AUTHORIZED = 0x87;

/** A row as databases hold it; null where nobody wrote anything. */
interface StoredRule {
  username: string;
  permission: string | null;
  action: string | null;
  topic: string | null;
  qos: string | null;
  retain: number | null;
}
const rule = (username: string, permission: string, action: string, topic: string): StoredRule => ({
  username,
  permission,
  action,
  topic,
  qos: null,
  retain: null,
});

const RULES: StoredRule[] = [
  rule('ada', 'allow', 'publish', 'a/${clientid}/#'),
  rule('ada', 'allow', 'subscribe', 'eq b/#'),
  { ...rule('ada', 'allow', 'publish', 'q'), qos: '1,2', retain: 0 },
  rule('*', 'allow', 'all', '#'),
  rule("' OR 1=1 --", 'allow', 'publish', 'odd'),
];
/** Redis allows only. */
const DENIALS: StoredRule[] = [
  rule('den', 'deny', 'all', 'secret/#'),
  rule('den', 'allow', 'all', '#'),
  rule('bad-deny', 'denied', 'all', 'secret/#'),
  rule('bad-deny', 'allow', 'all', '#'),
  rule('first', 'allow', 'publish', 'fine'),
  rule('first', 'deny', 'all', ''),
  rule('first', 'allow', 'all', '#'),
];
const BAD_ALLOWS: StoredRule[] = [
  rule('bad-allow', 'allow', 'fly', 'x'),
  { ...rule('bad-allow', 'allow', 'publish', 'y'), qos: '7' },
  rule('bad-allow', 'allow', 'publish', 'z'),
];

interface Counterpart {
  engine: Engine;
  config: Record<string, unknown>;
  put(rules: readonly StoredRule[]): Promise<void>;
  denies: boolean;
  secret: string;
}

const book = new LogBook();
let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({ log: book });
  await broker.inject('DELETE', '/authorization/sources/file');
}, START_MS);
afterAll(() => broker.close());

interface Asked {
  action?: 'publish' | 'subscribe';
  qos?: 0 | 1 | 2;
  retain?: boolean;
  clientid?: string;
}

/** What the only source says. */
async function verdict(username: string, topic: string, asked: Asked = {}): Promise<SourceVerdict> {
  const { action = 'publish', qos = 0, retain = false, clientid = 'c1' } = asked;
  const who = {
    clientid,
    username,
    address: '127.0.0.1',
    port: 1,
    listener: 'tcp:default',
    protocolVersion: 5,
    mountpoint: null,
    isSuperuser: false,
    attributes: {},
    authExpiresAt: null,
  } as const;
  const steps = await broker.authorization.explain({ ...who }, { action, topic, qos, retain });
  return steps[0]!.verdict;
}
const result = async (...args: Parameters<typeof verdict>) => (await verdict(...args)).result;

async function configured(type: string, config: Record<string, unknown>): Promise<void> {
  await broker.inject('DELETE', `/authorization/sources/${type}`);
  const body = { type, ...config };
  expect(await broker.inject('POST', '/authorization/sources', { body })).toMatchObject({ status: 204 });
}

function suite(type: string, programs: readonly string[], start: () => Promise<Counterpart>): void {
  describeWith(type, programs, () => {
    let other: Counterpart;
    const fill = () => other.put([...RULES, ...BAD_ALLOWS, ...(other.denies ? DENIALS : [])]);
    beforeAll(async () => {
      other = await start();
      await fill();
      await configured(type, other.config);
    }, START_MS);
    afterAll(async () => {
      await broker.inject('DELETE', `/authorization/sources/${type}`);
      await other?.engine.close();
    });

    test('allows what a rule allows, and has no opinion on the rest', async () => {
      expect(await result('ada', 'a/c1/x')).toBe('allow');
      expect(await result('ada', 'a/c2/x')).toBe('nomatch');
      expect(await result('ada', 'a/c1/x', { action: 'subscribe' })).toBe('nomatch');
      expect(await result('ada', 'b/#', { action: 'subscribe' })).toBe('allow');
      expect(await result('ada', 'b/1', { action: 'subscribe' })).toBe('nomatch');
      expect(await result('nobody', 'a/c1/x')).toBe('nomatch');
    });

    test('QoS and retain are conditions where they are written', async () => {
      expect(await result('ada', 'q', { qos: 1 })).toBe('allow');
      expect(await result('ada', 'q', { qos: 0 })).toBe('nomatch');
      expect(await result('ada', 'q', { qos: 1, retain: true })).toBe('nomatch');
    });

    test('hostile names and client ids widen nothing', async () => {
      for (const name of ["' OR '1'='1", '{"$gt":""}', '${clientid}', 'ada x', 'a\r\nb', '$ne', '?'])
        expect([name, await result(name, 'a/c1/x')]).toEqual([name, 'nomatch']);
      for (const clientid of ['+', '#', '+/x', 'c1/#', '${username}'])
        expect([clientid, await result('ada', 'a/c1/x', { clientid })]).toEqual([clientid, 'nomatch']);
      expect(await result("' OR 1=1 --", 'odd')).toBe('allow');
    });

    test('a row that allows and is broken allows nothing, and takes nothing from the others', async () => {
      const since = book.lines.length;
      for (const topic of ['x', 'y']) expect(await result('bad-allow', topic)).toBe('nomatch');
      expect(await result('bad-allow', 'z')).toBe('allow');
      expect(await result('bad-allow', 'z')).toBe('allow');
      const told = book.lines.slice(since).filter(({ text }) => text.includes('cannot be read'));
      expect(new Set(told.map(({ facts }) => facts.reason)).size).toBe(told.length); // each once
      expect(told.length).toBeGreaterThan(0);
    });

    // Redis allows only
    if (type !== 'redis')
      test('a rule that denies, and one that might have', async () => {
        expect(await verdict('den', 'secret/1')).toMatchObject({ result: 'deny', rule: { index: 1 } });
        expect(await result('den', 'open')).toBe('allow');
        expect(await result('bad-deny', 'secret/1')).toBe('ignore');
        expect(await result('bad-deny', 'open')).toBe('ignore');
        expect(await result('first', 'fine')).toBe('allow'); // stands before the broken one
        expect(await result('first', 'open')).toBe('ignore');
      });

    test(
      'a client feels it, and while the system is gone nothing is allowed; it comes back',
      async () => {
        const client = await broker.client('c1', { username: 'ada' });
        expect(await client.publish('a/c1/1', 'x', { qos: 1 })).not.toBe(NOT_AUTHORIZED);
        const since = book.lines.length;
        await other.engine.kill();
        const reason = `nobody listens on ${other.engine.address}`;
        await book.line('a backend is away', since, reason);
        expect(await verdict('ada', 'a/c1/x')).toEqual({ result: 'ignore', why: reason });
        expect(await client.publish('a/c1/2', 'x', { qos: 1 })).toBe(NOT_AUTHORIZED);
        const status = await broker.inject('GET', `/authorization/sources/${type}/status`);
        expect(status.body).toMatchObject({ status: 'disconnected', node_error: [{ error: reason }] });
        await other.engine.start();
        await book.line('a backend is back', since);
        await fill();
        expect(await result('ada', 'a/c1/x')).toBe('allow');
        expect(await client.publish('a/c1/3', 'x', { qos: 1 })).not.toBe(NOT_AUTHORIZED);
        expect(book.all).not.toContain(other.secret);
      },
      START_MS,
    );
  });
}

const TABLE =
  'CREATE TABLE mqtt_acl (n INT, username VARCHAR(100), permission VARCHAR(10), action VARCHAR(10), topic VARCHAR(100), qos VARCHAR(10), retain SMALLINT)';
const QUERY =
  'SELECT permission, action, topic, qos, retain FROM mqtt_acl WHERE username = ${username} ORDER BY n';
const quote = (text: string | null) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`);
const insert = (rules: readonly StoredRule[]) =>
  `DELETE FROM mqtt_acl; INSERT INTO mqtt_acl VALUES ${rules
    .map(
      ({ username, permission, action, topic, qos, retain }, n) =>
        `(${n}, ${[username, permission, action, topic, qos].map(quote).join(', ')}, ${retain ?? 'NULL'})`,
    )
    .join(', ')}`;

suite('postgresql', POSTGRESQL_PROGRAMS, async () => {
  const engine = await startPostgresql();
  await engine.run(TABLE);
  const config = { server: engine.address, ...POSTGRESQL, query: QUERY, pool_size: 2 };
  return {
    engine,
    config,
    put: (rules) => engine.run(insert(rules)),
    denies: true,
    secret: POSTGRESQL.password,
  };
});

suite('mysql', MARIADB_PROGRAMS, async () => {
  const engine = await startMariadb();
  await engine.run(TABLE);
  const config = { server: engine.address, ...MARIADB, query: QUERY, pool_size: 2 };
  return {
    engine,
    config,
    put: (rules) => engine.run(insert(rules)),
    denies: true,
    secret: MARIADB.password,
  };
});

suite('redis', REDIS_PROGRAMS, async () => {
  const engine = await startRedis();
  return {
    engine,
    config: {
      redis_type: 'single',
      server: engine.address,
      password: REDIS_PASSWORD,
      cmd: 'HGETALL mqtt_acl:${username}',
      pool_size: 2,
    },
    put: async (rules) => {
      for (const { username, action, topic, qos, retain } of rules) {
        const more = {
          ...(qos !== null && { qos: qos.split(',').map(Number) }),
          ...(retain !== null && { retain: false }),
        };
        const value = qos === null ? action! : JSON.stringify({ action, ...more });
        await engine.run('HSET', `mqtt_acl:${username}`, topic!, value);
      }
    },
    denies: false,
    secret: REDIS_PASSWORD,
  };
});

suite('mongodb', [], async () => {
  const engine = await startMongoFake();
  return {
    engine,
    config: {
      mongo_type: 'single',
      server: engine.address,
      ...MONGO,
      database: 'mqtt',
      collection: 'acl',
      filter: { username: '${username}' },
      pool_size: 2,
    },
    put: async (rules) => {
      engine.collections.set(
        'acl',
        rules.map(({ topic, ...one }) => ({ ...one, topics: [topic] })),
      );
    },
    denies: true,
    secret: MONGO.password,
  };
});

describeWith('http', [], () => {
  let server: Awaited<ReturnType<typeof startHttpServer>>;
  beforeAll(async () => {
    server = await startHttpServer();
  });
  afterEach(() => broker.inject('DELETE', '/authorization/sources/http'));
  afterAll(() => server.close());
  const body = {
    username: '${username}',
    clientid: '${clientid}',
    topic: '${topic}',
    action: '${action}',
    qos: '${qos}',
    retain: '${retain}',
  };
  const config = () => ({ method: 'post', url: `${server.url}/acl`, body, pool_size: 2 });

  test.each([
    ['allow', 'allow', { body: { result: 'allow' } }],
    ['deny', 'deny', { body: { result: 'deny' } }],
    ['ignore', 'nomatch', { body: { result: 'ignore' } }],
    ['204', 'allow', { status: 204 }],
    [
      'a form',
      'allow',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'result=allow' },
    ],
    ['no result', 'ignore', { body: {} }],
    ['a text', 'ignore', { headers: { 'content-type': 'text/plain' }, body: 'allow' }],
    ['403', 'ignore', { status: 403, body: { result: 'allow' } }],
    ['500', 'ignore', { status: 500, body: { result: 'allow' } }],
  ])('an answer %s is %s', async (_, wanted, said) => {
    await configured('http', config());
    server.answer(said);
    expect(await result('ada', 't')).toBe(wanted);
  });

  test('is told who wants what, and a hostile topic stays one value', async () => {
    await configured('http', config());
    server.answer({ status: 204 });
    for (const topic of ['h/1', '"},"a":{"', 'ü &x=1']) {
      await verdict('ada', topic, { action: 'subscribe', qos: 1 });
      expect(JSON.parse(server.got.at(-1)!.body)).toEqual({
        username: 'ada',
        clientid: 'c1',
        topic,
        action: 'subscribe',
        qos: '1',
        retain: 'false',
      });
    }
  });

  test('does not know passwords, and says so when it is written', async () => {
    const answer = await broker.inject('POST', '/authorization/sources', {
      body: { type: 'http', ...config(), body: { p: '${password}' } },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });

  test('while the server is gone nobody is allowed anything; it comes back by itself', async () => {
    await configured('http', config());
    server.answer({ status: 204 });
    const { client } = dial(broker.core, 'c1', {});
    await client.connect();
    expect(await client.publish('t/1', 'x', { qos: 1 })).not.toBe(NOT_AUTHORIZED);
    const since = book.lines.length;
    await server.kill();
    expect(await client.publish('t/2', 'x', { qos: 1 })).toBe(NOT_AUTHORIZED);
    await book.line('a backend is away', since);
    await server.start();
    await book.line('a backend is back', since);
    expect(await client.publish('t/3', 'x', { qos: 1 })).not.toBe(NOT_AUTHORIZED);
  });
});
