import type { Rule, RuleEvent, RuleMetricsAnswer } from '@mqdeck/contract/rules';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';

let broker: TestBroker;
let printed: string[];
beforeEach(async () => {
  printed = [];
  broker = await startTestBroker({ console: (line) => printed.push(line) });
});
afterEach(() => broker.close());

type Failure = { code: string; message: string };
const post = (rule: object) => broker.inject<Rule & Failure>('POST', '/rules', { body: rule });
const to = (topic: string, args: object = {}) => ({ function: 'republish', args: { topic, ...args } });
async function make(id: string, sql: string, ...actions: unknown[]): Promise<Rule> {
  const { status, body } = await post({ id, sql, actions });
  expect([status, body.message]).toEqual([201, undefined]);
  return body;
}
const metricsOf = async (id: string) =>
  (await broker.inject<RuleMetricsAnswer>('GET', `/rules/${id}/metrics`)).body.metrics;
const heard = async (filter = 'out/#') => {
  const client = await broker.client(`ear-${filter}`);
  await client.subscribe(filter);
  return client;
};
const send = async (topic: string, payload: string, options: { qos?: 0 | 1 | 2; retain?: boolean } = {}) => {
  const client = await broker.client('sensor', { username: 'u' });
  await client.publish(topic, payload, { qos: 1, ...options });
};
const text = (payload: Uint8Array) => Buffer.from(payload).toString();

describe('republishing', () => {
  test('what the statement makes of a message goes to a topic of its own', async () => {
    await make(
      'r1',
      'SELECT payload.a as a, clientid FROM "rt/#"',
      to('out/${clientid}', { payload: '${a}', qos: 1 }),
    );
    const ear = await heard();
    await send('rt/1', '{"a":{"b":1}}');
    const message = await ear.expectMessage();
    expect([message.topic, text(message.payload)]).toEqual(['out/sensor', '{"b":1}']);
    await send('other', '{"a":1}');
    await ear.expectNothing();
    expect(await metricsOf('r1')).toMatchObject({
      matched: 1,
      passed: 1,
      'actions.total': 1,
      'actions.success': 1,
    });
  });

  test('integers above 2^53 leave with the digits with which they came', async () => {
    await make(
      'big',
      'SELECT payload.id as id, payload.id + 1 as next FROM "t"',
      to('out/${id}', { payload: '${.}' }),
    );
    const ear = await heard();
    await send('t', '{"id":9007199254740993}');
    const { topic, payload } = await ear.expectMessage();
    expect([topic, text(payload)]).toEqual([
      'out/9007199254740993',
      '{"id":9007199254740993,"next":9007199254740994}',
    ]);
    const body = {
      sql: 'SELECT payload.id as id FROM "t"',
      context: { event_type: 'message_publish', topic: 't', payload: '{"id":9007199254740993}' },
    };
    expect((await broker.inject('POST', '/rule_test', { body })).body).toEqual({ id: '9007199254740993' });
    await send('t', '{"id":18446744073709551616}');
    await ear.expectNothing();
    expect(await metricsOf('big')).toMatchObject({ passed: 1, 'failed.exception': 1 });
  });

  test('each result of FOREACH is a message', async () => {
    await make(
      'each',
      'FOREACH payload.l as it DO it.id as id INCASE it.id > 1 FROM "t"',
      to('out/${id}', { payload: '${.}' }),
    );
    const ear = await heard();
    await send('t', '{"l":[{"id":1},{"id":2},{"id":3}]}');
    const got = [await ear.expectMessage(), await ear.expectMessage()];
    expect(got.map(({ topic, payload }) => [topic, text(payload)])).toEqual([
      ['out/2', '{"id":2}'],
      ['out/3', '{"id":3}'],
    ]);
    expect(await metricsOf('each')).toMatchObject({ matched: 1, passed: 1, 'actions.total': 2 });
  });

  test('QoS, retain and properties are those of the message unless told', async () => {
    await make(
      'as',
      'SELECT * FROM "t"',
      to('out/a', {
        mqtt_properties: { 'Content-Type': '${topic}/x', 'Message-Expiry-Interval': 60, Bogus: 1 },
      }),
    );
    const ear = await broker.client('ear', { version: 5 });
    await ear.subscribe('out/#', { qos: 2, retainAsPublished: true });
    const sensor = await broker.client('sensor', { version: 5 });
    await sensor.publish('t', 'x', {
      qos: 2,
      retain: true,
      properties: {
        userProperty: [
          ['k', 'v'],
          ['k', 'w'],
        ],
      },
    });
    const message = await ear.expectMessage();
    expect(message).toMatchObject({ qos: 2, retain: true });
    expect(message.properties).toMatchObject({
      contentType: 't/x',
      userProperty: [
        ['k', 'v'],
        ['k', 'w'],
      ],
    });
    expect(message.properties.messageExpiryInterval).toBeLessThanOrEqual(60);
  });

  test('a message that no rule can follow is a message all the same', async () => {
    const depth = 30_000;
    await make('written', 'SELECT json_encode(json_decode(payload)) as x FROM "deep"', to('out/x'));
    await make('sent', 'SELECT json_decode(payload) as x FROM "deep"', to('out/x', { payload: '${x}' }));
    await make('compared', 'SELECT * FROM "deep" WHERE json_decode(payload) = 1', to('out/x'));
    const ear = await heard('deep');
    await send('deep', '['.repeat(depth) + ']'.repeat(depth));
    expect((await ear.expectMessage()).payload).toHaveLength(2 * depth);
    await send('deep', '1');
    expect(text((await ear.expectMessage()).payload)).toBe('1');
    expect(await metricsOf('written')).toMatchObject({ matched: 2, passed: 1, 'failed.exception': 1 });
    expect(await metricsOf('sent')).toMatchObject({
      passed: 2,
      'actions.success': 1,
      'actions.failed.unknown': 1,
    });
    expect(await metricsOf('compared')).toMatchObject({ matched: 2, passed: 1 });
  });

  test('bytes that are no text stay what they are', async () => {
    await make('bytes', 'SELECT payload FROM "t"', to('out/b'));
    const ear = await heard();
    const bytes = Uint8Array.of(0xff, 0x00, 0xfe);
    await (await broker.client('sensor')).publish('t', bytes, { qos: 1 });
    expect(Uint8Array.from((await ear.expectMessage()).payload)).toEqual(bytes);
  });

  test('a topic that cannot be is a failure of the action, of nothing else', async () => {
    await make('bad', 'SELECT payload FROM "t"', to('out/#'), to('out/fine'));
    const ear = await heard();
    await send('t', 'x');
    expect((await ear.expectMessage()).topic).toBe('out/fine');
    expect(await metricsOf('bad')).toMatchObject({
      'actions.failed': 1,
      'actions.failed.unknown': 1,
      'actions.success': 1,
    });
  });

  test('only delivered, no other rule hears of it', async () => {
    await make('a', 'SELECT * FROM "t"', to('out/a', { direct_dispatch: true }));
    await make('b', 'SELECT * FROM "out/a"', to('out/b'));
    const ear = await heard();
    await send('t', 'x');
    expect((await ear.expectMessage()).topic).toBe('out/a');
    await ear.expectNothing();
  });
});

