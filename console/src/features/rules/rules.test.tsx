import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { absent, json } from '../../testing/answers.ts';
import { brokerBehindFetch, type Call } from '../../testing/broker-behind-fetch.ts';
import { closePage, openPages } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { RuleCreatePage } from './RuleCreatePage.tsx';
import { RuleInfoPage } from './RulePage.tsx';
import { RulesPage } from './RulesPage.tsx';

const EVENTS = [
  {
    event: '$events/message_publish',
    title: { en: 'Message published', zh: '消息发布' },
    description: { en: 'Published.', zh: '发布。' },
    columns: ['clientid', 'topic', 'payload'],
    test_columns: {
      clientid: ['c_sensor', { en: 'Client ID', zh: '客户端 ID' }],
      topic: ['t/a'],
      qos: [1, 'QoS of the message'],
      payload: ['{"msg": "hello"}'],
    },
    sql_example: 'SELECT * FROM "t/#"',
  },
  {
    event: '$events/client_connected',
    title: { en: 'Client connected', zh: '客户端已连接' },
    description: { en: 'Connected.', zh: '已连接。' },
    columns: ['clientid'],
    test_columns: { clientid: ['c_sensor'] },
    sql_example: 'SELECT * FROM "$events/client_connected"',
  },
];
const bridge = (type: string, name: string, more: object = {}) => ({
  type,
  name,
  enable: true,
  status: 'connected',
  node_status: [],
  ...more,
});
const BRIDGES = [
  bridge('webhook', 'hook'),
  bridge('mqtt', 'in', { ingress: { remote: { topic: 'far/#' } } }),
  bridge('mqtt', 'both', { ingress: { remote: { topic: 'a' } }, egress: { remote: { topic: 'b' } } }),
];
const rule = (id: string, more: object = {}) => ({
  id,
  name: '',
  sql: 'SELECT * FROM "t/#"',
  actions: ['http:hook', { function: 'console' }],
  enable: true,
  description: 'a note',
  from: ['t/#'],
  created_at: '2026-11-21T00:00:00.000Z',
  ...more,
});
const metricsOf = (id: string, matched: number) => {
  const metrics = {
    matched,
    passed: 1,
    failed: 0,
    'failed.exception': 2,
    'matched.rate': 0.5,
    'matched.rate.last5m': 0,
    'matched.rate.max': 1,
  };
  return { id, metrics, node_metrics: [{ node: 'n1', metrics }] };
};

function standard({ method, path }: Call): Response | undefined {
  if (method !== 'GET') return undefined;
  if (path === '/rule_events') return json(EVENTS);
  if (path === '/bridges') return json(BRIDGES);
  if (path === '/rules')
    return json({ data: [rule('r1'), rule('r2')], meta: { count: 2, page: 1, limit: 50, hasnext: false } });
  if (path === '/rules/r1') return json(rule('r1'));
  if (path === '/rules_metrics') return json([metricsOf('r1', 41), metricsOf('r2', 42)]);
  if (path === '/rule_samples') return json({ data: [], position: 0 });
  const id = /^\/rules\/(\w+)\/metrics$/.exec(path)?.[1];
  if (id) return json(metricsOf(id, id === 'r1' ? 41 : 42));
  const named = /^\/bridges\/(.+)$/.exec(path)?.[1];
  const found = named && BRIDGES.find(({ type, name }) => `${type}:${name}` === decodeURIComponent(named));
  return found ? json(found) : undefined;
}

const broker = brokerBehindFetch(standard);
const { sent } = broker;

const show = (element: React.ReactNode, address = '/here', path = '/$') =>
  openPages({ [path]: () => element }, address).user;

const sqlField = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'SQL' });
const write = async (sql: string) => fireEvent.change(await sqlField(), { target: { value: sql } });
const create = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Create rule' }));

test('the list asks for all counters at once, and for each alone where the broker knows no other way', async () => {
  show(<RulesPage />);
  expect(await screen.findByText('41')).toBeTruthy();
  expect(sent('GET', '/rules_metrics')).toHaveLength(1);
  expect(sent('GET', '/rules/r1/metrics')).toHaveLength(0);
  closePage();
  broker.answer = ({ path }) => (path === '/rules_metrics' ? absent() : undefined);
  show(<RulesPage />);
  expect(await screen.findByText('42')).toBeTruthy();
  expect(sent('GET', '/rules/r1/metrics')).toHaveLength(1);
});

