import { createHash, pbkdf2Sync } from 'node:crypto';
import type { PasswordHash } from '@mqdeck/contract/authentication';
import bcrypt from 'bcrypt';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWith, type Engine } from '../../../testing/engines/engine.ts';
import { MARIADB, MARIADB_PROGRAMS, startMariadb } from '../../../testing/engines/mariadb.ts';
import { MONGO, startMongoFake } from '../../../testing/engines/mongo-fake.ts';
import { POSTGRESQL, POSTGRESQL_PROGRAMS, startPostgresql } from '../../../testing/engines/postgresql.ts';
import { REDIS_PASSWORD, REDIS_PROGRAMS, startRedis } from '../../../testing/engines/redis.ts';
import { LogBook } from '../../../testing/log-book.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { dial } from '../../../testing/test-client.ts';

const WELCOME = 0;
const BAD_PASSWORD = 0x86;
const NOT_AUTHORIZED = 0x87;
const START_MS = 60_000;

interface StoredUser {
  username: string;
  password_hash: string;
  salt: string;
  is_superuser: boolean;
}

interface Counterpart {
  engine: Engine;
  config: Record<string, unknown>;
  put(user: StoredUser): Promise<void>;
  secret: string;
  refused: RegExp;
}

const HOSTILE = [
  "' OR 1=1 --",
  "ada' --",
  '{"$gt":""}',
  'a\nb',
  'a\r\nGET other',
  '%2e%2e',
  '${username}',
  '${password}',
  '$1',
  '?',
  '*',
  'ada password_hash salt',
  'ada\\',
  '__proto__',
  '.*',
];

const hex = (name: string, ...parts: string[]) => createHash(name).update(parts.join('')).digest('hex');
const salted = (password: string): Omit<StoredUser, 'username' | 'is_superuser'> => ({
  password_hash: hex('sha256', 'salz', password),
  salt: 'salz',
});

/** Every algorithm and every place of the salt. */
const HASHES: { algorithm: PasswordHash; password_hash: string; salt: string }[] = [
  { algorithm: { name: 'plain', salt_position: 'disable' }, password_hash: 'geheim', salt: '' },
  {
    algorithm: { name: 'md5', salt_position: 'suffix' },
    password_hash: hex('md5', 'geheim', 's1'),
    salt: 's1',
  },
  {
    algorithm: { name: 'sha', salt_position: 'prefix' },
    password_hash: hex('sha1', 's1', 'geheim'),
    salt: 's1',
  },
  {
    algorithm: { name: 'sha256', salt_position: 'disable' },
    password_hash: hex('sha256', 'geheim'),
    salt: 'ignored',
  },
  {
    algorithm: { name: 'sha512', salt_position: 'suffix' },
    password_hash: hex('sha512', 'geheim', 's1'),
    salt: 's1',
  },
  { algorithm: { name: 'bcrypt', salt_rounds: 5 }, password_hash: bcrypt.hashSync('geheim', 5), salt: '' },
  {
    algorithm: { name: 'pbkdf2', mac_fun: 'sha256', iterations: 10 },
    password_hash: pbkdf2Sync('geheim', 's1', 10, 32, 'sha256').toString('hex'),
    salt: 's1',
  },
];

/** Of databases that are asked in SQL. */
interface Sql {
  /** A query that takes longer than its time limit. */
  slow: Record<string, unknown>;
  /** What is said of a table that is not there. */
  noTable: RegExp;
}

