import { FlappingDetect } from '@mqdeck/contract/zones';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import type { Client } from '../../core/client.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore, type TestCore } from '../../testing/start-test-core.ts';
import { Blacklist } from './banned.ts';
import { startFlappingDetection } from './flapping.ts';

let core: TestCore;
let blacklist: Blacklist;
let end: () => void;

const settings = new SettingsStore(null);
const change = (given: Partial<FlappingDetect>) =>
  settings.change('flapping_detect', z.parse(FlappingDetect, given));

beforeEach(async () => {
  core = startTestCore();
  blacklist = new Blacklist(core.core, memoryStore());
  await change({ enable: true, max_count: 3, window_time: '1m', ban_time: '5m' });
  end = startFlappingDetection(core.core, settings, blacklist);
});
afterEach(async () => {
  end();
  await core.close();
});

const comeAndGo = async (clientid: string) => (await core.client(clientid)).disconnect();
const codeOf = async (clientid: string) => (await core.dial(clientid).client.connect()).reasonCode;

describe('a client that comes and goes too often', () => {
  test('is banned for a while, with a reason that says how often', async () => {
    for (let i = 0; i < 3; i++) await comeAndGo('nervous');
    await comeAndGo('calm');
    expect(await codeOf('nervous')).toBe(ReasonCode.Banned);
    const ban = blacklist.explain({ clientid: 'nervous', username: null, address: '' });
    expect(ban).toMatchObject({ as: 'clientid', by: 'flapping detector' });
    expect(ban?.reason).toBe('Disconnected 3 times within 1m, last from 127.0.0.1');
    expect(await codeOf('calm')).toBe(ReasonCode.Success);
    core.pass(302_000);
    expect(await codeOf('nervous')).toBe(ReasonCode.Success);
  });

  test('is banned for ever when the time of a ban ends in a year that no calendar has', async () => {
    for (const [clientid, ban_time] of [
      ['late', '99999999d'],
      ['never', `${'9'.repeat(400)}d`],
    ] as const) {
      await change({ enable: true, max_count: 3, window_time: '1m', ban_time });
      for (let i = 0; i < 3; i++) await comeAndGo(clientid);
      expect(await codeOf(clientid)).toBe(ReasonCode.Banned);
      expect(blacklist.explain({ clientid, username: null, address: '' })).toMatchObject({ until: null });
    }
  });

  test('is judged by any window of that length, not by the minutes of a clock', async () => {
    await comeAndGo('a');
    core.pass(50_000);
    await comeAndGo('a');
    core.pass(20_000); // the first one is over, the second is not
    await comeAndGo('a');
    expect(blacklist.bans.size).toBe(0);
    core.pass(20_000);
    await comeAndGo('a');
    expect(blacklist.bans.size).toBe(1);
  });

  test('is disconnected where it is back already, as two devices with one id are', async () => {
    for (let i = 0; i < 3; i++) await core.client('twin');
    const last = core.dial('twin').client;
    last.sendConnect();
    await last.expectDisconnect(ReasonCode.AdministrativeAction);
    expect(await codeOf('twin')).toBe(ReasonCode.Banned);
  });

  test('is caught also where each connection waits for the store before it is answered', async () => {
    await core.close();
    core = startTestCore({ store: memoryStore() });
    end();
    end = startFlappingDetection(core.core, settings, new Blacklist(core.core, memoryStore()));
    const kept = { cleanStart: false, properties: { sessionExpiryInterval: 60 } };
    const twins = Array.from({ length: 4 }, () => core.dial('twin', kept).client);
    for (const twin of twins) twin.sendConnect();
    for (const twin of twins.slice(0, 3)) await twin.expectDisconnect(ReasonCode.SessionTakenOver);
    await twins[3]!.expectEnd();
    expect((await core.dial('twin', kept).client.connect()).reasonCode).toBe(ReasonCode.Banned);
  });

  test('is left alone while detection is off, and what an operator does counts for nothing', async () => {
    for (let i = 0; i < 5; i++) {
      const kicked = await core.client('kicked');
      core.core.kick('kicked');
      await kicked.expectEnd();
    }
    await change({ enable: false });
    for (let i = 0; i < 5; i++) await comeAndGo('a');
    expect(blacklist.bans.size).toBe(0);
    await change({ enable: true, max_count: 0 });
    await comeAndGo('a');
    expect(blacklist.bans.size).toBe(1);
  });
});

test('names by the hundred thousand are forgotten again, and one that flaps among them is caught', async () => {
  const { hooks, registry } = core.core;
  await core.client('template');
  const template = registry.find('template')!;
  const leave = (clientid: string) =>
    hooks.tell('client.disconnected', { address: template.address, clientid } as Client, 'normal');
  const before = process.memoryUsage().heapUsed;
  for (let i = 0; i < 200_000; i++) {
    leave(`random-${i}`);
    if (i % 40_000 === 0) leave('flapper');
  }
  expect(blacklist.explain({ clientid: 'flapper', username: null, address: '' })).not.toBe(null);
  expect(blacklist.bans.size).toBe(1);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(100 * 1024 * 1024);
});

describe('its settings', () => {
  const defaults = { enable: false, window_time: '1m', max_count: 15, ban_time: '5m' };

  test('are read and replaced as a part of the global zone', async () => {
    const broker = await startTestBroker();
    const whole = (await broker.inject<object>('GET', '/configs/global_zone')).body;
    const put = (flapping_detect: object) =>
      broker.inject('PUT', '/configs/global_zone', { body: { ...whole, flapping_detect } });
    expect(whole).toMatchObject({ flapping_detect: defaults });
    const changed = { ...defaults, enable: true, max_count: 2, window_time: '10s' };
    expect(await put(changed)).toMatchObject({ status: 200, body: { flapping_detect: changed } });
    for (let i = 0; i < 2; i++) await (await broker.client('a')).disconnect();
    await expect(broker.client('a')).rejects.toThrow('Banned');
    for (const wrong of [
      { ...changed, foo: 1 },
      { ...changed, window_time: 'x' },
      { ...changed, ban_time: '0s' },
      { ...changed, max_count: -1 },
    ])
      expect(await put(wrong)).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    const after = await broker.inject('GET', '/configs/global_zone');
    expect(after.body).toEqual({ ...whole, flapping_detect: changed });
    await broker.close();
  });
});
