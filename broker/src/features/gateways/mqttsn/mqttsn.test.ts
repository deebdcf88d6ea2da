import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import mqtt, { type MqttClient } from 'mqtt';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SnDevice, snMessage } from '../../../testing/sn-device.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { startUdpGateway } from '../../../testing/udp-gateway.ts';
import { broadcastAddresses } from './advertise.ts';

const CONNECT = 0x04;
const CONNACK = 0x05;
const WILLTOPICREQ = 0x06;
const WILLTOPIC = 0x07;
const WILLMSGREQ = 0x08;
const WILLMSG = 0x09;
const REGISTER = 0x0a;
const REGACK = 0x0b;
const PUBLISH = 0x0c;
const PUBACK = 0x0d;
const PUBCOMP = 0x0e;
const PUBREC = 0x0f;
const PUBREL = 0x10;
const SUBSCRIBE = 0x12;
const SUBACK = 0x13;
const UNSUBSCRIBE = 0x14;
const UNSUBACK = 0x15;
const PINGREQ = 0x16;
const PINGRESP = 0x17;
const DISCONNECT = 0x18;

const FIRST = { priority: 10_000 }; // before anybody else has an opinion

let broker: TestBroker;
let port: number;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  broker = await startTestBroker({ tcp: 0 });
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await broker.close();
  vi.useRealTimers();
});

async function startGateway(config: object = {}, listener: object = {}): Promise<void> {
  port = await startUdpGateway(broker, 'mqttsn', { gateway_id: 7, ...config }, listener);
}

async function openDevice(): Promise<SnDevice> {
  const device = await SnDevice.open(port);
  ends.push(() => device.close());
  return device;
}

async function connected(clientid: string, options: { clean?: boolean; keepalive?: number } = {}) {
  const device = await openDevice();
  await device.connect(clientid, options);
  return device;
}

