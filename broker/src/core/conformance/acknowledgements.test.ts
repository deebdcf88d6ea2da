import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { isPermitted } from '@mqdeck/mqtt/permitted';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

test.each(Object.values(ReasonCode))(
  'a message that ends with reason %i is answered with a code of the table [MQTT-3.4.2-1] [MQTT-3.5.2-1]',
  async (reasonCode) => {
    const broker = startTestCore();
    broker.core.hooks.on('message.publish', () => ({ reasonCode, reason: 'so' }));
    const client = await broker.client('a');
    for (const [qos, type] of [
      [1, PacketType.PUBACK],
      [2, PacketType.PUBREC],
    ] as const) {
      client.sendPublish('t', 'x', { qos });
      const { reasonCode: told } = await client.expect<AckPacket['type']>(type);
      expect(isPermitted(type, told, 'server')).toBe(true);
      expect(told >= 0x80).toBe(reasonCode >= 0x80);
      if (isPermitted(type, reasonCode, 'server')) expect(told).toBe(reasonCode);
    }
  },
);

test('PUBREL and PUBCOMP say 0x00, or 0x92 of an identifier nobody knows [MQTT-3.6.2-1] [MQTT-3.7.2-1]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a', { acknowledge: false });
  await client.subscribe('t', { qos: 2 });
  const packetId = client.sendPublish('t', 'x', { qos: 2 });
  await client.expectAck(PacketType.PUBREC, packetId);
  const answerTo = async (type: AckPacket['type'], id: number, answer: AckPacket['type']) => {
    client.send({ type, packetId: id, reasonCode: 0, properties: {} });
    return (await client.expectAck(answer, id)).reasonCode;
  };
  const notFound = ReasonCode.PacketIdentifierNotFound;
  expect(await answerTo(PacketType.PUBREL, packetId, PacketType.PUBCOMP)).toBe(0);
  expect(await answerTo(PacketType.PUBREL, packetId, PacketType.PUBCOMP)).toBe(notFound);
  const message = await client.expectMessage('x');
  expect(await answerTo(PacketType.PUBREC, message.packetId, PacketType.PUBREL)).toBe(0);
  expect(await answerTo(PacketType.PUBREC, message.packetId + 1, PacketType.PUBREL)).toBe(notFound);
});

test('after a PUBREC that says no there is no PUBREL, whether the identifier is known or not', async () => {
  const broker = startTestCore();
  const client = await broker.client('a', { acknowledge: false });
  await client.subscribe('t', { qos: 2 });
  client.sendPublish('t', 'x', { qos: 2 });
  const { packetId } = await client.expectMessage('x');
  const reasonCode = ReasonCode.ImplementationSpecificError;
  for (const id of [packetId, packetId + 1])
    client.send({ type: PacketType.PUBREC, packetId: id, reasonCode, properties: {} });
  client.send({ type: PacketType.PUBREC, packetId: packetId + 2, reasonCode: 0, properties: {} });
  expect((await client.expect<AckPacket['type']>(PacketType.PUBREL)).packetId).toBe(packetId + 2);
});

test.each([
  ['PUBACK with a code of SUBACK [MQTT-3.4.2-1]', [0x40, 3, 0, 1, 2]],
  ['PUBREC with a code of CONNACK [MQTT-3.5.2-1]', [0x50, 3, 0, 1, 0x84]],
  ['PUBREL with a code of PUBACK [MQTT-3.6.2-1]', [0x62, 3, 0, 1, 0x10]],
  ['PUBCOMP with a code of PUBACK [MQTT-3.7.2-1]', [0x70, 3, 0, 1, 0x87]],
])('a client that sends %s breaks the protocol', async (_what, bytes) => {
  const broker = startTestCore();
  const client = await broker.client('a');
  client.sendRaw(bytes);
  await client.expectDisconnect(ReasonCode.ProtocolError);
});

test.each([0x60, 0x61, 0x63, 0x64, 0x66, 0x6a, 0x6f])(
  'PUBREL with the first byte %i is malformed [MQTT-3.6.1-1]',
  async (header) => {
    const broker = startTestCore();
    const client = await broker.client('a');
    client.sendRaw([header, 2, 0, 1]);
    await client.expectDisconnect(ReasonCode.MalformedPacket);
  },
);
