import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openStore } from '../../core/store/environment.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import { Clock, TimerWheel } from '../../core/timer-wheel.ts';
import { MemoryConnection } from '../../testing/memory-connection.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { type ClientOptions, dial, TestClient } from '../../testing/test-client.ts';
import type { Ban } from './ban.ts';
import { Blacklist } from './banned.ts';
import { Bans } from './bans.ts';

interface Row {
  as: string;
  who: string;
  by: string;
  reason: string;
  at: string;
  until: string;
}
interface Rows {
  data: Row[];
  meta: { count?: number; hasnext?: boolean };
}

const FAR = '2037-01-01T00:00:00+00:00';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
  ends.push(() => broker.close());
});

const ban = (body: object) => broker.inject<Row>('POST', '/banned', { body });
const list = async (query: Record<string, string | number> = {}) =>
  (await broker.inject<Rows>('GET', '/banned', { query })).body;
const lift = (as: string, who: string) => broker.inject('DELETE', `/banned/${as}/${encodeURIComponent(who)}`);

async function codeOf(clientid: string, options: ClientOptions = {}): Promise<number> {
  const { client } = dial(broker.core, clientid, options);
  return (await client.connect()).reasonCode;
}

/** CONNECT from an address of one's own; tests in memory have none else. */
async function codeFrom(address: string, clientid = 'c'): Promise<number> {
  const client = new TestClient(clientid);
  let connection: MemoryConnection;
  const { receive, ended } = client.attach({
    send: (bytes) => connection.send(bytes),
    close: () => connection.break(),
  });
  connection = new MemoryConnection(1234, receive, ended, address);
  connection.connect(broker.core.accept(connection, 'tcp:default'));
  return (await client.connect()).reasonCode;
}

describe('a banned client', () => {
  test('is disconnected at once, refused afterwards, and let in when the ban is lifted', async () => {
    const victim = await broker.client('victim');
    const other = await broker.client('other');
    const { status, body } = await ban({
      as: 'clientid',
      who: 'victim',
      by: 'ops',
      reason: 'noise',
      until: FAR,
    });
    expect([status, body.by, body.reason, body.until]).toEqual([200, 'ops', 'noise', FAR]);
    await victim.expectDisconnect(ReasonCode.AdministrativeAction);
    expect(await codeOf('victim')).toBe(ReasonCode.Banned);
    expect(await codeOf('victim', { version: 4 })).toBe(5); // not authorized, in the numbers of 3.1.1
    await other.ping();
    expect((await lift('clientid', 'victim')).status).toBe(204);
    expect(await codeOf('victim')).toBe(ReasonCode.Success);
  });

  test('is known by its username, and only by its own', async () => {
    const thief = await broker.client('a', { username: 'thief' });
    const nobody = await broker.client('thief');
    await ban({ as: 'username', who: 'thief' });
    await thief.expectDisconnect(ReasonCode.AdministrativeAction);
    await nobody.ping();
    expect(await codeOf('b', { username: 'thief' })).toBe(ReasonCode.Banned);
    expect(await codeOf('b', { username: 'Thief' })).toBe(ReasonCode.Success);
  });

  test('is found by a pattern anywhere in its id', async () => {
    const evil = await broker.client('fleet-evil-7');
    const good = await broker.client('fleet-good-7');
    await ban({ as: 'clientid_re', who: 'evil-\\d$' });
    await ban({ as: 'username_re', who: '^tmp_' });
    await evil.expectDisconnect(ReasonCode.AdministrativeAction);
    await good.ping();
    expect(await codeOf('evil-1')).toBe(ReasonCode.Banned);
    expect(await codeOf('evil-x')).toBe(ReasonCode.Success);
    expect(await codeOf('x', { username: 'tmp_1' })).toBe(ReasonCode.Banned);
    expect(await codeOf('tmp_1')).toBe(ReasonCode.Success);
    await lift('clientid_re', 'evil-\\d$');
    expect(await codeOf('evil-1')).toBe(ReasonCode.Success);
  });

  test('is known by its address in each of its forms, or by a network that holds it', async () => {
    await ban({ as: 'peerhost', who: '10.1.2.3' });
    expect((await ban({ as: 'peerhost', who: 'FE80::0001' })).body.who).toBe('fe80::1');
    expect((await ban({ as: 'peerhost_net', who: '192.168.77.9/24' })).body.who).toBe('192.168.77.0/24');
    expect((await ban({ as: 'peerhost_net', who: '2001:DB8::/32' })).body.who).toBe('2001:db8::/32');
    for (const address of [
      '10.1.2.3',
      '::ffff:10.1.2.3',
      'fe80::1',
      'fe80::1%eth0',
      '192.168.77.255',
      '2001:db8:1::5',
    ])
      expect(await codeFrom(address), address).toBe(ReasonCode.Banned);
    for (const address of ['10.1.2.4', 'fe80::2', '192.168.78.0', '2001:db9::1'])
      expect(await codeFrom(address), address).toBe(ReasonCode.Success);
    expect((await lift('peerhost', '::ffff:10.1.2.3')).status).toBe(204);
    expect(await codeFrom('10.1.2.3')).toBe(ReasonCode.Success);
  });

  test('is disconnected although the ban came while it was being authenticated', async () => {
    let decide: () => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      broker.core.hooks.on('client.authenticate', () => {
        resolve();
        return new Promise((answer) => {
          decide = () => answer({ allow: true });
        });
      });
    });
    const { client } = dial(broker.core, 'slow');
    client.sendConnect();
    await asked;
    await ban({ as: 'clientid_re', who: '^slow' });
    decide();
    await client.expectDisconnect(ReasonCode.AdministrativeAction);
  });

  test('hears the reason code alone, the operator why', async () => {
    await ban({ as: 'clientid', who: 'victim', reason: 'sold on the street' });
    const { client } = dial(broker.core, 'victim');
    expect((await client.connect()).properties).toEqual({});
    const { body } = await broker.inject<{ data: object[] }>('GET', '/refused_connections');
    expect(body.data).toMatchObject([
      { clientid: 'victim', reason: 'Banned', why: 'clientid victim is banned: sold on the street' },
    ]);
  });
});

