import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Listener, ListenerItem, ListenersOfType } from '@mqdeck/contract/listeners';
import mqtt, { type IClientOptions, type IDisconnectPacket, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { BrokerOptions } from '../../broker.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

const patience = { timeout: 10_000 }; // of a busy machine
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: Partial<BrokerOptions> = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  ends.push(() => broker.close());
  return broker;
}

function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'listeners-'));
  ends.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}

const ANY = '127.0.0.1:0';
const portOf = ({ bind }: { bind: string }) => Number(/\d+$/.exec(bind)![0]);

async function create(broker: TestBroker, name: string, more: object = {}): Promise<Listener> {
  const body = { type: 'tcp', name, bind: ANY, ...more };
  const answer = await broker.inject<Listener>('POST', '/listeners', { body });
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}
const get = async (broker: TestBroker, id: string) =>
  (await broker.inject<Listener>('GET', `/listeners/${id}`)).body;
const put = (broker: TestBroker, id: string, body: object) =>
  broker.inject<Listener>('PUT', `/listeners/${id}`, { body: { type: id.split(':')[0], ...body } });
const errorOf = async (broker: TestBroker, body: object) => {
  const answer = await broker.inject<{ code: string; message: string }>('POST', '/listeners', { body });
  return { status: answer.status, ...answer.body };
};

/** A client of another make, over a real socket. */
async function connect(listener: { bind: string }, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${portOf(listener)}`, {
    reconnectPeriod: 0,
    protocolVersion: 5,
    ...options,
  });
  ends.push(() => client.endAsync(true));
  return client;
}
/** Whether it gets in: what comes first, a CONNACK that says yes or the end. */
const refused = async (listener: { bind: string }, options: IClientOptions = {}): Promise<void> => {
  const client = mqtt.connect(`mqtt://127.0.0.1:${portOf(listener)}`, {
    reconnectPeriod: 0,
    protocolVersion: 5,
    ...options,
  });
  ends.push(() => client.endAsync(true));
  const connected = await new Promise<boolean>((resolve) => {
    client.on('connect', () => resolve(true));
    client.on('error', () => resolve(false));
    client.on('close', () => resolve(false));
  });
  expect(connected).toBe(false);
};
const told = (client: MqttClient): Promise<number | undefined> =>
  new Promise((resolve) =>
    client.on('disconnect', ({ reasonCode }: IDisconnectPacket) => resolve(reasonCode)),
  );

