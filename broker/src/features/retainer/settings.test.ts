import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import type { TestClient } from '../../testing/test-client.ts';

/** Each setting, changed by the API, with what clients notice of it. */

let broker: TestBroker;
let sensor: TestClient;
beforeEach(async () => {
  broker = await startTestBroker();
  await broker.inject('DELETE', '/mqtt/retainer/messages');
  sensor = await broker.client('sensor');
});
afterEach(() => broker.close());

const set = async (body: object) => {
  const { status } = await broker.inject('PUT', '/mqtt/retainer', { body });
  expect(status).toBe(200);
};
const retain = (topic: string, payload = 'x', properties = {}) =>
  sensor.publish(topic, payload, { retain: true, qos: 1, properties });
const kept = async () => {
  const { body } = await broker.inject<{ data: { topic: string }[] }>('GET', '/mqtt/retainer/messages');
  return body.data.map(({ topic }) => topic).sort();
};
let readers = 0;
const reader = async (filter: string) => {
  const client = await broker.client(`reader-${readers++}`);
  await client.subscribe(filter);
  return client;
};
const gets = async (client: TestClient, count: number) => {
  const topics: string[] = [];
  while (topics.length < count) topics.push((await client.expectMessage()).topic);
  await client.expectNothing();
  return topics.sort();
};

test('enable, and that of the backend: nothing is kept or handed out, and what was kept is still there', async () => {
  await retain('r/1');
  for (const [off, on] of [
    [{ enable: false }, { enable: true }],
    [{ backend: { enable: false } }, { backend: { enable: true } }],
  ]) {
    await set(off!);
    await retain('r/2');
    expect(await kept()).toEqual(['r/1']);
    await gets(await reader('r/#'), 0);
    await set(on!);
    expect(await gets(await reader('r/#'), 1)).toEqual(['r/1']);
  }
});

test('max_payload_size: what is larger is passed on and not kept', async () => {
  await set({ max_payload_size: '1KB' });
  const live = await reader('r/#');
  await retain('r/1', 'x'.repeat(1024));
  await retain('r/2', 'x'.repeat(1025));
  expect(await gets(live, 2)).toEqual(['r/1', 'r/2']);
  expect(await kept()).toEqual(['r/1']);
  await set({ max_payload_size: '2KB' });
  await retain('r/2', 'x'.repeat(1025));
  expect(await kept()).toEqual(['r/1', 'r/2']);
});

test('max_retained_messages: no other topic than so many; 0 is no limit', async () => {
  await set({ backend: { max_retained_messages: 1 } });
  await retain('r/1');
  await retain('r/2');
  await retain('r/1', 'newer');
  expect(await kept()).toEqual(['r/1']);
  await set({ backend: { max_retained_messages: 0 } });
  for (let i = 2; i <= 5; i++) await retain(`r/${i}`);
  expect(await kept()).toHaveLength(5);
});

describe('expiry', () => {
  test('msg_expiry_interval counts for what comes from then on; 0 is never', async () => {
    await retain('r/before');
    await set({ msg_expiry_interval: '20ms' });
    await retain('r/gone');
    await set({ msg_expiry_interval: '0s' });
    await retain('r/stays');
    await expect.poll(kept).toEqual(['r/before', 'r/stays']);
    expect(await gets(await reader('r/#'), 2)).toEqual(['r/before', 'r/stays']);
  });

  test('msg_expiry_interval_override counts for all there are, whatever they say themselves', async () => {
    await retain('r/1');
    await retain('r/2', 'x', { messageExpiryInterval: 3600 });
    await set({ msg_expiry_interval_override: '1ms' });
    await expect.poll(kept).toEqual([]);
    await gets(await reader('r/#'), 0);
    await set({ msg_expiry_interval_override: 'disabled' });
    expect(await gets(await reader('r/#'), 2)).toEqual(['r/1', 'r/2']);
  });

  test('allow_never_expire: an interval of 0 is never, or the usual one', async () => {
    const never = { messageExpiryInterval: 0 };
    await set({ msg_expiry_interval: '20ms' });
    await retain('r/stays', 'x', never);
    await set({ allow_never_expire: false });
    await retain('r/gone', 'x', never);
    await expect.poll(kept).toEqual(['r/stays']);
  });

  test('msg_clear_interval: what has expired is cleared away so often; 0 is not until somebody looks', async () => {
    const count = async () => {
      const { body } = await broker.inject('GET', '/stats', { query: { aggregate: 'true' } });
      return (body as Record<string, number>)['retained.count'];
    };
    await set({ msg_expiry_interval: '1ms' });
    await retain('r/1');
    await expect.poll(kept).toEqual([]);
    expect(await count()).toBe(1);
    await set({ msg_clear_interval: '1s' });
    await expect.poll(count, { timeout: 10_000 }).toBe(0);
  });
});

test('stop_publish_clear_msg: the empty message that removes is not passed on', async () => {
  await retain('r/1');
  const live = await reader('r/#');
  await gets(live, 1);
  await set({ stop_publish_clear_msg: true });
  await retain('r/1', '');
  await live.expectNothing();
  expect(await kept()).toEqual([]);
  await set({ stop_publish_clear_msg: false });
  await retain('r/1', '');
  expect(await gets(live, 1)).toEqual(['r/1']);
});

test('max_publish_rate: what comes faster is passed on and not kept', async () => {
  await set({ max_publish_rate: '1/h' });
  const live = await reader('r/#');
  await retain('r/1');
  await retain('r/2');
  expect(await gets(live, 2)).toEqual(['r/1', 'r/2']);
  expect(await kept()).toEqual(['r/1']);
  await set({ max_publish_rate: 'infinity' });
  await retain('r/2');
  expect(await kept()).toEqual(['r/1', 'r/2']);
});

describe('what a new subscriber gets', () => {
  const topics = ['r/1', 'r/2', 'r/3'];
  beforeEach(async () => {
    for (const topic of topics) await retain(topic);
  });

  test('is no more at once than delivery_rate allows all, or batch_deliver_limiter each', async () => {
    for (const [slow, fast] of [
      [{ delivery_rate: '1/h' }, { delivery_rate: 'infinity' }],
      [
        { flow_control: { batch_deliver_limiter: '1/h' } },
        { flow_control: { batch_deliver_limiter: 'infinity' } },
      ],
    ]) {
      await set(slow!);
      await gets(await reader('r/#'), 1);
      await set(fast!);
      expect(await gets(await reader('r/#'), 3)).toEqual(topics);
    }
  });

  test('comes in batches as large as it is said, all the same; 0 is without limit', async () => {
    for (const batch of [1, 2, 0]) {
      await set({ flow_control: { batch_read_number: batch, batch_deliver_number: batch } });
      expect(await gets(await reader('r/#'), 3)).toEqual(topics);
    }
  });
});
