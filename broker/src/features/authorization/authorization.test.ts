import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AuthorizationSource, BuiltInRule } from '@mqdeck/contract/authorization';
import { PacketType, type ProtocolVersion } from '@mqdeck/mqtt/packets';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import { afterEach, describe, expect, test } from 'vitest';
import { BackendConfigError } from '../../backends/backend.ts';
import type { ClientInfo } from '../../core/hooks.ts';
import { openStore } from '../../core/store/environment.ts';
import { SettingsStore } from '../../settings/settings.ts';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { startTestCore } from '../../testing/start-test-core.ts';
import type { ClientOptions } from '../../testing/test-client.ts';
import { Authorization } from './authorization.ts';
import { BuiltInRules } from './built-in-rules.ts';
import type { Source, SourceVerdict } from './source.ts';

const { NotAuthorized } = ReasonCode;
const NOBODY_THERE = ReasonCode.NoMatchingSubscribers; // it was allowed
const ANOTHER_MACHINE = '192.0.2.7';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(options: Parameters<typeof startTestBroker>[0] = {}): Promise<TestBroker> {
  const broker = await startTestBroker(options);
  ends.push(() => broker.close());
  return broker;
}

const BASE = '/authorization/sources';
const RULES = `${BASE}/built_in_database/rules`;

/** Calls the API and expects that it does what it is told. */
const tell = async (broker: TestBroker, method: string, where: string, body?: unknown) => {
  const answer = await broker.inject(method, where, body === undefined ? {} : { body });
  expect(answer.status, `${method} ${where}: ${JSON.stringify(answer.body)}`).toBeLessThan(300);
  return answer.body;
};
const useFile = (broker: TestBroker, rules: string) =>
  tell(broker, 'PUT', `${BASE}/file`, { type: 'file', enable: true, rules });
const useBuiltIn = (broker: TestBroker) =>
  tell(broker, 'POST', BASE, { type: 'built_in_database', enable: true });
const rule = (permission: 'allow' | 'deny', action: BuiltInRule['action'], topic: string) => ({
  permission,
  action,
  topic,
});
/** A client that is nobody in particular. */
const guest = (broker: TestBroker, clientid = 'guest', options: ClientOptions = {}) =>
  broker.client(clientid, { address: ANOTHER_MACHINE, ...options });
const mayPublish = async (client: Awaited<ReturnType<typeof guest>>, topic: string) =>
  (await client.publish(topic, 'x', { qos: 1 })) !== NotAuthorized;
const maySubscribe = async (client: Awaited<ReturnType<typeof guest>>, filter: string) =>
  (await client.subscribe(filter))[0]! < 0x80;

describe('the rules everybody begins with', () => {
  test('keep what the broker says of itself, and everything at once, from ordinary clients', async () => {
    const broker = await started();
    const client = await guest(broker);
    expect(await client.subscribe(['$SYS/#', '#', '+/#', '$SYS/brokers', 't/#', '+/a'])).toEqual([
      NotAuthorized,
      NotAuthorized,
      NotAuthorized,
      NotAuthorized,
      0,
      0,
    ]);
    expect(
      await client.subscribe(['$share/g/#', '$queue/#', '$exclusive/#', '$share/g/$SYS/#', '$share/g/t']),
    ).toEqual([NotAuthorized, NotAuthorized, NotAuthorized, NotAuthorized, 0]);
    expect(await client.publish('t/1', 'x', { qos: 1 })).toBe(0);
  });

  test('let the user dashboard see the system topics, and this machine everything', async () => {
    const broker = await started();
    const dashboard = await guest(broker, 'd', { username: 'dashboard' });
    expect(await dashboard.subscribe(['$SYS/#', '#'])).toEqual([0, NotAuthorized]);
    const local = await broker.client('local');
    expect(await local.subscribe(['$SYS/#', '#', '+/#'])).toEqual([0, 0, 0]);
  });
});

