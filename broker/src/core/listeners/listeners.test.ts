import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect as dial } from 'node:net';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { closed, kinds, listen, socketClient, testCertificates } from '../../testing/socket-client.ts';
import { type Core, startCore } from '../core.ts';
import { tcpListener } from './tcp.ts';
import { mqttUpgrades, webSocketListener } from './websocket.ts';

const patience = { timeout: 10_000 }; // of a busy machine
const cores: Core[] = [];
const clients: MqttClient[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.endAsync(true)));
  await Promise.all(cores.splice(0).map((core) => core.close()));
});

function start(): Core {
  const core = startCore();
  cores.push(core);
  return core;
}

async function open(url: string, options: IClientOptions): Promise<MqttClient> {
  const client = await mqtt.connectAsync(url, { reconnectPeriod: 0, ...options });
  clients.push(client);
  return client;
}

const versions = [
  ['3.1', { protocolVersion: 3, protocolId: 'MQIsdp' }],
  ['3.1.1', { protocolVersion: 4 }],
  ['5.0', { protocolVersion: 5 }],
] as const;

describe.each(versions)('an independent client of %s', (_name, options) => {
  test.each(kinds)('exchanges messages of every QoS over %s', async (kind) => {
    const core = start();
    const listener = await listen(core, kind);
    const url = {
      tcp: `mqtt://${listener.bind}`,
      ssl: `mqtts://${listener.bind}`,
      ws: `ws://${listener.bind}/mqtt`,
      wss: `wss://${listener.bind}/mqtt`,
    }[kind];
    const ca = testCertificates.current.cert;
    const screen = await open(url, { ...options, ca, clientId: 'screen' });
    const sensor = await open(url, { ...options, ca, clientId: 'sensor' });
    expect(core.registry.find('screen')?.listener).toBe(`${kind}:default`);
    expect(listener.currentConnections).toBe(2);
    await screen.subscribeAsync('room/+', { qos: 2 });
    const got: string[] = [];
    const all = new Promise<void>((resolve) =>
      screen.on('message', (topic, payload, { qos }) => {
        got.push(`${topic} ${payload.length} ${qos}`);
        if (got.length === 4) resolve();
      }),
    );
    await sensor.publishAsync('room/1', 'a', { qos: 0 });
    await sensor.publishAsync('room/2', 'bb', { qos: 1 });
    await sensor.publishAsync('room/3', 'ccc', { qos: 2 });
    await sensor.publishAsync('room/4', Buffer.alloc(300_000), { qos: 1 });
    await all;
    expect(got.sort()).toEqual(['room/1 1 0', 'room/2 2 1', 'room/3 3 2', 'room/4 300000 1']);
  });
});

describe.each(kinds)('a listener of kind %s', (kind) => {
  test('turns away more connections than it may have, before any handshake', async () => {
    const core = start();
    const listener = await listen(core, kind, { maxConnections: 1 });
    const { client } = await socketClient(listener, 'first');
    const second = dial(listener.port, '127.0.0.1');
    const got: Buffer[] = [];
    second.on('data', (chunk) => got.push(chunk));
    second.write('\x16\x03\x01');
    await closed(second);
    expect(got).toEqual([]);
    expect(listener).toMatchObject({ currentConnections: 1, failedHandshakes: 0 });
    await client.ping();
    await client.disconnect();
    await vi.waitFor(() => expect(listener.currentConnections).toBe(0), patience);
    await socketClient(listener, 'third');
  });

  test('closes all its connections when it stops, those in a handshake too, and starts again', async () => {
    const core = start();
    const listener = await listen(core, kind);
    const { client } = await socketClient(listener, 'a');
    const waiting = dial(listener.port, '127.0.0.1');
    await vi.waitFor(() => expect(listener.currentConnections).toBe(2), patience);
    const gone = closed(waiting);
    await listener.stop();
    await client.expectDisconnect(ReasonCode.ServerShuttingDown);
    await gone;
    expect(listener.running).toBe(false);
    await listener.start();
    await socketClient(listener, 'b');
  });
});

describe('a TCP listener', () => {
  test('says whose fault it is when the port is taken', async () => {
    const core = start();
    const first = tcpListener(core, { host: '127.0.0.1', port: 0 });
    await first.start();
    const second = tcpListener(core, { name: 'second', host: '127.0.0.1', port: first.port });
    await expect(second.start()).rejects.toThrow('another program uses this port');
    expect(second.running).toBe(false);
  });

  test('tells a 5.0 client the reason before it closes, though the client keeps talking', async () => {
    const core = start();
    const listener = tcpListener(core, { host: '127.0.0.1', port: 0 });
    await listener.start();
    const client = await open(`mqtt://${listener.bind}`, { protocolVersion: 5, clientId: 'a' });
    for (let i = 0; i < 1000; i++) client.publish('t', 'x'.repeat(1000));
    const told = new Promise<number | undefined>((resolve) =>
      client.on('disconnect', ({ reasonCode }) => resolve(reasonCode)),
    );
    core.kick('a');
    expect(await told).toBe(0x98);
  });
});

