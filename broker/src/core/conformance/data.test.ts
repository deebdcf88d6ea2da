import { type AckPacket, PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { expect, test } from 'vitest';
import { startTestCore } from '../../testing/start-test-core.ts';

type Ack = AckPacket['type'];
const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)];
const ill = [0, 2, 0xc3, 0x28];
const nul = [0, 1, 0];

test.each([
  ['name is not UTF-8', [0x26, ...ill, ...text('b')]],
  ['value is not UTF-8', [0x26, ...text('a'), ...ill]],
  ['name holds U+0000', [0x26, ...nul, ...text('b')]],
  ['value holds U+0000', [0x26, ...text('a'), ...nul]],
])('a user property whose %s is malformed [MQTT-1.5.7-1]', async (_what, property) => {
  const broker = startTestCore();
  const client = await broker.client('a');
  client.sendRaw([0x30, 4 + property.length, ...text('t'), property.length, ...property]);
  await client.expectDisconnect(ReasonCode.MalformedPacket);
});

test('a QoS 0 message goes out without a packet identifier, whatever was subscribed to [MQTT-2.2.1-2]', async () => {
  const broker = startTestCore();
  for (const version of [4, 5] as const) {
    const client = await broker.client('a', { version });
    await client.subscribe('t', { qos: 2 });
    await client.publish('t', 'x');
    await client.expectMessage('x');
    const bytes = version === 5 ? [0x30, 5, ...text('t'), 0, 0x78] : [0x30, 4, ...text('t'), 0x78];
    expect([...client.bytes.at(-1)!]).toEqual(bytes);
    await client.disconnect();
  }
});

test('acknowledgements carry the identifier of their message [MQTT-2.2.1-5]', async () => {
  const broker = startTestCore();
  const sensor = await broker.client('sensor');
  const screen = await broker.client('screen', { acknowledge: false });
  await screen.subscribe('t', { qos: 2 });
  for (const packetId of [1, 0x1234, 0xffff]) {
    sensor.sendPublish('t', 'one', { qos: 1, packetId });
    expect((await sensor.expect<Ack>(PacketType.PUBACK)).packetId).toBe(packetId);
    sensor.sendPublish('t', 'two', { qos: 2, packetId });
    expect((await sensor.expect<Ack>(PacketType.PUBREC)).packetId).toBe(packetId);
    sensor.send({ type: PacketType.PUBREL, packetId, reasonCode: 0, properties: {} });
    expect((await sensor.expect<Ack>(PacketType.PUBCOMP)).packetId).toBe(packetId);
    await screen.expectMessage('one');
    const { packetId: theirs } = await screen.expectMessage('two');
    screen.send({ type: PacketType.PUBREC, packetId: theirs, reasonCode: 0, properties: {} });
    expect((await screen.expect<Ack>(PacketType.PUBREL)).packetId).toBe(theirs);
  }
});

test('SUBACK and UNSUBACK carry the identifier of what they answer [MQTT-2.2.1-6] [MQTT-3.8.4-2] [MQTT-3.10.4-5]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  for (const packetId of [1, 0x1234, 0xffff]) {
    const id = [packetId >> 8, packetId & 255];
    client.sendRaw([0x82, 7, ...id, 0, ...text('t'), 0]);
    expect((await client.expect(PacketType.SUBACK)).packetId).toBe(packetId);
    client.sendRaw([0xa2, 6, ...id, 0, ...text('t')]);
    expect((await client.expect(PacketType.UNSUBACK)).packetId).toBe(packetId);
    client.sendRaw([0xa2, 6, ...id, 0, ...text('t')]); // nothing left to end
    expect((await client.expect(PacketType.UNSUBACK)).packetId).toBe(packetId);
  }
});

test('no properties are a length of 0, to be written and to be read [MQTT-2.2.2-1]', async () => {
  const broker = startTestCore();
  const client = await broker.client('a');
  client.sendRaw([0x82, 7, 0, 9, 0, ...text('t'), 0]);
  await client.expect(PacketType.SUBACK);
  expect([...client.bytes.at(-1)!]).toEqual([0x90, 4, 0, 9, 0, 0]);
  client.sendRaw([0x30, 3, ...text('t')]);
  await client.expectDisconnect(ReasonCode.MalformedPacket);
});
