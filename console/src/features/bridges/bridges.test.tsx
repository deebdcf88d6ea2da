import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import { json } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { fill } from '../../testing/fill.ts';
import { openPages } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { BridgeCreatePage } from './BridgeCreatePage.tsx';
import { BridgePage } from './BridgePage.tsx';
import { BridgesPage } from './BridgesPage.tsx';

const broker = brokerBehindFetch<Record<string, unknown> | undefined>();
const sent = (method: string, path = '') =>
  broker.calls.filter((call) => call.method === method && call.path.startsWith(path));

beforeAll(async () => {
  await import('../../ui/ConfirmDialog.tsx'); // its first load is not what is tested
});

const show = (address: string) =>
  openPages(
    {
      '/bridge/dataBridge': BridgesPage,
      '/bridge/dataBridge/create': BridgeCreatePage,
      '/bridge/dataBridge/detail/$id': BridgePage,
      '/$': () => null,
    },
    address,
  ).user;

const bridge = (id: string, more: Record<string, unknown> = {}) => {
  const [type = '', name = ''] = id.split(':');
  const { status = 'connected', status_reason } = more;
  const why = status_reason === undefined ? {} : { status_reason };
  return { type, name, enable: true, status, node_status: [{ node: 'n1', status, ...why }], ...more };
};
const rules = (...uses: [id: string, action: string][]) => ({
  data: uses.map(([id, action]) => ({
    id,
    name: '',
    sql: '',
    actions: [action],
    enable: true,
    description: '',
    from: ['t/#'],
    created_at: '2026-01-01T00:00:00Z',
  })),
  meta: { page: 1, limit: 1000, count: uses.length, hasnext: false },
});
const METRICS = {
  ...{ matched: 7, success: 5, failed: 1, dropped: 0, retried: 0, late_reply: 0, queuing: 1 },
  ...{ inflight: 0, received: 0, rate: 0.5, rate_last5m: 0.1, rate_max: 2 },
};
const text = (name: RegExp | string) => screen.findByRole('textbox', { name });
const button = (name: string) => screen.findByRole('button', { name });
const confirmBy = async (user: UserEvent, name: string) => {
  const dialog = await screen.findByRole('dialog');
  const said = dialog.textContent ?? '';
  await user.click(within(dialog).getByRole('button', { name }));
  return said;
};

