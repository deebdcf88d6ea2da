import { expect, test } from 'vitest';
import { snMessage } from '../../../testing/sn-device.ts';
import {
  broker,
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
  PUBCOMP,
  PUBLISH,
  PUBREC,
  PUBREL,
  REGACK,
  REGISTER,
  SUBACK,
  SUBSCRIBE,
  setUpSnTests,
  startGateway,
  UNSUBACK,
  UNSUBSCRIBE,
  wind,
} from '../../../testing/sn-gateway.ts';

setUpSnTests();

// --- messages

test('a message of a device reaches a subscriber of MQTT with each QoS', async () => {
  await startGateway();
  const reader = await mqttClient();
  await reader.subscribeAsync('room/#', { qos: 2 });
  const device = await connected('sensor');
  const id = await device.register('room/1');

  device.send(PUBLISH, 0x00, [id], [0], 'zero');
  expect(await reader.next()).toBe('room/1 zero 0');

  device.send(PUBLISH, 0x20, [id], [21], 'one');
  await device.expect(PUBACK, [id], [21], 0);
  expect(await reader.next()).toBe('room/1 one 1');

  device.send(PUBLISH, 0x40, [id], [22], 'two');
  await device.expect(PUBREC, [22]);
  device.send(PUBLISH, 0xc0, [id], [22], 'two'); // PUBREC was lost
  await device.expect(PUBREC, [22]);
  device.send(PUBREL, [22]);
  await device.expect(PUBCOMP, [22]);
  device.send(PUBREL, [22]);
  await device.expect(PUBCOMP, [22]);
  device.send(PUBLISH, 0x22, 'ab', [23], 'short'); // and nothing came twice
  await device.expect(PUBACK, 'ab', [23], 0);
  device.send(PUBLISH, 0x20, [id], [24], 'last');
  await device.expect(PUBACK, [id], [24], 0);
  expect(await reader.next()).toBe('room/1 two 2');
  expect(await reader.next()).toBe('room/1 last 1');
});

test('a message of an MQTT client reaches a device with each QoS', async () => {
  await startGateway();
  const writer = await mqttClient();
  const device = await connected('lamp');
  const id = await device.subscribe('lamp/1', 2);

  await writer.publishAsync('lamp/1', 'zero', { qos: 0 });
  await device.expect(PUBLISH, 0x00, [id], [0], 'zero');

  await writer.publishAsync('lamp/1', 'one', { qos: 1 });
  const one = await device.next();
  expect(one.toString('hex')).toBe(snMessage(PUBLISH, 0x20, [id], one.subarray(5, 7), 'one').toString('hex'));
  device.send(PUBACK, [id], one.subarray(5, 7), 0);

  await writer.publishAsync('lamp/1', 'two', { qos: 2 });
  const two = await device.next();
  const msgId = two.subarray(5, 7);
  expect(two.toString('hex')).toBe(snMessage(PUBLISH, 0x40, [id], msgId, 'two').toString('hex'));
  device.send(PUBREC, msgId);
  await device.expect(PUBREL, msgId);
  device.send(PUBCOMP, msgId);
  await device.expectNothing();
});

test('what is retained comes behind the acknowledgement of its subscription, marked', async () => {
  await startGateway();
  const writer = await mqttClient();
  await writer.publishAsync('state/1', 'on', { qos: 1, retain: true });
  const device = await connected('lamp');
  const id = await device.subscribe('state/1', 0);
  await device.expect(PUBLISH, 0x10, [id], [0], 'on');
  device.send(PUBLISH, 0x30, [id], [5], 'off');
  await device.expect(PUBLISH, 0x00, [id], [0], 'off'); // not retained for who is there already
  await device.expect(PUBACK, [id], [5], 0);
  const other = await mqttClient();
  await other.subscribeAsync('state/1', { qos: 1 });
  expect(await other.next()).toBe('state/1 off 1 retained');
});

test('a device is told the id of a topic before the first message on it', async () => {
  await startGateway();
  const writer = await mqttClient();
  const device = await connected('lamp');
  expect(await device.subscribe('house/#', 1)).toBe(0);
  await writer.publishAsync('house/kitchen', 'one', { qos: 0 });
  const register = await device.next();
  const [id, msgId] = [register.subarray(2, 4), register.subarray(4, 6)];
  expect(register.equals(snMessage(REGISTER, id, msgId, 'house/kitchen'))).toBe(true);
  await device.expectNothing();
  device.send(REGACK, id, msgId, 0);
  await device.expect(PUBLISH, 0x00, id, [0], 'one');
  await writer.publishAsync('house/kitchen', 'two', { qos: 0 });
  await device.expect(PUBLISH, 0x00, id, [0], 'two');
  // One that it does not take is not sent to it, and holds up nothing
  await writer.publishAsync('house/cellar', 'three', { qos: 0 });
  await writer.publishAsync('house/kitchen', 'four', { qos: 0 });
  const other = await device.next();
  expect(other.subarray(6).toString()).toBe('house/cellar');
  device.send(REGACK, other.subarray(2, 4), other.subarray(4, 6), 3);
  await device.expect(PUBLISH, 0x00, id, [0], 'four');
});