describe('loops', () => {
  test('a rule that makes what it is made of stops after the first time', async () => {
    await make('loop', 'SELECT * FROM "lo/#"', to('lo/1'));
    const ear = await heard('lo/#');
    await send('lo/0', 'x');
    expect([(await ear.expectMessage()).topic, (await ear.expectMessage()).topic].sort()).toEqual([
      'lo/0',
      'lo/1',
    ]);
    await ear.expectNothing();
    expect(await metricsOf('loop')).toMatchObject({
      matched: 2,
      'actions.success': 1,
      'actions.failed.unknown': 1,
    });
  });

  test('so do rules that feed each other', async () => {
    await make('ab', 'SELECT * FROM "a"', to('b'));
    await make('bc', 'SELECT * FROM "b"', to('c'));
    await make('ca', 'SELECT * FROM "c"', to('a'));
    await send('a', 'x');
    expect(await metricsOf('ab')).toMatchObject({ matched: 2, 'actions.success': 1, 'actions.failed': 1 });
    expect(await metricsOf('ca')).toMatchObject({ matched: 1, 'actions.success': 1 });
  });

  test('rules that multiply what others make stop at a bound, let others have their turn, and are named', async () => {
    const ids = Array.from({ length: 8 }, (_, i) => `fan${i}`);
    for (const id of ids) await make(id, 'SELECT * FROM "fan/#"', to(`fan/${id}`));
    let turns = 0;
    const count = () => {
      turns += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    await send('fan/x', 'x');
    await vi.waitFor(async () => {
      const all = await Promise.all(ids.map(metricsOf));
      expect(all.reduce((sum, one) => sum + Number(one['actions.success']), 0)).toBe(10_000);
    });
    clearImmediate(counting);
    expect(turns).toBeGreaterThan(10);
    const { body } = await broker.inject<{ data: { name: string; details: { rules: string[] } }[] }>(
      'GET',
      '/alarms',
    );
    const { rules } = body.data.find(({ name }) => name === 'rules_feed_each_other')!.details;
    expect(rules.length).toBeGreaterThan(1);
    expect(ids).toEqual(expect.arrayContaining(rules));
  });
});

test('a message that FOREACH makes thousands of is acknowledged before they all go, in their order', async () => {
  await make(
    'each',
    'FOREACH json_decode(payload) AS item FROM "list"',
    to('out/each', { payload: '${item}' }),
  );
  let delivered = 0;
  broker.core.hooks.on(
    'message.delivered',
    () => {
      delivered += 1;
    },
    { owner: 'test' },
  );
  const ear = await heard();
  const items = Array.from({ length: 3_000 }, (_, item) => String(item));
  await send('list', `[${items}]`);
  expect(delivered).toBeLessThan(items.length);
  const got: string[] = [];
  while (got.length < items.length) got.push(text((await ear.expectMessage()).payload));
  expect(got).toEqual(items);
  expect(await metricsOf('each')).toMatchObject({ 'actions.success': items.length });
});

test('what FOREACH makes of one message is bounded in bytes, and the rule is named', async () => {
  await make(
    'each',
    'FOREACH json_decode(payload) AS item FROM "list"',
    to('out/each', { payload: '${payload}' }),
  );
  const items = Array.from({ length: 5_000 }, () => 'x'.repeat(100));
  await send('list', JSON.stringify(items)); // 0.5 MB of each
  const counted = await metricsOf('each');
  expect(counted['actions.failed']).toBeGreaterThan(4_000);
  const { body } = await broker.inject<{ data: { name: string; details: object }[] }>('GET', '/alarms');
  const alarm = body.data.find(({ name }) => name === 'rules_feed_each_other');
  expect(alarm!.details).toEqual({ rules: ['each'] });
});

describe('what a rule counts', () => {
  test('statements that fail, and those without a result', async () => {
    await make('json', 'SELECT payload.a as a FROM "t"', { function: 'console' });
    await make('where', 'SELECT * FROM "t" WHERE qos = 2', { function: 'console' });
    await make('empty', `FOREACH split('', ',') as x FROM "t"`, { function: 'console' });
    await send('t', 'no JSON');
    expect(await metricsOf('json')).toMatchObject({
      matched: 1,
      failed: 1,
      'failed.exception': 1,
      passed: 0,
    });
    expect(await metricsOf('where')).toMatchObject({ matched: 1, failed: 1, 'failed.no_result': 1 });
    expect(await metricsOf('empty')).toMatchObject({ matched: 1, 'failed.no_result': 1, 'actions.total': 0 });
    expect(printed).toEqual([]);
  });

  test('actions of bridges that do not exist', async () => {
    await make('gone', 'SELECT * FROM "t"', 'webhook:missing', { function: 'console' });
    await send('t', 'x');
    expect(await metricsOf('gone')).toMatchObject({
      'actions.total': 2,
      'actions.success': 1,
      'actions.failed': 1,
      'actions.failed.out_of_service': 1,
    });
  });

  test('counting begins anew after a reset, and goes on after a change', async () => {
    await make('r', 'SELECT * FROM "t"', { function: 'console' });
    await send('t', 'x');
    await broker.inject('PUT', '/rules/r', { body: { description: 'changed' } });
    expect(await metricsOf('r')).toMatchObject({ matched: 1 });
    expect((await broker.inject('PUT', '/rules/r/metrics/reset')).status).toBe(204);
    expect(await metricsOf('r')).toMatchObject({ matched: 0, 'actions.total': 0, 'matched.rate.max': 0 });
    const { body } = await broker.inject<RuleMetricsAnswer[]>('GET', '/rules_metrics');
    expect(body.map(({ id }) => id)).toEqual(['r']);
  });
});

test('the console action prints the result with the rule and the time', async () => {
  await make('say', 'SELECT topic, qos FROM "t"', { function: 'console' });
  await send('t', 'x');
  expect(printed.filter((line) => line.includes('[rule say]'))).toEqual([
    expect.stringMatching(/^\d{4}-.*Z \[rule say\] \{"topic":"t","qos":1\}\n$/),
  ]);
});

describe('switched', () => {
  test('off a rule does nothing, on again it does', async () => {
    await make('r', 'SELECT * FROM "t"', to('out/r'));
    const ear = await heard();
    await broker.inject('PUT', '/rules/r', { body: { enable: false } });
    await send('t', 'x');
    await ear.expectNothing();
    await broker.inject('PUT', '/rules/r', { body: { enable: true } });
    await send('t', 'x');
    await ear.expectMessage();
    expect(await metricsOf('r')).toMatchObject({ matched: 1 });
  });

  test('without any rule nobody listens', async () => {
    const used = () => broker.core.hooks.used['message.delivered'].length;
    const before = used();
    await make('r', 'SELECT * FROM "$events/message_delivered"');
    expect(used()).toBe(before + 1);
    await broker.inject('DELETE', '/rules/r');
    expect(used()).toBe(before);
  });
});

describe('events', () => {
  const eventRule = (source: string) =>
    make('ev', `SELECT * FROM "${source}"`, to('out/ev', { payload: '${.}' }));
  const next = async (ear: Awaited<ReturnType<typeof heard>>) =>
    JSON.parse(text((await ear.expectMessage()).payload)) as Record<string, unknown>;

  test('of a connection', async () => {
    await eventRule('$events/client_connected');
    const ear = await heard();
    await broker.client('dev', {
      username: 'u',
      version: 5,
      keepalive: 33,
      properties: { receiveMaximum: 7 },
    });
    expect(await next(ear)).toMatchObject({
      event: 'client.connected',
      clientid: 'dev',
      username: 'u',
      keepalive: 33,
      proto_ver: 5,
      clean_start: true,
      conn_props: { 'Receive-Maximum': 7 },
    });
  });

  test('of its end, and of a refusal', async () => {
    const ear = await heard();
    await eventRule('$events/client_disconnected');
    await (await broker.client('dev')).disconnect();
    expect(await next(ear)).toMatchObject({
      event: 'client.disconnected',
      clientid: 'dev',
      reason: 'normal',
    });
  });

  test('of who a client is: somebody, nobody in particular, or refused', async () => {
    await eventRule('$events/client_check_authn_complete');
    const ear = await heard();
    await broker.client('dev', { username: 'u' });
    expect(await next(ear)).toMatchObject({
      event: 'client.check_authn_complete',
      clientid: 'dev',
      username: 'u',
      reason_code: 'success',
      is_anonymous: true,
      is_superuser: false,
    });
    const users = {
      mechanism: 'password_based',
      backend: 'built_in_database',
      user_id_type: 'username',
      password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
    };
    expect((await broker.inject('POST', '/authentication', { body: users })).status).toBe(200);
    const path = '/authentication/password_based%3Abuilt_in_database/users';
    const user = { user_id: 'boss', password: 'secret', is_superuser: true };
    expect((await broker.inject('POST', path, { body: user })).status).toBe(201);
    await broker.client('desk', { username: 'boss', password: 'secret' });
    expect(await next(ear)).toMatchObject({ clientid: 'desk', is_anonymous: false, is_superuser: true });
    await expect(broker.client('thief', { username: 'boss', password: 'guess' })).rejects.toThrow();
    const refused = await next(ear);
    expect(refused).toMatchObject({ clientid: 'thief', is_anonymous: false, is_superuser: false });
    expect(refused.reason_code).toMatch(/^(bad_user_name_or_password|not_authorized)$/);
  });

  test('of what a client may do, and who said so', async () => {
    const rules = [
      { topic: 'may/#', permission: 'allow', action: 'all' },
      { topic: 'no/#', permission: 'deny', action: 'all' },
    ];
    const source = await broker.inject('POST', '/authorization/sources', {
      body: { type: 'built_in_database', enable: true },
    });
    expect([204, 400]).toContain(source.status); // it may be there already
    await broker.inject('POST', '/authorization/sources/built_in_database/move', {
      body: { position: 'front' },
    });
    const stored = await broker.inject('POST', '/authorization/sources/built_in_database/rules/clients', {
      body: [{ clientid: 'dev', rules }],
    });
    expect(stored.status).toBe(204);
    await make(
      'ev',
      `SELECT action, topic, result, authz_source FROM "$events/client_check_authz_complete" WHERE clientid = 'dev'`,
      to('out/ev', { payload: '${.}' }),
    );
    const ear = await heard();
    const dev = await broker.client('dev');
    await dev.subscribe('may/1');
    const may = { action: 'subscribe', topic: 'may/1', result: 'allow', authz_source: 'built_in_database' };
    expect(await next(ear)).toEqual(may);
    await dev.publish('no/1', 'x', { qos: 1 });
    const no = { action: 'publish', topic: 'no/1', result: 'deny' };
    expect(await next(ear)).toEqual({ ...no, authz_source: 'built_in_database' });
    await dev.publish('no/1', 'x', { qos: 1 });
    expect(await next(ear)).toEqual({ ...no, authz_source: 'cache' });
    expect((await broker.inject('DELETE', '/rules/ev')).status).toBe(204);
    await dev.publish('no/1', 'x', { qos: 1 });
    await ear.expectNothing();
  });

  test('of subscriptions', async () => {
    await make(
      'on',
      'SELECT topic, qos, clientid FROM "$events/session_subscribed", "$events/session_unsubscribed" WHERE clientid = \'dev\'',
      to('out/ev', { payload: '${.}' }),
    );
    const ear = await heard();
    const dev = await broker.client('dev');
    await dev.subscribe('a/+', { qos: 1 });
    expect(await next(ear)).toMatchObject({ topic: 'a/+', qos: 1, clientid: 'dev' });
    await dev.unsubscribe('a/+');
    expect(await next(ear)).toMatchObject({ topic: 'a/+', clientid: 'dev' });
  });

  test('of what becomes of a message', async () => {
    await make(
      'fate',
      `SELECT event, clientid, from_clientid, reason, topic FROM "$events/message_delivered", "$events/message_acked", "$events/message_dropped" WHERE topic =~ 'm/#'`,
      { function: 'console' },
    );
    const ear = await heard('m/1');
    const said = () =>
      printed.flatMap((line) =>
        line.includes('[rule fate]') ? [JSON.parse(line.slice(line.indexOf('{')))] : [],
      );
    await ear.subscribe('m/1', { qos: 1 });
    await send('m/1', 'x');
    await ear.expectMessage();
    await vi.waitFor(() => expect(said()).toHaveLength(2));
    expect(said()).toEqual([
      {
        event: 'message.delivered',
        clientid: 'ear-m/1',
        from_clientid: 'sensor',
        reason: 'undefined',
        topic: 'm/1',
      },
      {
        event: 'message.acked',
        clientid: 'ear-m/1',
        from_clientid: 'sensor',
        reason: 'undefined',
        topic: 'm/1',
      },
    ]);
    await send('m/2', 'x');
    expect(said().at(-1)).toMatchObject({
      event: 'message.dropped',
      clientid: 'sensor',
      reason: 'no_subscribers',
    });
  });

  test('of messages, whatever their topic', async () => {
    await make(
      'all',
      `SELECT topic FROM "$events/message_publish" WHERE topic =~ 'm/#'`,
      to('out/all', { payload: '${topic}' }),
    );
    const ear = await heard();
    await send('m/1', 'x');
    expect(text((await ear.expectMessage()).payload)).toBe('m/1');
  });

  test('what the broker says of itself matches no rule, unless it is told to', async () => {
    await make('sys', 'SELECT * FROM "$SYS/#"', { function: 'console' });
    const publish = () => broker.core.publish({ topic: '$SYS/x', payload: 'x', system: true });
    await publish();
    expect(await metricsOf('sys')).toMatchObject({ matched: 0 });
    const { body } = await broker.inject('PUT', '/rule_engine', {
      body: { ignore_sys_message: false, jq_function_default_timeout: '5s' },
    });
    expect(body).toEqual({ ignore_sys_message: false, jq_function_default_timeout: 5000 });
    await publish();
    expect(await metricsOf('sys')).toMatchObject({ matched: 1 });
  });

  test('are listed with their columns and a test that fits them', async () => {
    const { body } = await broker.inject<RuleEvent[]>('GET', '/rule_events');
    expect(body.length).toBeGreaterThan(14);
    for (const { event, test_columns, sql_example, columns } of body) {
      const context = Object.fromEntries(
        Object.entries(test_columns).map(([name, [value]]) => [name, value]),
      );
      const event_type = event.replace('$events/', '').replace('sys/', '');
      const sql = sql_example.replace("WHERE msg = 'hello'", '');
      const { status, body: answer } = await broker.inject<Failure>('POST', '/rule_test', {
        body: { sql, context: { ...context, event_type } },
      });
      expect([event, status, answer.message]).toEqual([event, 200, answer.message]);
      expect(columns).toContain('event');
    }
  });
});

describe('a test of a statement', () => {
  const attempt = (sql: string, context: object = {}) =>
    broker.inject<Failure & Record<string, unknown>>('POST', '/rule_test', {
      body: {
        sql,
        context: {
          event_type: 'message_publish',
          topic: 't/1',
          payload: '{"a":1}',
          qos: 1,
          clientid: 'c',
          ...context,
        },
      },
    });

  test('answers the result, and does nothing', async () => {
    const ear = await heard();
    expect(await attempt('SELECT payload.a as a, clientid FROM "t/#"')).toMatchObject({
      status: 200,
      body: { a: 1, clientid: 'c' },
    });
    expect((await attempt('FOREACH payload.l FROM "t/#"', { payload: '{"l":[]}' })).body).toEqual([]);
    expect((await attempt('SELECT nothing FROM "t/#"')).body).toEqual({ nothing: 'undefined' });
    await ear.expectNothing();
  });

  test.each([
    ['another topic', 'SELECT * FROM "x/#"', {}, 412, 'NOT_MATCH', /SQL Not Match/],
    ['another event', 'SELECT * FROM "$events/client_connected"', {}, 412, 'NOT_MATCH', /SQL Not Match/],
    [
      'a condition that is not true',
      'SELECT * FROM "t/#" WHERE qos = 2',
      {},
      412,
      'NOT_MATCH',
      /SQL Not Match/,
    ],
    ['no statement', 'SELECT', {}, 400, 'BAD_REQUEST', /^1: syntax error before: $/],
    ['a statement that fails', 'SELECT 1/0 as r FROM "t/#"', {}, 400, 'BAD_REQUEST', /badarith/],
    [
      'an unknown event type',
      'SELECT * FROM "t/#"',
      { event_type: 'zzz' },
      400,
      'BAD_REQUEST',
      /unknown event type/,
    ],
    [
      'no event type',
      'SELECT * FROM "t/#"',
      { event_type: undefined },
      400,
      'BAD_REQUEST',
      /unknown event type/,
    ],
    [
      'a column of another event',
      'SELECT * FROM "t/#"',
      { reason: 'x' },
      400,
      'BAD_REQUEST',
      /unknown_fields/,
    ],
    [
      'a payload that is no text',
      'SELECT * FROM "t/#"',
      { payload: { a: 1 } },
      400,
      'BAD_REQUEST',
      /payload/,
    ],
  ])('%s', async (_what, sql, context, status, code, message) => {
    const answer = await attempt(sql, context);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.body.message).toMatch(message);
  });
});

