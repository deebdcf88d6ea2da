import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Action } from '@mqdeck/contract/actions';
import type { Bridge, BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import type { Connector } from '@mqdeck/contract/connectors';
import type { Rule } from '@mqdeck/contract/rules';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

interface Hit {
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
}
let broker: TestBroker;
let other: TestBroker | null = null;
let server: Server;
let hits: Hit[];
beforeEach(async () => {
  hits = [];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      hits.push({ url: request.url!, headers: request.headers, body });
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  broker = await startTestBroker();
});
afterEach(async () => {
  await broker.close();
  await other?.close();
  other = null;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

type Failure = { code: string; message: string; rules?: string[] };
const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const ask = <T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
  broker.inject<T & Failure>(method, path, body ? { body } : {});
const quick = { health_check_interval: '100ms' };
const http = (given: object = {}) => ({
  type: 'http',
  name: 'c1',
  url: `${address()}/base`,
  headers: { 'x-from': 'connector', 'x-who': 'connector' },
  resource_opts: quick,
  ...given,
});
const action = (name: string, parameters: object, given: object = {}) => ({
  type: 'http',
  name,
  connector: 'c1',
  parameters,
  resource_opts: { ...quick, worker_pool_size: 1 },
  ...given,
});
const rule = (sql: string, ...actions: unknown[]) =>
  ask<Rule>('POST', '/rules', { id: 'r', sql, actions } as object);
const send = async (topic: string, payload: string) => {
  const client = await broker.client('sensor');
  await client.publish(topic, payload, { qos: 1 });
};
const connector = async (id = 'http:c1') => (await ask<Connector>('GET', `/connectors/${id}`)).body;

describe('a connector', () => {
  test('has several actions, each with its own path and headers', async () => {
    expect((await ask<Connector>('POST', '/connectors', http())).body).toMatchObject({
      status: 'connected',
      actions: [],
      sources: [],
    });
    for (const name of ['a1', 'a2']) {
      const parameters = { path: `/${name}/\${topic}`, headers: { 'x-who': name }, body: '${payload}' };
      const made = await ask<Action>('POST', '/actions', action(name, parameters));
      expect([made.status, made.body.status, made.body.connector]).toEqual([201, 'connected', 'c1']);
    }
    expect((await connector()).actions).toEqual(['a1', 'a2']);
    await rule('SELECT * FROM "t/#"', 'http:a1', 'http:a2');
    await send('t/1', 'hello');
    await vi.waitFor(() => expect(hits).toHaveLength(2));
    expect(hits.map(({ url, headers, body }) => [url, headers['x-who'], headers['x-from'], body])).toEqual(
      expect.arrayContaining([
        ['/base/a1/t%2F1', 'a1', 'connector', 'hello'],
        ['/base/a2/t%2F1', 'a2', 'connector', 'hello'],
      ]),
    );
    const { body: summary } = await ask<Action[]>('GET', '/actions_summary');
    expect(summary.map(({ name, status, rules }) => [name, status, rules])).toEqual([
      ['a1', 'connected', ['r']],
      ['a2', 'connected', ['r']],
    ]);
    expect(summary[0]).not.toHaveProperty('parameters');
    await vi.waitFor(async () => {
      const { body } = await ask<BridgeMetricsAnswer>('GET', '/actions/http:a1/metrics');
      expect(body.metrics).toMatchObject({ matched: 1, success: 1 });
    });
    expect((await ask('PUT', '/actions/http:a1/metrics/reset')).status).toBe(204);
    expect((await ask<Action>('GET', '/actions/http:a1')).body.rules).toEqual(['r']);
  });

  test('that changes takes all that use it with it', async () => {
    await ask('POST', '/connectors', http());
    for (const name of ['a1', 'a2']) await ask('POST', '/actions', action(name, { path: name }));
    const changed = await ask<Connector>('PUT', '/connectors/http:c1', {
      ...(await connector()),
      url: `${address()}/new`,
    });
    expect([changed.status, changed.body.actions]).toEqual([200, ['a1', 'a2']]);
    const { body: bridges } = await ask<Bridge[]>('GET', '/bridges');
    expect(bridges.map(({ url }) => url)).toEqual([`${address()}/new/a1`, `${address()}/new/a2`]);
  });

  test('that is switched off stops them, and none of them goes on without it', async () => {
    await ask('POST', '/connectors', http());
    await ask('POST', '/actions', action('a1', { path: '/a' }));
    const states = async () => [
      (await connector()).status,
      (await ask<Action>('GET', '/actions/http:a1')).body.status,
    ];
    expect((await ask('PUT', '/connectors/http:c1/enable/false')).status).toBe(204);
    expect(await states()).toEqual(['stopped', 'stopped']);
    for (const [method, path] of [
      ['PUT', '/actions/http:a1/enable/true'],
      ['PUT', '/bridges/webhook:a1/enable/true'],
      ['POST', '/actions/http:a1/start'],
      ['POST', '/connectors/http:c1/start'],
    ] as const)
      expect((await ask(method, path)).body.message).toMatch(/disabled/);
    expect((await ask('PUT', '/connectors/http:c1/enable/true')).status).toBe(204);
    expect(await states()).toEqual(['connected', 'connected']);
    expect((await ask('PUT', '/actions/http:a1/enable/false')).status).toBe(204);
    expect(await states()).toEqual(['connected', 'stopped']); // looked after without its action
  });

  test('stays as long as it is used, and goes by itself', async () => {
    await ask('POST', '/connectors', http());
    await ask('POST', '/actions', action('a1', {}));
    await rule('SELECT * FROM "t/#"', 'http:a1');
    expect((await ask('DELETE', '/connectors/http:c1')).body.message).toMatch(/a1/);
    expect((await ask('DELETE', '/actions/http:a1')).body.rules).toEqual(['r']);
    expect((await ask('DELETE', '/actions/http:a1?also_delete_dep_actions=true')).status).toBe(204);
    expect((await ask<Rule>('GET', '/rules/r')).body.actions).toEqual([]);
    expect((await connector()).status).toBe('connected');
    expect((await ask('DELETE', '/connectors/http:c1')).status).toBe(204);
    expect((await ask('DELETE', '/connectors/http:c1')).status).toBe(404);
    expect(broker.settings.get('bridges')).toEqual({});
  });

  test('says when its target is away, and when it is back', async () => {
    await ask('POST', '/connectors', http());
    const { port } = server.address() as AddressInfo;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await vi.waitFor(async () =>
      expect(await connector()).toMatchObject({
        status: 'disconnected',
        status_reason: `nobody listens on 127.0.0.1:${port}`,
      }),
    );
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    await vi.waitFor(async () => expect((await connector()).status).toBe('connected'), { timeout: 5000 });
  });

  test('is tried before it is saved, as an action is', async () => {
    expect((await ask('POST', '/connectors_probe', http())).status).toBe(204);
    expect((await ask('POST', '/connectors_probe', http({ url: 'http://127.0.0.1:1' }))).body.code).toBe(
      'TEST_FAILED',
    );
    expect((await ask('POST', '/actions_probe', action('a1', {}))).body.message).toMatch(
      /connector_not_found/,
    );
    await ask('POST', '/connectors', http());
    expect((await ask('POST', '/actions_probe', action('a1', {}))).status).toBe(204);
    expect((await ask<Action[]>('GET', '/actions')).body).toEqual([]);
    const untried = { type: 'kafka', name: 'k', bootstrap_hosts: '127.0.0.1:1' };
    expect((await ask('POST', '/connectors_probe', untried)).status).toBe(400);
  });
});

describe('a bridge in one piece', () => {
  const webhook = (given: object = {}) => ({
    type: 'webhook',
    name: 'hook',
    url: `${address()}/in/\${topic}`,
    headers: { authorization: 'Bearer geheim' },
    resource_opts: quick,
    ...given,
  });

  test('is also a connector and an action, and becomes them when one of them changes', async () => {
    await ask('POST', '/bridges', webhook());
    expect(await connector('http:hook')).toMatchObject({ url: address(), actions: ['hook'] });
    const { body: shown } = await ask<Action>('GET', '/actions/http:hook');
    expect(shown).toMatchObject({
      connector: 'hook',
      parameters: { path: '/in/${topic}', headers: { authorization: '******' } },
    });
    const parameters = { ...shown.parameters, path: '/other' };
    const changed = await ask<Action>('PUT', '/actions/http:hook', { ...shown, parameters });
    expect([changed.status, changed.body.message]).toEqual([200, undefined]);
    expect((await ask<Bridge>('GET', '/bridges/webhook:hook')).body.url).toBe(`${address()}/other`);
    expect(broker.settings.get('bridges')['webhook:hook']).toMatchObject({
      connector: 'hook',
      parameters: { headers: { authorization: 'Bearer geheim' } },
    });
    await ask('POST', '/actions', { ...action('a2', { path: '/a2' }), connector: 'hook' });
    expect((await connector('http:hook')).actions).toEqual(['hook', 'a2']);
    expect((await ask('DELETE', '/connectors/http:hook')).status).toBe(400);
  });

  test('that was two parts becomes one when it is changed as a bridge, unless others use its connector', async () => {
    await ask('POST', '/connectors', http());
    await ask('POST', '/actions', action('a1', { path: '/a' }));
    const { resource_opts: _, ...bridge } = (await ask<Bridge>('GET', '/bridges/webhook:a1')).body;
    expect((await ask<Bridge>('PUT', '/bridges/webhook:a1', { ...bridge, method: 'put' })).status).toBe(200);
    expect(await connector('http:a1')).toMatchObject({ actions: ['a1'] });
    expect((await connector()).actions).toEqual([]);
    await ask('POST', '/actions', action('a2', {}, { connector: 'a1' }));
    const refused = await ask('PUT', '/bridges/webhook:a1', bridge);
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/Others use/)]);
    expect((await ask('POST', '/bridges', webhook({ name: 'c1' }))).body.code).toBe('ALREADY_EXISTS');
    expect((await ask('POST', '/connectors', http())).body.code).toBe('ALREADY_EXISTS');
    expect((await ask('DELETE', '/bridges/webhook:a2')).status).toBe(204);
    expect((await ask('DELETE', '/bridges/webhook:a1')).status).toBe(204);
    expect((await ask<Connector[]>('GET', '/connectors')).body.map(({ name }) => name)).toEqual(['c1']);
  });

  test('settings whose parts do not fit are refused', () => {
    const part = { enable: true, connector: 'c', direction: 'action', parameters: {}, resource_opts: {} };
    const cases: [Record<string, { enable: boolean }>, RegExp][] = [
      [{ 'webhook:x': part }, /no such connector/],
      [{ 'connector:zzz:x': { enable: true } }, /no bridge of such a type/],
      [{ 'connector:webhook:x': { enable: true } }, /expected/i],
      [
        {
          'connector:webhook:c': { enable: true, ...{ url: address() } },
          'webhook:x': { ...part, ...{ direction: 'up' } },
        },
        /action or source/,
      ],
    ];
    for (const [section, reason] of cases)
      expect(() => broker.settings.check('bridges', section)).toThrow(reason);
    broker.settings.check('bridges', {
      'connector:webhook:c': { enable: true, ...{ url: address() } },
      'webhook:x': part,
    });
  });
});