describe('a denied client', () => {
  test('of MQTT 5 is told 0x87 in SUBACK, PUBACK and PUBREC, and stays connected', async () => {
    const broker = await started();
    await useFile(broker, '{deny, all, all, ["secret/#"]}.');
    const client = await guest(broker);
    expect(await client.subscribe(['secret/a', 'open/a'])).toEqual([NotAuthorized, 0]);
    for (const qos of [1, 2] as const)
      expect(await client.publish('secret/a', 'x', { qos })).toBe(NotAuthorized);
    client.sendPublish('secret/a', 'x');
    await client.publish('open/a', 'still here', { qos: 1 });
    await client.expectMessage('still here');
    const counted = broker.core.counters;
    expect(counted.get('packets.publish.auth_error')).toBe(3);
    expect(counted.get('packets.subscribe.auth_error')).toBe(1);
    expect(counted.get('authorization.deny')).toBe(4);
  });

  test('of MQTT 3.1.1 is told 0x80 in SUBACK, and nothing of its messages [MQTT311-3.3.5-2]', async () => {
    const broker = await started();
    await useFile(broker, '{deny, all, all, ["secret/#"]}.');
    const screen = await broker.client('screen');
    const client = await guest(broker, 'old', { version: 4 });
    expect(await client.subscribe(['secret/a', 'open'])).toEqual([0x80, 0]);
    await screen.subscribe('open');
    for (const qos of [1, 2] as const) expect(await client.publish('secret/a', 'x', { qos })).toBe(0);
    await client.publish('open', 'y');
    await screen.expectMessage('y');
  });

  const disconnects = async (version: ProtocolVersion) => {
    const broker = await started();
    await useFile(broker, '{deny, all, all, ["secret/#"]}.');
    await tell(broker, 'PUT', '/authorization/settings', {
      no_match: 'allow',
      deny_action: 'disconnect',
      cache: {},
    });
    const publisher = await guest(broker, 'p', { version });
    publisher.sendPublish('secret/a', 'x');
    const subscriber = await guest(broker, 's', { version });
    subscriber.send({
      type: PacketType.SUBSCRIBE,
      packetId: 1,
      subscriptions: [
        { filter: 'secret/a', qos: 0, noLocal: false, retainAsPublished: false, retainHandling: 0 },
      ],
      properties: {},
    });
    return { broker, publisher, subscriber };
  };

  test('is disconnected where deny_action says so, with 0x87 to whom it can be said', async () => {
    const { broker, publisher, subscriber } = await disconnects(5);
    await publisher.expectDisconnect(NotAuthorized);
    await subscriber.expectDisconnect(NotAuthorized);
    const innocent = await guest(broker, 'innocent');
    expect(await mayPublish(innocent, 'open')).toBe(true);
  });

  test('of an older version is disconnected without a word', async () => {
    const { publisher, subscriber } = await disconnects(4);
    await publisher.expectEnd();
    await subscriber.expectEnd();
  });

  test('that is gone leaves no will on a topic it may not publish to', async () => {
    const broker = await started();
    await useFile(broker, '{deny, {clientid, "bad"}, publish, ["wills/#"]}.');
    const screen = await broker.client('screen');
    await screen.subscribe('wills/#');
    const bad = await guest(broker, 'bad', { will: { topic: 'wills/bad', retain: true } });
    const good = await guest(broker, 'good', { will: { topic: 'wills/good' } });
    bad.close();
    good.close();
    expect((await screen.expectMessage()).topic).toBe('wills/good');
    await screen.expectNothing();
    const late = await broker.client('late');
    await late.subscribe('wills/#');
    await late.expectNothing();
  });

  test('cannot publish to a topic by way of $delayed', async () => {
    const broker = await started();
    await useFile(broker, '{deny, all, publish, ["secret"]}.');
    const client = await guest(broker);
    for (const topic of ['$delayed/1/secret', '$delayed/0/secret', '$delayed/1/$delayed/1/secret'])
      expect(await mayPublish(client, topic), topic).toBe(false);
    expect(await mayPublish(client, '$delayed/1/open')).toBe(true);
  });
});

