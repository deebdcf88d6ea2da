import { type AckPacket, PacketType, type PublishPacket } from '@mqdeck/mqtt/packets';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';

const kept = { cleanStart: false, properties: { sessionExpiryInterval: 600 } };
const byHand = { ...kept, acknowledge: false };
const answer = (client: TestClient, type: AckPacket['type'], packetId: number) =>
  client.send({ type, packetId, reasonCode: 0, properties: {} });

describe('session state', () => {
  test('lasts as long as the connection, however long that is [MQTT-4.1.0-1]', async () => {
    const broker = startTestCore();
    const client = await broker.client('a', { acknowledge: false, properties: { sessionExpiryInterval: 1 } });
    await client.subscribe('t', { qos: 1, subscriptionIdentifier: 3 });
    await broker.core.publish({ topic: 't', payload: 'x', qos: 1 });
    const { packetId } = await client.expectMessage('x');
    broker.pass(30 * 24 * 3600 * 1000);
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ inflight_cnt: 1, subscriptions_cnt: 1 });
    answer(client, PacketType.PUBACK, packetId);
    await client.publish('t', 'still');
    expect((await client.expectMessage('still')).properties.subscriptionIdentifier).toEqual([3]);
  });

  test('ends when the connection is gone and its time is over, not before [MQTT-4.1.0-2]', async () => {
    const broker = startTestCore();
    const ended: string[] = [];
    broker.core.hooks.on('session.terminated', ({ clientid }) => ended.push(clientid));
    for (const sessionExpiryInterval of [0, 10, 0xffff_ffff]) {
      const client = await broker.client(`${sessionExpiryInterval}`, {
        properties: { sessionExpiryInterval },
      });
      await client.subscribe('t');
      client.close();
    }
    expect(ended).toEqual(['0']);
    broker.pass(9_500);
    expect(ended).toEqual(['0']);
    broker.pass(1_000);
    expect(ended).toEqual(['0', '10']);
    broker.pass(400 * 24 * 3600 * 1000);
    expect(ended).toEqual(['0', '10']);
    expect(broker.core.routes.subscriptionCount).toBe(1);
  });

  test('gets every message of its subscriptions, whether the client is there or not [MQTT-4.5.0-1]', async () => {
    const broker = startTestCore();
    const there = await broker.client('there');
    const away = await broker.client('away', kept);
    for (const client of [there, away]) await client.subscribe(['t/#', 'other'], { qos: 2 });
    away.close();
    const sensor = await broker.client('sensor');
    const sent = Array.from({ length: 90 }, (_, i) => `${i}`);
    for (const [i, payload] of sent.entries())
      await sensor.publish(i % 9 === 8 ? 'nobody' : `t/${i}`, payload, { qos: (1 + (i % 2)) as 1 | 2 });
    const wanted = sent.filter((_, i) => i % 9 !== 8);
    expect(await there.expectMessages(wanted.length)).toEqual(wanted);
    const back = await broker.client('away', kept);
    expect(await back.expectMessages(wanted.length)).toEqual(wanted);
    for (const client of [there, back]) await client.expectNothing();
  });
});

describe('what was not acknowledged', () => {
  test('comes again with its identifier when the client goes on with the session, and only then [MQTT-4.4.0-1] [MQTT-4.6.0-1]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', byHand);
    await first.subscribe('t', { qos: 2 });
    for (const [i, qos] of ([1, 2, 1, 2, 1] as const).entries())
      await broker.core.publish({ topic: 't', payload: `${i}`, qos });
    const sent: PublishPacket[] = [];
    for (let i = 0; i < 5; i++) sent.push(await first.expectMessage(`${i}`));
    answer(first, PacketType.PUBACK, sent[2]!.packetId);
    answer(first, PacketType.PUBREC, sent[3]!.packetId);
    await first.expectAck(PacketType.PUBREL, sent[3]!.packetId);
    broker.pass(3_600_000);
    await first.expectNothing();
    first.close();
    const back = await broker.client('a', byHand);
    for (const i of [0, 1, 4]) {
      const again = await back.expectMessage(`${i}`);
      expect([again.packetId, again.dup, again.qos]).toEqual([sent[i]!.packetId, true, sent[i]!.qos]);
    }
    await back.expectAck(PacketType.PUBREL, sent[3]!.packetId);
    await back.expectNothing();
    const clean = await broker.client('a', { ...byHand, cleanStart: true });
    await clean.expectNothing();
  });

  test('is not more at once than a smaller Receive Maximum allows [MQTT-3.3.4-9] [MQTT-4.9.0-1]', async () => {
    const broker = startTestCore();
    const first = await broker.client('a', byHand);
    await first.subscribe('t', { qos: 2 });
    for (let i = 0; i < 8; i++)
      await broker.core.publish({ topic: 't', payload: `${i}`, qos: i % 2 === 0 ? 1 : 2 });
    expect((await first.expectMessages(8)).length).toBe(8);
    first.close();
    const properties = { ...kept.properties, receiveMaximum: 3 };
    const back = await broker.client('a', { ...byHand, properties });
    await broker.core.publish({ topic: 't', payload: 'new', qos: 1 });
    const open: PublishPacket[] = [];
    const seen: string[] = [];
    const take = async () => {
      await back.ping();
      for (const packet of back.packets.splice(0)) {
        if (packet.type === PacketType.PUBLISH) {
          open.push(packet);
          seen.push(Buffer.from(packet.payload).toString());
        } else if (packet.type === PacketType.PUBREL) answer(back, PacketType.PUBCOMP, packet.packetId);
      }
      expect(open.length).toBeLessThanOrEqual(3);
    };
    await take();
    expect(open.length).toBe(3);
    while (open.length > 0) {
      const { qos, packetId } = open.shift()!;
      if (qos === 1) answer(back, PacketType.PUBACK, packetId);
      else answer(back, PacketType.PUBREC, packetId);
      await take();
      await take();
    }
    expect(seen).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', 'new']);
    expect(broker.core.registry.find('a')?.facts()).toMatchObject({ inflight_cnt: 0, mqueue_len: 0 });
  });
});

test('a window begins with the Receive Maximum, is used up, and opens by acknowledgements [MQTT-4.9.0-1] [MQTT-4.9.0-2]', async () => {
  const broker = startTestCore();
  for (const receiveMaximum of [1, 2, 5]) {
    const client = await broker.client('a', { acknowledge: false, properties: { receiveMaximum } });
    await client.subscribe('t', { qos: 2 });
    for (let i = 0; i < 12; i++)
      await broker.core.publish({ topic: 't', payload: `${i}`, qos: i % 2 === 0 ? 1 : 2 });
    let next = 0;
    const open: PublishPacket[] = [];
    for (; next < receiveMaximum; next++) open.push(await client.expectMessage(`${next}`));
    await client.expectNothing();
    while (next < 12) {
      const { qos, packetId } = open.shift()!;
      if (qos === 1) answer(client, PacketType.PUBACK, packetId);
      else {
        answer(client, PacketType.PUBREC, packetId);
        await client.expectAck(PacketType.PUBREL, packetId);
        await client.expectNothing(); // PUBREC opens nothing
        answer(client, PacketType.PUBCOMP, packetId);
      }
      open.push(await client.expectMessage(`${next++}`));
      await client.expectNothing();
    }
    await client.disconnect();
  }
});
