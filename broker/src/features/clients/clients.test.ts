import type { Client } from '@mqdeck/contract/clients';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

interface Page {
  data: Client[];
  meta: Record<string, unknown>;
}
const list = async (query: Record<string, string | number | readonly string[]> = {}) =>
  (await broker.inject<Page>('GET', '/clients', { query })).body;
const ids = async (query: Record<string, string | number | readonly string[]> = {}) =>
  (await list(query)).data.map(({ clientid }) => clientid).sort();

/** A connected 5.0 client, a 3.1.1 and a 3.1 one, and a session whose client is away. */
async function fleet() {
  await broker.client('pump-1', { username: 'alice', properties: { receiveMaximum: 10 }, keepalive: 30 });
  await broker.client('pump-2', { username: 'bob', version: 4 });
  await broker.client('Valve+(1)', { version: 3, cleanStart: false });
  const away = await broker.client('away', { properties: { sessionExpiryInterval: 600 }, cleanStart: false });
  await away.disconnect();
}

describe('the list', () => {
  test('is empty, and has a count, where nobody is', async () => {
    expect(await list()).toEqual({ data: [], meta: { page: 1, limit: 100, count: 0, hasnext: false } });
  });

  test('shows connected clients and kept sessions', async () => {
    await fleet();
    expect(await ids()).toEqual(['Valve+(1)', 'away', 'pump-1', 'pump-2']);
    const away = (await list({ clientid: 'away' })).data[0]!;
    expect(away).toMatchObject({ connected: false, expiry_interval: 600, is_persistent: true });
    expect(away.disconnected_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d$/);
    expect(away).not.toHaveProperty('recv_oct');
    const pump = (await list({ clientid: 'pump-1' })).data[0]!;
    expect(pump).toMatchObject({
      connected: true,
      username: 'alice',
      keepalive: 30,
      inflight_max: 10,
      proto_ver: 5,
    });
    expect(pump).not.toHaveProperty('disconnected_at');
  });

  test('every filter takes what it names and nothing else', async () => {
    await fleet();
    const past = '2020-01-01T00:00:00Z';
    const future = String(Date.now() + 60_000);
    const cases: [Record<string, string | readonly string[]>, string[]][] = [
      [{ clientid: ['pump-1', 'away', 'nobody'] }, ['away', 'pump-1']],
      [{ username: ['alice', 'bob'] }, ['pump-1', 'pump-2']],
      [{ like_clientid: 'ump' }, ['pump-1', 'pump-2']],
      [{ like_username: 'lic' }, ['pump-1']],
      [{ ip_address: '127.0.0.1' }, ['Valve+(1)', 'away', 'pump-1', 'pump-2']],
      [{ ip_address: '10.0.0.1' }, []],
      [{ conn_state: 'disconnected' }, ['away']],
      [{ conn_state: 'idle' }, []],
      [{ clean_start: 'false' }, ['Valve+(1)', 'away']],
      [{ proto_ver: '4' }, ['pump-2']],
      [{ proto_name: 'MQIsdp' }, ['Valve+(1)']],
      [{ gte_connected_at: past, lte_connected_at: future }, ['Valve+(1)', 'away', 'pump-1', 'pump-2']],
      [{ gte_created_at: future }, []],
      [{ lte_created_at: past }, []],
      [{ node: 'mqdeck@127.0.0.1', conn_state: 'connected', proto_ver: '5' }, ['pump-1']],
    ];
    for (const [query, expected] of cases) expect(await ids(query), JSON.stringify(query)).toEqual(expected);
  });

  test('filter values are data: no patterns, no case folding', async () => {
    await fleet();
    expect(await ids({ like_clientid: '+(1' })).toEqual(['Valve+(1)']);
    for (const like_clientid of ['PUMP', 'p.mp', '%', '^pump', '((a+)+)+$'])
      expect(await ids({ like_clientid })).toEqual([]);
  });

  test('counts what exact filters find, and not what fuzzy ones do', async () => {
    await fleet();
    expect((await list({ username: 'alice' })).meta).toEqual({
      page: 1,
      limit: 100,
      count: 1,
      hasnext: false,
    });
    expect((await list({ like_clientid: 'pump' })).meta).toEqual({ page: 1, limit: 100, hasnext: false });
    expect((await list({ like_clientid: 'pump', limit: 1 })).meta).toMatchObject({ hasnext: true });
  });

  test('pages do not overlap and end with an empty one', async () => {
    await fleet();
    const pages = await Promise.all([1, 2, 3].map((page) => list({ page, limit: 3 })));
    expect(pages.map(({ data }) => data.length)).toEqual([3, 1, 0]);
    expect(pages.map(({ meta }) => meta.hasnext)).toEqual([true, false, false]);
    expect(new Set(pages.flatMap(({ data }) => data.map(({ clientid }) => clientid))).size).toBe(4);
  });

  test('sorts by what is asked for and says so; who has no value comes last', async () => {
    await fleet();
    const sorted = async (sort: string, order: string) => {
      const { data, meta } = await list({ sort, order });
      expect(meta).toMatchObject({ sort, order, count: 4 });
      return data.map(({ clientid }) => clientid);
    };
    expect(await sorted('clientid', 'asc')).toEqual(['Valve+(1)', 'away', 'pump-1', 'pump-2']);
    expect(await sorted('clientid', 'desc')).toEqual(['pump-2', 'pump-1', 'away', 'Valve+(1)']);
    expect((await sorted('username', 'asc')).slice(0, 2)).toEqual(['pump-1', 'pump-2']);
    expect((await sorted('username', 'desc')).slice(0, 2)).toEqual(['pump-2', 'pump-1']);
    expect((await sorted('keepalive', 'desc'))[0]).toBe('pump-1');
  });

  test('gives only the fields that are wanted', async () => {
    await fleet();
    const { data } = await list({ fields: 'clientid,connected', clientid: 'away' });
    expect(data).toEqual([{ clientid: 'away', connected: false }]);
    expect((await broker.inject('GET', '/clients', { query: { fields: 'password' } })).status).toBe(400);
  });

  test('an unknown node and a version that is no number have the codes of the real API', async () => {
    expect(await broker.inject('GET', '/clients', { query: { node: 'abc' } })).toMatchObject({
      body: { code: 'NODE_DOWN' },
    });
    expect(await broker.inject('GET', '/clients', { query: { proto_ver: 'x' } })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_PARAMETER' },
    });
  });
});

