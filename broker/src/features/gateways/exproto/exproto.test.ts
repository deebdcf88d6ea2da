import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createConnection, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { credentials, Client as GrpcClient, Metadata } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { exprotoProto } from '@mqdeck/contract/protos/exproto';
import { generate } from 'selfsigned';
import { afterEach, expect, test, vi } from 'vitest';
import { loadPackage } from '../../../grpc/proto.ts';
import { freePort } from '../../../testing/engines/engine.ts';
import { type ExprotoHandler, exprotoHandler } from '../../../testing/engines/exproto-handler.ts';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { exprotoPackage, exprotoService } from './messages.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const until = { timeout: 10_000, interval: 10 };

interface Started {
  broker: TestBroker;
  handler: ExprotoHandler;
  tcp: number;
  udp: number;
}

/** A broker with the gateway, and its handler. */
async function start(
  config: object = {},
  given: Partial<Parameters<typeof exprotoHandler>[0]> = {},
): Promise<Started> {
  const adapter = `127.0.0.1:${await freePort()}`;
  const handler = await exprotoHandler({ adapterAddress: adapter, ...given });
  ends.push(() => handler.close());
  const broker = await startTestBroker();
  ends.push(() => broker.close());
  const { server = {}, handler: own = {}, ...rest } = config as Record<string, object>;
  const answer = await broker.inject('PUT', '/gateways/exproto', {
    body: {
      ...rest,
      server: { bind: adapter, ...server },
      handler: { address: handler.url, ...(given.service && { service_name: given.service }), ...own },
      listeners: ['tcp', 'udp'].map((type) => ({ type, name: 'default', bind: '127.0.0.1:0' })),
    },
  });
  expect(answer).toMatchObject({ status: 204 });
  const { body } = await broker.inject<{ type: string; bind: string }[]>(
    'GET',
    '/gateways/exproto/listeners',
  );
  const portOf = (type: string) => Number(body.find((one) => one.type === type)!.bind.split(':')[1]);
  return { broker, handler, tcp: portOf('tcp'), udp: portOf('udp') };
}

/** Lines that come, one after the other. */
class Lines {
  private readonly lines: string[] = [];
  private waiting: (() => void)[] = [];
  closed = false;

  push(line: string): void {
    this.lines.push(line);
    this.wake();
  }

  close(): void {
    this.closed = true;
    this.wake();
  }

  async next(): Promise<string> {
    while (this.lines.length === 0) {
      if (this.closed) throw new Error('the connection has ended');
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    }
    return this.lines.shift()!;
  }

