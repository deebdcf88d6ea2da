import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DeliveryAnswer } from '@mqdeck/contract/delivery';
import type { ExhookDetail, ExhookHookInfo, ExhookServer } from '@mqdeck/contract/exhooks';
import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { generate } from 'selfsigned';
import { afterEach, expect, test, vi } from 'vitest';
import type * as z from 'zod/mini';
import { type HookProvider, hookProvider } from '../../testing/engines/hook-provider.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { dial } from '../../testing/test-client.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const until = { timeout: 10_000, interval: 10 };

async function startServer(...given: Parameters<typeof hookProvider>): Promise<HookProvider> {
  const server = await hookProvider(...given);
  ends.push(() => server.close());
  return server;
}

async function startBroker(...given: Parameters<typeof startTestBroker>): Promise<TestBroker> {
  const broker = await startTestBroker(...given);
  ends.push(() => broker.close());
  return broker;
}

type Given = Partial<z.input<typeof ExhookServer>>;

const add = async (broker: TestBroker, { url }: { url: string }, given: Given = {}) => {
  const body = { name: 'ex', url, pool_size: 2, request_timeout: '2s', auto_reconnect: '100ms', ...given };
  const answer = await broker.inject<ExhookDetail>('POST', '/exhooks', { body });
  expect(answer.status).toBe(200);
  return answer.body;
};
const detail = async (broker: TestBroker, name = 'ex') =>
  (await broker.inject<ExhookDetail>('GET', `/exhooks/${name}`)).body;
const statusOf = async (broker: TestBroker) => (await detail(broker)).node_status[0]!.status;
const expectStatus = (broker: TestBroker, status: string) =>
  vi.waitFor(async () => expect(await statusOf(broker)).toBe(status), until);
const alarmNames = async (broker: TestBroker) =>
  (await broker.inject<{ data: { name: string }[] }>('GET', '/alarms')).body.data.map(({ name }) => name);

/** Without rules of its own the broker asks the servers. */
async function withoutRules(broker: TestBroker): Promise<void> {
  await broker.inject('DELETE', '/authorization/sources/file');
}

test('a server hears who the broker is, and the hooks that it wants are there', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [
      { name: 'client.connected' },
      { name: 'message.publish', topics: ['a/#'] },
      { name: 'what.is.this' },
    ],
  });
  const { hooks, node_status } = await add(broker, server);
  expect(hooks).toEqual([
    { name: 'client.connected', params: {} },
    { name: 'message.publish', params: { topics: ['a/#'] } },
  ]);
  expect(node_status).toEqual([{ node: 'mqdeck@127.0.0.1', status: 'connected' }]);
  expect(await server.expectCall('OnProviderLoaded')).toMatchObject({
    broker: { version: '0.0.0-test', sysdescr: 'mqdeck', uptime: expect.any(Number) },
    meta: { node: 'mqdeck@127.0.0.1', cluster_name: 'mqdeck' },
  });
  await broker.client('sensor');
  const { clientinfo } = await server.expectCall('OnClientConnected');
  expect(clientinfo).toMatchObject({
    clientid: 'sensor',
    protocol: 'mqtt',
    peerhost: '127.0.0.1',
    anonymous: true,
  });
  await vi.waitFor(async () => {
    const { body } = await broker.inject<ExhookHookInfo[]>('GET', '/exhooks/ex/hooks');
    expect(body[0]).toMatchObject({ name: 'client.connected', metrics: { succeed: 1, failed: 0 } });
  }, until);
  expect((await detail(broker)).metrics).toMatchObject({ succeed: 1, failed: 0 });
});

test('a server of EMQX 5.0 to 5.8 is understood too', async () => {
  const broker = await startBroker();
  const server = await startServer({ pack: 'emqx.exhook.v2', hooks: [{ name: 'client.connected' }] });
  expect((await add(broker, server)).node_status[0]!.status).toBe('connected');
  await broker.client('sensor');
  await server.expectCall('OnClientConnected');
});

