import type { Bridge } from '@mqdeck/contract/bridges';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  BEFORE,
  expectAll,
  MESSAGES,
  metricsOf,
  patience,
  sendThroughAnOutage,
} from '../../testing/bridge-outage.ts';
import { describeWith, type Engine } from '../../testing/engines/engine.ts';
import { MARIADB, MARIADB_PROGRAMS, startMariadb } from '../../testing/engines/mariadb.ts';
import { MONGO, startMongoFake } from '../../testing/engines/mongo-fake.ts';
import {
  POSTGRESQL,
  POSTGRESQL_PROGRAMS,
  type SqlEngine,
  startPostgresql,
} from '../../testing/engines/postgresql.ts';
import {
  REDIS_PASSWORD,
  REDIS_PROGRAMS,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
} from '../../testing/engines/redis.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const quick = {
  worker_pool_size: 1,
  health_check_interval: '200ms',
  auto_restart_interval: '500ms',
  max_buffer_bytes: '256MB',
};
const post = (body: object) => broker.inject<Bridge & { message: string }>('POST', '/bridges', { body });
const rule = (id: string, sql = 'SELECT * FROM "t/#"') =>
  broker.inject('POST', '/rules', { body: { id: 'r', sql, actions: [id] } });

describeWith('PostgreSQL', POSTGRESQL_PROGRAMS, () => {
  let engine: SqlEngine;
  beforeAll(async () => {
    engine = await startPostgresql();
  }, 120_000);
  afterAll(() => engine?.close());
  const table =
    'create table if not exists t_mqtt_msg (msgid text, topic text, qos int, payload text, arrived timestamptz)';
  const query = async (sql: string) => {
    const client = new pg.Client({
      host: '127.0.0.1',
      port: engine.port,
      user: POSTGRESQL.username,
      password: POSTGRESQL.password,
      database: POSTGRESQL.database,
    });
    await client.connect();
    try {
      return (await client.query(sql)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  };
  const bridge = (given: object = {}) => ({
    type: 'pgsql',
    name: 'p',
    server: engine.address,
    ...POSTGRESQL,
    resource_opts: { ...quick, batch_size: 200, batch_time: '5ms' },
    ...given,
  });

  test.each(['pgsql', 'timescale', 'matrix'])('%s writes a row by the usual statement', async (type) => {
    await query(`drop table if exists t_mqtt_msg; ${table}`);
    expect((await post(bridge({ type }))).body.status).toBe('connected');
    await rule(`${type}:p`);
    void broker.core.publish({ topic: 't/ü', payload: 'it\'s {"a":1}', qos: 2, clientid: 'c' });
    await vi.waitFor(
      async () =>
        expect(await query('select topic, qos, payload from t_mqtt_msg')).toEqual([
          { topic: 't/ü', qos: 2, payload: `it's {"a":1}` },
        ]),
      patience,
    );
  });

  test('gets every message though it is killed in the middle', async () => {
    await query(`drop table if exists t_mqtt_msg; ${table}`);
    await post(bridge());
    await rule('pgsql:p');
    await sendThroughAnOutage(broker, engine, 'pgsql:p');
    expectAll((await query('select payload from t_mqtt_msg')).map(({ payload }) => payload));
  }, 120_000);

  test('a row that it refuses takes no other with it', async () => {
    await query('drop table if exists n; create table n (x int not null)');
    await post(bridge({ sql: 'insert into n(x) values (${payload})' }));
    await rule('pgsql:p');
    for (const payload of ['1', 'none', '2']) void broker.core.publish({ topic: 't/1', payload, qos: 1 });
    await vi.waitFor(
      async () => expect(await query('select x from n order by x')).toEqual([{ x: 1 }, { x: 2 }]),
      patience,
    );
  });

  test('nothing of a message becomes SQL', async () => {
    await query('drop table if exists s; create table s (x text)');
    await post(bridge({ sql: "insert into s(x) values ('${payload}')" }));
    await rule('pgsql:p');
    const evil = "'); drop table s; --";
    void broker.core.publish({ topic: 't/1', payload: evil, qos: 1 });
    await vi.waitFor(async () => expect(await query('select x from s')).toEqual([{ x: evil }]), patience);
  });

  test('a test of the connection says what is wrong', async () => {
    const probe = async (given: object) =>
      (await broker.inject<{ message: string }>('POST', '/bridges_probe', { body: bridge(given) })).body
        ?.message;
    expect(await probe({})).toBeUndefined();
    expect(await probe({ password: 'wrong' })).toBe('the server refused the password of user postgres');
    expect(await probe({ database: 'none' })).toBe('there is no database none');
    expect(await probe({ sql: "insert into s(x) values ('a ${payload}')" })).toMatch(/quoted/);
  });
});

describeWith('MariaDB', MARIADB_PROGRAMS, () => {
  let engine: SqlEngine;
  beforeAll(async () => {
    engine = await startMariadb();
  }, 120_000);
  afterAll(() => engine?.close());

  test('gets every message though it is killed in the middle', async () => {
    await engine.run(
      'create table t_mqtt_msg (msgid varchar(64), topic varchar(255), qos tinyint, payload text, arrived datetime)',
    );
    await post({
      type: 'mysql',
      name: 'm',
      server: engine.address,
      ...MARIADB,
      resource_opts: { ...quick, batch_size: 200, batch_time: '5ms' },
    });
    await rule('mysql:m');
    await sendThroughAnOutage(broker, engine, 'mysql:m');
    const client = await createConnection({
      host: '127.0.0.1',
      port: engine.port,
      user: MARIADB.username,
      password: MARIADB.password,
      database: MARIADB.database,
    });
    const [rows] = await client.query('select payload from t_mqtt_msg');
    await client.end();
    expectAll((rows as { payload: string }[]).map(({ payload }) => payload));
  }, 120_000);
});

describeWith('Redis', REDIS_PROGRAMS, () => {
  const command = ['RPUSH', 'list:${topic}', '${payload}'];
  const engines: Engine[] = [];
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
  });
  const listsOf = async (redis: Redis) => {
    const all = await Promise.all(Array.from({ length: 7 }, (_, n) => redis.lrange(`list:t/${n}`, 0, -1)));
    redis.disconnect();
    return all.flat();
  };

  test('gets every message though it is killed in the middle', async () => {
    const engine = await startRedis();
    engines.push(engine);
    await post({
      type: 'redis_single',
      name: 's',
      server: engine.address,
      password: REDIS_PASSWORD,
      command_template: command,
      resource_opts: { ...quick, batch_size: 100 },
    });
    await rule('redis_single:s');
    await sendThroughAnOutage(broker, engine, 'redis_single:s');
    // Redis keeps in memory only: what it had before it died is gone with it
    const stored = (await listsOf(new Redis({ port: engine.port, password: REDIS_PASSWORD }))).map(Number);
    expect(new Set(stored.filter((n) => n >= BEFORE)).size).toBe(MESSAGES - BEFORE);
  }, 120_000);

  test('by sentinels', async () => {
    const engine = await startRedisSentinel('mymaster');
    engines.push(engine);
    const made = await post({
      type: 'redis_sentinel',
      name: 's',
      servers: engine.address,
      sentinel: 'mymaster',
      password: REDIS_PASSWORD,
      command_template: command,
      resource_opts: quick,
    });
    expect(made.body.status_reason).toBeUndefined();
    await rule('redis_sentinel:s');
    void broker.core.publish({ topic: 't/1', payload: 'one', qos: 1 });
    await vi.waitFor(
      async () => expect(await metricsOf(broker, 'redis_sentinel:s')).toMatchObject({ success: 1 }),
      patience,
    );
  }, 60_000);

  test('as a cluster', async () => {
    const engine = await startRedisCluster();
    engines.push(engine);
    await post({
      type: 'redis_cluster',
      name: 's',
      servers: engine.address,
      password: REDIS_PASSWORD,
      command_template: ['SET', '${topic}', 'a ${payload} b'],
      resource_opts: quick,
    });
    await rule('redis_cluster:s');
    for (let n = 0; n < 20; n++) void broker.core.publish({ topic: `t/${n}`, payload: 'x"y z', qos: 1 });
    await vi.waitFor(
      async () => expect(await metricsOf(broker, 'redis_cluster:s')).toMatchObject({ success: 20 }),
      patience,
    );
    const reply = await engine.run('GET', 't/0').catch((cause: Error) => cause.message);
    expect(String(reply)).toMatch(/^(a x"y z b|MOVED)/);
  }, 60_000);
});

describe('MongoDB (a fake of its wire protocol)', () => {
  test.each([
    ['single', 'single', {}],
    ['rs', { replicaSet: 'rs0' }, { replica_set_name: 'rs0' }],
    ['sharded', 'sharded', {}],
  ] as const)(
    'gets every message though it is killed in the middle (%s)',
    async (mode, kind, given) => {
      const engine = await startMongoFake({ kind });
      const type = `mongodb_${mode}`;
      await post({
        type,
        name: 'm',
        [mode === 'single' ? 'server' : 'servers']: engine.address,
        ...given,
        database: 'mqtt',
        ...MONGO,
        collection: 'msg',
        payload_template: '{"topic": "${topic}", "n": ${payload}}',
        topology: { heartbeat_frequency_ms: '500ms' },
        resource_opts: { ...quick, batch_size: 200, batch_time: '5ms' },
      });
      await rule(`${type}:m`);
      await sendThroughAnOutage(broker, engine, `${type}:m`);
      const client = new MongoClient(`mongodb://${engine.address}/?directConnection=true`, { auth: MONGO });
      const documents = await client.db('mqtt').collection('msg').find({}).toArray();
      await client.close();
      await engine.close();
      expect(documents[0]).toMatchObject({ topic: 't/0', n: 0 });
      expectAll(documents.map(({ n }) => n));
    },
    120_000,
  );

  test('a document that it refuses, or that is none, takes no other with it', async () => {
    const engine = await startMongoFake();
    await post({
      type: 'mongodb_single',
      name: 'm',
      server: engine.address,
      database: 'mqtt',
      ...MONGO,
      collection: 'msg',
      payload_template: '{"_id": ${payload.id}, "n": ${payload.n}, "text": ["at ${payload.text}"]}',
      resource_opts: { ...quick, batch_size: 20, batch_time: '300ms' },
    });
    await rule('mongodb_single:m');
    const hostile = '","';
    const sent = [
      [1, 5],
      [2, 5],
      [2, 5],
      [3, { a: [{ _bsontype: 'Long' }] }],
      [4, 5],
      [1, 5],
      [5, 5],
    ] as const;
    for (const [id, n] of sent)
      broker.core.publish({ topic: 't/0', payload: JSON.stringify({ id, n, text: hostile }) });
    await vi.waitFor(
      async () =>
        expect(await metricsOf(broker, 'mongodb_single:m')).toMatchObject({ success: 4, failed: 3 }),
      patience,
    );
    const documents = [...engine.collections.values()].flat();
    expect(documents.map(({ _id }) => _id)).toEqual([1, 2, 4, 5]);
    expect(documents.map(({ text }) => text)).toEqual(Array(4).fill([`at ${hostile}`]));
    await engine.close();
  });
});
