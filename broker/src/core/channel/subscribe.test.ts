import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import { memoryStore } from '../store/memory-store.ts';

test('each filter of a SUBSCRIBE has its own answer [MQTT-3.8.4-6]', async () => {
  const broker = startTestCore({ settings: { maxQosAllowed: 1, maxTopicLevels: 3 } });
  broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
  const client = await broker.client('a');
  expect(await client.subscribe(['a/b', 'secret', 'a/b/c/d', '$exclusive/x'], { qos: 2 })).toEqual([
    1,
    ReasonCode.NotAuthorized,
    ReasonCode.TopicFilterInvalid,
    ReasonCode.TopicFilterInvalid,
  ]);
  expect(await (await broker.client('b', { version: 4 })).subscribe(['a', 'secret'])).toEqual([0, 0x80]);
});

test('every filter is asked about as the client wrote it, also when the answers take their time', async () => {
  const { core, client } = startTestCore();
  const asked: string[] = [];
  core.hooks.on('client.authorize', async (_who, { topic }) => {
    asked.push(topic);
    return topic === 'secret' ? 'deny' : 'allow';
  });
  core.hooks.on('client.subscribe', (_who, requests) => {
    for (const request of requests) request.filter = `new/${request.filter}`;
  });
  const a = await client('a');
  expect(await a.subscribe(['open', 'secret', 'other'])).toEqual([0, ReasonCode.NotAuthorized, 0]);
  expect(asked).toEqual(['open', 'secret', 'other']);
});

test('what is switched off is refused', async () => {
  const broker = startTestCore({
    settings: { wildcardSubscription: false, sharedSubscription: false, maxSubscriptions: 1 },
  });
  const client = await broker.client('a');
  expect(await client.subscribe(['a/+', '$share/g/a', 'a', 'b', 'a'])).toEqual([
    ReasonCode.WildcardSubscriptionsNotSupported,
    ReasonCode.SharedSubscriptionsNotSupported,
    0,
    ReasonCode.QuotaExceeded,
    0,
  ]);
});

test('subscribing again replaces the options, not the subscription [MQTT-3.8.4-3]', async () => {
  const broker = startTestCore();
  const seen: [string, number, boolean][] = [];
  broker.core.hooks.on('session.subscribed', (_client, filter, { qos }, isNew) =>
    seen.push([filter, qos, isNew]),
  );
  const client = await broker.client('a');
  await client.subscribe('t', { qos: 0, subscriptionIdentifier: 1 });
  await client.subscribe('t', { qos: 1, subscriptionIdentifier: 2 });
  await client.publish('t', 'x', { qos: 1 });
  const message = await client.expectMessage('x');
  expect([message.qos, message.properties.subscriptionIdentifier]).toEqual([1, [2]]);
  await client.expectNothing();
  expect(seen).toEqual([
    ['t', 0, true],
    ['t', 1, false],
  ]);
});

test('overlapping subscriptions bring one copy each, with their own QoS and identifier [MQTT-3.3.4-2] [MQTT-3.3.4-5]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  await client.subscribe('t/#', { qos: 0, subscriptionIdentifier: 1 });
  await client.subscribe('t/1', { qos: 1, subscriptionIdentifier: 2 });
  await client.publish('t/1', 'x', { qos: 1 });
  const copies = [await client.expectMessage(), await client.expectMessage()];
  expect(copies.map(({ qos, properties }) => [qos, properties.subscriptionIdentifier]).sort()).toEqual([
    [0, [1]],
    [1, [2]],
  ]);
});

test('no local keeps a client from its own messages [MQTT-3.8.3-3]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  const other = await broker.client('b');
  await client.subscribe('t', { noLocal: true });
  await client.publish('t', 'own');
  await client.expectNothing();
  await other.publish('t', 'foreign');
  await client.expectMessage('foreign');
  expect(broker.core.counters.get('delivery.dropped.no_local')).toBe(1);
});

