import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { CoapConfig } from '@mqdeck/contract/gateways';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeWith } from '../../../testing/engines/engine.ts';
import { type CoapRun, LIBCOAP_PROGRAMS, runCoapClient } from '../../../testing/engines/libcoap.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';

let broker: TestBroker;
let port: number;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await broker.close();
});

async function freePort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port: free } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return free;
}

async function startGateway(config: Partial<CoapConfig> = {}): Promise<void> {
  port = await freePort();
  const listeners = [{ type: 'udp', name: 'default', bind: `127.0.0.1:${port}` }];
  const { status, body } = await broker.inject('PUT', '/gateways/coap', {
    body: { name: 'coap', ...config, listeners },
  });
  if (status !== 204) throw new Error(JSON.stringify(body));
}

function run(path: string, ...args: string[]): CoapRun {
  const client = runCoapClient([...args, `coap://127.0.0.1:${port}/${path}`]);
  ends.push(() => client.stop());
  return client;
}

/** Runs to its end, and gives what was answered. */
async function ask(path: string, ...args: string[]): Promise<string> {
  const { output, errors } = await run(path, ...args, '-B', '15').ended;
  return output + errors;
}

/** Settles when the broker knows the subscription. */
function subscribed(filter: string): Promise<string> {
  return new Promise((resolve) => {
    broker.core.hooks.on('session.subscribed', (client, subscribedTo) => {
      if (subscribedTo.endsWith(filter)) resolve(client.clientid);
    });
  });
}

function gone(): Promise<string> {
  return new Promise((resolve) => {
    broker.core.hooks.on('client.disconnected', (_, reason) => resolve(reason));
  });
}

async function observe(path: string, ...args: string[]): Promise<CoapRun> {
  const filter = path.replace(/^ps\//, '').replace(/\?.*/, '');
  const there = subscribed(filter);
  const client = run(path, '-m', 'get', '-s', '60', '-w', ...args);
  await there;
  return client;
}

const clientids = async (): Promise<string[]> => {
  const { body } = await broker.inject<{ data: { clientid: string }[] }>('GET', '/gateways/coap/clients');
  return body.data.map(({ clientid }) => clientid);
};

describeWith('libcoap', LIBCOAP_PROGRAMS, () => {
  test('what a device puts reaches an MQTT subscriber, with the QoS of its request', async () => {
    await startGateway();
    const screen = await broker.client('screen');
    await screen.subscribe('room/+', { qos: 2 });
    await ask('ps/room/1', '-m', 'put', '-e', '21.5');
    expect(await screen.expectMessage()).toMatchObject({ topic: 'room/1', qos: 1, retain: false });
    await ask('ps/room/2', '-m', 'post', '-N', '-e', '22');
    expect(await screen.expectMessage()).toMatchObject({ topic: 'room/2', qos: 0 });
    await ask('ps/room/3?qos=2&retain=true&expiry=60', '-m', 'put', '-e', '23');
    const third = await screen.expectMessage();
    expect(third).toMatchObject({ topic: 'room/3', qos: 2 });
    expect(third.properties).toMatchObject({ messageExpiryInterval: 60 });
    expect(String(Buffer.from(third.payload))).toBe('23');
  });

  test('what is published by MQTT reaches a device that observes, and what was retained comes at once', async () => {
    await startGateway({ mountpoint: 'devices/' });
    const sensor = await broker.client('sensor');
    await sensor.publish('devices/room/1', 'kept', { qos: 1, retain: true });
    const device = await observe('ps/room/+');
    await device.shows('kept');
    await sensor.publish('devices/room/2', 'confirmed', { qos: 1 });
    await device.shows('confirmed');
    await sensor.publish('devices/room/3', 'unconfirmed');
    await device.shows('unconfirmed');
    await sensor.publish('room/4', 'elsewhere', { qos: 1 });
    await sensor.publish('devices/room/4', 'last', { qos: 1 });
    await device.shows('last');
    expect(device.output()).not.toContain('elsewhere');
  });
});