describe('one client', () => {
  test('is found by an id of any characters', async () => {
    for (const clientid of ['a/b', 'c d+é', '<img src=x onerror=alert(1)>', '%2F', '?#']) {
      await broker.client(clientid);
      const { body } = await broker.inject<Client>('GET', `/clients/${encodeURIComponent(clientid)}`);
      expect(body.clientid).toBe(clientid);
    }
  });

  test('kicking it out ends its connection and its session', async () => {
    const sensor = await broker.client('sensor', { properties: { sessionExpiryInterval: 600 } });
    expect((await broker.inject('DELETE', '/clients/sensor')).status).toBe(204);
    await sensor.expectDisconnect(ReasonCode.AdministrativeAction);
    expect(await broker.inject('GET', '/clients/sensor')).toMatchObject({
      status: 404,
      body: { code: 'CLIENTID_NOT_FOUND' },
    });
    expect((await broker.inject('DELETE', '/clients/sensor')).status).toBe(404);
  });

  test('a session without connection is cleaned the same way', async () => {
    await fleet();
    expect((await broker.inject('DELETE', '/clients/away')).status).toBe(204);
    expect(await ids()).not.toContain('away');
  });

  test('several are kicked out at once; unknown ids are passed over', async () => {
    await fleet();
    const body = ['pump-1', 'nobody', 'away'];
    expect((await broker.inject('POST', '/clients/kickout/bulk', { body })).status).toBe(204);
    expect(await ids()).toEqual(['Valve+(1)', 'pump-2']);
  });

  test('its keep-alive interval can be changed', async () => {
    await fleet();
    const change = (clientid: string, body: object) =>
      broker.inject('PUT', `/clients/${clientid}/keepalive`, { body });
    expect(await change('pump-1', { interval: 20 })).toMatchObject({ status: 200, body: { keepalive: 20 } });
    expect(await change('pump-1', {})).toMatchObject({ status: 400 });
    expect(await change('nobody', { interval: 20 })).toMatchObject({ body: { code: 'CLIENTID_NOT_FOUND' } });
  });
});

