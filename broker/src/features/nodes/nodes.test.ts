import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker({ version: '1.2.3', edition: 'enterprise', nodeName: 'one@10.0.0.1' });
});
afterAll(() => broker.close());

test('the node tells its version, its edition and how the machine is', async () => {
  const { body } = await broker.inject('GET', '/nodes');
  expect(body).toEqual([
    expect.objectContaining({
      node: 'one@10.0.0.1',
      node_status: 'running',
      version: '1.2.3',
      edition: 'Enterprise',
      otp_release: `Node.js ${process.version}`,
      memory_used: expect.stringMatching(/^\d+\.\d\dG$/),
      memory_total: expect.stringMatching(/^\d+\.\d\dG$/),
      load1: expect.any(Number),
    }),
  ]);
  expect((await broker.inject('GET', '/nodes/one@10.0.0.1')).body).toMatchObject({ node: 'one@10.0.0.1' });
});

test('nodes that are not there are not found', async () => {
  for (const path of ['/nodes/x', '/nodes/x/metrics', '/nodes/x/stats', '/metrics?node=x'])
    expect(await broker.inject('GET', path), path).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
});

test('metrics have all their names, per node and summed up', async () => {
  const all = await broker.inject<Record<string, number>>('GET', '/metrics', {
    query: { aggregate: 'true' },
  });
  expect(Object.keys(all.body)).toHaveLength(99);
  for (const name of [
    'messages.received',
    'delivery.dropped.queue_full',
    'session.takenover',
    'packets.pubrel.missed',
  ])
    expect(all.body[name], name).toBe(0);
  const perNode = await broker.inject<object[]>('GET', '/metrics');
  expect(perNode.body).toEqual([{ ...all.body, node: 'one@10.0.0.1' }]);
  expect((await broker.inject('GET', '/nodes/one@10.0.0.1/metrics')).body).toEqual(all.body);
});

test('stats are levels with their highest mark', async () => {
  const client = await broker.client('c');
  await client.subscribe('a');
  await broker.inject('GET', '/stats');
  await client.disconnect();
  const { body } = await broker.inject<Record<string, number>>('GET', '/stats', {
    query: { aggregate: 'true' },
  });
  expect(body).toMatchObject({
    'live_connections.count': 0,
    'live_connections.max': 1,
    'topics.count': 0,
    'topics.max': 1,
  });
  expect(Object.keys(body)).toHaveLength(24);
  expect((await broker.inject('GET', '/stats')).body).toMatchObject([{ node: 'one@10.0.0.1' }]);
});

test('the cluster is this node', async () => {
  expect((await broker.inject('GET', '/cluster')).body).toMatchObject({
    nodes: ['one@10.0.0.1'],
    self: 'one@10.0.0.1',
  });
  expect((await broker.inject('GET', '/cluster/topology')).body).toEqual([
    { core_node: 'one@10.0.0.1', replicant_nodes: [] },
  ]);
  for (const node of ['one@10.0.0.1', 'two@10.0.0.2']) {
    expect((await broker.inject('PUT', `/cluster/${node}/invite`)).status).toBe(400);
    expect((await broker.inject('DELETE', `/cluster/${node}/force_leave`)).status).toBe(400);
  }
});

test('the status answers without a login, as text and as JSON, and says when the broker ends', async () => {
  const own = await startTestBroker();
  const ask = (path: string) => own.inject('GET', path, { authorization: null });
  expect(await ask('/status')).toMatchObject({
    status: 200,
    body: 'Node mqdeck@127.0.0.1 is started\nmqdeck is running',
  });
  expect((await ask('/status?format=json')).body).toEqual({
    node_name: 'mqdeck@127.0.0.1',
    rel_vsn: 'v0.0.0-test',
    broker_status: 'started',
    app_status: 'running',
  });
  await own.endBroker();
  expect(await ask('/status')).toMatchObject({ status: 503, body: expect.stringContaining('is stopped') });
  await own.close();
});

test('error codes are listed with their meaning', async () => {
  const { body } = await broker.inject<{ code: string; description: string }[]>('GET', '/error_codes', {
    authorization: null,
  });
  expect(body).toContainEqual({ code: 'CLIENTID_NOT_FOUND', description: expect.any(String) });
  expect((await broker.inject('GET', '/error_codes/BAD_REQUEST')).body).toMatchObject({
    code: 'BAD_REQUEST',
  });
  for (const code of ['NOPE', 'toString', '__proto__'])
    expect((await broker.inject('GET', `/error_codes/${code}`)).status).toBe(404);
});