test('who is no exhook server is told apart from one that is away', async () => {
  const broker = await startBroker();
  const other = await startServer({ pack: 'other.package' });
  const { node_status } = await add(broker, other);
  expect(node_status[0]).toMatchObject({
    status: 'error',
    status_reason: expect.stringContaining('HookProvider'),
  });
  await other.kill();
  await expectStatus(broker, 'connecting');
});

test('topic, payload and QoS of a message become what the server says, for receivers, rules and the retainer', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'message.publish', topics: ['in/#'] }],
    answers: [
      {
        call: 'OnMessagePublish',
        topic: 'in/1',
        message: { topic: 'out/1', payload: 'changed', qos: 1 },
      },
    ],
  });
  await add(broker, server);
  const rule = {
    id: 'copy',
    sql: 'SELECT payload FROM "out/#"',
    actions: [{ function: 'republish', args: { topic: 'by-rule', payload: '${payload}' } }],
  };
  expect((await broker.inject('POST', '/rules', { body: rule })).status).toBe(201);
  const copies = await broker.client('copies');
  await copies.subscribe('by-rule');
  const screen = await broker.client('screen');
  await screen.subscribe('+/1', { qos: 2 });
  const sensor = await broker.client('sensor', { username: 'ada' });
  await sensor.publish('in/1', 'came', {
    retain: true,
    properties: { contentType: 'text/plain', userProperty: [['a', 'b']] },
  });
  const message = await screen.expectMessage('changed');
  expect(message).toMatchObject({ topic: 'out/1', qos: 1 });
  await copies.expectMessage('changed');
  expect(await server.expectCall('OnMessagePublish')).toMatchObject({
    message: {
      topic: 'in/1',
      payload: 'came',
      from: 'sensor',
      headers: { username: 'ada', protocol: 'mqtt' },
    },
    props: [{ name: 'Content-Type', value: 'text/plain' }],
    user_props: [{ name: 'a', value: 'b' }],
  });
  const late = await broker.client('late');
  await late.subscribe('out/#');
  expect((await late.expectMessage('changed')).retain).toBe(true);
  // Nobody is asked about what the server did not want
  await sensor.publish('elsewhere/1', 'as it came', { qos: 1 });
  await screen.expectMessage('as it came');
  expect(server.calls.filter(({ call }) => call === 'OnMessagePublish')).toHaveLength(1);
});

test('a message that may not be published reaches nobody, and its publisher goes on', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'message.publish' }],
    answers: [
      { call: 'OnMessagePublish', topic: 'secret', message: { headers: { allow_publish: 'false' } } },
      { call: 'OnMessagePublish', topic: 'nonsense', message: { topic: 'a/#' } },
    ],
  });
  await add(broker, server);
  const screen = await broker.client('screen');
  await screen.subscribe('#');
  const sensor = await broker.client('sensor');
  expect(await sensor.publish('secret', 'x', { qos: 1 })).toBe(ReasonCode.NoMatchingSubscribers);
  expect(await sensor.publish('nonsense', 'y', { qos: 1 })).toBe(0);
  expect((await screen.expectMessage('y')).topic).toBe('nonsense');
  await screen.expectNothing();
});

test('a server refuses a client, and lets another one in', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'client.authenticate' }],
    answers: [
      { call: 'OnClientAuthenticate', clientid: 'bad', bool_result: false },
      { call: 'OnClientAuthenticate', clientid: 'good', bool_result: true },
    ],
  });
  await add(broker, server);
  const { client: bad } = dial(broker.core, 'bad', { username: 'eve', password: 'guess' });
  expect((await bad.connect()).reasonCode).toBe(ReasonCode.NotAuthorized);
  expect(await server.expectCall('OnClientAuthenticate')).toMatchObject({
    clientinfo: { clientid: 'bad', username: 'eve', password: 'guess' },
  });
  await broker.client('good');
  await broker.client('unknown to it');
});