test('the list says why a bridge is down and who uses it, and asks for the numbers once', async () => {
  broker.answer = ({ path }) => {
    if (path === '/bridges')
      return json([
        bridge('webhook:orders'),
        bridge('mqtt:north', { status: 'disconnected', status_reason: 'refused' }),
        bridge('mysql:half', { status: 'inconsistent' }),
      ]);
    if (path === '/bridges_metrics')
      return json([{ id: 'webhook:orders', metrics: METRICS, node_metrics: [] }]);
    if (path.startsWith('/rules')) return json(rules(['r1', 'http:orders']));
    return undefined;
  };
  show('/bridge/dataBridge');
  expect(await screen.findByText('refused')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Reconnect mqtt:north' })).toBeTruthy();
  expect(screen.getByRole('button', { name: /^mysql:half: Inconsistent/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Reconnect mysql:half' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Reconnect webhook:orders' })).toBeNull();
  expect(await screen.findByRole('link', { name: 'r1' })).toBeTruthy();
  expect(await screen.findByText('0.5/s')).toBeTruthy();
  expect(sent('GET', '/bridges_metrics')).toHaveLength(1);
  expect(sent('GET', '/bridges/')).toHaveLength(0);
});

test('a broker without all metrics in one answer is asked for each bridge', async () => {
  broker.answer = ({ path }) => {
    if (path === '/bridges') return json([bridge('webhook:orders')]);
    if (path === '/bridges/webhook%3Aorders/metrics') return json({ metrics: METRICS, node_metrics: [] });
    return undefined;
  };
  show('/bridge/dataBridge');
  expect(await screen.findByText('0.5/s')).toBeTruthy();
});

test('deleting a bridge that rules use asks a second time, names them, and takes it out of them', async () => {
  broker.answer = ({ method, path }) => {
    if (path === '/bridges/webhook%3Aorders' && method === 'GET') return json(bridge('webhook:orders'));
    if (path.startsWith('/rules')) return json(rules(['r1', 'webhook:orders'], ['r2', 'console:x']));
    if (path === '/bridges/webhook%3Aorders' && method === 'DELETE')
      return json({ code: 'BAD_REQUEST', message: 'used', rules: ['r1'] }, 400);
    return method === 'DELETE' ? new Response(null, { status: 204 }) : undefined;
  };
  const user = show('/bridge/dataBridge/detail/webhook%3Aorders');
  await user.click(await button('Delete'));
  await confirmBy(user, 'Delete');
  await screen.findByText(/It is taken out of these rules: r1\. /);
  expect(sent('DELETE')).toHaveLength(1);
  await confirmBy(user, 'Delete and take out of rules');
  await waitFor(() => expect(sent('DELETE')).toHaveLength(2));
  expect(sent('DELETE').map(({ path, query }) => [path, query?.toString()])).toEqual([
    ['/bridges/webhook%3Aorders', undefined],
    ['/bridges/webhook%3Aorders', 'also_delete_dep_actions=true'],
  ]);
});

test('the second question answered with no deletes nothing, and another refusal asks none', async () => {
  let used = true;
  broker.answer = ({ method, path }) => {
    if (method === 'DELETE')
      return json({ code: used ? 'BAD_REQUEST' : 'INTERNAL_ERROR', message: 'no' }, used ? 400 : 500);
    if (path === '/bridges/webhook%3Aorders') return json(bridge('webhook:orders'));
    return path.startsWith('/rules') ? json(rules(['r1', 'webhook:orders'])) : undefined;
  };
  const user = show('/bridge/dataBridge/detail/webhook%3Aorders');
  await user.click(await button('Delete'));
  await confirmBy(user, 'Delete');
  await screen.findByText(/It is taken out of these rules/);
  await confirmBy(user, 'Cancel');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent('DELETE')).toHaveLength(1);
  used = false;
  await user.click(await button('Delete'));
  await confirmBy(user, 'Delete');
  await waitFor(() => expect(getToasts().map(({ text }) => text)).toEqual(['500 INTERNAL_ERROR:no']));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a new bridge begins with its type; its fields are then those of the type', async () => {
  broker.answer = ({ method, body }) =>
    method === 'POST' ? json(bridge('webhook:w1', body), 201) : undefined;
  const user = show('/bridge/dataBridge/create');
  await user.click(await screen.findByRole('radio', { name: 'Redis' }));
  await user.click(await button('Next'));
  expect(await screen.findByRole('combobox', { name: /^Deployment/ })).toBeTruthy();
  await user.click(await button('Back'));
  await user.click(await screen.findByRole('radio', { name: 'HTTP' }));
  await user.click(await button('Next'));
  await user.click(await button('Create'));
  expect(await screen.findByText('Name is required')).toBeTruthy();
  expect(screen.getByText('URL is required')).toBeTruthy();
  await fill(user, await text(/^Name/), 'w 1');
  await fill(user, await text(/^URL/), 'ftp://x');
  expect(await screen.findByText('Letters, digits, - and _, beginning with a letter or digit')).toBeTruthy();
  expect(sent('POST')).toHaveLength(0);
  await fill(user, await text(/^Name/), 'w1');
  await fill(user, await text(/^URL/), 'http://h:8/x');
  await user.click(await button('Create'));
  expect(await screen.findByRole('heading', { name: 'Bridge webhook:w1 is created' })).toBeTruthy();
  expect(sent('POST')[0]).toEqual({
    method: 'POST',
    path: '/bridges',
    body: {
      type: 'webhook',
      name: 'w1',
      enable: true,
      method: 'post',
      url: 'http://h:8/x',
      headers: { 'content-type': 'application/json' },
      pool_type: 'random',
      ssl: { enable: false },
      resource_opts: { query_mode: 'sync', buffer_mode: 'memory' },
    },
  });
  expect(await button('Create a rule with it')).toBeTruthy();
});

