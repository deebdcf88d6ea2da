import { encodePacket } from '@mqdeck/mqtt/encode';
import { PacketType, type PublishPacket } from '@mqdeck/mqtt/packets';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import { newMessage } from '../message.ts';
import { OutboundAliases } from './outbound-aliases.ts';

const allowing = (topicAliasMaximum: number, more = {}) => ({ properties: { topicAliasMaximum, ...more } });
const parts = ({ topic, properties }: PublishPacket) => [topic, properties.topicAlias];

describe('the topic aliases towards a client', () => {
  test('are told with the first message of a topic and stand for it from the second on', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', allowing(10));
    const other = await broker.client('b', allowing(10));
    const plain = await broker.client('c');
    const old = await broker.client('d', { version: 4 });
    await other.subscribe('other/topic/1');
    for (const topic of ['other/topic/1', 'other/topic/1']) await plain.publish(topic, 'x'); // its alias 1 is taken
    await other.expectMessages(2);
    for (const each of [client, other, plain, old]) await each.subscribe('long/topic/1');
    const options = { properties: { contentType: 'text', userProperty: [['a', 'b']] as [string, string][] } };
    for (let i = 0; i < 3; i++) await old.publish('long/topic/1', `${i}`);
    await plain.publish('long/topic/1', '3', options);
    const messages = async (from: typeof client) => {
      const all = [];
      for (let i = 0; i < 4; i++) all.push(await from.expectMessage(`${i}`));
      return all;
    };
    const seen = await messages(client);
    expect(seen.map(parts)).toEqual([
      ['long/topic/1', 1],
      ['', 1],
      ['', 1],
      ['', 1],
    ]);
    expect(seen[3]!.properties).toEqual({ topicAlias: 1, ...options.properties });
    expect((await messages(other)).map(parts)).toEqual([
      ['long/topic/1', 2],
      ['', 2],
      ['', 2],
      ['', 2],
    ]);
    for (const each of [plain, old])
      expect((await messages(each)).map(parts)).toEqual(Array(4).fill(['long/topic/1', undefined]));
  });

  test('carry every QoS, the retain flag, identifiers and the rest of an expiry', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', allowing(1));
    const sensor = await broker.client('sensor');
    await client.subscribe('long/topic/1', { qos: 2, retainAsPublished: true });
    await client.subscribe('long/topic/+', { qos: 1, subscriptionIdentifier: 300 });
    for (const qos of [0, 1, 2] as const)
      await sensor.publish('long/topic/1', `${qos}`, { qos, retain: true });
    const seen = [];
    for (let i = 0; i < 6; i++) seen.push(await client.expectMessage());
    // Two copies of each, in either order
    const facts = ({ payload, qos, retain, properties }: PublishPacket) =>
      `${Buffer.from(payload)} qos ${qos} ${retain} ${properties.subscriptionIdentifier ?? 'none'}`;
    expect(seen.map(facts).sort()).toEqual([
      '0 qos 0 false 300',
      '0 qos 0 true none',
      '1 qos 1 false 300',
      '1 qos 1 true none',
      '2 qos 1 false 300',
      '2 qos 2 true none',
    ]);
    expect(seen.map(parts)).toEqual([['long/topic/1', 1], ...Array(5).fill(['', 1])]);
    const ids = seen.filter(({ qos }) => qos > 0).map(({ packetId }) => packetId);
    expect(new Set(ids).size).toBe(4);

    await client.unsubscribe('long/topic/+');
    const { core } = broker;
    const properties = { messageExpiryInterval: 60 };
    const kept = newMessage('long/topic/1', 'waited', { properties, timestamp: core.clock.now });
    broker.pass(9900);
    core.registry.find('a')?.deliverRetained(kept, 'long/topic/1');
    const waited = await client.expectMessage('waited');
    expect([...parts(waited), waited.properties.messageExpiryInterval]).toEqual(['', 1, 50]);
  });

  test('end with the connection, also for what is sent again', async () => {
    const broker = startTestCore();
    const options = { ...allowing(5, { sessionExpiryInterval: 60 }), cleanStart: false, acknowledge: false };
    const first = await broker.client('a', options);
    await first.subscribe('long/topic/1', { qos: 1 });
    const sensor = await broker.client('sensor');
    for (let i = 0; i < 3; i++) await sensor.publish('long/topic/1', `${i}`, { qos: 1 });
    await first.expectMessages(2);
    expect(parts(await first.expectMessage('2'))).toEqual(['', 1]);
    first.close();
    const back = await broker.client('a', options);
    const again = [
      await back.expectMessage('0'),
      await back.expectMessage('1'),
      await back.expectMessage('2'),
    ];
    expect(again.map(parts)).toEqual([
      ['long/topic/1', 1],
      ['', 1],
      ['', 1],
    ]);
    expect(again.every(({ dup }) => dup)).toBe(true);
  });

  test('stand for topics from four characters on', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', allowing(10));
    await client.subscribe('#');
    const sensor = await broker.client('sensor');
    for (const topic of ['abc', 'abcd', 'abc', 'abcd']) await sensor.publish(topic, 'x');
    const seen = [1, 2, 3, 4].map(() => client.expectMessage('x'));
    expect((await Promise.all(seen)).map(parts)).toEqual([
      ['abc', undefined],
      ['abcd', 1],
      ['abc', undefined],
      ['', 1],
    ]);
  });

  test("are each receiver's own in a burst, whatever lies between", async () => {
    const broker = startTestCore();
    const sensor = await broker.client('sensor');
    const topics = ['room/1', 'room/2', 'room/3'];
    const clients = [];
    for (let i = 0; i < 3; i++) {
      const client = await broker.client(`c${i}`, allowing(10));
      await client.subscribe('room/#');
      for (const topic of [...topics.slice(i), ...topics.slice(0, i)]) await client.publish(topic, 'first');
      clients.push(client);
    }
    for (const client of clients) await client.ping();
    const told = clients.map((client) => {
      const aliases = new Map<number, string>();
      for (const packet of client.packets.splice(0))
        if (packet.type === PacketType.PUBLISH && packet.topic !== '')
          aliases.set(packet.properties.topicAlias!, packet.topic);
      return aliases;
    });
    expect(told.map((aliases) => aliases.get(1))).toEqual(['room/1', 'room/2', 'room/3']);

    const burst = Array.from({ length: 300 }, (_, i) => ({
      topic: topics[i % 7 < 4 ? 0 : i % 3]!,
      payload: `${i}`.padEnd(i % 11 === 0 ? 3000 : 5, '.'),
      retain: i % 5 === 0,
    }));
    const frames = burst.map(({ topic, payload, retain }) =>
      encodePacket(
        {
          type: PacketType.PUBLISH,
          topic,
          payload: Buffer.from(payload),
          qos: 0,
          retain,
          dup: false,
          packetId: 0,
          properties: {},
        },
        5,
      ),
    );
    sensor.sendRaw(Buffer.concat(frames));
    for (const [i, client] of clients.entries())
      for (const { topic, payload } of burst) {
        const message = await client.expectMessage(payload);
        expect([told[i]!.get(message.properties.topicAlias!), message.topic, message.retain]).toEqual([
          topic,
          '',
          false,
        ]);
      }
  });

  test('are spared where they bring nothing, are switched off, or would make a packet too large', async () => {
    const broker = startTestCore({ settings: { maxTopicAliasOut: 3 } });
    const client = await broker.client('a', allowing(65_535, { maximumPacketSize: 30 }));
    await client.subscribe(['t', 'long/topic/#']);
    const sensor = await broker.client('sensor');
    const send = async (topic: string, payload: string) => {
      await sensor.publish(topic, payload);
      return parts(await client.expectMessage(payload));
    };
    for (let i = 0; i < 3; i++) expect(await send('t', 'x')).toEqual(['t', undefined]);
    for (let i = 0; i < 3; i++)
      expect(await send('long/topic/1', 'x'.repeat(13))).toEqual(['long/topic/1', undefined]);
    expect(await send('long/topic/1', 'x')).toEqual(['long/topic/1', 1]);
    expect(await send('long/topic/1', 'x'.repeat(13))).toEqual(['', 1]);

    broker.core.settings.maxTopicAliasOut = 0;
    const none = await broker.client('b', allowing(10));
    await none.subscribe('long/topic/1');
    for (let i = 0; i < 3; i++) {
      await sensor.publish('long/topic/1', 'x');
      expect(parts(await none.expectMessage('x'))).toEqual(['long/topic/1', undefined]);
    }
  });
});

