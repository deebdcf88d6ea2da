import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test } from 'vitest';
import { startTestCore } from '../testing/start-test-core.ts';
import { AccessCache, type KeptAccess } from './access.ts';

const denied = { source: 'file', rule: '{deny, all}' };
const answer = (topic: string, other: Partial<KeptAccess> = {}): KeptAccess => ({
  action: 'publish',
  topic,
  qos: 0,
  retain: false,
  access: 'allow',
  at: 1000,
  ...other,
});

describe('the answers kept for a connection', () => {
  const topics = (cache: AccessCache, now = 1000) => cache.all(now).map(({ topic }) => topic);

  test('are told apart by action, topic, QoS and retain', () => {
    const cache = new AccessCache();
    cache.keep(answer('a', { access: denied }), 2000, 32);
    expect(cache.find('publish', 'a', 0, false, 1000)?.access).toBe(denied);
    for (const [action, topic, qos, retain] of [
      ['subscribe', 'a', 0, false],
      ['publish', 'b', 0, false],
      ['publish', 'a', 1, false],
      ['publish', 'a', 0, true],
    ] as const)
      expect(cache.find(action, topic, qos, retain, 1000)).toBeNull();
  });

  test('end with their time', () => {
    const cache = new AccessCache();
    cache.keep(answer('a'), 2000, 32);
    expect(cache.find('publish', 'a', 0, false, 1999)).not.toBeNull();
    expect(cache.find('publish', 'a', 0, false, 2000)).toBeNull();
    expect(topics(cache, 2000)).toEqual([]);
  });

  test('are as many as there may be: the oldest goes, also from the memory of the last one', () => {
    const cache = new AccessCache();
    cache.keep(answer('a'), 2000, 2);
    expect(cache.find('publish', 'a', 0, false, 1000)).not.toBeNull();
    cache.keep(answer('b'), 2000, 2);
    cache.keep(answer('c'), 2000, 2);
    expect(cache.find('publish', 'a', 0, false, 1000)).toBeNull();
    expect(topics(cache)).toEqual(['c', 'b']);
  });

  test('one that is asked for again takes the place of the old one', () => {
    const cache = new AccessCache();
    for (let i = 0; i < 10; i++) {
      cache.keep(answer('a', { access: i % 2 === 0 ? 'allow' : denied }), 2000 + i, 3);
      cache.find('publish', 'a', 0, false, 1000);
    }
    expect(cache.find('publish', 'a', 0, false, 1000)?.access).toBe(denied);
    expect(topics(cache)).toEqual(['a']);
    cache.clear();
    expect(topics(cache)).toEqual([]);
    expect(cache.find('publish', 'a', 0, false, 1000)).toBeNull();
  });
});

