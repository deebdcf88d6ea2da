import { connect as dialTcp, type Socket } from 'node:net';
import { type IMessage, type StompHeaders, Client as StompJs } from '@stomp/stompjs';
import stompit, { type Client, type Message } from 'stompit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../../testing/start-test-broker.ts';
import { type Frame, FrameReader } from './frame.ts';

let broker: TestBroker;
let port: number;
const ends: (() => unknown)[] = [];

beforeEach(async () => {
  broker = await startTestBroker();
  await load({});
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await broker.close();
});

async function load(config: object, listener: object = {}): Promise<void> {
  const body = { ...config, listeners: [{ type: 'tcp', name: 'default', bind: '127.0.0.1:0', ...listener }] };
  const { status } = await broker.inject('PUT', '/gateways/stomp', { body });
  expect(status).toBe(204);
  const { body: listeners } = await broker.inject<{ bind: string }[]>('GET', '/gateways/stomp/listeners');
  port = Number(listeners[0]!.bind.split(':')[1]);
}

const api = (method: string, path: string, body?: object) =>
  broker.inject<{ data: { clientid: string; subscriptions_cnt: number }[]; topic: string; message: string }>(
    method,
    `/gateways/stomp${path}`,
    { ...(body && { body }) },
  );

/** Frames as they are, one after the other. */
class Wire {
  readonly socket: Socket;
  readonly frames: Frame[] = [];
  closed = false;
  beats = 0;
  private waiting: (() => void)[] = [];

  constructor() {
    const reader = new FrameReader(
      { headersMax: 50, headerBytesMax: 10_000, bodyBytesMax: 10_000_000 },
      (frame) => this.frames.push(frame),
      () => this.beats++,
    );
    this.socket = dialTcp(port, '127.0.0.1');
    this.socket.on('data', (bytes) => {
      reader.push(bytes);
      this.wake();
    });
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => {
      this.closed = true;
      this.wake();
    });
    ends.push(() => this.socket.destroy());
  }

  send(command: string, headers: Record<string, string> = {}, body = ''): void {
    const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
    this.socket.write(`${command}\n${lines.join('')}\n${body}\0`);
  }

  async until(fits: () => boolean): Promise<void> {
    while (!fits()) await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  async expect(command: string): Promise<{ headers: Record<string, string>; body: string }> {
    const at = () => this.frames.findIndex((frame) => frame.command === command);
    await this.until(() => at() !== -1 || this.closed);
    if (at() === -1)
      throw new Error(`no ${command}: ${JSON.stringify(this.frames.map((one) => one.command))}`);
    const [{ headers, body }] = this.frames.splice(at(), 1) as [Frame];
    return { headers: Object.fromEntries(headers), body: body.toString() };
  }

  private wake(): void {
    for (const run of this.waiting.splice(0)) run();
  }
}

async function wire(headers: Record<string, string> = {}): Promise<Wire> {
  const made = new Wire();
  made.send('CONNECT', { 'accept-version': '1.2', host: 'x', ...headers });
  await made.expect('CONNECTED');
  return made;
}

