import { execFile } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { promisify } from 'node:util';
import type { Bridge } from '@mqdeck/contract/bridges';
import { jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  BEFORE,
  expectAll,
  MESSAGES,
  metricsOf,
  patience,
  publishNumbers,
  sendThroughAnOutage,
} from '../../testing/bridge-outage.ts';
import { describeWith, type Engine } from '../../testing/engines/engine.ts';
import { type HttpEngine, startHttpServer } from '../../testing/engines/http-server.ts';
import {
  INFLUXDB_PROGRAMS,
  startInfluxdb,
  startVictoria,
  VICTORIA_PROGRAMS,
} from '../../testing/engines/influxdb.ts';
import { KAFKA_PROGRAMS, type KafkaEngine, startKafka } from '../../testing/engines/kafka.ts';
import { isFull } from '../../testing/extent.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const run = promisify(execFile);
let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const quick = { worker_pool_size: 1, health_check_interval: '200ms', auto_restart_interval: '500ms' };
const post = (body: object) => broker.inject<Bridge & { message: string }>('POST', '/bridges', { body });
const rule = (id: string, sql = 'SELECT * FROM "t/#"') =>
  broker.inject('POST', '/rules', { body: { id: 'r', sql, actions: [id] } });
const numbered = (n: number) => `{"n":${n}}`;
const publish = (from: number, to: number) => publishNumbers(broker, from, to, numbered);

describeWith('InfluxDB 1', INFLUXDB_PROGRAMS, () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await startInfluxdb();
    await fetch(`http://${engine.address}/query?q=CREATE+DATABASE+mqtt`, { method: 'POST' });
  }, 60_000);
  afterAll(() => engine?.close());
  const query = async (q: string) => {
    const answer = await fetch(`http://${engine.address}/query?db=mqtt&q=${encodeURIComponent(q)}`);
    const { results } = (await answer.json()) as {
      results: { series?: { columns: string[]; values: unknown[][] }[] }[];
    };
    return results[0]?.series?.[0]?.values ?? [];
  };

  test('gets every message though it is killed in the middle', async () => {
    const made = await post({
      type: 'influxdb_api_v1',
      name: 'i',
      server: engine.address,
      database: 'mqtt',
      write_syntax: 'msg,topic=${topic},client=${clientid} n=${payload.n}i,text="${payload}" ${payload.n}',
      resource_opts: { ...quick, batch_size: 200 },
    });
    expect(made.body.status).toBe('connected');
    await rule('influxdb_api_v1:i', 'SELECT topic, clientid, json_decode(payload) as payload FROM "t/#"');
    await sendThroughAnOutage(broker, engine, 'influxdb_api_v1:i', { payload: numbered });
    expect((await query('SELECT count(n), max(n) FROM msg'))[0]!.slice(1)).toEqual([MESSAGES, MESSAGES - 1]);
    expect((await query("SELECT n, text FROM msg WHERE topic = 't/3' LIMIT 1"))[0]!.slice(1)).toEqual([
      3,
      '{"n":3}',
    ]);
  }, 120_000);

  test('what it will never take is given up; what an operator can mend waits', async () => {
    await post({
      type: 'influxdb_api_v1',
      name: 'i',
      server: engine.address,
      database: 'none',
      write_syntax: 'm v=${qos}',
      resource_opts: quick,
    });
    await rule('influxdb_api_v1:i');
    publish(0, 1);
    await vi.waitFor(async () => {
      const { body } = await broker.inject<Bridge>('GET', '/bridges/influxdb_api_v1:i');
      expect(body).toMatchObject({
        status: 'disconnected',
        status_reason: expect.stringContaining('the server answered 404: the database'),
      });
    }, patience);
    expect(await metricsOf(broker, 'influxdb_api_v1:i')).toMatchObject({ failed: 0, queuing: 1 });
  }, 60_000);
});