describe('what a name can do', () => {
  const HOSTILE = ['+', '#', 'a/b', '+/+', '${clientid}', '%c', '.*', '.*-', '$SYS', '$share', 'x\u0001'];

  test('nothing: an id with wildcards, slashes or patterns in it widens no permission', async () => {
    const broker = await started();
    await tell(broker, 'DELETE', `${BASE}/file`);
    await useBuiltIn(broker);
    await tell(broker, 'PUT', '/authorization/settings', {
      no_match: 'deny',
      deny_action: 'ignore',
      cache: {},
    });
    await tell(broker, 'POST', `${RULES}/all`, {
      rules: [rule('allow', 'all', 'd/${clientid}/#'), rule('allow', 'all', '${username}/#')],
    });
    const honest = await guest(broker, 'honest', { username: 'honest' });
    expect(await mayPublish(honest, 'd/honest/up')).toBe(true);
    expect(await maySubscribe(honest, 'd/honest/#')).toBe(true);
    for (const name of HOSTILE) {
      const client = await guest(broker, name, { username: name });
      for (const filter of [
        '#',
        '+/#',
        'd/#',
        'd/+/#',
        'd/honest/#',
        'd/a/#',
        'honest/#',
        'a/#',
        '$SYS/#',
        '$SYS/brokers',
      ])
        expect(await maySubscribe(client, filter), `${name} ${filter}`).toBe(false);
      for (const topic of ['d/honest/up', 'd/a/b/up', 'd/x/up', 'honest/up', 'a/b/up', '$SYS/up'])
        expect(await mayPublish(client, topic), `${name} ${topic}`).toBe(false);
      await client.disconnect();
    }
  });

  test('nor does a template of one reach anything but itself', async () => {
    const broker = await started();
    await useBuiltIn(broker);
    for (const topic of [
      '${__proto__.x}',
      'a/${constructor}',
      '${client_attrs.}',
      `\${${'a.'.repeat(1000)}b}`,
    ])
      expect(
        (await broker.inject('POST', `${RULES}/all`, { body: { rules: [rule('allow', 'all', topic)] } }))
          .status,
      ).toBe(400);
    await tell(broker, 'POST', `${RULES}/all`, {
      rules: [rule('allow', 'all', '${client_attrs.__proto__}')],
    });
    await useFile(broker, '{deny, all}.');
    expect(await mayPublish(await guest(broker), '[object Object]')).toBe(false);
    await expect(useFile(broker, '{allow, all, all, ["${constructor.constructor}"]}.')).rejects.toThrow(
      'placeholder',
    );
  });

  test('patterns are linear, and those that cannot be are refused', async () => {
    const broker = await started();
    await useFile(broker, '{deny, {clientid, {re, "^(a+)+$"}}, all, ["t"]}.');
    // One that tries every split of the letters would never end
    const client = await guest(broker, `${'a'.repeat(5000)}!`);
    expect(await mayPublish(client, 't')).toBe(true);
    expect(await mayPublish(await guest(broker, 'aaa'), 't')).toBe(false);
    for (const pattern of ['(?=a)b', '(a)\\\\1', '['])
      await expect(useFile(broker, `{allow, {clientid, {re, "${pattern}"}}, all, ["t"]}.`)).rejects.toThrow(
        'line 1',
      );
  });
});

describe('sources', () => {
  test('are asked in their order until one decides, and count what they decided', async () => {
    const broker = await started();
    await useFile(broker, '{allow, all, publish, ["a"]}. {deny, all}.');
    await useBuiltIn(broker); // to the front
    await tell(broker, 'POST', `${RULES}/all`, { rules: [rule('deny', 'publish', 'a')] });
    const client = await guest(broker);
    expect(await mayPublish(client, 'a')).toBe(false);
    await tell(broker, 'POST', `${BASE}/file/move`, { position: 'before:built_in_database' });
    expect(await mayPublish(client, 'a')).toBe(true);
    expect(await mayPublish(client, 'b')).toBe(false);
    await tell(broker, 'PUT', `${BASE}/file`, { type: 'file', enable: false, rules: '{deny, all}.' });
    expect(await mayPublish(client, 'b')).toBe(true);
    interface Status {
      status: string;
      metrics: Record<string, number>;
    }
    const metricsOf = async (type: string) =>
      ((await tell(broker, 'GET', `${BASE}/${type}/status`)) as Status).metrics;
    expect(await metricsOf('built_in_database')).toMatchObject({
      allow: 0,
      deny: 1,
      nomatch: 1,
      ignore: 0,
      total: 2,
    });
    expect(await metricsOf('file')).toMatchObject({ allow: 1, deny: 1, nomatch: 0, ignore: 0, total: 2 });
  });

  test('are not asked about superusers, and asked after the rules that came with the credentials', async () => {
    const broker = await started();
    await useFile(broker, '{deny, all}.');
    broker.core.hooks.on(
      'client.connect',
      (who) => {
        who.isSuperuser = who.clientid === 'root';
        if (who.clientid === 'token')
          who.acl = [
            {
              permission: 'allow',
              who: { kind: 'all' },
              action: 'publish',
              qos: null,
              retain: null,
              topics: [{ filter: 't/${clientid}', eq: false }],
            },
          ];
      },
      { priority: -1 },
    );
    const root = await guest(broker, 'root');
    expect(await maySubscribe(root, '#')).toBe(true);
    const token = await guest(broker, 'token');
    expect(await mayPublish(token, 't/token')).toBe(true);
    expect(await mayPublish(token, 't/other')).toBe(false);
    expect(await maySubscribe(token, 't/token')).toBe(false);
    expect(broker.core.counters.get('authorization.superuser')).toBe(1);
  });

  test('without any, no_match decides', async () => {
    const broker = await started();
    await tell(broker, 'DELETE', `${BASE}/file`);
    const client = await guest(broker);
    expect(await maySubscribe(client, '#')).toBe(true);
    await tell(broker, 'PUT', '/authorization/settings', {
      no_match: 'deny',
      deny_action: 'ignore',
      cache: {},
    });
    expect(await maySubscribe(client, '#')).toBe(false);
    expect(broker.core.counters.get('authorization.nomatch')).toBe(2);
  });
});

