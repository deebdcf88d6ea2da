import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, connect as dialTcp, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, connect as dialTls } from 'node:tls';
import { MASK } from '@mqdeck/contract/kit/values';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import type { BrokerOptions } from '../../broker.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

interface Answered {
  status: string;
  message: string;
  mountpoint: string;
  failure?: string;
  started_at?: string;
  stopped_at?: string;
  created_at: string;
  listeners: { id: string; bind: string; ssl_options: { certfile: string; keyfile: string } }[];
  data: { clientid: string; ip_address: string; username: string }[];
  meta: { count?: number };
}
interface Row {
  id: string;
  bind: string;
  failure?: string;
  status: { running: boolean; current_connections: number };
}

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function start(options: Partial<BrokerOptions> = {}) {
  const broker = await startTestBroker(options);
  ends.push(() => broker.close());
  return broker;
}
function folder(): string {
  const dataDir = mkdtempSync(join(tmpdir(), 'gateways-'));
  ends.push(() => rmSync(dataDir, { recursive: true, force: true }));
  return dataDir;
}
const api = (broker: TestBroker) => (method: string, path: string, body?: object) =>
  broker.inject<Answered>(method, `/gateways${path}`, { ...(body && { body }) });
const rowsOf = async (broker: TestBroker, gateway = 'stomp') =>
  (await broker.inject<Row[]>('GET', `/gateways/${gateway}/listeners`)).body;
const portOf = ({ bind }: { bind: string }) => Number(bind.split(':').at(-1));
const alarmsOf = async (broker: TestBroker) =>
  (await broker.inject<{ data: { name: string }[] }>('GET', '/alarms')).body.data.map(({ name }) => name);

const tcp = (port = 0, more: object = {}) => ({
  type: 'tcp',
  name: 'default',
  bind: `127.0.0.1:${port}`,
  ...more,
});

/** Another program that has a port. */
async function occupy(): Promise<{ port: number; server: Server }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  ends.push(() => server.close());
  return { port: (server.address() as { port: number }).port, server };
}

/** A connection that has said CONNECT; the first frame of the answer. */
async function connected(socket: Socket, headers = ''): Promise<string> {
  ends.push(() => socket.destroy());
  socket.on('error', () => undefined);
  socket.write(`CONNECT\naccept-version:1.2\n${headers}\n\0`);
  const [bytes] = (await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => [''])])) as [
    Buffer,
  ];
  return bytes.toString().split('\n')[0]!;
}
const dial = (row: { bind: string }) => dialTcp(portOf(row), '127.0.0.1');

