import { generateKeyPairSync } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer, type Server } from 'node:net';
import { JwtJwks } from '@mqdeck/contract/authentication';
import { type BridgeType, bridgeConfig } from '@mqdeck/contract/bridges/types';
import { sslClient } from '@mqdeck/contract/kit/ssl';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { openHttp } from './backends/http.ts';
import { OutboundPolicy, type ResolveAll } from './backends/outbound.ts';
import { openJwks } from './features/authentication/jwks.ts';
import { drivers } from './features/bridges/drivers.ts';
import type { Figure } from './features/prometheus/figures.ts';
import { startPush } from './features/prometheus/push.ts';
import { startStatsd } from './features/prometheus/statsd.ts';
import { callReason, openChannel } from './grpc/channel.ts';
import type { Driver, DriverFactory } from './resources/driver.ts';
import { SettingsStore } from './settings/settings.ts';
import { LogBook } from './testing/log-book.ts';
import { startTestBroker } from './testing/start-test-broker.ts';
import { startTestCore } from './testing/start-test-core.ts';

/** A server on this machine that must not be reached, under its address and under a name that leads to it. */
let server: Server;
let port: number;
let connections = 0;
beforeAll(async () => {
  server = createServer((socket) => {
    connections++;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  port = (server.address() as { port: number }).port;
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  expect(connections).toBe(0);
});

const HOSTS = ['127.0.0.1', 'rebind.example'];
const toLoopback: ResolveAll = (_, __, callback) =>
  void setImmediate(callback, null, [{ address: '127.0.0.1', family: 4 }]);
const outbound = new OutboundPolicy({ mode: 'deny-private', allowed: [] }, toLoopback);
const log = new LogBook();
const DENIED = /The outbound policy denies connections to .*127\.0\.0\.1/;
const ssl = z.parse(sslClient, {});

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});
const account = { project_id: 'p', client_email: 'a@b', private_key: privateKey, private_key_id: 'k' };
const mongo = { database: 'd', username: 'u', password: 'p', collection: 'c' };
const redis = { command_template: ['PING'], password: 'p' };
const sql = { database: 'd', username: 'u', password: 'p', sql: 'INSERT INTO t VALUES (${topic})' };
const influx = { write_syntax: 'm v=${payload}' };
const topicMapping = [{ kafka_topic: 'k', mqtt_topic: 'm', qos: 0, payload_template: '${.}' }];
const bridgeFields: Record<BridgeType, (at: string) => object> = {
  webhook: (at) => ({ url: `http://${at}/` }),
  mqtt: (server) => ({ server, egress: { remote: { topic: 't' } } }),
  mysql: (server) => ({ server, ...sql }),
  pgsql: (server) => ({ server, ...sql }),
  timescale: (server) => ({ server, ...sql }),
  matrix: (server) => ({ server, ...sql }),
  redis_single: (server) => ({ server, ...redis }),
  redis_sentinel: (servers) => ({ servers, sentinel: 's', ...redis }),
  redis_cluster: (servers) => ({ servers, ...redis }),
  mongodb_single: (server) => ({ server, ...mongo }),
  mongodb_rs: (servers) => ({ servers, replica_set_name: 'rs', ...mongo }),
  mongodb_sharded: (servers) => ({ servers, ...mongo }),
  influxdb_api_v1: (server) => ({ server, database: 'd', ...influx }),
  influxdb_api_v2: (server) => ({ server, org: 'o', bucket: 'b', token: 't', ...influx }),
  kafka: (at) => ({ bootstrap_hosts: at, kafka: { topic: 't' } }),
  kafka_consumer: (at) => ({ bootstrap_hosts: at, topic_mapping: topicMapping }),
  gcp_pubsub: (at) => ({
    endpoint: `http://${at}`,
    pubsub_topic: 'topic',
    service_account_json: JSON.stringify(account),
  }),
};
const types = Object.keys(bridgeFields) as BridgeType[];

test.each(types)('a bridge of type %s does not connect to what is denied, and says why', async (type) => {
  for (const host of HOSTS) {
    const config = z.parse(bridgeConfig(type), bridgeFields[type](`${host}:${port}`));
    const nothing = () => undefined;
    const context = {
      id: `${type}:b`,
      node: 'n',
      log,
      outbound,
      receive: nothing,
      publish: nothing,
      broken: nothing,
      connecting: nothing,
    };
    const driver: Driver = (drivers[type] as DriverFactory<unknown>)(config, context);
    await expect(driver.open(new AbortController().signal)).rejects.toThrow(DENIED);
    await driver.close();
  }
});

test.each(HOSTS)('an HTTP authenticator, JWKS and gRPC do not connect to %s', async (host) => {
  const origin = `http://${host}:${port}`;
  const times = { connect_timeout: '5s', request_timeout: '5s' };
  const http = openHttp({ origin, pool_size: 1, enable_pipelining: 1, ssl, ...times }, { log, outbound });
  const request = { method: 'GET', path: '/', headers: {}, body: null } as const;
  await expect(http.request(request)).rejects.toThrow(DENIED);
  await http.close();

  const config = z.parse(JwtJwks, { mechanism: 'jwt', use_jwks: true, endpoint: `${origin}/keys` });
  const jwks = openJwks(config, { log, outbound });
  await jwks.keysFor({ alg: 'RS256' });
  expect(jwks.reason).toMatch(DENIED);
  await jwks.close();

  const channel = openChannel({ url: origin, ssl, outbound, receiveBytesMax: 1000 });
  const failure = await new Promise<Parameters<typeof callReason>[0]>((resolve) => {
    const bytes = (value: Buffer) => value;
    channel.makeUnaryRequest('/a/b', bytes, bytes, Buffer.alloc(0), (error) => resolve(error!));
  });
  expect(callReason(failure, `${host}:${port}`)).toMatch(DENIED);
  channel.close();
});