describe('a source that fails', () => {
  /** Sources that say what the test wants, in place of those that need another system. */
  function startWith(answers: Partial<Record<string, () => SourceVerdict | Promise<SourceVerdict>>>) {
    const testing = startTestCore();
    ends.push(() => testing.close());
    const types = Object.keys(answers) as ('file' | 'built_in_database' | 'http')[];
    const settings = new SettingsStore(null);
    settings.get('authorization').sources = types.map(
      (type) => ({ type, enable: true }) as AuthorizationSource,
    );
    const asked: string[] = [];
    const open = ({ type }: AuthorizationSource): Source => ({
      authorize: () => {
        asked.push(type);
        return answers[type]!();
      },
      status: 'connected',
      reason: null,
      resourceMetrics: { matched: 0, success: 0, failed: 0 },
      close: () => Promise.resolve(),
    });
    const authorization = new Authorization(testing.core, settings, open);
    ends.push(() => authorization.close());
    return { ...testing, authorization, asked };
  }
  const says = (result: SourceVerdict['result']) => (): SourceVerdict => ({ result, why: '' });
  const soon = (result: SourceVerdict['result']) => (): Promise<SourceVerdict> =>
    Promise.resolve({ result, why: '' });
  const FAILURES: [string, () => SourceVerdict | Promise<SourceVerdict>][] = [
    ['says so', says('ignore')],
    ['says so later', soon('ignore')],
    [
      'throws',
      () => {
        throw new Error('a bug');
      },
    ],
    ['rejects', () => Promise.reject(new Error('a bug'))],
  ];

  test.each(FAILURES)('never means yes (%s), although no_match is allow', async (_how, failure) => {
    const { client, core, authorization } = startWith({ http: failure });
    const c = await client('c');
    expect(await c.publish('t', 'x', { qos: 1 })).toBe(NotAuthorized);
    expect(await c.subscribe('t')).toEqual([NotAuthorized]);
    expect(authorization.find('http')!.metrics).toMatchObject({ ignore: 2, total: 2 });
    expect(core.counters.get('authorization.nomatch')).toBe(0);
  });

  test.each(FAILURES)(
    'leaves the decision to the next (%s), not for longer than a moment',
    async (_how, failure) => {
      const { client, asked, pass } = startWith({ http: failure, file: says('allow') });
      const c = await client('c');
      const publish = () => c.publish('t', 'x', { qos: 1 });
      expect(await publish()).toBe(NOBODY_THERE);
      await publish();
      expect(asked).toEqual(['http', 'file']);
      pass(1100);
      await publish();
      expect(asked).toHaveLength(4);
    },
  );

  test('and one that knows nothing are two things', async () => {
    const { client, asked } = startWith({ http: soon('nomatch'), file: says('nomatch') });
    const c = await client('c');
    for (let i = 0; i < 3; i++) expect(await c.publish('t', 'x', { qos: 1 })).toBe(NOBODY_THERE);
    expect(asked).toEqual(['http', 'file']); // and the answer is kept
  });

  test('of the credentials themselves decides nothing either', async () => {
    const { client, core } = startWith({ file: says('nomatch') });
    core.hooks.on('client.connect', (who) => {
      who.acl = [
        {
          permission: 'deny',
          who: { kind: 'clientid_re', pattern: '(' },
          action: 'all',
          qos: null,
          retain: null,
          topics: [{ filter: '#', eq: false }],
        },
      ];
    });
    const c = await client('c');
    expect(await c.publish('t', 'x', { qos: 1 })).toBe(NotAuthorized);
  });

  test('one that waits keeps the order of its client, and nobody else waiting', async () => {
    let answer: (verdict: SourceVerdict) => void = () => undefined;
    const { client } = startWith({
      http: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
      file: says('allow'),
    });
    const screen = await client('screen');
    const subscribed = screen.subscribe('t');
    answer({ result: 'nomatch', why: '' });
    await subscribed;
    const slow = await client('slow');
    slow.sendPublish('t', '1');
    slow.sendPublish('t', '2');
    await screen.expectNothing();
    answer({ result: 'nomatch', why: '' });
    await screen.expectMessage('1');
    await screen.expectMessage('2'); // known by now
  });

  test('one that is exchanged answers who waits for it, and ends then', async () => {
    const { client, authorization, answer, closed } = startSlow();
    const c = await client('c');
    const published = c.publish('t', 'x', { qos: 1 });
    await authorization.change((seats) => {
      seats[0]!.change({ type: 'file', enable: true, rules: '' });
      return [...seats];
    });
    expect(closed).toEqual([]);
    answer({ result: 'allow', why: '' });
    expect(await published).toBe(NOBODY_THERE);
    expect(closed).toEqual(['first']);
  });

  function startSlow() {
    const testing = startTestCore();
    ends.push(() => testing.close());
    const closed: string[] = [];
    let answer: (verdict: SourceVerdict) => void = () => undefined;
    let opened = 0;
    const authorization = new Authorization(testing.core, new SettingsStore(null), () => {
      const name = opened++ === 0 ? 'first' : 'second';
      return {
        authorize: () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
        status: 'connected',
        reason: null,
        resourceMetrics: null,
        close: async () => void closed.push(name),
      };
    });
    return { ...testing, authorization, closed, answer: (verdict: SourceVerdict) => answer(verdict) };
  }

  test('of a stored configuration waits to be mended, and says why', async () => {
    const settings = new SettingsStore(null);
    const testing = startTestCore();
    ends.push(() => testing.close());
    const authorization = new Authorization(testing.core, settings, () => {
      throw new BackendConfigError('rules', 'cannot be read');
    });
    expect(authorization.find('file')).toMatchObject({
      status: 'disconnected',
      reason: 'rules: cannot be read',
    });
    const c = await testing.client('c');
    expect(await c.publish('t', 'x', { qos: 1 })).toBe(NotAuthorized);
  });
});

