import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/start-test-broker.ts';
import { type HoconObject, readHocon } from './hocon-reader.ts';

let broker: TestBroker;
beforeEach(async () => {
  broker = await startTestBroker();
});
afterEach(() => broker.close());

const TEXT = { 'content-type': 'text/plain' };
const put = (rawBody: string, query: Record<string, string> = {}) =>
  broker.inject<string | undefined>('PUT', '/configs', { rawBody, query, headers: TEXT });
const text = async (key?: string) => {
  const answer = await broker.inject<string>('GET', '/configs', {
    query: key === undefined ? {} : { key },
    headers: { accept: 'text/plain' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toMatch(/^text\/plain/);
  return answer.body;
};
const errorsOf = async (rawBody: string, query?: Record<string, string>) => {
  const { status, headers, body } = await put(rawBody, query);
  expect(status).toBe(400);
  expect(headers['content-type']).toMatch(/^text\/plain/);
  return (JSON.parse(body!) as { errors: Record<string, unknown> }).errors;
};
const set = async (rawBody: string, query?: Record<string, string>) => {
  const { status, body } = await put(rawBody, query);
  expect(body).toBeUndefined();
  expect(status).toBe(200);
};

describe('what is set', () => {
  test('is a text that says the same when it is sent back', async () => {
    const before = await text();
    const read = readHocon(before);
    expect(Object.keys(read)).toEqual(Object.keys(read).sort());
    expect(read).toMatchObject({ alarm: { size_limit: 1000 }, rewrite: [], delayed: { enable: true } });
    await set(before);
    await set(before, { mode: 'replace' });
    expect(await text()).toBe(before);
  });

  test('is one root, when that alone is asked for', async () => {
    expect(await text('alarm')).toBe(
      'alarm {\n  actions = [log, publish]\n  size_limit = 1000\n  validity_period = "24h"\n}\n',
    );
    const { status, body } = await broker.inject('GET', '/configs', { query: { key: 'zzz' } });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('comes in JSON when nothing else is accepted, and as text otherwise', async () => {
    const get = (accept?: string) =>
      broker.inject<object | string>('GET', '/configs', accept === undefined ? {} : { headers: { accept } });
    const json = await get('application/json');
    expect(Object.keys(json.body).sort()).toEqual(['alarm', 'dashboard', 'log', 'sys_topics', 'sysmon']);
    expect(json.body).toMatchObject({ alarm: { size_limit: 1000 } });
    for (const accept of [undefined, '*/*', 'text/html, text/plain;q=0.9', 'application/json, */*'])
      expect(typeof (await get(accept)).body, accept).toBe('string');
    const none = await get('image/png');
    expect(none.status).toBe(400);
    expect(none.body).toMatchObject({ code: 'INVALID_ACCEPT' });
  });

  test('is that of this node, and of no other', async () => {
    const node = broker.core.node;
    expect((await broker.inject('GET', '/configs', { query: { node } })).status).toBe(200);
    const other = await broker.inject('GET', '/configs', { query: { node: 'x@y' } });
    expect(other.status).toBe(404);
    expect(other.body).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a change', () => {
  test('merged keeps what the text does not say, replacing gives it its default', async () => {
    await set('alarm { size_limit = 900, actions = [log] }');
    await set('alarm.validity_period = 12h', { mode: 'merge' });
    expect(readHocon(await text('alarm'))).toEqual({
      alarm: { actions: ['log'], size_limit: 900, validity_period: '12h' },
    });
    await set('alarm { size_limit = 901 }', { mode: 'replace' });
    expect(readHocon(await text('alarm'))).toEqual({
      alarm: { actions: ['log', 'publish'], size_limit: 901, validity_period: '24h' },
    });
    expect((await put('alarm {}', { mode: 'x' })).status).toBe(400);
  });

  test('may be written as JSON, which is HOCON too, and is sent as text', async () => {
    await set('{"alarm": {"size_limit": 7}}');
    expect((await broker.inject('GET', '/configs/alarm')).body).toMatchObject({ size_limit: 7 });
    const { status } = await broker.inject('PUT', '/configs', { body: { alarm: { size_limit: 8 } } });
    expect(status).toBe(415);
  });

  test.each([
    [
      'alarm { size_limit = 9000 }',
      {
        alarm: {
          kind: 'validation_error',
          path: 'alarm.size_limit',
          reason: { expected: '1..3000' },
          value: 9000,
        },
      },
    ],
    ['alarm { size_limit = \n', { line: 1, type: 'parse_error' }],
    ['zzz { a = 1 }', { zzz: expect.stringContaining('root_key_not_found') }],
    ['alarm { colour = red }', { alarm: { reason: 'unknown_fields', unknown: 'colour', path: 'alarm' } }],
    ['alarm = 5', { alarm: { path: 'alarm' } }],
    [
      'rewrite = [{action = all, source_topic = a, re = "(", dest_topic = b}]',
      { rewrite: { path: 'rewrite.1' } },
    ],
    [
      'rewrite = [{action = all}]',
      { rewrite: [{ path: 'rewrite.1.source_topic', reason: 'required_field' }, {}, {}] },
    ],
    ['rewrite { a = 1 }', { rewrite: { path: 'rewrite' } }],
    ['sysmon.os.cpu_low_watermark = 90%', { sysmon: { path: 'sysmon.os.cpu_low_watermark' } }],
    ['auto_subscribe.topics = [{topic = "a/#/b"}]', { auto_subscribe: { path: 'auto_subscribe.topics.1' } }],
    ['topic_metrics = [{topic = a}, {topic = "a/+"}]', { topic_metrics: { path: 'topic_metrics.2.topic' } }],
    [
      'authentication = [{mechanism = x}]',
      { authentication: { path: expect.stringContaining('authentication.1') } },
    ],
    [
      'authorization.sources = [{type = file, enable = true, rules = "no rule"}]',
      { authorization: { path: expect.stringContaining('authorization.sources.1.rules') } },
    ],
  ])('that cannot be is refused, with its place: %s', async (wrong, errors) => {
    const before = await text();
    expect(await errorsOf(`delayed.enable = false, ${wrong}`)).toMatchObject(errors);
    expect(await text()).toBe(before);
  });

  test('is refused when it is too large, or no text', async () => {
    expect((await put(`alarm { size_limit = 1 } #${'x'.repeat(1024 * 1024)}`)).status).toBe(413);
    const xml = await broker.inject('PUT', '/configs', {
      rawBody: 'alarm {}',
      headers: { 'content-type': 'application/xml' },
    });
    expect(xml.status).toBe(415);
  });

  test('of nothing changes nothing', async () => {
    const before = await text();
    await set('');
    await set('# only a comment\n');
    expect(await text()).toBe(before);
  });
});

describe('secrets', () => {
  const server = (id: string, password: string) =>
    `{mechanism = password_based, backend = ${id}, server = "127.0.0.1:9", database = d, query = "SELECT password_hash FROM t WHERE username = \${username}", username = u, password = "${password}", enable = false, password_hash_algorithm {name = sha256}}`;
  const stored = () =>
    broker.settings
      .get('authentication')
      .global.map((config) => ('password' in config ? config.password : null));

  test('are not shown, and keep their value when they are sent back, each that of its own', async () => {
    await set(`authentication = [${server('mysql', 'canary-1')}, ${server('postgresql', 'canary-2')}]`);
    const shown = await text();
    expect(shown).not.toContain('canary');
    const { authentication } = readHocon(await text('authentication')) as { authentication: HoconObject[] };
    expect(authentication.map(({ password }) => password)).toEqual(['******', '******']);

    await set(shown, { mode: 'replace' });
    expect(stored()).toEqual(['canary-1', 'canary-2']);
    const [first, second] = [server('postgresql', '******'), server('mysql', '******')];
    await set(`authentication = [${first}, ${second}]`, { mode: 'replace' });
    expect(stored()).toEqual(['canary-2', 'canary-1']);
    await set(`authentication = [${server('mysql', 'canary-3')}]`); // the other one stays
    expect(stored()).toEqual(['canary-2', 'canary-3']);
  });

  test('that nobody has cannot be kept', async () => {
    const errors = await errorsOf(`authentication = [${server('mysql', '******')}]`);
    expect(errors).toMatchObject({ authentication: { path: 'authentication.1.password' } });
    expect(await errorsOf('prometheus.push_gateway.headers.X-Any = "******"')).toHaveProperty('prometheus');
    expect(JSON.stringify(await errorsOf('zzz.password = canary'))).not.toContain('canary');
  });

  test('are also what headers say, and the key of a licence', async () => {
    await set('prometheus.push_gateway.headers { X-Any = canary-4 }');
    const shown = await text('prometheus');
    expect(shown).toContain('X-Any = "******"');
    await set(shown, { mode: 'replace' });
    expect(broker.settings.get('prometheus').push_gateway.headers).toEqual({ 'X-Any': 'canary-4' });
    await broker.settings.change('license', { ...broker.settings.get('license'), key: 'canary-5' });
    expect(await text()).not.toContain('canary');
  });
});

describe('has the effect of the endpoint of its own', () => {
  test('rewriting, subscribing and counting begin at once', async () => {
    await set(`
      rewrite = [{action = publish, source_topic = "a/#", re = "^a/(.+)$", dest_topic = "b/$1"}]
      auto_subscribe { topics = [{topic = "b/#"}] }
      topic_metrics = [{topic = "a/1"}]
    `);
    const screen = await broker.client('screen');
    const sensor = await broker.client('sensor', { cleanStart: true });
    await sensor.publish('a/1', 'x', { qos: 1 });
    expect((await screen.expectMessage()).topic).toBe('b/1');
    const counted = () =>
      broker.inject<{ metrics: object; create_time: string }>('GET', '/mqtt/topic_metrics/a%2F1');
    const first = await counted();
    expect(first.body.metrics).toMatchObject({ 'messages.in.count': 1 });
    await set(await text('topic_metrics'), { mode: 'replace' });
    expect((await counted()).body).toMatchObject({ create_time: first.body.create_time });
    expect((await counted()).body.metrics).toMatchObject({ 'messages.in.count': 1 });
  });

  test('authentication and authorization refuse at once, and go back', async () => {
    await set('authorization { no_match = deny, sources = [] }', { mode: 'replace' });
    const sensor = await broker.client('sensor');
    expect(await sensor.subscribe('a/b')).toEqual([0x87]);
    await set(`
      authentication = [{
        mechanism = password_based
        backend = built_in_database
        user_id_type = username
        password_hash_algorithm { name = sha256, salt_position = suffix }
      }]
    `);
    await expect(broker.client('stranger')).rejects.toThrow();
    const users = '/authentication/password_based%3Abuilt_in_database/users';
    await broker.inject('POST', users, { body: { user_id: 'ann', password: 'secret-1' } });
    await broker.client('known', { username: 'ann', password: 'secret-1' });
    await set('authentication = []', { mode: 'replace' });
    await broker.client('stranger');
    await set(
      'authentication = [{mechanism = password_based, backend = built_in_database, password_hash_algorithm {name = sha256}}]',
    );
    await expect
      .poll(async () => (await broker.inject<{ data: object[] }>('GET', users)).body.data)
      .toEqual([]); // as when the authenticator is deleted
  });

  test('messages that wait go when delayed publishing is switched off', async () => {
    const sensor = await broker.client('sensor');
    await sensor.publish('$delayed/100/a', 'x', { qos: 1 });
    const waiting = async () =>
      (await broker.inject<{ data: object[] }>('GET', '/mqtt/delayed/messages')).body.data.length;
    expect(await waiting()).toBe(1);
    await set('delayed { enable = false }');
    await expect.poll(waiting).toBe(0);
  });
});

describe('a default', () => {
  const reset = (root: string, conf_path?: string) =>
    broker.inject('POST', `/configs_reset/${root}`, conf_path === undefined ? {} : { query: { conf_path } });

  test('comes back for a setting, or for all below a name', async () => {
    await set(
      'sysmon.os { cpu_check_interval = 5s, cpu_high_watermark = 90% }\nsysmon.vm.long_gc = 5s\nsys_topics.sys_msg_interval = 5s',
    );
    expect((await reset('sysmon', 'os')).status).toBe(200);
    const { body } = await broker.inject('GET', '/configs/sysmon');
    expect(body).toMatchObject({
      os: { cpu_check_interval: '60s', cpu_high_watermark: '80%' },
      vm: { long_gc: '5s' },
    });
    expect((await reset('sys_topics', 'sys_msg_interval')).body).toBeUndefined();
    expect((await broker.inject('GET', '/configs/sys_topics')).body).toMatchObject({
      sys_msg_interval: '1m',
    });
  });

  test('is not that of a whole root, of no setting, or one that does not fit the rest', async () => {
    for (const [root, path] of [
      ['alarm'],
      ['log'],
      ['sysmon', 'zzz'],
      ['sysmon', 'os.zzz'],
      ['sysmon', ''],
    ]) {
      const { status, body } = await reset(root!, path);
      expect(status, `${root} ${path}`).toBe(400);
      expect(body, `${root} ${path}`).toMatchObject({ code: 'NO_DEFAULT_VALUE' });
    }
    for (const root of ['global_zone', 'mqtt', 'rpc', '__proto__'])
      expect((await reset(root)).body, root).toMatchObject({ code: 'BAD_REQUEST' });
    await set('sysmon.os { cpu_high_watermark = 50%, cpu_low_watermark = 40% }');
    expect((await reset('sysmon', 'os.cpu_low_watermark')).status).toBe(400);
  });
});