describe('stompit', () => {
  const dial = (headers: Record<string, string> = {}): Promise<Client> =>
    new Promise((resolve, reject) => {
      const connectHeaders = { host: '/', ...headers };
      stompit.connect({ host: '127.0.0.1', port, connectHeaders }, (error, client) => {
        if (error) return reject(error);
        client.on('error', () => undefined);
        ends.push(() => client.destroy());
        resolve(client);
      });
    });
  const textOf = (message: Message): Promise<string> =>
    new Promise((resolve, reject) => {
      message.readString('utf-8', (error, body) => (error ? reject(error) : resolve(body)));
    });
  /** The next messages, once the broker has the subscription. */
  async function follow(client: Client, headers: Record<string, string>) {
    const messages: Message[] = [];
    let wake = () => undefined as unknown;
    client.subscribe(headers, (error, message) => {
      if (error) return;
      messages.push(message);
      wake();
    });
    await expect
      .poll(async () => (await api('GET', '/clients')).body.data.map((one) => one.subscriptions_cnt))
      .toContain(1);
    return async () => {
      while (messages.length === 0)
        await new Promise<void>((resolve) => {
          wake = resolve as () => undefined;
        });
      return messages.shift()!;
    };
  }

  test('sends to an MQTT subscriber and hears an MQTT publisher', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('room/#', { qos: 1 });
    const device = await dial({ login: 'dev', passcode: 'pass' });
    const next = await follow(device, { destination: 'to/device/+', ack: 'client-individual' });

    const receipt = new Promise<void>((resolve) => {
      const frame = device.send({ destination: 'room/1' }, { onReceipt: resolve });
      frame.end('21.5');
    });
    const message = await screen.expectMessage('21.5');
    expect(message).toMatchObject({ topic: 'room/1', qos: 1 });
    await receipt;

    await screen.publish('to/device/7', 'on', { qos: 1 });
    const heard = await next();
    expect(heard.headers.destination).toBe('to/device/7');
    expect(await textOf(heard)).toBe('on');
    device.ack(heard);
    await new Promise((resolve) => device.disconnect(resolve));
    await expect.poll(async () => (await api('GET', '/clients')).body.data).toEqual([]);
  });

  test('headers of its own are user properties of MQTT 5, and those of an MQTT publisher are headers', async () => {
    const screen = await broker.client('screen', { version: 5 });
    await screen.subscribe('room/#');
    const device = await dial();
    const next = await follow(device, { destination: 'to/device' });
    const headers = { destination: 'room/1', 'content-type': 'text/plain', unit: '°C', 'a:b\\': 'x\ny' };
    device.send(headers).end('21.5');
    const { properties } = await screen.expectMessage('21.5');
    expect(properties.contentType).toBe('text/plain');
    expect(properties.userProperty).toEqual([
      ['unit', '°C'],
      ['a:b\\', 'x\ny'],
    ]);

    const userProperty: [string, string][] = [
      ['unit', 'K'],
      ['a:b\\', 'x\ny'],
      ['destination', 'elsewhere'],
      ['content-length', '1'],
      ['message-id', '7'],
      ['content-type', 'text/html'],
      ['unit', 'second'],
    ];
    await screen.publish('to/device', 'on', { properties: { contentType: 'text/css', userProperty } });
    const heard = await next();
    expect(heard.headers).toMatchObject({
      destination: 'to/device',
      'content-type': 'text/css',
      'content-length': 2,
      'message-id': '1',
      unit: 'K',
      'a:b\\': 'x\ny',
    });
    expect(await textOf(heard)).toBe('on');
  });

  test('a transaction is heard of when it is committed, and never when it is aborted', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('tx/#', { qos: 1 });
    const device = await dial();
    const aborted = device.begin();
    aborted.send({ destination: 'tx/1' }).end('never');
    await new Promise<void>((resolve) => aborted.abort({ onReceipt: resolve }));
    const kept = device.begin();
    kept.send({ destination: 'tx/1' }).end('one');
    kept.send({ destination: 'tx/1' }).end('two');
    await screen.expectNothing();
    await new Promise<void>((resolve) => kept.commit({ onReceipt: resolve }));
    expect(await screen.expectMessages(2)).toEqual(['one', 'two']);
    await screen.expectNothing();
  });
});

