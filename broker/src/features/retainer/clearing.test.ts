import { expect, test, vi } from 'vitest';
import { memoryStore } from '../../core/store/memory-store.ts';
import { RetainedClearing } from './clearing.ts';
import { RetainedStore } from './store.ts';

const COUNT = 300;
const BEGUN_AT = 1000;
const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() };

function start() {
  const store = new RetainedStore(memoryStore(), 'ram');
  const put = (topic: string, timestamp: number) =>
    store.put({
      id: topic,
      topic,
      qos: 0,
      payload: new Uint8Array(1),
      properties: {},
      from: 'sensor',
      username: null,
      timestamp,
      expiresAt: 0,
    });
  for (let i = 0; i < COUNT; i++) put(`fleet/${i}`, BEGUN_AT - 1);
  // As if the machine were so slow that each message took a turn of the event loop
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 5;
    return now;
  });
  return { store, put, clearing: new RetainedClearing(store, log) };
}

test('a removal gives everybody else a turn, and leaves what comes meanwhile', async () => {
  const { store, put, clearing } = start();
  const begun = await clearing.start(null, BEGUN_AT);
  expect(begun).toMatchObject({ topic: null, state: 'running', total: COUNT });
  expect(store.size).toBeGreaterThan(0);
  put(`fleet/${COUNT - 1}`, BEGUN_AT + 1);
  await expect.poll(() => clearing.last?.state).toBe('done');
  expect([...store.all()].flatMap((kept) => kept?.topic ?? [])).toEqual([`fleet/${COUNT - 1}`]);
  expect(clearing.last?.removed).toBe(COUNT - 1);
  vi.restoreAllMocks();
});

test('a removal that is cancelled leaves the rest, and one ends with the broker', async () => {
  const { store, clearing } = start();
  await clearing.start('fleet/#', BEGUN_AT);
  expect(clearing.isRunning).toBe(true);
  clearing.cancel();
  expect(clearing.last).toMatchObject({ topic: 'fleet/#', state: 'cancelled', total: COUNT });
  await clearing.close();
  const left = store.size;
  expect(left).toBeGreaterThan(0);
  expect(clearing.last?.removed).toBe(COUNT - left);

  await clearing.start(null, BEGUN_AT);
  await clearing.close();
  expect(clearing.last?.state).toBe('cancelled');
  expect(store.size).toBeGreaterThan(0);
  vi.restoreAllMocks();
});
