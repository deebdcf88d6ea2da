import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import {
  broker,
  CONNACK,
  CONNECT,
  clientOf,
  connected,
  connectWithWill,
  DISCONNECT,
  ends,
  FIRST,
  mqttClient,
  openDevice,
  PINGREQ,
  PINGRESP,
  PUBACK,
  PUBLISH,
  PUBREL,
  port,
  REGISTER,
  SUBSCRIBE,
  setUpSnTests,
  startGateway,
  UNSUBSCRIBE,
  WILLMSG,
  WILLMSGREQ,
  WILLTOPIC,
  WILLTOPICREQ,
  wind,
} from '../../../testing/sn-gateway.ts';
import { broadcastAddresses } from './advertise.ts';

setUpSnTests();

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
    await connectWithWill(device, farewell, { keepalive: 10 });
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
  await connectWithWill(device, 'before');
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