describe('rules of the built-in database', () => {
  test('of the client come first, then those of the user, then those of all', async () => {
    const broker = await started();
    await tell(broker, 'DELETE', `${BASE}/file`);
    await useBuiltIn(broker);
    await tell(broker, 'POST', `${RULES}/all`, { rules: [rule('deny', 'all', '#')] });
    await tell(broker, 'POST', `${RULES}/users`, [
      { username: 'u', rules: [rule('allow', 'publish', 'u/${username}'), rule('deny', 'publish', 'c')] },
    ]);
    await tell(broker, 'POST', `${RULES}/clients`, [
      { clientid: 'c1', rules: [{ ...rule('allow', 'publish', 'c'), qos: [1], retain: false }] },
    ]);
    const c1 = await guest(broker, 'c1', { username: 'u' });
    const c2 = await guest(broker, 'c2', { username: 'u' });
    const nobody = await guest(broker, 'c3');
    expect(await mayPublish(c1, 'c')).toBe(true);
    expect(await c1.publish('c', 'x', { qos: 2 })).toBe(NotAuthorized);
    expect(await c1.publish('c', 'x', { qos: 1, retain: true })).toBe(NotAuthorized);
    expect(await mayPublish(c2, 'c')).toBe(false);
    expect(await mayPublish(c2, 'u/u')).toBe(true);
    expect(await mayPublish(nobody, 'u/u')).toBe(false);
  });

  test('count at once when they change, for clients that are connected', async () => {
    const broker = await started();
    await useBuiltIn(broker);
    const client = await guest(broker, 'c', { username: 'u' });
    expect(await mayPublish(client, 't')).toBe(true);
    const steps: [method: string, where: string, body: unknown, answer: boolean][] = [
      ['POST', `${RULES}/clients`, [{ clientid: 'c', rules: [rule('deny', 'all', 't')] }], false],
      ['PUT', `${RULES}/clients/c`, { clientid: 'c', rules: [] }, true],
      ['POST', `${RULES}/users`, [{ username: 'u', rules: [rule('deny', 'all', 't')] }], false],
      ['DELETE', `${RULES}/users/u`, undefined, true],
      ['POST', `${RULES}/all`, { rules: [rule('deny', 'all', 't')] }, false],
      ['DELETE', `${RULES}/all`, undefined, true],
      ['PUT', `${RULES}/users/u`, { username: 'u', rules: [rule('deny', 'all', 't')] }, false],
      ['PUT', `${BASE}/built_in_database`, { type: 'built_in_database', enable: false }, true],
      ['PUT', `${BASE}/built_in_database`, { type: 'built_in_database', enable: true }, false],
      ['DELETE', `${RULES}/users/u`, undefined, true],
    ];
    for (const [method, where, body, answer] of steps) {
      await tell(broker, method, where, body);
      expect(await mayPublish(client, 't'), `${method} ${where}`).toBe(answer);
    }
  });

  test('leave the answers of those alone whom they do not concern', async () => {
    const broker = await started();
    await useBuiltIn(broker);
    const other = await guest(broker, 'other', { username: 'o' });
    await mayPublish(other, 't');
    await tell(broker, 'POST', `${RULES}/users`, [{ username: 'u', rules: [] }]);
    expect(broker.core.registry.find('other')!.keptAccess()).toHaveLength(1);
    await tell(broker, 'POST', `${RULES}/all`, { rules: [] });
    expect(broker.core.registry.find('other')!.keptAccess()).toHaveLength(0);
  });

  test('are created all or none, and no more of them than max_rules', async () => {
    const broker = await started();
    const post = (body: unknown) => broker.inject<{ code: string }>('POST', `${RULES}/users`, { body });
    expect((await post([{ username: 'a', rules: [] }])).status).toBe(204);
    expect(
      await post([
        { username: 'b', rules: [] },
        { username: 'a', rules: [] },
      ]),
    ).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_EXISTS' },
    });
    expect((await broker.inject('GET', `${RULES}/users/b`)).status).toBe(404);
    const many = Array.from({ length: 101 }, () => rule('allow', 'all', 't'));
    expect((await post([{ username: 'c', rules: many }])).status).toBe(400);
    expect((await post([{ username: 'c', rules: many.slice(1) }])).status).toBe(204);
    await tell(broker, 'POST', BASE, { type: 'built_in_database', max_rules: 200 });
    expect(
      (await broker.inject('PUT', `${RULES}/users/c`, { body: { username: 'c', rules: many } })).status,
    ).toBe(204);
    for (const username of ['x'.repeat(1025), 'ü'.repeat(513), 'a\0b'])
      expect((await post([{ username, rules: [] }])).status).toBe(400);
    expect(
      (await broker.inject('PUT', `${RULES}/users/c`, { body: { username: 'd', rules: [] } })).status,
    ).toBe(400);
  });

  test('of 100,000 clients are listed, searched and obeyed without a wait', async () => {
    const dataDir = temporaryFolder();
    const store = openStore(dataDir);
    const stored = new BuiltInRules(store);
    const rules: BuiltInRule[] = [
      { ...rule('allow', 'publish', 'up/${clientid}'), qos: [0, 1, 2], retain: 'all' },
      { ...rule('deny', 'all', '#'), qos: [0, 1, 2], retain: 'all' },
    ];
    for (let i = 0; i < 100_000; i++) stored.clientid.put(`device-${String(i).padStart(6, '0')}`, rules);
    await store.close();
    const broker = await started({ dataDir });
    await useBuiltIn(broker);
    interface Page {
      data: { clientid: string }[];
      meta: object;
    }
    const page = (await tell(broker, 'GET', `${RULES}/clients?page=3&limit=20`)) as Page;
    expect(page.meta).toEqual({ page: 3, limit: 20, count: 100_000, hasnext: true });
    expect(page.data[0]!.clientid).toBe('device-000040');
    const last = (await tell(broker, 'GET', `${RULES}/clients?page=10&limit=10000`)) as Page;
    expect(last.data.at(-1)!.clientid).toBe('device-099999');
    const like = (await tell(broker, 'GET', `${RULES}/clients?like_clientid=-099`)) as Page;
    expect(like.data).toHaveLength(100);
    const client = await guest(broker, 'device-054321');
    expect(await mayPublish(client, 'up/device-054321')).toBe(true);
    expect(await mayPublish(client, 'up/device-054322')).toBe(false);
  }, 60_000);

  test('outlive the broker, as sources and settings do', async () => {
    const dataDir = temporaryFolder();
    const first = await startTestBroker({ dataDir });
    await useFile(first, '{deny, all, all, ["no"]}.');
    await useBuiltIn(first);
    await tell(first, 'POST', `${RULES}/users`, [
      { username: 'ü/3', rules: [rule('deny', 'all', 'eq x/#')] },
    ]);
    await tell(first, 'PUT', '/authorization/settings', {
      no_match: 'deny',
      deny_action: 'ignore',
      cache: { max_size: 7, ttl: '2m', excludes: ['e'] },
    });
    await first.close();
    const broker = await started({ dataDir });
    const { sources } = (await tell(broker, 'GET', BASE)) as { sources: object[] };
    expect(sources).toEqual([
      { type: 'built_in_database', enable: true, max_rules: 100 },
      { type: 'file', enable: true, rules: '{deny, all, all, ["no"]}.' },
    ]);
    expect(await tell(broker, 'GET', `${RULES}/users/${encodeURIComponent('ü/3')}`)).toEqual({
      username: 'ü/3',
      rules: [{ ...rule('deny', 'all', 'eq x/#'), qos: [0, 1, 2], retain: 'all' }],
    });
    expect(await mayPublish(await guest(broker), 'anything')).toBe(false);
  });

  function temporaryFolder(): string {
    const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-authz-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }
});

