import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';
import { describeWith, type Engine } from '@mqdeck/broker/testing/engines/engine';
import { startHttpServer } from '@mqdeck/broker/testing/engines/http-server';
import {
  INFLUXDB_PROGRAMS,
  startInfluxdb,
  startVictoria,
  VICTORIA_PROGRAMS,
} from '@mqdeck/broker/testing/engines/influxdb';
import { KAFKA_PROGRAMS, startKafka } from '@mqdeck/broker/testing/engines/kafka';
import { MARIADB, MARIADB_PROGRAMS, startMariadb } from '@mqdeck/broker/testing/engines/mariadb';
import { MONGO, startMongoFake } from '@mqdeck/broker/testing/engines/mongo-fake';
import { POSTGRESQL, POSTGRESQL_PROGRAMS, startPostgresql } from '@mqdeck/broker/testing/engines/postgresql';
import {
  REDIS_PASSWORD,
  REDIS_PROGRAMS,
  startRedis,
  startRedisCluster,
  startRedisSentinel,
} from '@mqdeck/broker/testing/engines/redis';
import type { BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import { createConnection } from 'mysql2/promise';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorOf } from './api.ts';
import { expectAfterRefresh } from './browser.ts';
import { connectDevice } from './devices.ts';
import { type RunningServer, startServer } from './server.ts';
import type { Stage } from './stage.ts';

const START_MS = 120_000;
const PATIENCE = { timeout: 30_000, interval: 100 };
const MESSAGE = 'it\'s {"ü":1}';
const run = promisify(execFile);

export interface Target {
  readonly close: () => unknown;
  /** What is entered, by the name of the field. */
  readonly fields: Readonly<Record<string, string>>;
  /** What is chosen before, by the name of the field. */
  readonly choose?: Readonly<Record<string, string>>;
  /** Fields with an editor, by their labels. */
  readonly editors?: Readonly<Record<string, string>>;
  /** What the target holds of a message. */
  arrived(): Promise<unknown>;
  readonly expected: unknown;
}

async function enter(page: Page, { fields, choose = {}, editors = {} }: Target): Promise<void> {
  await page.locator('[name="name"]').waitFor();
  for (const [name, value] of Object.entries(choose))
    await page.locator(`select[name="${name}"]`).selectOption(value);
  const advanced = page.locator('details:not([open]) > summary');
  while ((await advanced.count()) > 0) await advanced.first().click();
  for (const [name, value] of Object.entries(fields)) await page.locator(`[name="${name}"]`).fill(value);
  for (const [label, value] of Object.entries(editors)) {
    const editor = page.getByRole('textbox', { name: label, exact: true });
    await editor.press('ControlOrMeta+a');
    await editor.press('Backspace');
    await page.keyboard.insertText(value);
  }
}

async function metricsOf(stage: Stage, id: string) {
  const call = await operatorOf(stage.server);
  return (await call<BridgeMetricsAnswer>('GET', `/bridges/${id}/metrics`)).metrics;
}

/** Tests the connection, creates the bridge, and finds it connected in the list. */
async function create(page: Page, id: string): Promise<void> {
  await page.getByRole('button', { name: 'Test connection' }).click();
  const said = page.getByRole('status').filter({ hasText: /Connection|Test|Not tested/ });
  await expect.poll(() => said.first().innerText(), PATIENCE).toBe('Connection is successful');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: id }).waitFor();
  await page.getByRole('button', { name: 'Back to the list' }).click();
  const connected = page.locator(`[data-row="${id}"]`).getByText('Connected', { exact: true });
  await expectAfterRefresh(page, () => connected.count()).toBe(1);
}

export interface BridgeType {
  type: string;
  /** As the console calls the product, where it differs from the type. */
  product?: string;
  programs: readonly string[];
  start(): Promise<Target>;
}

