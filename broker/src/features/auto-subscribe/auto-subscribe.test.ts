import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import type { ClientOptions } from '../../testing/test-client.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const put = (topics: unknown) => broker.inject('PUT', '/mqtt/auto_subscribe', { body: topics });
interface Row {
  topic: string;
  qos: number;
  nl: number;
  rap: number;
  rh: number;
}
async function subscriptionsOf(clientid: string, options: ClientOptions = {}): Promise<Row[]> {
  await broker.client(clientid, options);
  const path = `/clients/${encodeURIComponent(clientid)}/subscriptions`;
  return (await broker.inject<Row[]>('GET', path)).body;
}

test('a client that connects is subscribed to what is listed, with its own names in it', async () => {
  expect(
    (
      await put([
        { topic: 'to/${clientid}/${username}/${host}' },
        { topic: 'all', qos: 2, nl: 1, rap: 1, rh: 2 },
      ])
    ).body,
  ).toEqual([
    { topic: 'to/${clientid}/${username}/${host}', qos: 0, nl: 0, rap: 0, rh: 0 },
    { topic: 'all', qos: 2, nl: 1, rap: 1, rh: 2 },
  ]);
  const rows = await subscriptionsOf('sensor', { username: 'fleet' });
  const { address } = broker.core.registry.find('sensor')!;
  expect(rows.map(({ topic }) => topic).sort()).toEqual(['all', `to/sensor/fleet/${address}`]);
  expect(rows.find(({ topic }) => topic === 'all')).toMatchObject({ qos: 2, nl: 1, rap: 1, rh: 2 });
});

test('gets the messages of such a subscription, as of its own', async () => {
  await put([{ topic: 'to/${clientid}', qos: 1 }]);
  const device = await broker.client('device');
  await (await broker.client('app')).publish('to/device', 'hello', { qos: 1 });
  expect(await device.expectMessage('hello')).toMatchObject({ qos: 1 });
});

test('a name with wildcards subscribes to nothing', async () => {
  await put([{ topic: 'to/${clientid}' }, { topic: 'user/${username}' }]);
  for (const clientid of ['#', '+', 'a/#']) expect(await subscriptionsOf(clientid), clientid).toEqual([]);
  expect((await subscriptionsOf('ok', { username: '#' })).map(({ topic }) => topic)).toEqual(['to/ok']);
  expect((await subscriptionsOf('nameless')).map(({ topic }) => topic)).toEqual(['to/nameless']);
});

test('clients that are connected stay as they are; emptying the list ends it for the next', async () => {
  const before = await broker.client('before');
  await put([{ topic: 't' }]);
  expect((await broker.inject('GET', '/clients/before/subscriptions')).body).toEqual([]);
  expect(await subscriptionsOf('after')).toHaveLength(1);
  await put([]);
  expect(await subscriptionsOf('last')).toEqual([]);
  await before.disconnect();
});

test('what cannot be subscribed to is refused, and nothing changes', async () => {
  for (const body of [
    [{ qos: 1 }],
    [{ topic: 'a', qos: 3 }],
    [{ topic: 'a', rh: 3 }],
    [{ topic: 'a', nl: 2 }],
    { topic: 'a' },
    [{ topic: 'a/#/b' }],
    [{ topic: '' }],
    [{ topic: 'a', foo: 1 }],
    [{ topic: '$share/g/t', nl: 1 }],
  ])
    expect(await put(body)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  const many = (count: number) => Array.from({ length: count }, (_, i) => ({ topic: `a${i}` }));
  expect(await put(many(21))).toMatchObject({ status: 409, body: { code: 'EXCEED_LIMIT' } });
  expect((await broker.inject('GET', '/mqtt/auto_subscribe')).body).toEqual([]);
  expect((await put(many(20))).status).toBe(200);
});
