import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SqlFault } from '@mqdeck/rulesql/errors';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openStore } from '../core/store/environment.ts';
import { memoryStore } from '../core/store/memory-store.ts';
import type { Store } from '../core/store/store.ts';
import { DeliveryError, type Driver, type Row } from './driver.ts';
import { MemoryQueue } from './queue.ts';
import { Resource, type ResourceOptions } from './resource.ts';

/** A target that does what the test says. */
class Target implements Driver {
  got: Row[] = [];
  batches: number[] = [];
  away: string | null = null;
  refuse: ((rows: readonly Row[]) => DeliveryError | null) | null = null;
  opened = 0;
  closed = 0;
  hold: Promise<void> | null = null;

  async open(): Promise<void> {
    this.opened++;
    if (this.away) throw new Error(this.away);
  }
  async check(): Promise<void> {
    if (this.away) throw new Error(this.away);
  }
  async deliver(rows: readonly Row[]): Promise<undefined> {
    await this.hold;
    if (this.away) throw new DeliveryError(this.away, true);
    const fault = this.refuse?.(rows);
    if (fault) throw fault;
    this.got.push(...rows);
    this.batches.push(rows.length);
  }
  async close(): Promise<void> {
    this.closed++;
  }
}

const usual: ResourceOptions = {
  lanes: 1,
  window: 1,
  batchSize: 1,
  batchTimeMs: 0,
  maxBufferBytes: 1024 * 1024,
  requestTtlMs: Number.POSITIVE_INFINITY,
  healthCheckMs: 20,
  autoRestartMs: 50,
  startTimeoutMs: 1000,
  disk: false,
};
const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };
const open: Resource[] = [];
const ends: (() => unknown)[] = [];
/** So much later than it is, for the resources. */
let passed = 0;
afterEach(async () => {
  passed = 0;
  vi.useRealTimers();
  await Promise.all(open.splice(0).map((resource) => resource.stop()));
  for (const end of ends.splice(0)) await end();
});

