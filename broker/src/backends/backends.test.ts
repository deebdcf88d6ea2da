import { createServer, type Server, type Socket } from 'node:net';
import { type SslClient, sslClient } from '@mqdeck/contract/kit/ssl';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { describeWith, freePort } from '../testing/engines/engine.ts';
import { MARIADB, MARIADB_PROGRAMS, startMariadb } from '../testing/engines/mariadb.ts';
import { MONGO, type MongoEngine, startMongoFake } from '../testing/engines/mongo-fake.ts';
import {
  POSTGRESQL,
  POSTGRESQL_PROGRAMS,
  type SqlEngine,
  startPostgresql,
} from '../testing/engines/postgresql.ts';
import {
  REDIS_PASSWORD,
  REDIS_PROGRAMS,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
} from '../testing/engines/redis.ts';
import { LogBook } from '../testing/log-book.ts';
import type { Backend } from './backend.ts';
import { openHttp } from './http.ts';
import { type MongodbConfig, openMongodb } from './mongodb.ts';
import { openMysql } from './mysql.ts';
import { OutboundPolicy } from './outbound.ts';
import { openPostgresql } from './postgresql.ts';
import { openRedis } from './redis.ts';

const START_MS = 60_000;
const anywhere = new OutboundPolicy({ mode: 'allow', allowed: [] });
const ssl = (given: Partial<SslClient> = {}) => z.parse(sslClient, given);

/** Runs with a backend and closes it, whatever happens. */
async function using<B extends Backend, T>(backend: B, run: (backend: B) => Promise<T>): Promise<T> {
  try {
    return await run(backend);
  } finally {
    await backend.close();
  }
}

describeWith('PostgreSQL over TLS', POSTGRESQL_PROGRAMS, () => {
  let engine: SqlEngine;
  let ca: string;
  beforeAll(async () => {
    const made = await generate([{ name: 'commonName', value: 'db.example' }], {
      keySize: 2048,
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'db.example' }] },
      ],
    });
    ca = made.cert;
    engine = await startPostgresql({ cert: made.cert, key: made.private });
  }, START_MS);
  afterAll(() => engine?.close());

  const open = (given: Partial<SslClient>, book = new LogBook()) =>
    openPostgresql(
      {
        server: engine.address,
        ...POSTGRESQL,
        pool_size: 2,
        disable_prepared_statements: false,
        ssl: ssl(given),
      },
      { log: book, outbound: anywhere },
    );
  const IS_TLS = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';

  test('the certificate is verified for the name that is given', async () => {
    const given = {
      enable: true,
      verify: 'verify_peer' as const,
      cacertfile: ca,
      server_name_indication: 'db.example',
    };
    await using(open(given), async (backend) =>
      expect(await backend.query(IS_TLS, [])).toEqual([{ ssl: true }]),
    );
  });

  test.each([
    ['another name', (cert: string) => ({ cacertfile: cert }), /bears another name/],
    ['an unknown CA', () => ({ server_name_indication: 'db.example' }), /not signed by a CA that is trusted/],
  ])('%s is refused', async (_, more, reason) => {
    await using(open({ enable: true, verify: 'verify_peer', ...more(ca) }), async (backend) => {
      await expect(backend.query('SELECT 1', [])).rejects.toThrow(reason);
      expect(backend.reason).toMatch(reason);
    });
  });

  test('without TLS it is not used', () =>
    using(open({ enable: false }), async (backend) =>
      expect(await backend.query(IS_TLS, [])).toEqual([{ ssl: false }]),
    ));

  test('a question that nobody waits for any more is ended at the server', async () => {
    const backend = openPostgresql(
      {
        server: engine.address,
        ...POSTGRESQL,
        pool_size: 1,
        query_timeout: '300ms',
        disable_prepared_statements: true,
        ssl: ssl(),
      },
      { log: new LogBook(), outbound: anywhere },
    );
    await using(backend, async () => {
      await expect(backend.query('SELECT pg_sleep(30)', [])).rejects.toThrow(/too long|no answer within/);
      const running =
        "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%sleep(30)%' AND state = 'active' AND pid <> pg_backend_pid()";
      await expect.poll(() => backend.query(running, [])).toEqual([]);
    });
  });
});

