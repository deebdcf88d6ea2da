import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MASK } from '@mqdeck/contract/kit/values';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { addressOf } from './push.ts';

let broker: TestBroker;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await broker.close();
});

interface Settings {
  enable_basic_auth: boolean;
  push_gateway: {
    enable: boolean;
    url: string;
    interval: string;
    method: string;
    headers: object;
    job_name: string;
  };
}
const settings = async () => (await broker.inject<Settings>('GET', '/prometheus')).body;
const put = (body: object) => broker.inject<Settings>('PUT', '/prometheus', { body });
const stats = (given: object = {}) =>
  broker.inject<string>('GET', '/prometheus/stats', { authorization: null, ...given });

describe('the figures', () => {
  test('are text that Prometheus reads, each figure of a type that was said', async () => {
    const sensor = await broker.client('sensor');
    await sensor.publish('t', 'x', { qos: 1 });
    const { status, headers, body } = await stats();
    expect(status).toBe(200);
    expect(headers['content-type']).toContain('text/plain');
    expect(body).toContain('# TYPE emqx_live_connections_count gauge\nemqx_live_connections_count 1\n');
    expect(body).toContain('# TYPE emqx_packets_publish_received counter\nemqx_packets_publish_received 1\n');
    const lines = body.trimEnd().split('\n');
    const figures = lines.filter((line) => !line.startsWith('#'));
    for (const line of figures) expect(line).toMatch(/^emqx_[a-z0-9_]+(\{[^}]+\})? -?\d+(\.\d+)?(e\+\d+)?$/);
    const named = lines.filter((line) => line.startsWith('# TYPE'));
    expect(new Set(named).size).toBe(named.length);
  });

  test('name their node when they are asked for by node', async () => {
    const { body } = await stats({ query: { mode: 'all_nodes_unaggregated' } });
    expect(body).toContain(`emqx_connections_count{node="${broker.core.node}"} `);
    expect((await stats({ query: { mode: 'x' } })).status).toBe(400);
  });

  test('are JSON for whoever wants JSON', async () => {
    const { body } = await broker.inject<Record<string, object>>('GET', '/prometheus/stats', {
      headers: { accept: 'application/json' },
    });
    expect(body).toMatchObject({
      authn: { emqx_authentication_success: 0 },
      packets: { emqx_packets_received: 0 },
      stats: { emqx_connections_count: 0 },
      certs: [],
    });
  });

  test('are for those alone who show an API key or a token, once that is wanted', async () => {
    expect((await put({ ...(await settings()), enable_basic_auth: true })).status).toBe(200);
    expect((await stats()).status).toBe(401);
    expect((await stats({ authorization: `Bearer ${broker.token}` })).status).toBe(200);
    const { body: key } = await broker.inject<{ api_key: string; api_secret: string }>('POST', '/api_key', {
      body: { name: 'scraper', desc: '', enable: true },
    });
    const basic = (secret: string) => `Basic ${Buffer.from(`${key.api_key}:${secret}`).toString('base64')}`;
    expect((await stats({ authorization: basic(key.api_secret) })).status).toBe(200);
    expect((await stats({ authorization: basic('wrong') })).status).toBe(401);
    await put({ ...(await settings()), enable_basic_auth: false });
    expect((await stats()).status).toBe(200);
  });
});

describe('a push gateway', () => {
  /** Answers the requests it was sent, in their order. */
  async function startGateway(status = 202) {
    const seen: { method: string; url: string; headers: Record<string, unknown>; body: string }[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      seen.push({ method: request.method!, url: request.url!, headers: request.headers, body });
      response.writeHead(status).end();
      server.emit('seen');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => server.close());
    return { server, seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  }

  test('gets the figures at once and again, with the headers that were set, which nobody reads again', async () => {
    const gateway = await startGateway();
    const { push_gateway, ...rest } = await settings();
    const seen = once(gateway.server, 'seen');
    const headers = { Authorization: 'Basic c2VjcmV0' };
    const wanted = {
      ...push_gateway,
      enable: true,
      url: `${gateway.url}/`,
      headers,
      job_name: '${name}/x~${host}',
    };
    const { body } = await put({ ...rest, push_gateway: wanted });
    expect(body.push_gateway.headers).toEqual({ Authorization: MASK });
    await seen;
    expect(gateway.seen[0]).toMatchObject({ method: 'PUT', url: '/metrics/job/mqdeck/x~127.0.0.1' });
    expect(gateway.seen[0]!.headers.authorization).toBe('Basic c2VjcmV0');
    expect(gateway.seen[0]!.body).toContain('emqx_connections_count ');

    const again = once(gateway.server, 'seen');
    await put({ ...rest, push_gateway: { ...body.push_gateway, interval: '1s', method: 'post' } });
    await again;
    expect(gateway.seen.at(-1)).toMatchObject({ method: 'POST' });
    expect(gateway.seen.at(-1)!.headers.authorization).toBe('Basic c2VjcmV0');
  });

  test('may be set in the words of older clients', async () => {
    const body = {
      enable: false,
      push_gateway_server: 'http://127.0.0.1:1',
      interval: '15s',
      job_name: 'j',
      headers: {},
    };
    expect((await put(body)).body.push_gateway).toMatchObject({ url: 'http://127.0.0.1:1', job_name: 'j' });
  });

  test('addresses nothing but a job, whatever its name', () => {
    expect(addressOf('http://h:9091', 'a b/../c', 'mqdeck@h')).toBe('http://h:9091/metrics/job/a%20b/_/c');
    expect(addressOf('http://h:9091/', '${name}', 'mqdeck@h')).toBe('http://h:9091/metrics/job/mqdeck');
  });

  test('that cannot be is refused', async () => {
    const usual = await settings();
    for (const part of [
      { interval: 'x' },
      { url: 'nourl' },
      { url: 'file:///etc/passwd' },
      { url: 'http://user:canary@127.0.0.1:9091' },
      { method: 'get' },
      { foo: 1 },
    ])
      expect(await put({ ...usual, push_gateway: { ...usual.push_gateway, ...part } })).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
    expect(
      (await put({ ...usual, push_gateway: { ...usual.push_gateway, headers: { X: MASK } } })).status,
    ).toBe(400);
  });
});

test('a StatsD server gets gauges, and what counters have grown by', async () => {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  ends.push(() => socket.close());
  const server = `127.0.0.1:${socket.address().port}`;
  const body = { enable: true, server, sample_time_interval: '1s', flush_time_interval: '2s' };
  expect((await broker.inject('PUT', '/statsd', { body })).body).toEqual(body);
  const sensor = await broker.client('sensor');
  await sensor.publish('t', 'x', { qos: 1 });
  let text = '';
  for await (const [packet] of (async function* () {
    for (;;) yield (await once(socket, 'message')) as [Buffer];
  })()) {
    text += `${packet.toString()}\n`;
    expect(packet.length).toBeLessThanOrEqual(1400);
    if (text.includes('emqx_packets_publish_received')) break;
  }
  expect(text).toContain('emqx_packets_publish_received:1|c');
  expect(text).toContain('emqx_connections_count:1|g');
  for (const wrong of [{ server: 'a b' }, { flush_time_interval: 'x' }, { foo: 1 }])
    expect((await broker.inject('PUT', '/statsd', { body: { ...body, ...wrong } })).status).toBe(400);
});