describe('a gateway', () => {
  test('is loaded, stopped, started, and its connections end with it', async () => {
    const broker = await start();
    const gateways = api(broker);
    expect((await gateways('GET', '/stomp')).body.status).toBe('unloaded');
    expect((await gateways('PUT', '/stomp/enable/true')).status).toBe(404);
    expect((await gateways('PUT', '/stomp', { listeners: [tcp()] })).status).toBe(204);
    const [row] = await rowsOf(broker);
    const socket = dial(row!);
    expect(await connected(socket)).toBe('CONNECTED');
    const list = await broker.inject<object[]>('GET', '/gateways?status=running');
    expect(list.body).toMatchObject([{ name: 'stomp', current_connections: 1, max_connections: 1024 }]);

    const gone = once(socket, 'close');
    expect((await gateways('PUT', '/stomp/enable/false')).status).toBe(204);
    await gone;
    expect((await gateways('GET', '/stomp')).body).toMatchObject({
      status: 'stopped',
      stopped_at: expect.any(String),
    });
    await expect(once(dial(row!), 'connect')).rejects.toThrow('ECONNREFUSED');
    expect((await gateways('GET', '/stomp/clients')).body.data).toEqual([]);

    expect((await gateways('PUT', '/stomp/enable/true')).status).toBe(204);
    const { body } = await gateways('GET', '/stomp');
    expect(body.status).toBe('running');
    expect(body.stopped_at).toBeUndefined();
    expect(await connected(dial((await rowsOf(broker))[0]!))).toBe('CONNECTED');
  });

  test('is as it was after a restart, with its listeners and the users of its authenticator', async () => {
    const dataDir = folder();
    const authenticator = {
      mechanism: 'password_based',
      backend: 'built_in_database',
      password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
    };
    const first = await startTestBroker({ dataDir });
    const gateways = api(first);
    const body = { mountpoint: 'st/', idle_timeout: '7s', listeners: [tcp(0, { max_connections: 3 })] };
    await gateways('PUT', '/stomp', body);
    await gateways('PUT', '/mqttsn', { gateway_id: 9, enable: false });
    await gateways('POST', '/stomp/authentication', authenticator);
    await gateways('POST', '/stomp/authentication/users', { user_id: 'gu', password: 'gp' });
    const before = (await gateways('GET', '/stomp')).body;
    await first.close();

    const again = await start({ dataDir });
    const after = (await api(again)('GET', '/stomp')).body;
    expect(after).toMatchObject({ status: 'running', mountpoint: 'st/', created_at: before.created_at });
    expect(after.listeners[0]).toMatchObject({ id: 'stomp:tcp:default', max_connections: 3 });
    expect((await api(again)('GET', '/mqttsn')).body).toMatchObject({ status: 'stopped', gateway_id: 9 });
    const [row] = await rowsOf(again);
    expect(await connected(dial(row!))).toBe('ERROR');
    expect(await connected(dial(row!), 'login:gu\npasscode:gp\n')).toBe('CONNECTED');
  });

  test('whose configuration changes begins anew; its ports stay', async () => {
    const broker = await start();
    const gateways = api(broker);
    await gateways('PUT', '/stomp', { listeners: [tcp()] });
    const [row] = await rowsOf(broker);
    const socket = dial(row!);
    await connected(socket);
    const gone = once(socket, 'close');
    await gateways('PUT', '/stomp', { mountpoint: 'a/', listeners: [tcp(1)] });
    await gone;
    expect(await rowsOf(broker)).toMatchObject([{ bind: row!.bind }]); // later listeners are not read
    const same = dial(row!);
    await connected(same);
    await gateways('PUT', '/stomp', { mountpoint: 'a/' });
    expect((await gateways('GET', '/stomp/clients')).body.data).toHaveLength(1); // nothing has changed
  });

  test.each([
    ['a field that it has not', { foo: 1 }, 'unknown_fields'],
    ['another name', { name: 'coap' }, 'Expected: stomp'],
    ['a listener of another transport', { listeners: [{ ...tcp(), type: 'udp' }] }, 'tcp, ssl'],
    ['two listeners of one name', { listeners: [tcp(), tcp()] }, 'twice'],
    ['a port that is none', { listeners: [tcp(99_999)] }, 'bad_ip_port'],
    ['a mountpoint with a wildcard', { mountpoint: 'a/#' }, 'invalid_mountpoint'],
    ['a listener that is no object', { listeners: ['x'] }, 'root.listeners'],
  ])('is not loaded with %s', async (_, body, reason) => {
    const broker = await start();
    const { status, body: answer } = await api(broker)('PUT', '/stomp', body);
    expect(status).toBe(400);
    expect(answer.message).toContain(reason);
    expect((await api(broker)('GET', '/stomp')).body.status).toBe('unloaded');
  });

  test('answers odd configurations in words, whatever is odd about them', async () => {
    const broker = await start();
    const odd = [null, true, -1, 1.5, '', 'x'.repeat(70_000), '\0', [], [[]], {}, { a: { b: [] } }];
    const fields = [
      'name',
      'enable',
      'mountpoint',
      'idle_timeout',
      'listeners',
      'clientinfo_override',
      'authentication',
    ];
    const own = {
      coap: 'heartbeat',
      exproto: 'server',
      lwm2m: 'translators',
      mqttsn: 'predefined',
      stomp: 'frame',
    };
    for (const [name, special] of Object.entries(own))
      for (const field of [...fields, special])
        for (const value of odd) {
          const { status } = await api(broker)('PUT', `/${name}`, { enable: false, [field]: value });
          expect([204, 400], `${name} ${field} ${JSON.stringify(value).slice(0, 40)}`).toContain(status);
        }
    for (const value of odd) {
      const listener = { ...tcp(), ssl_options: value, tcp_options: value, access_rules: value };
      expect((await api(broker)('POST', '/stomp/listeners', listener)).status).toBe(400);
    }
  });

  test('asks who is behind a name only the chain of that gateway, or of the listener', async () => {
    const broker = await start();
    const gateways = api(broker);
    const authenticator = {
      mechanism: 'password_based',
      backend: 'built_in_database',
      password_hash_algorithm: { name: 'plain', salt_position: 'disable' },
    };
    await broker.inject('POST', '/authentication', { body: authenticator });
    await gateways('PUT', '/stomp', { listeners: [tcp(), { ...tcp(), name: 'open' }] });
    const rows = await rowsOf(broker);
    expect(await connected(dial(rows[0]!))).toBe('CONNECTED'); // users of MQTT are others
    const own = '/stomp/listeners/stomp:tcp:default/authentication';
    expect((await gateways('POST', own, authenticator)).status).toBe(201);
    expect((await gateways('POST', own, authenticator)).status).toBe(409);
    expect((await gateways('POST', `${own}/users`, { user_id: 'a', password: 'b' })).status).toBe(201);
    expect(await connected(dial(rows[0]!), 'login:a\npasscode:b\n')).toBe('CONNECTED');
    expect(await connected(dial(rows[0]!), 'login:a\npasscode:c\n')).toBe('ERROR');
    expect(await connected(dial(rows[1]!))).toBe('CONNECTED');
    expect((await gateways('GET', `${own}/users`)).body.data).toHaveLength(1);
    const scram = { mechanism: 'scram', backend: 'built_in_database' };
    expect((await gateways('POST', '/stomp/authentication', scram)).status).toBe(400);
    // With the listener goes who was known there
    expect((await gateways('DELETE', '/stomp/listeners/stomp:tcp:default')).status).toBe(204);
    await gateways('POST', '/stomp/listeners', tcp());
    expect((await gateways('GET', own)).status).toBe(204);
  });

  test('takes names from what a device says, where it is told to', async () => {
    const broker = await start();
    const clientinfo_override = { clientid: 'dev-${username}', username: '${Packet.headers.login}@site' };
    await api(broker)('PUT', '/stomp', { clientinfo_override, listeners: [tcp()] });
    await connected(dial((await rowsOf(broker))[0]!), 'login:lamp\n');
    const { body } = await api(broker)('GET', '/stomp/clients');
    expect(body.data).toMatchObject([{ clientid: 'dev-lamp', username: 'lamp@site' }]);
  });

  test('counts, filters and pages its clients', async () => {
    const broker = await start();
    await api(broker)('PUT', '/stomp', { listeners: [tcp()] });
    const [row] = await rowsOf(broker);
    for (const name of ['a1', 'a2', 'b1'])
      await connected(dial(row!), `client-id:${name}\nlogin:u-${name}\n`);
    const ids = async (query: string) => {
      const { body } = await api(broker)('GET', `/stomp/clients?${query}`);
      return body.data.map(({ clientid }) => clientid);
    };
    expect(await ids('')).toEqual(['a1', 'a2', 'b1']);
    expect(await ids('limit=2&page=2')).toEqual(['b1']);
    expect(await ids('like_clientid=a')).toEqual(['a1', 'a2']);
    expect(await ids('username=u-b1')).toEqual(['b1']);
    expect(await ids('proto_ver=1.1')).toEqual([]);
    expect(await ids('conn_state=connected&ip_address=127.0.0.1')).toHaveLength(3);
    expect((await api(broker)('GET', '/stomp/clients?node=other')).status).toBe(500);
  });
});

