import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { describe, expect, test, vi } from 'vitest';
import {
  alarms,
  IDLE,
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

describe('a plugin that does harm stops alone', () => {
  test('one that throws when it starts', async () => {
    const broker = await machine();
    await installed(
      broker,
      pluginPackage('demo-1.0.0', `export default () => { throw new Error('no luck'); };`),
    );
    expect((await start(broker, 'demo-1.0.0')).status).toBe(204);
    const [status, health, reason] = await stateOf(broker, 'demo-1.0.0');
    expect([status, health]).toEqual(['stopped', 'error']);
    expect(reason).toMatch(/no luck/);
    expect(await alarms(broker)).toEqual(['plugin:demo-1.0.0']);
    await broker.inject('PUT', '/plugins/demo-1.0.0/stop');
    expect(await alarms(broker)).toEqual([]);
    expect(await stateOf(broker, 'demo-1.0.0')).toEqual(['stopped', 'ok', '']);
  });

  test.each([
    ['is no module', 'this is no JavaScript', /SyntaxError|Unexpected|missing/],
    ['exports nothing', 'export const a = 1;', /default export/],
    ['joins a hook that it did not name', on('message.publish', '() => undefined'), /does not name the hook/],
    ['imports what is not there', `import 'no-such-package'; ${IDLE}`, /no-such-package/],
    ['starts for ever', 'export default () => new Promise(() => undefined);', /did not start within 2 s/],
    ['ends its thread', 'export default () => process.exit(3);', /ended by itself/],
  ])('one that %s', async (_, module, why) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', module));
    await start(broker, 'demo-1.0.0');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(why);
  });

  test('one that loops is ended; who waits for it goes on, and the broker never stood still', async () => {
    const broker = await machine();
    const module = on('message.publish', `({ topic }) => { if (topic === 'loop') for (;;); }`);
    await running(broker, 'demo-1.0.0', module, publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('loop', 'x', { qos: 1 });
    await client.expectMessage('x');
    await vi.waitFor(
      async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/busy with itself/),
      PATIENCE,
    );
    expect(await alarms(broker)).toEqual(['plugin:demo-1.0.0']);
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[0]).toBe('running'), PATIENCE);
    expect(await alarms(broker)).toEqual([]);
  });

  test.each([
    [
      'its heap',
      'const kept = []; setInterval(() => kept.push(Array.from({ length: 1e5 }, Math.random)), 1);',
      /memory/,
    ],
    ['buffers', 'const kept = []; setInterval(() => kept.push(Buffer.alloc(4e6, 1)), 1);', /buffers/],
  ])('one that leaks %s', async (_, leak, why) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', `export default () => { ${leak} };`));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
    const client = await broker.client('c');
    await client.subscribe('t');
    await client.publish('t', 'alive');
    await client.expectMessage('alive');
  });

  test('one that throws outside of its handlers', async () => {
    const broker = await machine();
    const module = `export default () => { setTimeout(() => { throw new Error('later'); }, 10); };`;
    await installed(broker, pluginPackage('demo-1.0.0', module));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/later/), PATIENCE);
  });

  const later = (what: string) => `setTimeout(() => { ${what} }, 10)`;
  const posts = (...said: string[]) =>
    `import { parentPort } from 'node:worker_threads'; export default () => ${later(`parentPort.postMessage([${said.join()}])`)};`;
  test.each([
    ['what is no text', `export default () => ${later('throw { toString: null };')};`, /toString: null/],
    [
      'an error whose stack is no text',
      `export default () => ${later("throw Object.assign(new Error('odd'), { stack: 5 });")};`,
      /odd/,
    ],
    ['an error without end', `export default () => ${later("throw new Error('x'.repeat(1e6));")};`, /xxx/],
    [
      'what is no text, at its start',
      'export default () => { throw { toString: null }; };',
      /toString: null/,
    ],
  ])('one that throws %s, also when the broker starts with it', async (_, module, why) => {
    const first = await machine();
    await installed(first, pluginPackage('demo-1.0.0', module));
    await start(first, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(first, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
    expect((await stateOf(first, 'demo-1.0.0'))[2].length).toBeLessThan(1000);
    await first.close();
    started.splice(0);
    const second = await machine();
    await vi.waitFor(async () => expect((await stateOf(second, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
  });

  test.each([
    ['a reason that is no text', `{ did: 'fail', reason: { toString: null } }`],
    ['a count that is no number', `{ did: 'hear', count: { valueOf: null, toString: null } }`],
    ['a line that is no text', `{ did: 'log', level: 'info', text: { toString: null } }`],
    ['a level that there is not', `{ did: 'log', level: 'toString', text: 'x' }`],
    ['a trail that is none', `{ did: 'publish', id: 1, message: null, trail: 5 }`],
    ['an unknown field', `{ did: 'stop', more: 1 }`],
    ['nothing', 'null'],
  ])('one whose thread says %s', async (_, said) => {
    const broker = await machine();
    await installed(broker, pluginPackage('demo-1.0.0', posts(said)));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(
      async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/understood/),
      PATIENCE,
    );
  });

  test('one whose answers fail again and again; a single one that fails only tells', async () => {
    const broker = await machine();
    const module = on(
      'message.publish',
      `({ topic }) => { if (topic === 'bad') throw new Error('bad message'); }`,
    );
    await running(broker, 'demo-1.0.0', module, publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('bad', '1', { qos: 1 });
    await client.expectMessage('1');
    const [status, , reason] = await stateOf(broker, 'demo-1.0.0');
    expect([status, reason]).toEqual(['running', 'message.publish: Error: bad message']);
    await client.publish('good', '2', { qos: 1 });
    for (let i = 0; i < LIMITS.failuresMax; i++) await client.publish('bad', 'x', { qos: 1 });
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/10 answers in a row failed/);
  });

  test('one that floods the broker with what it says', async () => {
    const broker = await machine({ pluginLimits: { ...LIMITS, saidPerSecondMax: 2000 } });
    const flood = `import { parentPort } from 'node:worker_threads';
      export default () => { setInterval(() => { for (let i = 0; i < 1000; i++) parentPort.postMessage([]); }, 1); };`;
    await installed(broker, pluginPackage('demo-1.0.0', flood));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(
      async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/more than anybody/),
      PATIENCE,
    );
  });

  test.each([
    [
      'with large messages',
      `setInterval(() => {
        for (let i = 0; i < 20; i++) parentPort.postMessage([{ did: 'answer', id: 0, answer: new Uint8Array(1e6) }]);
      }, 1)`,
      /more than anybody/,
    ],
    [
      'with small views of large buffers',
      `const small = new Uint8Array(1e6).subarray(0, 1);
      setInterval(() => { for (let i = 0; i < 20; i++) parentPort.postMessage([{ did: 'answer', id: 0, answer: { small } }]); }, 1)`,
      /more than anybody/,
    ],
    [
      'with bytes beside what it says',
      `const bytes = new Uint8Array(1e6);
      setTimeout(() => { for (;;) parentPort.postMessage([{ did: 'log', level: 'info', text: 'a', bytes }]); }, 10)`,
      /understood/,
    ],
    [
      'with long lines',
      `setTimeout(() => parentPort.postMessage([{ did: 'log', level: 'info', text: 'a'.repeat(1e6) }]), 10)`,
      /understood/,
    ],
    [
      'with more messages to publish than wait anywhere',
      `const one = { did: 'publish', id: 1, message: { topic: 't', payload: new Uint8Array(1) }, trail: [] };
      setTimeout(() => parentPort.postMessage(Array(1001).fill(one)), 10)`,
      /publishes more/,
    ],
  ])('one that floods the broker %s', async (_, flood, why) => {
    const broker = await machine({ pluginLimits: { ...LIMITS, saidBytesPerSecondMax: 8 * 1024 ** 2 } });
    const module = `import { parentPort } from 'node:worker_threads'; export default () => { ${flood} };`;
    await installed(broker, pluginPackage('demo-1.0.0', module));
    await start(broker, 'demo-1.0.0');
    await vi.waitFor(async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(why), PATIENCE);
  });

  test('one that publishes faster than the broker takes it hears so', async () => {
    const broker = await machine();
    const module = `export default async (broker) => {
      const all = Array.from({ length: 5000 }, () => broker.publish({ topic: 'flood', payload: 'x' }));
      const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected').length;
      await broker.publish({ topic: 'refused', payload: String(refused), retain: true });
    };`;
    await running(broker, 'demo-1.0.0', module);
    const client = await broker.client('c');
    await client.subscribe('refused');
    await client.expectMessage('4000');
  });

  test.each([
    ['a topic with a wildcard', `{ topic: 'a/#' }`],
    ['a QoS that there is not', '{ qos: 3 }'],
    ['an unknown field', '{ colour: 1 }'],
    ['a payload larger than a packet', '{ payload: new Uint8Array(2 ** 21) }'],
    ['a number', '5'],
  ])('%s as an answer counts as none', async (_, answer) => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', on('message.publish', `() => (${answer})`), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await client.publish('t', 'x', { qos: 1 });
    await client.expectMessage('x');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/cannot be used/);
  });

  test.each([
    ['of a topic with a wildcard', `{ topic: 'a/#' }`, /topic/],
    ['larger than a packet', '{ payload: new Uint8Array(2 ** 21) }', /larger than a packet/],
    ['larger than a packet, as a text,', `{ payload: 'x'.repeat(2 ** 21) }`, /larger than a packet/],
  ])('answers %s count to the failures in a row', async (_, answer, why) => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', on('message.publish', `() => (${answer})`), publishHook());
    const client = await broker.client('c');
    for (let i = 0; i < LIMITS.failuresMax; i++) await client.publish('t', 'x', { qos: 1 });
    const [, , reason] = await stateOf(broker, 'demo-1.0.0');
    expect(reason).toMatch(/10 answers in a row failed/);
    expect(reason).toMatch(why);
  });

  test.each([
    ['holds a function', '({ payload: () => 1 })', /cannot be sent.*could not be cloned/],
    ['fails when it is read', '({ get payload() { throw { toString: null }; } })', /toString: null/],
    ['fails when it is sent', '({ get topic() { throw { toString: null }; } })', /cannot be sent/],
    ['is a failure that is no text', '{ throw { toString: null }; }', /toString: null/],
  ])('one answer that %s fails alone, for a reason that can be read', async (_, body, why) => {
    const broker = await machine();
    const handler = `({ topic }) => topic === 'bad' ? (() => ${body})() : { payload: 'changed' }`;
    await running(broker, 'demo-1.0.0', on('message.publish', handler), publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    await Promise.all([client.publish('bad', 'x', { qos: 1 }), client.expectMessage('x')]);
    await client.publish('good', 'y', { qos: 1 });
    await client.expectMessage('changed');
    const [status, , reason] = await stateOf(broker, 'demo-1.0.0');
    expect(status).toBe('running');
    expect(reason).toMatch(why);
  });

  test('a message to publish that cannot be sent is refused to the plugin that made it', async () => {
    const broker = await machine();
    const module = `export default async (broker) => {
      const odd = { topic: 't', payload: 'x', retain: () => 1 };
      const why = await broker.publish(odd).catch(({ message }) => message);
      await broker.publish({ topic: 'why', payload: why, retain: true });
    };`;
    await running(broker, 'demo-1.0.0', module);
    const client = await broker.client('c');
    await client.subscribe('why');
    expect(Buffer.from((await client.expectMessage()).payload).toString()).toMatch(/cannot be sent/);
  });

  test('is not started again for ever', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const broker = await machine();
      await installed(
        broker,
        pluginPackage('demo-1.0.0', `export default () => { throw new Error('no luck'); };`),
      );
      await start(broker, 'demo-1.0.0');
      for (const seconds of [1, 5, 30]) {
        expect((await stateOf(broker, 'demo-1.0.0'))[2]).toContain(`it starts again in ${seconds} s`);
        const before = (await stateOf(broker, 'demo-1.0.0'))[2];
        vi.advanceTimersByTime(seconds * 1000);
        await vi.waitFor(
          async () => expect((await stateOf(broker, 'demo-1.0.0'))[2]).not.toBe(before),
          PATIENCE,
        );
      }
      expect((await stateOf(broker, 'demo-1.0.0'))[2]).toContain('it stays stopped');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('while a plugin gives no answer', () => {
  const late = on('message.publish', '() => new Promise(() => undefined)');

  test('messages go on without it', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', late, publishHook());
    const client = await broker.client('c');
    await client.subscribe('#');
    expect(await client.publish('t', 'x', { qos: 1 })).toBe(0);
    await client.expectMessage('x');
    expect((await stateOf(broker, 'demo-1.0.0'))[2]).toMatch(/no answer within 400 ms/);
  });

  test('they are refused where its manifest says deny, also when it has ended', async () => {
    const broker = await machine();
    await running(broker, 'demo-1.0.0', late, publishHook({ failed_action: 'deny', topics: ['t'] }));
    const client = await broker.client('c');
    await client.subscribe('#');
    expect(await client.publish('t', 'x', { qos: 1 })).toBe(ReasonCode.ImplementationSpecificError);
    expect(await client.publish('other', 'y', { qos: 1 })).toBe(0);
    await client.expectMessage('y');

    await installed(
      broker,
      pluginPackage('dead-1.0.0', 'export default () => { throw new Error("x"); };', {
        hooks: [
          { name: 'client.authorize', failed_action: 'deny' },
          { name: 'client.authenticate', failed_action: 'deny' },
        ],
      }),
    );
    await start(broker, 'dead-1.0.0');
    expect((await dial(broker.core, 'd').client.connect()).reasonCode).toBe(ReasonCode.ServerUnavailable);
    expect(await client.publish('other', 'y', { qos: 1 })).toBe(ReasonCode.NotAuthorized);
    await broker.inject('PUT', '/plugins/dead-1.0.0/stop');
    expect(await client.publish('other', 'y', { qos: 1 })).toBe(0);
  });
});
