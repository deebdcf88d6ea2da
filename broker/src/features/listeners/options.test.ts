import { once } from 'node:events';
import { connect as dial, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as dialTls } from 'node:tls';
import type { Listener } from '@mqdeck/contract/listeners';
import mqtt, { type IClientOptions, MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createWebSocketStream, WebSocket, type ClientOptions as WebSocketClientOptions } from 'ws';
import { closed } from '../../testing/socket-client.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const patience = { timeout: 10_000 }; // of a busy machine
const ends: (() => unknown)[] = [];
let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
  ends.push(() => broker.close());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const portOf = ({ bind }: { bind: string }) => Number(/\d+$/.exec(bind)![0]);

async function create(type: string, more: object = {}): Promise<Listener> {
  const body = { type, name: 'a', bind: '127.0.0.1:0', ...more };
  const answer = await broker.inject<Listener>('POST', '/listeners', { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
async function change(listener: Listener, more: object): Promise<Listener> {
  const answer = await broker.inject<Listener>('PUT', `/listeners/${listener.id}`, {
    body: { type: listener.type, ...more },
  });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
const factsOf = (clientid: string) => broker.core.registry.find(clientid)?.facts();

/** A socket to the listener, with something said already. */
async function open(listener: Listener, said: string | Buffer = ''): Promise<Socket> {
  const socket = dial({ host: '127.0.0.1', port: portOf(listener) });
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  if (said.length > 0) socket.write(said);
  return socket;
}

/** A client of another make on a stream that is there. */
async function clientOn(stream: Duplex, options: IClientOptions = {}): Promise<MqttClient> {
  const client = new MqttClient(() => stream as never, {
    protocolVersion: 5,
    reconnectPeriod: 0,
    ...options,
  } as IClientOptions);
  ends.push(() => client.endAsync(true));
  await new Promise<void>((resolve, reject) => {
    client.on('connect', () => resolve());
    client.on('error', reject);
    client.on('close', () => reject(new Error('the connection was closed')));
  });
  return client;
}

async function connect(listener: Listener, options: IClientOptions = {}): Promise<MqttClient> {
  return clientOn(await open(listener), options);
}

describe('rules for addresses', () => {
  test('hold from the next connection on', async () => {
    const listener = await create('tcp', { access_rules: ['deny 127.0.0.0/8', 'allow all'] });
    await closed(await open(listener));
    await change(listener, { access_rules: ['deny 10.0.0.0/8', 'allow 127.0.0.1'] });
    const stays = await connect(listener);
    await change(listener, { access_rules: ['deny all'] });
    await closed(await open(listener));
    await stays.publishAsync('t', 'x', { qos: 1 });
  });
});

describe('how many may come', () => {
  test('is counted anew when it changes', async () => {
    const listener = await create('tcp', { max_connections: 1 });
    await connect(listener);
    await closed(await open(listener));
    await change(listener, { max_connections: 2 });
    await connect(listener);
    await closed(await open(listener));
  });
});

describe('who they are', () => {
  test('is asked, or not, or of those alone who have a username', async () => {
    await broker.inject('POST', '/authentication', {
      body: {
        mechanism: 'password_based',
        backend: 'built_in_database',
        password_hash_algorithm: { name: 'sha256' },
      },
    });
    const listener = await create('tcp');
    await expect(connect(listener, { username: 'ada', password: 'x' })).rejects.toThrow('Not authorized');
    expect(await change(listener, { enable_authn: false })).toMatchObject({ enable_authn: false });
    await connect(listener, { clientId: 'anybody' });
    expect(await change(listener, { enable_authn: 'quick_deny_anonymous' })).toMatchObject({
      enable_authn: 'quick_deny_anonymous',
    });
    await expect(connect(listener)).rejects.toThrow('Not authorized');
    // Whoever asks beforehand hears the same
    const explained = async (more: object) => {
      const body = { clientid: 'x', password: 'x', listener: 'tcp:a', ...more };
      const answer = await broker.inject<{ verdict: string }>('POST', '/access/test', { body });
      return answer.body.verdict;
    };
    expect([await explained({}), await explained({ username: 'ada' })]).toEqual(['refused', 'refused']);
    await change(listener, { enable_authn: false });
    expect(await explained({})).toBe('allowed');
    await change(listener, { enable_authn: 'true' });
    await expect(connect(listener, { username: 'ada' })).rejects.toThrow(/Not authorized|Bad User/);
  });
});

describe('where their topics are', () => {
  test('is behind the mountpoint, for those who come after it was set', async () => {
    const listener = await create('tcp', { mountpoint: 'site/${clientid}/' });
    const outside = await broker.client('outside');
    await outside.subscribe('#');
    const early = await connect(listener, {
      clientId: 'early',
      will: { topic: 'will', payload: Buffer.from('gone'), qos: 0, retain: false },
    });
    await early.publishAsync('t', 'x', { qos: 1, retain: true });
    expect((await outside.expectMessage('x')).topic).toBe('site/early/t');
    expect(factsOf('early')?.mountpoint).toBe('site/early/');
    const retained = await broker.inject<{ data: { topic: string }[] }>('GET', '/mqtt/retainer/messages');
    expect(retained.body.data.map(({ topic }) => topic)).toContain('site/early/t');
    const message = new Promise<string>((resolve) => early.on('message', (topic) => resolve(topic)));
    await early.subscribeAsync('t');
    expect(await message).toBe('t'); // as the retained one comes back
    expect(
      (await broker.inject<{ topic: string }[]>('GET', '/clients/early/subscriptions')).body[0]?.topic,
    ).toBe('site/early/t');

    await change(listener, { mountpoint: '' });
    const late = await connect(listener, { clientId: 'late' });
    await late.publishAsync('t', 'y');
    expect((await outside.expectMessage('y')).topic).toBe('t');
    await early.publishAsync('t', 'z');
    expect((await outside.expectMessage('z')).topic).toBe('site/early/t');
    early.stream.destroy();
    expect((await outside.expectMessage('gone')).topic).toBe('site/early/will');
  });
});

describe('the zone', () => {
  test('is that of the entrance, with its settings', async () => {
    await broker.inject('PUT', '/configs/zones', { body: { strict: { mqtt: { max_qos_allowed: 0 } } } });
    const listener = await create('tcp', { zone: 'strict' });
    expect(broker.core.entrance('tcp:a').zone).toBe('strict');
    const client = await connect(listener);
    expect(client.connected).toBe(true);
    await change(listener, { zone: 'unknown' }); // as the real one, and the global settings hold
    expect(broker.core.entrance('tcp:a')).toMatchObject({ zone: 'unknown', settings: broker.core.settings });
  });
});

describe('rates', () => {
  test('are handed to whoever limits', async () => {
    const listener = await create('tcp', {
      max_conn_rate: '10/s',
      messages_rate: '1000/1m',
      bytes_rate: '1MB/s',
    });
    expect(broker.core.entrance('tcp:a').rates).toEqual({
      connections: { count: 10, perMs: 1000 },
      messages: { count: 1000, perMs: 60_000 },
      bytes: { count: 1024 ** 2, perMs: 1000 },
    });
    await change(listener, { messages_rate: 'infinity', bytes_rate: 'infinity', max_conn_rate: 'infinity' });
    expect(broker.core.entrance('tcp:a').rates).toEqual({ connections: null, messages: null, bytes: null });
  });
});

const V1 = 'PROXY TCP4 192.0.2.7 198.51.100.1 8080 1883\r\n';
/** 192.0.2.8, whose certificate for `device-7` the proxy has verified. */
const V2 = Buffer.concat([
  Buffer.from('0d0a0d0a000d0a515549540a2111001f', 'hex'),
  Buffer.from([192, 0, 2, 8, 198, 51, 100, 1, 0x1f, 0x90, 0x07, 0x5b]),
  Buffer.from([0x20, 0, 16, 3, 0, 0, 0, 0, 0x22, 0, 8]),
  Buffer.from('device-7'),
]);

describe('the PROXY protocol', () => {
  const options = { proxy_protocol: true };

  test.each([
    ['tcp', V1, '192.0.2.7', null],
    ['tcp', V2, '192.0.2.8', 'device-7'],
    ['ssl', V1, '192.0.2.7', null],
    ['ssl', V2, '192.0.2.8', 'device-7'],
    ['ws', V1, '192.0.2.7', null],
    ['ws', V2, '192.0.2.8', 'device-7'],
    ['wss', V2, '192.0.2.8', 'device-7'],
  ] as const)('over %s says who is behind the proxy', async (type, header, address, name) => {
    await broker.inject('PUT', '/configs/zones', {
      body: { named: { mqtt: { peer_cert_as_username: 'cn' } } },
    });
    const listener = await create(type, { ...options, zone: 'named' });
    for (const inOneGo of [true, false]) {
      const socket = await open(listener, inOneGo ? header : '');
      if (!inOneGo)
        for (const byte of Buffer.from(header)) {
          socket.write(Buffer.from([byte]));
          await new Promise((resolve) => setImmediate(resolve));
        }
      let stream: Duplex = socket;
      if (type === 'ssl' || type === 'wss') {
        stream = dialTls({ socket, rejectUnauthorized: false });
        await once(stream, 'secureConnect');
      }
      if (type === 'ws' || type === 'wss') {
        const under = stream;
        const webSocket = new WebSocket('ws://127.0.0.1/mqtt', ['mqtt'], { createConnection: () => under });
        await once(webSocket, 'open');
        stream = createWebSocketStream(webSocket);
      }
      const clientId = `c${inOneGo}`;
      const client = await clientOn(stream, { clientId });
      expect(factsOf(clientId)).toMatchObject({ ip_address: address, port: 8080, username: name });
      await client.publishAsync('t', Buffer.alloc(100_000), { qos: 1 });
    }
  });

  test('and MQTT may come in the same packet', async () => {
    const listener = await create('tcp', options);
    const connectPacket = Buffer.from('101000044d5154540402000000046c6f6e65', 'hex');
    const socket = await open(listener, Buffer.concat([Buffer.from(V1), connectPacket]));
    const [connack] = (await once(socket, 'data')) as [Buffer];
    expect(connack.toString('hex')).toBe('20020000');
    expect(factsOf('lone')).toMatchObject({ ip_address: '192.0.2.7' });
  });

  test('is owed by everybody where it is on, within its time, and nobody is answered without', async () => {
    const listener = await create('tcp', { ...options, proxy_protocol_timeout: '200ms' });
    const answers: Buffer[] = [];
    const wrong = [
      '',
      'PROXY TCP4 192.',
      Buffer.from('101000044d5154540402000000046c6f6e65', 'hex'),
      `PROXY TCP4 ${'1'.repeat(500)}`,
      V2.subarray(0, 20),
      Buffer.concat([V2.subarray(0, 14), Buffer.from([0xff, 0xff]), Buffer.alloc(70_000)]),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    ];
    await Promise.all(
      wrong.map(async (said) => {
        const socket = await open(listener, said);
        socket.on('data', (chunk: Buffer) => answers.push(chunk));
        await closed(socket);
      }),
    );
    expect(answers).toEqual([]);
    const slow = await open(listener);
    const drip = setInterval(() => slow.write('P'), 20);
    ends.push(() => clearInterval(drip));
    await closed(slow);
    await vi.waitFor(
      async () =>
        expect((await broker.inject<Listener>('GET', '/listeners/tcp:a')).body.current_connections).toBe(0),
      patience,
    );
    await change(listener, { proxy_protocol_timeout: '1m' });
    await clientOn(await open(listener, V1), { clientId: 'well' });
    await change(listener, { proxy_protocol: false });
    await connect(listener, { clientId: 'direct' });
    await closed(await open(listener, V1));
    expect(factsOf('direct')).toMatchObject({ ip_address: '127.0.0.1' });
  });

  test('rules for addresses are about the proxy', async () => {
    const listener = await create('tcp', { ...options, access_rules: ['allow 127.0.0.1', 'deny all'] });
    await clientOn(await open(listener, V1));
    await change(listener, { access_rules: ['allow 192.0.2.0/24'] });
    await closed(await open(listener, V1));
  });
});

describe('options of TCP', () => {
  test('a peer that takes nothing loses its connection, unless it may take its time', async () => {
    const listener = await create('tcp', { tcp_options: { send_timeout: '300ms' } });
    const reader = await open(listener);
    const client = await clientOn(reader, { clientId: 'reader' });
    await client.subscribeAsync('flood');
    reader.pause();
    const sender = await broker.client('sender');
    const flood = async () => {
      for (let i = 0; i < 20; i++) await sender.publish('flood', 'x'.repeat(900_000));
    };
    await flood();
    await vi.waitFor(() => expect(broker.core.registry.find('reader')).toBeUndefined(), patience);

    // One that may take its time, beside one of another listener that may not
    await change(listener, { tcp_options: { send_timeout_close: false } });
    const strict = await create('tcp', { name: 'b', tcp_options: { send_timeout: '300ms' } });
    for (const [clientId, at] of [
      ['patient', listener],
      ['impatient', strict],
    ] as const) {
      const socket = await open(at);
      const slow = await clientOn(socket, { clientId });
      await slow.subscribeAsync('flood');
      socket.pause();
    }
    await flood();
    await vi.waitFor(() => expect(broker.core.registry.find('impatient')).toBeUndefined(), patience);
    expect(broker.core.registry.find('patient')?.connected).toBe(true);
  });

  test('are told to the system: nodelay, keepalive, and a reset where nothing lingers', async () => {
    const { Socket: NetSocket } = await import('node:net');
    const noDelay = vi.spyOn(NetSocket.prototype, 'setNoDelay');
    const keepAlive = vi.spyOn(NetSocket.prototype, 'setKeepAlive');
    const reset = vi.spyOn(NetSocket.prototype, 'resetAndDestroy');
    ends.push(() => vi.restoreAllMocks());
    const listener = await create('tcp', {
      tcp_options: { nodelay: false, keepalive: '240,30,5', nolinger: true, send_timeout: '200ms' },
    });
    const reader = await open(listener);
    noDelay.mockClear();
    const client = await clientOn(reader, { clientId: 'reader' });
    expect(keepAlive).toHaveBeenCalledWith(true, 240_000);
    expect(noDelay).not.toHaveBeenCalled();
    await client.subscribeAsync('flood');
    reader.pause();
    const sender = await broker.client('sender');
    for (let i = 0; i < 20; i++) await sender.publish('flood', 'x'.repeat(900_000));
    await vi.waitFor(() => expect(reset).toHaveBeenCalled(), patience);
  });
});

describe('options of WebSocket', () => {
  const url = (listener: Listener, path = '/mqtt') => `ws://127.0.0.1:${portOf(listener)}${path}`;

  /** The status of the upgrade: 101 when it came about. */
  async function upgrade(
    listener: Listener,
    {
      path = '/mqtt',
      protocols = ['mqtt'],
      ...options
    }: WebSocketClientOptions & { path?: string; protocols?: string[] } = {},
  ): Promise<{ status: number; webSocket: WebSocket }> {
    const webSocket = new WebSocket(url(listener, path), protocols, options);
    ends.push(() => webSocket.terminate());
    const status = await new Promise<number>((resolve, reject) => {
      webSocket.on('open', () => resolve(101));
      webSocket.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
      webSocket.on('error', reject);
    });
    return { status, webSocket };
  }
  const statusOf = async (...given: Parameters<typeof upgrade>) => (await upgrade(...given)).status;

  test('the path is where it is said to be, at once', async () => {
    const listener = await create('ws', { websocket: { mqtt_path: '/m' } });
    expect(await statusOf(listener, { path: '/m?x=1' })).toBe(101);
    expect(await statusOf(listener)).toBe(404);
    await change(listener, { websocket: { mqtt_path: '/mqtt' } });
    expect(await statusOf(listener)).toBe(101);
    expect(await statusOf(listener, { path: '/m' })).toBe(404);
    const client = await mqtt.connectAsync(url(listener), { reconnectPeriod: 0 });
    await client.endAsync();
  });

  test('a protocol has to be named, of those there are, unless none need be', async () => {
    const listener = await create('ws', { websocket: { supported_subprotocols: 'mqtt-v5, own' } });
    expect(await statusOf(listener, { protocols: ['mqtt'] })).toBe(400);
    const own = await upgrade(listener, { protocols: ['none', 'own'] });
    expect([own.status, own.webSocket.protocol]).toEqual([101, 'own']);
    expect(await statusOf(listener, { protocols: [] })).toBe(400);
    await change(listener, { websocket: { fail_if_no_subprotocol: false } });
    expect(await statusOf(listener, { protocols: [] })).toBe(101);
  });

  test('pages of other origins are kept out where that is wanted', async () => {
    // Where only this machine can connect, pages of others are refused in any case
    const listener = await create('ws', { bind: '0.0.0.0:0' });
    const from = (origin?: string) => statusOf(listener, origin === undefined ? {} : { origin });
    expect(await from('https://evil.example')).toBe(101);
    const check_origins = 'https://Good.example:443/, http://127.0.0.1:18083';
    await change(listener, { websocket: { check_origin_enable: true, check_origins } });
    expect(await from('https://evil.example')).toBe(403);
    expect(await from('https://good.example.evil.example')).toBe(403);
    expect(await from('https://good.example')).toBe(101);
    expect(await from('http://127.0.0.1:18083')).toBe(101);
    expect(await from('null')).toBe(403);
    expect(await from()).toBe(101);
    await change(listener, { websocket: { allow_origin_absence: false } });
    expect(await from()).toBe(403);
  });

  test('whose connection a proxy passes on is believed where its headers are named, and nowhere else', async () => {
    const listener = await create('ws');
    const headers = { 'X-Forwarded-For': '192.0.2.9, 10.0.0.1', 'X-Forwarded-Port': '4711' };
    const come = async (clientId: string, sent: Record<string, string>) => {
      const { webSocket } = await upgrade(listener, { headers: sent });
      await clientOn(createWebSocketStream(webSocket), { clientId });
      return factsOf(clientId);
    };
    expect(await come('a', headers)).toMatchObject({ ip_address: '127.0.0.1' });
    const websocket = { proxy_address_header: 'X-Forwarded-For', proxy_port_header: 'x-forwarded-port' };
    await change(listener, { websocket });
    expect(await come('b', headers)).toMatchObject({ ip_address: '192.0.2.9', port: 4711 });
    expect(await come('c', { 'X-Forwarded-For': 'nobody', 'X-Forwarded-Port': '99999' })).toMatchObject({
      ip_address: '127.0.0.1',
    });
    expect(await come('d', {})).toMatchObject({ ip_address: '127.0.0.1' });
  });

  test('compression is spoken where it is on, and what swells is stopped', async () => {
    const listener = await create('ws', {
      websocket: {
        compress: true,
        max_frame_size: 10_000,
        deflate_opts: { level: 'best_speed', mem_level: 9 },
      },
    });
    const { webSocket } = await upgrade(listener);
    expect(webSocket.extensions).toContain('permessage-deflate');
    const client = await clientOn(createWebSocketStream(webSocket), { clientId: 'a' });
    await client.publishAsync('t', 'x'.repeat(5000), { qos: 1 });
    const bomb = await upgrade(listener);
    const end = once(bomb.webSocket, 'close');
    bomb.webSocket.send(Buffer.alloc(50_000_000)); // fifty kilobytes on the wire
    expect((await end)[0]).toBe(1009);
    await change(listener, { websocket: { compress: false } });
    const plain = await upgrade(listener);
    expect(plain.webSocket.extensions).toBe('');
    await client.publishAsync('t', 'x', { qos: 1 });
  });

  test('a frame may be so large', async () => {
    const listener = await create('ws', { websocket: { max_frame_size: 1000 } });
    const { webSocket } = await upgrade(listener);
    const end = once(webSocket, 'close');
    webSocket.send(Buffer.alloc(1001));
    expect((await end)[0]).toBe(1009);
  });

  test('who says nothing for long loses the connection', async () => {
    const listener = await create('ws', { websocket: { idle_timeout: '400ms' } });
    const { webSocket } = await upgrade(listener);
    await clientOn(createWebSocketStream(webSocket), { clientId: 'silent', keepalive: 0 });
    await once(webSocket, 'close');
    await vi.waitFor(() => expect(broker.core.registry.find('silent')).toBeUndefined(), patience);
  });

  test('text is refused, a faulty one with its reason where that is looked at', async () => {
    const listener = await create('ws');
    const faulty = async () => {
      const { webSocket } = await upgrade(listener);
      const end = once(webSocket, 'close');
      webSocket.send(Buffer.from([0xff, 0xfe]), { binary: false });
      return (await end)[0] as number;
    };
    expect(await faulty()).toBe(1007);
    await change(listener, { websocket: { validate_utf8: false } });
    expect(await faulty()).toBe(1003);
  });
});