describe('the list', () => {
  test('is kept, filtered, sorted and paged', async () => {
    await make('r1', 'SELECT * FROM "rt/#"');
    await make('r2', 'SELECT * FROM "t/1"', 'http:x');
    await broker.inject('PUT', '/rules/r2', { body: { enable: false, description: 'number two' } });
    await make('s3', 'SELECT * FROM "t/1", "t/2"');
    const ids = async (query: Record<string, string | number>) => {
      const { body } = await broker.inject<{ data: Rule[]; meta: object }>('GET', '/rules', { query });
      return [body.data.map(({ id }) => id), body.meta];
    };
    expect(await ids({})).toEqual([['s3', 'r2', 'r1'], { page: 1, limit: 100, count: 3, hasnext: false }]);
    expect(await ids({ enable: 'false' })).toMatchObject([['r2'], { count: 1 }]);
    expect(await ids({ enable: 'x' })).toMatchObject([[], { count: 0 }]);
    expect(await ids({ like_id: 'r' })).toEqual([['r2', 'r1'], { page: 1, limit: 100, hasnext: false }]);
    expect((await ids({ like_from: 't/' }))[0]).toEqual(['s3', 'r2', 'r1']);
    expect((await ids({ match_from: 't/1' }))[0]).toEqual(['s3', 'r2']);
    expect((await ids({ match_from: 't/+' }))[0]).toEqual(['s3', 'r2']);
    expect((await ids({ like_description: 'two', enable: 'false' }))[0]).toEqual(['r2']);
    expect((await ids({ sort: 'id', order: 'asc', limit: 2, page: 2 }))[0]).toEqual(['s3']);
    const { body } = await broker.inject<Rule>('GET', '/rules/r2');
    expect(body).toMatchObject({ actions: ['http:x'], from: ['t/1'], enable: false });
  });

  test('refuses what cannot be a rule', async () => {
    const cases: [object, RegExp][] = [
      [{ id: 'x', sql: 'SELEC * FROM "t"' }, /syntax error/],
      [{ id: 'x', sql: '' }, /invalid_string/],
      [{ id: 'x' }, /required_field/],
      [{ id: 'a b', sql: 'SELECT * FROM "t"' }, /invalid_map_key/],
      [{ id: 'x', sql: 'SELECT * FROM "t"', actions: ['nocolon'] }, /pattern/],
      [{ id: 'x', sql: 'SELECT * FROM "t"', actions: 'console' }, /actions/],
      [{ id: 'x', sql: 'SELECT * FROM "t"', actions: [{ function: 'dance' }] }, /function/],
      [
        { id: 'x', sql: 'SELECT * FROM "t"', actions: [{ function: 'republish', args: { payload: 'x' } }] },
        /topic/,
      ],
      [{ id: 'x', sql: 'SELECT * FROM "t"', actions: [to('a', { foo: 1 })] }, /foo/],
    ];
    for (const [rule, message] of cases) {
      const { status, body } = await post(rule);
      expect([status, body.code]).toEqual([400, 'BAD_REQUEST']);
      expect(body.message).toMatch(message);
    }
    for (const id of ['__proto__', 'x'.repeat(257)]) {
      const { status } = await broker.inject('PUT', `/rules/${id}`, { body: { sql: 'SELECT * FROM "t"' } });
      expect(status).toBe(400);
    }
    await make('x', 'SELECT * FROM "t"');
    expect((await post({ id: 'x', sql: 'SELECT * FROM "t"' })).body.message).toBe('rule id already exists');
    expect((await broker.inject('DELETE', '/rules/x')).status).toBe(204);
    for (const [method, path] of [
      ['GET', '/rules/x'],
      ['DELETE', '/rules/x'],
      ['GET', '/rules/x/metrics'],
      ['PUT', '/rules/x/metrics/reset'],
    ] as const)
      expect((await broker.inject<Failure>(method, path)).body.code).toBe('NOT_FOUND');
  });

  test('a change keeps what it leaves out; one of an id that is not there makes it', async () => {
    await make('r', 'SELECT * FROM "a"', { function: 'console' });
    await broker.inject('PUT', '/rules/r', { body: { sql: 'SELECT * FROM "b"' } });
    expect((await broker.inject<Rule>('GET', '/rules/r')).body).toMatchObject({
      from: ['b'],
      actions: [{ function: 'console' }],
    });
    expect((await broker.inject('PUT', '/rules/r', { body: { sql: 'SELECT' } })).status).toBe(400);
    expect((await broker.inject<Rule>('GET', '/rules/r')).body.from).toEqual(['b']);
    expect((await broker.inject('PUT', '/rules/new', { body: { sql: 'SELECT * FROM "c"' } })).status).toBe(
      200,
    );
    expect((await broker.inject('PUT', '/rules/none', { body: { enable: true } })).status).toBe(400);
  });
});

test('samples are the last real messages of a topic that somebody looks at', async () => {
  type Samples = {
    data: { position: number; columns: { topic: string; payload: string } }[];
    position: number;
  };
  const look = async (position = 0) =>
    (
      await broker.inject<Samples>('GET', '/rule_samples', {
        query: { source: ['t/+', '$events/client_connected'], position },
      })
    ).body;
  expect(await look()).toEqual({ data: [], position: 0 });
  await send('t/1', '{"a":1}');
  await send('other/1', 'x');
  const { data, position } = await look();
  expect(data.map(({ columns }) => columns.topic ?? 'an event')).toContain('t/1');
  expect(data.find(({ columns }) => columns.topic === 't/1')?.columns.payload).toBe('{"a":1}');
  expect((await look(position)).data).toEqual([]);
});