describe('@stomp/stompjs', () => {
  /** The client speaks WebSocket; this is as much of one as it needs, over TCP. */
  class TcpSocket {
    static readonly OPEN = 1;
    readonly url = '';
    binaryType = 'arraybuffer';
    readyState = 0;
    onopen: ((event: object) => void) | null = null;
    onmessage: ((event: { data: ArrayBuffer }) => void) | null = null;
    onclose: ((event: object) => void) | null = null;
    onerror: ((event: object) => void) | null = null;
    private readonly socket = dialTcp(port, '127.0.0.1');

    constructor() {
      this.socket.on('connect', () => {
        this.readyState = 1;
        this.onopen?.({});
      });
      this.socket.on('data', (bytes) => this.onmessage?.({ data: Uint8Array.from(bytes).buffer }));
      this.socket.on('error', () => undefined);
      this.socket.on('close', () => {
        this.readyState = 3;
        this.onclose?.({ code: 1000, reason: '', wasClean: true });
      });
    }

    send(data: string | ArrayBuffer): void {
      this.socket.write(typeof data === 'string' ? data : Buffer.from(data));
    }

    close(): void {
      this.socket.end();
    }
  }

  async function dial(connectHeaders: StompHeaders = {}, beatMs = 0, debug = (_: string): void => undefined) {
    const client = new StompJs({
      webSocketFactory: () => new TcpSocket() as never,
      connectHeaders,
      reconnectDelay: 0,
      heartbeatIncoming: beatMs,
      heartbeatOutgoing: beatMs,
      debug,
    });
    const errors: string[] = [];
    client.onStompError = (frame) => errors.push(`${frame.headers.message}`);
    const connected = new Promise<void>((resolve, reject) => {
      client.onConnect = () => resolve();
      client.onWebSocketClose = () => reject(new Error(errors[0] ?? 'closed'));
    });
    client.activate();
    ends.push(() => client.deactivate({ force: true }));
    await connected;
    return { client, errors };
  }

  test('sends and hears, text with any characters and bytes with NUL', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('up');
    const { client } = await dial();
    expect(client.connectedVersion).toBe('1.2');
    const heard: IMessage[] = [];
    const arrived = (count: number) => expect.poll(() => heard.length).toBe(count);
    const watched = new Promise<void>((resolve) => client.watchForReceipt('r1', () => resolve()));
    client.subscribe('down/:x\\y', (message) => heard.push(message), { receipt: 'r1' });
    await watched;

    client.publish({ destination: 'up', body: 'grüß 你好' });
    await screen.expectMessage('grüß 你好');
    client.publish({ destination: 'up', binaryBody: new Uint8Array([1, 0, 2]) });
    expect([...(await screen.expectMessage()).payload]).toEqual([1, 0, 2]);

    await screen.publish('down/:x\\y', 'é\0z');
    await arrived(1);
    expect(heard[0]!.body).toBe('é\0z');
    expect(heard[0]!.headers.destination).toBe('down/:x\\y');
  });

  test('says and hears headers of its own, whatever is in them', async () => {
    const screen = await broker.client('screen', { version: 5 });
    await screen.subscribe('up');
    const { client } = await dial();
    const heard: IMessage[] = [];
    const watched = new Promise<void>((resolve) => client.watchForReceipt('r1', () => resolve()));
    client.subscribe('down', (message) => heard.push(message), { receipt: 'r1' });
    await watched;
    const own = { 'trace-id': 'a\\b:c\r\nd', note: '你好' };
    client.publish({ destination: 'up', body: 'x', headers: { ...own, 'content-type': 'text/plain' } });
    const { properties } = await screen.expectMessage('x');
    expect(properties.contentType).toBe('text/plain');
    expect(properties.userProperty).toEqual(Object.entries(own));
    await screen.publish('down', 'y', { properties: { userProperty: Object.entries(own) } });
    await expect.poll(() => heard.length).toBe(1);
    expect(heard[0]!.headers).toMatchObject({ ...own, destination: 'down' });
  });

  test('is let in only with the password of its user', async () => {
    const hash = { name: 'sha256', salt_position: 'suffix' };
    const authenticator = {
      mechanism: 'password_based',
      backend: 'built_in_database',
      user_id_type: 'username',
      password_hash_algorithm: hash,
    };
    expect((await api('POST', '/authentication', authenticator)).status).toBe(201);
    expect((await api('POST', '/authentication/users', { user_id: 'gu', password: 'gp' })).status).toBe(201);
    await expect(dial({ login: 'gu', passcode: 'wrong' })).rejects.toThrow('bad_username_or_password');
    await expect(dial({})).rejects.toThrow('Login Failed');
    await dial({ login: 'gu', passcode: 'gp' });
    expect((await api('GET', '/clients?username=gu')).body.data).toHaveLength(1);

    // The chain of the gateway is its own: who speaks MQTT is not asked
    await broker.client('mqtt');
    expect((await api('DELETE', '/authentication')).status).toBe(204);
    await dial({});
  });

  test('keeps its heart beating both ways', async () => {
    let beats = 0;
    const { client } = await dial({}, 200, (text) => {
      if (text === '<<< PONG') beats++;
    });
    await expect.poll(() => beats, { timeout: 10_000 }).toBeGreaterThan(2);
    expect(client.connected).toBe(true);
    expect((await api('GET', '/clients')).body.data).toHaveLength(1);
  });
});