test('disabling asks and sends nothing but that; a no sends nothing', async () => {
  broker.answer = ({ method }) => (method === 'PUT' ? json(rule('r1', { enable: false })) : undefined);
  const user = show(<RulesPage />);
  const enable = await screen.findByRole('switch', { name: 'Enable r1' });
  await user.click(enable);
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Cancel' }));
  expect(sent('PUT')).toHaveLength(0);
  await waitFor(() => expect(enable.getAttribute('aria-busy')).toBeNull());
  await user.click(enable);
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Disable' }));
  await waitFor(() => expect(sent('PUT', '/rules/r1').map(({ body }) => body)).toEqual([{ enable: false }]));
});

test('a new rule has an id, a statement, and sends what its actions are', async () => {
  broker.answer = ({ method }) => (method === 'POST' ? json(rule('r9'), 201) : undefined);
  const user = show(<RuleCreatePage />);
  const id = await screen.findByRole<HTMLInputElement>('textbox', { name: /^ID/ });
  expect(id.value).toMatch(/^rule_[a-z0-9]{4}$/);
  expect((await sqlField()).value).toBe('SELECT\n  *\nFROM\n  "t/#"');
  await user.click(screen.getByRole('button', { name: 'Add action' }));
  const drawer = await screen.findByRole('dialog', { name: 'Add action' });
  await user.click(within(drawer).getByRole('button', { name: 'Apply' }));
  expect(await within(drawer).findByText('Topic is required')).toBeTruthy();
  fireEvent.change(within(drawer).getByRole('textbox', { name: /^Topic/ }), { target: { value: 'out/#' } });
  await user.click(within(drawer).getByRole('button', { name: 'Apply' }));
  expect(await within(drawer).findByText('A topic to publish to has no wildcards')).toBeTruthy();
  fireEvent.change(within(drawer).getByRole('textbox', { name: /^Topic/ }), {
    target: { value: 'out/${clientid}' },
  });
  await user.selectOptions(within(drawer).getByRole('combobox', { name: /^QoS/ }), '1');
  await user.selectOptions(within(drawer).getByRole('combobox', { name: /^Retain/ }), 'other');
  fireEvent.change(within(drawer).getByRole('textbox', { name: /^Retain template/ }), {
    target: { value: '${payload.keep}' },
  });
  await user.click(within(drawer).getByRole('button', { name: 'Apply' }));
  await user.click(await screen.findByRole('button', { name: 'Add action' }));
  await user.selectOptions(await screen.findByRole('combobox', { name: /^Kind of action/ }), 'bridge');
  const bridges = screen.getByRole('combobox', { name: /^Data bridge/ });
  expect(within(bridges).queryByText(/mqtt:in/)).toBeNull(); // nothing can be sent to it
  await user.selectOptions(bridges, 'webhook:hook');
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  fireEvent.change(id, { target: { value: 'mine' } });
  await create(user);
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({
    id: 'mine',
    sql: 'SELECT\n  *\nFROM\n  "t/#"',
    actions: [
      {
        function: 'republish',
        args: {
          topic: 'out/${clientid}',
          qos: 1,
          retain: '${payload.keep}',
          payload: '${payload}',
          mqtt_properties: {},
          user_properties: '${user_properties}',
          direct_dispatch: false,
        },
      },
      'webhook:hook',
    ],
  });
});

test('a statement that cannot be read, and an id that cannot be one, are said and not sent', async () => {
  const user = show(<RuleCreatePage />);
  await write('SELECT * FORM "t"');
  fireEvent.change(screen.getByRole('textbox', { name: /^ID/ }), { target: { value: 'a b' } });
  await create(user);
  expect(await screen.findByText(/^Begin with a letter or digit/)).toBeTruthy();
  expect(
    (await screen.findAllByText(/This cannot stand here: "t"|This cannot stand here: FORM/)).length,
  ).toBeGreaterThan(0);
  expect(sent('POST')).toHaveLength(0);
});