test('what is denied is refused when it is saved or tried, beside its field', async () => {
  const broker = await startTestBroker({ outbound: { mode: 'deny-private', allowed: [] } });
  const at = `2130706433:${port}`; // 127.0.0.1
  const refused = async (method: string, path: string, field: string, body: object) => {
    const { status, body: answer } = await broker.inject<{ code: string; message: string }>(method, path, {
      body,
    });
    expect([path, status, answer.code]).toEqual([path, 400, 'BAD_REQUEST']);
    expect(answer.message).toContain('The outbound policy denies connections to');
    expect(answer.message).toContain(field);
  };
  for (const type of types) {
    const fields = bridgeFields[type](at);
    const [field = ''] = Object.keys(fields);
    const bridge = { type, name: 'b', ...fields };
    await refused('POST', '/bridges', `"path":"root.${field}"`, bridge);
    await refused('POST', '/bridges_probe', `"path":"root.${field}"`, bridge);
  }
  await refused('POST', '/connectors', '"path":"root.url"', { type: 'http', name: 'c', url: `http://${at}` });
  await refused('POST', '/connectors_probe', '"path":"root.url"', {
    type: 'http',
    name: 'c',
    url: `http://${at}`,
  });
  const http = { method: 'get', url: `http://${at}/` };
  const authn = { mechanism: 'password_based', backend: 'http', ...http };
  await refused('POST', '/authentication', '"path":"root.url"', authn);
  await refused('POST', '/authentication', '"path":"root.endpoint"', {
    mechanism: 'jwt',
    use_jwks: true,
    endpoint: `http://${at}/`,
  });
  await refused('POST', '/authorization/sources', 'url', { type: 'http', ...http });
  await refused('POST', '/exhooks', 'url', { name: 'e', url: `http://${at}` });
  await refused('PUT', '/prometheus', '"path":"root.push_gateway.url"', {
    push_gateway: { enable: true, url: `http://${at}` },
  });
  await refused('PUT', '/statsd', '"path":"root.server"', { enable: true, server: '[::1]:8125' });
  await refused('PUT', '/gateways/exproto', 'handler.address', {
    server: { bind: '127.0.0.1:0' },
    handler: { address: `http://${at}` },
    listeners: [],
  });
  const hocon = `bridges { webhook { b { url = "http://${at}/" } } }`;
  const { status } = await broker.inject('PUT', '/configs', {
    rawBody: hocon,
    headers: { 'content-type': 'text/plain' },
  });
  expect(status).toBe(400);
  expect(await broker.inject('GET', '/bridges')).toMatchObject({ body: [] });
  await broker.close();
});

test('link-local addresses and metadata services are denied without any option; private ones are not', async () => {
  const broker = await startTestBroker();
  const create = (host: string) =>
    broker.inject('POST', '/bridges', {
      body: { type: 'webhook', name: 'b', url: `http://${host}/`, enable: false },
    });
  expect(await create('169.254.169.254')).toMatchObject({ status: 400 });
  expect(await create('0xa9fea9fe')).toMatchObject({ status: 400 });
  expect(await create('[::ffff:169.254.169.254]')).toMatchObject({ status: 400 });
  expect(await create('10.0.0.1')).toMatchObject({ status: 201 });
  await broker.close();
});

test('StatsD and a push gateway get nothing at an address that is denied', async () => {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await new Promise((resolve) => socket.once('listening', resolve));
  const packets = vi.fn();
  socket.on('message', packets);
  const book = new LogBook();
  const { core, pass, close } = startTestCore({ log: book });
  const settings = new SettingsStore(null);
  const figures = (): Figure[] => [{ name: 'f', type: 'gauge', value: 1 }];
  const ends = [
    startStatsd({ core, settings, outbound, figures }),
    startPush({ core, settings, outbound, text: () => '' }),
  ];
  const statsd = {
    server: `rebind.example:${socket.address().port}`,
    sample_time_interval: 1000,
    flush_time_interval: 1000,
  };
  await settings.change('statsd', { enable: true, ...statsd });
  const { push_gateway, ...others } = settings.get('prometheus');
  const url = `http://rebind.example:${port}`;
  await settings.change('prometheus', { ...others, push_gateway: { ...push_gateway, enable: true, url } });
  pass(1000);
  pass(1000);
  for (const text of [
    'figures could not be handed to StatsD',
    'figures could not be handed to the push gateway',
  ])
    expect((await book.line(text)).facts.reason).toMatch(DENIED);
  expect(packets).not.toHaveBeenCalled();
  for (const end of ends) await end();
  await close();
  socket.close();
});