test('a buffer on disk keeps what waits for ever, unless a time is typed', async () => {
  broker.answer = ({ path }) => (path === '/bridges_probe' ? new Response(null, { status: 204 }) : undefined);
  const user = show('/bridge/dataBridge/create?type=webhook&step=2');
  await user.type(await text(/^Name/), 'w1');
  await fill(user, await text(/^URL/), 'http://h:8');
  const options = async () => {
    await user.click(await button('Test connection'));
    await screen.findByText('Connection is successful');
    const { body } = sent('POST', '/bridges_probe').at(-1)!;
    return (body as { resource_opts?: object }).resource_opts;
  };
  await user.click(document.querySelector('[name="resource_opts.buffer_mode"]')!);
  expect(await options()).toEqual({ query_mode: 'sync', buffer_mode: 'disk' });
  await user.type(document.querySelector('[name="resource_opts.request_ttl"]')!, '2');
  expect(await options()).toMatchObject({ buffer_mode: 'disk', request_ttl: expect.stringMatching(/^2/) });
});

test('a test of the connection says beside the form what came of it, and sends what would be saved', async () => {
  let works = false;
  broker.answer = ({ path }) => {
    if (path !== '/bridges_probe') return undefined;
    return works
      ? new Response(null, { status: 204 })
      : json({ code: 'TEST_FAILED', message: 'nobody listens on h:8' }, 400);
  };
  const user = show('/bridge/dataBridge/create?type=webhook&step=2');
  await user.click(await button('Test connection'));
  expect(await screen.findByText('Not tested: mend what is marked in the form first')).toBeTruthy();
  await user.type(await text(/^Name/), 'w1');
  await fill(user, await text(/^URL/), 'http://h:8');
  await user.click(await button('Test connection'));
  expect(await screen.findByText('Test failed: nobody listens on h:8')).toBeTruthy();
  expect(sent('POST', '/bridges_probe')[0]!.body).toMatchObject({ type: 'webhook', url: 'http://h:8' });
  works = true;
  await user.click(await button('Test connection'));
  expect(await screen.findByText('Connection is successful')).toBeTruthy();
  // What was tested is not what stands there now.
  await user.type(await text(/^URL/), '0');
  expect(screen.queryByText('Connection is successful')).toBeNull();
});

test('an MQTT bridge needs a remote topic, and not the same in both directions', async () => {
  broker.answer = ({ method, body }) => (method === 'POST' ? json(bridge('mqtt:m', body), 201) : undefined);
  const user = show('/bridge/dataBridge/create?type=mqtt&step=2');
  await user.type(await text(/^Name/), 'm');
  await fill(user, await text(/^Server/), 'h:1883');
  await user.click(screen.getByRole('switch', { name: 'Send messages (egress)' }));
  await user.click(await button('Create'));
  expect(
    await screen.findByText('A bridge needs at least one remote topic: in ingress or in egress'),
  ).toBeTruthy();
  await user.click(screen.getByRole('switch', { name: 'Send messages (egress)' }));
  await user.click(screen.getByRole('switch', { name: 'Fetch messages (ingress)' }));
  const [egress, ingress] = screen.getAllByRole('textbox', { name: /^Remote topic/ });
  await fill(user, egress!, 'same');
  await fill(user, ingress!, 'same');
  await user.click(await button('Create'));
  expect(await screen.findAllByText(/^The remote topics of ingress and egress must differ/)).toHaveLength(2);
  expect(sent('POST')).toHaveLength(0);
  await user.type(ingress!, '/#');
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({
    ingress: { remote: { topic: 'same/#', qos: 1 }, local: { qos: '${qos}' } },
    egress: { remote: { topic: 'same', qos: '${qos}' } },
  });
});

