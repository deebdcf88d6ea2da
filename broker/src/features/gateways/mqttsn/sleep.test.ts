import { expect, test } from 'vitest';
import { snMessage } from '../../../testing/sn-device.ts';
import {
  broker,
  CONNACK,
  CONNECT,
  clientOf,
  connected,
  connectWithWill,
  DISCONNECT,
  FIRST,
  mqttClient,
  openDevice,
  PINGREQ,
  PINGRESP,
  PUBACK,
  PUBLISH,
  setUpSnTests,
  startGateway,
  wind,
} from '../../../testing/sn-gateway.ts';

setUpSnTests();

test('a sleeper finds what came meanwhile when it asks, and sleeps on', async () => {
  await startGateway();
  const device = await connected('sleeper', { keepalive: 10 });
  const id = await device.subscribe('down', 1);
  device.send(DISCONNECT, [60]);
  await device.expect(DISCONNECT);
  await broker.core.publish({ topic: 'down', payload: 'one', qos: 1 });
  await broker.core.publish({ topic: 'down', payload: 'two' });
  wind(50); // longer than its keep alive
  await device.expectNothing();
  expect((await clientOf('sleeper')).body.connected).toBe(true);

  device.send(PINGREQ, 'sleeper');
  const one = await device.next();
  expect(one.equals(snMessage(PUBLISH, 0x20, [id], one.subarray(5, 7), 'one'))).toBe(true);
  device.send(PUBACK, [id], one.subarray(5, 7), 0);
  await device.expect(PUBLISH, 0x00, [id], [0], 'two');
  await device.expect(PINGRESP);
  await broker.core.publish({ topic: 'down', payload: 'three' });
  await device.expectNothing();
  device.send(PINGREQ, 'sleeper');
  await device.expect(PUBLISH, 0x00, [id], [0], 'three');
  await device.expect(PINGRESP);
  device.send(PINGREQ, 'sleeper');
  await device.expect(PINGRESP);
});

test('a sleeper that falls asleep before it has acknowledged gets it again the next time', async () => {
  await startGateway();
  const device = await connected('sleeper');
  const id = await device.subscribe('down', 1);
  device.send(DISCONNECT, [600]);
  await device.expect(DISCONNECT);
  await broker.core.publish({ topic: 'down', payload: 'one', qos: 1 });
  device.send(PINGREQ, 'sleeper');
  const msgId = (await device.next()).subarray(5, 7);
  for (let i = 0; i < 3; i++) {
    wind(10);
    await device.expect(PUBLISH, 0xa0, [id], msgId, 'one');
  }
  wind(10);
  await device.expectNothing();
  device.send(PINGREQ, 'sleeper');
  await device.expect(PUBLISH, 0xa0, [id], msgId, 'one');
  device.send(PUBACK, [id], msgId, 0);
  await device.expect(PINGRESP);
});

test('a sleeper that oversleeps is lost, with its will', async () => {
  await startGateway();
  const reader = await mqttClient();
  await reader.subscribeAsync('gone');
  const device = await openDevice();
  await connectWithWill(device, 'sleeper', { keepalive: 10 });
  device.send(DISCONNECT, [100]);
  await device.expect(DISCONNECT);
  wind(105);
  device.send(PINGREQ, 'sleeper');
  await device.expect(PINGRESP);
  wind(105);
  await device.expectNothing();
  wind(10); // a tenth more than it said
  expect(await reader.next()).toBe('gone sleeper 0');
  expect((await clientOf('sleeper')).status).toBe(404);
});

test('a sleeper wakes up with CONNECT and gets what waits; with DISCONNECT it leaves', async () => {
  await startGateway();
  const device = await connected('sleeper');
  const id = await device.subscribe('down');
  device.send(DISCONNECT, [60]);
  await device.expect(DISCONNECT);
  await broker.core.publish({ topic: 'down', payload: 'one', qos: 1 });
  device.send(CONNECT, 0x04, 1, [0], 'sleeper');
  await device.expect(CONNACK, 0);
  await device.expect(PUBLISH, 0x00, [id], [0], 'one');
  await broker.core.publish({ topic: 'down', payload: 'two' });
  await device.expect(PUBLISH, 0x00, [id], [0], 'two');
  device.send(DISCONNECT, [60]);
  await device.expect(DISCONNECT);
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  expect((await clientOf('sleeper')).status).toBe(404);
});

test('a sleeper is known at another address too, where it is asked again who it is', async () => {
  await startGateway();
  let barred = false;
  broker.core.hooks.on(
    'client.authenticate',
    () => (barred ? { allow: false, reasonCode: 0x87 } : { allow: true }),
    FIRST,
  );
  const reader = await mqttClient();
  await reader.subscribeAsync('up');
  const before = await connected('sleeper');
  const up = await before.register('up');
  const id = await before.subscribe('down', 1);
  before.send(DISCONNECT, [60]);
  await before.expect(DISCONNECT);
  await broker.core.publish({ topic: 'down', payload: 'one' });

  const thief = await openDevice();
  barred = true;
  thief.send(PINGREQ, 'sleeper');
  await thief.expect(CONNACK, 3);
  barred = false;

  const device = await openDevice();
  device.send(PINGREQ, 'sleeper');
  await device.expect(PUBLISH, 0x00, [id], [0], 'one');
  await device.expect(PINGRESP);
  device.send(PUBLISH, 0x00, [up], [0], 'hi');
  expect(await reader.next()).toBe('up hi 0');
  await broker.core.publish({ topic: 'down', payload: 'two' });
  device.send(PINGREQ, 'sleeper');
  await device.expect(PUBLISH, 0x00, [id], [0], 'two');
  await device.expect(PINGRESP);
  const { body } = await broker.inject<{ port: number }>('GET', '/gateways/mqttsn/clients/sleeper');
  expect(body.port).toBe(device.port);
});

test('what waits for a sleeper is bounded, the oldest go first', async () => {
  await startGateway();
  broker.core.settings.maxMqueueLength = 3;
  const device = await connected('sleeper');
  const id = await device.subscribe('down', 0);
  device.send(DISCONNECT, [60]);
  await device.expect(DISCONNECT);
  const dropped: string[] = [];
  broker.core.hooks.on('message.dropped', (client, message, reason) => {
    dropped.push(`${client?.clientid} ${Buffer.from(message.payload)} ${reason}`);
  });
  for (let i = 0; i < 5; i++) await broker.core.publish({ topic: 'down', payload: `${i}` });
  expect(dropped).toEqual(['sleeper 0 queue_full', 'sleeper 1 queue_full']);
  device.send(PINGREQ, 'sleeper');
  for (const text of ['2', '3', '4']) await device.expect(PUBLISH, 0, [id], [0], text);
  await device.expect(PINGRESP);
});
