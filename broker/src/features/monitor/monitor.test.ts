import type { CurrentFigures, Sample } from '@mqdeck/contract/monitor';
import { afterEach, describe, expect, test } from 'vitest';
import { startCore } from '../../core/core.ts';
import { C } from '../../core/counters.ts';
import { memoryStore } from '../../core/store/memory-store.ts';
import { startTestBroker } from '../../testing/start-test-broker.ts';
import { Monitor } from './monitor.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 0, 1);

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A monitor whose time passes when told, over a core whose counters the test turns. */
function monitored(store = memoryStore(), start = START) {
  let now = start;
  const core = startCore();
  const monitor = new Monitor(core, store, () => now);
  ends.push(
    () => core.close(),
    () => monitor.close(),
  );
  return {
    core,
    monitor,
    store,
    receive: (messages: number) => core.counters.add(C['messages.qos0.received'], messages),
    /** In steps of a sample, as the timer would. */
    pass(ms: number, each: () => void = () => undefined) {
      for (const until = now + ms; now < until; ) {
        now += 10 * SECOND;
        each();
        monitor.tick();
      }
    },
    jump(ms: number) {
      now += ms;
      monitor.tick();
    },
  };
}

const known = (samples: Sample[]) => samples.filter((sample) => sample.received !== undefined);
const sum = (samples: Sample[]) => known(samples).reduce((total, { received }) => total + received!, 0);

describe('the history', () => {
  test('has a row every ten seconds with what happened in them', () => {
    const { monitor, pass, receive } = monitored();
    pass(30 * SECOND, () => receive(7));
    const rows = known(monitor.history(60));
    expect(rows.map(({ time_stamp }) => time_stamp)).toEqual([10, 20, 30].map((s) => START + s * SECOND));
    expect(rows.map(({ received }) => received)).toEqual([7, 7, 7]);
  });

  test('times of which nothing is known are rows with nothing but the time', () => {
    const { monitor, pass, jump } = monitored();
    pass(20 * SECOND);
    jump(50 * SECOND);
    pass(20 * SECOND);
    const rows = monitor.history(90);
    const gap = rows.filter(
      ({ time_stamp }) => time_stamp > START + 20 * SECOND && time_stamp < START + 70 * SECOND,
    );
    expect(gap).toHaveLength(4);
    for (const row of gap) expect(Object.keys(row)).toEqual(['time_stamp']);
  });

  test('longer ranges come in longer steps, and lose no message', () => {
    const { monitor, pass, receive } = monitored();
    pass(DAY, () => receive(1));
    const total = DAY / (10 * SECOND);
    const cases: [number, number][] = [
      [HOUR, 10 * SECOND],
      [DAY, MINUTE],
      [3 * DAY, 5 * MINUTE],
      [7 * DAY, 10 * MINUTE],
    ];
    for (const [range, step] of cases) {
      const rows = known(monitor.history(range / SECOND));
      expect(rows[1]!.time_stamp - rows[0]!.time_stamp, `${range}`).toBe(step);
      expect(rows.length).toBeLessThanOrEqual(1441);
      if (range > DAY) expect(sum(rows)).toBe(total);
    }
  });

  test('after a day rows of a minute are left, after a week none', () => {
    const { monitor, pass, jump, receive, store } = monitored();
    pass(HOUR, () => receive(1));
    const stored = store.collection('series');
    expect(stored.count()).toBe(360);
    jump(2 * DAY);
    expect(stored.count()).toBe(62); // 61 minutes begun, and the row of now
    expect(sum(monitor.history(7 * DAY))).toBe(360);
    jump(6 * DAY);
    expect(stored.count()).toBe(2);
    expect(sum(monitor.history(7 * DAY))).toBe(0);
  });

  test('outlives a restart; counters that begin anew do not make it jump', () => {
    const first = monitored();
    first.receive(1000);
    first.pass(10 * SECOND);
    const second = monitored(first.store, START + 10 * SECOND);
    second.receive(5);
    second.pass(10 * SECOND);
    expect(known(second.monitor.history(60)).map(({ received }) => received)).toEqual([1000, 5]);
    second.core.counters.reset();
    second.receive(2);
    second.pass(10 * SECOND);
    expect(known(second.monitor.history(60)).at(-1)!.received).toBe(2);
  });

  test('a clock that is set back makes a gap, not a step back in time', () => {
    const { monitor, pass, jump } = monitored();
    pass(MINUTE);
    jump(-30 * SECOND);
    pass(20 * SECOND);
    const times = known(monitor.history(undefined)).map(({ time_stamp }) => time_stamp);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('can be forgotten', () => {
    const { monitor, pass } = monitored();
    pass(MINUTE);
    monitor.clear();
    expect(known(monitor.history(undefined))).toEqual([]);
  });

  test('a range of ages asks for no more than there can be', () => {
    const { monitor, pass } = monitored();
    pass(MINUTE);
    expect(monitor.history(999_999_999).length).toBeLessThan(1020);
  });
});

test('rates are those of the last seconds', () => {
  const { monitor, receive, jump } = monitored();
  for (let i = 0; i < 20; i++) {
    receive(100);
    jump(SECOND);
  }
  expect(monitor.current().received_msg_rate).toBe(100);
  for (let i = 0; i < 6; i++) jump(SECOND);
  expect(monitor.current().received_msg_rate).toBe(0);
});

test('figures of this moment count clients, kept sessions and subscriptions', async () => {
  const broker = await startTestBroker();
  ends.push(() => broker.close());
  const one = await broker.client('one', { properties: { sessionExpiryInterval: 60 } });
  const two = await broker.client('two');
  await two.subscribe('$share/g/a');
  await two.subscribe('b');
  await one.disconnect();
  const { body } = await broker.inject<CurrentFigures>('GET', '/monitor_current');
  expect(body).toMatchObject({
    connections: 2,
    live_connections: 1,
    subscriptions: 2,
    shared_subscriptions: 1,
    topics: 2,
    retained_msg_count: 3, // the broker's own
  });
  expect((await broker.inject('GET', '/monitor_current/nodes/mqdeck@127.0.0.1')).body).toMatchObject({
    topics: 2,
  });
  expect(await broker.inject('GET', '/monitor_current/nodes/x')).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect(await broker.inject('GET', '/monitor/nodes/x')).toMatchObject({
    status: 404,
    body: { code: 'NOT_FOUND' },
  });
  expect((await broker.inject('DELETE', '/monitor')).status).toBe(204);
});

test('messages that a full queue or a limit loses are told apart from those that nobody wanted', () => {
  const { core, monitor, pass, jump } = monitored();
  const { counters } = core;
  pass(10 * SECOND, () => {
    counters.add(C['messages.dropped.no_subscribers'], 2);
    counters.add(C['delivery.dropped.queue_full'], 30);
    counters.add(C['packets.publish.dropped'], 5);
    counters.add(C['delivery.dropped.no_local'], 100); // nobody misses them
  });
  expect(known(monitor.history(60)).at(-1)).toMatchObject({ dropped: 2, dropped_elsewhere: 35 });
  for (let i = 0; i < 10; i++) {
    counters.add(C['delivery.dropped.queue_full']);
    jump(SECOND);
  }
  expect(monitor.current()).toMatchObject({ dropped_msg_rate: 0, dropped_elsewhere_rate: 1 });
});