describe('a permission that is lost', () => {
  test('ends what comes next, not what was allowed', async () => {
    const broker = await started();
    const writer = await guest(broker, 'writer');
    const reader = await guest(broker, 'reader');
    await reader.subscribe('t', { retainHandling: 2 });
    await writer.publish('t', 'kept', { qos: 1, retain: true });
    await reader.expectMessage('kept');
    await useFile(broker, '{deny, {ipaddr, "192.0.2.0/24"}, all, ["t"]}.');

    expect(await writer.publish('t', 'refused', { qos: 1 })).toBe(NotAuthorized);
    const local = await broker.client('local');
    await local.publish('t', 'for all', { qos: 1 });
    await reader.expectMessage('for all'); // its subscription stands
    await local.subscribe('t');
    await local.expectMessage('kept'); // so does what was retained
    expect(await maySubscribe(reader, 't')).toBe(false);
    await local.publish('t', 'still', { qos: 1 });
    await reader.expectMessage('still'); // a refused SUBSCRIBE takes nothing away either
    expect(await writer.publish('t', '', { qos: 1, retain: true })).toBe(NotAuthorized);
    const late = await broker.client('late');
    await late.subscribe('t');
    await late.expectMessage('kept'); // nor can who lost it take back what it left
  });
});

describe('the cache of a client', () => {
  test('is shown, and cleared by id or for all', async () => {
    const broker = await started();
    const client = await guest(broker, 'c');
    await client.subscribe('a', { qos: 1 });
    await client.publish('b', 'x', { qos: 1 });
    const shown = () => broker.inject<object[]>('GET', '/clients/c/authorization/cache');
    expect((await shown()).body).toMatchObject([
      { access: { action_type: 'publish', qos: 1, retain: false }, topic: 'b', result: 'allow' },
      { access: { action_type: 'subscribe', qos: 1 }, topic: 'a', result: 'allow' },
    ]);
    await tell(broker, 'DELETE', '/clients/c/authorization/cache');
    expect((await shown()).body).toEqual([]);
    await client.publish('b', 'x', { qos: 1 });
    await tell(broker, 'DELETE', '/authorization/cache');
    expect((await shown()).body).toEqual([]);
    expect(await broker.inject('DELETE', '/clients/nobody/authorization/cache')).toMatchObject({
      status: 404,
      body: { code: 'CLIENTID_NOT_FOUND' },
    });
  });

  test('is as the settings say: small, without what is excluded, or not at all', async () => {
    const broker = await started();
    const cacheOf = () =>
      broker.core.registry
        .find('c')!
        .keptAccess()
        .map(({ topic }) => topic);
    const client = await guest(broker, 'c');
    const use = (cache: object) =>
      tell(broker, 'PUT', '/authorization/settings', { no_match: 'allow', deny_action: 'ignore', cache });
    await use({ max_size: 2, excludes: ['no/#'] });
    for (const topic of ['a', 'b', 'c', 'no/1']) await client.publish(topic, 'x', { qos: 1 });
    expect(cacheOf()).toEqual(['c', 'b']);
    await use({ enable: false });
    await client.publish('a', 'x', { qos: 1 });
    expect(cacheOf()).toEqual([]);
  });
});