describe('a ban', () => {
  test('ends when its time is over', async () => {
    const { core, pass, client, dial: call } = startTestCore();
    const blacklist = new Blacklist(core, memoryStore());
    ends.push(() => core.close());
    const until = Math.floor(core.clock.now / 1000) + 10;
    const one: Ban = { as: 'clientid', who: 'a', by: '', reason: '', at: 0, until };
    expect(await blacklist.add(one)).toBe(true);
    expect((await call('a').client.connect()).reasonCode).toBe(ReasonCode.Banned);
    expect(blacklist.explain({ clientid: 'a', username: null, address: '' })).toEqual(one);
    pass(11_000);
    expect(blacklist.bans.size).toBe(0);
    await client('a');
    expect(blacklist.explain({ clientid: 'a', username: null, address: '' })).toBe(null);
    expect(await blacklist.add({ ...one, until: null })).toBe(true);
  });

  test('whose time is over, and which is not gone yet, hides no other', () => {
    let now = Date.now();
    const clock = new Clock(() => now);
    const bans = new Bans(memoryStore(), { clock, timers: new TimerWheel(clock, () => undefined) });
    const until = Math.floor(now / 1000) + 10;
    bans.add({ as: 'clientid', who: 'a', by: '', reason: '', at: 0, until });
    const lasting: Ban = { as: 'username', who: 'u', by: '', reason: '', at: 0, until: null };
    bans.add(lasting);
    now += 20_000;
    clock.refresh();
    expect(bans.find({ clientid: 'a', username: 'u', address: '' })).toEqual(lasting);
    expect(bans.find({ clientid: 'a', username: 'v', address: '' })).toBe(null);
  });

  test('outlives a restart, and is forgotten when its time was over meanwhile', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-banned-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const now = Math.floor(Date.now() / 1000);
    const one = { by: '', reason: '', at: now };
    const first = openStore(folder);
    const { core } = startTestCore();
    const before = new Blacklist(core, first);
    await before.add({ ...one, as: 'clientid_re', who: '^x', until: null });
    await before.add({ ...one, as: 'peerhost_net', who: '10.0.0.0/8', until: now + 1000 });
    await before.add({ ...one, as: 'clientid', who: 'short', until: now + 5 });
    await first.close();

    const again = openStore(folder);
    ends.push(() => again.close());
    const later = startTestCore();
    later.pass(100_000);
    const after = new Blacklist(later.core, again);
    expect(after.bans.size).toBe(2);
    expect(after.explain({ clientid: 'xyz', username: null, address: '' })).toMatchObject({ who: '^x' });
    expect(after.explain({ clientid: 'y', username: null, address: '10.9.9.9' })).toMatchObject({
      until: now + 1000,
    });
    expect(await after.add({ ...one, as: 'clientid', who: 'short', until: null })).toBe(true);
  });

  test('is refused where it could never hold, and says why', async () => {
    const wrong: [object, RegExp][] = [
      [{ as: 'clientid' }, /required_field/],
      [{ who: 'x' }, /required_field/],
      [{ as: 'cookie', who: 'x' }, /not_a_enum_symbol/],
      [{ as: 'peerhost', who: '999.1.1.1' }, /bad peerhost/],
      [{ as: 'peerhost', who: '10.0.0.0/8' }, /peerhost_net/],
      [{ as: 'peerhost_net', who: '10.0.0.0/33' }, /bad network/],
      [{ as: 'clientid_re', who: '(a' }, /cannot be understood/],
      [{ as: 'clientid_re', who: '' }, /empty/],
      [{ as: 'clientid', who: '' }, /empty/],
      [{ as: 'clientid_re', who: 'x'.repeat(513) }, /512/],
      [{ as: 'clientid', who: 'x'.repeat(1025) }, /clientid_re/],
      [{ as: 'clientid', who: 'x', until: '2020-01-01T00:00:00Z' }, /earlier than now/],
      [{ as: 'clientid', who: 'x', until: 0 }, /earlier than now/],
      [{ as: 'clientid', who: 'x', until: 'soon' }, /matched_no_union_member/],
      [{ as: 'clientid', who: 'x', at: 'soon' }, /bad_rfc3339_timestamp/],
      [{ as: 'clientid', who: 'x', reason: 'x'.repeat(1025) }, /1024/],
    ];
    for (const [body, message] of wrong) {
      const answer = await broker.inject<{ code: string; message: string }>('POST', '/banned', { body });
      expect([answer.status, answer.body.code], JSON.stringify(body).slice(0, 100)).toEqual([
        400,
        'BAD_REQUEST',
      ]);
      expect(answer.body.message).toMatch(message);
    }
    expect((await list()).data).toEqual([]);
  });

  test('exists once, whatever form its address was given in', async () => {
    await ban({ as: 'peerhost', who: '10.1.2.3' });
    for (const body of [
      { as: 'peerhost', who: '10.1.2.3' },
      { as: 'peerhost', who: '::ffff:10.1.2.3' },
    ])
      expect(await ban(body)).toMatchObject({ status: 400, body: { code: 'ALREADY_EXISTS' } });
    expect((await ban({ as: 'peerhost_net', who: '10.1.2.3' })).body.who).toBe('10.1.2.3/32');
  });

  test('takes its times in seconds or in any zone, and for ever where none is given', async () => {
    const { body } = await ban({
      as: 'clientid',
      who: 7,
      until: 2114380800,
      at: '2026-01-01T08:00:00+08:00',
    });
    expect(body).toMatchObject({ who: '7', until: FAR, at: '2026-01-01T00:00:00+00:00', by: 'mgmt_api' });
    expect((await ban({ as: 'clientid', who: 'x' })).body.until).toBe('infinity');
    expect((await ban({ as: 'clientid', who: 'y', until: 'infinity' })).body.until).toBe('infinity');
  });

  test('that is not there cannot be lifted', async () => {
    for (const [as, who] of [
      ['clientid', 'nobody'],
      ['peerhost', '999.1'],
      ['peerhost_net', 'x'],
      ['clientid_re', '('],
    ] as const)
      expect(await lift(as, who)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await lift('cookie', 'x')).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
  });
});

