import type { Alarm } from '@mqdeck/contract/alarms';
import { SysmonSettings } from '@mqdeck/contract/sysmon';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { memoryStore } from '../../core/store/memory-store.ts';
import { mountSmallDisk } from '../../testing/small-disk.ts';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { Alarms } from './alarms.ts';
import { thisMachine } from './measure.ts';
import { followStore, STORE_ALARM } from './store-alarm.ts';
import { checkConnections, checkCpu, checkEventLoop, checkMemory } from './system-checks.ts';

let now: number;
let alarms: Alarms;
let store: ReturnType<typeof memoryStore>;
beforeEach(() => {
  now = Date.UTC(2026, 0, 1);
  store = memoryStore();
  alarms = new Alarms(store, 'n@h', () => now);
});

describe('an alarm', () => {
  test('is told of when it begins and when it ends, and not each time it is raised', () => {
    const told: string[] = [];
    const off = alarms.onChange((event, { name, duration }) => told.push(`${event} ${name} ${duration}`));
    alarms.deactivate('smoke');
    alarms.activate('smoke', 'it smells');
    now += 500;
    alarms.activate('smoke', 'it still smells');
    alarms.deactivate('smoke');
    expect(told).toEqual(['activate smoke 0', 'deactivate smoke 500']);
    off();
    alarms.activate('smoke', 'it smells');
    expect(told).toHaveLength(2);
  });

  test('is active until it is cleared, and then history', () => {
    alarms.activate('smoke', 'it smells', { room: 1 });
    now += 500;
    expect(alarms.listActive()).toMatchObject([
      { name: 'smoke', node: 'n@h', message: 'it smells', details: { room: 1 }, duration: 500 },
    ]);
    expect(alarms.listActive()[0]).not.toHaveProperty('deactivate_at');
    alarms.deactivate('smoke');
    now += 10_000;
    expect(alarms.listActive()).toEqual([]);
    expect(alarms.listPast()).toMatchObject([
      { name: 'smoke', duration: 500, deactivate_at: expect.any(String) },
    ]);
  });

  test('raised again keeps its beginning and tells the news', () => {
    alarms.activate('smoke', 'it smells');
    now += 500;
    alarms.activate('smoke', 'it burns');
    expect(alarms.listActive()).toMatchObject([{ message: 'it burns', duration: 500 }]);
  });

  test('outlives a restart', () => {
    alarms.activate('smoke', 'it smells');
    expect(new Alarms(store, 'n@h', () => now).listActive()).toHaveLength(1);
  });
});

describe('the history', () => {
  test('ends after a day, and after a thousand alarms', () => {
    for (let i = 0; i < 1005; i++) {
      alarms.activate(`a${i}`, '');
      alarms.deactivate(`a${i}`);
      now += 1;
    }
    expect(alarms.listPast()).toHaveLength(1000);
    expect(alarms.listPast()[0]!.name).toBe('a1004');
    now += 24 * 3600 * 1000;
    expect(alarms.listPast()).toHaveLength(0);
  });

  test('can be cleared; what is active stays', () => {
    alarms.activate('a', '');
    alarms.activate('b', '');
    alarms.deactivate('b');
    alarms.clearPast();
    expect(alarms.listPast()).toEqual([]);
    expect(alarms.listActive()).toHaveLength(1);
  });
});