describe('subscribing on behalf of a client', () => {
  const subscribe = (clientid: string, body: unknown, bulk = '') =>
    broker.inject('POST', `/clients/${clientid}/subscribe${bulk}`, { body });

  test('works at once, and shows in its subscriptions', async () => {
    const sensor = await broker.client('sensor');
    expect(await subscribe('sensor', { topic: 'room/+', qos: 1, nl: 1, rap: 1, rh: 2 })).toEqual({
      status: 200,
      headers: expect.anything(),
      body: { clientid: 'sensor', node: 'mqdeck@127.0.0.1', topic: 'room/+', qos: 1, nl: 1, rap: 1, rh: 2 },
    });
    await broker.inject('POST', '/publish', { body: { topic: 'room/1', payload: '21' } });
    await sensor.expectMessage('21');
    expect((await broker.inject('GET', '/clients/sensor/subscriptions')).body).toMatchObject([
      { topic: 'room/+', qos: 1, durable: false },
    ]);
  });

  test('works for a session whose client is away, and for shared filters', async () => {
    await fleet();
    expect(await subscribe('away', { topic: '$share/g/a' })).toMatchObject({ status: 200, body: { qos: 0 } });
    expect(await subscribe('pump-2', [{ topic: 'b/1' }, { topic: 'b/2', qos: 2 }], '/bulk')).toMatchObject({
      status: 200,
      body: [
        { topic: 'b/1', qos: 0 },
        { topic: 'b/2', qos: 2 },
      ],
    });
    expect(await subscribe('pump-2', [], '/bulk')).toMatchObject({ status: 200, body: [] });
  });

  test('what nobody can subscribe to is refused, and of a list then nothing is done', async () => {
    await fleet();
    for (const topic of ['', 'a/#/b', 'a+/b', '$share/g', '$share//a', 'x'.repeat(70_000)])
      expect(await subscribe('pump-1', { topic }), topic.slice(0, 9)).toMatchObject({
        status: 400,
        body: { code: 'BAD_REQUEST' },
      });
    expect((await subscribe('pump-1', [{ topic: 'fine' }, { topic: 'a/#/b' }], '/bulk')).status).toBe(400);
    expect((await broker.inject('GET', '/clients/pump-1/subscriptions')).body).toEqual([]);
  });

  test('unsubscribing ends it; an unknown filter is no error, an unknown client is', async () => {
    const sensor = await broker.client('sensor');
    await sensor.subscribe('a');
    await sensor.subscribe('b');
    const unsubscribe = (clientid: string, body: unknown, bulk = '') =>
      broker.inject('POST', `/clients/${clientid}/unsubscribe${bulk}`, { body });
    expect((await unsubscribe('sensor', { topic: 'a' })).status).toBe(204);
    expect((await unsubscribe('sensor', [{ topic: 'b' }, { topic: 'never' }], '/bulk')).status).toBe(204);
    expect((await broker.inject('GET', '/clients/sensor/subscriptions')).body).toEqual([]);
    for (const answer of [
      await unsubscribe('nobody', { topic: 'a' }),
      await unsubscribe('nobody', [{ topic: 'a' }], '/bulk'),
      await subscribe('nobody', { topic: 'a' }),
      await broker.inject('GET', '/clients/nobody/subscriptions'),
    ])
      expect(answer).toMatchObject({ status: 404, body: { code: 'CLIENTID_NOT_FOUND' } });
  });
});