describe('another MQTT broker', () => {
  const mqtt = () => ({
    type: 'mqtt',
    name: 'c1',
    server: `127.0.0.1:${other!.addresses.tcp}`,
    username: 'u',
    password: 'geheim',
  });

  test('gets messages by an action, and sends them by a source, over one connector', async () => {
    other = await startTestBroker({ tcp: 0 });
    expect((await ask<Connector>('POST', '/connectors', mqtt())).body).toMatchObject({
      status: 'connected',
      password: '******',
    });
    const parameters = { topic: 'up/${topic}', payload: '${payload}' };
    const up = { type: 'mqtt', name: 'up', connector: 'c1', parameters };
    expect((await ask<Action>('POST', '/actions', up)).body.status).toBe('connected');
    const down = { ...up, name: 'down', parameters: { topic: 'down/#' } };
    expect((await ask<Action>('POST', '/sources', down)).body.status).toBe('connected');
    expect(await connector('mqtt:c1')).toMatchObject({ actions: ['up'], sources: ['down'] });
    expect((await ask('GET', '/actions/mqtt:down')).status).toBe(404);

    const ear = await other.client('ear');
    await ear.subscribe('up/#');
    await rule('SELECT * FROM "t/#"', 'mqtt:up');
    await send('t/1', 'hello');
    expect((await ear.expectMessage()).topic).toBe('up/t/1');

    await ask('POST', '/rules', {
      id: 'in',
      sql: 'SELECT topic, payload FROM "$bridges/mqtt:down"',
      actions: [{ function: 'republish', args: { topic: 'got/${topic}' } }],
    });
    const here = await broker.client('here');
    await here.subscribe('got/#');
    await ear.publish('down/1', 'back', { qos: 1 });
    expect((await here.expectMessage()).topic).toBe('got/down/1');
    const { body } = await ask<BridgeMetricsAnswer>('GET', '/sources/mqtt:down/metrics');
    expect(body.metrics.received).toBe(1);

    const kept = await ask<Connector>('PUT', '/connectors/mqtt:c1', {
      ...(await connector('mqtt:c1')),
      keepalive: '30s',
    });
    expect(kept.status).toBe(200);
    expect(broker.settings.get('bridges')['connector:mqtt:c1']).toMatchObject({ password: 'geheim' });
  });

  test('of a bridge in both directions stands in both lists, and is changed as a bridge', async () => {
    other = await startTestBroker({ tcp: 0 });
    const made = await ask('POST', '/bridges', {
      ...mqtt(),
      egress: { local: { topic: 'eg/#' }, remote: { topic: 'x/${topic}' } },
      ingress: { remote: { topic: 'in/#' } },
    });
    expect(made.status).toBe(201);
    expect(await connector('mqtt:c1')).toMatchObject({ actions: ['c1'], sources: ['c1'] });
    const { body } = await ask<Action>('GET', '/actions/mqtt:c1');
    expect(body).toMatchObject({ local_topic: 'eg/#', parameters: { topic: 'x/${topic}' } });
    expect((await ask<Action>('GET', '/sources/mqtt:c1')).body.parameters).toMatchObject({ topic: 'in/#' });
    for (const [method, path] of [
      ['PUT', '/actions/mqtt:c1'],
      ['DELETE', '/actions/mqtt:c1'],
      ['DELETE', '/sources/mqtt:c1'],
    ] as const) {
      const refused = await ask(method, path, method === 'PUT' ? body : undefined);
      expect([refused.status, refused.body.message]).toEqual([400, expect.stringMatching(/as a bridge/)]);
    }
    expect((await ask('PUT', '/connectors/mqtt:c1/enable/false')).status).toBe(204);
    expect((await ask<Bridge>('GET', '/bridges/mqtt:c1')).body.status).toBe('stopped');
  });
});

test('lists of types; what is no type, no operation or nowhere is refused', async () => {
  expect((await ask<string[]>('GET', '/action_types')).body).toEqual(
    expect.arrayContaining(['http', 'mqtt', 'mysql']),
  );
  expect((await ask<string[]>('GET', '/source_types')).body).toEqual(['mqtt', 'kafka_consumer']);
  await ask('POST', '/connectors', http());
  expect((await ask('POST', '/connectors/http:c1/stop')).status).toBe(400);
  expect((await ask('POST', '/nodes/other@x/connectors/http:c1/start')).status).toBe(404);
  expect((await ask('PUT', '/connectors/http:c1/enable/maybe')).status).toBe(404);
  expect((await ask('POST', '/connectors', http({ type: 'webhook', name: 'x' }))).status).toBe(400);
  expect((await ask('POST', '/sources', action('s', {}))).status).toBe(400);
  const unknown = await ask('POST', '/actions', action('a1', { foo: 1 }));
  expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringMatching(/unknown_fields/)]);
});