describe('MQTT over WebSocket', () => {
  test("comes through another server's port", async () => {
    const core = start();
    const server = createServer();
    const take = mqttUpgrades(core);
    server.on('upgrade', (request, socket, head) => take(request, socket, head));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const client = await open(`ws://127.0.0.1:${port}/mqtt`, { protocolVersion: 5, clientId: 'browser' });
    expect(core.registry.find('browser')?.connected).toBe(true);
    await client.endAsync();
    server.close();
  });

  test('needs the subprotocol, the path and binary frames [MQTT-6.0.0-1] [MQTT-6.0.0-3] [MQTT-6.0.0-4]', async () => {
    const core = start();
    const listener = webSocketListener(core, { host: '127.0.0.1', port: 0 });
    await listener.start();
    const refused = async (url: string, protocols: string[]) => {
      const [cause] = (await once(new WebSocket(url, protocols), 'error')) as [Error];
      return cause.message;
    };
    expect(await refused(`ws://${listener.bind}/mqtt`, ['chat'])).toContain('400');
    expect(await refused(`ws://${listener.bind}/other`, ['mqtt'])).toContain('404');
    const socket = new WebSocket(`ws://${listener.bind}/mqtt`, ['mqtt']);
    await once(socket, 'open');
    expect(socket.protocol).toBe('mqtt');
    socket.send('text');
    const [code] = await once(socket, 'close');
    expect(code).toBe(1003);
  });

  test.each([
    [200, '127.0.0.1', undefined],
    [200, 'localhost', 'http://localhost:18083'],
    [200, 'LOCALHOST', 'http://127.0.0.1:18083'],
    [200, 'console.localhost', 'https://other.localhost'],
    [200, '[::1]', 'http://[::1]:18083'],
    [200, '192.0.2.7', 'http://192.0.2.7:18083'], // through a forwarded port
    [403, '127.0.0.1', 'https://evil.example'],
    [403, '127.0.0.1', 'http://192.0.2.7'],
    [403, '127.0.0.1', 'http://127.0.0.1.evil.example'],
    [403, '127.0.0.1', 'http://evillocalhost'],
    [403, '127.0.0.1', 'null'],
    [403, '127.0.0.1', 'file://'],
    [403, 'evil.example', 'http://evil.example:8083'],
    [403, 'evil.example', undefined],
    [403, '127.evil.example', undefined],
  ])('on a loopback address it answers %i to host %s and origin %s', async (status, host, origin) => {
    const listener = webSocketListener(start(), { host: '127.0.0.1', port: 0 });
    await listener.start();
    const socket = new WebSocket(`ws://${listener.bind}/mqtt`, ['mqtt'], {
      headers: { host: `${host}:${listener.port}` },
      ...(origin !== undefined && { origin }),
    });
    if (status === 200) await once(socket, 'open');
    else expect(((await once(socket, 'error'))[0] as Error).message).toContain('403');
    socket.terminate();
  });

  test('open to the network it takes any origin', async () => {
    const listener = webSocketListener(start(), { host: '0.0.0.0', port: 0 });
    await listener.start();
    const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/mqtt`, ['mqtt'], {
      headers: { host: 'broker.example' },
      origin: 'https://app.example',
    });
    await once(socket, 'open');
    socket.terminate();
  });

  test('a packet may come in pieces, several in one frame, and a frame may be empty [MQTT-6.0.0-2]', async () => {
    const core = start();
    const listener = webSocketListener(core, { host: '127.0.0.1', port: 0 });
    await listener.start();
    const socket = new WebSocket(`ws://${listener.bind}/mqtt`, ['mqtt']);
    await once(socket, 'open');
    const bytes = [0x10, 13, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 0, 0, 1, 0x61, 0xc0, 0];
    socket.send(Buffer.alloc(0));
    socket.send(Buffer.from(bytes.slice(0, 5)));
    socket.send(Buffer.from(bytes.slice(5)));
    const answers: number[] = [];
    while (answers.length < 6) answers.push(...((await once(socket, 'message'))[0] as Buffer));
    expect(answers).toEqual([0x20, 2, 0, 0, 0xd0, 0]);
    socket.terminate();
  });
});
