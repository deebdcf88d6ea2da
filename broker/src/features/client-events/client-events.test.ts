import type { NewApiKey } from '@mqdeck/contract/api-keys';
import type { ClientEvent, SeenClient } from '@mqdeck/contract/client-events';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startCore } from '../../core/core.ts';
import type { AccessResult } from '../../core/hooks.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startStomp } from '../../testing/stomp-device.ts';
import { dial } from '../../testing/test-client.ts';
import { ClientEvents } from './client-events.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

interface Timeline {
  data: ClientEvent[];
  meta: { connected: boolean; forgotten: number };
}
const timeline = async (clientid: string, query = {}) =>
  (await broker.inject<Timeline>('GET', `/clients/${encodeURIComponent(clientid)}/events`, { query })).body;
const types = async (clientid: string) => (await timeline(clientid)).data.map(({ type }) => type).reverse();

test('a session is told from its beginning to its end, the latest first', async () => {
  const options = {
    username: 'u',
    keepalive: 30,
    properties: { sessionExpiryInterval: 100 },
    address: '10.0.0.7',
  };
  const sensor = await broker.client('sensor', options);
  await sensor.subscribe('a/1', { qos: 1 });
  await sensor.subscribe('a/2', { qos: 1 });
  await sensor.unsubscribe('a/1');
  sensor.close();
  await expect.poll(() => types('sensor')).toContain('disconnected');
  await broker.client('sensor', { ...options, cleanStart: false });
  const { data, meta } = await timeline('sensor');
  expect(meta).toMatchObject({ connected: true, forgotten: 0 });
  expect(data.map(({ type }) => type)).toEqual([
    'connected',
    'disconnected',
    'unsubscribed',
    'subscribed',
    'connected',
  ]);
  const [again, gone, unsubscribed, subscribed, first] = data;
  expect(first).toMatchObject({
    ip_address: '10.0.0.7',
    listener: 'tcp:default',
    username: 'u',
    proto_ver: 5,
    keepalive: 30,
    clean_start: true,
    expiry_interval: 100,
    session_present: false,
  });
  expect(subscribed).toMatchObject({ filters: ['a/1', 'a/2'], filter_count: 2, qos: 1 });
  expect(unsubscribed).toMatchObject({ filters: ['a/1'] });
  expect(gone).toMatchObject({ reason: 'sock_closed', connected_ms: expect.any(Number) });
  expect(again).toMatchObject({ session_present: true, clean_start: false });
});

test('who kicked a client out is told: the user, or the key and its address', async () => {
  const key = (
    await broker.inject<NewApiKey>('POST', '/api_key', { body: { name: 'robot', desc: '', enable: true } })
  ).body;
  const authorization = `Basic ${Buffer.from(`${key.api_key}:${key.api_secret}`).toString('base64')}`;
  await broker.client('sensor', { properties: { sessionExpiryInterval: 100 } });
  await broker.inject('DELETE', '/clients/sensor', { authorization, remoteAddress: '10.6.6.6' });
  expect((await timeline('sensor')).data[0]).toMatchObject({
    type: 'disconnected',
    reason: 'kicked',
    by: {
      from: 'rest_api',
      source: key.api_key,
      source_ip: '10.6.6.6',
      operation: 'DELETE /clients/:clientid',
    },
  });

  await broker.client('sensor');
  await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'sensor', reason: 'noisy' } });
  expect((await timeline('sensor')).data[0]).toMatchObject({
    reason: 'kicked',
    by: { from: 'dashboard', source: 'admin', operation: 'POST /banned' },
  });

  // What nobody asked for through the API names nobody
  const own = await broker.client('own');
  own.close();
  await expect.poll(() => types('own')).toContain('disconnected');
  expect((await timeline('own')).data[0]).not.toHaveProperty('by');
});

test('who kicked a client out is known also where nothing is recorded in the audit', async () => {
  await broker.inject('PUT', '/configs/log', { body: { audit: { enable: false } } });
  await broker.client('sensor');
  await broker.inject('POST', '/clients/kickout/bulk', { body: ['sensor'] });
  expect((await timeline('sensor')).data[0]).toMatchObject({ reason: 'kicked', by: { source: 'admin' } });
});

test('a subscription that an operator made or took away says so', async () => {
  await broker.client('sensor');
  await broker.inject('POST', '/clients/sensor/subscribe', { body: { topic: 't' } });
  await broker.inject('POST', '/clients/sensor/unsubscribe', { body: { topic: 't' } });
  const [unsubscribed, subscribed] = (await timeline('sensor')).data;
  expect(subscribed).toMatchObject({ type: 'subscribed', filters: ['t'], by: { source: 'admin' } });
  expect(unsubscribed).toMatchObject({ type: 'unsubscribed', by: { source: 'admin' } });
});