describe('a listener', () => {
  test('whose port another program has is refused, and nothing changes', async () => {
    const broker = await start();
    const { port } = await occupy();
    const gateways = api(broker);
    const refused = await gateways('PUT', '/stomp', { listeners: [tcp(port)] });
    expect(refused.status).toBe(400);
    expect(refused.body.message).toContain('another program uses this port');
    expect((await gateways('GET', '/stomp')).body.status).toBe('unloaded');

    await gateways('PUT', '/stomp', { listeners: [tcp()] });
    const [row] = await rowsOf(broker);
    expect((await gateways('POST', '/stomp/listeners', { ...tcp(port), name: 'second' })).status).toBe(400);
    expect((await gateways('PUT', '/stomp/listeners/stomp:tcp:default', tcp(port))).status).toBe(400);
    expect(await rowsOf(broker)).toMatchObject([{ bind: row!.bind, status: { running: true } }]);
    expect(await connected(dial(row!))).toBe('CONNECTED');
    expect(await alarmsOf(broker)).toEqual([]);
  });

  test('that cannot open at the start is told by an alarm, until it can; the others listen', async () => {
    const dataDir = folder();
    const first = await startTestBroker({ dataDir });
    await api(first)('PUT', '/stomp', { listeners: [tcp(), { ...tcp(), name: 'second' }] });
    const { port, server } = await occupy();
    await new Promise((resolve) => server.close(resolve));
    await api(first)('PUT', '/stomp/listeners/stomp:tcp:second', { ...tcp(port), name: 'second' });
    await first.close();
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');

    const broker = await start({ dataDir });
    expect(await alarmsOf(broker)).toEqual(['gateway_listener_down:stomp:tcp:second']);
    const rows = await rowsOf(broker);
    expect(rows).toMatchObject([
      { id: 'stomp:tcp:default', status: { running: true } },
      {
        id: 'stomp:tcp:second',
        status: { running: false },
        failure: expect.stringContaining('another program'),
      },
    ]);
    expect(await connected(dial(rows[0]!))).toBe('CONNECTED');
    await new Promise((resolve) => server.close(resolve));
    const { status } = await api(broker)('PUT', '/stomp/listeners/stomp:tcp:second', {
      ...tcp(port),
      name: 'second',
    });
    expect(status).toBe(200);
    expect(await alarmsOf(broker)).toEqual([]);
  });

  test('says where it listens when asked, also where its address names no host', async () => {
    const broker = await start();
    await api(broker)('PUT', '/stomp', { listeners: [tcp(0, { bind: 0 })] });
    const asked = async (query: Record<string, string>) =>
      (await broker.inject<(Row & { address?: string })[]>('GET', '/gateways/stomp/listeners', { query }))
        .body[0]!;
    expect(await asked({})).not.toHaveProperty('address');
    const { address, bind } = await asked({ addresses: 'true' });
    expect(address).toBe(`127.0.0.1:${portOf({ bind })}`);
    await api(broker)('PUT', '/stomp/enable/false');
    expect(await asked({ addresses: 'true' })).not.toHaveProperty('address');
  });

  test('made while it is off starts once it is enabled, and stops with its connections', async () => {
    const broker = await start();
    const gateways = api(broker);
    await gateways('PUT', '/stomp', { listeners: [] });
    const made = await gateways('POST', '/stomp/listeners', tcp(0, { enable: false }));
    expect(made.status).toBe(201);
    expect((await rowsOf(broker))[0]).toMatchObject({ enable: false, status: { running: false } });

    const turn = async (enable: boolean) => {
      const [row] = await rowsOf(broker);
      const { id: _, status: __, node_status: ___, ...config } = row as Row & { node_status: unknown };
      return gateways('PUT', '/stomp/listeners/stomp:tcp:default', { ...config, enable });
    };
    expect((await turn(true)).status).toBe(200);
    const [on] = await rowsOf(broker);
    expect(on).toMatchObject({ enable: true, status: { running: true } });
    const socket = dial(on!);
    expect(await connected(socket)).toBe('CONNECTED');
    const gone = once(socket, 'close');
    expect((await turn(false)).status).toBe(200);
    await gone;
    await expect(once(dial(on!), 'connect')).rejects.toThrow('ECONNREFUSED');
    expect((await rowsOf(broker))[0]).toMatchObject({ enable: false, status: { running: false } });
    expect((await turn(true)).status).toBe(200);
    expect(await connected(dial(on!))).toBe('CONNECTED'); // at the same port
  });

  test('lets in as many as it may, from where it may, as fast as it may', async () => {
    const broker = await start();
    const gateways = api(broker);
    await gateways('PUT', '/stomp', { listeners: [tcp(0, { max_connections: 1 })] });
    const change = (more: object) =>
      gateways('PUT', '/stomp/listeners/stomp:tcp:default', tcp(portOf(row!), more));
    const [row] = await rowsOf(broker);
    expect(await connected(dial(row!))).toBe('CONNECTED');
    expect(await connected(dial(row!))).toBe('');
    expect((await rowsOf(broker))[0]!.status.current_connections).toBe(1);
    await change({ max_connections: 10, access_rules: ['deny 127.0.0.1'] });
    expect(await connected(dial(row!))).toBe('');
    await change({ access_rules: ['allow all'], max_conn_rate: 2 });
    const answers = [];
    for (let i = 0; i < 5; i++) answers.push(await connected(dial(row!)));
    expect(answers.slice(0, 2)).toEqual(['CONNECTED', 'CONNECTED']);
    expect(answers).toContain('');
  });

  test('has a mountpoint of its own, and may ask nobody', async () => {
    const broker = await start();
    await api(broker)('PUT', '/stomp', { mountpoint: 'gw/', listeners: [tcp(0, { mountpoint: 'own/' })] });
    const screen = await broker.client('screen');
    await screen.subscribe('#');
    const socket = dial((await rowsOf(broker))[0]!);
    await connected(socket);
    socket.write('SEND\ndestination:t\n\nx\0');
    expect((await screen.expectMessage('x')).topic).toBe('own/t');
  });

  test('of a kind that is not there, or without name or address, is refused in words', async () => {
    const broker = await start();
    const gateways = api(broker);
    await gateways('PUT', '/stomp', {});
    await gateways('PUT', '/mqttsn', {});
    const post = async (gateway: string, body: object) =>
      (await gateways('POST', `/${gateway}/listeners`, body)).body.message;
    expect(await post('stomp', { type: 'tcp', bind: ':0' })).toBe('name is required');
    expect(await post('stomp', { type: 'tcp', name: 'a' })).toBe('bind is required');
    expect(await post('stomp', { ...tcp(), name: '../a' })).toContain('invalid_listener_name');
    expect(await post('mqttsn', tcp())).toContain('udp');
    await post('stomp', tcp());
    expect(await post('stomp', tcp())).toBe('Listener name has occupied');
    expect((await gateways('GET', '/stomp/listeners/abc')).status).toBe(404);
    expect((await gateways('GET', '/stomp/listeners/mqttsn:udp:default')).status).toBe(404);
    expect((await gateways('GET', '/nothing')).status).toBe(400);
  });
});