describe('authorization with a cache', () => {
  const settings = { authorizationCache: { maxSize: 32, ttlMs: 60_000, excludes: ['secret/#'] } };

  /** A core that counts how often its one rule was asked: topics that begin with `no` are denied. */
  function counting() {
    const started = startTestCore({ settings });
    const asked: string[] = [];
    started.core.hooks.on('client.authorize', (_who, { topic }) => {
      asked.push(topic);
      return topic.startsWith('no') ? 'deny' : 'allow';
    });
    return { ...started, asked };
  }

  test('asks once for what a client does again, and counts each time', async () => {
    const { client, core, asked } = counting();
    const c = await client('c');
    for (let i = 0; i < 3; i++) {
      await c.publish('a', 'x', { qos: 1 });
      expect(await c.publish('no', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    }
    expect(asked).toEqual(['a', 'no']);
    const { counters } = core;
    expect(counters.get('client.authorize')).toBe(6);
    expect(counters.get('authorization.cache_miss')).toBe(2);
    expect(counters.get('authorization.cache_hit')).toBe(4);
    expect(counters.get('authorization.allow')).toBe(3);
    expect(counters.get('authorization.deny')).toBe(3);
    expect(counters.get('authorization.matched.deny')).toBe(1);
    expect(counters.get('packets.publish.auth_error')).toBe(3);
  });

  test('whoever wants hears each decision, and whose it was', async () => {
    const { client, core } = counting();
    const heard: string[] = [];
    const end = core.hooks.on(
      'client.authorize_complete',
      ({ clientid }, { action, topic }, access, source) =>
        heard.push(`${clientid} ${action} ${topic} ${access} ${source}`),
    );
    const c = await client('c');
    await c.publish('a', 'x', { qos: 1 });
    await c.publish('a', 'x', { qos: 1 });
    await c.subscribe('no');
    core.registry.find('c')!.who.isSuperuser = true;
    await c.publish('no', 'x', { qos: 1 });
    expect(heard).toEqual([
      'c publish a allow hook',
      'c publish a allow cache',
      'c subscribe no deny hook',
      'c publish no allow superuser',
    ]);
    end();
    await c.publish('a', 'x', { qos: 1 });
    expect(heard).toHaveLength(4);
  });

  test('a decision by nobody, or by one that fails, is heard as well', async () => {
    const { client, core } = startTestCore({ settings });
    const heard: string[] = [];
    core.hooks.on('client.authorize_complete', (_who, { topic }, access, source) =>
      heard.push(`${topic} ${access} ${source}`),
    );
    const c = await client('c');
    await c.publish('a', 'x', { qos: 1 });
    core.hooks.on('client.authorize', ({ clientid }, { topic }) => {
      if (topic === 'late') return Promise.reject(new Error(clientid));
      throw new Error(clientid);
    });
    await c.publish('b', 'x', { qos: 1 });
    await c.publish('late', 'x', { qos: 1 });
    expect(heard).toEqual(['a allow default', 'b deny default', 'late deny default']);
  });

  test('asks again when its time is over, after it was told to forget, and on a new connection', async () => {
    const { client, core, asked, pass } = counting();
    const c = await client('c');
    const publish = () => c.publish('a', 'x', { qos: 1 });
    await publish();
    pass(61_000);
    await publish();
    core.forgetAccess((who) => who.clientid === 'somebody else');
    await publish();
    expect(asked).toHaveLength(2);
    core.forgetAccess((who) => who.clientid === 'c');
    await publish();
    core.registry.find('c')!.forgetAccess();
    await publish();
    core.forgetAccess();
    await publish();
    expect(asked).toHaveLength(5);
    await c.disconnect();
    const again = await client('c');
    await again.publish('a', 'x', { qos: 1 });
    expect(asked).toHaveLength(6);
  });

  test('never keeps what is excluded, nor what was decided before it was told to forget', async () => {
    const { client, core, asked } = counting();
    const c = await client('c');
    for (let i = 0; i < 2; i++) await c.publish('secret/a', 'x', { qos: 1 });
    expect(asked).toHaveLength(2);
    let answer: (result: 'allow') => void = () => undefined;
    const asks = new Promise<void>((begun) =>
      core.hooks.on(
        'client.authorize',
        () => {
          begun();
          return new Promise((resolve) => {
            answer = resolve;
          });
        },
        { priority: 1 },
      ),
    );
    const published = c.publish('slow', 'x', { qos: 1 });
    await asks;
    core.forgetAccess();
    answer('allow');
    await published;
    expect(core.registry.find('c')!.keptAccess()).toEqual([]);
  });

  test('keeps a failure of a hook not at all, and an answer of the moment for the moment', async () => {
    const { client, core, pass } = startTestCore({ settings });
    let times = 0;
    core.hooks.on('client.authorize', (_who, { topic }) => {
      times++;
      if (topic === 'broken') throw new Error('a bug');
      return { access: 'deny', matched: false, keepMs: 1000 };
    });
    const c = await client('c');
    for (let i = 0; i < 2; i++)
      expect(await c.publish('broken', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    expect(times).toBe(2);
    for (let i = 0; i < 2; i++) expect(await c.publish('a', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    expect(times).toBe(3);
    pass(1100);
    await c.publish('a', 'x', { qos: 1 });
    expect(times).toBe(4);
    expect(core.counters.get('authorization.matched.deny')).toBe(0);
  });

  test('shows what it keeps, the latest first', async () => {
    const { client, core } = counting();
    const c = await client('c');
    await c.subscribe(['no/#', '$share/g/yes'], { qos: 1 });
    await c.publish('a', 'x', { qos: 1, retain: true });
    expect(core.registry.find('c')!.keptAccess()).toMatchObject([
      { action: 'publish', topic: 'a', qos: 1, retain: true, access: 'allow' },
      { action: 'subscribe', topic: 'yes', qos: 1, access: 'allow' },
      { action: 'subscribe', topic: 'no/#', qos: 1, access: { source: 'hook', rule: null } },
    ]);
    c.close();
    expect(core.registry.find('c')?.keptAccess() ?? []).toEqual([]);
  });

  test('a packet with very many filters that somebody has to be asked about is answered in order', async () => {
    const { client, core } = startTestCore({ settings });
    let together = 0;
    let most = 0;
    core.hooks.on('client.authorize', async (_who, { topic }) => {
      most = Math.max(most, ++together);
      await new Promise((resolve) => setImmediate(resolve));
      together--;
      return Number(topic) % 3 === 0 ? 'deny' : 'allow';
    });
    const c = await client('c');
    const codes = await c.subscribe(Array.from({ length: 200 }, (_, i) => String(i)));
    expect(codes).toEqual(
      Array.from({ length: 200 }, (_, i) => (i % 3 === 0 ? ReasonCode.NotAuthorized : 0)),
    );
    expect(most).toBeLessThanOrEqual(16);
  });
});