describe('the machine', () => {
  const names = () => alarms.listActive().map(({ name }) => name);
  const usual = z.parse(SysmonSettings, {});
  const measuring = ({ memory = 0, cpu = null as number | null, own = 0, delay = 0 }) => ({
    memoryUsedPercent: () => memory,
    processMemoryPercent: () => own,
    cpuUsedPercent: () => cpu,
    eventLoopDelayMs: () => delay,
    filesMax: 1000,
  });
  const at = (memory: number, cpu: number | null) => {
    const measure = measuring({ memory, cpu });
    checkMemory(alarms, measure, usual.os);
    checkCpu(alarms, measure, usual.os);
  };

  test('raises an alarm when memory is short, and takes it back', () => {
    at(70, null);
    expect(names()).toEqual([]);
    at(70.127, null);
    expect(alarms.listActive()).toMatchObject([
      {
        name: 'high_system_memory_usage',
        message: '70.13% mem usage',
        details: { high_watermark: 70, usage: 70.13 },
      },
    ]);
    at(50, null);
    expect(names()).toEqual([]);
  });

  test('raises an alarm when the broker itself takes much memory, at the mark that was set', () => {
    const marks = { ...usual.os, procmem_high_watermark: '12.5%' };
    checkMemory(alarms, measuring({ own: 12 }), marks);
    expect(names()).toEqual([]);
    checkMemory(alarms, measuring({ own: 13 }), marks);
    expect(names()).toEqual(['high_process_memory_usage']);
    checkMemory(alarms, measuring({ own: 1 }), marks);
    expect(names()).toEqual([]);
  });

  test('raises an alarm while the event loop comes late, and takes it back when it is on time', () => {
    checkEventLoop(alarms, measuring({ delay: 239 }), usual.vm);
    expect(names()).toEqual([]);
    checkEventLoop(alarms, measuring({ delay: 300.4 }), usual.vm);
    expect(alarms.listActive()).toMatchObject([
      {
        name: 'high_event_loop_delay',
        message: 'the broker answers up to 300 ms late',
        details: { delay_ms: 300, high_watermark_ms: 240 },
      },
    ]);
    checkEventLoop(alarms, measuring({ delay: 130 }), usual.vm); // in between it stays as it was
    expect(names()).toEqual(['high_event_loop_delay']);
    checkEventLoop(alarms, measuring({ delay: 20 }), usual.vm);
    expect(names()).toEqual([]);
    checkEventLoop(alarms, measuring({ delay: 999 }), { ...usual.vm, long_schedule: 'disabled' });
    expect(names()).toEqual([]);
  });

  test('its event loop is measured: a turn that took long is one that others waited for', async () => {
    const measure = thisMachine();
    // It looks every 20 ms: once before the long turn, to know since when, and once behind it
    const look = () => new Promise((resolve) => setTimeout(resolve, 50));
    const delayWith = async (busyMs: number) => {
      await look();
      const until = performance.now() + busyMs;
      while (performance.now() < until);
      await look();
      return measure.eventLoopDelayMs();
    };
    await expect.poll(() => delayWith(150), { timeout: 10_000 }).toBeGreaterThan(50);
    // What was told is forgotten
    await expect.poll(() => delayWith(0), { timeout: 10_000 }).toBeLessThan(150);
    measure.close?.();
  });

  test('raises an alarm when there are as many connections as files may be open', () => {
    const measure = measuring({});
    checkConnections(alarms, 799, measure, usual.vm);
    expect(names()).toEqual([]);
    checkConnections(alarms, 800, measure, usual.vm);
    expect(alarms.listActive()).toMatchObject([
      { name: 'too_many_connections', details: { connections: 800, files_max: 1000, usage: 80 } },
    ]);
    checkConnections(alarms, 700, measure, usual.vm);
    expect(names()).toEqual(['too_many_connections']);
    checkConnections(alarms, 600, measure, usual.vm);
    expect(names()).toEqual([]);
  });

  test('raises an alarm when processors are busy, and keeps it until they are calm', () => {
    at(0, 79);
    expect(names()).toEqual([]);
    at(0, 81);
    expect(names()).toEqual(['high_cpu_usage']);
    at(0, 65);
    expect(names()).toEqual(['high_cpu_usage']);
    at(0, 59);
    expect(names()).toEqual([]);
  });
});

const disk = mountSmallDisk();
afterAll(() => disk?.unmount());

test.skipIf(!disk)('a full disk raises an alarm, which clears itself when there is room', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined); // LMDB's own words
  const { folder, fill, free } = disk!;
  const broker = await startTestBroker({ dataDir: folder });
  const current = async () =>
    (
      await broker.inject<{ data: Alarm[] }>('GET', '/alarms', { query: { activated: 'true' } })
    ).body.data.find(({ name }) => name === 'store_not_writable');
  const note = (text: string) =>
    broker.inject('PUT', '/users/admin', { body: { description: text.padEnd(100, 'x') } });
  await note('before');
  expect(await current()).toBeUndefined();
  fill();
  expect((await note('full')).status).toBe(503);
  expect(await current()).toMatchObject({
    message: expect.stringContaining('is the disk full?'),
    details: { folder, reason: expect.stringMatching(/space/i) },
  });
  free();
  await expect.poll(current, { timeout: 5000 }).toBeUndefined();
  expect((await note('room')).status).toBe(200);
  const { body } = await broker.inject<{ data: Alarm[] }>('GET', '/alarms', {
    query: { activated: 'false' },
  });
  expect(body.data.map(({ name }) => name)).toEqual(['store_not_writable']);
  await broker.close();
});

test('what a broker that ended in trouble left behind is cleared by the next one', () => {
  alarms.activate(STORE_ALARM, 'full');
  followStore(alarms, store);
  expect(alarms.listActive()).toEqual([]);
});

describe('the API', () => {
  let end: () => Promise<void>;
  afterEach(() => end());

  test('pages through active and past alarms', async () => {
    const broker = await startTestBroker();
    end = () => broker.close();
    const meta = { page: 1, limit: 100, count: 0, hasnext: false };
    for (const query of [{}, { activated: 'true' }, { activated: 'false' }])
      expect((await broker.inject('GET', '/alarms', { query })).body).toEqual({ data: [], meta });
    expect((await broker.inject('GET', '/alarms', { query: { activated: 'x' } })).status).toBe(400);
    expect((await broker.inject('DELETE', '/alarms')).status).toBe(204);
  });

  test('ends an alarm by hand; one that is not active is not found', async () => {
    const broker = await startTestBroker();
    end = () => broker.close();
    const body = { type: 'webhook', name: 'gone', url: 'http://127.0.0.1:1/', enable: true };
    expect((await broker.inject('POST', '/bridges', { body })).status).toBe(201);
    const listed = async (activated: boolean) =>
      (
        await broker.inject<{ data: Alarm[] }>('GET', '/alarms', {
          query: { activated: String(activated) },
        })
      ).body.data.map(({ name }) => name);
    await expect.poll(() => listed(true), { timeout: 10_000 }).toEqual(['bridge:webhook:gone']);
    expect((await broker.inject('POST', '/alarms/bridge%3Awebhook%3Agone/deactivate')).status).toBe(204);
    expect(await listed(false)).toEqual(['bridge:webhook:gone']);
    expect(await broker.inject('POST', '/alarms/none/deactivate')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });
});