function suite(
  backend: string,
  programs: readonly string[],
  start: () => Promise<Counterpart>,
  sql?: Sql,
): void {
  describeWith(backend, programs, () => {
    const book = new LogBook();
    const id = `password_based:${backend}`;
    let broker: TestBroker;
    let other: Counterpart;
    let nextClient = 1;

    beforeAll(async () => {
      [broker, other] = await Promise.all([startTestBroker({ log: book }), start()]);
      await other.put({ username: 'ada', ...salted('secret'), is_superuser: false });
      await other.put({ username: 'root', ...salted('secret'), is_superuser: true });
    }, START_MS);
    afterAll(async () => {
      await broker?.close();
      await other?.engine.close();
    }, START_MS);

    /** The authenticator anew, with this configuration. */
    const configured = async (config: Record<string, unknown>) => {
      await broker.inject('DELETE', `/authentication/${id}`);
      const body = { mechanism: 'password_based', backend, ...config };
      expect(await broker.inject('POST', '/authentication', { body })).toMatchObject({ status: 200 });
    };
    const status = async () =>
      (
        await broker.inject<{
          status: string;
          node_error: { error: string }[];
          metrics: Record<string, number>;
          resource_metrics: Record<string, number>;
        }>('GET', `/authentication/${id}/status`)
      ).body;
    const login = async (username: string, password: string) => {
      const { client } = dial(broker.core, `c${nextClient++}`, { username, password });
      const { reasonCode } = await client.connect();
      const isSuperuser = broker.core.registry.find(client.clientid)?.who.isSuperuser;
      return { reasonCode, isSuperuser };
    };
    const code = async (username: string, password = 'secret') =>
      (await login(username, password)).reasonCode;
    /** One answer tells that the connection is there. */
    const connected = () => code('ada');

    test('lets in who knows the password, refuses a wrong one, leaves who is unknown to the next', async () => {
      await configured(other.config);
      expect(await login('ada', 'secret')).toEqual({ reasonCode: WELCOME, isSuperuser: false });
      expect(await code('ada', 'Secret')).toBe(BAD_PASSWORD);
      expect(await code('ada', '')).toBe(BAD_PASSWORD);
      expect(await code('nobody')).toBe(NOT_AUTHORIZED);
      expect(await login('root', 'secret')).toEqual({ reasonCode: WELCOME, isSuperuser: true });
      expect(await status()).toMatchObject({
        status: 'connected',
        node_error: [],
        metrics: { total: 5, success: 2, failed: 2, nomatch: 1 },
        resource_metrics: { matched: 5, success: 5, failed: 0 },
      });
    });

    test.each(HASHES)('knows passwords by $algorithm.name, salt $algorithm.salt_position', async (hash) => {
      const { algorithm, password_hash, salt } = hash;
      const username = `u-${algorithm.name}`;
      await other.put({ username, password_hash, salt, is_superuser: false });
      await configured({ ...other.config, password_hash_algorithm: algorithm });
      expect(await code(username, 'geheim')).toBe(WELCOME);
      expect(await code(username, 'Geheim')).toBe(BAD_PASSWORD);
    });

    test('hostile names find nobody, unless somebody bears them', async () => {
      await configured(other.config);
      for (const name of HOSTILE) expect([name, await code(name)]).toEqual([name, NOT_AUTHORIZED]);
      for (const username of HOSTILE)
        await other.put({ username, ...salted(`of ${username}`), is_superuser: false });
      for (const name of HOSTILE) {
        expect([name, await code(name, `of ${name}`)]).toEqual([name, WELCOME]);
        expect([name, await code(name)]).toEqual([name, BAD_PASSWORD]);
      }
      expect((await status()).resource_metrics).toMatchObject({ failed: 0 });
    });

    if (sql) {
      test('a question that takes too long is given up: the client is refused', async () => {
        await configured({ ...other.config, ...sql.slow });
        // The answer that comes after 30 s would let the client in
        expect(await code('ada')).toBe(NOT_AUTHORIZED);
        expect((await status()).resource_metrics).toMatchObject({ matched: 1, success: 0, failed: 1 });
      });

      test('a question that the server does not understand refuses, and the log says why', async () => {
        await configured({ ...other.config, query: 'SELECT a FROM nowhere' });
        const since = book.lines.length;
        expect(await code('ada')).toBe(NOT_AUTHORIZED);
        const { facts } = await book.line('a backend did not answer a question', since);
        expect(facts.reason).toMatch(sql.noTable);
      });
    }

    test(
      'while the server is gone nobody gets in; it comes back by itself',
      async () => {
        await configured(other.config);
        expect(await connected()).toBe(WELCOME);
        const since = book.lines.length;
        await other.engine.kill();
        const reason = `nobody listens on ${other.engine.address}`;
        await book.line('a backend is away', since, reason);
        expect(await code('ada')).toBe(NOT_AUTHORIZED);
        expect(await status()).toMatchObject({
          status: 'disconnected',
          node_error: [{ error: reason }],
        });
        await other.engine.start();
        await book.line('a backend is back', since);
        await other.put({ username: 'ada', ...salted('secret'), is_superuser: false });
        expect(await connected()).toBe(WELCOME);
        expect(await status()).toMatchObject({ status: 'connected', node_error: [] });
      },
      START_MS,
    );

    test('a password that the server refuses is told as such, and nowhere itself', async () => {
      const since = book.lines.length;
      await configured({ ...other.config, password: 'canary-wrong-7' });
      await book.line('a backend is away', since);
      expect(await code('ada')).toBe(NOT_AUTHORIZED);
      const said = await status();
      expect(said.status).toBe('disconnected');
      expect(said.node_error[0]!.error).toMatch(other.refused);
      expect(JSON.stringify(said) + book.all).not.toMatch(/canary/);
    });

    test('nothing of the clients’ passwords or of ours is in the log', () => {
      expect(book.all).not.toContain(other.secret);
      expect(book.all).not.toContain('geheim');
    });
  });
}