describeWith('MySQL without a certificate', MARIADB_PROGRAMS, () => {
  test(
    'does not pass for one that speaks TLS',
    async () => {
      const engine = await startMariadb();
      onTestFinished(engine.close);
      const config = { server: engine.address, ...MARIADB, pool_size: 1, ssl: ssl({ enable: true }) };
      await using(openMysql(config, { log: new LogBook(), outbound: anywhere }), async (backend) => {
        await expect(backend.query('SELECT 1', [])).rejects.toThrow('does not speak TLS');
      });
    },
    START_MS,
  );
});

describeWith('Redis', REDIS_PROGRAMS, () => {
  const given = { password: REDIS_PASSWORD, pool_size: 2, ssl: ssl() };
  const deps = { log: new LogBook(), outbound: anywhere };

  test(
    'finds the master by sentinels',
    async () => {
      const engine = await startRedisSentinel('mymaster');
      onTestFinished(engine.close);
      await engine.run('HSET', 'k', 'f', 'v');
      const common = { ...given, redis_type: 'sentinel', servers: engine.address, database: 0 } as const;
      await using(openRedis({ ...common, sentinel: 'mymaster' }, deps), async (backend) =>
        expect(await backend.command('HGET', ['k', 'f'])).toBe('v'),
      );
      await using(openRedis({ ...common, sentinel: 'another' }, deps), async (backend) => {
        await expect(backend.command('HGET', ['k', 'f'])).rejects.toThrow('who the master is');
      });
    },
    START_MS,
  );

  test(
    'finds keys wherever the cluster has them',
    async () => {
      const engine = await startRedisCluster();
      onTestFinished(engine.close);
      const put = (key: string) =>
        engine.run('HSET', key, 'f', key).catch(() => engine.runOnOther('HSET', key, 'f', key));
      const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
      for (const key of keys) await put(key);
      const config = { ...given, redis_type: 'cluster', servers: engine.address } as const;
      await using(openRedis(config, deps), async (backend) => {
        for (const key of keys) expect(await backend.command('HGET', [key, 'f'])).toBe(key);
        expect(backend.status).toBe('connected');
      });
    },
    START_MS,
  );

  test(
    'a server that stands alone is no cluster, and one that hangs is given up',
    async () => {
      const engine = await startRedis();
      onTestFinished(engine.close);
      await using(
        openRedis({ ...given, redis_type: 'cluster', servers: engine.address }, deps),
        async (backend) => {
          await expect(backend.command('PING', [])).rejects.toThrow(/no cluster|cannot be reached/);
        },
      );
      await using(
        openRedis({ ...given, redis_type: 'single', server: engine.address, database: 99 }, deps),
        async (backend) => {
          await expect(backend.command('PING', [])).rejects.toThrow('no database of this number');
        },
      );
    },
    START_MS,
  );
});

