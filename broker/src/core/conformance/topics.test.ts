import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

const text = (value: string) => {
  const bytes = Buffer.from(value);
  return [bytes.length >> 8, bytes.length & 255, ...bytes];
};
const publish = (topic: string) => [0x30, 1 + text(topic).length, ...text(topic), 0];
const subscribe = (filter: string) => [0x82, 4 + text(filter).length, 0, 1, 0, ...text(filter), 0];

test.each([
  ['a message to a wildcard [MQTT-4.7.0-1]', publish('a/+'), ReasonCode.TopicNameInvalid],
  ['a message to a wildcard at the end [MQTT-4.7.0-1]', publish('a/#'), ReasonCode.TopicNameInvalid],
  ['a message to nowhere [MQTT-4.7.3-1]', publish(''), ReasonCode.ProtocolError],
  ['a filter that is empty [MQTT-4.7.3-1]', subscribe(''), ReasonCode.TopicFilterInvalid],
  ['a topic with U+0000 [MQTT-4.7.3-2]', publish('a\0b'), ReasonCode.MalformedPacket],
  ['a filter with U+0000 [MQTT-4.7.3-2]', subscribe('a\0b'), ReasonCode.MalformedPacket],
  ['# before the end [MQTT-4.7.1-1]', subscribe('a/#/b'), ReasonCode.TopicFilterInvalid],
  ['# beside something [MQTT-4.7.1-1]', subscribe('a#'), ReasonCode.TopicFilterInvalid],
  ['+ beside something [MQTT-4.7.1-2]', subscribe('a/b+/c'), ReasonCode.TopicFilterInvalid],
  ['a share without a name [MQTT-4.8.2-1]', subscribe('$share//a'), ReasonCode.TopicFilterInvalid],
  ['a share name with a wildcard [MQTT-4.8.2-2]', subscribe('$share/g+/a'), ReasonCode.TopicFilterInvalid],
  ['a share without a filter [MQTT-4.8.2-2]', subscribe('$share/g/'), ReasonCode.TopicFilterInvalid],
  [
    'a share with nothing behind its name [MQTT-4.8.2-2]',
    subscribe('$share/g'),
    ReasonCode.TopicFilterInvalid,
  ],
])('%s is told why and let go', async (_what, bytes, reasonCode) => {
  const broker = startTestCore();
  const client = await broker.client('a');
  client.sendRaw(bytes);
  await client.expectDisconnect(reasonCode);
  expect(broker.core.routes.subscriptionCount).toBe(0);
});

test('topics and filters may have 65,535 bytes, and cannot have more [MQTT-4.7.3-3]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  const longest = `${'ü'.repeat(32_767)}x`;
  expect(await client.subscribe(longest)).toEqual([0]);
  await client.publish(longest, 'arrives');
  expect((await client.expectMessage('arrives')).topic).toBe(longest);
  await expect(client.subscribe(`${longest}x`)).rejects.toThrow(RangeError); // two bytes tell no such length
});

test('topics and filters are compared as they are [MQTT-4.7.3-4]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  const topics = [
    'a',
    'A',
    'a/',
    '/a',
    'a//b',
    'a/b',
    'á',
    'a\u0301',
    'a ',
    '\ufeffa',
    '\u00c5',
    '\u212b',
    'ﬁ',
    'fi',
    '%61',
    '.',
    'a/../b',
  ];
  for (const topic of topics) {
    await client.subscribe(topic);
    for (const other of topics) await client.publish(other, other);
    await client.ping();
    const seen = client.packets.splice(0).flatMap((p) => (p.type === PacketType.PUBLISH ? [p.topic] : []));
    expect(seen).toEqual([topic]);
    await client.unsubscribe(topic);
  }
});

describe('subscription identifiers', () => {
  test('come with every message, copies and retained ones included [MQTT-3.3.4-3] [MQTT-3.3.4-5]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a');
    const filters = ['t/1', 't/+', 't/#', '#', '+/1', '$share/g/t/1'];
    for (const [i, filter] of filters.entries())
      await client.subscribe(filter, { qos: 1, ...(i > 0 && { subscriptionIdentifier: 2 ** (5 * i) }) });
    for (const qos of [0, 1] as const) {
      await client.publish('t/1', 'x', { qos });
      const seen = [];
      for (const _ of filters)
        seen.push((await client.expectMessage('x')).properties.subscriptionIdentifier?.[0] ?? 0);
      expect(seen.sort((a, b) => a - b)).toEqual([0, 32, 1024, 32_768, 2 ** 20, 2 ** 25]);
    }
    await client.subscribe('t/+', { subscriptionIdentifier: 7 }); // and is replaced with its subscription
    await client.publish('t/2', 'y');
    const seen = [];
    for (let i = 0; i < 3; i++)
      seen.push((await client.expectMessage('y')).properties.subscriptionIdentifier);
    expect(seen).toContainEqual([7]);
    expect(seen).not.toContainEqual([32]);
  });
});
