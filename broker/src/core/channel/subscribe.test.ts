import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

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
  await client.publish('$SYS/x', 'hidden');
  await client.expectNothing();
  await client.subscribe('$SYS/#');
  await client.publish('$SYS/x', 'seen');
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

test('a share group divides messages, and what a member leaves behind goes to another [MQTT-4.8.2-3]', async () => {
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