test('nothing is published to wildcards, and nothing is read by what is no filter', async () => {
  broker.answer = ({ method, body }) => (method === 'POST' ? json(bridge('mqtt:m', body), 201) : undefined);
  const user = show('/bridge/dataBridge/create?type=mqtt&step=2');
  await user.type(await text(/^Name/), 'm');
  await fill(user, await text(/^Server/), 'h:1883');
  await user.click(screen.getByRole('switch', { name: 'Fetch messages (ingress)' }));
  const [sentTo, readFrom] = screen.getAllByRole('textbox', { name: /^Remote topic/ });
  const [readHere, sentHere] = screen.getAllByRole('textbox', { name: /^Local topic/ });
  const write = (field: HTMLElement | undefined, value: string) =>
    fireEvent.change(field!, { target: { value } });
  write(sentTo, 'up/#');
  write(readFrom, 'down/#/x');
  write(readHere, 'a+/b');
  write(sentHere, 'in/+');
  await user.click(await button('Create'));
  expect(await screen.findAllByText('A topic to publish to has no wildcards')).toHaveLength(2);
  expect(screen.getAllByText(/^Not a topic filter: /)).toHaveLength(2);
  expect(sent('POST')).toHaveLength(0);
  write(sentTo, 'up/${topic}');
  write(readFrom, 'down/#');
  write(readHere, 'a/+');
  write(sentHere, '');
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
});

test('a buffer on disk says that its rows expire all the same', async () => {
  const user = show('/bridge/dataBridge/create?type=webhook&step=2');
  await text(/^Name/);
  const said = () => screen.queryByText(/^A row that waited longer is dropped, on disk too/);
  expect(said()).toBeNull();
  await user.click(screen.getByRole('switch', { name: 'Keep the buffer on disk', hidden: true }));
  expect(said()).toBeTruthy();
});

test('without workers nothing is sent: 0 is refused unless the bridge only fetches', async () => {
  broker.answer = ({ method, body }) => (method === 'POST' ? json(bridge('x:m', body), 201) : undefined);
  const user = show('/bridge/dataBridge/create?type=webhook&step=2');
  await user.type(await text(/^Name/), 'w');
  await fill(user, await text(/^URL/), 'http://h');
  await user.type(screen.getByRole('textbox', { name: /^Worker pool size/, hidden: true }), '0');
  await user.click(await button('Create'));
  expect(await screen.findByText('Must be above 0, unless the bridge only fetches messages')).toBeTruthy();
  expect(sent('POST')).toHaveLength(0);
});

test('an MQTT bridge may have no workers when it only fetches', async () => {
  broker.answer = ({ method, body }) => (method === 'POST' ? json(bridge('mqtt:m', body), 201) : undefined);
  const user = show('/bridge/dataBridge/create?type=mqtt&step=2');
  await user.type(await text(/^Name/), 'm');
  await fill(user, await text(/^Server/), 'h:1883');
  await user.type(await text(/^Remote topic/), 'a');
  await user.type(screen.getByRole('textbox', { name: /^Worker pool size/, hidden: true }), '0');
  await user.click(await button('Create'));
  expect(await screen.findByText('Must be above 0, unless the bridge only fetches messages')).toBeTruthy();
  await user.click(screen.getByRole('switch', { name: 'Send messages (egress)' }));
  await user.click(screen.getByRole('switch', { name: 'Fetch messages (ingress)' }));
  await user.type(await text(/^Remote topic/), 'b');
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({ resource_opts: { worker_pool_size: 0 } });
  expect(sent('POST')[0]!.body).not.toHaveProperty('egress');
});