/** The bridge is entered in the browser, and a message of a real client goes through it. */
export function testBridge(stage: Stage, { type, product = type, programs, start }: BridgeType): void {
  describeWith(type, programs, () => {
    let target: Target;
    beforeAll(async () => {
      target = await start();
    }, START_MS);
    afterAll(() => target?.close(), START_MS);

    test(`${type}: entered in the browser, it delivers, and its page counts it`, async () => {
      const { page } = await stage.open(`/bridge/dataBridge/create?type=${product}&step=2`, { clock: true });
      await enter(page, {
        ...target,
        fields: { name: 'by-hand', local_topic: `to/${type}/#`, ...target.fields },
      });
      const id = `${type}:by-hand`;
      await create(page, id);
      const device = await connectDevice(stage.server, `sensor-${type}`);
      await device.publishAsync(`to/${type}/1`, MESSAGE, { qos: 1 });
      await expect.poll(() => target.arrived(), PATIENCE).toEqual(target.expected);
      await expect
        .poll(() => metricsOf(stage, id), PATIENCE)
        .toMatchObject({ matched: 1, success: 1, failed: 0 });
      await page.getByRole('link', { name: 'by-hand', exact: true }).first().click();
      const succeeded = page.locator('dl > div', { has: page.getByText('Success', { exact: true }) });
      await expectAfterRefresh(page, () => succeeded.locator('dd > span').first().innerText()).toBe('1');
    });
  });
}

/** All types of bridges that deliver. */
export const bridgeTypes: BridgeType[] = [];
function add(type: string, programs: readonly string[], start: BridgeType['start'], product = type): void {
  bridgeTypes.push({ type, product, programs, start });
}

add('webhook', [], async () => {
  const engine = await startHttpServer();
  return {
    close: engine.close,
    fields: { url: `${engine.url}/in/\${clientid}` },
    editors: { Body: '${payload}' },
    arrived: async () =>
      engine.got.filter(({ method }) => method === 'POST').map(({ url, body }) => ({ url, body })),
    expected: [{ url: '/in/sensor-webhook', body: MESSAGE }],
  };
});

const TABLE =
  'create table t_mqtt_msg (msgid varchar(64), topic varchar(255), qos smallint, payload text, arrived timestamp)';
const ROW = [{ topic: 'to/TYPE/1', qos: 1, payload: MESSAGE }];
const rowOf = (type: string) => ROW.map((row) => ({ ...row, topic: row.topic.replace('TYPE', type) }));

add('mysql', MARIADB_PROGRAMS, async () => {
  const engine = await startMariadb();
  await engine.run(TABLE);
  const { database, username, password } = MARIADB;
  return {
    close: engine.close,
    fields: { server: engine.address, database, username, password },
    arrived: async () => {
      const connection = await createConnection({
        host: '127.0.0.1',
        port: engine.port,
        user: username,
        password,
        database,
      });
      const [rows] = await connection.query('select topic, qos, payload from t_mqtt_msg');
      await connection.end();
      return rows;
    },
    expected: rowOf('mysql'),
  };
});

for (const type of ['pgsql', 'timescale', 'matrix'])
  add(type, POSTGRESQL_PROGRAMS, async () => {
    const engine = await startPostgresql();
    await engine.run(TABLE);
    const { database, username, password } = POSTGRESQL;
    return {
      close: engine.close,
      fields: { server: engine.address, database, username, password },
      arrived: async () => {
        const client = new pg.Client({
          host: '127.0.0.1',
          port: engine.port,
          user: username,
          password,
          database,
        });
        await client.connect();
        const { rows } = await client.query('select topic, qos, payload from t_mqtt_msg');
        await client.end();
        return rows;
      },
      expected: rowOf(type),
    };
  });

const PUSH = { 'Redis command template': 'LPUSH q:${clientid} ${payload}' };
const redisTarget = (
  engine: Awaited<ReturnType<typeof startRedis>>,
  type: string,
  fields: Target['fields'],
  mode?: string,
): Target => ({
  close: engine.close,
  fields: { ...fields, password: REDIS_PASSWORD },
  ...(mode === undefined ? {} : { choose: { redis_type: mode } }),
  editors: PUSH,
  // At least once: what the server does not confirm in time is sent again.
  arrived: async () => [...new Set((await engine.run('LRANGE', `q:sensor-${type}`, '0', '-1')) as string[])],
  expected: [MESSAGE],
});
add(
  'redis_single',
  REDIS_PROGRAMS,
  async () => {
    const engine = await startRedis();
    return redisTarget(engine, 'redis_single', { server: engine.address });
  },
  'redis',
);
add(
  'redis_sentinel',
  REDIS_PROGRAMS,
  async () => {
    const engine = await startRedisSentinel('mymaster');
    return redisTarget(
      engine,
      'redis_sentinel',
      { servers: engine.address, sentinel: 'mymaster' },
      'sentinel',
    );
  },
  'redis',
);
add(
  'redis_cluster',
  REDIS_PROGRAMS,
  async () => {
    const engine = await startRedisCluster();
    const target = redisTarget(engine, 'redis_cluster', { servers: engine.address }, 'cluster');
    // The key lives on one of the two.
    const look = (on: typeof engine.run) => on('LRANGE', 'q:sensor-redis_cluster', '0', '-1');
    return {
      ...target,
      arrived: () => look(engine.run).catch(() => look(engine.runOnOther)),
    };
  },
  'redis',
);