test('two that fight for one id are told apart by their addresses', async () => {
  await broker.client('twin', { address: '10.0.0.1' });
  await broker.client('twin', { address: '10.0.0.2' });
  await broker.client('twin', { address: '10.0.0.1' });
  const { data } = await timeline('twin');
  expect(data.map(({ type, reason, ip_address }) => [type, reason, ip_address])).toEqual([
    ['connected', undefined, '10.0.0.1'],
    ['disconnected', 'takenover', '10.0.0.2'],
    ['connected', undefined, '10.0.0.2'],
    ['disconnected', 'takenover', '10.0.0.1'],
    ['connected', undefined, '10.0.0.1'],
  ]);
  expect(data[0]!.took_over).toMatch(/^10\.0\.0\.2:\d+$/);
  expect(data[1]!.taken_over_by).toMatch(/^10\.0\.0\.1:\d+$/);
});

describe('who is not let in, or may not', () => {
  test('a banned client that tries again and again is one event with a number', async () => {
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'thief', reason: 'stolen' } });
    for (let i = 0; i < 3; i++) {
      const { client } = dial(broker.core, 'thief', { address: '10.0.0.9' });
      expect((await client.connect()).reasonCode).toBe(ReasonCode.Banned);
    }
    const { data, meta } = await timeline('thief');
    expect(meta.connected).toBe(false);
    expect(data).toMatchObject([
      { type: 'refused', reason_code: ReasonCode.Banned, times: 3, ip_address: '10.0.0.9' },
    ]);
    expect(data[0]!.why).toContain('stolen');
    expect(Date.parse(data[0]!.last_at!)).toBeGreaterThanOrEqual(Date.parse(data[0]!.at));
  });

  test('what it is denied: publishing and subscribing, each topic once', async () => {
    broker.core.settings.authorizationNoMatch = 'deny';
    broker.core.settings.authorizationDenyAction = 'ignore';
    const off = broker.core.hooks.on('client.authorize', () => 'deny', { priority: 10_000 });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 5; i++) await sensor.publish('secret/1', 'x', { qos: 1 });
    await sensor.publish('secret/2', 'x', { qos: 1 });
    await sensor.subscribe('secret/#');
    off();
    const { data } = await timeline('sensor');
    expect(data.map(({ type, action, topic, times }) => [type, action, topic, times])).toEqual([
      ['denied', 'subscribe', 'secret/#', undefined],
      ['denied', 'publish', 'secret/2', undefined],
      ['denied', 'publish', 'secret/1', 5],
      ['connected', undefined, undefined, undefined],
    ]);
  });
});

describe('who denied something is told', () => {
  const rules = '{allow, all, publish, ["open/#"]}.\n{deny, all, publish, ["secret/#"]}.';
  const denials = async (clientid: string) =>
    (await timeline(clientid)).data
      .filter(({ type }) => type === 'denied')
      .map(({ action, topic, denied_by, rule, times }) => [action, topic, denied_by, rule, times]);
  beforeEach(async () => {
    const body = { no_match: 'deny', deny_action: 'ignore', cache: { enable: true } };
    expect((await broker.inject('PUT', '/authorization/settings', { body })).status).toBe(200);
  });

  test('a source and its rule, also where the answer was kept; else the setting', async () => {
    const body = { type: 'file', enable: true, rules };
    expect((await broker.inject('PUT', '/authorization/sources/file', { body })).status).toBe(204);
    const sensor = await broker.client('sensor');
    expect(await sensor.publish('open/1', 'x', { qos: 1 })).toBeLessThan(0x80);
    for (let i = 0; i < 3; i++) await sensor.publish('secret/1', 'x', { qos: 1 });
    await sensor.subscribe('other/#');
    expect(await denials('sensor')).toEqual([
      ['subscribe', 'other/#', 'no_match', null, undefined],
      ['publish', 'secret/1', 'file', expect.stringMatching(/^\{deny, all, publish, \["secret\/#"\]\}/), 3],
    ]);
  });

  test('of a will too, which its client cannot be told', async () => {
    const body = { type: 'file', enable: true, rules };
    expect((await broker.inject('PUT', '/authorization/sources/file', { body })).status).toBe(204);
    const sensor = await broker.client('sensor', { will: { topic: 'secret/gone' } });
    sensor.close();
    await vi.waitFor(async () =>
      expect(await denials('sensor')).toEqual([
        ['publish', 'secret/gone', 'file', expect.any(String), undefined],
      ]),
    );
  });

  test('another source that denies the same is another event; one that fails has decided nothing', async () => {
    const by = (answer: () => AccessResult) =>
      broker.core.hooks.on('client.authorize', answer, { priority: 10_000 });
    const sensor = await broker.client('sensor');
    const asked = async (answer: () => AccessResult) => {
      const off = by(answer);
      broker.core.forgetAccess();
      await sensor.publish('t', 'x', { qos: 1 });
      off();
    };
    await asked(() => ({ access: 'deny', matched: true, keepMs: 0, source: 'exhook' }));
    await asked(() => 'deny');
    await asked(() => ({ access: 'deny', matched: false, keepMs: 0 }));
    await asked(() => {
      throw new Error('on purpose');
    });
    expect(await denials('sensor')).toEqual([
      ['publish', 't', 'undecided', null, 2],
      ['publish', 't', 'hook', null, undefined],
      ['publish', 't', 'exhook', null, undefined],
    ]);
  });

  test('of the device of a gateway too', async () => {
    const body = { type: 'file', enable: true, rules };
    expect((await broker.inject('PUT', '/authorization/sources/file', { body })).status).toBe(204);
    const lamp = await (await startStomp(broker))('lamp');
    await lamp.send('SEND', { destination: 'secret/1', receipt: 'r' }, 'x');
    expect(await denials('lamp')).toEqual([
      ['publish', 'secret/1', 'file', expect.stringContaining('secret/#'), undefined],
    ]);
    lamp.close();
  });
});