test('a consumer of Kafka may have no workers', async () => {
  broker.answer = ({ method, body }) =>
    method === 'POST' ? json(bridge('kafka_consumer:k', body), 201) : undefined;
  const user = show('/bridge/dataBridge/create?type=kafka_consumer&step=2');
  await user.type(await text(/^Name/), 'k');
  await user.type(await text(/^Kafka topic/), 'a');
  await user.type(await text(/^MQTT topic/), 'b');
  await user.type(screen.getByRole('textbox', { name: /^Worker pool size/, hidden: true }), '0');
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({
    resource_opts: { worker_pool_size: 0 },
    authentication: 'none',
    topic_mapping: [{ kafka_topic: 'a', mqtt_topic: 'b', qos: 0, payload_template: '${.}' }],
  });
});

test('a copy asks for its secrets again and does not take asterisks for one', async () => {
  const source = bridge('mysql:db', {
    server: '127.0.0.1:3306',
    database: 'd',
    username: 'root',
    password: '******',
    sql: 'insert into t(a) values (1)',
    ssl: { enable: false },
    resource_opts: { query_mode: 'sync' },
  });
  broker.answer = ({ method, path, body }) => {
    if (method === 'POST') return json(bridge('mysql:db_duplication', body), 201);
    return path === '/bridges' ? json([source]) : json(source);
  };
  const user = show('/bridge/dataBridge/create?action=copy&target=mysql%3Adb');
  expect(await screen.findByText('Secrets are not copied. Enter them again: Password')).toBeTruthy();
  expect(((await text(/^Name/)) as HTMLInputElement).value).toBe('db_duplication');
  await user.click(await button('Create'));
  expect(await screen.findByText('Password is required')).toBeTruthy();
  const password = document.querySelector<HTMLInputElement>('input[name=password]')!;
  await fill(user, password, '****x');
  expect(sent('POST')).toHaveLength(0);
  await fill(user, password, 'secret');
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({ name: 'db_duplication', password: 'secret' });
});

const DB = {
  server: '127.0.0.1:3306',
  database: 'd',
  username: 'root',
  password: '******',
  sql: 'insert into t(a) values (1)',
  ssl: { enable: false },
  description: '',
  resource_opts: { query_mode: 'sync', buffer_mode: 'memory' },
};

test('a change warns that the bridge restarts; a stored password goes back as it came, a piece of it does not', async () => {
  broker.answer = ({ method, path, body }) => {
    if (method === 'PUT') return json(bridge('mysql:db', { ...DB, ...body }));
    return path === '/bridges/mysql%3Adb' ? json(bridge('mysql:db', DB)) : undefined;
  };
  const user = show('/bridge/dataBridge/detail/mysql%3Adb?tab=settings');
  const database = await text(/^Database/);
  await fill(user, database, 'other');
  await user.click(await button('Save'));
  const said = await confirmBy(user, 'Cancel');
  expect(said).toContain(
    'Updating bridge configuration will cause the bridge to restart. The buffered messages, and newly received messages during the restart will not be bridged. Continue?',
  );
  expect(sent('PUT')).toHaveLength(0);
  await user.click(await button('Save'));
  await confirmBy(user, 'Save and restart');
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.body).toMatchObject({ database: 'other', password: '******' });
  expect(sent('PUT')[0]!.body).not.toHaveProperty('status');
  const password = document.querySelector<HTMLInputElement>('input[name=password]')!;
  await fill(user, password, '***1');
  await user.click(await button('Save'));
  await waitFor(() => expect(password.getAttribute('aria-invalid')).toBe('true'));
  expect(sent('PUT')).toHaveLength(1);
});