test('who is banned is refused before any server hears of it', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'client.connect' }, { name: 'client.authenticate' }],
    answers: [{ call: 'OnClientAuthenticate', bool_result: true }],
  });
  await add(broker, server);
  await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'thief', reason: 'stolen' } });
  const { client } = dial(broker.core, 'thief');
  expect((await client.connect()).reasonCode).toBe(ReasonCode.Banned);
  await broker.client('owner');
  await server.expectCall('OnClientConnect');
  const heard = server.calls.map(({ request }) => JSON.stringify(request));
  expect(heard.filter((text) => text.includes('thief'))).toEqual([]);
});

test('where an authenticator is enabled it decides, and no server is asked', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'client.authenticate' }],
    answers: [{ call: 'OnClientAuthenticate', bool_result: true }],
  });
  await add(broker, server);
  const body = {
    mechanism: 'password_based',
    backend: 'built_in_database',
    password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
  };
  expect((await broker.inject('POST', '/authentication', { body })).status).toBe(200);
  const { client } = dial(broker.core, 'sensor', { username: 'ada', password: 'x' });
  expect((await client.connect()).reasonCode).toBeGreaterThan(0x80);
  expect(server.calls.map(({ call }) => call)).not.toContain('OnClientAuthenticate');
});

test('a server refuses a subscription and a topic, and allows others', async () => {
  const broker = await startBroker();
  await withoutRules(broker);
  const server = await startServer({
    hooks: [{ name: 'client.authorize' }],
    answers: [
      { call: 'OnClientAuthorize', topic: 'secret/#', bool_result: false },
      { call: 'OnClientAuthorize', topic: 'wall', bool_result: false },
      { call: 'OnClientAuthorize', bool_result: true },
    ],
  });
  await add(broker, server);
  const client = await broker.client('sensor');
  expect(await client.subscribe(['$share/g/secret/#', 'open/#'])).toEqual([ReasonCode.NotAuthorized, 0]);
  expect(await client.publish('wall', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
  expect(await client.publish('open/1', 'x', { qos: 1 })).toBe(0);
  expect(await server.expectCall('OnClientAuthorize', ({ topic }) => topic === 'wall')).toMatchObject({
    type: 'PUBLISH',
    result: true,
  });
});

test('servers are asked in their order: CONTINUE hands on, STOP_AND_RETURN ends it', async () => {
  const broker = await startBroker();
  const hooks = [{ name: 'message.publish' }];
  const first = await startServer({
    hooks,
    answers: [{ call: 'OnMessagePublish', type: 'CONTINUE', message: { payload: 'first' } }],
  });
  const second = await startServer({
    hooks,
    answers: [{ call: 'OnMessagePublish', type: 'STOP_AND_RETURN', message: { payload: 'second' } }],
  });
  await add(broker, first, { name: 'one' });
  await add(broker, second, { name: 'two' });
  const client = await broker.client('sensor');
  await client.subscribe('t');
  await client.publish('t', 'came');
  await client.expectMessage('second');
  expect(await second.expectCall('OnMessagePublish')).toMatchObject({ message: { payload: 'first' } });
  await broker.inject('POST', '/exhooks/two/move', { body: { position: 'front' } });
  await client.publish('t', 'came');
  await client.expectMessage('second');
  expect(first.calls.filter(({ call }) => call === 'OnMessagePublish')).toHaveLength(1);
});

test('killed in the middle with failed_action deny: refused until it is back; an alarm tells of it', async () => {
  const broker = await startBroker();
  await withoutRules(broker);
  const server = await startServer({
    hooks: [{ name: 'message.publish' }, { name: 'client.authenticate' }, { name: 'client.authorize' }],
    answers: [{ call: 'OnMessagePublish', topic: 'hang', silent: true }],
  });
  await add(broker, server, { failed_action: 'deny', request_timeout: '10s' });
  const client = await broker.client('sensor');
  await client.subscribe('#');
  expect(await client.publish('t', 'before', { qos: 1 })).toBe(0);
  await client.expectMessage('before');
  const waiting = client.publish('hang', 'x', { qos: 1 });
  await server.expectCall('OnMessagePublish', ({ message }) => message?.topic === 'hang');
  await server.kill();
  expect(await waiting).toBe(ReasonCode.ImplementationSpecificError);
  await expectStatus(broker, 'connecting');
  expect(await client.publish('t', 'meanwhile', { qos: 1 })).toBe(ReasonCode.ImplementationSpecificError);
  const { client: late } = dial(broker.core, 'late');
  expect((await late.connect()).reasonCode).toBe(ReasonCode.NotAuthorized);
  expect(await client.subscribe('more')).toEqual([ReasonCode.NotAuthorized]);
  expect(await alarmNames(broker)).toContain('exhook:ex');
  const { body: alarms } = await broker.inject<{ data: { message: string; details: unknown }[] }>(
    'GET',
    '/alarms',
  );
  expect(alarms.data[0]!.message).toMatch(
    /what it decides about is refused meanwhile: clients, publishing and subscribing, messages$/,
  );
  expect(alarms.data[0]!.details).toMatchObject({
    refused: ['client.authenticate', 'client.authorize', 'message.publish'],
  });
  expect(broker.core.counters.get('packets.publish.dropped')).toBe(2);
  const publish = { topic: 't', payload: 'by an operator' };
  expect((await broker.inject('POST', '/publish', { body: publish })).status).not.toBe(200);
  expect(broker.core.counters.get('packets.publish.dropped')).toBe(3);
  await client.expectNothing();
  await server.start();
  await expectStatus(broker, 'connected');
  expect(await alarmNames(broker)).not.toContain('exhook:ex');
  expect(await client.publish('t', 'after', { qos: 1 })).toBe(0);
  await client.expectMessage('after');
});

test('killed in the middle with failed_action ignore: everything goes on without it', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'message.publish' }, { name: 'client.authenticate' }, { name: 'client.authorize' }],
    answers: [
      { call: 'OnMessagePublish', topic: 'hang', silent: true },
      { call: 'OnMessagePublish', message: { payload: 'changed' } },
    ],
  });
  await add(broker, server, { failed_action: 'ignore', request_timeout: '10s' });
  const client = await broker.client('sensor');
  await client.subscribe('#');
  const waiting = client.publish('hang', 'as it came', { qos: 1 });
  await server.expectCall('OnMessagePublish');
  await server.kill();
  expect(await waiting).toBe(0);
  await client.expectMessage('as it came');
  await expectStatus(broker, 'connecting');
  await client.publish('t', 'as it came');
  await client.expectMessage('as it came');
  await broker.client('late');
  await server.start();
  await expectStatus(broker, 'connected');
  await client.publish('t', 'as it came');
  await client.expectMessage('changed');
});