describe('the list', () => {
  beforeEach(async () => {
    for (const [as, who, reason] of [
      ['clientid', 'victim', 'b'],
      ['clientid', 'other', 'a'],
      ['clientid_re', '^vict', 'c'],
      ['username', 'victor', ''],
      ['peerhost', '10.1.2.3', ''],
      ['peerhost_net', '10.1.0.0/16', ''],
    ] as const)
      await ban({ as, who, reason });
  });
  const found = async (query: Record<string, string | number>) =>
    (await list(query)).data.map(({ who }) => who);

  test('is filtered exactly, or by a part of what is banned', async () => {
    expect(await found({ clientid: 'victim' })).toEqual(['victim']);
    expect(await found({ clientid: 'vict' })).toEqual([]);
    expect(await found({ like_clientid: 'vict' })).toEqual(['victim', '^vict']);
    expect(await found({ like_username: 'ict' })).toEqual(['victor']);
    expect(await found({ peerhost: '::ffff:10.1.2.3' })).toEqual(['10.1.2.3']);
    expect(await found({ like_peerhost: '10.1' })).toEqual(['10.1.2.3', '10.1.0.0/16']);
    expect(await found({ like_peerhost_net: '10.1' })).toEqual(['10.1.0.0/16']);
    expect(await found({ clientid: 'victim', username: 'victor' })).toEqual([]);
    expect((await list({ clientid: 'victim' })).meta).toMatchObject({ count: 1, hasnext: false });
    expect((await list({ like_clientid: 'vict' })).meta).not.toHaveProperty('count');
  });

  test('is paged and sorted', async () => {
    expect((await list({ page: 2, limit: 4 })).meta).toEqual({ page: 2, limit: 4, count: 6 });
    expect(await found({ sort: 'reason', order: 'desc', limit: 3 })).toEqual(['^vict', 'victim', 'other']);
  });

  test('is emptied as a whole', async () => {
    const before = await codeOf('victim');
    expect((await broker.inject('DELETE', '/banned')).status).toBe(204);
    expect((await list()).data).toEqual([]);
    expect([before, await codeOf('victim')]).toEqual([ReasonCode.Banned, ReasonCode.Success]);
    expect((await broker.inject('DELETE', '/banned')).status).toBe(204);
  });
});