test('a service account must be JSON', async () => {
  broker.answer = ({ method, body }) => (method === 'POST' ? json(bridge('x:y', body), 201) : undefined);
  const user = show('/bridge/dataBridge/create?type=gcp_pubsub&step=2');
  await user.type(await text(/^Name/), 'g');
  await fill(user, await text(/^Pub\/Sub topic/), 'topic');
  const account = await text(/^Service account/);
  await user.click(account);
  await user.paste('{"type":');
  await user.click(await button('Create'));
  expect(await screen.findByText(/^Not valid JSON: /)).toBeTruthy();
  const file = screen.getByLabelText<HTMLInputElement>(/^Choose a \.json file/);
  const upload = userEvent.setup({ applyAccept: false });
  await upload.upload(file, new File(['x'], 'key.pem'));
  expect(await screen.findByText('Only files that end in .json')).toBeTruthy();
  await upload.upload(file, new File(['{"project_id":"p"}'], 'key.json'));
  await waitFor(() => expect((account as HTMLTextAreaElement).value).toBe('{"project_id":"p"}'));
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({ service_account_json: { project_id: 'p' } });
});

test('a point of InfluxDB is written in a form', async () => {
  broker.answer = ({ method, body }) => (method === 'POST' ? json(bridge('x:y', body), 201) : undefined);
  const user = show('/bridge/dataBridge/create?type=influxdb&step=2');
  await user.type(await text(/^Name/), 'i');
  await user.selectOptions(screen.getByRole('combobox', { name: /^InfluxDB version/ }), 'v1');
  await user.type(await text(/^Database/), 'd');
  await user.click(screen.getByRole('radio', { name: 'Form' }));
  const measurement = await text('Measurement');
  await fill(user, measurement, 'my data');
  await user.click(await button('Add tag'));
  await fill(user, await text('Tag 2: key'), 'site');
  await fill(user, await text('Tag 2: value'), 'a b');
  await user.click(await button('Create'));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({
    type: 'influxdb_api_v1',
    database: 'd',
    write_syntax: 'my\\ data,clientid=${clientid},site=a\\ b value=${payload.value} ${timestamp}',
  });
  expect(sent('POST')[0]!.body).not.toHaveProperty('org');
});

test('the statistics are shown per node and reset after a question', async () => {
  broker.answer = ({ method, path }) => {
    if (method === 'PUT') return new Response(null, { status: 204 });
    if (path === '/bridges/webhook%3Aorders/metrics')
      return json({ metrics: METRICS, node_metrics: [{ node: 'n1', metrics: METRICS }] });
    if (path.startsWith('/rules')) return json(rules());
    return path === '/bridges/webhook%3Aorders' ? json(bridge('webhook:orders')) : undefined;
  };
  const user = show('/bridge/dataBridge/detail/webhook%3Aorders');
  const row = await screen.findByRole('row', { name: /^n1/ });
  await waitFor(() => expect(within(row).getByText('2/s')).toBeTruthy());
  expect(await screen.findByText('5 minutes 0.1/s, maximum 2/s')).toBeTruthy();
  await user.click(await button('Reset'));
  await confirmBy(user, 'Reset');
  await waitFor(() => expect(getToasts().map(({ text }) => text)).toEqual(['Reset successfully']));
  expect(sent('PUT')[0]!.path).toBe('/bridges/webhook%3Aorders/metrics/reset');
});

test.each([
  ['45s', 'what waited longer than 45s is dropped.'],
  ['infinity', 'are sent when it is there again.'],
])('a target that is away: with rows that live %s it says what becomes of them', async (ttl, end) => {
  const more = { status: 'disconnected', status_reason: 'refused', resource_opts: { request_ttl: ttl } };
  broker.answer = ({ path }) => {
    if (path.startsWith('/rules')) return json(rules());
    return path === '/bridges/webhook%3Aorders' ? json(bridge('webhook:orders', more)) : undefined;
  };
  show('/bridge/dataBridge/detail/webhook%3Aorders');
  const alert = await screen.findByText(/^The target cannot be reached: refused/);
  expect(alert.parentElement?.textContent?.endsWith(end)).toBe(true);
});