test('whatever is sent, the client knows each alias and none is beyond its maximum [MQTT-3.1.2-26] [MQTT-3.3.2-11]', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 200 }),
      (max, sent) => {
        const aliases = new OutboundAliases(max);
        const client = new Map<number, string>();
        for (const n of sent) {
          const topic = `some/topic/${n}`;
          const known = aliases.known(topic);
          if (known !== 0) expect(client.get(known)).toBe(topic);
          else if (aliases.isWorthwhile(topic)) {
            const alias = aliases.assign(topic);
            expect(alias).toBeGreaterThan(0);
            expect(alias).toBeLessThanOrEqual(max);
            client.set(alias, topic);
          }
        }
      },
    ),
  );
});

test('a topic in constant use keeps its alias while others come and go', () => {
  const aliases = new OutboundAliases(2);
  const send = (topic: string) => {
    const known = aliases.known(topic);
    if (known !== 0) return known;
    return aliases.isWorthwhile(topic) ? aliases.assign(topic) : 0;
  };
  send('often/used');
  const alias = send('often/used');
  send('seldom/used'); // has the other one, and now there is none left
  for (let i = 0; i < 20; i++) {
    send(`seldom/${i}`);
    send(`seldom/${i}`);
    expect(send('often/used')).toBe(alias);
  }
});