test('an operator subscribes a device to a filter, whose topics it is told', async () => {
  await startGateway();
  const device = await connected('lamp');
  const body = { topic: 'all/+', qos: 0 };
  const path = '/gateways/mqttsn/clients/lamp/subscriptions';
  expect((await broker.inject('POST', path, { body })).status).toBe(201);
  await broker.core.publish({ topic: 'all/1', payload: 'hello' });
  const register = await device.next();
  const id = register.subarray(2, 4);
  device.send(REGACK, id, register.subarray(4, 6), 0);
  await device.expect(PUBLISH, 0, id, [0], 'hello');
});

test('a device that has forgotten a topic id is told it again', async () => {
  await startGateway();
  const writer = await mqttClient();
  const device = await connected('lamp');
  const id = await device.subscribe('lamp/1', 1);
  await writer.publishAsync('lamp/1', 'hello', { qos: 1 });
  const publish = await device.next();
  device.send(PUBACK, [id], publish.subarray(5, 7), 2);
  const register = await device.next();
  expect(register.subarray(6).toString()).toBe('lamp/1');
  device.send(REGACK, register.subarray(2, 4), register.subarray(4, 6), 0);
  const again = await device.next();
  expect(again.subarray(3, 5)).toEqual(register.subarray(2, 4));
  expect(again.subarray(7).toString()).toBe('hello');
});

test('predefined topics need no registration, and unknown ones are refused', async () => {
  await startGateway({ predefined: [{ id: 1001, topic: 'pred/1' }] });
  const other = await mqttClient();
  await other.subscribeAsync('pred/#', { qos: 1 });
  const device = await connected('sensor');
  device.send(PUBLISH, 0x21, [1001], [1], 'up');
  await device.expect(PUBACK, [1001], [1], 0);
  expect(await other.next()).toBe('pred/1 up 1');
  device.send(PUBLISH, 0x21, [1002], [2], 'up');
  await device.expect(PUBACK, [1002], [2], 2);
  device.send(PUBLISH, 0x00, [77], [0], 'up'); // also with QoS 0
  await device.expect(PUBACK, [77], [0], 2);

  device.send(SUBSCRIBE, 0x21, [3], [1002]);
  await device.expect(SUBACK, 0, [0], [3], 2);
  device.send(SUBSCRIBE, 0x01, [4], [1001]);
  await device.expect(SUBACK, 0, [1001], [4], 0);
  await other.publishAsync('pred/1', 'down');
  await device.expect(PUBLISH, 0x01, [1001], [0], 'down');
  device.send(UNSUBSCRIBE, 0x01, [5], [1001]);
  await device.expect(UNSUBACK, [5]);
  await other.publishAsync('pred/1', 'again');
  await device.expectNothing();
});

test('topics of two bytes need no id', async () => {
  await startGateway();
  const other = await mqttClient();
  await other.subscribeAsync('ab');
  const device = await connected('sensor');
  device.send(SUBSCRIBE, 0x02, [1], 'cd');
  await device.expect(SUBACK, 0, [0], [1], 0);
  await other.publishAsync('cd', 'down');
  await device.expect(PUBLISH, 0x02, 'cd', [0], 'down');
  device.send(PUBLISH, 0x02, 'ab', [0], 'up');
  expect(await other.next()).toBe('ab up 0');
  device.send(PUBLISH, 0x22, 'a#', [2], 'up');
  await device.expect(PUBACK, 'a#', [2], 2);
});

test('without a connection a message goes to predefined and short topics, unless that is off', async () => {
  await startGateway({ predefined: [{ id: 1001, topic: 'pred/1' }] });
  const reader = await mqttClient();
  await reader.subscribeAsync(['pred/1', 'ab']);
  const device = await openDevice();
  device.send(PUBLISH, 0x61, [1001], [0], 'one');
  expect(await reader.next()).toBe('pred/1 one 0');
  device.send(PUBLISH, 0x62, 'ab', [0], 'two');
  expect(await reader.next()).toBe('ab two 0');
  device.send(PUBLISH, 0x60, [1], [0], 'of nobody');
  device.send(PUBLISH, 0x61, [1002], [0], 'unknown');
  await device.expectNothing();

  const off = { gateway_id: 7, enable_qos3: false, predefined: [{ id: 1001, topic: 'pred/1' }] };
  expect((await broker.inject('PUT', '/gateways/mqttsn', { body: off })).status).toBe(204);
  device.send(PUBLISH, 0x61, [1001], [0], 'three');
  await device.expectNothing();
  await device.connect('sensor');
  device.send(PUBLISH, 0x61, [1001], [0], 'four');
  device.send(PUBLISH, 0x21, [1001], [9], 'five');
  await device.expect(PUBACK, [1001], [9], 0);
  expect(await reader.next()).toBe('pred/1 five 0');
});

