import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
beforeAll(async () => {
  broker = await startTestBroker();
  const a = await broker.client('a');
  const b = await broker.client('b', { version: 4 });
  const c = await broker.client('c');
  await a.subscribe('t/1');
  await a.subscribe('t/+', { qos: 1, noLocal: true });
  await a.subscribe('t/#', { qos: 2, retainAsPublished: true, retainHandling: 2 });
  await b.subscribe('t/1', { qos: 1 });
  await b.subscribe('ü/ä b');
  await b.subscribe('$queue/q/1');
  await c.subscribe('$share/g1/t/1', { qos: 1 });
  await c.subscribe('$share/g2/u/#');
});
afterAll(() => broker.close());

interface Page {
  data: { clientid: string; topic: string }[];
  meta: Record<string, unknown>;
}
const find = async (path: string, query: Record<string, string | number> = {}) => {
  const { body } = await broker.inject<Page>('GET', path, { query });
  return {
    rows: body.data.map(({ clientid, topic }) => (clientid ? `${clientid} ${topic}` : topic)).sort(),
    meta: body.meta,
  };
};

describe('subscriptions', () => {
  test('are listed with their options', async () => {
    const { body } = await broker.inject<Page>('GET', '/subscriptions', { query: { clientid: 'a', qos: 2 } });
    expect(body).toEqual({
      data: [
        {
          clientid: 'a',
          node: 'mqdeck@127.0.0.1',
          topic: 't/#',
          qos: 2,
          nl: 0,
          rap: 1,
          rh: 2,
          durable: false,
        },
      ],
      meta: { page: 1, limit: 100, count: 1, hasnext: false },
    });
    expect((await find('/subscriptions')).meta.count).toBe(8);
  });

  test('each filter finds its own', async () => {
    const cases: [Record<string, string | number>, string[]][] = [
      [{ clientid: 'c' }, ['c $share/g1/t/1', 'c $share/g2/u/#']],
      [{ clientid: 'nobody' }, []],
      [{ topic: 't/1' }, ['a t/1', 'b t/1']],
      [{ topic: 't/+' }, ['a t/+']],
      [{ topic: '$share/g1/t/1' }, []],
      [{ share_group: 'g1' }, ['c $share/g1/t/1']],
      [{ share_group: 'zz' }, []],
      [{ qos: 1 }, ['a t/+', 'b t/1', 'c $share/g1/t/1']],
      [{ clientid: 'a', topic: 't/1' }, ['a t/1']],
    ];
    for (const [query, expected] of cases) {
      const { rows, meta } = await find('/subscriptions', query);
      expect(rows, JSON.stringify(query)).toEqual(expected);
      expect(meta.count).toBe(expected.length);
    }
  });

  test('match_topic takes the filters that it covers, without a count', async () => {
    const covered = await find('/subscriptions', { match_topic: 't/#' });
    expect(covered.rows).toEqual(['a t/#', 'a t/+', 'a t/1', 'b t/1', 'c $share/g1/t/1']);
    expect(covered.meta).not.toHaveProperty('count');
    expect((await find('/subscriptions', { match_topic: 't/1' })).rows).toEqual([
      'a t/1',
      'b t/1',
      'c $share/g1/t/1',
    ]);
    expect((await find('/subscriptions', { match_topic: 't/1', share_group: 'g1' })).rows).toHaveLength(1);
    expect((await find('/subscriptions', { match_topic: 't/#/x' })).rows).toEqual([]);
  });

  test('sorting and paging', async () => {
    const { body } = await broker.inject<Page>('GET', '/subscriptions', {
      query: { sort: 'topic', order: 'desc', limit: 2, page: 2 },
    });
    expect(body.data.map(({ topic }) => topic)).toEqual(['t/1', 't/+']);
    expect(body.meta).toEqual({ page: 2, limit: 2, count: 8, hasnext: true, sort: 'topic', order: 'desc' });
    expect((await find('/subscriptions', { page: 50 })).rows).toEqual([]);
  });

  test('an unknown node has the code of the real API', async () => {
    expect(await broker.inject('GET', '/subscriptions', { query: { node: 'x' } })).toMatchObject({
      body: { code: 'NODE_DOWN' },
    });
  });
});

describe('topics', () => {
  const every = ['$queue/q/1', '$share/g1/t/1', '$share/g2/u/#', 't/#', 't/+', 't/1', 'ü/ä b'];

  test('every filter is listed once, shared ones with their group', async () => {
    expect((await find('/topics')).rows).toEqual(every);
    expect((await find('/topics')).meta.count).toBe(7);
    expect((await find('/topics', { node: 'mqdeck@127.0.0.1' })).rows).toEqual(every);
    expect((await find('/topics', { node: 'elsewhere' })).rows).toEqual([]);
  });

  test('one is found with the groups that share it', async () => {
    expect((await find('/topics', { topic: 't/1' })).rows).toEqual(['$share/g1/t/1', 't/1']);
    expect((await find('/topics', { topic: 'no/such' })).rows).toEqual([]);
    const get = (topic: string) =>
      broker.inject<{ topic: string }[]>('GET', `/topics/${encodeURIComponent(topic)}`);
    expect((await get('t/1')).body.map(({ topic }) => topic).sort()).toEqual(['$share/g1/t/1', 't/1']);
    expect((await get('u/#')).body.map(({ topic }) => topic)).toEqual(['$share/g2/u/#']);
    expect((await get('t/#')).status).toBe(200);
    expect(await get('no/such')).toMatchObject({ status: 404, body: { code: 'TOPIC_NOT_FOUND' } });
  });

  test('they can be sorted', async () => {
    const { body } = await broker.inject<Page>('GET', '/topics', {
      query: { sort: 'topic', order: 'desc', limit: 1 },
    });
    expect(body.data[0]!.topic).toBe('ü/ä b');
    expect(body.meta).toMatchObject({ sort: 'topic', order: 'desc', count: 7, hasnext: true });
  });

  test('they are counted without being walked where nothing is shared', async () => {
    const plain = await startTestBroker();
    const client = await plain.client('x');
    for (let i = 0; i < 5; i++) await client.subscribe(`plain/${i}`);
    const { body } = await plain.inject<Page>('GET', '/topics', { query: { limit: 2, page: 3 } });
    expect(body).toMatchObject({ data: [{ topic: 'plain/4' }], meta: { count: 5, hasnext: false } });
    await plain.close();
  });
});