test('no local on a shared subscription is a protocol error [MQTT-3.8.3-4]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  client.subscribe('$share/g/t', { noLocal: true }).catch(() => undefined);
  await client.expectDisconnect(ReasonCode.ProtocolError);
});

test('retain as published keeps the flag [MQTT-3.3.1-13]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  await client.subscribe('t', { retainAsPublished: true });
  await client.publish('t', 'x', { retain: true });
  expect((await client.expectMessage('x')).retain).toBe(true);
});

test('unsubscribing ends the flow and says what was there [MQTT-3.10.4-1] [MQTT-3.11.3-1]', async () => {
  const broker = startTestCore();
  const gone: string[] = [];
  broker.core.hooks.on('session.unsubscribed', (_client, filter) => gone.push(filter));
  const client = await broker.client('a');
  await client.subscribe(['t', 'u/+']);
  expect(await client.unsubscribe(['t', 'never', 'u/+'])).toEqual([0, ReasonCode.NoSubscriptionExisted, 0]);
  await client.publish('t', 'x');
  await client.publish('u/1', 'x');
  await client.expectNothing();
  expect(gone).toEqual(['t', 'u/+']);
  expect(broker.core.routes.filterCount).toBe(0);
});

test('a filter beginning with a wildcard does not reach $ topics [MQTT-4.7.2-1]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  await client.subscribe(['#', '+/x']);
  const publish = (payload: string) => broker.core.publish({ topic: '$SYS/x', payload, system: true });
  await publish('hidden');
  await client.expectNothing();
  await client.subscribe('$SYS/#');
  await publish('seen');
  await client.expectMessage('seen');
  await client.expectNothing();
});

test('an operator subscribes and unsubscribes a client', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  expect(broker.core.subscribe('a', [{ filter: 't', qos: 1 }, { filter: 'bad/#/x' }])).toEqual([
    1,
    ReasonCode.TopicFilterInvalid,
  ]);
  await client.publish('t', 'x', { qos: 1 });
  expect((await client.expectMessage('x')).qos).toBe(1);
  expect(broker.core.unsubscribe('a', ['t', 't'])).toEqual([0, ReasonCode.NoSubscriptionExisted]);
  expect(broker.core.subscribe('nobody', [{ filter: 't' }])).toBeUndefined();
  expect(broker.core.unsubscribe('nobody', ['t'])).toBeUndefined();
});

test('a share group divides messages, and what a member leaves behind goes to another', async () => {
  const broker = startTestCore();
  const slow = await broker.client('slow', { acknowledge: false });
  await slow.subscribe('$share/g/t', { qos: 1 });
  const sensor = await broker.client('sensor');
  for (const payload of ['1', '2', '3']) await sensor.publish('t', payload, { qos: 1 });
  expect(await slow.expectMessages(3)).toEqual(['1', '2', '3']);
  const other = await broker.client('other');
  await other.subscribe('$share/g/t', { qos: 1 });
  slow.close();
  expect(await other.expectMessages(3)).toEqual(['1', '2', '3']);
  await sensor.publish('t', '4', { qos: 1 });
  await other.expectMessage('4');
  await other.expectNothing();
  expect(broker.core.routes.sharedSubscriptionCount).toBe(1);
});

test('a bridge of 3.1.1 sees the retain flag as it was published', async () => {
  const broker = startTestCore();
  const bridge = await broker.client('bridge', { version: 4, bridge: true });
  const other = await broker.client('other', { version: 4 });
  for (const client of [bridge, other]) await client.subscribe('t');
  await other.publish('t', 'x', { retain: true });
  expect((await bridge.expectMessage('x')).retain).toBe(true);
  expect((await other.expectMessage('x')).retain).toBe(false);
});