describe('MongoDB', () => {
  const deps = { log: new LogBook(), outbound: anywhere };
  const common = {
    ...MONGO,
    database: 'mqtt',
    pool_size: 2,
    srv_record: false,
    topology: { heartbeat_frequency_ms: '200s' },
    ssl: ssl(),
  };
  const find = (config: MongodbConfig) =>
    using(openMongodb(config, deps), (backend) =>
      backend.find('users', { name: 'ada' }, { limit: 0, skip: 0 }),
    );
  const filled = (engine: MongoEngine) => {
    engine.collections.set('users', [{ name: 'ada', n: 1 }, { name: 'bob' }]);
    return engine;
  };

  test(
    'is read in a replica set and behind the router of a sharded cluster',
    async () => {
      const set = filled(await startMongoFake({ kind: { replicaSet: 'rs0' } }));
      onTestFinished(set.close);
      const rs = {
        ...common,
        mongo_type: 'rs',
        servers: set.address,
        replica_set_name: 'rs0',
        r_mode: 'slave_ok',
      } as const;
      expect(await find(rs)).toMatchObject([{ n: 1 }]);
      await expect(find({ ...rs, replica_set_name: 'rs1' })).rejects.toThrow(
        'no member of the replica set rs1',
      );
      const router = filled(await startMongoFake({ kind: 'sharded' }));
      onTestFinished(router.close);
      expect(await find({ ...common, mongo_type: 'sharded', servers: router.address })).toMatchObject([
        { n: 1 },
      ]);
    },
    START_MS,
  );

  test('a single server that is not there is told at once', async () => {
    const from = performance.now();
    const nobody = `127.0.0.1:${await freePort()}`;
    await expect(find({ ...common, mongo_type: 'single', server: nobody })).rejects.toThrow('nobody listens');
    expect(performance.now() - from).toBeLessThan(4000); // as long as the driver would look for others
  });

  test(
    'without a password nothing is told, and one that hangs is given up',
    async () => {
      const engine = filled(await startMongoFake());
      onTestFinished(engine.close);
      const single = { ...common, mongo_type: 'single', server: engine.address } as const;
      await expect(find({ ...single, username: undefined })).rejects.toThrow('wants a user and password');
      engine.silent = true;
      const topology = { ...common.topology, socket_timeout_ms: '300ms' };
      await expect(find({ ...single, topology })).rejects.toThrow(/no answer/);
    },
    START_MS,
  );
});

describe('a system that takes connections and says nothing', () => {
  let server: Server;
  let address: string;
  const sockets = new Set<Socket>();
  beforeAll(async () => {
    server = createServer((socket) => {
      sockets.add(socket);
      socket
        .resume()
        .on('error', () => undefined)
        .once('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const bound = server.address();
    address = `127.0.0.1:${typeof bound === 'object' ? bound?.port : ''}`;
  });
  afterAll(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const deps = { log: new LogBook(), outbound: anywhere };
  const sql = { database: 'd', username: 'u', password: 'canary', pool_size: 1, ssl: ssl() };
  test.each<[string, () => Backend & { ask: () => Promise<unknown> }]>([
    [
      'postgresql',
      () => {
        const config = {
          ...sql,
          server: address,
          query_timeout: '300ms',
          disable_prepared_statements: false,
        };
        const backend = openPostgresql(config, deps);
        return Object.assign(backend, { ask: () => backend.query('SELECT 1', []) });
      },
    ],
    [
      'mysql',
      () => {
        const backend = openMysql({ ...sql, server: address, query_timeout: '300ms' }, deps);
        return Object.assign(backend, { ask: () => backend.query('SELECT 1', []) });
      },
    ],
    [
      'http',
      () => {
        const timeouts = { connect_timeout: '300ms', request_timeout: '300ms' };
        const backend = openHttp(
          { origin: `http://${address}`, pool_size: 1, enable_pipelining: 1, ssl: ssl(), ...timeouts },
          deps,
        );
        const request = { method: 'GET', path: '/', headers: {}, body: null } as const;
        return Object.assign(backend, { ask: () => backend.request(request) });
      },
    ],
    [
      'redis',
      () => {
        const backend = openRedis(
          { redis_type: 'single', server: address, database: 0, pool_size: 1, ssl: ssl() },
          deps,
        );
        return Object.assign(backend, { ask: () => backend.command('PING', []) });
      },
    ],
  ])('%s: whoever asks hears in time, and closing ends every connection', async (_, open) => {
    const backend = open();
    await expect(backend.ask()).rejects.toThrow(/no answer/);
    expect(backend.metrics).toEqual({ matched: 1, success: 0, failed: 1 });
    await backend.close();
    await expect.poll(() => sockets.size).toBe(0);
    expect(backend.status).toBe('disconnected');
    await expect(backend.ask()).rejects.toThrow('it was closed');
  });
});