describe('a connection', () => {
  test.each([
    ['1.0,1.1,1.2', '1.2'],
    ['1.0,1.1', '1.1'],
    ['', '1.0'],
  ])('that speaks "%s" is answered in %s', async (accepted, version) => {
    const made = new Wire();
    made.send('CONNECT', { ...(accepted && { 'accept-version': accepted }), login: 'a' });
    expect((await made.expect('CONNECTED')).headers.version).toBe(version);
  });

  test('of version 1.0, which has no escapes, is told only headers that it can read', async () => {
    const old = new Wire();
    old.send('CONNECT', { login: 'a' });
    await old.expect('CONNECTED');
    old.send('SUBSCRIBE', { destination: 'down', receipt: 'r' });
    await old.expect('RECEIPT');
    const screen = await broker.client('screen', { version: 5 });
    const userProperty: [string, string][] = [
      ['a:b', '1'],
      ['two\nlines', '2'],
      ['', '3'],
      ['plain', 'x\ny:z'],
    ];
    await screen.publish('down', 'on', { properties: { userProperty } });
    const { headers, body } = await old.expect('MESSAGE');
    expect(headers).toEqual({ destination: 'down', 'message-id': '1', 'content-length': '2', plain: 'xy:z' });
    expect(body).toBe('on');
  });

  test('that says a header which MQTT cannot carry is told so', async () => {
    const device = await wire();
    device.send('SEND', { destination: 'up', long: 'x'.repeat(10) });
    device.send('SEND', { destination: 'up', bad: 'a\0b' });
    await device.expect('ERROR');
  });

  test('of no version that is known is told which are', async () => {
    const made = new Wire();
    made.send('STOMP', { 'accept-version': '2.0' });
    expect((await made.expect('ERROR')).headers.version).toBe('1.0,1.1,1.2');
    await made.until(() => made.closed);
  });

  test('that says something else first, nonsense, or too much ends with ERROR', async () => {
    for (const bytes of [
      'SEND\ndestination:a\n\nx\0',
      'GET / HTTP/1.1\r\n\r\n',
      `CONNECT\n${'a:b\n'.repeat(11)}\n\0`,
      `CONNECT\nkey:${'x'.repeat(2000)}`,
      '\x16\x03\x01\x02\n',
    ]) {
      const made = new Wire();
      made.socket.write(bytes, 'latin1');
      await made.expect('ERROR');
      await made.until(() => made.closed);
    }
    await wire(); // the others are let in all the same
  });

  test('that says nothing is ended after the idle time', async () => {
    await api('PUT', '', { idle_timeout: '300ms' });
    const made = new Wire();
    await made.until(() => made.closed);
  });

  test('whose heart stops is ended, and its device is gone', async () => {
    const made = await wire({ 'heart-beat': '150,0' });
    expect((await made.expect('ERROR')).body).toContain('nothing was heard');
    await made.until(() => made.closed);
    expect((await api('GET', '/clients')).body.data).toEqual([]);
  });

  test('that is kicked is told so', async () => {
    const made = await wire({ 'client-id': 'lamp' });
    expect((await api('DELETE', '/clients/lamp')).status).toBe(204);
    expect((await made.expect('ERROR')).body).toContain('operator');
    await made.until(() => made.closed);
    expect((await api('GET', '/clients/lamp')).status).toBe(404);
    expect((await api('DELETE', '/clients/lamp')).status).toBe(404);
  });

  test('takes the place of another of the same name', async () => {
    const first = await wire({ 'client-id': 'lamp' });
    await wire({ 'client-id': 'lamp' });
    expect((await first.expect('ERROR')).body).toContain('another connection');
    expect((await api('GET', '/clients')).body.data).toHaveLength(1);
  });

  test('is refused when its device is banned, and ended when the ban comes later', async () => {
    const lamp = await wire({ 'client-id': 'lamp' });
    await broker.inject('POST', '/banned', { body: { as: 'clientid', who: 'lamp' } });
    await lamp.expect('ERROR');
    const again = new Wire();
    again.send('CONNECT', { 'accept-version': '1.2', 'client-id': 'lamp' });
    expect((await again.expect('ERROR')).body).toBe('Login Failed: banned');
  });
});

