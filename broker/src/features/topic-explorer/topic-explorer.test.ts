import {
  EXPLORED_IDLE_SECONDS,
  type ExploredNode,
  type ExplorerStatus,
} from '@mqdeck/contract/topic-explorer';
import { afterEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import { TopicExplorer } from './topic-explorer.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function startCore(limits?: ConstructorParameters<typeof TopicExplorer>[1]) {
  const started = startTestCore();
  const explorer = new TopicExplorer(started.core, limits);
  ends.push(started.close, () => explorer.close());
  return { ...started, explorer };
}

interface Tree {
  data: ExploredNode[];
  hasnext: boolean;
  status: ExplorerStatus;
}

describe('nobody looking', () => {
  test('joins no hook, and none any more once nobody has looked for a while', () => {
    const { core, explorer, pass } = startCore();
    const joined = () => core.hooks.used['message.publish'].length;
    expect(joined()).toBe(0);
    explorer.look();
    expect(joined()).toBe(1);
    pass((EXPLORED_IDLE_SECONDS - 10) * 1000);
    explorer.look();
    pass((EXPLORED_IDLE_SECONDS - 10) * 1000);
    expect(joined()).toBe(1);
    pass(20_000);
    expect(joined()).toBe(0);
  });
});

describe('what is gathered', () => {
  async function withTree(): Promise<{ broker: TestBroker; tree: (query?: object) => Promise<Tree> }> {
    const broker = await startTestBroker();
    ends.push(() => broker.close());
    const tree = async (query: object = {}) =>
      (await broker.inject<Tree>('GET', '/topic_explorer', { query: { ...query } })).body;
    await tree();
    return { broker, tree };
  }

  test('is a tree, level by level, with what came to and below each', async () => {
    const { broker, tree } = await withTree();
    const screen = await broker.client('screen');
    await screen.subscribe('plant/#');
    const pump = await broker.client('pump');
    await pump.publish('plant/1/level', '5', { qos: 1, retain: true });
    await pump.publish('plant/1/level', '{"v":6}', { qos: 1 });
    await pump.publish('plant/2', 'on', { qos: 1 });
    await pump.publish('/odd/', 'x', { qos: 1 });

    const top = await tree();
    expect(top.data.map(({ name, topic, topics, messages }) => [name, topic, topics, messages])).toEqual([
      ['', '', 1, 1],
      ['plant', 'plant', 2, 3],
    ]);
    expect(top.status).toMatchObject({ topics: 3, messages: 4, sampled: 4, left_out: 0 });
    const plant = await tree({ parent: 'plant' });
    expect(plant.data.map(({ topic, own }) => [topic, own !== undefined])).toEqual([
      ['plant/1', false],
      ['plant/2', true],
    ]);
    const [level] = (await tree({ parent: 'plant/1' })).data;
    expect(level).toMatchObject({
      name: 'level',
      topic: 'plant/1/level',
      children: 0,
      messages: 2,
      own: { messages: 2, qos: 1, retained: true, subscribers: 1 },
    });
    expect((await tree({ parent: '' })).data.map(({ topic }) => topic)).toEqual(['/odd']);
    expect((await tree({ parent: '/odd' })).data.map(({ topic }) => topic)).toEqual(['/odd/']);
    expect((await tree({ parent: 'none' })).data).toEqual([]);
  });

  test('is found by a part of its name, and sorted', async () => {
    const { broker, tree } = await withTree();
    const pump = await broker.client('pump');
    for (const [topic, times] of [
      ['a/temp', 1],
      ['b/TEMP', 3],
      ['c/else', 2],
    ] as const)
      for (let i = 0; i < times; i++) await pump.publish(topic, 'x', { qos: 1 });
    const topics = async (query: object) => (await tree(query)).data.map(({ topic }) => topic);
    expect(await topics({ search: 'temp' })).toEqual(['a/temp', 'b/TEMP']);
    expect(await topics({ search: 'temp', sort: 'messages' })).toEqual(['b/TEMP', 'a/temp']);
    expect(await tree({ limit: 2 })).toMatchObject({ hasnext: true });
    expect(await topics({ limit: 2 })).toEqual(['a', 'b']);
    expect((await broker.inject('GET', '/topic_explorer', { query: { limit: 0 } })).status).toBe(400);
  });

  test('keeps the last values of a topic from the first look on', async () => {
    const { broker } = await withTree();
    const pump = await broker.client('pump');
    const look = (query: object) =>
      broker.inject<{ values: { payload: string; from: string; at: number }[] }>(
        'GET',
        '/topic_explorer/topic',
        { query: { topic: 'plant/1', ...query } },
      );
    expect(await look({})).toMatchObject({ status: 200, body: { messages: 0, values: [] } });
    await pump.publish('plant/1', 'one', { qos: 1, properties: { contentType: 'text/plain' } });
    await pump.publish('plant/1', Buffer.alloc(40_000, 'x').toString(), { qos: 1 });
    const { body } = await look({});
    expect(body.values).toHaveLength(2);
    const [large, one] = body.values;
    expect(large).toMatchObject({ bytes: 40_000, from: 'pump' });
    expect(Buffer.from(large!.payload, 'base64')).toHaveLength(16 * 1024);
    expect(one).toMatchObject({ payload: Buffer.from('one').toString('base64'), content_type: 'text/plain' });
    expect((await look({ after: large!.at })).body.values).toEqual([]);
  });

  test('is forgotten by hand', async () => {
    const { broker, tree } = await withTree();
    const pump = await broker.client('pump');
    await pump.publish('a', 'x', { qos: 1 });
    expect((await tree()).data).toHaveLength(1);
    expect((await broker.inject('DELETE', '/topic_explorer')).status).toBe(204);
    expect((await tree()).data).toEqual([]);
  });
});

