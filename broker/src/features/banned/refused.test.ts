import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startStomp } from '../../testing/stomp-device.ts';
import { type ClientOptions, dial } from '../../testing/test-client.ts';

interface Rows {
  data: {
    clientid: string;
    count: number;
    first_at: string;
    last_at: string;
    ban: object | null;
    why: string | null;
  }[];
  meta: { count: number };
}

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
  broker.core.hooks.on('client.authenticate', ({ clientid }) =>
    clientid === 'fine'
      ? { allow: true }
      : { allow: false, reasonCode: ReasonCode.BadUserNameOrPassword, why: 'wrong password' },
  );
});
afterEach(() => broker.close());

const knock = (clientid: string, options: ClientOptions = {}) =>
  dial(broker.core, clientid, options).client.connect();
const list = async (query: Record<string, string | number> = {}) =>
  (await broker.inject<Rows>('GET', '/refused_connections', { query })).body;

test('who was refused is listed with the reason, the latest first; who was let in is not', async () => {
  await knock('fine');
  await knock('a', { username: 'u', version: 4 });
  await knock('b');
  const { data, meta } = await list();
  expect(meta.count).toBe(2);
  expect(data).toMatchObject([
    { clientid: 'b', username: null, proto_ver: 5 },
    {
      clientid: 'a',
      username: 'u',
      ip_address: '127.0.0.1',
      listener: 'tcp:default',
      proto_ver: 4,
      reason_code: 0x86,
      reason: 'BadUserNameOrPassword',
      why: 'wrong password',
      count: 1,
    },
  ]);
});

test('the device of a gateway is listed with what it speaks', async () => {
  const lamp = await (await startStomp(broker))('lamp');
  lamp.close();
  expect((await list()).data).toMatchObject([
    {
      clientid: 'lamp',
      username: 'u',
      listener: 'stomp:tcp:default',
      proto_name: 'STOMP',
      proto_ver: '1.2',
      reason: 'BadUserNameOrPassword',
      why: 'wrong password',
    },
  ]);
});

test('who is banned is listed with the entry that keeps it out, as long as there is one', async () => {
  await broker.inject('POST', '/banned', { body: { as: 'clientid_re', who: '^evil' } });
  await knock('evil-1');
  await knock('a');
  const bans = async () => (await list()).data.map(({ clientid, ban }) => [clientid, ban]);
  expect(await bans()).toEqual([
    ['a', null],
    ['evil-1', { as: 'clientid_re', who: '^evil' }],
  ]);
  await broker.inject('DELETE', '/banned');
  expect(await bans()).toEqual([
    ['a', null],
    ['evil-1', null],
  ]);
});

test('a client that tries again and again makes one row that counts', async () => {
  for (let i = 0; i < 5; i++) {
    await knock('a');
    await knock('b');
  }
  const { data } = await list();
  expect(data.map(({ clientid, count }) => [clientid, count])).toEqual([
    ['b', 5],
    ['a', 5],
  ]);
  expect(Date.parse(data[0]!.first_at)).toBeLessThanOrEqual(Date.parse(data[0]!.last_at));
});

test('the last thousand are kept, their texts cut off', async () => {
  for (let i = 0; i < 1100; i++) await knock(`c${i}`);
  await knock('x'.repeat(60_000), { username: 'y'.repeat(60_000) });
  const { data, meta } = await list({ limit: 1000 });
  expect(meta.count).toBe(1000);
  expect(data.at(-1)!.clientid).toBe('c101');
  expect(JSON.stringify(data[0]).length).toBeLessThan(3000);
});

test('is filtered by parts of id, name and address, paged, and emptied', async () => {
  await knock('sensor-1', { username: 'fleet' });
  await knock('sensor-2');
  await knock('gate');
  const ids = async (query: Record<string, string | number>) =>
    (await list(query)).data.map(({ clientid }) => clientid);
  expect(await ids({ like_clientid: 'sensor' })).toEqual(['sensor-2', 'sensor-1']);
  expect(await ids({ like_username: 'lee' })).toEqual(['sensor-1']);
  expect(await ids({ like_ip_address: '127.0', page: 2, limit: 2 })).toEqual(['sensor-1']);
  expect(await ids({ like_ip_address: '10.' })).toEqual([]);
  expect((await broker.inject('DELETE', '/refused_connections')).status).toBe(204);
  expect((await list()).data).toEqual([]);
});

test('a CONNECT that could not be understood is listed by its address', async () => {
  await knock('z'.repeat(65_535), { version: 3, cleanStart: false, username: 'x' });
  const { client } = dial(broker.core, 'future');
  client.sendRaw([0x10, 12, 0, 4, 77, 81, 84, 84, 6, 2, 0, 0, 0, 0]); // MQTT 6
  await client.expectEnd();
  expect((await list()).data[0]).toMatchObject({
    clientid: '',
    ip_address: '127.0.0.1',
    reason: 'UnsupportedProtocolVersion',
  });
});