const SQL_TABLE = `CREATE TABLE mqtt_user (username VARCHAR(200) PRIMARY KEY, password_hash VARCHAR(300), salt VARCHAR(40), is_superuser BOOLEAN)`;
const QUERY = 'SELECT password_hash, salt, is_superuser FROM mqtt_user WHERE username = ${username} LIMIT 1';
const columns = (
  { username, password_hash, salt, is_superuser }: StoredUser,
  quote: (text: string) => string,
) => `${quote(username)}, ${quote(password_hash)}, ${quote(salt)}, ${is_superuser}`;

suite(
  'postgresql',
  POSTGRESQL_PROGRAMS,
  async () => {
    const engine = await startPostgresql();
    await engine.run(SQL_TABLE);
    const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;
    return {
      engine,
      config: { server: engine.address, ...POSTGRESQL, query: QUERY, pool_size: 2 },
      put: (user) =>
        engine.run(
          `INSERT INTO mqtt_user VALUES (${columns(user, quote)}) ON CONFLICT (username) DO UPDATE SET password_hash = EXCLUDED.password_hash, salt = EXCLUDED.salt`,
        ),
      secret: POSTGRESQL.password,
      refused: /^the server refused the password of user postgres$/,
    };
  },
  {
    slow: { query: "SELECT pg_sleep(30), 'x' AS password_hash", query_timeout: '300ms' },
    noTable: /relation "nowhere" does not exist/,
  },
);

suite(
  'mysql',
  MARIADB_PROGRAMS,
  async () => {
    const engine = await startMariadb();
    await engine.run(`${SQL_TABLE} COLLATE utf8mb4_bin`);
    const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
    return {
      engine,
      config: { server: engine.address, ...MARIADB, query: QUERY, pool_size: 2 },
      put: (user) => engine.run(`REPLACE INTO mqtt_user VALUES (${columns(user, quote)})`),
      secret: MARIADB.password,
      refused: /^the server refused the password of user mqtt$/,
    };
  },
  {
    slow: { query: "SELECT SLEEP(30), 'x' AS password_hash", query_timeout: '300ms' },
    noTable: /nowhere' doesn't exist/,
  },
);

suite('redis', REDIS_PROGRAMS, async () => {
  const engine = await startRedis();
  return {
    engine,
    config: {
      redis_type: 'single',
      server: engine.address,
      password: REDIS_PASSWORD,
      cmd: 'HMGET mqtt_user:${username} password_hash salt is_superuser',
      pool_size: 2,
    },
    put: async ({ username, password_hash, salt, is_superuser }) => {
      const fields = ['password_hash', password_hash, 'salt', salt, 'is_superuser', is_superuser ? '1' : '0'];
      await engine.run('HSET', `mqtt_user:${username}`, ...fields);
    },
    secret: REDIS_PASSWORD,
    refused: /^the server refused the password of user default$/,
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
      collection: 'users',
      filter: { username: '${username}' },
      pool_size: 2,
    },
    put: async (user) => {
      const users = engine.collections.get('users') ?? [];
      engine.collections.set('users', [...users.filter(({ username }) => username !== user.username), user]);
    },
    secret: MONGO.password,
    refused: /^the server refused the password of user mqtt$/,
  };
});