test('clients that are gone are found by a part of their id', async () => {
  const gone = await broker.client('press/left/1');
  await broker.client('press/left/2');
  await broker.client('oven');
  gone.close();
  await expect.poll(() => types('press/left/1')).toContain('disconnected');
  const found = async (query: object) =>
    (await broker.inject<{ data: SeenClient[] }>('GET', '/client_events', { query: { ...query } })).body.data;
  expect(await found({ like_clientid: 'left' })).toMatchObject([
    { clientid: 'press/left/1', connected: false, last_type: 'disconnected' },
    { clientid: 'press/left/2', connected: true, last_type: 'connected' },
  ]);
  expect(await found({ like_clientid: 'left', connected: 'true' })).toHaveLength(1);
  expect(await found({ like_clientid: 'nobody' })).toEqual([]);
  expect(await found({ limit: 1 })).toHaveLength(1);
  expect(await broker.inject('GET', '/clients/never-heard-of/events')).toMatchObject({
    status: 404,
    body: { code: 'CLIENTID_NOT_FOUND' },
  });
  expect((await broker.inject('GET', '/clients/x/events', { query: { limit: 0 } })).status).toBe(400);
});

describe('what is remembered is bounded', () => {
  test('to the last events of a client, and says how many are not there', async () => {
    for (let i = 0; i < 40; i++) await broker.client('restless');
    const { data, meta } = await timeline('restless');
    expect(data).toHaveLength(64);
    expect(meta.forgotten).toBe(79 - 64);
    expect((await timeline('restless', { limit: 5 })).meta.forgotten).toBe(79 - 5);
  });

  test('to so many clients, whoever comes and however long their ids are', async () => {
    const core = startCore();
    const events = new ClientEvents(core);
    const who = {
      username: null,
      address: '1.2.3.4',
      port: 1,
      listener: 'tcp:default',
      protocolVersion: 5,
    } as const;
    const refuse = (clientid: string) =>
      core.hooks.tell(
        'client.connack',
        { ...who, clientid, mountpoint: null, isSuperuser: false, attributes: {}, authExpiresAt: null },
        0x87,
        'y'.repeat(10_000),
        {},
      );
    for (let i = 0; i < 12_000; i++) refuse(`client-${i}`);
    expect(events.size).toEqual({ clients: 10_000, events: 10_000 });
    expect(events.of('client-1').events).toEqual([]);
    expect(events.of('client-11999').events).toHaveLength(1);
    const long = `${'x'.repeat(60_000)}1`;
    refuse(long);
    expect(events.of(long).events).toHaveLength(1);
    expect(events.of(`${'x'.repeat(60_000)}2`).events).toEqual([]);
    expect(JSON.stringify([...events.seen()][0]).length).toBeLessThan(1500);
    events.close();
    await core.close();
  });

  test('many subscriptions at once are one event', async () => {
    const greedy = await broker.client('greedy');
    for (let i = 0; i < 100; i++) await greedy.subscribe(`t/${i}`);
    const { data } = await timeline('greedy');
    expect(data).toHaveLength(2);
    expect(data[0]).toMatchObject({ filter_count: 100 });
    expect(data[0]!.filters).toHaveLength(8);
  });
});

test('the device of a gateway is told of in its own protocol, with its gateway while it is there', async () => {
  const connect = await startStomp(broker);
  const lamp = await connect('lamp');
  const seen = async () =>
    (
      await broker.inject<{ data: SeenClient[] }>('GET', '/client_events', {
        query: { like_clientid: 'lamp' },
      })
    ).body.data;
  expect(await seen()).toMatchObject([{ clientid: 'lamp', connected: true, gateway: 'stomp' }]);
  const { data, meta } = await timeline('lamp');
  expect(data[0]).toMatchObject({ type: 'connected', proto_name: 'STOMP', proto_ver: '1.2' });
  expect(meta).toMatchObject({ connected: true, gateway: 'stomp' });
  lamp.close();
  await expect.poll(() => types('lamp')).toContain('disconnected');
  expect((await timeline('lamp')).meta).not.toHaveProperty('gateway');
  expect((await seen())[0]).not.toHaveProperty('gateway');

  await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'lamp' } });
  (await connect('lamp')).close();
  expect((await timeline('lamp')).data[0]).toMatchObject({
    type: 'refused',
    reason_code: ReasonCode.Banned,
    username: 'u',
    listener: 'stomp:tcp:default',
    proto_name: 'STOMP',
  });
});