test('why a message does not arrive: only for topics that a server wants, and while it is away it refuses them', async () => {
  const broker = await startBroker();
  const server = await startServer({ hooks: [{ name: 'message.publish', topics: ['hook/#'] }] });
  await add(broker, server, { failed_action: 'deny' });
  const others = async (topic: string) => {
    const body = { publisher: 'sensor', subscriber: 'sensor', topic };
    const answer = await broker.inject<DeliveryAnswer>('POST', '/delivery/explain', { body });
    return answer.body.checks.find(({ id }) => id === 'others');
  };
  expect(await others('plant/1')).toMatchObject({ result: 'ok', found: 'nobody' });
  expect(await others('$SYS/hook')).toMatchObject({ result: 'ok', found: 'nobody' });
  expect(await others('hook/1')).toMatchObject({
    result: 'maybe',
    found: 'may_change',
    facts: { who: 'ex' },
  });
  await server.kill();
  await expectStatus(broker, 'connecting');
  expect(await others('plant/1')).toMatchObject({ result: 'ok', found: 'nobody' });
  expect(await others('hook/1')).toMatchObject({ result: 'bad', found: 'refuses', facts: { who: 'ex' } });
});

test('a silent server holds up the publisher that it was asked about, and nobody else', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'message.publish' }],
    answers: [{ call: 'OnMessagePublish', topic: 'hang', silent: true }],
  });
  await add(broker, server, { failed_action: 'ignore', request_timeout: '1s' });
  const [slow, quick] = [await broker.client('slow'), await broker.client('quick')];
  await quick.subscribe('#');
  const late = slow.publish('hang', 'late', { qos: 1 });
  await server.expectCall('OnMessagePublish');
  for (let i = 0; i < 20; i++) await quick.publish('t', `quick ${i}`, { qos: 1 });
  expect(await quick.expectMessages(20)).toEqual(Array.from({ length: 20 }, (_, i) => `quick ${i}`));
  expect(await late).toBe(0);
  await quick.expectMessage('late');
  expect((await detail(broker)).metrics).toMatchObject({ failed: 1 });
});