async function start(target: Target, options: Partial<ResourceOptions> = {}, store: Store = memoryStore()) {
  const statuses: string[] = [];
  const resource = new Resource({
    id: 'test:one',
    makeDriver: () => target,
    options: { ...usual, ...options },
    store,
    log,
    clock: {
      get now() {
        return Date.now() + passed;
      },
    },
    onStatus: (status, reason) => statuses.push(reason === null ? status : `${status}: ${reason}`),
  });
  open.push(resource);
  await resource.start();
  return Object.assign(resource, { statuses });
}
const numbers = (target: Target) => target.got.map(({ n }) => n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

test('rows arrive in their order, one at a time or in batches', async () => {
  const target = new Target();
  const resource = await start(target, { batchSize: 10 });
  for (const n of upTo(25)) expect(resource.send({ n })).toBe('queued');
  await vi.waitFor(() => expect(target.got).toHaveLength(25));
  expect(numbers(target)).toEqual(upTo(25));
  expect(target.batches).toEqual([10, 10, 5]);
  expect(resource.values).toMatchObject({
    matched: 25,
    success: 25,
    sent: 25,
    queuing: 0,
    inflight: 0,
    dropped: 0,
    failed: 0,
  });
});

test('a batch waits for its time to fill', async () => {
  const target = new Target();
  const resource = await start(target, { batchSize: 3, batchTimeMs: 30 });
  resource.send({ n: 0 });
  await new Promise(setImmediate);
  resource.send({ n: 1 });
  await vi.waitFor(() => expect(target.batches).toEqual([2]));
});

describe('while the target is away', () => {
  test('rows wait, and all arrive in their order when it is back', async () => {
    const target = new Target();
    const resource = await start(target);
    target.away = 'connection refused';
    for (const n of upTo(50)) resource.send({ n });
    await vi.waitFor(() => expect(resource.status).toBe('disconnected'));
    expect(resource.reason).toBe('connection refused');
    expect(resource.values).toMatchObject({ queuing: 50, success: 0 });
    target.away = null;
    await vi.waitFor(() => expect(target.got).toHaveLength(50), { timeout: 5000 });
    expect(numbers(target)).toEqual(upTo(50));
    expect(resource.values).toMatchObject({ success: 50, queuing: 0 });
    expect(resource.values.retried).toBeGreaterThan(0);
    expect(resource.statuses[0]).toBe('connecting');
    expect(resource.statuses).toContain('disconnected: connection refused');
    expect(resource.statuses.at(-1)).toBe('connected');
  });

  test('it is tried again from the start on, unless nobody wants that', async () => {
    const target = new Target();
    target.away = 'no such host';
    const resource = await start(target);
    expect(resource.status).toBe('disconnected');
    target.away = null;
    await vi.waitFor(() => expect(resource.status).toBe('connected'));
    const lost = new Target();
    lost.away = 'no such host';
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const given = await start(lost, { autoRestartMs: Number.POSITIVE_INFINITY });
    await vi.advanceTimersByTimeAsync(60_000);
    expect([given.status, lost.opened]).toEqual(['disconnected', 1]);
  });

  test('the oldest go when the buffer is full, and are counted', async () => {
    const target = new Target();
    target.away = 'away';
    const resource = await start(target, {
      maxBufferBytes: 10 * 200,
      autoRestartMs: Number.POSITIVE_INFINITY,
    });
    for (const n of upTo(40)) resource.send({ n, text: 'x'.repeat(92) });
    const { queuing, 'dropped.queue_full': full, dropped, queuing_bytes } = resource.values;
    expect([queuing, full, dropped, queuing_bytes]).toEqual([10, 30, 30, 2000]);
    target.away = null;
    await resource.restart();
    expect(resource.values['dropped.other']).toBe(10); // a restart empties the memory
  });

  test('a full buffer in memory keeps nothing of what it let go', async () => {
    const queue = new MemoryQueue();
    const gone: WeakRef<object>[] = [];
    for (const n of upTo(5000)) {
      const row = { n };
      if (n < 1000) gone.push(new WeakRef(row));
      queue.push(row, Number.POSITIVE_INFINITY);
      queue.shrinkTo(1080);
    }
    expect(queue.length).toBe(10);
    expect(queue.take(20).map(({ row }) => row.n)).toEqual(upTo(5000).slice(-10));
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    await vi.waitFor(() => {
      collect();
      expect(gone.filter((row) => row.deref() !== undefined)).toEqual([]);
    });
  });

  test('rows that waited too long are given up', async () => {
    const target = new Target();
    target.away = 'away';
    const resource = await start(target, { requestTtlMs: 60_000 });
    resource.send({ n: 0 });
    passed = 60_001;
    resource.send({ n: 1 });
    target.away = null;
    await vi.waitFor(() => expect(resource.values.queuing).toBe(0));
    expect(resource.values['dropped.expired']).toBe(1);
    expect(target.got).toEqual([{ n: 1 }]);
  });
});

test('a time that no timer can measure is a long one', async () => {
  const target = new Target();
  let checks = 0;
  target.check = async () => void checks++;
  const days = 60 * 86_400_000;
  const resource = await start(target, { startTimeoutMs: days, healthCheckMs: days, requestTtlMs: days });
  for (const n of upTo(50)) resource.send({ n });
  await vi.waitFor(() => expect(target.got).toHaveLength(50));
  expect([resource.statuses, checks]).toEqual([['connecting', 'connected'], 0]);
});

test('what the target will never take is given up, and the next ones go on', async () => {
  const target = new Target();
  target.refuse = ([row]) => (row!.n === 1 ? new DeliveryError('bad row', false) : null);
  const resource = await start(target);
  for (const n of upTo(3)) resource.send({ n });
  await vi.waitFor(() => expect(target.got).toHaveLength(2));
  expect(numbers(target)).toEqual([0, 2]);
  expect(resource.values).toMatchObject({ success: 2, failed: 1, sent: 3 });
  expect(resource.status).toBe('connected');
});

test('what cannot be written for a target is given up', async () => {
  const target = new Target();
  const write = target.deliver.bind(target);
  target.deliver = async (rows) => {
    if (rows[0]!.n === 1) throw new RangeError('Maximum call stack size exceeded');
    if (rows[0]!.n === 2) throw new SqlFault('system_limit');
    return write(rows);
  };
  const resource = await start(target);
  for (const n of upTo(4)) resource.send({ n });
  await vi.waitFor(() => expect(numbers(target)).toEqual([0, 3]));
  expect(resource.values).toMatchObject({ failed: 2, success: 2, retried: 0 });
});

test('a target that is busy is asked again after a pause, though it is well', async () => {
  const target = new Target();
  let refused = 0;
  target.refuse = () => (refused++ < 1 ? new DeliveryError('503', true) : null);
  const resource = await start(target);
  resource.send({ n: 0 });
  await vi.waitFor(() => expect(target.got).toHaveLength(1));
  expect(resource.values).toMatchObject({ retried: 1, success: 1 });
  expect(resource.status).toBe('connected');
});

test('a window lets several deliveries be on their way', async () => {
  const target = new Target();
  let release: () => void = () => undefined;
  target.hold = new Promise((resolve) => {
    release = resolve;
  });
  const resource = await start(target, { window: 4 });
  for (const n of upTo(10)) resource.send({ n });
  await vi.waitFor(() => expect(resource.values.inflight).toBe(4));
  release();
  await vi.waitFor(() => expect(target.got).toHaveLength(10));
});

test('lanes keep the order of each publisher', async () => {
  const target = new Target();
  const resource = await start(target, { lanes: 4 });
  for (const n of upTo(40)) resource.send({ n, clientid: `c${n % 4}` });
  await vi.waitFor(() => expect(target.got).toHaveLength(40));
  for (const who of ['c0', 'c1', 'c2', 'c3']) {
    const own = target.got.filter(({ clientid }) => clientid === who).map(({ n }) => n as number);
    expect(own).toEqual([...own].sort((a, b) => a - b));
  }
});

test('stopped it takes nothing, and closes what it opened', async () => {
  const target = new Target();
  const resource = await start(target);
  await resource.stop();
  expect(resource.send({ n: 0 })).toBe('stopped');
  expect(resource.values).toMatchObject({ 'dropped.resource_stopped': 1 });
  expect(target.closed).toBe(1);
  await resource.start();
  expect(resource.send({ n: 1 })).toBe('queued');
  await vi.waitFor(() => expect(numbers(target)).toEqual([1]));
});

describe('on disk', () => {
  const folder = () => {
    const made = mkdtempSync(path.join(tmpdir(), 'mqdeck-queue-'));
    ends.push(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };

  test('what waits outlives the process, in its order', async () => {
    const place = folder();
    const away = new Target();
    away.away = 'away for an hour';
    const first = openStore(place);
    const before = await start(away, { disk: true }, first);
    for (const n of upTo(200)) expect(before.send({ n, clientid: 'c' })).toBe('stored');
    await first.flushed();
    await before.stop();
    await first.close();

    const second = openStore(place);
    ends.unshift(() => second.close());
    const target = new Target();
    const after = await start(target, { disk: true, batchSize: 7 }, second);
    expect(after.values.matched).toBe(0);
    await vi.waitFor(() => expect(target.got).toHaveLength(200));
    expect(numbers(target)).toEqual(upTo(200));
    await vi.waitFor(() => expect(after.values.queuing).toBe(0));
    expect([...second.collection('bridge_queues').range()]).toEqual([]);
  });

  test('a full one lets the oldest go; a removed bridge leaves nothing', async () => {
    const store = openStore(folder());
    ends.unshift(() => store.close());
    const target = new Target();
    target.away = 'away';
    const resource = await start(target, { disk: true, maxBufferBytes: 1080 }, store);
    for (const n of upTo(20)) resource.send({ n });
    expect(resource.values).toMatchObject({ queuing: 10, 'dropped.queue_full': 10 });
    await resource.remove();
    expect([...store.collection('bridge_queues').range()]).toEqual([]);
  });

  test('with fewer or more lanes than before, what waits still arrives in the order of each publisher', async () => {
    const store = openStore(folder());
    ends.unshift(() => store.close());
    const target = new Target();
    target.away = 'away';
    const before = await start(target, { disk: true, lanes: 4 }, store);
    for (const n of upTo(60)) before.send({ n, clientid: `c${n % 6}` });
    await before.stop();
    const fewer = await start(target, { disk: true, lanes: 1 }, store);
    expect(fewer.values.queuing).toBe(60);
    for (const n of upTo(60)) fewer.send({ n: 60 + n, clientid: `c${n % 6}` });
    await fewer.stop();
    target.away = null;
    const more = await start(target, { disk: true, lanes: 8 }, store);
    await vi.waitFor(() => expect(target.got).toHaveLength(120));
    for (const n of upTo(6)) {
      const own = target.got.filter(({ clientid }) => clientid === `c${n}`).map((row) => Number(row.n));
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
    await vi.waitFor(() => expect(more.values.queuing).toBe(0));
    expect([...store.collection('bridge_queues').range()]).toEqual([]);
  });

  test('rows that another resource of the same name has settled are waited for no longer', async () => {
    const store = openStore(folder());
    ends.unshift(() => store.close());
    const target = new Target();
    target.away = 'away';
    const resource = await start(target, { disk: true }, store);
    resource.send({ n: 1 });
    store.collection('bridge_queues').clear();
    target.away = null;
    await vi.waitFor(() => expect(resource.values.queuing).toBe(0));
    resource.send({ n: 2 });
    await vi.waitFor(() => expect(numbers(target)).toEqual([2]));
  });

  test('a bridge removed after its buffer was moved to memory leaves nothing on disk', async () => {
    const store = openStore(folder());
    ends.unshift(() => store.close());
    const target = new Target();
    target.away = 'away';
    const before = await start(target, { disk: true }, store);
    before.send({ n: 1 });
    await before.stop();
    const after = await start(target, {}, store);
    await after.remove();
    expect([...store.collection('bridge_queues').range()]).toEqual([]);
  });

  test('what failed for now goes before what came later', async () => {
    const store = openStore(folder());
    ends.unshift(() => store.close());
    const target = new Target();
    let refused = 0;
    target.refuse = () => (refused++ < 1 ? new DeliveryError('busy', true) : null);
    const resource = await start(target, { disk: true, batchSize: 3 }, store);
    for (const n of upTo(9)) resource.send({ n });
    await vi.waitFor(() => expect(numbers(target)).toEqual(upTo(9)));
    expect(resource.values.queuing).toBe(0);
  });
});
