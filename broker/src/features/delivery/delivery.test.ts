import type { DeliveryAnswer, DeliveryCheckId, ProbeAnswer } from '@mqdeck/contract/delivery';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startStomp } from '../../testing/stomp-device.ts';
import type { TestClient } from '../../testing/test-client.ts';
import { nearMiss } from './filters.ts';

let broker: TestBroker;
let pump: TestClient;
beforeEach(async () => {
  broker = await startTestBroker();
  pump = await broker.client('pump');
});
afterEach(() => broker.close());

const about = { publisher: 'pump', topic: 'plant/1/level', subscriber: 'screen' };

async function explain(body: object = {}): Promise<DeliveryAnswer> {
  const { status, body: answer } = await broker.inject<DeliveryAnswer>('POST', '/delivery/explain', {
    body: { ...about, ...body },
  });
  expect(status).toBe(200);
  return answer;
}
async function found(id: DeliveryCheckId, body: object = {}) {
  const { checks, verdict } = await explain(body);
  const check = checks.find((one) => one.id === id);
  return check && { verdict, ...check };
}

async function deny(clientid: string, action: 'publish' | 'subscribe'): Promise<void> {
  const sources = '/authorization/sources';
  await broker.inject('POST', sources, { body: { type: 'built_in_database', enable: true } });
  await broker.inject('POST', `${sources}/built_in_database/rules/clients`, {
    body: [{ clientid, rules: [{ topic: '#', permission: 'deny', action }] }],
  });
}

describe('nothing stands in the way', () => {
  test('of a message to a connected subscriber', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('plant/+/level', { qos: 1 });
    const { verdict, topic, checks } = await explain({ qos: 2 });
    expect(verdict).toBe('arrives');
    expect(topic).toBe('plant/1/level');
    expect(checks.filter(({ result }) => result === 'bad' || result === 'maybe')).toEqual([]);
    expect(checks.find(({ id }) => id === 'filter')).toMatchObject({
      found: 'matches',
      facts: { filters: 'plant/+/level', count: 1 },
    });
    expect(checks.find(({ id }) => id === 'qos')?.facts).toEqual({
      published: 2,
      subscribed: 1,
      delivered: 1,
    });
  });
});

