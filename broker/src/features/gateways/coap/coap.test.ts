import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { CoapConfig } from '@mqdeck/contract/gateways';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { CoapDevice, numberOf, uriOf } from '../../../testing/coap-device.ts';
import { describeWith } from '../../../testing/engines/engine.ts';
import { type CoapRun, LIBCOAP_PROGRAMS, runCoapClient } from '../../../testing/engines/libcoap.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { startUdpGateway } from '../../../testing/udp-gateway.ts';

let broker: TestBroker;
let port: number;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
  await broker.close();
  vi.useRealTimers();
});

async function startGateway(config: Partial<CoapConfig> = {}): Promise<void> {
  port = await startUdpGateway(broker, 'coap', config);
}

function run(uri: string, ...args: string[]): CoapRun {
  const client = runCoapClient([...args, `coap://127.0.0.1:${port}/${uri}`]);
  ends.push(() => client.stop());
  return client;
}

/** Runs to its end, and gives what was answered. */
async function ask(uri: string, ...args: string[]): Promise<string> {
  const { output, errors } = await run(uri, ...args, '-B', '15').ended;
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

/** Settles with the reason of the next one who leaves. */
function left(): Promise<string> {
  return new Promise((resolve) => {
    broker.core.hooks.on('client.disconnected', (_, reason) => resolve(reason));
  });
}

async function observe(uri: string, ...args: string[]): Promise<CoapRun> {
  const filter = uri.replace(/^ps\//, '').replace(/\?.*/, '');
  const there = subscribed(filter);
  const client = run(uri, '-m', 'get', '-s', '60', '-w', ...args);
  await there;
  return client;
}

vi.setConfig({ testTimeout: 60_000 }); // some start a program again and again

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

  test('large messages go in blocks, both ways', async () => {
    await startGateway();
    const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-coap-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const large = Array.from({ length: 9000 }, (_, i) => `line ${i}\n`).join('');
    const file = path.join(folder, 'large');
    writeFileSync(file, large);
    const screen = await broker.client('screen');
    await screen.subscribe('large/up', { qos: 1 });
    await ask('ps/large/up', '-m', 'put', '-f', file);
    expect(Buffer.from((await screen.expectMessage()).payload).toString()).toBe(large);
    await ask('ps/large/up', '-m', 'put', '-b', '64', '-e', 'x'.repeat(500));
    await screen.expectMessage('x'.repeat(500));

    const device = await observe('ps/large/down', '-o', path.join(folder, 'down'));
    await screen.publish('large/down', large, { qos: 1 });
    await screen.publish('large/down', 'and a small one', { qos: 1 });
    await vi.waitFor(() => {
      const came = readFileSync(path.join(folder, 'down'), 'utf8');
      expect(came).toContain('and a small one');
      expect(came).toContain(large);
    }, 10_000);
    await device.stop();
  });

  test('a device that connects first gets a token, and does nothing without it', async () => {
    await startGateway({ connection_required: true });
    const screen = await broker.client('screen');
    await screen.subscribe('t', { qos: 1 });
    expect(await ask('ps/t', '-m', 'put', '-e', 'no')).toContain('4.01');
    expect(await ask('mqtt/connection', '-m', 'post')).toContain('4.00');
    const token = (await ask('mqtt/connection?clientid=d1', '-m', 'post', '-e', '')).trim();
    expect(token).toMatch(/^[0-9a-f]{16}$/);
    expect(await ask(`ps/t?clientid=d1&token=${token}0`, '-m', 'put', '-e', 'no')).toContain('4.01');
    expect(await ask(`ps/t?clientid=d2&token=${token}`, '-m', 'put', '-e', 'no')).toContain('4.01');
    await ask(`ps/t?clientid=d1&token=${token}`, '-m', 'put', '-e', 'yes');
    await screen.expectMessage('yes');
    await ask(`ps/t?c=d1&t=${token}&q=0`, '-m', 'put', '-e', 'shortly');
    expect(await screen.expectMessage('shortly')).toMatchObject({ qos: 0 });

    const device = await observe(`ps/down?clientid=d1&token=${token}`);
    await screen.publish('down', 'for d1', { qos: 1 });
    await device.shows('for d1');
    expect(await ask(`mqtt/connection?clientid=d1&token=${token}`, '-m', 'put', '-e', '')).not.toContain(
      '4.',
    );
    const reason = left();
    expect(await ask(`mqtt/connection?clientid=d1&token=${token}`, '-m', 'delete')).not.toContain('4.');
    expect(await reason).toBe('normal');
    expect(await ask(`ps/t?clientid=d1&token=${token}`, '-m', 'put', '-e', 'no')).toContain('4.01');
    await screen.expectNothing();
  });

  test('who has a wrong password is refused, connected or not', async () => {
    for (const connection_required of [false, true]) {
      await startGateway({ connection_required });
      const authenticator = {
        mechanism: 'password_based',
        backend: 'built_in_database',
        user_id_type: 'username',
        password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
      };
      const users = '/gateways/coap/authentication';
      expect((await broker.inject('POST', users, { body: authenticator })).status).toBe(201);
      const user = { user_id: 'u', password: 'right' };
      expect((await broker.inject('POST', `${users}/users`, { body: user })).status).toBe(201);
      const [uri, method] = connection_required ? ['mqtt/connection', 'post'] : ['ps/t', 'put'];
      const refused = await ask(`${uri}?clientid=d&username=u&password=wrong`, '-m', method, '-e', 'x');
      expect(refused).toContain('4.01');
      expect(await ask(`${uri}?clientid=d`, '-m', method, '-e', 'x')).toContain('4.01');
      expect(await ask(`${uri}?clientid=d&username=u&password=right`, '-m', method, '-e', 'x')).not.toContain(
        '4.',
      );
      await broker.close();
      broker = await startTestBroker();
    }
  });

  test('a device that has seen enough is no subscriber any more', async () => {
    await startGateway();
    const unsubscribed = new Promise<string>((resolve) => {
      broker.core.hooks.on('session.unsubscribed', (_, filter) => resolve(filter));
    });
    run('ps/short', '-m', 'get', '-s', '1');
    expect(await unsubscribed).toBe('short');
  });

  test('what is wrong is said in words', async () => {
    await startGateway();
    expect(await ask('elsewhere', '-m', 'get')).toContain('4.04');
    expect(await ask('ps/t', '-m', 'delete')).toContain('4.05');
    expect(await ask('ps/t', '-m', 'get')).toContain('4.00');
    expect(await ask('ps/t?qos=3', '-m', 'put', '-e', 'x')).toContain('4.00');
    expect(await ask('ps/t?retain=maybe', '-m', 'put', '-e', 'x')).toContain('4.00');
    expect(await ask('ps/t?expiry=-1', '-m', 'put', '-e', 'x')).toContain('4.00');
    expect(await ask('ps/a%23', '-m', 'put', '-e', 'x')).toContain('4.00');
    expect(await ask('mqtt/connection?clientid=d', '-m', 'post')).toContain('4.04');
    expect(await ask('.well-known/core', '-m', 'get')).toContain('</ps>');
  });

  test('what it may not do a device hears', async () => {
    await startGateway();
    broker.core.hooks.on(
      'client.authorize',
      (who, { topic }) =>
        who.listener.startsWith('coap:') && topic.startsWith('secret') ? 'deny' : undefined,
      { priority: 10_000 }, // before anybody else has an opinion
    );
    expect(await ask('ps/secret', '-m', 'put', '-e', 'x')).toContain('4.01');
    expect(await ask('ps/open', '-m', 'put', '-e', 'x')).not.toContain('4.');
    expect(await ask('ps/secret', '-m', 'get', '-s', '1')).toContain('4.01');
  });
});