test('what the broker refuses stands beside the field that it is about', async () => {
  const refused = {
    kind: 'validation_error',
    path: 'rule_engine.rules.x.sql',
    reason: '1: syntax error before: x',
    value: 'SELECT',
  };
  let message = JSON.stringify(refused);
  broker.answer = ({ method }) =>
    method === 'POST' ? json({ code: 'BAD_REQUEST', message }, 400) : undefined;
  const user = show(<RuleCreatePage />);
  await sqlField();
  await create(user);
  const said = 'The broker refused it: 1: syntax error before: x';
  await waitFor(() => expect(screen.getAllByText(said).length).toBeGreaterThan(0));
  expect(within(screen.getByRole('list', { name: 'Problems in SQL' })).getByText(said)).toBeTruthy();
  message = 'rule id already exists';
  await create(user);
  expect(await screen.findByText('There is a rule of this ID already')).toBeTruthy();
});

test('SQL becomes a form, the form writes SQL, and what cannot be a form says why', async () => {
  const user = show(<RuleCreatePage />);
  await write('SELECT a FROM "t/1" WHERE a > 1');
  await user.click(screen.getByRole('button', { name: 'Write it as a form' }));
  const source = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Data source 1' });
  expect(source.value).toBe('t/1');
  fireEvent.change(source, { target: { value: '' } });
  expect(await screen.findByText('Data source is required')).toBeTruthy();
  fireEvent.change(source, { target: { value: 't/2' } });
  const fields = await screen.findByRole('textbox', { name: 'Fields (SELECT)' });
  fireEvent.change(fields, { target: { value: 'a, b as c' } });
  await user.click(screen.getByRole('button', { name: 'Write it as SQL' }));
  expect((await sqlField()).value).toBe('SELECT\n  a,\n  b as c\nFROM\n  "t/2"\nWHERE\n  a > 1');
  await write('-- why\nSELECT * FROM "t"');
  await user.click(screen.getByRole('button', { name: 'Write it as a form' }));
  expect(getToasts().at(-1)?.text).toContain('comments');
  expect(await sqlField()).toBeTruthy();
});

test('a copy begins with what the other rule has, under the first free id', async () => {
  broker.answer = ({ method, path, query }) =>
    method === 'GET' && path === '/rules' && query?.get('like_id') === 'r1_duplication'
      ? json({ data: [rule('r1_duplication')], meta: { count: 1, page: 1, limit: 1000, hasnext: false } })
      : undefined;
  show(<RuleCreatePage />, '/rules/create/form?action=copy&target=r1');
  const id = await screen.findByRole<HTMLInputElement>('textbox', { name: /^ID/ });
  expect(id.value).toBe('r1_duplication_1');
  expect((await sqlField()).value).toBe('SELECT * FROM "t/#"');
  expect(screen.getByText('webhook:hook')).toBeTruthy();
});

test('a rule for a bridge sends to it, reads from it, or both', async () => {
  show(<RuleCreatePage />, '/rules/create/form?bridgeId=mqtt%3Aboth');
  expect((await sqlField()).value).toContain('"$bridges/mqtt:both"');
  expect(screen.getByRole('button', { name: 'Edit mqtt:both' })).toBeTruthy();
  cleanup();
  show(<RuleCreatePage />, '/rules/create/form?bridgeId=mqtt%3Ain');
  expect((await sqlField()).value).toContain('"$bridges/mqtt:in"');
  expect(screen.getByText('No actions yet: results go nowhere.')).toBeTruthy();
});