describe('arranging sources', () => {
  const order = async (broker: TestBroker) =>
    ((await tell(broker, 'GET', BASE)) as { sources: { type: string }[] }).sources.map(({ type }) => type);

  test('by words, by neighbours, or all at once', async () => {
    const broker = await started();
    await useBuiltIn(broker);
    expect(await order(broker)).toEqual(['built_in_database', 'file']);
    const move = (position: unknown, type = 'file') =>
      broker.inject('POST', `${BASE}/${type}/move`, { body: { position } });
    expect((await move('front')).status).toBe(204);
    expect(await order(broker)).toEqual(['file', 'built_in_database']);
    expect((await move('after:built_in_database')).status).toBe(204);
    expect(await order(broker)).toEqual(['built_in_database', 'file']);
    expect((await move('before:built_in_database')).status).toBe(204);
    for (const wrong of [
      'top',
      'before:zzz',
      'before:file',
      'before:mysql',
      'before:',
      'before:file:x',
      '',
      7,
    ])
      expect((await move(wrong)).status, String(wrong)).toBe(400);
    expect((await move('front', 'mysql')).status).toBe(404);
    expect((await move('front', 'zzz')).status).toBe(400);
    const reorder = (...types: string[]) =>
      broker.inject('PUT', `${BASE}/order`, { body: types.map((type) => ({ type })) });
    expect((await reorder('built_in_database', 'file')).status).toBe(204);
    expect(await order(broker)).toEqual(['built_in_database', 'file']);
    for (const wrong of [[], ['file'], ['file', 'file'], ['file', 'built_in_database', 'http']])
      expect((await reorder(...wrong)).status, wrong.join()).toBe(400);
  });

  test('a file that cannot be read is refused with its line, and the old one stays', async () => {
    const broker = await started();
    const answer = await broker.inject<{ code: string; message: string }>('PUT', `${BASE}/file`, {
      body: { type: 'file', rules: '{allow, all}.\n{allow, {username, {re, "("}}, all, ["t"]}.' },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'BAD_REQUEST' } });
    expect(JSON.parse(answer.body.message)).toMatchObject({
      path: 'root.rules',
      reason: expect.stringMatching(/^line 2, column 1: /),
    });
    expect(await maySubscribe(await guest(broker), '#')).toBe(false);
  });

  test('purging needs a built-in database that is switched off', async () => {
    const broker = await started();
    expect((await broker.inject('DELETE', RULES)).status).toBe(404);
    await useBuiltIn(broker);
    await tell(broker, 'POST', `${RULES}/users`, [{ username: 'u', rules: [] }]);
    expect((await broker.inject('DELETE', RULES)).status).toBe(400);
    await tell(broker, 'PUT', `${BASE}/built_in_database`, { type: 'built_in_database', enable: false });
    await tell(broker, 'DELETE', RULES);
    expect(await tell(broker, 'GET', `${RULES}/users`)).toMatchObject({ data: [] });
  });
});