describeWith('VictoriaMetrics as InfluxDB 2', VICTORIA_PROGRAMS, () => {
  test('gets every message though it is away in the middle', async () => {
    const engine = await startVictoria();
    await post({
      type: 'influxdb_api_v2',
      name: 'i',
      server: engine.address,
      org: 'o',
      bucket: 'b',
      token: 'geheim',
      write_syntax: 'msg,client=${clientid} n=${n} ${at}',
      resource_opts: { ...quick, batch_size: 200 },
    });
    await rule(
      'influxdb_api_v2:i',
      'SELECT clientid, int(payload) as n, timestamp - 60000 + int(payload) as at FROM "t/#"',
    );
    await sendThroughAnOutage(broker, engine, 'influxdb_api_v2:i');
    await vi.waitFor(async () => {
      await fetch(`http://${engine.address}/internal/force_flush`);
      const answer = await fetch(`http://${engine.address}/api/v1/export?match={__name__="msg_n"}`);
      const lines = (await answer.text()).trim().split('\n').filter(Boolean);
      expectAll(lines.flatMap((line) => (JSON.parse(line) as { values: number[] }).values));
    }, patience);
    await engine.close();
  }, 120_000);
});

test('InfluxDB 2 is written to with organization, bucket, precision and token', async () => {
  const server = await startHttpServer();
  await post({
    type: 'influxdb_api_v2',
    name: 'i',
    server: server.address,
    org: 'my org',
    bucket: 'b',
    token: 'geheim',
    precision: 's',
    write_syntax: 'm,t=${topic} v=${payload.v},s=${payload.s},i=${payload.v}i ${timestamp}',
    resource_opts: quick,
  });
  await rule('influxdb_api_v2:i', `SELECT topic, payload, 7 as timestamp FROM "t/#"`);
  void broker.core.publish({ topic: 't/a b,c', payload: '{"v":3,"s":"x \\"y\\""}' });
  void broker.core.publish({ topic: 't/1', payload: '{}' });
  await vi.waitFor(
    async () => expect(await metricsOf(broker, 'influxdb_api_v2:i')).toMatchObject({ success: 1, failed: 1 }),
    patience,
  );
  const write = server.got.find(({ method }) => method === 'POST')!;
  expect(write).toMatchObject({ body: 'm,t=t/a\\ b\\,c v=3,s="x \\"y\\"",i=3i 7' });
  expect(write.url).toBe('/api/v2/write?org=my+org&bucket=b&precision=s');
  expect(write.headers.authorization).toBe('Token geheim');
  await server.close();
});