describe('found on the way is', () => {
  test('a publisher that is not there, and a subscriber that nobody knows', async () => {
    expect(await found('publisher', { publisher: 'nobody' })).toMatchObject({
      verdict: 'does_not',
      result: 'bad',
      found: 'unknown',
    });
    expect(await found('subscriber')).toMatchObject({ result: 'bad', found: 'unknown' });
  });

  test('a ban', async () => {
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'screen', reason: 'stolen' } });
    expect(await found('subscriber_banned')).toMatchObject({
      result: 'bad',
      found: 'banned',
      facts: { as: 'clientid', who: 'screen', reason: 'stolen' },
    });
  });

  test('an ID that two devices fight for; not one that came back once', async () => {
    const screen = () => broker.client('screen', { properties: { sessionExpiryInterval: 60 } });
    await screen();
    await screen();
    expect(await found('subscriber_contested')).toBeUndefined();
    await screen();
    expect(await found('subscriber_contested')).toMatchObject({
      result: 'maybe',
      found: 'taken_over',
      facts: { times: 2, minutes: 10, by: expect.stringMatching(/:\d+$/) },
    });
    expect(await found('publisher_contested')).toBeUndefined();
    expect(await found('publisher_contested', { publisher: 'screen' })).toMatchObject({ result: 'maybe' });
  });

  test('a rule that denies publishing, with its text', async () => {
    await deny('pump', 'publish');
    expect(await found('publish_allowed')).toMatchObject({
      verdict: 'does_not',
      result: 'bad',
      found: 'denied',
      facts: { source: 'built_in_database', rule: expect.stringContaining('deny') },
    });
  });

  test('a topic that is rewritten to where nobody listens', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    await broker.inject('PUT', '/mqtt/topic_rewrite', {
      body: [{ action: 'publish', source_topic: 'plant/#', re: '^plant/(.+)$', dest_topic: 'works/$1' }],
    });
    const { verdict, topic, checks } = await explain();
    expect({ verdict, topic }).toEqual({ verdict: 'does_not', topic: 'works/1/level' });
    expect(checks.find(({ id }) => id === 'rewrite')).toMatchObject({ found: 'rewritten' });
    expect(checks.find(({ id }) => id === 'filter')).toMatchObject({ result: 'bad' });
  });

  test('a delay, and a delay that is switched off or malformed', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    expect(await found('delay', { topic: '$delayed/60/plant/1' })).toMatchObject({
      verdict: 'may_not',
      found: 'delayed',
      facts: { seconds: 60, to: 'plant/1' },
    });
    expect(await found('delay', { topic: '$delayed/x/plant/1' })).toMatchObject({ found: 'malformed' });
    await broker.inject('PUT', '/mqtt/delayed', { body: { enable: false, max_delayed_messages: 0 } });
    expect(await found('delay', { topic: '$delayed/60/plant/1' })).toMatchObject({
      result: 'bad',
      found: 'off',
    });
  });

  test.each([
    ['Plant/+/level', 'near_case'],
    ['/plant/+/level', 'near_slash'],
    ['plant/2/level', 'near_level'],
    ['plant/1', 'near_depth'],
    ['other/#', 'no_match'],
  ])('a filter %s that does not match: %s', async (filter, word) => {
    const screen = await broker.client('screen');
    await screen.subscribe(filter);
    expect(await found('filter')).toMatchObject({ verdict: 'does_not', result: 'bad', found: word });
  });

  test('that the subscriber may not have the subscription it lacks', async () => {
    await broker.client('screen');
    await deny('screen', 'subscribe');
    expect(await found('subscribe_allowed')).toMatchObject({ result: 'bad', found: 'denied' });
  });

  test('that a client does not want its own messages', async () => {
    await pump.subscribe('plant/#', { noLocal: true });
    expect(await found('no_local', { subscriber: 'pump' })).toMatchObject({
      result: 'bad',
      found: 'no_local',
    });
  });

  test('that another member of the group may get it', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('$share/g/plant/#');
    expect(await found('shared')).toMatchObject({ result: 'ok', found: 'alone' });
    await (await broker.client('second')).subscribe('$share/g/plant/#');
    expect(await found('shared')).toMatchObject({
      verdict: 'may_not',
      found: 'one_of',
      facts: { group: 'g', members: 2, strategy: 'round_robin' },
    });
    await screen.subscribe('plant/1/level');
    expect(await found('shared')).toMatchObject({ result: 'ok', found: 'not_shared' });
  });

  test('QoS 0 to a session whose client is away, where such messages are not kept', async () => {
    const screen = await broker.client('screen', { properties: { sessionExpiryInterval: 300 } });
    await screen.subscribe('plant/#', { qos: 1 });
    await screen.disconnect();
    expect(await found('subscriber')).toMatchObject({ verdict: 'may_not', found: 'waits' });
    expect(await found('qos')).toMatchObject({ result: 'ok', found: 'qos0' });
    broker.core.settings.mqueueStoreQos0 = false;
    expect(await found('qos')).toMatchObject({ result: 'bad', found: 'qos0_not_kept' });
    expect(await found('expiry', { expiry: 30, qos: 1 })).toMatchObject({
      result: 'maybe',
      found: 'may_expire',
      facts: { seconds: 30 },
    });
  });

  test('a full queue, and what it has dropped', async () => {
    broker.core.settings.maxMqueueLength = 2;
    const screen = await broker.client('screen', { properties: { sessionExpiryInterval: 300 } });
    await screen.subscribe('plant/#', { qos: 1 });
    await screen.disconnect();
    for (let i = 0; i < 4; i++) await pump.publish('plant/1/level', `${i}`, { qos: 1 });
    expect(await found('queue', { qos: 1 })).toMatchObject({
      verdict: 'may_not',
      result: 'maybe',
      found: 'full',
      facts: { queued: 2, max: 2 },
    });
    expect(await found('dropped', { qos: 1 })).toMatchObject({
      result: 'maybe',
      facts: { count: 2, queue_full: 2 },
    });
  });

  test('a message that is too large, for the broker and for the subscriber', async () => {
    const screen = await broker.client('screen', { properties: { maximumPacketSize: 100 } });
    await screen.subscribe('plant/#');
    expect(await found('size', { payload_bytes: 500 })).toMatchObject({ result: 'bad', found: 'too_large' });
    expect(await found('size', { payload_bytes: 10 })).toMatchObject({ result: 'ok', found: 'fits' });
    expect(await found('message', { payload_bytes: 2_000_000 })).toMatchObject({
      result: 'bad',
      found: 'too_large',
    });
    broker.core.settings.maxQosAllowed = 1;
    expect(await found('message', { qos: 2 })).toMatchObject({ found: 'qos_not_supported' });
  });
});

test('a topic with wildcards is refused, and so is what the API does not know', async () => {
  const ask = (body: object) => broker.inject('POST', '/delivery/explain', { body: { ...about, ...body } });
  expect(await ask({ topic: 'plant/+' })).toMatchObject({ status: 400, body: { code: 'BAD_TOPIC' } });
  expect(await ask({ qos: 3 })).toMatchObject({ status: 400 });
  expect(await ask({ more: 1 })).toMatchObject({ status: 400 });
});