  async end(): Promise<void> {
    while (!this.closed) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  private wake(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}

interface Device {
  lines: Lines;
  say(...lines: string[]): void;
  /** Says it, and hears what comes next. */
  ask(line: string): Promise<string>;
  hangUp(): void;
}

async function tcpDevice(port: number): Promise<Device & { socket: Socket }> {
  const socket = createConnection(port, '127.0.0.1');
  const lines = new Lines();
  let rest = '';
  socket.on('data', (bytes) => {
    const parts = `${rest}${bytes}`.split('\n');
    rest = parts.pop()!;
    for (const part of parts) lines.push(part);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => lines.close());
  await once(socket, 'connect');
  ends.push(() => socket.destroy());
  const say = (...said: string[]) => void socket.write(said.map((one) => `${one}\n`).join(''));
  return {
    socket,
    lines,
    say,
    ask: (line) => {
      say(line);
      return lines.next();
    },
    hangUp: () => void socket.end(),
  };
}

function udpDevice(port: number): Device {
  const socket: UdpSocket = createSocket('udp4');
  const lines = new Lines();
  socket.on('message', (bytes) => lines.push(bytes.toString().trimEnd()));
  ends.push(() => socket.close());
  const say = (...said: string[]) => {
    for (const one of said) socket.send(one, port, '127.0.0.1');
  };
  return {
    lines,
    say,
    ask: (line) => {
      say(line);
      return lines.next();
    },
    hangUp: () => undefined,
  };
}

const clientsOf = async (broker: TestBroker) =>
  (await broker.inject<{ data: { clientid: string }[] }>('GET', '/gateways/exproto/clients')).body.data.map(
    ({ clientid }) => clientid,
  );

test('what the program speaks is what the .proto file for authors of handlers says', () => {
  const file = fileURLToPath(new URL('./exproto.proto', import.meta.url));
  expect(exprotoProto, 'what the console hands out').toBe(readFileSync(file, 'utf8'));
  const facts = (definition: ReturnType<typeof loadPackage>) =>
    Object.fromEntries(
      Object.entries(definition).map(([name, one]) => [
        name,
        'type' in one
          ? JSON.parse(JSON.stringify(one.type))
          : Object.values(one)
              .map(({ path, requestStream, requestType, responseType }) =>
                [path, requestStream, nameOf(requestType.type), nameOf(responseType.type)].join(' '),
              )
              .sort(),
      ]),
    );
  const nameOf = (type: object) => (type as { name: string }).name;
  const written = facts(loadSync(file, { keepCase: true }));
  const spoken = facts(loadPackage(exprotoPackage));
  expect(Object.keys(spoken).sort()).toEqual(Object.keys(written).sort());
  for (const [name, facts] of Object.entries(written)) expect(spoken[name], name).toMatchObject(facts);
});

for (const service of ['ConnectionUnaryHandler', 'ConnectionHandler'] as const)
  for (const transport of ['tcp', 'udp'] as const)
    test(`messages of a ${transport} device reach MQTT and come back, by ${service}`, async () => {
      const { broker, handler, tcp, udp } = await start({ mountpoint: 'gw/' }, { service });
      const screen = await broker.client('screen');
      await screen.subscribe('gw/up/#', { qos: 1 });
      const device = transport === 'tcp' ? await tcpDevice(tcp) : udpDevice(udp);
      expect(await device.ask('HELLO d1 ada')).toBe('OK');
      expect(await device.ask('SUB down/+')).toBe('OK');
      expect(await device.ask('PUB up/1 warm in here')).toBe('OK');
      expect(await screen.expectMessage('warm in here')).toMatchObject({ topic: 'gw/up/1', qos: 1 });
      await screen.publish('gw/down/1', 'open the window', { qos: 1 });
      expect(await device.lines.next()).toBe('MSG down/1 open the window');
      const { conninfo } = await handler.expectEvent('OnSocketCreated');
      expect(conninfo).toMatchObject({ socktype: transport.toUpperCase(), peername: { host: '127.0.0.1' } });
      expect(await handler.expectEvent('OnReceivedMessages')).toMatchObject({
        messages: [{ from: 'screen', qos: 1 }],
      });
      expect(await clientsOf(broker)).toEqual(['d1']);
      expect(await device.ask('UNSUB down/+')).toBe('OK');
      expect(await device.ask('RAW loud to everybody')).toBe('OK');
      device.say('BYE');
      expect(await handler.expectEvent('OnSocketClosed')).toMatchObject({ reason: 'normal' });
      await vi.waitFor(async () => expect(await clientsOf(broker)).toEqual([]), until);
    });

test('a device that talks at once and hangs up is heard to the end, in its order', async () => {
  const { broker, handler, tcp } = await start();
  const screen = await broker.client('screen');
  await screen.subscribe('up/#');
  const device = await tcpDevice(tcp);
  const sent = Array.from({ length: 10 }, (_, i) => `PUB up/${i} m${i}`);
  device.say('HELLO d1', ...sent);
  device.hangUp();
  expect(await screen.expectMessages(10)).toEqual(sent.map((_, i) => `m${i}`));
  await handler.expectEvent('OnSocketClosed');
  await vi.waitFor(async () => expect(await clientsOf(broker)).toEqual([]), until);
});

test('who is not authenticated may nothing; who shows the wrong password is refused', async () => {
  const { broker, tcp } = await start();
  const authn = {
    mechanism: 'password_based',
    backend: 'built_in_database',
    password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
    user_id_type: 'username',
  };
  expect((await broker.inject('POST', '/gateways/exproto/authentication', { body: authn })).status).toBe(201);
  const ada = { user_id: 'ada', password: 'right-one-1' };
  expect((await broker.inject('POST', '/gateways/exproto/authentication/users', { body: ada })).status).toBe(
    201,
  );
  const device = await tcpDevice(tcp);
  expect(await device.ask('PUB a b')).toMatch(/^NO PERMISSION_DENY/);
  expect(await device.ask('SUB a')).toMatch(/^NO PERMISSION_DENY/);
  expect(await device.ask('HELLO d1 ada wrong-one-1')).toMatch(/^NO PERMISSION_DENY/);
  expect(await clientsOf(broker)).toEqual([]);
  expect(await device.ask('HELLO d1 ada right-one-1')).toBe('OK');
  expect(await device.ask('HELLO d1 ada right-one-1')).toMatch(/^NO PERMISSION_DENY/);
  expect(await device.ask('PUB a/# b')).toMatch(/^NO PARAMS_TYPE_ERROR/);
  expect(await device.ask('PUB  b')).toMatch(/^NO REQUIRED_PARAMS_MISSED/);
});

test('what a rule forbids is refused', async () => {
  const { broker, tcp } = await start();
  await broker.inject('PUT', '/authorization/sources/file', {
    body: { type: 'file', enable: true, rules: '{deny, all, all, ["secret/#"]}.\n{allow, all}.' },
  });
  const device = await tcpDevice(tcp);
  await device.ask('HELLO d1');
  expect(await device.ask('PUB secret/1 x')).toMatch(/^NO PERMISSION_DENY/);
  expect(await device.ask('SUB secret/1')).toMatch(/^NO PERMISSION_DENY/);
  expect(await device.ask('PUB open x')).toBe('OK');
});

test('the handler hears of a silent device, which goes', async () => {
  const { broker, handler, tcp } = await start();
  const device = await tcpDevice(tcp);
  await device.ask('HELLO d1');
  expect(await device.ask('KEEP 0')).toMatch(/^NO PARAMS_TYPE_ERROR/);
  expect(await device.ask('KEEP 1')).toBe('OK');
  expect(await handler.expectEvent('OnTimerTimeout')).toMatchObject({ type: 'KEEPALIVE' });
  expect(await handler.expectEvent('OnSocketClosed')).toMatchObject({ reason: 'keepalive_timeout' });
  await device.lines.end();
  expect(await clientsOf(broker)).toEqual([]);
});

test('a connection that nobody authenticates ends after the idle timeout', async () => {
  const { handler, tcp } = await start({ idle_timeout: '1s' });
  const device = await tcpDevice(tcp);
  await device.lines.end();
  expect(await handler.expectEvent('OnSocketClosed')).toMatchObject({ reason: 'idle_timeout' });
});

test('when the handler is killed its devices go; new ones are let in as soon as it is back', async () => {
  const { broker, handler, tcp } = await start();
  const device = await tcpDevice(tcp);
  await device.ask('HELLO d1');
  await handler.kill();
  device.say('PUB a b');
  await device.lines.end();
  await vi.waitFor(async () => expect(await clientsOf(broker)).toEqual([]), until);
  const early = await tcpDevice(tcp);
  await early.lines.end();
  await handler.start();
  await vi.waitFor(async () => {
    const late = await tcpDevice(tcp);
    expect(await late.ask('HELLO d1')).toBe('OK');
  }, until);
});

test('an operator kicks a device; another one takes the place of one of its name', async () => {
  const { broker, handler, tcp } = await start();
  const first = await tcpDevice(tcp);
  await first.ask('HELLO d1');
  const second = await tcpDevice(tcp);
  expect(await second.ask('HELLO d1')).toBe('OK');
  await first.lines.end();
  await handler.expectEvent('OnSocketClosed', ({ reason }) => reason === 'takenover');
  expect((await broker.inject('DELETE', '/gateways/exproto/clients/d1')).status).toBe(204);
  await second.lines.end();
  await handler.expectEvent('OnSocketClosed', ({ reason }) => reason === 'kicked');
});

test('what a handler does not take waits with the device, and not in the broker', async () => {
  const { handler, tcp } = await start();
  await handler.fallSilent(true);
  const device = await tcpDevice(tcp);
  await handler.expectEvent('OnSocketCreated');
  const chunk = Buffer.alloc(64 * 1024, 'x');
  let written = 0;
  // The network takes some megabytes; then the device has to wait
  await new Promise<void>((resolve) => {
    const more = () => {
      while (written < 200 && device.socket.write(chunk)) written++;
      if (written >= 200) resolve();
    };
    device.socket.on('drain', more);
    device.socket.on('close', () => resolve());
    more();
  });
  expect(written).toBeLessThan(200);
});

test('another configuration starts it anew on the same ports, and a stopped gateway has none', async () => {
  const { broker, handler, tcp } = await start();
  const device = await tcpDevice(tcp);
  await device.ask('HELLO d1');
  const { body } = await broker.inject<Record<string, unknown>>('GET', '/gateways/exproto');
  const { server, handler: its, enable } = body;
  const changed = { enable, server, handler: its, idle_timeout: '20s', mountpoint: 'new/' };
  expect((await broker.inject('PUT', '/gateways/exproto', { body: changed })).status).toBe(204);
  await device.lines.end();
  await handler.expectEvent('OnSocketClosed', ({ reason }) => reason === 'stopped');
  const screen = await broker.client('screen');
  await screen.subscribe('new/#');
  const again = await tcpDevice(tcp);
  expect(await again.ask('HELLO d1')).toBe('OK');
  expect(await again.ask('PUB a b')).toBe('OK');
  expect((await screen.expectMessage('b')).topic).toBe('new/a');
  expect((await broker.inject('PUT', '/gateways/exproto/enable/false')).status).toBe(204);
  await again.lines.end();
  const { bind } = server as { bind: string };
  const probe = createConnection(Number(bind.split(':')[1]), '127.0.0.1');
  const [refused] = (await once(probe, 'error')) as [NodeJS.ErrnoException];
  expect(refused.code).toBe('ECONNREFUSED');
});

test('calls about nobody are answered so', async () => {
  const { broker } = await start();
  const { bind } = (await broker.inject<{ server: { bind: string } }>('GET', '/gateways/exproto')).body
    .server;
  const client = new GrpcClient(bind, credentials.createInsecure());
  ends.push(() => client.close());
  const call = (name: string, request: object) =>
    new Promise((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = exprotoService('ConnectionAdapter')[name]!;
      client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        new Metadata(),
        (error, answer) => (error ? reject(error) : resolve(answer)),
      );
    });
  expect(await call('Send', { conn: 'nobody', bytes: Buffer.from('x') })).toMatchObject({
    code: 'CONN_PROCESS_NOT_ALIVE',
  });
  expect(await call('Close', { conn: '' })).toMatchObject({ code: 'REQUIRED_PARAMS_MISSED' });
  expect(await call('RawPublish', { topic: 'a/#', qos: 0 })).toMatchObject({ code: 'PARAMS_TYPE_ERROR' });
  expect(await call('RawPublish', { topic: 'a', qos: 3 })).toMatchObject({ code: 'PARAMS_TYPE_ERROR' });
});

test('with TLS the gRPC server has the certificate that it was given, and needs one', async () => {
  const made = await generate([{ name: 'commonName', value: 'broker.example' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'broker.example' }] }],
  });
  const { tcp } = await start(
    { server: { ssl_options: { certfile: made.cert, keyfile: made.private } } },
    { tls: { ca: made.cert, name: 'broker.example' } },
  );
  const device = await tcpDevice(tcp);
  expect(await device.ask('HELLO d1')).toBe('OK');
  const broker = await startTestBroker();
  ends.push(() => broker.close());
  const body = {
    server: { bind: `127.0.0.1:${await freePort()}`, ssl_options: { certfile: made.cert } },
    handler: { address: 'http://127.0.0.1:1' },
  };
  expect(await broker.inject('PUT', '/gateways/exproto', { body })).toMatchObject({ status: 400 });
});

test('a port that is taken is told', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  ends.push(() => taken.close());
  const broker = await startTestBroker();
  ends.push(() => broker.close());
  const bind = `127.0.0.1:${(taken.address() as { port: number }).port}`;
  const body = { server: { bind }, handler: { address: 'http://127.0.0.1:1' } };
  const answer = await broker.inject<{ message: string }>('PUT', '/gateways/exproto', { body });
  expect(answer.status).toBe(400);
  expect(answer.body.message).toContain(bind);
});