test('what happens to clients, sessions and messages is told in its order', async () => {
  const broker = await startBroker();
  const names = [
    ...['connect', 'connack', 'connected', 'disconnected', 'subscribe', 'unsubscribe'].map(
      (one) => `client.${one}`,
    ),
    ...['created', 'subscribed', 'unsubscribed', 'resumed', 'discarded', 'takenover', 'terminated'].map(
      (one) => `session.${one}`,
    ),
    ...['delivered', 'acked', 'dropped'].map((one) => `message.${one}`),
  ];
  const server = await startServer({ hooks: names.map((name) => ({ name })) });
  await add(broker, server);
  const persistent = { properties: { sessionExpiryInterval: 600 } };
  const first = await broker.client('c', { ...persistent, keepalive: 30 });
  await first.subscribe('t', { qos: 1, noLocal: false });
  await first.publish('t', 'x', { qos: 1 });
  await first.expectMessage('x');
  await first.publish('nobody', 'y', { qos: 1 });
  await first.unsubscribe('t');
  await broker.client('c', { ...persistent, cleanStart: false }); // resumed and taken over
  await broker.client('c', { cleanStart: true }); // discarded
  await broker.inject('DELETE', '/clients/c');
  await server.expectCall('OnSessionTerminated');
  const heard = (call: string) =>
    server.calls.filter((one) => one.call === call).map(({ request }) => request);
  expect(heard('OnClientConnect')[0]).toMatchObject({
    conninfo: { clientid: 'c', proto_name: 'MQTT', proto_ver: '5', keepalive: 30 },
    props: [{ name: 'Session-Expiry-Interval', value: '600' }],
  });
  expect(heard('OnClientConnack')[0]).toMatchObject({ result_code: 'success' });
  expect(heard('OnClientSubscribe')[0]).toMatchObject({
    topic_filters: [{ name: 't', subopts: { qos: 1 } }],
  });
  expect(heard('OnSessionSubscribed')[0]).toMatchObject({ topic: 't', subopts: { qos: 1 } });
  expect(heard('OnSessionUnsubscribed')[0]).toMatchObject({ topic: 't' });
  expect(heard('OnMessageDelivered')[0]).toMatchObject({
    message: { payload: 'x' },
    clientinfo: { clientid: 'c' },
  });
  expect(heard('OnMessageAcked')).toHaveLength(1);
  expect(heard('OnMessageDropped')).toMatchObject([
    { message: { topic: 'nobody' }, reason: 'no_subscribers' },
  ]);
  for (const call of ['OnSessionCreated', 'OnSessionResumed', 'OnSessionTakenover', 'OnSessionDiscarded'])
    expect(heard(call).length, call).toBeGreaterThan(0);
  const order = server.calls
    .map(({ call }) => call)
    .filter((call) => /Client(Connect|Connack|Connected)$/.test(call));
  expect(order.slice(0, 3)).toEqual(['OnClientConnect', 'OnClientConnack', 'OnClientConnected']);
});

test('what a server cannot keep up with is dropped and counted, and holds up nobody', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'message.dropped' }],
    answers: [{ call: 'OnMessageDropped', silent: true }],
  });
  await add(broker, server, { request_timeout: '30s' });
  const client = await broker.client('sensor');
  for (let i = 0; i < 10_050; i++) client.sendPublish('nobody', 'x');
  await client.ping();
  const { metrics } = await detail(broker);
  expect(metrics.dropped).toBe(49); // one is under way, 10,000 wait
  expect(metrics.failed).toBe(49);
});