// --- what libcoap does not let us see

async function openDevice(): Promise<CoapDevice> {
  const device = await CoapDevice.open(port);
  ends.push(() => device.close());
  return device;
}

/** A broker whose time stands still until it is told to pass. */
async function holdClock(): Promise<(seconds: number) => void> {
  await broker.close();
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  broker = await startTestBroker();
  return (seconds) => {
    for (let left = seconds * 10 + 2; left > 0; left--) {
      vi.setSystemTime(Date.now() + 100);
      broker.core.clock.refresh();
      broker.core.timers.turn();
    }
  };
}

const OBSERVE = [['Observe', 0]] as const;

test('the type of notifications is that of the message, or as the gateway is told', async () => {
  for (const [notify_type, types] of [
    ['qos', [false, true]],
    ['con', [true, true]],
    ['non', [false, false]],
  ] as const) {
    await startGateway({ notify_type, subscribe_qos: 'qos1' });
    const device = await openDevice();
    const { token } = await device.ask({ method: 'GET', uri: '/ps/t', confirmable: false, options: OBSERVE });
    const sensor = await broker.client('sensor');
    for (const qos of [0, 1] as const) {
      await sensor.publish('t', `${qos}`, { qos });
      const told = await device.next('a notification', (packet) => packet.token.equals(token));
      expect(told.confirmable, `${notify_type} ${qos}`).toBe(types[qos]);
      expect(String(told.payload)).toBe(`${qos}`);
      if (told.confirmable) device.acknowledge(told);
    }
    await broker.close();
    broker = await startTestBroker();
  }
});