/** A port that somebody else uses, until the end of the test. */
async function takenPort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return (server.address() as AddressInfo).port;
}
/** Below those that the system gives away by itself. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer().listen(port, '127.0.0.1');
    const [event] = await Promise.race([
      once(server, 'listening').then(() => ['free']),
      once(server, 'error'),
    ]);
    if (event !== 'free') continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

describe('listeners by API', () => {
  let broker: TestBroker;
  beforeEach(async () => {
    broker = await start({ tcp: 0 });
  });

  test('those of the command line are there, in order, off where it says so', async () => {
    const { body } = await broker.inject<ListenerItem[]>('GET', '/listeners');
    expect(body.map(({ id, enable, status }) => [id, enable, status.running])).toEqual([
      ['ssl:default', false, false],
      ['tcp:default', true, true],
      ['ws:default', false, false],
      ['wss:default', false, false],
    ]);
    expect(portOf(body[1]!)).toBe(broker.addresses.tcp);
    expect(await get(broker, 'tcp%3Adefault')).toMatchObject({ id: 'tcp:default', acceptors: 16 });
  });

  test('one is made, serves, is stopped, started, restarted and deleted, and others never feel it', async () => {
    const other = await connect(await get(broker, 'tcp:default'), { clientId: 'other' });
    const stays = vi.fn();
    other.on('close', stays);
    const made = await create(broker, 'second', { max_connections: 7 });
    expect(made).toMatchObject({ id: 'tcp:second', running: true, enable: true, max_connections: 7 });
    const act = (verb: string) => broker.inject('POST', `/listeners/tcp:second/${verb}`);

    let client = await connect(made, { clientId: 'a' });
    expect(await get(broker, 'tcp:second')).toMatchObject({ current_connections: 1 });
    const status = (await broker.inject<ListenersOfType[]>('GET', '/listeners_status')).body;
    expect(status.find(({ type }) => type === 'tcp')).toMatchObject({
      ids: ['tcp:default', 'tcp:second'],
      status: { current_connections: 2, max_connections: 'infinity', running: true },
    });

    const stopped = told(client);
    expect(await act('stop')).toMatchObject({ status: 200, body: undefined });
    expect(await stopped).toBe(0x8b);
    expect(await get(broker, 'tcp:second')).toMatchObject({ running: false, enable: false });
    expect((await act('stop')).status).toBe(200); // twice is no error
    await refused(made);

    expect((await act('start')).status).toBe(200);
    expect((await act('start')).status).toBe(200);
    client = await connect(await get(broker, 'tcp:second'), { clientId: 'a' });
    const restarted = told(client);
    expect((await act('restart')).status).toBe(200);
    expect(await restarted).toBe(0x8b);

    const last = await get(broker, 'tcp:second');
    client = await connect(last, { clientId: 'a' });
    const deleted = told(client);
    expect((await broker.inject('DELETE', '/listeners/tcp:second')).status).toBe(204);
    expect(await deleted).toBe(0x8b);
    await refused(last);
    expect(stays).not.toHaveBeenCalled();
    await other.publishAsync('t', 'x', { qos: 1 });
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', ''],
      ['POST', '/start'],
      ['POST', '/stop'],
      ['POST', '/restart'],
    ] as const)
      expect(await broker.inject(method, `/listeners/tcp:second${path}`)).toMatchObject({
        status: 404,
        body: { code: 'BAD_LISTENER_ID' },
      });
    expect(await put(broker, 'tcp:second', {})).toMatchObject({ status: 404 });
  });

  test('what is changed holds at once, and connections stay', async () => {
    const made = await create(broker, 'a');
    const client = await connect(made, { clientId: 'stays' });
    const gone = vi.fn();
    client.on('close', gone);
    const shown = await get(broker, 'tcp:a');
    const whole = { ...shown, max_connections: 1, mountpoint: 'x/', access_rules: ['allow all'] };
    expect(await put(broker, 'tcp:a', whole)).toMatchObject({
      status: 200,
      body: { max_connections: 1, mountpoint: 'x/', bind: made.bind },
    });
    await refused(made); // one is there
    expect(
      await put(broker, 'tcp:a', { tcp_options: { backlog: 5 }, max_connections: 'infinity' }),
    ).toMatchObject({
      body: { tcp_options: { backlog: 5, nodelay: true }, mountpoint: 'x/', bind: made.bind },
    });
    await connect(made);
    await client.publishAsync('t', 'x', { qos: 1 });
    expect(gone).not.toHaveBeenCalled();
  });

  test('another address: the old one is closed and its clients are told', async () => {
    const made = await create(broker, 'a');
    const client = await connect(made);
    const gone = told(client);
    const bind = `127.0.0.1:${await freePort()}`;
    expect((await put(broker, 'tcp:a', { bind })).body.bind).toBe(bind);
    expect(await gone).toBe(0x8b);
    await refused(made);
    await connect({ bind });
    // The same port elsewhere cannot be opened before the old one is closed
    const wide = { bind: bind.replace('127.0.0.1', '0.0.0.0') };
    expect((await put(broker, 'tcp:a', wide)).body).toMatchObject({ ...wide, running: true });
    await connect(wide);
  });

  test('an address that cannot be had changes nothing', async () => {
    const made = await create(broker, 'a');
    const client = await connect(made);
    const taken = `127.0.0.1:${await takenPort()}`;
    for (const bind of [
      taken,
      '203.0.113.7:0',
      `no-such-host.invalid:${portOf(made)}`,
      `203.0.113.7:${portOf(made)}`,
    ]) {
      const answer = await put(broker, 'tcp:a', { bind, max_connections: 3 });
      expect(answer, bind).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
      expect(JSON.stringify(answer.body)).toMatch(
        /cannot listen on .*: (another program|this machine|nobody)/,
      );
      expect(await get(broker, 'tcp:a')).toMatchObject({
        bind: made.bind,
        running: true,
        max_connections: 'infinity',
      });
    }
    await client.publishAsync('t', 'x', { qos: 1 });
    await connect(made);
    expect(await errorOf(broker, { type: 'tcp', name: 'b', bind: taken })).toMatchObject({ status: 400 });
    expect((await broker.inject('GET', '/listeners/tcp:b')).status).toBe(404);
    expect(broker.settings.get('listeners').tcp).not.toHaveProperty('b');
  });

  test('what cannot be is refused with the place of the fault', async () => {
    const faults: [object, string][] = [
      [{ type: 'quic' }, 'QUIC is not available'],
      [{ type: 'udp' }, 'not_a_enum_symbol'],
      [{ bind: '127.0.0.1:70000' }, 'bad_ip_port'],
      [{ bind: 'here' }, 'bad_port_number'],
      [{ bind: '256.1.1.1:1' }, 'bad_ip_port'],
      [{ bind: -1 }, 'bad_port_number'],
      [{ acceptors: 0 }, 'pos_integer()'],
      [{ max_connections: 0 }, 'pos_integer()'],
      [{ max_connections: 'many' }, 'pos_integer()'],
      [{ access_rules: ['maybe'] }, 'invalid_rule(s): maybe'],
      [{ access_rules: ['allow 10.0.0.0/33'] }, 'invalid_rule(s)'],
      [{ max_conn_rate: 'fast' }, 'fast'],
      [{ messages_rate: '0/s' }, '0/s'],
      [{ proxy_protocol_timeout: 'soon' }, 'Not a valid duration'],
      [{ mountpoint: 'a/+/' }, 'invalid_mountpoint'],
      [{ mountpoint: '$share/g/' }, 'invalid_mountpoint'],
      [{ enable_authn: 'perhaps' }, 'not_a_enum_symbol'],
      [{ tcp_options: { keepalive: 'yes' } }, 'invalid_keepalive'],
      [{ foo: 1 }, 'unknown_fields'],
      [{ websocket: {} }, 'unknown_fields'],
      [{ type: 'ws', websocket: { mqtt_path: 'mqtt' } }, 'invalid_path'],
      [{ type: 'ws', websocket: { deflate_opts: { mem_level: 10 } } }, '1..9'],
      [{ type: 'ssl', ssl_options: { versions: [] } }, 'required_field'],
      [{ type: 'ssl', ssl_options: { versions: ['sslv3'] } }, 'not_a_enum_symbol'],
      [{ type: 'ssl', ssl_options: { enable_crl_check: true } }, 'revocation lists is not available'],
      [{ type: 'ssl', ssl_options: { ocsp: { enable_ocsp_stapling: true } } }, 'stapling is not available'],
    ];
    for (const [fault, reason] of faults) {
      const { status, code, message } = await errorOf(broker, {
        type: 'tcp',
        name: 'a',
        bind: ANY,
        ...fault,
      });
      expect([status, code], JSON.stringify(fault)).toEqual([400, 'BAD_REQUEST']);
      expect(message).toContain(reason);
    }
    await create(broker, 'a');
    expect(await errorOf(broker, { type: 'tcp', name: 'a', bind: ANY })).toMatchObject({
      status: 400,
      code: 'BAD_LISTENER_ID',
    });
    expect(await put(broker, 'tcp:a', { id: 'tcp:b' })).toMatchObject({ body: { code: 'BAD_LISTENER_ID' } });
    expect(await put(broker, 'tcp:a', { type: 'ws' })).toMatchObject({ body: { code: 'BAD_LISTENER_ID' } });
    expect(await put(broker, 'tcp:a', { name: 'a' })).toMatchObject({ status: 400 });
  });

  test.each(['__proto__', 'a b', 'a/b', '..', 'größe', '-a', '_a', '', 'a:b', 'x'.repeat(300), 'a\0'])(
    'a name %j is none, wherever it is written',
    async (name) => {
      expect(await errorOf(broker, { type: 'tcp', name, bind: ANY })).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
      });
      const id = encodeURIComponent(`tcp:${name}`);
      for (const method of ['GET', 'DELETE'] as const)
        expect(await broker.inject(method, `/listeners/${id}`)).toMatchObject({
          status: 400,
          body: { code: 'BAD_REQUEST' },
        });
      expect((await put(broker, id, { type: 'tcp' })).status).toBe(400);
    },
  );

  test('a name that JavaScript knows is a name as any other', async () => {
    await create(broker, 'constructor');
    await create(broker, 'toString');
    expect(await get(broker, 'tcp:constructor')).toMatchObject({ running: true });
    expect((await broker.inject('DELETE', '/listeners/tcp:constructor')).status).toBe(204);
    expect(await get(broker, 'tcp:toString')).toMatchObject({ running: true });
  });

  test('by the id of the path, a bind as number or `:port`, and a port that happens to be free', async () => {
    const port = await freePort();
    const answer = await broker.inject<Listener>('POST', '/listeners/tcp:a', {
      body: { type: 'tcp', bind: port },
    });
    expect(answer.body).toMatchObject({ bind: `:${port}`, running: true });
    await connect({ bind: `:${port}` });
    const made = await create(broker, 'b', { bind: '[::1]:0' }).catch(() => null);
    if (made) expect(made.bind).toMatch(/^\[::1\]:\d+$/);
    const free = await create(broker, 'c', { bind: 'localhost:0' });
    expect(portOf(free)).toBeGreaterThan(0);
    const client = await connect(free);
    // What the answer shows may be sent back
    expect((await put(broker, 'tcp:c', free)).body.bind).toBe(free.bind);
    await client.publishAsync('t', 'x', { qos: 1 });
  });

  test('many changes at once come one after the other', async () => {
    await create(broker, 'a');
    const verbs = Array.from({ length: 20 }, (_, i) => (i % 2 ? 'start' : 'stop'));
    const answers = await Promise.all(verbs.map((verb) => broker.inject('POST', `/listeners/tcp:a/${verb}`)));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(await get(broker, 'tcp:a')).toMatchObject({ running: true, enable: true });
  });
});

describe('a listener that is deleted', () => {
  test('takes its authenticators with it', async () => {
    const broker = await start();
    const made = await create(broker, 'a');
    const at = '/listeners/tcp:a/authentication';
    const config = {
      mechanism: 'password_based',
      backend: 'built_in_database',
      password_hash_algorithm: { name: 'sha256' },
    };
    expect((await broker.inject('POST', at, { body: config })).status).toBe(200);
    await broker.inject('POST', `${at}/password_based%3Abuilt_in_database/users`, {
      body: { user_id: 'ada', password: 'secret-1' },
    });
    await connect(made, { username: 'ada', password: 'secret-1' });
    await refused(made);
    await broker.inject('DELETE', '/listeners/tcp:a');
    expect(broker.settings.get('authentication').listeners).toEqual({});
    const again = await create(broker, 'a');
    await connect(again);
    expect((await broker.inject<unknown[]>('GET', at)).body).toEqual([]);
    await broker.inject('POST', at, { body: config });
    await refused(again, { username: 'ada', password: 'secret-1' });
  });
});

describe('after a restart', () => {
  test('all is as it was: what was stopped stays so, what was deleted is gone', async () => {
    const dataDir = folder();
    const first = await start({ dataDir, tcp: 0, ws: 0 });
    const made = await create(first, 'a', { mountpoint: 'mp/', max_connections: 9, bind: await freePort() });
    await create(first, 'off');
    await first.inject('POST', '/listeners/tcp:off/stop');
    await first.inject('DELETE', '/listeners/ws:default');
    await put(first, 'tcp:default', { max_connections: 3 });
    const before = (await first.inject<ListenerItem[]>('GET', '/listeners')).body;
    await first.close();
    const { listeners } = JSON.parse(readFileSync(join(dataDir, 'settings.json'), 'utf8')) as {
      listeners: unknown;
    };
    expect(listeners).toEqual({
      tcp: {
        a: { bind: made.bind, max_connections: 9, mountpoint: 'mp/' },
        off: { bind: ANY, enable: false },
        default: { max_connections: 3 },
      },
      ws: { default: null },
    });

    const port = await freePort();
    const again = await start({ dataDir, tcp: port, ws: 0 });
    const after = (await again.inject<ListenerItem[]>('GET', '/listeners')).body;
    expect(after.map(({ id, enable }) => [id, enable])).toEqual(before.map(({ id, enable }) => [id, enable]));
    expect(again.addresses).toMatchObject({ tcp: port, ws: null }); // what the command line says of it still holds
    expect(await get(again, 'tcp:default')).toMatchObject({ max_connections: 3 });
    expect(await get(again, 'tcp:a')).toMatchObject({ mountpoint: 'mp/', running: true, bind: made.bind });
    const recreated = await again.inject<Listener>('POST', '/listeners', {
      body: { type: 'ws', name: 'default', bind: ANY },
    });
    expect(recreated.body).toMatchObject({ running: true });
  });

  test('a port in use: that of the command line ends the start, that of the settings raises an alarm', async () => {
    const dataDir = folder();
    const first = await start({ dataDir, tcp: 0 });
    const port = await freePort();
    const made = await create(first, 'a', { bind: `127.0.0.1:${port}` });
    await first.close();
    const squatter = createServer().listen(port, '127.0.0.1');
    await once(squatter, 'listening');
    ends.push(() => squatter.close());

    await expect(startTestBroker({ dataDir, tcp: port })).rejects.toThrow(
      `The listener tcp:default cannot listen on 127.0.0.1:${port}: another program uses this port`,
    );
    const again = await start({ dataDir, tcp: 0 });
    await connect(await get(again, 'tcp:default'));
    expect(await get(again, 'tcp:a')).toMatchObject({
      running: false,
      enable: true,
      bind: made.bind,
      failure: `The listener tcp:a cannot listen on ${made.bind}: another program uses this port`,
    });
    const alarms = async (broker: TestBroker) =>
      (await broker.inject<{ data: { name: string }[] }>('GET', '/alarms')).body.data.map(({ name }) => name);
    expect(await alarms(again)).toEqual(['listener_down:tcp:a']);
    expect((await again.inject('POST', '/listeners/tcp:a/start')).status).toBe(400);
    // Somebody edits the file while the broker is down: the alarm ends with its listener
    await again.close();
    const file = join(dataDir, 'settings.json');
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replaceAll('"a"', '"b"'));
    const third = await start({ dataDir, tcp: 0 });
    expect(await alarms(third)).toEqual(['listener_down:tcp:b']);
    await third.close();
    writeFileSync(file, text);
    const last = await start({ dataDir, tcp: 0 });
    squatter.close();
    await once(squatter, 'close');
    expect((await last.inject('POST', '/listeners/tcp:a/start')).status).toBe(200);
    expect(await get(last, 'tcp:a')).not.toHaveProperty('failure');
    expect(await alarms(last)).not.toContain('listener_down:tcp:a');
  });

  test('a name or a value in the file that cannot be is told with its line', async () => {
    const dataDir = folder();
    const wrong: [object, RegExp][] = [
      [{ tcp: { 'a b': { bind: 1 } } }, /listeners/],
      [{ tcp: { a: { bind: 'x' } } }, /line 6: listeners.tcp.a.bind/],
      [{ quic: {} }, /there is no such setting/],
    ];
    for (const [listeners, message] of wrong) {
      writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ version: 1, listeners }, null, 2));
      await expect(startTestBroker({ dataDir }), JSON.stringify(listeners)).rejects.toThrow(message);
    }
  });

  test('settings that come from elsewhere, as with a backup, are in force at once', async () => {
    const broker = await start();
    await create(broker, 'goes');
    const stays = await create(broker, 'stays');
    const client = await connect(stays);
    const taken = await takenPort();
    await broker.settings.change('listeners', {
      tcp: {
        stays: { bind: ANY, max_connections: 2 },
        new: { bind: ANY, mountpoint: 'n/' },
        fails: { bind: `127.0.0.1:${taken}` },
      },
      ssl: {},
      ws: {},
      wss: {},
    });
    await vi.waitFor(async () => expect(await get(broker, 'tcp:fails')).toHaveProperty('failure'), patience);
    expect(await get(broker, 'tcp:new')).toMatchObject({ running: true, mountpoint: 'n/' });
    expect(await get(broker, 'tcp:stays')).toMatchObject({ max_connections: 2, bind: stays.bind });
    expect((await broker.inject('GET', '/listeners/tcp:goes')).status).toBe(404);
    await client.publishAsync('t', 'x', { qos: 1 });
  });
});