test('a server that is disabled or removed hears so, and its hooks are left', async () => {
  const broker = await startBroker();
  const server = await startServer({ hooks: [{ name: 'message.publish' }, { name: 'client.connected' }] });
  const { name, url } = await add(broker, server);
  expect(broker.core.hooks.used['client.connected'].some(({ owner }) => owner === 'exhook')).toBe(true);
  const { body } = await broker.inject<ExhookDetail>('PUT', `/exhooks/${name}`, {
    body: { name, url, enable: false },
  });
  expect(body.node_status[0]!.status).toBe('disabled');
  expect(body.hooks).toEqual([]);
  await server.expectCall('OnProviderUnloaded');
  const joined = Object.values(broker.core.hooks.used).flat();
  expect(joined.filter(({ owner }) => owner === 'exhook')).toEqual([]);
  await broker.inject('PUT', `/exhooks/${name}`, { body: { name, url } });
  expect(await statusOf(broker)).toBe('connected');
  expect((await broker.inject('DELETE', `/exhooks/${name}`)).status).toBe(204);
  expect(
    Object.values(broker.core.hooks.used)
      .flat()
      .filter(({ owner }) => owner === 'exhook'),
  ).toEqual([]);
});

test('one that cannot be reached: connecting, or stopped where nobody shall try again', async () => {
  const broker = await startBroker();
  const nobody = { url: 'http://127.0.0.1:1' };
  const { node_status } = await add(broker, nobody);
  expect(node_status[0]).toMatchObject({
    status: 'connecting',
    status_reason: 'nobody listens on 127.0.0.1:1',
  });
  expect(await alarmNames(broker)).toEqual(['exhook:ex']);
  const { body } = await broker.inject<ExhookDetail>('PUT', '/exhooks/ex', {
    body: { name: 'ex', ...nobody, auto_reconnect: false },
  });
  expect(body.node_status[0]!.status).toBe('disconnected');
  await broker.inject('PUT', '/exhooks/ex', { body: { name: 'ex', ...nobody, enable: false } });
  expect(await alarmNames(broker)).toEqual([]);
});

test('who speaks no gRPC, or takes a call and says nothing, holds up nobody for longer than the timeout', async () => {
  const broker = await startBroker();
  const sockets = new Set<Socket>();
  const listening = async (onConnection: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      sockets.add(socket.on('error', () => undefined));
      onConnection(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ends.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };
  const nonsense = await listening((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const silent = await listening(() => undefined);
  for (const [name, server] of Object.entries({ nonsense, silent })) {
    const { node_status } = await add(broker, server, {
      name,
      request_timeout: '500ms',
      auto_reconnect: '10s',
      failed_action: 'ignore',
    });
    expect(node_status[0], name).toMatchObject({ status: 'connecting', status_reason: expect.any(String) });
  }
  const client = await broker.client('sensor');
  expect(await client.publish('t', 'x', { qos: 1 })).toBe(ReasonCode.NoMatchingSubscribers);
});

test('answers that are too large, or errors, are none', async () => {
  const broker = await startBroker();
  const server = await startServer({
    hooks: [{ name: 'message.publish' }],
    answers: [
      { call: 'OnMessagePublish', topic: 'large', message: { payload: 'x'.repeat(5 * 1024 * 1024) } },
      { call: 'OnMessagePublish', topic: 'broken', error: 'a fault of its own' },
    ],
  });
  await add(broker, server, { failed_action: 'ignore' });
  const client = await broker.client('sensor');
  await client.subscribe('#');
  for (const topic of ['large', 'broken']) {
    await client.publish(topic, 'as it came', { qos: 1 });
    expect((await client.expectMessage('as it came')).topic).toBe(topic);
  }
  expect((await detail(broker)).metrics).toMatchObject({ succeed: 0, failed: 2 });
  expect(await statusOf(broker)).toBe('connected');
});

test('TLS: the certificate is looked at, and one of the broker is shown', async () => {
  const broker = await startBroker();
  const made = await generate([{ name: 'commonName', value: 'hooks.example' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'hooks.example' }] }],
  });
  const tls = { cert: made.cert, key: made.private, ca: made.cert };
  const server = await startServer({ tls });
  const mutual = { enable: true, certfile: made.cert, keyfile: made.private };
  const trusting = await add(broker, server, { name: 'trusting', ssl: mutual });
  expect(trusting.node_status[0]).toMatchObject({ status: 'connected' });
  expect(trusting.ssl).toMatchObject({ keyfile: '******' });
  const strict = { ...mutual, verify: 'verify_peer' as const };
  const stranger = await add(broker, server, { name: 'stranger', ssl: strict });
  expect(stranger.node_status[0]!.status).toBe('connecting');
  const careful = await add(broker, server, {
    name: 'careful',
    ssl: { ...strict, cacertfile: made.cert, server_name_indication: 'hooks.example' },
  });
  expect(careful.node_status[0]).toMatchObject({ status: 'connected' });
  const broken = { name: 'broken', url: server.url, ssl: { enable: true, cacertfile: 'nowhere.pem' } };
  expect(await broker.inject('POST', '/exhooks', { body: broken })).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('ssl.cacertfile') },
  });
  // The mask keeps what is stored
  const { body } = await broker.inject<ExhookDetail>('PUT', '/exhooks/trusting', {
    body: { name: 'trusting', url: server.url, ssl: { ...mutual, keyfile: '******' } },
  });
  expect(body.node_status[0]!.status).toBe('connected');
});