describe('the device of a gateway', () => {
  const subscription = { id: '1', destination: 'plant/+/level', receipt: 'r' };

  test('is found as subscriber and as publisher, with its gateway; what holds for MQTT is not asked', async () => {
    const connect = await startStomp(broker);
    const lamp = await connect('lamp');
    expect(await found('filter', { subscriber: 'lamp' })).toMatchObject({
      verdict: 'does_not',
      result: 'bad',
      found: 'no_match',
    });
    expect(await lamp.send('SUBSCRIBE', subscription)).toContain('RECEIPT');
    const { verdict, checks } = await explain({ subscriber: 'lamp' });
    expect(verdict).toBe('arrives');
    expect(checks.find(({ id }) => id === 'subscriber')).toMatchObject({
      result: 'ok',
      found: 'guest',
      facts: { gateway: 'stomp', protocol: 'STOMP 1.2', listener: 'stomp:tcp:default' },
    });
    expect(checks.filter(({ result }) => result === 'none').map(({ id }) => id)).toEqual(['queue', 'size']);

    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    const sent = await explain({ publisher: 'lamp' });
    expect(sent.verdict).toBe('arrives');
    expect(sent.checks[0]).toMatchObject({ id: 'publisher', result: 'ok', found: 'guest' });
    expect(sent.checks.find(({ id }) => id === 'publish_allowed')?.result).toBe('ok');
    await deny('lamp', 'publish');
    expect(await found('publish_allowed', { publisher: 'lamp' })).toMatchObject({ found: 'denied' });
    lamp.close();
    await expect.poll(() => broker.core.findGuest('lamp')).toBeUndefined();
    expect(await found('subscriber', { subscriber: 'lamp' })).toMatchObject({ found: 'unknown' });
  });

  test('is followed to, and what it sends is', async () => {
    const lamp = await (await startStomp(broker))('lamp');
    await lamp.send('SUBSCRIBE', subscription);
    const { body } = await broker.inject<ProbeAnswer>('POST', '/delivery/probe', {
      body: { ...about, subscriber: 'lamp', payload: 'probe' },
    });
    expect(body.outcome).toBe('delivered');

    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    const answer = broker.inject<ProbeAnswer>('POST', '/delivery/probe', {
      body: { ...about, publisher: 'lamp' },
    });
    await expect
      .poll(() => broker.core.hooks.used['message.received'].some(({ owner }) => owner === 'delivery'))
      .toBe(true);
    await lamp.send('SEND', { destination: about.topic, receipt: 's' }, 'on');
    expect((await answer).body.outcome).toBe('delivered');
  });
});

describe('a message that is followed', () => {
  const probe = async (body: object = {}): Promise<ProbeAnswer> =>
    (
      await broker.inject<ProbeAnswer>('POST', '/delivery/probe', {
        body: { ...about, payload: 'probe', qos: 1, ...body },
      })
    ).body;
  const eventsOf = ({ events }: ProbeAnswer) => events.map(({ event }) => event);

  test('is sent on behalf of its publisher, delivered and acknowledged', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('plant/#', { qos: 1 });
    const answer = await probe();
    expect(answer.outcome).toBe('acked');
    expect(eventsOf(answer)).toEqual(expect.arrayContaining(['sent', 'routed', 'delivered', 'acked']));
    expect(answer.message_id).toMatch(/^[0-9a-f]{32}$/i);
    expect(await screen.expectMessage()).toMatchObject({ topic: 'plant/1/level' });
    for (const table of Object.values(broker.core.hooks.used))
      expect(table.filter(({ owner }) => owner === 'delivery')).toEqual([]);
  });

  test('is the next one that the publisher sends itself', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    const answer = probe({ payload: undefined, qos: 0 });
    await expect
      .poll(() => broker.core.hooks.used['message.received'].some(({ owner }) => owner === 'delivery'))
      .toBe(true);
    await pump.publish('plant/2/level', 'another');
    await pump.publish('plant/1/level', 'this');
    expect(await answer).toMatchObject({ outcome: 'delivered' });
    expect(eventsOf(await answer)).toEqual(['received', 'routed', 'delivered']);
  });

  test('waits in the queue, is dropped, goes to others only, is not seen at all', async () => {
    const screen = await broker.client('screen', { properties: { sessionExpiryInterval: 300 } });
    await screen.subscribe('plant/#', { qos: 1 });
    await screen.disconnect();
    expect((await probe()).outcome).toBe('queued');
    broker.core.settings.maxMqueueLength = 1;
    expect(await probe()).toMatchObject({ outcome: 'queued' }); // the oldest one has to go
    await (await broker.client('second')).subscribe('else/#');
    expect((await probe({ topic: 'else/1' })).outcome).toBe('not_routed');
    expect((await probe({ payload: undefined, seconds: 1 })).outcome).toBe('not_seen');
  });

  test('is not sent where its publisher may not publish', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    await deny('pump', 'publish');
    const answer = await probe();
    expect(answer.outcome).toBe('denied');
    expect(eventsOf(answer)).toEqual(['denied']);
  });

  test('that a delay holds is said to be stopped', async () => {
    await (await broker.client('screen')).subscribe('plant/#');
    const answer = probe({ payload: undefined, topic: '$delayed/60/plant/1/level', qos: 1 });
    await expect
      .poll(() => broker.core.hooks.used['message.received'].some(({ owner }) => owner === 'delivery'))
      .toBe(true);
    await pump.publish('$delayed/60/plant/1/level', 'later', { qos: 1 });
    expect((await answer).outcome).toBe('stopped');
  });
});

test('what a filter misses by', () => {
  expect(nearMiss('a/b', 'a/b')).toBeNull();
  expect(nearMiss('$share/g/A/b', 'a/b')).toBe('case');
  expect(nearMiss('a/b/', 'a/b')).toBe('slash');
  expect(nearMiss('a/+/x', 'a/b/c')).toBe('level');
  expect(nearMiss('x', 'y')).toBeNull();
});