for (const [type, mode, kind] of [
  ['mongodb_single', 'single', 'single'],
  ['mongodb_rs', 'rs', { replicaSet: 'rs0' }],
  ['mongodb_sharded', 'sharded', 'sharded'],
] as const)
  add(
    type,
    [],
    async () => {
      const engine = await startMongoFake({ kind });
      return {
        close: engine.close,
        choose: { mongo_type: mode },
        fields: {
          [type === 'mongodb_single' ? 'server' : 'servers']: engine.address,
          ...(type === 'mongodb_rs' ? { replica_set_name: 'rs0' } : {}),
          username: MONGO.username,
          password: MONGO.password,
          collection: 'messages',
        },
        editors: { 'Payload template': '{"from": "${clientid}", "text": ${payload}}' },
        arrived: async () =>
          (engine.collections.get('messages') ?? []).map(({ from, text }) => ({ from, text })),
        expected: [{ from: `sensor-${type}`, text: MESSAGE }],
      };
    },
    'mongodb',
  );

add(
  'influxdb_api_v1',
  INFLUXDB_PROGRAMS,
  async () => {
    const engine = await startInfluxdb();
    const ask = async (method: string, query: string) =>
      (
        await fetch(`http://${engine.address}/query?db=mqtt&q=${encodeURIComponent(query)}`, { method })
      ).json() as Promise<{ results: { series?: { values: unknown[][] }[] }[] }>;
    await ask('POST', 'CREATE DATABASE mqtt');
    return {
      close: engine.close,
      choose: { api: 'v1' },
      fields: { server: engine.address, database: 'mqtt' },
      editors: { 'Line protocol': 'msg,client=${clientid} text="${payload}"' },
      arrived: async () =>
        (await ask('GET', 'SELECT client, text FROM msg')).results[0]?.series?.[0]?.values.map((row) =>
          row.slice(1),
        ),
      expected: [['sensor-influxdb_api_v1', MESSAGE]],
    };
  },
  'influxdb',
);
add(
  'influxdb_api_v2',
  VICTORIA_PROGRAMS,
  async () => {
    const engine = await startVictoria();
    return {
      close: engine.close,
      choose: { api: 'v2' },
      fields: { server: engine.address, org: 'farm', bucket: 'messages', token: 'geheim' },
      editors: { 'Line protocol': 'msg,client=${clientid} qos=${qos}' },
      arrived: async () => {
        const answer = await fetch(`http://${engine.address}/api/v1/export?match[]=msg_qos`);
        const text = await answer.text();
        if (text.trim() === '') return null;
        const { metric, values } = JSON.parse(text) as { metric: { client: string }; values: number[] };
        return [metric.client, values];
      },
      expected: ['sensor-influxdb_api_v2', [1]],
    };
  },
  'influxdb',
);

const consume = async (engine: Pick<Engine, 'address'>, topic: string) =>
  (await run('kcat', ['-C', '-b', engine.address, '-t', topic, '-e', '-q', '-f', '%k %s', '-o', 'beginning']))
    .stdout;

add('kafka', KAFKA_PROGRAMS, async () => {
  const engine = await startKafka();
  return {
    close: engine.close,
    fields: { bootstrap_hosts: engine.address, 'kafka.topic': 'mqtt' },
    editors: { Value: '${payload}' },
    arrived: () => consume(engine, 'mqtt'),
    expected: `sensor-kafka ${MESSAGE}`,
  };
});