describeWith('Kafka', KAFKA_PROGRAMS, () => {
  let engine: KafkaEngine;
  beforeAll(async () => {
    engine = await startKafka();
  }, 60_000);
  afterAll(() => engine?.close());
  const read = async (topic: string) => {
    const { stdout } = await run(
      'kcat',
      ['-C', '-b', engine.address, '-t', topic, '-e', '-q', '-f', '%p %k %s\n', '-o', 'beginning'],
      { maxBuffer: 64 * 1024 * 1024 },
    );
    return stdout
      .trim()
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(' '));
  };
  const bridge = (given: object, kafka: object = {}) => ({
    type: 'kafka',
    name: 'k',
    bootstrap_hosts: engine.address,
    kafka: { topic: 'mqtt', ...kafka },
    resource_opts: { ...quick, batch_size: 500 },
    ...given,
  });

  test('gets every message, those of one key in their order', async () => {
    const made = await post(
      bridge({}, { partition_strategy: 'key_dispatch', message: { value: '${payload}' } }),
    );
    expect([made.body.status, made.body.status_reason]).toEqual(['connected', undefined]);
    await rule('kafka:k');
    publish(0, MESSAGES);
    await vi.waitFor(
      async () => expect(await metricsOf(broker, 'kafka:k')).toMatchObject({ success: MESSAGES, queuing: 0 }),
      patience,
    );
    const rows = await read('mqtt');
    expect(rows).toHaveLength(MESSAGES);
    const byKey = new Map<string, number[]>();
    for (const [partition, key, value] of rows) {
      const numbers = byKey.get(`${partition} ${key}`) ?? [];
      byKey.set(`${partition} ${key}`, [...numbers, (JSON.parse(value!) as { n: number }).n]);
    }
    expect(byKey.size).toBe(7); // one partition for each key
    for (const numbers of byKey.values()) expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
  }, 120_000);

  test('gets every message though it is away in the middle', async () => {
    await post(bridge({}, { topic: 'outage', message: { value: '${payload}' } }));
    await rule('kafka:k');
    await sendThroughAnOutage(broker, engine, 'kafka:k');
    expectAll((await read('outage')).map(([, , value]) => value));
  }, 120_000);

  test('what is too large takes no other with it', async () => {
    engine.refuseNext();
    await post(
      bridge(
        { resource_opts: { ...quick, batch_size: 500, batch_time: '200ms' } },
        { topic: 'large', max_batch_bytes: '1KB', message: { value: '${payload}' } },
      ),
    );
    await rule('kafka:k');
    for (const letter of ['a', 'b', 'c'])
      void broker.core.publish({ topic: 't/1', payload: letter.repeat(900), qos: 1 });
    await vi.waitFor(
      async () => expect(await metricsOf(broker, 'kafka:k')).toMatchObject({ success: 2, failed: 1 }),
      patience,
    );
    const values = (await read('large')).map((words) => words.at(-1)![0]);
    expect(values.sort()).toEqual(['b', 'c']);
  }, 60_000);

  test.each(['gzip', 'snappy'])(
    'packed by %s',
    async (compression) => {
      await post(
        bridge(
          {},
          { topic: `packed-${compression}`, compression, message: { key: '${topic}', value: '${payload}' } },
        ),
      );
      await rule('kafka:k');
      publish(0, 100);
      await vi.waitFor(
        async () => expect(await metricsOf(broker, 'kafka:k')).toMatchObject({ success: 100 }),
        patience,
      );
      const numbers = (await read(`packed-${compression}`)).map(
        ([, , value]) => (JSON.parse(value!) as { n: number }).n,
      );
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, n) => n));
    },
    60_000,
  );

  test('a consumer brings messages to topics here and to rules', async () => {
    await post({
      type: 'kafka_consumer',
      name: 'in',
      bootstrap_hosts: engine.address,
      kafka: { offset_reset_policy: 'earliest' },
      topic_mapping: [
        { kafka_topic: 'inbound', mqtt_topic: 'k/${.key}', qos: 1, payload_template: '${.value}' },
      ],
      resource_opts: { health_check_interval: '1s' },
    });
    await broker.inject('POST', '/rules', {
      body: {
        id: 'r',
        sql: 'SELECT topic, key FROM "$bridges/kafka_consumer:in"',
        actions: [{ function: 'republish', args: { topic: 'ruled', payload: '${key}' } }],
      },
    });
    const ear = await broker.client('ear');
    await ear.subscribe(['k/#', 'ruled'], { qos: 1 });
    const child = execFile('kcat', ['-P', '-b', engine.address, '-t', 'inbound', '-K', ':']);
    child.stdin!.end('a:one\nb:two\n');
    const got: string[] = [];
    await vi.waitFor(async () => {
      const { topic, payload } = await ear.expectMessage();
      got.push(`${topic} ${Buffer.from(payload).toString()}`);
      expect(got).toHaveLength(4);
    }, patience);
    expect(got.sort()).toEqual(['k/a one', 'k/b two', 'ruled a', 'ruled b']);
    expect(await metricsOf(broker, 'kafka_consumer:in')).toMatchObject({ received: 2 });
  }, 90_000);

  // Finding its group again takes the client half a minute
  const testInFull = isFull ? test : () => undefined;
  testInFull(
    'what a consumer misses while the cluster is away comes later',
    async () => {
      await post({
        type: 'kafka_consumer',
        name: 'late',
        bootstrap_hosts: engine.address,
        kafka: { offset_reset_policy: 'earliest' },
        topic_mapping: [{ kafka_topic: 'many', mqtt_topic: 'k/many', qos: 1, payload_template: '${.value}' }],
        resource_opts: { health_check_interval: '200ms', auto_restart_interval: '500ms' },
      });
      const got = new Set<number>();
      broker.core.hooks.on('message.publish', (message) => {
        if (message.topic === 'k/many') got.add(Number(Buffer.from(message.payload).toString()));
      });
      const produce = async (from: number, to: number) => {
        const sent = run('kcat', ['-P', '-b', engine.address, '-t', 'many']);
        sent.child.stdin!.end(Array.from({ length: to - from }, (_, i) => `${from + i}\n`).join(''));
        await sent;
      };
      const all = (count: number) => vi.waitFor(() => expect(got.size).toBe(count), patience);
      await produce(0, BEFORE);
      await all(BEFORE);
      await engine.kill();
      await vi.waitFor(async () => {
        const { body } = await broker.inject<Bridge>('GET', '/bridges/kafka_consumer:late');
        expect(body.status).toBe('disconnected');
      }, patience);
      await engine.start();
      await produce(BEFORE, MESSAGES);
      await all(MESSAGES);
    },
    120_000,
  );

  test('what cannot be reached or is not available is told', async () => {
    const probe = async (given: object) =>
      (await broker.inject<{ message: string }>('POST', '/bridges_probe', { body: bridge(given) })).body
        ?.message;
    expect(await probe({ bootstrap_hosts: '127.0.0.1:1', resource_opts: { start_timeout: '5s' } })).toMatch(
      /nobody listens|refused|ECONNREFUSED|connect/i,
    );
    expect(await probe({ authentication: { kerberos_principal: 'p', kerberos_keytab_file: 'f' } })).toMatch(
      /Kerberos/,
    );
  }, 30_000);
});

