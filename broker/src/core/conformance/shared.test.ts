import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { TestClient } from '../../testing/test-client.ts';

const kept = { cleanStart: false, acknowledge: false, properties: { sessionExpiryInterval: 600 } };
const answer = (client: TestClient, type: AckPacket['type'], packetId: number, reasonCode = 0) =>
  client.send({ type, packetId, reasonCode, properties: {} });

test('a member gets messages with the QoS granted to it [MQTT-4.8.2-3]', async () => {
  const broker = startTestCore();
  const members = [];
  for (const qos of [0, 1, 2] as const) {
    const client = await broker.client(`of ${qos}`);
    await client.subscribe('$share/g/t', { qos });
    members.push({ client, granted: qos, seen: 0 });
  }
  for (const qos of [0, 1, 2] as const)
    for (let i = 0; i < 12; i++) await broker.core.publish({ topic: 't', payload: `${qos}`, qos });
  let all = 0;
  for (const member of members) {
    await member.client.ping();
    for (const packet of member.client.packets) {
      if (packet.type !== PacketType.PUBLISH) continue;
      all++;
      member.seen++;
      const published = Number(Buffer.from(packet.payload).toString());
      expect(packet.qos).toBe(Math.min(published, member.granted));
    }
    expect(member.seen).toBeGreaterThan(0);
  }
  expect(all).toBe(36);
});

test('a QoS 2 message on its way waits for its member, and for nobody else [MQTT-4.8.2-4] [MQTT-4.8.2-5]', async () => {
  const broker = startTestCore();
  let member = await broker.client('member', kept);
  await member.subscribe('$share/g/t', { qos: 2 });
  await broker.core.publish({ topic: 't', payload: 'x', qos: 2 });
  const { packetId } = await member.expectMessage('x');
  const other = await broker.client('other');
  await other.subscribe('$share/g/t', { qos: 2 });
  member.close();
  await other.expectNothing();
  member = await broker.client('member', kept);
  expect((await member.expectMessage('x')).packetId).toBe(packetId);
  answer(member, PacketType.PUBREC, packetId);
  await member.expectAck(PacketType.PUBREL, packetId);
  member.close();
  await other.expectNothing();
  broker.pass(700_000);
  expect(broker.core.registry.find('member')).toBeUndefined();
  await other.expectNothing();
});

test('nor does another member get it when its session ends before PUBREC [MQTT-4.8.2-5]', async () => {
  const broker = startTestCore();
  const member = await broker.client('member', kept);
  await member.subscribe('$share/g/t', { qos: 2 });
  await broker.core.publish({ topic: 't', payload: 'x', qos: 2 });
  await member.expectMessage('x');
  const other = await broker.client('other');
  await other.subscribe('$share/g/t', { qos: 2 });
  member.close();
  broker.pass(700_000);
  await other.expectNothing();
});

test.each([
  [1, PacketType.PUBACK],
  [2, PacketType.PUBREC],
] as const)(
  'a QoS %i message that a member refuses goes to nobody else [MQTT-4.8.2-6]',
  async (qos, type) => {
    const broker = startTestCore();
    const member = await broker.client('member', kept);
    await member.subscribe('$share/g/t', { qos });
    await broker.core.publish({ topic: 't', payload: 'x', qos });
    const { packetId } = await member.expectMessage('x');
    const other = await broker.client('other');
    await other.subscribe('$share/g/t', { qos });
    answer(member, type, packetId, ReasonCode.ImplementationSpecificError);
    await member.expectNothing();
    await other.expectNothing();
    await member.disconnect(0, { sessionExpiryInterval: 0 });
    await other.expectNothing();
  },
);