describe('TLS', async () => {
  const make = (name: string, ca?: { cert: string; key: string }) =>
    generate([{ name: 'commonName', value: name }], {
      keyType: 'ec',
      curve: 'P-256',
      algorithm: 'sha256',
      ...(ca === undefined && {
        extensions: [
          { name: 'basicConstraints', cA: true, critical: true },
          { name: 'keyUsage', keyCertSign: true, cRLSign: true },
        ],
      }),
      ...(ca && { ca }),
    }).then(({ cert, private: key }) => ({ cert, key }));
  const ca = await make('Test CA');
  const device = await make('device-7', ca);
  const stranger = await make('stranger', await make('Other CA'));

  test('with pasted certificates: kept as files, keys are masked, and clients show theirs', async () => {
    const dataDir = folder();
    const broker = await start({ dataDir });
    const gateways = api(broker);
    const ssl_options = {
      certfile: ca.cert,
      keyfile: ca.key,
      cacertfile: ca.cert,
      verify: 'verify_peer',
      fail_if_no_peer_cert: true,
    };
    const listener = { type: 'ssl', name: 'default', bind: '127.0.0.1:0', ssl_options };
    expect((await gateways('PUT', '/stomp', { listeners: [listener] })).status).toBe(204);
    const { body } = await gateways('GET', '/stomp');
    const { certfile, keyfile } = body.listeners[0]!.ssl_options;
    expect(certfile).toMatch(/^certs\/stomp-ssl-default\/cert-/);
    expect(readFileSync(join(dataDir, keyfile), 'utf8').trim()).toBe(ca.key.trim());
    expect(JSON.stringify(body)).not.toContain('PRIVATE KEY');

    const port = portOf(body.listeners[0]!);
    const secured = (pair: Partial<ConnectionOptions>) =>
      connected(dialTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ...pair }), 'client-id:lamp\n');
    expect(await secured(device)).toBe('CONNECTED');
    expect(await secured(stranger)).toBe('');
    expect(await secured({})).toBe('');

    const kept = {
      ...listener,
      bind: body.listeners[0]!.bind,
      ssl_options: { ...ssl_options, keyfile: MASK },
    };
    expect((await gateways('PUT', '/stomp/listeners/stomp:ssl:default', kept)).status).toBe(200);
    expect(await secured(device)).toBe('CONNECTED');
    await gateways('DELETE', '/stomp/listeners/stomp:ssl:default');
    expect(existsSync(join(dataDir, 'certs/stomp-ssl-default'))).toBe(false);
  });
});