describe('Google Cloud Pub/Sub', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const account = {
    type: 'service_account',
    project_id: 'farm',
    client_email: 'broker@farm.example',
    private_key_id: createHash('sha256').update('x').digest('hex').slice(0, 16),
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  };
  let server: HttpEngine;
  beforeEach(async () => {
    server = await startHttpServer();
  });
  afterEach(() => server.close());
  const bridge = (given: object = {}) => ({
    type: 'gcp_pubsub',
    name: 'g',
    pubsub_topic: 'messages',
    service_account_json: account,
    endpoint: `http://${server.address}`,
    payload_template: '${payload}',
    resource_opts: { ...quick, batch_size: 3, batch_time: '5ms' },
    ...given,
  });

  test('is published to, with tokens that the service account has signed', async () => {
    const made = await post(bridge());
    expect(made.body).toMatchObject({ status: 'connected', service_account_json: '******' });
    await rule('gcp_pubsub:g');
    publish(0, 5);
    await vi.waitFor(
      async () => expect(await metricsOf(broker, 'gcp_pubsub:g')).toMatchObject({ success: 5 }),
      patience,
    );
    const sent = server.got.filter(({ method }) => method === 'POST');
    expect(sent[0]!.url).toBe('/v1/projects/farm/topics/messages:publish');
    const messages = sent.flatMap(
      ({ body }) => (JSON.parse(body) as { messages: { data: string }[] }).messages,
    );
    expect(messages.map(({ data }) => Buffer.from(data, 'base64').toString())).toEqual(
      [0, 1, 2, 3, 4].map((n) => `{"n":${n}}`),
    );
    const token = String(sent[0]!.headers.authorization).replace('Bearer ', '');
    const { payload, protectedHeader } = await jwtVerify(token, publicKey, {
      audience: 'https://pubsub.googleapis.com/',
      issuer: account.client_email,
    });
    expect(payload.sub).toBe(account.client_email);
    expect(protectedHeader.kid).toBe(account.private_key_id);
  });

  test('a service account that is none is refused', async () => {
    const probe = async (given: object) =>
      (await broker.inject<{ message: string }>('POST', '/bridges_probe', { body: bridge(given) })).body
        .message;
    expect(await probe({ service_account_json: 'no JSON' })).toMatch(/no JSON/);
    expect(await probe({ service_account_json: { ...account, private_key: undefined } })).toMatch(
      /private_key/,
    );
    expect(await probe({ service_account_json: { ...account, private_key: 'x' } })).toMatch(/private key/);
  });
});