describe('subscriptions', () => {
  test('acknowledge each, or all up to one', async () => {
    const device = await wire({ 'client-id': 'lamp' });
    const acked: string[] = [];
    broker.core.hooks.on('message.acked', (_, message) =>
      acked.push(Buffer.from(message.payload).toString()),
    );
    device.send('SUBSCRIBE', { id: '1', destination: 'each', ack: 'client-individual', receipt: 'a' });
    device.send('SUBSCRIBE', { id: '2', destination: 'all', ack: 'client', receipt: 'b' });
    await device.expect('RECEIPT');
    await device.expect('RECEIPT');
    const screen = await broker.client('screen');
    for (const text of ['e1', 'e2']) await screen.publish('each', text, { qos: 1 });
    for (const text of ['a1', 'a2', 'a3']) await screen.publish('all', text, { qos: 1 });
    const got: { headers: Record<string, string>; body: string }[] = [];
    for (let i = 0; i < 5; i++) got.push(await device.expect('MESSAGE'));
    const idOf = (text: string) => got.find(({ body }) => body === text)!.headers.ack!;
    device.send('ACK', { id: idOf('e2') });
    device.send('ACK', { id: idOf('a2') });
    device.send('NACK', { id: idOf('e1') });
    device.send('ACK', { id: 'unknown', receipt: 'done' });
    await device.expect('RECEIPT');
    expect(acked).toEqual(['e2', 'a1', 'a2']);
  });

  test('of 1.1 and 1.0 acknowledge by message-id; 1.0 needs no id', async () => {
    const acked: string[] = [];
    broker.core.hooks.on('message.acked', (_, message) =>
      acked.push(Buffer.from(message.payload).toString()),
    );
    const screen = await broker.client('screen');
    for (const version of ['1.0', '1.1']) {
      const device = await wire({ 'accept-version': version });
      const id: Record<string, string> = version === '1.0' ? {} : { id: '5' };
      device.send('SUBSCRIBE', { ...id, destination: version, ack: 'client', receipt: 'r' });
      await device.expect('RECEIPT');
      await screen.publish(version, version);
      const { headers } = await device.expect('MESSAGE');
      expect(headers.subscription).toBe(version === '1.0' ? undefined : '5');
      const subscription: Record<string, string> = version === '1.0' ? {} : { subscription: '5' };
      device.send('ACK', { 'message-id': headers['message-id']!, ...subscription, receipt: 'k' });
      await device.expect('RECEIPT');
    }
    expect(acked).toEqual(['1.0', '1.1']);
  });

  test('get what is retained, share, and end', async () => {
    const screen = await broker.client('screen');
    await screen.publish('kept/1', 'old', { retain: true, qos: 1 });
    const one = await wire();
    one.send('SUBSCRIBE', { id: '1', destination: 'kept/+' });
    expect((await one.expect('MESSAGE')).body).toBe('old');

    const two = await wire();
    for (const device of [one, two]) {
      device.send('SUBSCRIBE', { id: 's', destination: '$share/g/work', receipt: 'r' });
      await device.expect('RECEIPT');
    }
    for (const text of ['1', '2', '3', '4']) await screen.publish('work', text, { qos: 1 });
    for (const device of [one, two]) {
      await device.expect('MESSAGE');
      await device.expect('MESSAGE');
    }
    one.send('UNSUBSCRIBE', { id: '1', receipt: 'u' });
    await one.expect('RECEIPT');
    await screen.publish('kept/1', 'new', { qos: 1 });
    one.send('UNSUBSCRIBE', { id: 'nobody' });
    expect((await one.expect('ERROR')).body).toContain('no subscription');
    expect(one.frames).toEqual([]);
  });

  test('are what an operator makes of them too', async () => {
    const device = await wire({ 'client-id': 'lamp' });
    const path = '/clients/lamp/subscriptions';
    expect((await api('POST', path, { topic: 'by/api' })).body.message).toBe('no_subid');
    const made = await api('POST', path, { topic: 'by/api', qos: 1, sub_props: { subid: '9' } });
    expect(made).toMatchObject({ status: 201, body: { topic: 'by/api', qos: 1, sub_props: { subid: '9' } } });
    const screen = await broker.client('screen');
    await screen.publish('by/api', 'x', { qos: 1 });
    expect((await device.expect('MESSAGE')).headers.subscription).toBe('9');
    expect((await api('DELETE', `${path}/by%2Fapi`)).status).toBe(204);
    expect((await broker.inject<unknown[]>('GET', `/gateways/stomp${path}`)).body).toEqual([]);
    await screen.publish('by/api', 'y', { qos: 1 });
    device.send('SEND', { destination: 'a', receipt: 'end' }, 'x');
    await device.expect('RECEIPT');
    expect(device.frames).toEqual([]);
  });
});