test('nobody publishes below $SYS, with a connection or without one', async () => {
  await startGateway({ predefined: [{ id: 1, topic: '$SYS/x' }] });
  const reader = await mqttClient();
  await reader.subscribeAsync('$SYS/x');
  const device = await openDevice();
  device.send(PUBLISH, 0x61, [1], [0], 'anonymous');
  await device.connect('sensor');
  device.send(PUBLISH, 0x21, [1], [1], 'refused');
  await device.expect(PUBACK, [1], [1], 3);
  await broker.core.publish({ topic: '$SYS/x', payload: 'own' });
  expect(await reader.next()).toBe('$SYS/x own 0');
});

test('authorization is asked, also about those without a name', async () => {
  await startGateway({ predefined: [{ id: 1, topic: 'secret/1' }] });
  const asked: string[] = [];
  broker.core.hooks.on(
    'client.authorize',
    ({ clientid }, { action, topic }) => {
      asked.push(`${clientid} ${action} ${topic}`);
      return topic.startsWith('secret/') ? 'deny' : 'allow';
    },
    FIRST,
  );
  const reader = await mqttClient();
  await reader.subscribeAsync('+/1');
  const device = await openDevice();
  device.send(PUBLISH, 0x61, [1], [0], 'anonymous');
  await device.expectNothing();
  await device.connect('sensor');
  device.send(PUBLISH, 0x21, [1], [1], 'refused');
  await device.expect(PUBACK, [1], [1], 3);
  device.send(PUBLISH, 0x41, [1], [2], 'refused');
  await device.expect(PUBACK, [1], [2], 3);
  device.send(SUBSCRIBE, 0, [3], 'secret/#');
  await device.expect(SUBACK, 0, [0], [3], 3);
  const id = await device.register('open/1');
  device.send(PUBLISH, 0x20, [id], [4], 'allowed');
  await device.expect(PUBACK, [id], [4], 0);
  expect(await reader.next()).toBe('open/1 allowed 0');
  expect(asked).toContain(' publish secret/1');
});

test('topics and filters that are none are refused', async () => {
  await startGateway();
  const device = await connected('sensor');
  for (const name of ['', 'a/#', 'a/+/b']) {
    device.send(REGISTER, [0], [1], name);
    await device.expect(REGACK, [0], [1], 3);
  }
  for (const filter of ['', 'a/#/b', 'a+']) {
    device.send(SUBSCRIBE, 0, [2], filter);
    await device.expect(SUBACK, 0, [0], [2], 3);
  }
  device.send(SUBSCRIBE, 0x60, [3], 'a/b'); // QoS -1 is for publishing
  await device.expect(SUBACK, 0, [0], [3], 3);
  device.send(UNSUBSCRIBE, 0, [4], 'never/subscribed');
  await device.expect(UNSUBACK, [4]);
});

// --- sending again

test('what is not acknowledged is sent again, marked, and then the device is lost', async () => {
  await startGateway();
  const writer = await mqttClient();
  const reader = await mqttClient();
  await reader.subscribeAsync('gone');
  const device = await openDevice();
  await connectWithWill(device, 'lamp');
  const id = await device.subscribe('lamp/1', 1);
  await writer.publishAsync('lamp/1', 'hello', { qos: 1 });
  const msgId = (await device.next()).subarray(5, 7);
  for (let i = 0; i < 3; i++) {
    wind(10);
    await device.expect(PUBLISH, 0xa0, [id], msgId, 'hello');
  }
  wind(10);
  await device.expect(DISCONNECT);
  expect(await reader.next()).toBe('gone lamp 0');
  expect((await clientOf('lamp')).status).toBe(404);
});

test('a device that is there and does not acknowledge loses the message, and nothing else', async () => {
  await startGateway();
  const writer = await mqttClient();
  const device = await connected('lamp');
  const id = await device.subscribe('lamp/1', 1);
  await writer.publishAsync('lamp/1', 'one', { qos: 1 });
  await writer.publishAsync('lamp/1', 'two', { qos: 1 });
  await device.next();
  for (let i = 0; i < 3; i++) {
    wind(10);
    await device.next();
  }
  device.send(PINGREQ);
  await device.expect(PINGRESP);
  wind(10);
  const two = await device.next();
  expect(two.subarray(7).toString()).toBe('two');
  device.send(PUBACK, [id], two.subarray(5, 7), 0);
  await device.expectNothing();
});

test('congestion is waited for', async () => {
  await startGateway();
  const writer = await mqttClient();
  const device = await connected('lamp');
  const id = await device.subscribe('lamp/1', 1);
  await writer.publishAsync('lamp/1', 'one', { qos: 1 });
  const msgId = (await device.next()).subarray(5, 7);
  device.send(PUBACK, [id], msgId, 1);
  await device.expectNothing();
  wind(10);
  await device.expect(PUBLISH, 0xa0, [id], msgId, 'one');
  device.send(PUBACK, [id], msgId, 0);
  await device.expectNothing(); // it has been read
  wind(10);
  await device.expectNothing();
});