describe('never more than its memory', () => {
  test('topics beyond the limit are counted as left out', async () => {
    const { core, explorer } = startCore({ topicsMax: 10 });
    const gathering = explorer.look();
    for (let i = 0; i < 25; i++) core.publish({ topic: `t/${i}`, payload: 'x' });
    expect(gathering.status).toMatchObject({ topics: 10, left_out: 15, messages: 25 });
  });

  test('values and watched topics stay within it, whatever is sent', () => {
    const { core, explorer } = startCore({ memoryMax: 200_000 });
    const gathering = explorer.look();
    gathering.values('w/1');
    const payload = Buffer.alloc(30_000, 'x');
    for (let i = 0; i < 2000; i++) core.publish({ topic: i % 2 ? 'w/1' : `deep/${i}`, payload });
    const { memory_bytes, left_out } = gathering.status;
    expect(memory_bytes).toBeLessThanOrEqual(200_000 + 25_000); // and the value that came last
    expect(left_out).toBeGreaterThan(0);
    expect(gathering.values('w/1').length).toBeGreaterThan(0);
  });

  test('the beginning of a value does not keep the rest of it in memory', () => {
    const { core, explorer } = startCore();
    const gathering = explorer.look();
    core.publish({ topic: 'large', payload: Buffer.alloc(900_000, 'x') });
    const { value } = gathering.tree.get('large')!.own!;
    expect(value).toHaveLength(512);
    expect(value!.buffer.byteLength).toBeLessThan(10_000);
  });

  test('levels that topics alone have count as memory too', () => {
    const { core, explorer } = startCore();
    const gathering = explorer.look();
    for (let i = 0; i < 100; i++)
      core.publish({
        topic: Array.from({ length: 20 }, (_, level) => `${i}-${level}`).join('/'),
        payload: 'x',
      });
    expect(gathering.status.memory_bytes).toBeGreaterThan(100 * 20 * 200);
  });

  test('a topic of a thousand levels is left out', () => {
    const { core, explorer } = startCore();
    const gathering = explorer.look();
    core.publish({ topic: 'a/'.repeat(1000), payload: '' });
    expect(gathering.status).toMatchObject({ topics: 0, left_out: 1 });
  });

  test('on a busy broker only a sample is looked at', () => {
    const { core, explorer, pass } = startCore({ perSecondMax: 100 });
    const gathering = explorer.look();
    const second = () => {
      for (let i = 0; i < 1000; i++) core.publish({ topic: `t/${i % 5}`, payload: 'x' });
      pass(1000);
    };
    for (let i = 0; i < 4; i++) second();
    const { messages, sampled } = gathering.status;
    expect(messages).toBe(4000);
    expect(sampled).toBeLessThan(1500);
    expect(sampled).toBeGreaterThan(300);
  });
});
