import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import type { Bridge, BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import type { Rule, RuleMetricsAnswer } from '@mqdeck/contract/rules';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { patience } from '../../testing/bridge-outage.ts';
import { LogBook } from '../../testing/log-book.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

interface Hit {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Of the connection that it came by. */
  from: number;
}
let broker: TestBroker;
let other: TestBroker | null = null;
let server: Server;
let hits: Hit[];
/** A status, or null: none at all. */
let answer: (hit: Hit) => number | null;
beforeEach(async () => {
  hits = [];
  answer = () => 200;
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { method, url, headers, socket } = request;
      const hit = { method: method!, url: url!, headers, body, from: socket.remotePort! };
      hits.push(hit);
      const status = answer(hit);
      if (status !== null) response.writeHead(status).end('{}');
    });
  });
  await listen(0);
  broker = await startTestBroker();
});
afterEach(async () => {
  await broker.close();
  await other?.close();
  other = null;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
type Failure = { code: string; message: string; rules?: string[] };
const post = (body: object) => broker.inject<Bridge & Failure>('POST', '/bridges', { body });
const quick = { health_check_interval: '100ms', auto_restart_interval: '200ms', worker_pool_size: 1 };
const webhook = (given: object = {}) => ({
  type: 'webhook',
  name: 'hook',
  url: `${address()}/in`,
  resource_opts: quick,
  ...given,
});
const rule = (sql: string, ...actions: unknown[]) =>
  broker.inject<Rule>('POST', '/rules', { body: { id: 'r', sql, actions } });
const metricsOf = async (id: string) =>
  (await broker.inject<BridgeMetricsAnswer>('GET', `/bridges/${id}/metrics`)).body.metrics;
const send = async (topic: string, payload: string) => {
  const client = await broker.client('sensor', { username: 'u' });
  await client.publish(topic, payload, { qos: 1 });
};

describe('a webhook', () => {
  test('is called for each result of a rule, with what its templates say', async () => {
    const { status, body } = await post(
      webhook({
        url: `${address()}/in/\${topic}?c=\${clientid}`,
        method: 'put',
        headers: { 'X-Topic': '${topic}', 'content-type': 'application/json' },
        body: '{"t":"${topic}","p":${payload}}',
      }),
    );
    expect([status, body.status, body.node_status]).toEqual([
      201,
      'connected',
      [{ node: 'mqdeck@127.0.0.1', status: 'connected' }],
    ]);
    await rule('SELECT * FROM "wh/#"', 'webhook:hook', { function: 'console' });
    await send('wh/1', '{"a":1}');
    await vi.waitFor(() => expect(hits).toHaveLength(1));
    expect(hits[0]).toMatchObject({
      method: 'PUT',
      url: '/in/wh%2F1?c=sensor',
      body: '{"t":"wh/1","p":{"a":1}}',
    });
    expect(hits[0]!.headers).toMatchObject({ 'x-topic': 'wh/1', 'content-type': 'application/json' });
    await vi.waitFor(async () =>
      expect(await metricsOf('webhook:hook')).toMatchObject({ matched: 1, success: 1, sent: 1 }),
    );
    const { body: counted } = await broker.inject<RuleMetricsAnswer>('GET', '/rules/r/metrics');
    expect(counted.metrics).toMatchObject({ 'actions.success': 2 });
    expect((await broker.inject<Rule>('GET', '/rules/r')).body.actions[0]).toBe('http:hook');
  });

  test('without a body template sends the row; GET has no body', async () => {
    await post(webhook());
    await post(webhook({ name: 'get', method: 'get', url: `${address()}/g?t=\${topic}` }));
    await rule('SELECT topic, payload.a as a FROM "wh/#"', 'http:hook', 'webhook:get');
    await send('wh/ü b', '{"a":1}');
    await vi.waitFor(() => expect(hits).toHaveLength(2));
    expect(JSON.parse(hits.find(({ method }) => method === 'POST')!.body)).toEqual({ topic: 'wh/ü b', a: 1 });
    expect(hits.find(({ method }) => method === 'GET')).toMatchObject({
      url: '/g?t=wh%2F%C3%BC%20b',
      body: '',
    });
  });

  test('takes messages of a topic without any rule', async () => {
    await post(webhook({ local_topic: 'direct/#', body: '${payload}' }));
    await send('direct/1', 'hello');
    await send('elsewhere', 'no');
    await vi.waitFor(() => expect(hits.map(({ body }) => body)).toEqual(['hello']));
  });

  test('a server that is away gets everything when it is back, in order, and an alarm says so meanwhile', async () => {
    await post(webhook({ body: '${payload}' }));
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    const { port } = server.address() as AddressInfo;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    const client = await broker.client('sensor');
    for (let i = 0; i < 100; i++) await client.publish('wh/1', String(i), { qos: 1 });
    const alarms = async () =>
      (await broker.inject<{ data: { name: string; message: string }[] }>('GET', '/alarms')).body.data;
    await vi.waitFor(async () =>
      expect((await alarms()).map(({ name }) => name)).toContain('bridge:webhook:hook'),
    );
    expect((await broker.inject<Bridge>('GET', '/bridges/webhook:hook')).body).toMatchObject({
      status: 'disconnected',
      status_reason: `nobody listens on 127.0.0.1:${port}`,
    });
    await listen(port);
    await vi.waitFor(() => expect(hits).toHaveLength(100), { timeout: 10_000 });
    expect(hits.map(({ body }) => Number(body))).toEqual(Array.from({ length: 100 }, (_, i) => i));
    await vi.waitFor(async () => expect(await alarms()).toEqual([]));
  });

  test('a refusal for now is tried again, one for good is not', async () => {
    await post(webhook({ body: '${payload}' }));
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    let first = true;
    answer = ({ body }) => {
      if (body === 'never') return 400;
      if (!first) return 200;
      first = false;
      return 503;
    };
    await send('wh/1', 'later');
    await send('wh/1', 'never');
    await vi.waitFor(
      async () =>
        expect(await metricsOf('webhook:hook')).toMatchObject({ success: 1, failed: 1, retried: 1 }),
      { timeout: 5000 },
    );
  });

  test('an answer that does not come in time is asked for again', async () => {
    await post(webhook({ body: '${payload}', request_timeout: '200ms', max_retries: 1 }));
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    answer = () => (hits.length === 1 ? null : 200);
    await send('wh/1', 'patient');
    await vi.waitFor(
      async () =>
        expect(await metricsOf('webhook:hook')).toMatchObject({ success: 1, retried: 0, failed: 0 }),
      { timeout: 5000 },
    );
    expect(hits.map(({ body }) => body)).toEqual(['patient', 'patient']);
  });

  test('requests for one client use one connection, if that is wished', async () => {
    await post(webhook({ pool_type: 'hash', pool_size: 4, url: `${address()}/\${clientid}` }));
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    for (let i = 0; i < 20; i++)
      void broker.core.publish({ topic: 'wh/1', payload: 'x', qos: 1, clientid: `c${i % 4}` });
    await vi.waitFor(() => expect(hits).toHaveLength(20));
    const ways = new Map(hits.map(({ url, from }) => [`${url} ${from}`, from]));
    expect(ways.size).toBe(4); // each client by one
    expect(new Set(ways.values()).size).toBeGreaterThan(1);
  });

  test('what a row says cannot send the request to another server or add headers', async () => {
    await post(webhook({ url: `${address()}/x\${payload}`, headers: { 'x-a': '${payload}' } }));
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    await send('wh/1', '@evil.example/\r\nX-Bad: 1');
    await vi.waitFor(() => expect(hits).toHaveLength(1));
    expect(hits[0]!.headers['x-bad']).toBeUndefined();
  });

  test('each value of a row is one segment of the path or one parameter of the query', async () => {
    await post(
      webhook({ url: `${address()}/ü/\${clientid}/\${topic}?v=\${payload}#part`, local_topic: 'wh/#' }),
    );
    const client = await broker.client('../../admin?x=1#');
    await client.publish('wh/1', 'a&b=c#d/../%2e', { qos: 1 });
    await vi.waitFor(() => expect(hits).toHaveLength(1));
    expect(hits[0]!.url).toBe('/%C3%BC/..%2F..%2Fadmin%3Fx%3D1%23/wh%2F1?v=a%26b%3Dc%23d%2F..%2F%252e');
  });

  test.each(['.', '..'])('a client %j sends no request to another path', async (clientid) => {
    await post(webhook({ url: `${address()}/devices/\${clientid}/state`, local_topic: 'wh/#' }));
    await (await broker.client(clientid)).publish('wh/1', '{}', { qos: 1 });
    await (await broker.client('honest')).publish('wh/1', '{}', { qos: 1 });
    await vi.waitFor(() => expect(hits.map(({ url }) => url)).toEqual(['/devices/honest/state']));
    expect(await metricsOf('webhook:hook')).toMatchObject({ matched: 2, failed: 1 });
  });

  test('a value of a row ends no header', async () => {
    await post(webhook({ headers: { 'x-payload': 'v ${payload}' }, local_topic: 'wh/#' }));
    await send('wh/1', 'a\r\nx-evil: 1\0b');
    await vi.waitFor(() => expect(hits).toHaveLength(1));
    expect(hits[0]!.headers).toMatchObject({ 'x-payload': 'v a  x-evil: 1 b' });
    expect(hits[0]!.headers).not.toHaveProperty('x-evil');
  });

  test('whatever letters a row has, it does not stand in the way of the next one', async () => {
    await post(webhook({ url: `${address()}/\${payload}`, headers: { 'x-a': '${payload}' } }));
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    const hostile = ['/[', '/evil.example:99999/', '温度', '\u0001\u007f', '%zz', '\\\\x', 'ok'];
    for (const payload of hostile) await send('wh/1', payload);
    await vi.waitFor(() => expect(hits).toHaveLength(hostile.length));
    const { headers, url } = hits[2]!;
    expect(Buffer.from(headers['x-a'] as string, 'latin1').toString()).toBe('温度');
    expect(decodeURIComponent(url)).toBe('/温度');
    expect(hits.at(-1)!.url).toBe('/ok');
  });
});

describe('an HTTP server that means no good', () => {
  const influx = (at: string) => ({
    type: 'influxdb_api_v2',
    name: 'i',
    server: at,
    org: 'o',
    bucket: 'b',
    token: 't',
    write_syntax: 'm v=${payload}',
    local_topic: 'wh/#',
    resource_opts: quick,
  });

  test.each(['webhook:hook', 'influxdb_api_v2:i'])('an answer without an end is cut: %s', async (id) => {
    let bytes = 0;
    const endless = createServer((request, response) => {
      request.resume();
      response.writeHead(200);
      const go = () => {
        bytes += 65_536;
        if (!response.destroyed) response.write(Buffer.alloc(65_536), () => setImmediate(go));
      };
      go();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => endless.once('listening', resolve));
    const at = `127.0.0.1:${(endless.address() as AddressInfo).port}`;
    const made = await post(
      id === 'webhook:hook' ? webhook({ url: `http://${at}/`, local_topic: 'wh/#' }) : influx(at),
    );
    expect(made.body.status).toBe('connected');
    await send('wh/1', '1');
    await vi.waitFor(async () => expect(await metricsOf(id)).toMatchObject({ success: 1 }));
    expect(bytes).toBeLessThan(16 * 1024 * 1024); // what the sockets hold, and not more
    endless.closeAllConnections();
    await new Promise((resolve) => endless.close(resolve));
  });

  test('says nothing in the words of the server', async () => {
    const book = new LogBook();
    const own = await startTestBroker({ log: book });
    const strict = createServer((request, response) => {
      request.resume();
      response.writeHead(request.url === '/ping' ? 204 : 401);
      response.end(request.url === '/ping' ? undefined : '{"error":"canary"}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => strict.once('listening', resolve));
    await own.inject('POST', '/bridges', {
      body: influx(`127.0.0.1:${(strict.address() as AddressInfo).port}`),
    });
    await (await own.client('sensor')).publish('wh/1', '1', { qos: 1 });
    const { facts } = await book.line('a bridge is disconnected', 0, '401');
    expect(facts.reason).toBe('the server answered 401: the login is refused');
    await own.close();
    strict.closeAllConnections();
    await new Promise((resolve) => strict.close(resolve));
  });
});

describe('MQTT', () => {
  const bridge = (given: object) => ({
    type: 'mqtt',
    name: 'm',
    server: `127.0.0.1:${other!.addresses.tcp}`,
    resource_opts: quick,
    ...given,
  });

  test('brings messages to the other broker, unchanged or by templates', async () => {
    other = await startTestBroker({ tcp: 0 });
    const ear = await other.client('ear');
    await ear.subscribe('#', { qos: 2 });
    const { status, body } = await post(
      bridge({ proto_ver: 'v5', egress: { local: { topic: 'eg/#' }, remote: { topic: 'fwd/${topic}' } } }),
    );
    expect([status, body.status]).toEqual([201, 'connected']);
    await send('eg/1', 'x');
    const message = await ear.expectMessage();
    expect([message.topic, Buffer.from(message.payload).toString(), message.qos]).toEqual([
      'fwd/eg/1',
      'x',
      1,
    ]);
    await rule('SELECT payload.a as a FROM "ru/#"', 'mqtt:m');
    await send('ru/1', '{"a":1}');
    expect((await ear.expectMessage()).topic).toBe('fwd/undefined');
  });

  test('shares the work between connections, each client by one of them', async () => {
    other = await startTestBroker({ tcp: 0 });
    const ear = await other.client('ear');
    await ear.subscribe('out/#', { qos: 1 });
    const both = {
      ingress: { remote: { topic: 'in/#', qos: 1 }, local: { topic: 'got/${topic}' }, pool_size: 2 },
      egress: { local: { topic: 'eg/#' }, remote: { topic: 'out/${topic}', qos: 1 }, pool_size: 3 },
    };
    await post(bridge(both));
    const there = async () =>
      (
        await other!.inject<{ data: { clientid: string; subscriptions_cnt: number; recv_msg: number }[] }>(
          'GET',
          '/clients?like_clientid=m:',
        )
      ).body.data;
    expect((await there()).map(({ subscriptions_cnt }) => subscriptions_cnt).sort()).toEqual([0, 1, 1]);
    for (let i = 0; i < 30; i++)
      void broker.core.publish({ topic: 'eg/1', payload: `${i}`, qos: 1, clientid: `c${i % 3}` });
    const got: number[] = [];
    while (got.length < 30) got.push(Number(Buffer.from((await ear.expectMessage()).payload).toString()));
    expect((await there()).map(({ recv_msg }) => recv_msg)).toEqual([10, 10, 10]);
    for (const client of [0, 1, 2])
      expect(got.filter((n) => n % 3 === client)).toEqual(
        Array.from({ length: 10 }, (_, i) => i * 3 + client),
      );
    const heard = await broker.client('heard');
    await heard.subscribe('got/#');
    await (await other.client('far')).publish('in/1', 'once', { qos: 1 });
    expect((await heard.expectMessage()).topic).toBe('got/in/1');
    await heard.expectNothing();
    await post(bridge({ ...both, name: 'single', mode: 'cluster_singleton' }));
    const { body } = await other.inject<{ data: unknown[] }>('GET', '/clients?like_clientid=single:');
    expect(body.data).toHaveLength(1);
  });

  test('fetches messages from the other broker: for rules, and for a topic here', async () => {
    other = await startTestBroker({ tcp: 0 });
    await rule('SELECT topic, payload, server FROM "$bridges/mqtt:m"', {
      function: 'republish',
      args: { topic: 'ruled', payload: '${.}' },
    });
    const ear = await broker.client('ear');
    await ear.subscribe(['got/#', 'ruled']);
    await post(
      bridge({
        ingress: {
          remote: { topic: 'in/#', qos: 1 },
          local: { topic: 'got/${topic}', qos: 1, retain: false },
        },
      }),
    );
    await (await other.client('far')).publish('in/1', 'hi', { qos: 1 });
    const got = [await ear.expectMessage(), await ear.expectMessage()];
    expect(got.map(({ topic }) => topic).sort()).toEqual(['got/in/1', 'ruled']);
    expect(await metricsOf('mqtt:m')).toMatchObject({ received: 1 });
  });

  test('what came from there does not go back there', async () => {
    other = await startTestBroker({ tcp: 0 });
    await post(
      bridge({
        ingress: { remote: { topic: 'a' }, local: { topic: 'b' } },
        egress: { local: { topic: 'b' }, remote: { topic: 'c' } },
      }),
    );
    const ear = await other.client('ear');
    await ear.subscribe('c');
    await (await other.client('far')).publish('a', 'hi', { qos: 1 });
    await vi.waitFor(async () => expect(await metricsOf('mqtt:m')).toMatchObject({ received: 1 }));
    await ear.expectNothing();
  });

  describe('to the broker itself', () => {
    const loops = (names: string[], given: (name: string) => object) =>
      Promise.all(
        names.map((name) =>
          other!.inject('POST', '/bridges', {
            body: bridge({ name, egress: { remote: { topic: `loop/${name}`, qos: 1 } }, ...given(name) }),
          }),
        ),
      );
    const count = async (start: () => Promise<unknown>) => {
      let published = 0;
      other!.core.hooks.on('message.publish', ({ topic }) => void (topic.startsWith('loop/') && published++));
      await start();
      const client = await other!.client('sensor');
      await client.publish('loop/start', 'x', { qos: 1 });
      await vi.waitFor(async () => {
        const { body } = await other!.inject<{ data: { name: string }[] }>('GET', '/alarms');
        expect(body.data.map(({ name }) => name)).toContain('rules_feed_each_other');
      });
      await client.publish('end', 'x', { qos: 1 });
      return published;
    };

    test('a message goes round each bridge once, and an alarm says so', async () => {
      other = await startTestBroker({ tcp: 0 });
      const published = await count(() => loops(['a', 'b'], () => ({ local_topic: 'loop/#' })));
      expect(published).toBeLessThan(10);
    });

    test('a rule that feeds its bridge with what comes back is stopped', async () => {
      other = await startTestBroker({ tcp: 0 });
      const published = await count(async () => {
        await loops(['a', 'b'], () => ({}));
        const body = { id: 'r', sql: 'SELECT * FROM "loop/#"', actions: ['mqtt:a', 'mqtt:b'] };
        await other!.inject('POST', '/rules', { body });
      });
      expect(published).toBeLessThan(10);
    });
  });

  test('comes back by itself, with all that waited', async () => {
    other = await startTestBroker({ tcp: 0 });
    await post(bridge({ egress: { local: { topic: 'eg/#' }, remote: { topic: '${topic}', qos: 1 } } }));
    const port = other.addresses.tcp!;
    await other.close();
    const client = await broker.client('sensor');
    for (let i = 0; i < 50; i++) await client.publish('eg/1', String(i), { qos: 1 });
    other = await startTestBroker();
    const ear = await other.client('ear'); // before the bridge can be there
    await ear.subscribe('eg/#', { qos: 1 });
    const door = { type: 'tcp', name: 'again', bind: `127.0.0.1:${port}` };
    expect((await other.inject('POST', '/listeners', { body: door })).status).toBe(200);
    const got: number[] = [];
    while (got.length < 50) got.push(Number(Buffer.from((await ear.expectMessage()).payload).toString()));
    expect(got).toEqual(Array.from({ length: 50 }, (_, i) => i));
  });

  test('a row whose topic is none does not stand in the way of the next one', async () => {
    other = await startTestBroker({ tcp: 0 });
    await post(bridge({ egress: { local: { topic: 'e' }, remote: { topic: '${payload}', qos: 1 } } }));
    const ear = await other.client('ear');
    await ear.subscribe('ok');
    for (const payload of ['x'.repeat(70_000), 'a/#', '', 'ok']) await send('e', payload);
    expect((await ear.expectMessage()).topic).toBe('ok');
    await vi.waitFor(async () => {
      const { body } = await broker.inject<BridgeMetricsAnswer>('GET', '/bridges/mqtt:m/metrics');
      expect(body.metrics).toMatchObject({ failed: 3, success: 1 });
    }, patience);
  });

  test('needs a direction, and remote topics that differ', async () => {
    other = await startTestBroker({ tcp: 0 });
    expect((await post(bridge({}))).body.message).toMatch(/At least one remote topic/);
    const both = bridge({ ingress: { remote: { topic: 'a' } }, egress: { remote: { topic: 'a' } } });
    expect((await post(both)).body.message).toMatch(/must differ/);
  });

  test('needs workers to send, and none to fetch', async () => {
    other = await startTestBroker({ tcp: 0 });
    const without = (side: object) => bridge({ ...side, resource_opts: { worker_pool_size: 0 } });
    const refused = await post(without({ egress: { remote: { topic: 'a' } } }));
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/worker_pool_size/)]);
    expect((await post(without({ ingress: { remote: { topic: 'a' } } }))).status).toBe(201);
  });
});

describe('the API', () => {
  test('refuses what is no bridge', async () => {
    const cases: [object, RegExp][] = [
      [webhook({ type: 'zzz' }), /unknown bridge type/],
      [{}, /required_field/],
      [webhook({ name: 'a b' }), /invalid_map_key/],
      [webhook({ name: '' }), /invalid_map_key/],
      [webhook({ url: undefined }), /required_field/],
      [webhook({ url: 'nourl' }), /valid http/],
      [webhook({ url: `${address()}\${x}/` }), /valid http/],
      [webhook({ method: 'patch' }), /enum/],
      [webhook({ foo: 1 }), /unknown_fields/],
      [webhook({ resource_opts: { worker_pool_size: 0 } }), /1\.\.1024/],
      [webhook({ resource_opts: { worker_pool_size: 1025 } }), /1\.\.1024/],
      [webhook({ resource_opts: { query_mode: 'lazy' } }), /enum/],
      [webhook({ resource_opts: { constructor: 1 } }), /unknown":"constructor"/],
    ];
    for (const [body, message] of cases) {
      const refused = await post(body);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(message)]);
    }
    await post(webhook());
    expect((await post(webhook())).body).toMatchObject({ code: 'ALREADY_EXISTS' });
    const changed = await broker.inject<Failure>('PUT', '/bridges/webhook:hook', {
      body: { url: address(), foo: 1 },
    });
    expect([changed.status, changed.body.message]).toEqual([
      400,
      expect.stringMatching(/unknown_fields.*foo/),
    ]);
    for (const path of [
      '/bridges/webhook:none',
      '/bridges/none',
      '/bridges/zzz:none',
      '/bridges/zzz:none/metrics',
    ])
      expect((await broker.inject<Failure>('GET', path)).status).toBe(404);
  });

  test('hides secrets, and keeps those that come back hidden', async () => {
    other = await startTestBroker({ tcp: 0 });
    const body = {
      type: 'mqtt',
      name: 'm',
      server: `127.0.0.1:${other.addresses.tcp}`,
      username: 'u',
      password: 'geheim',
      egress: { remote: { topic: 'x' } },
    };
    expect((await post(body)).body).toMatchObject({ username: 'u', password: '******' });
    const shown = (await broker.inject<Bridge>('GET', '/bridges/mqtt:m')).body;
    const { status } = await broker.inject('PUT', '/bridges/mqtt:m', {
      body: { ...shown, description: 'x' },
    });
    expect(status).toBe(200);
    expect(broker.settings.get('bridges')['mqtt:m']).toMatchObject({ password: 'geheim', description: 'x' });
    expect((await post({ ...body, name: 'copy', password: '******' })).body.message).toMatch(/password/);
  });

  test('hides secrets inside of its address everywhere, and keeps those that come back hidden', async () => {
    const book = new LogBook();
    const own = await startTestBroker({ log: book });
    const url = `${address()}/in?token=canary-1&x=1`;
    const body = webhook({ url, local_topic: 'wh/#' });
    const created = await own.inject<Bridge>('POST', '/bridges', { body });
    expect(created.body.url).toBe(`${address()}/in?token=******&x=1`);
    const refused = await own.inject('POST', '/bridges', {
      body: webhook({ name: 'b', url: 'http://u:canary-2@127.0.0.1/' }),
    });
    expect(refused.status).toBe(400);
    const shown = [created.body, refused.body];
    for (const path of ['/bridges', '/connectors', '/actions', '/actions/http:hook', '/configs', '/audit'])
      shown.push((await own.inject<never>('GET', path, { query: { limit: 100 } })).body);
    expect(JSON.stringify(shown) + book.all).not.toContain('canary');

    const put = (change: object) =>
      own.inject<Failure>('PUT', '/bridges/webhook:hook', { body: { ...created.body, ...change } });
    expect((await put({ description: 'x' })).status).toBe(200);
    const action = (await own.inject<Record<string, unknown>>('GET', '/actions/http:hook')).body;
    const { parameters, connector, resource_opts, local_topic } = action;
    const again = { parameters, connector, resource_opts, local_topic, description: 'y' };
    expect(await own.inject('PUT', '/actions/http:hook', { body: again })).toMatchObject({ status: 200 });
    const client = await own.client('sensor');
    await client.publish('wh/1', 'x', { qos: 1 });
    await vi.waitFor(() => expect(hits.map((hit) => hit.url)).toEqual(['/in?token=canary-1&x=1']));
    await own.close();
  });

  test('a hidden secret of an address is not sent to another server', async () => {
    const { body } = await post(webhook({ url: `${address()}/in?token=canary-1` }));
    const url = String(body.url).replace('127.0.0.1', 'localhost');
    const { status, body: answer } = await broker.inject<Failure>('PUT', '/bridges/webhook:hook', {
      body: { ...body, url },
    });
    expect([status, answer.code]).toEqual([400, 'BAD_REQUEST']);
    expect(answer.message).toContain('"path":"root.url"');
  });

  test('says since when it is there, which no change of it moves', async () => {
    const before = Date.now();
    const body = { type: 'webhook', name: 'w', url: 'http://127.0.0.1:1/', enable: false };
    const made = (await post(body)).body as Bridge;
    expect(Date.parse(made.created_at!)).toBeGreaterThanOrEqual(before - 1000);
    const changed = { ...made, description: 'later', created_at: '2000-01-01T00:00:00Z' };
    expect((await broker.inject('PUT', '/bridges/webhook:w', { body: changed })).status).toBe(200);
    const after = (await broker.inject<Bridge>('GET', '/bridges/webhook:w')).body;
    expect(after).toMatchObject({ description: 'later', created_at: made.created_at });
    // Its connector and its action are not asked for it
    expect((await broker.inject('GET', '/connectors/http:w')).status).toBe(200);
  });

  test('starts, stops, disables; a stopped bridge takes nothing', async () => {
    await post(webhook());
    await rule('SELECT * FROM "wh/#"', 'webhook:hook');
    const state = async () => {
      const { body } = await broker.inject<Bridge>('GET', '/bridges/webhook:hook');
      return [body.enable, body.status];
    };
    const operate = async (operation: string) =>
      (await broker.inject('POST', `/bridges/webhook:hook/${operation}`)).status;
    expect([await operate('stop'), await state()]).toEqual([204, [true, 'stopped']]);
    await send('wh/1', 'x');
    expect(await metricsOf('webhook:hook')).toMatchObject({ 'dropped.resource_stopped': 1 });
    expect([await operate('start'), await state()]).toEqual([204, [true, 'connected']]);
    expect([await operate('restart'), await operate('fly')]).toEqual([204, 404]);
    const enable = (word: string) => broker.inject('PUT', `/bridges/webhook:hook/enable/${word}`);
    expect([(await enable('false')).status, await state()]).toEqual([204, [false, 'stopped']]);
    expect([(await enable('maybe')).status, (await enable('true')).status, await state()]).toEqual([
      404,
      204,
      [true, 'connected'],
    ]);
    const { last_reset: before = 0 } = await metricsOf('webhook:hook');
    expect((await broker.inject('PUT', '/bridges/webhook:hook/metrics/reset')).status).toBe(204);
    const counted = await metricsOf('webhook:hook');
    expect(counted).toMatchObject({ matched: 0, dropped: 0, rate: 0, rate_last5m: 0, rate_max: 0 });
    expect(counted.last_reset).toBeGreaterThanOrEqual(before);
    expect((await broker.inject('POST', '/nodes/other@x/bridges/webhook:hook/start')).status).toBe(404);
  });

  test('does not delete what rules use, unless told to take it out of them', async () => {
    await post(webhook());
    await rule('SELECT * FROM "wh/#"', 'webhook:hook', { function: 'console' });
    const refused = await broker.inject<Failure>('DELETE', '/bridges/webhook:hook');
    expect([refused.status, refused.body.rules]).toEqual([400, ['r']]);
    expect(
      (await broker.inject('DELETE', '/bridges/webhook:hook', { query: { also_delete_dep_actions: 'true' } }))
        .status,
    ).toBe(204);
    expect((await broker.inject<Rule>('GET', '/rules/r')).body.actions).toEqual([{ function: 'console' }]);
    expect((await broker.inject('DELETE', '/bridges/webhook:hook')).status).toBe(404);
  });

  test('tries a configuration before it is saved', async () => {
    const probe = (body: object) => broker.inject<Failure>('POST', '/bridges_probe', { body });
    expect((await probe(webhook())).status).toBe(204);
    const failed = await probe(webhook({ url: 'http://127.0.0.1:1/' }));
    expect([failed.status, failed.body.code, failed.body.message]).toEqual([
      400,
      'TEST_FAILED',
      'nobody listens on 127.0.0.1:1',
    ]);
    expect((await probe({ type: 'webhook', name: 'x' })).body.message).toMatch(/url/);
    expect((await broker.inject<Bridge[]>('GET', '/bridges')).body).toEqual([]);
  });

  test('a broker ends while its bridges wait for a target that never answers', async () => {
    const silent = createTcpServer((socket) => void socket.on('error', () => undefined)).listen(
      0,
      '127.0.0.1',
    );
    await new Promise((resolve) => silent.once('listening', resolve));
    const reached = new Promise((resolve) => silent.once('connection', resolve));
    const at = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const own = await startTestBroker();
    const body = { type: 'mqtt', name: 'm', server: at, egress: { remote: { topic: 't' } } };
    const creating = own.inject('POST', '/bridges', {
      body: { ...body, resource_opts: { ...quick, start_timeout: '10m' } },
    });
    await reached;
    await own.close();
    await creating;
    await new Promise((resolve) => silent.close(resolve));
  });

  test('waits for an answer as long as it is told, however long that is', async () => {
    const resource_opts = { ...quick, start_timeout: '60d', health_check_interval: 0 };
    const { status } = await broker.inject('POST', '/bridges_probe', { body: webhook({ resource_opts }) });
    expect(status).toBe(204);
    const { body } = await post(webhook({ resource_opts }));
    expect(body).toMatchObject({ status: 'connected', resource_opts: { health_check_interval: 0 } });
  });

  test('what waits on disk waits for ever, unless somebody says how long', async () => {
    const ttl = async (name: string, resource_opts: object) =>
      (await post(webhook({ name, resource_opts }))).body.resource_opts as { request_ttl: string };
    expect(await ttl('m', {})).toMatchObject({ buffer_mode: 'memory', request_ttl: '45s' });
    expect(await ttl('d', { buffer_mode: 'disk' })).toMatchObject({ request_ttl: 'infinity' });
    expect(await ttl('q', { enable_queue: true })).toMatchObject({ request_ttl: 'infinity' });
    expect(await ttl('s', { buffer_mode: 'disk', request_ttl: '1h' })).toMatchObject({ request_ttl: '1h' });
  });

  test('takes the names of earlier brokers', async () => {
    const { body } = await post(
      webhook({
        resource_opts: {
          request_timeout: '7s',
          async_inflight_window: 9,
          max_queue_bytes: '2MB',
          enable_queue: true,
        },
      }),
    );
    expect(body.resource_opts).toMatchObject({
      query_mode: 'sync', // unless told
      request_ttl: '7s',
      inflight_window: 9,
      max_buffer_bytes: '2MB',
      buffer_mode: 'disk',
    });
  });
});
