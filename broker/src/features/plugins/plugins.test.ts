import type { PluginMetrics } from '@mqdeck/contract/plugins';
import { PacketType } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test, vi } from 'vitest';
import {
  alarms,
  type Failure,
  IDLE,
  ids,
  installed,
  LIMITS,
  machine,
  on,
  PATIENCE,
  publishHook,
  running,
  setUpPluginTests,
  start,
  started,
  stateOf,
} from '../../testing/plugin-machines.ts';
import { pluginPackage } from '../../testing/plugin-package.ts';
import { dial } from '../../testing/test-client.ts';

setUpPluginTests();

describe('a plugin', () => {
  test('that is not there is 404', async () => {
    const broker = await machine();
    for (const [method, where, body] of [
      ['GET', ''],
      ['DELETE', ''],
      ['PUT', '/start'],
      ['PUT', '/stop'],
      ['GET', '/schema'],
      ['GET', '/config'],
      ['PUT', '/config', {}],
    ] as const) {
      const answer = await broker.inject<Failure>(method, `/plugins/none-1.0.0${where}`, { body });
      expect([method, where, answer.status, answer.body.code]).toEqual([method, where, 404, 'NOT_FOUND']);
    }
    const paused = await broker.inject<Failure>('PUT', '/plugins/none-1.0.0/pause');
    expect([paused.status, paused.body.code]).toEqual([400, 'BAD_REQUEST']);
    const moved = await broker.inject<Failure>('POST', '/plugins/none-1.0.0/move', {
      body: { position: 'front' },
    });
    expect([moved.status, moved.body.code]).toEqual([400, 'MOVE_FAILED']);
  });

  test('that has started may take its time from then on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const broker = await machine();
      await running(broker, 'demo-1.0.0', IDLE);
      vi.advanceTimersByTime(10 * LIMITS.startMs);
      expect(await stateOf(broker, 'demo-1.0.0')).toEqual(['running', 'ok', '']);
    } finally {
      vi.useRealTimers();
    }
  });

  test('is stopped also while it starts, and without a word', async () => {
    const broker = await machine({ pluginLimits: { ...LIMITS, startMs: 600_000 } });
    const module = `export default async (broker) => {
      await broker.publish({ topic: 'begun', payload: '', retain: true });
      await new Promise(() => undefined);
    };`;
    await installed(broker, pluginPackage('demo-1.0.0', module));
    const client = await broker.client('c');
    await client.subscribe('begun');
    const starting = start(broker, 'demo-1.0.0');
    await client.expectMessage();
    expect((await broker.inject('PUT', '/plugins/demo-1.0.0/stop')).status).toBe(204);
    expect((await starting).status).toBe(204);
    expect(await stateOf(broker, 'demo-1.0.0')).toEqual(['stopped', 'ok', '']);
    expect(await alarms(broker)).toEqual([]);
  });

  test('is told of in numbers, from its start on', async () => {
    const broker = await machine();
    const handler = `async ({ topic }) => {
      if (topic === 't/bad') throw new Error('no luck');
      if (topic === 't/late') await new Promise(() => undefined);
      if (topic === 't/say') await broker.publish({ topic: 'said', payload: new Uint8Array(1) });
    }`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook({ topics: ['t/#'] }));
    const metrics = async () => {
      const { body } = await broker.inject<{ metrics: PluginMetrics }>('GET', '/plugins/demo-1.0.0');
      return body.metrics;
    };
    const client = await broker.client('c');
    for (const topic of ['t/good', 't/bad', 't/late', 't/say', 'other'])
      await client.publish(topic, 'x', { qos: 1 });
    const done = { asked: 4, told: 0, failed: 1, timed_out: 1, published: 1, ended: 0, restarted: 0 };
    expect(await metrics()).toMatchObject({
      ...done,
      last_error: { reason: 'message.publish: no answer within 400 ms' },
    });
    await expect.poll(async () => (await metrics()).memory, PATIENCE).toBeGreaterThan(100_000);
    await broker.inject('PUT', '/plugins/demo-1.0.0/stop');
    expect(await metrics()).toMatchObject({ ...done, memory: null });
    await start(broker, 'demo-1.0.0');
    expect(await metrics()).toMatchObject({
      asked: 0,
      failed: 0,
      timed_out: 0,
      published: 0,
      last_error: null,
    });
  });

  test('is moved to the front, the rear, before and after another', async () => {
    const broker = await machine();
    for (const name of ['a', 'b', 'c']) await installed(broker, pluginPackage(`${name}-1.0.0`, IDLE));
    const moved = async (name: string, position: string) => {
      const { status } = await broker.inject('POST', `/plugins/${name}-1.0.0/move`, { body: { position } });
      return [status, (await ids(broker)).map((id) => id[0]).join('')];
    };
    expect(await moved('c', 'front')).toEqual([200, 'cab']);
    expect(await moved('c', 'rear')).toEqual([200, 'abc']);
    expect(await moved('c', 'before:b-1.0.0')).toEqual([200, 'acb']);
    expect(await moved('a', 'after:c-1.0.0')).toEqual([200, 'cab']);
    expect(await moved('a', 'before:none-1')).toEqual([400, 'cab']);
    expect(await moved('a', 'before:a-1.0.0')).toEqual([400, 'cab']);
    expect(await moved('a', 'top')).toEqual([400, 'cab']);
  });

  test('runs again after a restart, in its order; one that was deleted does not', async () => {
    const first = await machine();
    await running(first, 'b-1.0.0', IDLE);
    await running(first, 'a-1.0.0', IDLE);
    await installed(first, pluginPackage('c-1.0.0', IDLE));
    expect((await first.inject('DELETE', '/plugins/a-1.0.0')).status).toBe(204);
    await first.close();
    started.splice(0);
    const second = await machine();
    expect(await ids(second)).toEqual(['b-1.0.0', 'c-1.0.0']);
    expect((await stateOf(second, 'b-1.0.0'))[0]).toBe('running');
    expect((await stateOf(second, 'c-1.0.0'))[0]).toBe('stopped');
  });

  test('changes a message; stopped, it does not', async () => {
    const broker = await machine();
    const handler = `(message) => ({
      payload: new TextDecoder().decode(message.payload).toUpperCase(),
      properties: { ...message.properties, userProperty: [['seen-by', 'demo']] },
    })`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook({ topics: ['room/+'] }));
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('room/1', 'warm', { qos: 1 });
    const message = await client.expectMessage('WARM');
    expect(message.properties.userProperty).toEqual([['seen-by', 'demo']]);
    await client.publish('elsewhere', 'warm');
    await client.expectMessage('warm');
    await broker.inject('PUT', '/plugins/demo-1.0.0/stop');
    await client.publish('room/1', 'warm');
    await client.expectMessage('warm');
  });

  test('keeps the order of a publisher whose messages it holds up', async () => {
    const broker = await machine();
    const handler = '(m) => new Promise((done) => setTimeout(done, m.topic === "slow" ? 30 : 0))';
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    for (const [topic, payload] of [
      ['slow', '1'],
      ['fast', '2'],
      ['slow', '3'],
      ['fast', '4'],
    ] as const)
      await client.publish(topic, payload);
    expect(await client.expectMessages(4)).toEqual(['1', '2', '3', '4']);
  });

  test('drops a message, or refuses it', async () => {
    const broker = await machine();
    const handler = `({ topic }) => (topic === 'drop' ? { drop: true } : topic === 'refuse' ? { refuse: 'no' } : undefined)`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    expect(await client.publish('drop', 'x', { qos: 1 })).toBe(0);
    expect(await client.publish('refuse', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    await client.publish('through', 'y', { qos: 1 });
    expect((await client.expectMessage()).topic).toBe('through');
  });

  test('is asked in the order of the list, each after what those before it changed', async () => {
    const broker = await machine();
    const adds = (letter: string) =>
      on('message.publish', `(m) => ({ payload: new TextDecoder().decode(m.payload) + '${letter}' })`);
    await running(broker, 'a-1.0.0', adds('a'), publishHook());
    await running(broker, 'b-1.0.0', adds('b'), publishHook());
    const client = await broker.client('c');
    await client.subscribe('t');
    await client.publish('t', '-');
    await client.expectMessage('-ab');
    await broker.inject('POST', '/plugins/b-1.0.0/move', { body: { position: 'front' } });
    await client.publish('t', '-');
    await client.expectMessage('-ba');
  });

  test('authenticates, authorizes and subscribes clients, and refuses them', async () => {
    const broker = await machine();
    const module = `export default (broker) => {
      broker.on('client.connect', ({ clientid }) => (clientid === 'unwanted' ? { refuse: 'unwanted' } : undefined));
      broker.on('client.authenticate', (client, password) =>
        password && new TextDecoder().decode(password) === 'right' ? { allow: true } : { allow: false, why: 'wrong' });
      broker.on('client.authorize', (client, { topic }) => (topic === 'secret' ? 'deny' : 'allow'));
      broker.on('client.subscribe', (client, filters) => filters.map((filter) => filter.replace('mine', client.clientid)));
    };`;
    const hooks = ['client.connect', 'client.authenticate', 'client.authorize', 'client.subscribe'];
    await running(broker, 'demo-1.0.0', module, { hooks: hooks.map((name) => ({ name })) });
    const connect = async (clientid: string, password: string) =>
      (await dial(broker.core, clientid, { username: 'u', password }).client.connect()).reasonCode;
    expect(await connect('c1', 'wrong')).toBe(ReasonCode.NotAuthorized);
    expect(await connect('unwanted', 'right')).toBe(ReasonCode.NotAuthorized);
    const client = await broker.client('c2', { username: 'u', password: 'right' });
    expect(await client.subscribe('secret')).toEqual([ReasonCode.NotAuthorized]);
    expect(await client.subscribe('mine/x')).toEqual([0]);
    expect(await client.publish('secret', 'x', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    await client.publish('c2/x', 'hello');
    await client.expectMessage('hello');
  });

  test('looks on without holding anybody up, and publishes what it saw', async () => {
    const broker = await machine();
    const module = `export default (broker) => {
      let count = 0;
      broker.on('message.publish', () => broker.publish({ topic: 'count', payload: String(++count) }));
      broker.on('client.connected', ({ clientid }) => broker.publish({ topic: 'came', payload: clientid }));
    };`;
    await running(broker, 'demo-1.0.0', module, {
      hooks: [{ name: 'message.publish', observe: true }, { name: 'client.connected' }],
    });
    const client = await broker.client('c');
    await client.subscribe(['count', 'came']);
    await client.publish('t', 'x');
    await client.expect(PacketType.PUBLISH, ({ topic }) => topic === 'count');
    await broker.client('second');
    await client.expect(
      PacketType.PUBLISH,
      ({ topic, payload }) => topic === 'came' && Buffer.from(payload).toString() === 'second',
    );
  });

  test('is not asked about what it published itself, nor do two plugins answer each other for ever', async () => {
    const broker = await machine();
    const echo = (to: string) =>
      on('message.publish', `(m) => { broker.publish({ topic: '${to}', payload: m.payload }); }`);
    await running(broker, 'ping-1.0.0', echo('pong'), publishHook({ topics: ['ping', 'pong'] }));
    await running(broker, 'pong-1.0.0', echo('ping'), publishHook({ topics: ['ping', 'pong'] }));
    const client = await broker.client('c');
    await client.subscribe(['ping', 'pong']);
    await client.publish('ping', 'x');
    // The client's own, one answer of each, and each one's answer to that of the other.
    const topics: string[] = [];
    while (topics.length < 5) topics.push((await client.expectMessage()).topic);
    expect(topics.toSorted()).toEqual(['ping', 'ping', 'ping', 'pong', 'pong']);
    await client.expectNothing();
  });

  test('sees neither the environment of the broker nor publishes what no packet can carry', async () => {
    const broker = await machine();
    const module = `export default async (broker) => {
      const wrong = await broker.publish({ topic: 'a/#', payload: '' }).catch(({ message }) => message);
      await broker.publish({ topic: 'told', payload: JSON.stringify([Object.keys(process.env), wrong]), retain: true });
    };`;
    await running(broker, 'demo-1.0.0', module);
    const client = await broker.client('c');
    await client.subscribe('told');
    const [env, wrong] = JSON.parse(Buffer.from((await client.expectMessage()).payload).toString());
    expect(env).toEqual([]);
    expect(wrong).toMatch(/topic/i);
  });
});