describe('the broker decides', () => {
  test('what a device may publish and hear: a refusal ends the connection, what is allowed goes on', async () => {
    const rules = '{deny, all, all, ["secret/#"]}.\n{allow, all}.';
    const { status } = await broker.inject('PUT', '/authorization/sources/file', {
      body: { type: 'file', enable: true, rules },
    });
    expect(status).toBe(204);
    const screen = await broker.client('screen');
    await screen.subscribe('#');
    const device = await wire();
    device.send('SEND', { destination: 'open/1', receipt: 'ok' }, 'x');
    await device.expect('RECEIPT');
    device.send('SEND', { destination: 'secret/1', receipt: 'no' }, 'x');
    const error = await device.expect('ERROR');
    expect(error.headers['receipt-id']).toBe('no');
    expect(error.body).toContain('not_authorized');
    await screen.expectMessage('x');
    await screen.expectNothing();
    const other = await wire();
    other.send('SUBSCRIBE', { id: '1', destination: 'secret/#' });
    expect((await other.expect('ERROR')).body).toContain('not_authorized');
  });

  test('a mountpoint goes before all topics of a device, which does not see it', async () => {
    expect((await api('PUT', '', { mountpoint: 'st/${username}/' })).status).toBe(204);
    const screen = await broker.client('screen');
    await screen.subscribe('st/#');
    const device = await wire({ login: 'dev', 'client-id': 'lamp' });
    device.send('SUBSCRIBE', { id: '1', destination: 'down', receipt: 'r' });
    await device.expect('RECEIPT');
    device.send('SEND', { destination: 'up' }, 'x');
    expect((await screen.expectMessage('x')).topic).toBe('st/dev/up');
    await screen.publish('st/dev/down', 'y');
    expect((await device.expect('MESSAGE')).headers.destination).toBe('down');
    expect(
      (await broker.inject<object[]>('GET', '/gateways/stomp/clients/lamp/subscriptions')).body,
    ).toMatchObject([{ topic: 'st/dev/down' }]);
    const liar = new Wire();
    liar.send('CONNECT', { 'accept-version': '1.2', login: '+' });
    expect((await liar.expect('ERROR')).body).toContain('bad_username_or_password');
  });

  test('a device is in its gateway, and nowhere among those who speak MQTT', async () => {
    await wire({ 'client-id': 'lamp' });
    expect((await broker.inject('GET', '/clients/lamp')).status).toBe(404);
    expect((await broker.inject<{ data: object[] }>('GET', '/clients')).body.data).toEqual([]);
    const twin = await broker.client('lamp');
    await twin.ping();
    expect((await api('GET', '/clients')).body.data).toHaveLength(1);
  });
});

describe('who does not keep up', () => {
  test('loses the oldest messages beyond a bound, which are counted', async () => {
    const device = await wire({ 'client-id': 'lamp' });
    device.send('SUBSCRIBE', { id: '1', destination: 'flood', ack: 'client-individual', receipt: 'r' });
    await device.expect('RECEIPT');
    const screen = await broker.client('screen');
    const count = 2500; // 1000 in the window, 1000 that wait
    for (let i = 0; i < count; i++) screen.sendPublish('flood', String(i));
    await screen.ping();
    await device.until(() => device.frames.length === 1000);
    const { body } = await broker.inject<{ mqueue_dropped: number }>('GET', '/gateways/stomp/clients/lamp');
    expect(body.mqueue_dropped).toBe(500);
    for (let i = 0; i < 1000; i++) {
      const { headers } = await device.expect('MESSAGE');
      device.send('ACK', { id: headers.ack! });
    }
    expect((await device.expect('MESSAGE')).body).toBe('1500');
  });

  test('many SENDs at once all arrive, in their order', async () => {
    const screen = await broker.client('screen');
    await screen.subscribe('up');
    const device = await wire();
    const count = 5000;
    let text = '';
    for (let i = 0; i < count; i++) text += `SEND\ndestination:up\n\n${i}\0`;
    device.socket.write(text);
    expect(await screen.expectMessages(count)).toEqual(Array.from({ length: count }, (_, i) => String(i)));
  });
});