test('who answers a notification with a reset, or not at all, observes no more', async () => {
  const pass = await holdClock();
  await startGateway();
  const device = await openDevice();
  const { token } = await device.ask({ method: 'GET', uri: '/ps/t?clientid=d', options: OBSERVE });
  const sensor = await broker.client('sensor');
  await sensor.publish('t', 'first', { qos: 1 });
  const told = await device.next('a notification', (packet) => packet.token.equals(token));
  const unsubscribed = new Promise((resolve) => broker.core.hooks.on('session.unsubscribed', resolve));
  device.reset(told);
  await unsubscribed;

  await device.ask({ method: 'GET', uri: '/ps/u?clientid=d', options: OBSERVE });
  const reason = left();
  await sensor.publish('u', 'into the void', { qos: 1 });
  pass(100);
  expect(await reason).toBe('lost');
  expect(await clients()).toEqual([]);
});

test('a device that only published is soon forgotten, one that observes is asked whether it is there', async () => {
  const pass = await holdClock();
  await startGateway({ idle_timeout: '10s' });
  const reasons: string[] = [];
  broker.core.hooks.on('client.disconnected', (_, reason) => void reasons.push(reason));
  const device = await openDevice();
  expect((await device.ask({ method: 'PUT', uri: '/ps/t?clientid=d', payload: 'x' })).code).toBe('2.04');
  expect(await clients()).toEqual(['d']);
  pass(11);
  expect(reasons).toEqual(['idle_timeout']);
  expect(await clients()).toEqual([]);

  await device.ask({ method: 'GET', uri: '/ps/t?clientid=d', options: OBSERVE });
  const isPing = ({ code, confirmable }: { code: string; confirmable: boolean }) =>
    code === '0.00' && confirmable;
  pass(3600);
  device.reset(await device.next('a ping', isPing));
  await device.ask({ method: 'PUT', uri: '/ps/other?clientid=d', payload: 'still there' });
  pass(200);
  expect(reasons).toEqual(['idle_timeout']);
  pass(3600);
  await device.next('a ping', isPing);
  pass(100);
  expect(reasons).toEqual(['idle_timeout', 'lost']);
});

test('a device that connected and sends no heartbeat leaves', async () => {
  const pass = await holdClock();
  await startGateway({ connection_required: true, heartbeat: '10s' });
  const other = await openDevice();
  const { payload } = await other.ask({ method: 'POST', uri: '/mqtt/connection?clientid=e' });
  pass(14);
  await other.ask({ method: 'PUT', uri: `/mqtt/connection?clientid=e&token=${payload}` });
  pass(14);
  expect(await clients()).toEqual(['e']);
  const reason = left();
  pass(2);
  expect(await reason).toBe('heartbeat_timeout');
  expect(await clients()).toEqual([]);
});

test('a device that connected may come from another address', async () => {
  await startGateway({ connection_required: true });
  const device = await openDevice();
  const { payload: proof } = await device.ask({ method: 'POST', uri: '/mqtt/connection?clientid=d' });
  const { token } = await device.ask({
    method: 'GET',
    uri: `/ps/t?clientid=d&token=${proof}`,
    options: OBSERVE,
  });
  const moved = await openDevice();
  await moved.ask({ method: 'PUT', uri: `/mqtt/connection?clientid=d&token=${proof}` });
  const { body } = await broker.inject<{ port: number }>('GET', '/gateways/coap/clients/d');
  expect(body.port).toBe(moved.port);
  const sensor = await broker.client('sensor');
  await sensor.publish('t', 'there', { qos: 1 });
  const told = await moved.next('a notification', (packet) => packet.token.equals(token));
  expect(String(told.payload)).toBe('there');
});