test('a ban made while the blacklist is being emptied stays', async () => {
  const { bans } = broker.banned;
  const until = Math.floor(broker.core.clock.now / 1000) + 100;
  const one = { by: '', reason: '', at: 0, until } as const;
  for (let i = 0; i < 5000; i++) bans.add({ ...one, as: 'clientid', who: `c${i}` });
  const cleared = broker.inject('DELETE', '/banned');
  await expect.poll(() => bans.size).toBe(0);
  await ban({ as: 'clientid', who: 'c1' });
  await cleared;
  expect((await list()).data.map(({ who }) => who)).toEqual(['c1']);
  expect(await codeOf('c2')).toBe(ReasonCode.Success);
  expect(await codeOf('c1')).toBe(ReasonCode.Banned);
});

test('patterns end where there would be too many', async () => {
  const { bans } = broker.banned;
  for (let i = 0; i < 1000; i++)
    bans.add({ as: 'clientid_re', who: `^evil${i}-`, by: '', reason: '', at: 0, until: null });
  expect(await ban({ as: 'username_re', who: 'x' })).toMatchObject({ status: 400 });
  expect(await codeOf('evil999-1')).toBe(ReasonCode.Banned);
  expect(await codeOf('evil1000-1')).toBe(ReasonCode.Success);
});
