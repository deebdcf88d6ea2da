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
  mqttClient,
  openDevice,
  PUBACK,
  PUBLISH,
  REGACK,
  REGISTER,
  setUpSnTests,
  startGateway,
  wind,
} from '../../../testing/sn-gateway.ts';

setUpSnTests();

test('a session that is kept gets what came meanwhile, in order, under the ids it knows', async () => {
  await startGateway();
  const device = await connected('sensor', { clean: false });
  const id = await device.subscribe('down', 1);
  await broker.core.publish({ topic: 'down', payload: 'one', qos: 1 });
  const msgId = (await device.next()).subarray(5, 7); // and it is not acknowledged
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  expect((await clientOf('sensor')).body.connected).toBe(false);
  await broker.core.publish({ topic: 'down', payload: 'two', qos: 1 });

  const later = await openDevice();
  later.send(CONNECT, 0, 1, [0], 'sensor');
  await later.expect(CONNACK, 0);
  await later.expect(PUBLISH, 0xa0, [id], msgId, 'one');
  later.send(PUBACK, [id], msgId, 0);
  const two = await later.next();
  expect(two.equals(snMessage(PUBLISH, 0x20, [id], two.subarray(5, 7), 'two'))).toBe(true);
  later.send(PUBACK, [id], two.subarray(5, 7), 0);
  await later.expectNothing();
  expect((await clientOf('sensor')).body.connected).toBe(true);
});

test('a session that is kept ends when an operator kicks it out', async () => {
  await startGateway();
  const device = await connected('sensor', { clean: false });
  await device.subscribe('down', 1);
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  const query = { conn_state: 'disconnected' };
  const { body } = await broker.inject<{ data: { clientid: string }[] }>('GET', '/gateways/mqttsn/clients', {
    query,
  });
  expect(body.data.map(({ clientid }) => clientid)).toEqual(['sensor']);
  expect((await broker.inject('DELETE', '/gateways/mqttsn/clients/sensor')).status).toBe(204);
  expect(broker.core.routes.hasReceivers('down')).toBe(false);
  await device.connect('sensor', { clean: false });
  await broker.core.publish({ topic: 'down', payload: 'for the one before' });
  await device.expectNothing();
});

test('a kept session goes over to another address while it is in use', async () => {
  await startGateway();
  const before = await connected('sensor', { clean: false });
  const id = await before.subscribe('down', 0);
  const device = await connected('sensor', { clean: false });
  await before.expect(DISCONNECT);
  await broker.core.publish({ topic: 'down', payload: 'one' });
  await device.expect(PUBLISH, 0, [id], [0], 'one');
  await before.expectNothing();
});

test('a clean session begins anew, and a kept one ends with its time', async () => {
  await startGateway();
  const device = await connected('sensor', { clean: false });
  await device.subscribe('down', 1);
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  await device.connect('sensor', { clean: true });
  await broker.core.publish({ topic: 'down', payload: 'for the one before' });
  await device.expectNothing();
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);

  await device.connect('sensor', { clean: false });
  await device.subscribe('down', 1);
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  expect(broker.core.routes.hasReceivers('down')).toBe(true);
  wind(7200);
  expect(broker.core.routes.hasReceivers('down')).toBe(false);
});

test('a lost device publishes its will once, also when its session is kept', async () => {
  await startGateway();
  const reader = await mqttClient();
  await reader.subscribeAsync('gone');
  const device = await openDevice();
  await connectWithWill(device, 'sensor', { clean: false, keepalive: 10 });
  wind(16);
  await device.expect(DISCONNECT);
  expect(await reader.next()).toBe('gone sensor 0');
  await device.connect('sensor', { clean: true });
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  await reader.publishAsync('gone', 'nobody');
  expect(await reader.next()).toBe('gone nobody 0');
});

test('who wishes so is told its topic ids anew when it comes back', async () => {
  await startGateway({ subs_resume: true });
  const device = await connected('sensor', { clean: false });
  const id = await device.subscribe('down', 0);
  device.send(DISCONNECT);
  await device.expect(DISCONNECT);
  await broker.core.publish({ topic: 'down', payload: 'one' });
  device.send(CONNECT, 0, 1, [0], 'sensor');
  await device.expect(CONNACK, 0);
  const register = await device.next();
  expect(register.equals(snMessage(REGISTER, [id], register.subarray(4, 6), 'down'))).toBe(true);
  device.send(REGACK, [id], register.subarray(4, 6), 0);
  await device.expect(PUBLISH, 0, [id], [0], 'one');
});