test('whoever is kicked out hears that his observation has ended', async () => {
  await startGateway();
  const device = await openDevice();
  const { token } = await device.ask({ method: 'GET', uri: '/ps/t?clientid=d', options: OBSERVE });
  expect((await broker.inject('DELETE', '/gateways/coap/clients/d')).status).toBe(204);
  const last = await device.next('the end', (packet) => packet.token.equals(token));
  expect(last.code).toBe('4.01');
  expect(numberOf(last, 'Observe')).toBeUndefined();
});

test('a request by the API is answered by the device', async () => {
  await startGateway();
  const device = await openDevice();
  await device.ask({ method: 'PUT', uri: '/ps/t?clientid=d', payload: 'x' });
  const path = '/gateways/coap/clients/d/request';
  const body = { token: 'abc', method: 'get', timeout: '10s', content_type: 'text/plain', payload: 'hello' };
  const asking = broker.inject<Record<string, unknown>>('POST', path, { body });
  const asked = await device.asked('/');
  expect(asked).toMatchObject({ code: '0.01', confirmable: true });
  expect(String(asked.token)).toBe('abc');
  expect(String(asked.payload)).toBe('hello');
  expect(uriOf(asked)).toBe('/');
  device.answer(asked, { code: '2.05', payload: 'world' });
  const { status, body: answer } = await asking;
  expect(status).toBe(200);
  expect(answer).toEqual({ id: asked.messageId, token: 'abc', method: 'content', payload: 'world' });

  const binary = broker.inject<Record<string, unknown>>('POST', path, {
    body: { method: 'post', content_type: 'application/octet-stream', payload: 'AP8=' },
  });
  const bytes = await device.asked('/');
  expect(bytes.payload).toEqual(Buffer.from([0, 255]));
  device.answer(bytes, { code: '2.04', payload: Buffer.from([1]) });
  expect((await binary).body).toMatchObject({ method: 'changed', payload: 'AQ==' });

  const silent = await broker.inject('POST', path, { body: { method: 'get', timeout: '100ms' } });
  expect(silent).toMatchObject({ status: 504, body: { code: 'CLIENT_NOT_RESPONSE' } });
  const nobody = await broker.inject('POST', '/gateways/coap/clients/nobody/request', { body });
  expect(nobody).toMatchObject({ status: 404, body: { code: 'CLIENT_NOT_FOUND' } });
  const tooLong = await broker.inject('POST', path, { body: { ...body, token: '123456789' } });
  expect(tooLong.status).toBe(400);
});

test('noise and strangers leave the gateway as it was', async () => {
  await startGateway();
  const device = await openDevice();
  for (const hex of ['', '00', 'ff'.repeat(70), '40', '4001000', '5f010001', '40010001ff', '4045000161'])
    device.sendRaw(Buffer.from(hex, 'hex'));
  device.sendRaw(Buffer.alloc(20_000, 0x41));
  for (let i = 0; i < 200; i++)
    device.put({ method: 'PUT', uri: '/ps/t', token: Buffer.alloc(0), confirmable: false });
  const { code } = await device.ask({ method: 'PUT', uri: '/ps/t?clientid=d', payload: 'x' });
  expect(['2.04', '5.03']).toContain(code);
  const answered = await openDevice();
  expect((await answered.ask({ method: 'PUT', uri: '/ps/t', payload: 'x' })).code).toBe('2.04');
});

test('a gateway that is configured anew tells who observes', async () => {
  await startGateway();
  const device = await openDevice();
  const { token } = await device.ask({ method: 'GET', uri: '/ps/t', options: OBSERVE });
  const body = { name: 'coap', mountpoint: 'elsewhere/' };
  expect((await broker.inject('PUT', '/gateways/coap', { body })).status).toBe(204);
  expect((await device.next('the end', (packet) => packet.token.equals(token))).code).toBe('5.03');
});

async function clients(): Promise<string[]> {
  const { body } = await broker.inject<{ data: { clientid: string }[] }>('GET', '/gateways/coap/clients');
  return body.data.map(({ clientid }) => clientid);
}