/** Somebody else's MQTT client, with what it has received. */
async function mqttClient(): Promise<MqttClient & { next(): Promise<string> }> {
  const listener = broker.core.listeners.find(({ id }) => id === 'tcp:default')!;
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${listener.port}`, {
    protocolVersion: 5,
    keepalive: 0,
  });
  ends.push(() => client.endAsync(true));
  const came: string[] = [];
  const waiting: (() => void)[] = [];
  client.on('message', (topic, payload, { qos, retain }) => {
    came.push(`${topic} ${payload} ${qos}${retain ? ' retained' : ''}`);
    for (const wake of waiting.splice(0)) wake();
  });
  const next = async () => {
    while (came.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    return came.shift()!;
  };
  return Object.assign(client, { next });
}

const TICKS_MS = 200; // a timer is a tick late at most, and the clock may be as well

/** So much later, whatever is due then has happened. */
function wind(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000 + TICKS_MS);
  broker.core.clock.refresh();
  broker.core.timers.turn();
}

const clientOf = (clientid: string) =>
  broker.inject<{ connected: boolean }>('GET', `/gateways/mqttsn/clients/${clientid}`);

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
  device.send(CONNECT, 0x0c, 1, [0], 'lamp');
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC, 0, 'gone');
  await device.expect(WILLMSGREQ);
  device.send(WILLMSG, 'lamp');
  await device.expect(CONNACK, 0);
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

// --- coming, going, wills

test('a CONNECT that is none is refused', async () => {
  await startGateway();
  const device = await openDevice();
  device.send(CONNECT, 0x04, 2, [0], 'sensor'); // another protocol
  await device.expect(CONNACK, 3);
  device.send(CONNECT, 0x04, 1, [0], '');
  await device.expect(CONNACK, 3);
  device.send(CONNECT, 0x04, 1, [0], 'sensor');
  await device.expect(CONNACK, 0);
  device.send(CONNECT, 0x04, 1, [0], 'sensor'); // CONNACK was lost
  await device.expect(CONNACK, 0);
});

test('who is refused by authentication, or by a full broker, is told so', async () => {
  await startGateway();
  const off = broker.core.hooks.on(
    'client.authenticate',
    ({ clientid }) =>
      clientid === 'thief' ? { allow: false, reasonCode: 0x87 } : { allow: false, reasonCode: 0x89 },
    FIRST,
  );
  const device = await openDevice();
  device.send(CONNECT, 0x04, 1, [0], 'thief');
  await device.expect(CONNACK, 3);
  device.send(CONNECT, 0x04, 1, [0], 'late');
  await device.expect(CONNACK, 1);
  expect((await clientOf('thief')).status).toBe(404);
  off();
  await device.connect('late');
});

test('a will is asked for in two steps, changed, and published when the device is lost', async () => {
  await startGateway();
  const reader = await mqttClient();
  await reader.subscribeAsync('gone/#', { qos: 2 });
  const device = await openDevice();
  device.send(CONNECT, 0x0c, 1, [10], 'sensor');
  await device.expect(WILLTOPICREQ);
  device.send(CONNECT, 0x0c, 1, [10], 'sensor'); // WILLTOPICREQ was lost
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC, 0x30, 'gone/1');
  await device.expect(WILLMSGREQ);
  device.send(WILLMSG, 'first');
  await device.expect(CONNACK, 0);
  device.send(WILLMSG, 'first'); // CONNACK was lost
  await device.expect(CONNACK, 0);
  device.send(0x1c, 'second'); // WILLMSGUPD
  await device.expect(0x1d, 0);
  device.send(0x1a, 0x40, 'gone/2'); // WILLTOPICUPD
  await device.expect(0x1b, 0);
  device.send(0x1a, 0x40, 'gone/#');
  await device.expect(0x1b, 3);
  wind(14);
  await device.expectNothing();
  wind(2); // one and a half times its keep alive
  await device.expect(DISCONNECT);
  expect(await reader.next()).toBe('gone/2 second 2');
});

test('a device that says good-bye, or has deleted its will, leaves none', async () => {
  await startGateway();
  const reader = await mqttClient();
  await reader.subscribeAsync('gone');
  const device = await openDevice();
  for (const farewell of ['deleted', 'said']) {
    device.send(CONNECT, 0x0c, 1, [10], farewell);
    await device.expect(WILLTOPICREQ);
    device.send(WILLTOPIC, 0, 'gone');
    await device.expect(WILLMSGREQ);
    device.send(WILLMSG, farewell);
    await device.expect(CONNACK, 0);
    if (farewell === 'deleted') {
      device.send(0x1a);
      await device.expect(0x1b, 0);
      wind(16);
      await device.expect(DISCONNECT);
    } else {
      device.send(DISCONNECT);
      await device.expect(DISCONNECT);
    }
  }
  device.send(CONNECT, 0x0c, 1, [0], 'none');
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC); // it has none after all
  await device.expect(CONNACK, 0);
  await reader.publishAsync('gone', 'nobody');
  expect(await reader.next()).toBe('gone nobody 0');
});

test('a device that is heard of stays; without keep alive it need not say anything', async () => {
  await startGateway();
  const chatty = await connected('chatty', { keepalive: 10 });
  const silent = await connected('silent');
  for (let i = 0; i < 4; i++) {
    wind(10);
    chatty.send(PINGREQ);
    await chatty.expect(PINGRESP);
  }
  await silent.expectNothing();
  expect((await clientOf('chatty')).status).toBe(200);
  expect((await clientOf('silent')).body.connected).toBe(true);
});

test('an operator kicks a device out, which is told, and is a stranger then', async () => {
  await startGateway();
  const device = await connected('sensor');
  expect((await broker.inject('DELETE', '/gateways/mqttsn/clients/sensor')).status).toBe(204);
  await device.expect(DISCONNECT);
  expect((await clientOf('sensor')).status).toBe(404);
  device.send(PINGREQ);
  await device.expect(DISCONNECT);
  await device.connect('sensor');
});

test('a client id has one device; the one before is told to go', async () => {
  await startGateway();
  const first = await connected('sensor');
  const second = await connected('sensor');
  await first.expect(DISCONNECT);
  await second.subscribe('a/b');
  first.send(PINGREQ);
  await first.expect(DISCONNECT);
});

test('another client id from the same address is another device', async () => {
  await startGateway();
  const reader = await mqttClient();
  await reader.subscribeAsync('gone');
  const device = await openDevice();
  device.send(CONNECT, 0x0c, 1, [0], 'before');
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC, 0, 'gone');
  await device.expect(WILLMSGREQ);
  device.send(WILLMSG, 'before');
  await device.expect(CONNACK, 0);
  await device.connect('after'); // and is not told to go
  expect(await reader.next()).toBe('gone before 0');
  expect((await clientOf('before')).status).toBe(404);
  expect((await clientOf('after')).status).toBe(200);
});

test('an HTTP server is asked who a client id is', async () => {
  await startGateway();
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    request.setEncoding('utf8').on('data', (body: string) => {
      const { clientid } = JSON.parse(body) as { clientid: string };
      asked.push(clientid);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ result: clientid === 'sensor' ? 'allow' : 'deny' }));
    });
  }).listen(0, '127.0.0.1');
  ends.push(() => server.close());
  await once(server, 'listening');
  const body = {
    mechanism: 'password_based',
    backend: 'http',
    method: 'post',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    headers: { 'content-type': 'application/json' },
    body: { clientid: '${clientid}' },
  };
  expect((await broker.inject('POST', '/gateways/mqttsn/authentication', { body })).status).toBe(201);
  const device = await openDevice();
  device.send(CONNECT, 0x04, 1, [0], 'thief');
  await device.expect(CONNACK, 3);
  await device.connect('sensor');
  expect(asked).toEqual(['thief', 'sensor']);
});

test('a stranger is told that it is none of ours, except where that would go on for ever', async () => {
  await startGateway();
  const device = await openDevice();
  const asking: [number, ...(number | [number] | string)[]][] = [
    [PINGREQ],
    [PINGREQ, 'nobody'],
    [REGISTER, [0], [1], 'a/b'],
    [PUBLISH, 0x20, [1], [1], 'x'],
    [SUBSCRIBE, 0, [1], 'a/b'],
    [UNSUBSCRIBE, 0, [1], 'a/b'],
    [PUBREL, [1]],
  ];
  for (const [type, ...parts] of asking) {
    device.send(type, ...parts);
    await device.expect(DISCONNECT);
  }
  for (const type of [DISCONNECT, PINGRESP, WILLTOPICREQ, WILLMSGREQ, WILLTOPIC]) device.send(type);
  device.send(PUBACK, [1], [1], 0);
  device.send(CONNACK, 0);
  await device.expectNothing();
});

test('who searches a gateway finds this one', async () => {
  await startGateway();
  const device = await openDevice();
  device.send(0x01, 1);
  await device.expect(0x02, 7);
});

test('a gateway that shall be found advertises itself in its network, until it is stopped', async () => {
  await startGateway({ broadcast: true });
  const network = createSocket('udp4').bind(port, '127.255.255.255'); // that of the loopback interface
  ends.push(() => network.close());
  await once(network, 'listening');
  const heard: string[] = [];
  network.on('message', (datagram) => heard.push(datagram.toString('hex')));
  for (const seconds of [1, 15 * 60]) {
    wind(seconds);
    await once(network, 'message');
  }
  expect(heard).toEqual(['0500070384', '0500070384']);
  expect((await broker.inject('PUT', '/gateways/mqttsn/enable/false')).status).toBe(204);
  wind(15 * 60);
  const device = await openDevice();
  device.sendTo(port, '127.255.255.255');
  await once(network, 'message');
  expect(heard.slice(2)).toEqual(['0217']);
});

test('the broadcast address is that of the network that the gateway listens in', () => {
  const of = (address: string, netmask: string) => ({
    address,
    netmask,
    family: 'IPv4' as const,
    mac: '',
    internal: false,
    cidr: null,
  });
  const interfaces = {
    eth0: [of('192.168.3.4', '255.255.255.0')],
    eth1: [of('10.1.2.3', '255.240.0.0'), of('192.168.3.5', '255.255.255.0')],
  };
  expect(broadcastAddresses('0.0.0.0', interfaces)).toEqual(['192.168.3.255', '10.15.255.255']);
  expect(broadcastAddresses('10.1.2.3', interfaces)).toEqual(['10.15.255.255']);
  expect(broadcastAddresses('10.1.2.4', interfaces)).toEqual([]);
});

// --- sleep

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
  device.send(CONNECT, 0x0c, 1, [10], 'sleeper');
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC, 0, 'gone');
  await device.expect(WILLMSGREQ);
  device.send(WILLMSG, 'sleeper');
  await device.expect(CONNACK, 0);
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

// --- kept sessions

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
  device.send(CONNECT, 0x08, 1, [10], 'sensor');
  await device.expect(WILLTOPICREQ);
  device.send(WILLTOPIC, 0, 'gone');
  await device.expect(WILLMSGREQ);
  device.send(WILLMSG, 'sensor');
  await device.expect(CONNACK, 0);
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

// --- around it

test('behind a mountpoint devices see their own topics only', async () => {
  await startGateway({ mountpoint: 'sn/${clientid}/' });
  const other = await mqttClient();
  await other.subscribeAsync('sn/#');
  const device = await connected('sensor');
  const id = await device.register('up');
  device.send(PUBLISH, 0, [id], [0], 'hello');
  expect(await other.next()).toBe('sn/sensor/up hello 0');
  const down = await device.subscribe('down');
  await other.publishAsync('down', 'of somebody else');
  await other.publishAsync('sn/sensor/down', 'for me');
  await device.expect(PUBLISH, 0, [down], [0], 'for me');
});

test('devices behind a forwarder are told apart', async () => {
  await startGateway();
  const forwarder = await openDevice();
  const from = (node: number, message: Buffer) => Buffer.concat([Buffer.of(5, 0xfe, 1, 0xaa, node), message]);
  const expectFor = async (node: number, type: number, ...parts: Parameters<typeof snMessage>[1][]) => {
    const wanted = from(node, snMessage(type, ...parts)).toString('hex');
    expect((await forwarder.next()).toString('hex')).toBe(wanted);
  };
  for (const node of [1, 2]) {
    forwarder.sendRaw(from(node, snMessage(CONNECT, 0x04, 1, [0], `node${node}`)));
    await expectFor(node, CONNACK, 0);
  }
  forwarder.sendRaw(from(1, snMessage(SUBSCRIBE, 0x02, [1], 'ab')));
  await expectFor(1, SUBACK, 0, [0], [1], 0);
  forwarder.sendRaw(from(2, snMessage(PUBLISH, 0x02, 'ab', [0], 'hi')));
  await expectFor(1, PUBLISH, 0x02, 'ab', [0], 'hi');
  // One that comes as another node is the same device
  forwarder.sendRaw(from(3, snMessage(CONNECT, 0x04, 1, [0], 'node2')));
  await expectFor(3, CONNACK, 0);
  forwarder.sendRaw(from(2, snMessage(PINGREQ)));
  await expectFor(2, DISCONNECT);
  forwarder.sendRaw(from(3, snMessage(PINGREQ)));
  await expectFor(3, PINGRESP);
});

test('who asks for more than is worked off finds congestion', async () => {
  await startGateway();
  let release: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  broker.core.hooks.on('client.authorize', () => gate.then(() => 'allow' as const), FIRST);
  const device = await connected('sensor');
  for (let i = 1; i <= 65; i++) device.send(PUBLISH, 0x22, 'ab', [i], 'x');
  await device.expect(PUBACK, 'ab', [65], 1);
  release!();
  for (let i = 1; i <= 64; i++) await device.expect(PUBACK, 'ab', [i], 0);
});

test('hostile datagrams change nothing for anybody', async () => {
  await startGateway();
  const good = await connected('good');
  const id = await good.subscribe('down');
  const bad = await openDevice();
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed;
  };
  for (let round = 0; round < 300; round++) {
    const length = random() % 40;
    const datagram = Buffer.from(Array.from({ length }, () => random() & 0xff));
    if (round % 3 === 0 && length > 1) datagram[0] = length; // a length that fits
    if (round % 6 === 0 && length > 1) datagram[1] = random() % 0x20; // and a type
    bad.sendRaw(datagram);
    if (round % 50 === 0) {
      bad.send(0x01, 0); // wait until it has been read
      while ((await bad.next())[1] !== 0x02);
    }
  }
  bad.sendRaw(Buffer.alloc(65_000, 0xff));
  for (let round = 0; round < 300; round++) bad.send(CONNECT, 0x0c, 1, [0], `x${round}`); // never goes on
  await broker.core.publish({ topic: 'down', payload: 'still here' });
  await good.expect(PUBLISH, 0, [id], [0], 'still here');
});