add('gcp_pubsub', [], async () => {
  const engine = await startHttpServer();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    type: 'service_account',
    project_id: 'farm',
    client_email: 'console@farm.iam.gserviceaccount.com',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  return {
    close: engine.close,
    fields: {
      pubsub_topic: 'messages',
      service_account_json: JSON.stringify(account),
      endpoint: engine.url,
    },
    editors: { 'Payload template': '${payload}' },
    arrived: async () =>
      engine.got
        .filter(({ method }) => method === 'POST')
        .flatMap(({ body }) => (JSON.parse(body) as { messages: { data: string }[] }).messages)
        .map(({ data }) => Buffer.from(data, 'base64').toString()),
    expected: [MESSAGE],
  };
});

/** A bridge that fetches. */
export function testKafkaConsumer(stage: Stage): void {
  describeWith('kafka_consumer', KAFKA_PROGRAMS, () => {
    test('kafka_consumer: entered in the browser, what comes from Kafka is published here', async () => {
      const engine = await startKafka();
      try {
        const { page } = await stage.open('/bridge/dataBridge/create?type=kafka_consumer&step=2', {
          clock: true,
        });
        await enter(page, {
          close: engine.close,
          choose: { 'kafka.offset_reset_policy': 'earliest' },
          fields: {
            name: 'in',
            bootstrap_hosts: engine.address,
            'topic_mapping.0.kafka_topic': 'inbound',
            'topic_mapping.0.mqtt_topic': 'from-kafka/${.key}',
            'topic_mapping.0.payload_template': '${.value}',
          },
          arrived: async () => undefined,
          expected: undefined,
        });
        const heard: string[] = [];
        const ear = await connectDevice(stage.server, 'ear', {
          onMessage: (topic, payload) => heard.push(`${topic} ${payload.toString()}`),
        });
        await ear.subscribeAsync('from-kafka/#', { qos: 1 });
        const child = execFile('kcat', ['-P', '-b', engine.address, '-t', 'inbound', '-K', ':']);
        child.stdin!.end('pump:one\n');
        await create(page, 'kafka_consumer:in');
        await expect.poll(() => heard, PATIENCE).toEqual(['from-kafka/pump one']);
        expect(await metricsOf(stage, 'kafka_consumer:in')).toMatchObject({ received: 1 });
      } finally {
        await engine.close();
      }
    });
  });
}

/** A bridge that sends and fetches. */
export function testMqttBridge(stage: Stage): void {
  test('mqtt: entered in the browser, it sends to another broker and fetches from it', async () => {
    const other = await startServer();
    try {
      const { page } = await stage.open('/bridge/dataBridge/create?type=mqtt&step=2', { clock: true });
      await page.locator('[name=has_ingress]').check();
      await enter(page, {
        close: other.stop,
        fields: {
          name: 'twin',
          server: `127.0.0.1:${other.ports.tcp}`,
          'egress.local.topic': 'out/#',
          'egress.remote.topic': 'from-here/${topic}',
          'ingress.remote.topic': 'in/#',
          'ingress.local.topic': 'from-there/${topic}',
        },
        arrived: async () => undefined,
        expected: undefined,
      });
      await create(page, 'mqtt:twin');
      const heard: string[] = [];
      const listen = async (at: RunningServer, filter: string) => {
        const client = await connectDevice(at, `ear-${filter.slice(0, 4)}`, {
          onMessage: (topic, payload) => heard.push(`${topic} ${payload.toString()}`),
        });
        await client.subscribeAsync(filter, { qos: 1 });
        return client;
      };
      const [here, there] = [await listen(stage.server, 'from-there/#'), await listen(other, 'from-here/#')];
      await here.publishAsync('out/1', 'there', { qos: 1 });
      await there.publishAsync('in/1', 'here', { qos: 1 });
      await expect
        .poll(() => [...heard].sort(), PATIENCE)
        .toEqual(['from-here/out/1 there', 'from-there/in/1 here']);
      await expect
        .poll(() => metricsOf(stage, 'mqtt:twin'), PATIENCE)
        .toMatchObject({ success: 1, received: 1 });
    } finally {
      await other.stop();
    }
  });
}