describe('$exclusive', () => {
  const settings = { exclusiveSubscription: true };
  const kept = { cleanStart: false, properties: { sessionExpiryInterval: 60 } };

  test('is for one client at a time, the others learn that the quota is used up', async () => {
    const broker = startTestCore({ settings });
    const [one, two] = [await broker.client('one', kept), await broker.client('two')];
    expect(await one.subscribe('$exclusive/t/+', { qos: 1, subscriptionIdentifier: 7 })).toEqual([1]);
    expect(await one.subscribe('$exclusive/t/+', { qos: 2, subscriptionIdentifier: 8 })).toEqual([2]);
    expect(await two.subscribe('$exclusive/t/+')).toEqual([ReasonCode.QuotaExceeded]);
    expect(await (await broker.client('three', { version: 4 })).subscribe('$exclusive/t/+')).toEqual([0x80]);
    expect(await two.subscribe(['$exclusive/t/1', 't/+'])).toEqual([0, 0]); // other filters are no concern of it
    await two.publish('t/1', 'x', { qos: 2 });
    const message = await one.expectMessage('x');
    expect([message.topic, message.qos, message.properties.subscriptionIdentifier]).toEqual(['t/1', 2, [8]]);
    await one.expectNothing();
    expect(await two.expectMessages(2)).toEqual(['x', 'x']);
    expect([...broker.core.routes.subscribedFilters()].sort()).toEqual([
      '$exclusive/t/+',
      '$exclusive/t/1',
      't/+',
    ]);

    one.close(); // its session stays, and so does its claim
    expect(await two.subscribe('$exclusive/t/+')).toEqual([ReasonCode.QuotaExceeded]);
    broker.pass(61_000);
    expect(await two.subscribe('$exclusive/t/+')).toEqual([0]);
    await two.unsubscribe(['$exclusive/t/+', '$exclusive/t/1', 't/+']);
    const back = await broker.client('one', kept);
    expect(await back.subscribe('$exclusive/t/+')).toEqual([0]);
    await back.disconnect(0, { sessionExpiryInterval: 0 });
    expect(broker.core.routes.filterCount).toBe(0);
  });

  test('asks for permission on what it is matched by, and refuses what is no filter', async () => {
    const broker = startTestCore({ settings });
    broker.core.hooks.on('client.authorize', (_who, { topic }) => (topic === 'secret' ? 'deny' : undefined));
    const client = await broker.client('a');
    expect(
      await client.subscribe([
        '$exclusive/secret',
        '$exclusive/',
        '$exclusive/$share/g/t',
        '$exclusive/$exclusive/t',
      ]),
    ).toEqual([
      ReasonCode.NotAuthorized,
      ReasonCode.TopicFilterInvalid,
      ReasonCode.TopicFilterInvalid,
      ReasonCode.TopicFilterInvalid,
    ]);
  });

  test('of a session that ends goes to the next one, however much there is to tidy up', async () => {
    const broker = startTestCore({ settings });
    const one = await broker.client('one');
    for (let part = 0; part < 30; part++)
      await one.subscribe(Array.from({ length: 100 }, (_, i) => `many/${part}/${i}`));
    await one.subscribe(['$exclusive/t', '$share/g/s']);
    await one.disconnect();
    const two = await broker.client('two');
    expect(await two.subscribe(['$exclusive/t', '$share/g/s'])).toEqual([0, 0]);
    expect(await two.publish('many/29/99', 'nobody', { qos: 1 })).toBe(ReasonCode.NoMatchingSubscribers);
    await expect.poll(() => broker.core.routes.subscriptionCount).toBe(2);
    for (const topic of ['t', 's', 's']) await two.publish(topic, topic);
    expect(await two.expectMessages(3)).toEqual(['t', 's', 's']);
    await two.expectNothing();
  });
});