test('the test sends the columns and says when the source is another one', async () => {
  broker.answer = ({ path }) =>
    path === '/rule_test' ? json({ code: 'NOT_MATCH', message: 'SQL Not Match' }, 412) : undefined;
  const user = show(<RuleCreatePage />, '/here?test=on');
  await write('SELECT * FROM "rooms/+/state"');
  expect(await screen.findByDisplayValue('rooms/a/state')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Run Test' }));
  expect(await screen.findByText(/^No result: the source does not fit/)).toBeTruthy();
  expect(sent('POST', '/rule_test')[0]!.body).toEqual({
    sql: 'SELECT * FROM "rooms/+/state"',
    context: {
      clientid: 'c_sensor',
      topic: 'rooms/a/state',
      qos: 1,
      payload: '{"msg": "hello"}',
      event_type: 'message_publish',
    },
  });
  expect(screen.queryByText("Data source doesn't match the entered SQL")).toBeNull();
  broker.answer = ({ path }) => (path === '/rule_test' ? json([{ a: { b: [1, 'x'] } }]) : undefined);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Data source' }), '$events/client_connected');
  expect(await screen.findByText("Data source doesn't match the entered SQL")).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Run Test' }));
  expect(await screen.findByText('1 result')).toBeTruthy();
  expect(screen.getByText('b')).toBeTruthy();
  expect(sent('POST', '/rule_test').at(-1)!.body).toMatchObject({
    context: { event_type: 'client_connected' },
  });
});

test('why a test failed is said in words', async () => {
  let message = JSON.stringify({ select_and_transform_error: 'decode_json_failed' });
  broker.answer = ({ path }) =>
    path === '/rule_test' ? json({ code: 'BAD_REQUEST', message }, 400) : undefined;
  const user = show(<RuleCreatePage />, '/here?test=on');
  await user.click(await screen.findByRole('button', { name: 'Run Test' }));
  expect(await screen.findByText('The SQL failed: the payload is not JSON (in the fields)')).toBeTruthy();
  message = JSON.stringify({
    match_conditions_error: { reason: 'bad_sql_function_argument', function_name: 'abs', arguments: ['x'] },
  });
  await user.click(screen.getByRole('button', { name: 'Run Test' }));
  expect(await screen.findByText('The SQL failed: abs cannot take "x" (in WHERE)')).toBeTruthy();
});

test('resetting test data asks, and brings the samples back', async () => {
  const user = show(<RuleCreatePage />, '/here?test=on');
  const client = await screen.findByDisplayValue('c_sensor');
  fireEvent.change(client, { target: { value: 'other' } });
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Reset' }));
  expect(await screen.findByDisplayValue('c_sensor')).toBeTruthy();
});

test('a message that really came becomes the test data', async () => {
  const columns = {
    clientid: 'pump-7',
    topic: 't/x',
    qos: 2,
    payload: '{"real":1}',
    flags: { retain: false },
  };
  broker.answer = ({ path }) =>
    path === '/rule_samples'
      ? json({ data: [{ position: 3, at: '2026-11-21T00:00:00.000Z', columns }], position: 3 })
      : path === '/rule_test'
        ? json({ ok: 1 })
        : undefined;
  const user = show(<RuleCreatePage />, '/here?test=on');
  await user.click(await screen.findByRole('button', { name: 'Use the message of t/x' }));
  await user.click(screen.getByRole('button', { name: 'Run Test' }));
  await waitFor(() => expect(sent('POST', '/rule_test')).toHaveLength(1));
  expect(sent('POST', '/rule_test')[0]!.body).toMatchObject({
    context: { clientid: 'pump-7', topic: 't/x', qos: 2, payload: '{"real":1}' },
  });
});

test('saving keeps who enabled it out of it, and an emptied note is sent', async () => {
  let stored = rule('r1');
  broker.answer = ({ method, path, body }) => {
    if (path !== '/rules/r1') return undefined;
    if (method === 'PUT') stored = { ...stored, ...(body as object) };
    return json(stored);
  };
  const user = show(<RuleInfoPage />, '/rules/detail/r1/info?tab=settings', '/rules/detail/$id/info');
  const note = await screen.findByRole('textbox', { name: 'Note' });
  await user.clear(note);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.body).toEqual({
    sql: 'SELECT * FROM "t/#"',
    actions: ['webhook:hook', { function: 'console' }],
    description: '',
  });
  // Saved again: what one has stored oneself is nobody else's change.
  await user.type(note, 'second');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(2));
  expect(sent('PUT')[1]!.body).toMatchObject({ description: 'second' });
  expect(getToasts().map(({ text }) => text)).toEqual(['Rule r1 saved']);
});

test('the statistics are shown per node, and resetting them asks', async () => {
  broker.answer = ({ method }) => (method === 'PUT' ? new Response(null, { status: 204 }) : undefined);
  const user = show(<RuleInfoPage />, '/rules/detail/r1/info', '/rules/detail/$id/info');
  expect(await screen.findByRole('row', { name: /^n1 41 1 2/ })).toBeTruthy();
  expect(screen.getByText('webhook:hook, Console output')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Reset' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Reset' }));
  await waitFor(() => expect(sent('PUT', '/rules/r1/metrics/reset')).toHaveLength(1));
  expect(getToasts().at(-1)?.text).toBe('Reset successfully');
});