test('servers and their order outlive a restart, and are connected again', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'exhook-'));
  ends.push(() => rmSync(dataDir, { recursive: true }));
  const server = await startServer({ hooks: [{ name: 'client.connected' }] });
  const before = await startTestBroker({ dataDir });
  await add(before, server, { name: 'one' });
  await add(before, server, { name: 'two', enable: false });
  await before.inject('POST', '/exhooks/two/move', { body: { position: 'before:one' } });
  await before.close();
  await server.expectCall('OnProviderUnloaded');
  const after = await startBroker({ dataDir });
  const { body } = await after.inject<ExhookDetail[]>('GET', '/exhooks');
  expect(body.map(({ name }) => name)).toEqual(['two', 'one']);
  await vi.waitFor(
    async () => expect((await detail(after, 'one')).node_status[0]!.status).toBe('connected'),
    until,
  );
});

const connect = async (broker: TestBroker) => (await dial(broker.core, 'sensor').client.connect()).reasonCode;

test('failed_action deny: what a server decided about before a restart is refused until it is reached', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'exhook-'));
  ends.push(() => rmSync(dataDir, { recursive: true }));
  const hooks = [{ name: 'client.authenticate' }, { name: 'message.publish', topics: ['in/#'] }];
  const server = await startServer({ hooks });
  const before = await startTestBroker({ dataDir });
  await add(before, server);
  await before.close();
  await server.kill();

  const away = await startTestBroker({ dataDir });
  expect(await connect(away)).toBe(ReasonCode.NotAuthorized);
  expect((await detail(away)).hooks.map(({ name }) => name)).toEqual(hooks.map(({ name }) => name));
  await away.inject('PUT', '/exhooks/ex', { body: { name: 'ex', url: server.url, failed_action: 'ignore' } });
  expect(await connect(away)).toBe(ReasonCode.Success);
  await away.inject('PUT', '/exhooks/ex', { body: { name: 'ex', url: server.url, enable: false } });
  expect(await connect(away)).toBe(ReasonCode.Success);
  await away.close();
});

test('failed_action deny: a server that was never reached lets no client in and no message through', async () => {
  const broker = await startBroker();
  const nobody = { url: 'http://127.0.0.1:1' };
  const sensor = await broker.client('sensor');
  await add(broker, nobody);
  expect(await connect(broker)).toBe(ReasonCode.NotAuthorized);
  expect(await sensor.publish('t', 'x', { qos: 1 })).toBe(ReasonCode.ImplementationSpecificError);
  expect((await detail(broker)).hooks).toEqual([]);
  await broker.inject('PUT', '/exhooks/ex', { body: { name: 'ex', ...nobody, failed_action: 'ignore' } });
  expect(await connect(broker)).toBe(ReasonCode.Success);
});