describe('why', () => {
  const who = (other: Partial<ClientInfo> = {}): ClientInfo => ({
    clientid: 'c',
    username: 'u',
    address: ANOTHER_MACHINE,
    port: 1,
    listener: 'tcp:default',
    protocolVersion: 5,
    mountpoint: null,
    isSuperuser: false,
    attributes: {},
    authExpiresAt: null,
    ...other,
  });
  const asked = (action: 'publish' | 'subscribe', topic: string) =>
    ({ action, topic, qos: 0, retain: false }) as const;

  test('each step is told, with the rule that decided and where it stands', async () => {
    const broker = await started();
    await useFile(broker, '%% mine\n{allow, all, publish, ["b"]}.\n{deny, all, publish, ["c"]}.\n');
    await useBuiltIn(broker);
    await tell(broker, 'POST', `${RULES}/users`, [
      { username: 'u', rules: [rule('allow', 'publish', 'x'), rule('deny', 'publish', 'a/#')] },
    ]);
    const { authorization } = broker;
    expect(await authorization.explain(who(), asked('publish', 'a/1'))).toMatchObject([
      {
        type: 'built_in_database',
        verdict: { result: 'deny' },
        rule: { of: 'username', index: 2, text: '{deny, all, publish, ["a/#"]}.' },
      },
    ]);
    expect(await authorization.explain(who(), asked('publish', 'c'))).toMatchObject([
      { type: 'built_in_database', verdict: { result: 'nomatch' }, rule: null },
      {
        type: 'file',
        verdict: { result: 'deny' },
        rule: { index: 2, line: 3, text: '{deny, all, publish, ["c"]}.' },
      },
    ]);
    expect((await authorization.explain(who(), asked('publish', 'd'))).at(-1)).toMatchObject({
      type: 'no_match',
      verdict: { result: 'allow' },
    });
    expect(await authorization.explain(who({ isSuperuser: true }), asked('publish', 'c'))).toMatchObject([
      { type: 'superuser', verdict: { result: 'allow' } },
    ]);
    expect((await tell(broker, 'GET', `${BASE}/file/status`)) as object).toMatchObject({
      metrics: { total: 0 },
    });
  });
});