describe('a share group', () => {
  const kept = { cleanStart: false, properties: { sessionExpiryInterval: 60 } };

  test('follows the strategy of all, or its own', async () => {
    const broker = startTestCore({
      settings: {
        sharedSubscriptionStrategy: 'hash_topic',
        sharedSubscriptionGroups: { own: 'round_robin' },
      },
    });
    const [one, two] = [await broker.client('one'), await broker.client('two')];
    for (const client of [one, two]) await client.subscribe(['$share/all/a', '$share/own/o']);
    const sensor = await broker.client('sensor');
    const got = async (topic: string) => {
      for (let i = 0; i < 4; i++) await sensor.publish(topic, `${i}`);
      await Promise.all([one.ping(), two.ping()]);
      return [one, two].map(
        ({ packets }) =>
          packets.filter((packet) => packet.type === PacketType.PUBLISH && packet.topic === topic).length,
      );
    };
    expect((await got('a')).sort()).toEqual([0, 4]);
    expect(await got('o')).toEqual([2, 2]);
  });

  test('passes over a member whose queue is full', async () => {
    const broker = startTestCore({
      settings: { maxInflight: 1, maxMqueueLength: 2, sharedSubscriptionStrategy: 'round_robin_per_group' },
    });
    const slow = await broker.client('slow', { acknowledge: false });
    const fast = await broker.client('fast');
    for (const client of [slow, fast]) await client.subscribe('$share/g/t', { qos: 1 });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 10; i++) await sensor.publish('t', `${i}`, { qos: 1 });
    expect(await fast.expectMessages(7)).toEqual(['1', '3', '5', '6', '7', '8', '9']); // one in flight, two queued
    await fast.expectNothing();
    expect(broker.core.counters.get('delivery.dropped.queue_full')).toBe(0);
  });

  test('gets what a member leaves behind when its session ends, but nothing of QoS 2 that it may have [MQTT-4.8.2-4] [MQTT-4.8.2-5]', async () => {
    const broker = startTestCore({ settings: { maxInflight: 2 } });
    const gone = await broker.client('gone', { ...kept, acknowledge: false });
    await gone.subscribe('$share/g/t', { qos: 2 });
    const sensor = await broker.client('sensor');
    for (const [i, qos] of ([2, 1, 2, 1] as const).entries()) await sensor.publish('t', `${i}`, { qos });
    expect(await gone.expectMessages(2)).toEqual(['0', '1']);
    const rest = await broker.client('rest');
    await rest.subscribe('$share/g/t', { qos: 2 });
    gone.close();
    await rest.expectNothing(); // its client may come back for them
    broker.pass(61_000);
    expect(await rest.expectMessages(3)).toEqual(['1', '2', '3']);
    await rest.expectNothing();
  });

  test('gets it also when the broker was restarted meanwhile, but not what came by another subscription', async () => {
    const store = memoryStore();
    const before = startTestCore({ store });
    const gone = await before.client('gone', kept);
    await gone.subscribe(['$share/g/t/+', 't/own'], { qos: 1 });
    gone.close();
    await before.core.publish({ topic: 't/1', payload: 'shared', qos: 1 });
    await before.core.publish({ topic: 't/own', payload: 'own', qos: 1 });
    await before.close();

    const after = startTestCore({ store });
    const rest = await after.client('rest');
    await rest.subscribe('$share/g/t/+', { qos: 1 });
    after.pass(61_000);
    await rest.expectMessage('shared');
    await rest.expectNothing();
  });

  test('keeps to itself what a member refuses [MQTT-4.8.2-6]', async () => {
    const broker = startTestCore();
    const picky = await broker.client('picky', { acknowledge: false });
    const other = await broker.client('other');
    const sensor = await broker.client('sensor');
    await picky.subscribe('$share/g/t', { qos: 1 });
    await sensor.publish('t', 'x', { qos: 1 });
    const { packetId } = await picky.expectMessage('x');
    await other.subscribe('$share/g/t', { qos: 1 });
    picky.send({ type: PacketType.PUBACK, packetId, reasonCode: 0x80, properties: {} });
    await picky.disconnect();
    await other.expectNothing();
  });
});