test('what a server wanted at one address says nothing of another', async () => {
  const broker = await startBroker();
  const server = await startServer({ hooks: [{ name: 'client.connected' }] });
  await add(broker, server);
  const moved = { name: 'ex', url: 'http://127.0.0.1:1' };
  await broker.inject('PUT', '/exhooks/ex', { body: moved });
  expect(await connect(broker)).toBe(ReasonCode.NotAuthorized);
  await broker.inject('DELETE', '/exhooks/ex');
  expect(await connect(broker)).toBe(ReasonCode.Success);
});

test('what cannot be is refused', async () => {
  const broker = await startBroker();
  const body = { name: 'ex', url: 'http://127.0.0.1:1', enable: false };
  expect((await broker.inject('POST', '/exhooks', { body })).status).toBe(200);
  const post = (given: object) =>
    broker.inject('POST', '/exhooks', { body: { ...body, name: 'other', ...given } });
  for (const given of [
    { name: 'ex' },
    { name: '' },
    { name: 'a b' },
    { name: 'a'.repeat(257) },
    { url: 'nourl' },
    { url: 'file:///etc/passwd' },
    { url: 'http://u:p@host:1' },
    { url: 'http://host:1/path' },
    { url: 'http://host:99999' },
    { url: undefined },
    { pool_size: 0 },
    { pool_size: 1e9 },
    { request_timeout: 'x' },
    { request_timeout: '0s' },
    { failed_action: 'cry' },
    { auto_reconnect: true },
    { auto_reconnect: '0ms' },
    { foo: 1 },
  ])
    expect(await post(given), JSON.stringify(given).slice(0, 80)).toMatchObject({
      status: 400,
      body: { code: 'BAD_REQUEST' },
    });
  for (const position of ['middle', 'before:', 'before:none', 'before:ex', 'after:none'])
    expect((await broker.inject('POST', '/exhooks/ex/move', { body: { position } })).status, position).toBe(
      400,
    );
  for (const [method, path, given] of [
    ['GET', '/exhooks/none', undefined],
    ['GET', '/exhooks/none/hooks', undefined],
    ['PUT', '/exhooks/none', { ...body, name: 'none' }],
    ['DELETE', '/exhooks/none', undefined],
    ['POST', '/exhooks/none/move', { position: 'front' }],
  ] as const)
    expect((await broker.inject(method, path, { body: given })).status, `${method} ${path}`).toBe(404);
});

test('what packets and their answers say in properties of MQTT 5 is told', async () => {
  const broker = await startBroker();
  const hooks = ['connack', 'subscribe', 'unsubscribe'].map((one) => ({ name: `client.${one}` }));
  const server = await startServer({ hooks });
  await add(broker, server);
  const client = await broker.client('', { version: 5 });
  const filter = {
    filter: 't',
    qos: 0,
    noLocal: false,
    retainAsPublished: false,
    retainHandling: 0,
  } as const;
  client.send({
    type: PacketType.SUBSCRIBE,
    packetId: 1,
    subscriptions: [filter],
    properties: { subscriptionIdentifier: [7], userProperty: [['who', 'ada']] },
  });
  await client.expect(PacketType.SUBACK);
  client.send({
    type: PacketType.UNSUBSCRIBE,
    packetId: 2,
    filters: ['t'],
    properties: { userProperty: [['why', 'enough']] },
  });
  await client.expect(PacketType.UNSUBACK);
  await server.expectCall('OnClientUnsubscribe');
  const told = (call: string) => server.calls.find((one) => one.call === call)?.request;
  expect(told('OnClientConnack')).toMatchObject({
    result_code: 'success',
    props: expect.arrayContaining([
      { name: 'Assigned-Client-Identifier', value: expect.stringMatching(/^auto-/) },
    ]),
  });
  expect(told('OnClientSubscribe')).toMatchObject({
    props: [{ name: 'Subscription-Identifier', value: '7' }],
    user_props: [{ name: 'who', value: 'ada' }],
  });
  expect(told('OnClientUnsubscribe')).toMatchObject({
    props: [],
    user_props: [{ name: 'why', value: 'enough' }],
  });
});
