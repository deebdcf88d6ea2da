import { PacketType } from '@mqdeck/mqtt/packets';
import { expect, test } from 'vitest';
import { startTestCore } from '../testing/start-test-core.ts';

test.each([3, 4, 5] as const)('a message reaches a subscriber of version %i', async (version) => {
  const broker = startTestCore();
  const sensor = await broker.client('sensor', { version });
  const screen = await broker.client('screen', { version });
  expect(await screen.subscribe('room/+', { qos: 2 })).toEqual([2]);
  for (const qos of [0, 1, 2] as const) {
    await sensor.publish('room/1', `at ${qos}`, { qos });
    const message = await screen.expectMessage(`at ${qos}`);
    expect([message.topic, message.qos, message.retain, message.dup]).toEqual(['room/1', qos, false, false]);
  }
  await screen.expectNothing();
  expect(screen.packets.filter(({ type }) => type === PacketType.PUBLISH)).toEqual([]);
  await broker.close();
});
