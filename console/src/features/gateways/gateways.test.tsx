import { cleanup, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { GatewayAuthPage } from '../../gateway-auth-route.tsx';
import { json, nothing, refused } from '../../testing/answers.ts';
import { brokerBehindFetch, type Call } from '../../testing/broker-behind-fetch.ts';
import { watchDownloads } from '../../testing/downloads.ts';
import { fill } from '../../testing/fill.ts';
import { openPages } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { GatewayCreatePage } from './GatewayCreatePage.tsx';
import { GatewayConnectionsPage, GatewayListenersPage, GatewaySettingsPage } from './GatewayPage.tsx';
import { GatewaysPage } from './GatewaysPage.tsx';

/** What the broker says, by `METHOD /path`; a function is asked with the call. */
let answers: Record<string, unknown | ((call: Call) => Response)>;
const broker = brokerBehindFetch((call) => {
  const answer = answers[`${call.method} ${decodeURIComponent(call.path)}`];
  if (answer === undefined) return refused('RESOURCE_NOT_FOUND', 'Client not found');
  return typeof answer === 'function' ? (answer as (call: Call) => Response)(call) : json(answer);
});
const { sent } = broker;

beforeAll(async () => {
  // Their first load is not what is tested.
  await import('../../ui/ConfirmDialog.tsx');
  await import('./GatewaySettings.tsx');
  await import('./listeners/ListenersPart.tsx');
  await import('./connections/ConnectionsPart.tsx');
  await import('./connections/CoapRequest.tsx');
  await import('./connections/DeviceObjects.tsx');
});

beforeEach(() => {
  answers = { 'GET /gateways': GATEWAYS };
});

const show = (address: string) =>
  openPages(
    {
      '/gateway': GatewaysPage,
      '/gateway/create/$name': GatewayCreatePage,
      '/gateway/detail/$name/settings': GatewaySettingsPage,
      '/gateway/detail/$name/listeners': GatewayListenersPage,
      '/gateway/detail/$name/auth': GatewayAuthPage,
      '/gateway/detail/$name/connections': GatewayConnectionsPage,
    },
    address,
  );

const GATEWAYS = [
  { name: 'coap', status: 'unloaded' },
  { name: 'exproto', status: 'stopped', current_connections: 0, max_connections: 1024, listeners: [] },
  {
    name: 'stomp',
    status: 'running',
    current_connections: 3,
    max_connections: 1024,
    listeners: [{ id: 'stomp:tcp:default', name: 'default', type: 'tcp', running: true }],
    node_status: [{ node: 'n1@host', status: 'running' }],
  },
];
const STOMP = {
  name: 'stomp',
  status: 'running',
  created_at: '2026-01-01T00:00:00.000+00:00',
  enable: true,
  enable_stats: true,
  idle_timeout: '30s',
  mountpoint: '',
  frame: { max_headers: 10, max_headers_length: 1024, max_body_length: 8192 },
  listeners: [],
};
const LISTENER = {
  id: 'stomp:tcp:default',
  type: 'tcp',
  name: 'default',
  bind: '127.0.0.1:61613',
  enable: true,
  acceptors: 16,
  max_connections: 1024,
  max_conn_rate: 1000,
  status: { running: true, current_connections: 2, max_connections: 1024 },
};
const client = (clientid: string, more: Record<string, unknown> = {}) => ({
  clientid,
  username: 'u1',
  connected: true,
  node: 'n1@host',
  ip_address: '10.0.0.7',
  port: 4711,
  proto_name: 'STOMP',
  proto_ver: '1.2',
  keepalive: 0,
  clean_start: true,
  expiry_interval: 0,
  is_bridge: false,
  connected_at: '2026-01-01T00:00:00.000+00:00',
  subscriptions_cnt: 1,
  subscriptions_max: 'infinity',
  inflight_cnt: 0,
  inflight_max: 'infinity',
  mqueue_len: 0,
  mqueue_max: 1000,
  mqueue_dropped: 0,
  awaiting_rel_cnt: 0,
  awaiting_rel_max: 'infinity',
  ...more,
});
const page = (data: unknown[]) => ({
  data,
  meta: { page: 1, limit: 50, count: data.length, hasnext: false },
});

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const next = (user: UserEvent) => user.click(button('Next'));
const answerOf = async (user: UserEvent, title: string | RegExp, answer: string): Promise<string> => {
  const dialog = await screen.findByRole('dialog', { name: title });
  const text = dialog.textContent ?? '';
  await user.click(within(dialog).getByRole('button', { name: answer }));
  return text;
};

test('the list stands by state; what is not set up offers nothing but that', async () => {
  show('/gateway');
  await screen.findByRole('link', { name: 'Settings of STOMP' });
  const rows = screen.getAllByRole('row').slice(1);
  expect(rows.map((row) => /STOMP|ExProto|CoAP/.exec(row.textContent ?? '')?.[0])).toEqual([
    'STOMP',
    'ExProto',
    'CoAP',
  ]);
  const [stomp, , coap] = rows;
  expect(within(stomp!).getByText('tcp default')).toBeTruthy();
  expect(within(coap!).getByRole('link', { name: 'Set up CoAP' })).toBeTruthy();
  expect(within(coap!).queryByRole('link', { name: /Settings|Connections/ })).toBeNull();
  expect(within(coap!).getByRole('switch')).toHaveProperty('disabled', true);
});

test('disabling asks with the number of devices; a no sends nothing, enabling asks nothing', async () => {
  answers['PUT /gateways/stomp/enable/false'] = nothing;
  answers['PUT /gateways/exproto/enable/true'] = nothing;
  const { user } = show('/gateway');
  await user.click(await screen.findByRole('switch', { name: 'Enable STOMP' }));
  expect(await answerOf(user, 'Disable STOMP?', 'Cancel')).toContain('3 devices are connected');
  expect(sent('PUT')).toEqual([]);
  await waitFor(() =>
    expect(screen.getByRole('switch', { name: 'Enable STOMP' })).toHaveProperty('checked', true),
  );
  await user.click(screen.getByRole('switch', { name: 'Enable STOMP' }));
  await answerOf(user, 'Disable STOMP?', 'Disable');
  await waitFor(() => expect(sent('PUT').map(({ path }) => path)).toEqual(['/gateways/stomp/enable/false']));
  await user.click(screen.getByRole('switch', { name: 'Enable ExProto' }));
  await waitFor(() => expect(sent('PUT').at(-1)?.path).toBe('/gateways/exproto/enable/true'));
});

test('a list that cannot be read says so and is read again', async () => {
  answers['GET /gateways'] = () => refused('BAD_REQUEST', 'not now', 500);
  const { user } = show('/gateway');
  await screen.findByText(/not now/);
  answers['GET /gateways'] = [];
  await user.click(button('Try again'));
  expect(await screen.findByText('This broker has no gateways.')).toBeTruthy();
});

test('three steps, and one PUT at the end: what was typed is there on the way back', async () => {
  answers['GET /gateways/stomp'] = { name: 'stomp', status: 'unloaded' };
  answers['PUT /gateways/stomp'] = nothing;
  const { user } = show('/gateway/create/stomp');
  const mountpoint = await screen.findByRole('textbox', { name: /^Mountpoint/ });
  await fill(user, mountpoint, 'st/#');
  await next(user);
  expect(await screen.findByText('Wildcards are not supported')).toBeTruthy();
  await fill(user, mountpoint, 'st/');
  await next(user);
  await screen.findByText('Where devices connect. More can be added later, too.');

  await user.click(button('Add listener'));
  let drawer = await screen.findByRole('dialog', { name: 'Add listener' });
  await fill(user, within(drawer).getByRole('textbox', { name: /^Name/ }), 'default');
  await fill(user, within(drawer).getByRole('textbox', { name: /^Bind address/ }), '127.0.0.1:61700');
  await user.click(within(drawer).getByRole('button', { name: 'Add listener' }));
  expect(await within(drawer).findByText('There is a listener of this type and name already')).toBeTruthy();
  await user.type(within(drawer).getByRole('textbox', { name: /^Name/ }), '2');
  await user.click(within(drawer).getByRole('button', { name: 'Add listener' }));
  await screen.findByRole('button', { name: 'Edit stomp:tcp:default2' });

  await user.click(button('Edit stomp:tcp:default'));
  drawer = await screen.findByRole('dialog', { name: 'Listener stomp:tcp:default' });
  await fill(user, within(drawer).getByRole('textbox', { name: /^Max connections/ }), '20');
  await user.click(within(drawer).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

  await next(user);
  await screen.findByText(/every device that reaches a listener is let in/);
  await user.click(button('Back'));
  await user.click(button('Back'));
  expect(await screen.findByRole('textbox', { name: /^Mountpoint/ })).toHaveProperty('value', 'st/');
  await next(user);
  await next(user);
  expect(sent('PUT')).toEqual([]);
  await user.click(button('Set up'));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]?.body).toEqual({
    name: 'stomp',
    enable: true,
    enable_stats: true,
    idle_timeout: '30s',
    mountpoint: 'st/',
    frame: { max_headers: 10, max_headers_length: 1024, max_body_length: 8192 },
    listeners: [
      { type: 'tcp', name: 'default', bind: 61_613, max_connections: 20 },
      { type: 'tcp', name: 'default2', bind: '127.0.0.1:61700', max_connections: 1_024_000 },
    ],
  });
  await waitFor(() => expect(getToasts().map(({ text }) => text)).toContain('STOMP is set up'));
});

test('what the forms begin with is called the default, and the example of a mountpoint is of the gateway', async () => {
  answers['GET /gateways/stomp'] = { name: 'stomp', status: 'unloaded' };
  const { user } = show('/gateway/create/stomp');
  const length = await screen.findByRole('textbox', { name: /^Max body length/ });
  expect(length).toHaveProperty('value', '8192');
  expect(screen.queryByText(/^Default:/)).toBeNull();
  expect(screen.getByText(/stomp\/\$\{clientid\}\/$/)).toBeTruthy();
  await fill(user, length, '9');
  expect(await screen.findByText('Default: 8192')).toBeTruthy();
  await user.click(screen.getByText('Default: 8192'));
  await next(user);
  await user.click(button('Add listener'));
  const drawer = await screen.findByRole('dialog', { name: 'Add listener' });
  await within(drawer).findByRole('textbox', { name: /^Bind address/ });
  expect(within(drawer).queryByText(/^Default:/)).toBeNull();
});

test('each gateway says how a device talks to it; the file for authors of an ExProto service is there', async () => {
  const downloads = watchDownloads();
  for (const name of ['stomp', 'coap', 'mqttsn', 'lwm2m', 'exproto']) {
    answers[`GET /gateways/${name}`] = { name, status: 'unloaded' };
    show(`/gateway/create/${name}`);
    const how = await screen.findByText(/How a device talks to it/);
    if (name === 'coap') expect(how.textContent).toContain('coap://host:5683/ps/TOPIC?clientid=ID');
    if (name === 'lwm2m') expect(how.textContent).toContain('messages to dn/#');
    if (name !== 'exproto') cleanup();
  }
  screen.getByRole('button', { name: 'Download exproto.proto' }).click();
  await waitFor(() => expect(downloads.map(({ name }) => name)).toEqual(['exproto.proto']));
  expect(await downloads[0]!.file.text()).toContain('service ConnectionAdapter');
});

test('a gateway without a listener is not set up', async () => {
  answers['GET /gateways/coap'] = { name: 'coap', status: 'unloaded' };
  const { user } = show('/gateway/create/coap');
  await user.click(await screen.findByRole('button', { name: 'Next' }));
  await user.click(await screen.findByRole('button', { name: 'Delete coap:udp:default' }));
  await next(user);
  expect(await screen.findByText('Add at least one listener')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Set up' })).toBeNull();
});

test('what is set up already is not set up again', async () => {
  answers['GET /gateways/stomp'] = STOMP;
  show('/gateway/create/stomp');
  expect(await screen.findByText('STOMP is set up already')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'All gateways' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Next' })).toBeNull();
});

test('a refused listener brings its step back, with what the broker said', async () => {
  answers['GET /gateways/coap'] = { name: 'coap', status: 'unloaded' };
  answers['PUT /gateways/coap'] = () => refused('BAD_REQUEST', 'DTLS is not available: use udp');
  const { user } = show('/gateway/create/coap');
  await user.click(await screen.findByRole('button', { name: 'Next' }));
  await user.click(await screen.findByRole('button', { name: 'Add listener' }));
  const drawer = await screen.findByRole('dialog', { name: 'Add listener' });
  await fill(user, within(drawer).getByRole('textbox', { name: /^Name/ }), 'safe');
  await fill(user, within(drawer).getByRole('textbox', { name: /^Bind address/ }), '5684');
  await user.selectOptions(within(drawer).getByRole('combobox', { name: /^Type/ }), 'dtls');
  await user.click(within(drawer).getByRole('button', { name: 'Add listener' }));
  await screen.findByRole('button', { name: 'Edit coap:dtls:safe' });
  await next(user);
  await user.click(await screen.findByRole('button', { name: 'Set up' }));
  expect(await screen.findByText(/DTLS is not available: use udp/)).toBeTruthy();
  expect(screen.getByText('Where devices connect. More can be added later, too.')).toBeTruthy();
  await user.click(button('Delete coap:dtls:safe'));
  answers['PUT /gateways/coap'] = nothing;
  await next(user);
  await user.click(await screen.findByRole('button', { name: 'Set up' }));
  await waitFor(() =>
    expect(sent('PUT').at(-1)?.body).toMatchObject({ listeners: [{ type: 'udp', name: 'default' }] }),
  );
});

test('predefined topics: the next free id is proposed, no id twice, ten at most', async () => {
  answers['GET /gateways/mqttsn'] = { name: 'mqttsn', status: 'unloaded' };
  const { user } = show('/gateway/create/mqttsn');
  await user.click(await screen.findByRole('button', { name: 'Add topic' }));
  await fill(user, screen.getByRole('textbox', { name: 'Row 1: topic' }), 'a/+');
  await next(user);
  expect(await screen.findByText('Row 1: a topic has no wildcards')).toBeTruthy();
  await fill(user, screen.getByRole('textbox', { name: 'Row 1: topic' }), 'a');
  await fill(user, screen.getByRole('textbox', { name: 'Row 1: ID' }), '65536');
  expect(await screen.findByText('Row 1: the ID is a number from 1 to 65535')).toBeTruthy();
  await fill(user, screen.getByRole('textbox', { name: 'Row 1: ID' }), '7');
  await user.click(button('Add topic'));
  expect(screen.getByRole('textbox', { name: 'Row 2: ID' })).toHaveProperty('value', '8');
  await user.type(screen.getByRole('textbox', { name: 'Row 2: topic' }), 'b');
  await fill(user, screen.getByRole('textbox', { name: 'Row 2: ID' }), '7');
  expect(await screen.findByText('Row 2: ID 7 is used twice')).toBeTruthy();
  await user.click(button('Row 2: remove'));
  for (let row = 2; row <= 10; row += 1) await user.click(button('Add topic'));
  expect(button('Add topic')).toHaveProperty('disabled', true);
});

test('the heartbeat is asked for where devices must connect', async () => {
  answers['GET /gateways/coap'] = { name: 'coap', status: 'unloaded' };
  answers['PUT /gateways/coap'] = nothing;
  const { user } = show('/gateway/create/coap');
  const required = await screen.findByRole('switch', { name: /^Devices must connect first/ });
  expect(screen.queryByRole('textbox', { name: /^Heartbeat/ })).toBeNull();
  await user.click(required);
  const heartbeat = screen.getByRole('textbox', { name: /^Heartbeat/ });
  await fill(user, heartbeat, '45');
  await user.selectOptions(screen.getByRole('combobox', { name: /^Notifications/ }), 'con');
  await next(user);
  await next(user);
  await user.click(await screen.findByRole('button', { name: 'Set up' }));
  await waitFor(() =>
    expect(sent('PUT')[0]?.body).toMatchObject({
      connection_required: true,
      heartbeat: '45s',
      notify_type: 'con',
      subscribe_qos: 'coap',
      listeners: [{ type: 'udp', name: 'default', bind: 5683 }],
    }),
  );
});

test('a gRPC server with TLS needs certificate and key', async () => {
  answers['GET /gateways/exproto'] = { name: 'exproto', status: 'unloaded' };
  answers['PUT /gateways/exproto'] = nothing;
  const { user } = show('/gateway/create/exproto');
  await user.click(await screen.findByRole('switch', { name: 'TLS' }));
  await next(user);
  expect(await screen.findByText('TLS Cert is required')).toBeTruthy();
  expect(screen.getByText('TLS Key is required')).toBeTruthy();
  const pem = (what: string) => `-----BEGIN ${what}-----\nAA==\n-----END ${what}-----`;
  await user.click(screen.getByRole('textbox', { name: /^TLS Cert/ }));
  await user.paste(pem('CERTIFICATE'));
  await user.click(screen.getByRole('textbox', { name: /^TLS Key/ }));
  await user.paste(pem('PRIVATE KEY'));
  await next(user);
  await next(user);
  await user.click(await screen.findByRole('button', { name: 'Set up' }));
  await waitFor(() =>
    expect(sent('PUT')[0]?.body).toMatchObject({
      server: {
        bind: '127.0.0.1:9100',
        ssl_options: { certfile: pem('CERTIFICATE'), keyfile: pem('PRIVATE KEY') },
      },
      handler: { address: 'http://127.0.0.1:9001', service_name: 'ConnectionUnaryHandler' },
      listeners: [{ type: 'tcp', name: 'default', bind: 7993 }],
    }),
  );
});

test('without TLS nothing is said of it', async () => {
  answers['GET /gateways/exproto'] = { name: 'exproto', status: 'unloaded' };
  answers['PUT /gateways/exproto'] = nothing;
  const { user } = show('/gateway/create/exproto');
  await user.click(await screen.findByRole('button', { name: 'Next' }));
  await next(user);
  await user.click(await screen.findByRole('button', { name: 'Set up' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]?.body).toMatchObject({ server: { bind: '127.0.0.1:9100' } });
  expect(sent('PUT')[0]?.body).not.toHaveProperty('server.ssl_options');
  expect(sent('PUT')[0]?.body).not.toHaveProperty('server_tls');
});

test('settings are saved after a question with the number of devices, without what only answers say', async () => {
  answers['GET /gateways/stomp'] = STOMP;
  answers['PUT /gateways/stomp'] = nothing;
  const { user } = show('/gateway/detail/stomp/settings');
  const headers = await screen.findByRole('textbox', { name: /^Max headers/ });
  await fill(user, headers, '20');
  await user.click(button('Save'));
  expect(await answerOf(user, 'Save and restart STOMP?', 'Cancel')).toContain('3 devices are disconnected');
  expect(sent('PUT')).toEqual([]);
  await user.click(button('Save'));
  await answerOf(user, 'Save and restart STOMP?', 'Save');
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]?.body).toEqual({
    enable: true,
    enable_stats: true,
    idle_timeout: '30s',
    mountpoint: '',
    frame: { max_headers: 20, max_headers_length: 1024, max_body_length: 8192 },
  });
});

test('a gateway that is disabled stays so when its settings are saved', async () => {
  answers['GET /gateways/stomp'] = { ...STOMP, status: 'stopped', enable: false };
  answers['PUT /gateways/stomp'] = nothing;
  const { user } = show('/gateway/detail/stomp/settings');
  await user.type(await screen.findByRole('textbox', { name: /^Mountpoint/ }), 'x/');
  await user.click(button('Save'));
  await answerOf(user, 'Save and restart STOMP?', 'Save');
  await waitFor(() => expect(sent('PUT')[0]?.body).toMatchObject({ enable: false, mountpoint: 'x/' }));
});

test('of a gateway that is not set up or not there, every part says so', async () => {
  answers['GET /gateways/stomp'] = { name: 'stomp', status: 'unloaded' };
  show('/gateway/detail/stomp/connections');
  expect(await screen.findByText('STOMP is not set up')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Set up STOMP' })).toBeTruthy();
  cleanup();
  show('/gateway/detail/gopher/settings');
  expect(await screen.findByText('There is no gateway gopher')).toBeTruthy();
});

test('a port in use is told of beside its field; another address asks with the number of devices', async () => {
  answers['GET /gateways/stomp'] = STOMP;
  answers['GET /gateways/stomp/listeners'] = [LISTENER];
  answers['GET /gateways/stomp/listeners/stomp:tcp:default'] = LISTENER;
  answers['POST /gateways/stomp/listeners'] = () => refused('BAD_REQUEST', 'the port is busy: eaddrinuse');
  answers['PUT /gateways/stomp/listeners/stomp:tcp:default'] = LISTENER;
  const { user } = show('/gateway/detail/stomp/listeners');
  await user.click(await screen.findByRole('button', { name: 'Add listener' }));
  let drawer = await screen.findByRole('dialog', { name: 'Add listener' });
  await fill(user, within(drawer).getByRole('textbox', { name: /^Name/ }), 'two');
  await fill(user, within(drawer).getByRole('textbox', { name: /^Bind address/ }), '61613');
  await user.click(within(drawer).getByRole('button', { name: 'Create' }));
  expect(await within(drawer).findByText(/The port is in use/)).toBeTruthy();
  expect(sent('POST')[0]?.body).toEqual({
    type: 'tcp',
    name: 'two',
    bind: 61_613,
    max_connections: 1_024_000,
  });
  await user.click(within(drawer).getByRole('button', { name: 'Cancel' }));
  await answerOf(user, /Leave|Discard|lost/i, 'Leave');

  await user.click(await screen.findByRole('link', { name: 'default' }));
  drawer = await screen.findByRole('dialog', { name: 'Listener stomp:tcp:default' });
  const bind = within(drawer).getByRole('textbox', { name: /^Bind address/ });
  await fill(user, bind, '61614');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await answerOf(user, 'Save stomp:tcp:default?', 'Save')).toContain('2 devices are connected');
  await waitFor(() =>
    expect(sent('PUT')[0]?.body).toMatchObject({ type: 'tcp', name: 'default', bind: 61_614 }),
  );
  expect(sent('PUT')[0]?.body).not.toHaveProperty('status');

  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(screen.getByRole('link', { name: 'default' }));
  drawer = await screen.findByRole('dialog', { name: 'Listener stomp:tcp:default' });
  await fill(user, within(drawer).getByRole('textbox', { name: /^Max connections/ }), '7');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await answerOf(user, 'Save stomp:tcp:default?', 'Save')).toContain(
    'Devices that are connected stay',
  );
  await waitFor(() => expect(sent('PUT')[1]?.body).toMatchObject({ max_connections: 7 }));
});

test('a listener is stopped after a question with the number of devices, and started without one', async () => {
  let stored = { ...LISTENER, running: true };
  const address = '127.0.0.1:24613';
  const now = () => ({ ...stored, address, status: { ...LISTENER.status, running: stored.running } });
  const at = '/gateways/stomp/listeners/stomp:tcp:default';
  answers['GET /gateways/stomp'] = STOMP;
  answers['GET /gateways/stomp/listeners'] = () => json([now()]);
  answers[`GET ${at}`] = () => json(stored);
  answers[`PUT ${at}`] = ({ body }: Call) => {
    const { enable } = body as { enable: boolean };
    stored = { ...stored, enable, running: enable };
    return json(stored);
  };
  const { user } = show('/gateway/detail/stomp/listeners');
  const toggle = () => screen.findByRole('switch', { name: 'Enable stomp:tcp:default' });
  expect(await screen.findByText(address)).toBeTruthy();
  await user.click(await toggle());
  await answerOf(user, 'Stop stomp:tcp:default?', 'Cancel');
  expect(sent('PUT')).toEqual([]);

  await user.click(await toggle());
  expect(await answerOf(user, 'Stop stomp:tcp:default?', 'Stop')).toContain('2 devices are connected');
  await waitFor(() => expect(getToasts().at(-1)?.text).toBe('stomp:tcp:default is stopped'));
  const { status: _, ...config } = LISTENER;
  const { id: __, ...body } = config;
  expect(sent('PUT')[0]?.body).toEqual({ ...body, enable_authn: true, enable: false });
  await waitFor(async () => expect(await toggle()).toHaveProperty('checked', false));

  await user.click(await toggle());
  await waitFor(() => expect(getToasts().at(-1)?.text).toBe('stomp:tcp:default is started'));
  expect(sent('PUT')[1]?.body).toMatchObject({ enable: true });
});

test('without an authenticator the wizard offers what the protocol can have, and no SCRAM', async () => {
  answers['GET /gateways/stomp'] = STOMP;
  answers['GET /gateways/stomp/authentication'] = nothing;
  answers['POST /gateways/stomp/authentication'] = () => {
    answers['GET /gateways/stomp/authentication'] = BUILT_IN;
    return json(BUILT_IN, 201);
  };
  answers['GET /gateways/stomp/authentication/users'] = page([]);
  answers['POST /gateways/stomp/authentication/users'] = () =>
    json({ user_id: 'u', is_superuser: false }, 201);
  const { user } = show('/gateway/detail/stomp/auth');
  expect(await screen.findByText('Every device is let in')).toBeTruthy();
  await user.click(button('Add authentication'));
  const dialog = await screen.findByRole('dialog', { name: 'Add authentication to STOMP' });
  expect(
    within(dialog)
      .getAllByRole('radio')
      .map((one) => (one as HTMLInputElement).value),
  ).toEqual(['password_based', 'jwt']);
  await user.click(within(dialog).getByRole('button', { name: 'Next' }));
  await user.click(await within(dialog).findByRole('button', { name: 'Next' }));
  await user.click(await within(dialog).findByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(sent('POST')[0]).toMatchObject({
      path: '/gateways/stomp/authentication',
      body: { mechanism: 'password_based', backend: 'built_in_database', user_id_type: 'username' },
    }),
  );
  await user.click(await screen.findByRole('button', { name: /Add user/ }));
  const drawer = await screen.findByRole('dialog', { name: /Add user/ });
  await user.type(within(drawer).getByRole('textbox', { name: /^Username/ }), 'u');
  await user.type(drawer.querySelector('input[name=password]')!, 'p');
  await user.click(within(drawer).getByRole('button', { name: /^Add/ }));
  await waitFor(() =>
    expect(sent('POST').at(-1)).toMatchObject({
      path: '/gateways/stomp/authentication/users',
      body: { user_id: 'u', password: 'p' },
    }),
  );
  expect(screen.queryByRole('button', { name: /Export users/ })).toBeNull();
});

const BUILT_IN = {
  id: 'password_based:built_in_database',
  chain_name: 'stomp:global',
  mechanism: 'password_based',
  backend: 'built_in_database',
  user_id_type: 'username',
  password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
};

test('devices without passwords are checked by HTTP alone, and show what they have', async () => {
  answers['GET /gateways/lwm2m'] = { ...STOMP, name: 'lwm2m' };
  answers['GET /gateways/lwm2m/authentication'] = nothing;
  answers['POST /gateways/lwm2m/authentication'] = ({ body }: Call) =>
    json({ id: 'password_based:http', ...(body as object) }, 201);
  const { user } = show('/gateway/detail/lwm2m/auth?add=1&step=2');
  const dialog = await screen.findByRole('dialog', { name: 'Add authentication to LwM2M' });
  expect(
    within(dialog)
      .getAllByRole('radio')
      .map((one) => (one as HTMLInputElement).value),
  ).toEqual(['http']);
  await user.click(within(dialog).getByRole('button', { name: 'Next' }));
  await user.click(await within(dialog).findByRole('button', { name: 'Create' }));
  await waitFor(() =>
    expect(sent('POST')[0]?.body).toMatchObject({
      backend: 'http',
      body: { endpoint_name: '${endpoint_name}' },
    }),
  );
});

test('an authenticator that is deleted leaves the gateway open, after a question', async () => {
  answers['GET /gateways/stomp'] = STOMP;
  answers['GET /gateways/stomp/authentication'] = BUILT_IN;
  answers['DELETE /gateways/stomp/authentication'] = () => {
    answers['GET /gateways/stomp/authentication'] = nothing;
    return nothing();
  };
  answers['PUT /gateways/stomp/authentication'] = BUILT_IN;
  const { user } = show('/gateway/detail/stomp/auth');
  await user.selectOptions(await screen.findByRole('combobox', { name: /^Users are known by/ }), 'clientid');
  await user.click(button('Save'));
  await answerOf(user, 'Change how passwords are stored?', 'Change');
  await waitFor(() => expect(sent('PUT')[0]?.body).toMatchObject({ user_id_type: 'clientid' }));
  expect(sent('PUT')[0]?.body).not.toHaveProperty('chain_name');
  await user.click(button('Delete'));
  expect(await answerOf(user, /^Delete /, 'Delete')).toContain('every device is let in');
  expect(await screen.findByText('Every device is let in')).toBeTruthy();
});

test('the devices of a gateway: details, subscriptions without their mountpoint, and a kick', async () => {
  const device = client('d1', { mountpoint: 'st/' });
  answers['GET /gateways/stomp'] = STOMP;
  answers['GET /gateways/stomp/clients'] = page([device]);
  answers['GET /gateways/stomp/clients/d1'] = device;
  answers['GET /gateways/stomp/clients/d1/subscriptions'] = [
    { topic: 'st/a/b', qos: 0, sub_props: { subid: 'console-1' } },
  ];
  answers['POST /gateways/stomp/clients/d1/subscriptions'] = (call: Call) => json(call.body, 201);
  answers['DELETE /gateways/stomp/clients/d1/subscriptions/a/b'] = nothing;
  answers['DELETE /gateways/stomp/clients/d1'] = nothing;
  const { user } = show('/gateway/detail/stomp/connections');
  await user.click(await screen.findByRole('button', { name: 'Actions for d1' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Details' }));
  const drawer = await screen.findByRole('dialog', { name: 'Device d1' });
  expect(await within(drawer).findByText('STOMP 1.2')).toBeTruthy();
  expect(await within(drawer).findByText('console-1')).toBeTruthy();
  await user.click(within(drawer).getByRole('button', { name: 'Add subscription' }));
  const form = await screen.findByRole('dialog', { name: 'Add subscription' });
  expect(within(form).getByRole('textbox', { name: /^Subscription ID/ })).toHaveProperty(
    'value',
    'console-2',
  );
  await fill(user, within(form).getByRole('textbox', { name: /^Topic filter/ }), 'x/#/y');
  await user.click(within(form).getByRole('button', { name: 'Subscribe' }));
  expect(await within(form).findByText('This is no topic filter')).toBeTruthy();
  await fill(user, within(form).getByRole('textbox', { name: /^Topic filter/ }), 'x/#');
  await user.click(within(form).getByRole('button', { name: 'Subscribe' }));
  await waitFor(() =>
    expect(sent('POST')[0]?.body).toEqual({ topic: 'x/#', qos: 0, sub_props: { subid: 'console-2' } }),
  );
  await user.click(await within(drawer).findByRole('button', { name: 'Actions for st/a/b' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Unsubscribe' }));
  await answerOf(user, /^Unsubscribe d1 from a\/b/, 'Unsubscribe');
  await waitFor(() => expect(sent('DELETE')[0]?.path).toBe('/gateways/stomp/clients/d1/subscriptions/a%2Fb'));
  await user.click(within(drawer).getByRole('button', { name: 'Kick out' }));
  await answerOf(user, 'Kick out d1?', 'Kick out');
  await waitFor(() => expect(sent('DELETE').at(-1)?.path).toBe('/gateways/stomp/clients/d1'));
});

test('devices of LwM2M are found by their endpoint names, and nobody subscribes for them', async () => {
  const device = client('ep1', { endpoint_name: 'urn:pump', lifetime: 300, proto_name: 'LwM2M' });
  answers['GET /gateways/lwm2m'] = { ...STOMP, name: 'lwm2m' };
  answers['GET /gateways/lwm2m/clients'] = page([device]);
  answers['GET /gateways/lwm2m/clients/ep1'] = device;
  answers['GET /gateways/lwm2m/clients/ep1/subscriptions'] = [];
  const { user } = show('/gateway/detail/lwm2m/connections');
  expect(await screen.findByText('5m')).toBeTruthy();
  await user.type(screen.getByRole('textbox', { name: 'Endpoint name contains' }), 'pump');
  await waitFor(() =>
    expect(broker.calls.some(({ query }) => query?.get('like_endpoint_name') === 'pump')).toBe(true),
  );
  await user.click(await screen.findByRole('button', { name: 'Actions for ep1' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Details' }));
  const drawer = await screen.findByRole('dialog', { name: 'Device ep1' });
  expect(await within(drawer).findByRole('button', { name: 'Add subscription' })).toHaveProperty(
    'disabled',
    true,
  );
});

test('one that is gone is said to be', async () => {
  answers['GET /gateways/stomp'] = STOMP;
  answers['GET /gateways/stomp/clients'] = page([]);
  show('/gateway/detail/stomp/connections?client=nobody');
  expect(await screen.findByText('nobody is not connected any more')).toBeTruthy();
});

test('objects of an LwM2M device are read, and written with the type that is known', async () => {
  const object_list = '/1/0 /3/0 /3303/1';
  const device = client('ep1', {
    endpoint_name: 'urn:pump',
    lifetime: 300,
    proto_name: 'LwM2M',
    object_list,
  });
  const at = '/gateways/lwm2m/clients/ep1';
  answers['GET /gateways/lwm2m'] = { ...STOMP, name: 'lwm2m' };
  answers['GET /gateways/lwm2m/clients'] = page([device]);
  answers[`GET ${at}`] = device;
  answers[`GET ${at}/subscriptions`] = [];
  answers[`POST ${at}/read`] = nothing;
  answers[`POST ${at}/write`] = nothing;
  answers[`GET ${at}/lookup`] = (call: Call) => {
    const [path, action] = [call.query?.get('path'), call.query?.get('action')];
    const offset = {
      path: '/3/0/14',
      name: 'UTC Offset',
      operations: 'RW',
      dataType: 'String',
      value: '+00:00',
    };
    const content = path === '/3/0' ? [offset] : [];
    return json({ clientid: 'ep1', path, action, code: '2.05', codeMsg: 'content', content });
  };
  const { user } = show('/gateway/detail/lwm2m/connections?client=ep1');
  const path = await screen.findByLabelText('Path');
  await fill(user, path, '3/x');
  await user.click(button('Read'));
  expect(await screen.findByText('Up to four numbers, such as /3/0/9')).toBeTruthy();
  expect(sent('POST')).toEqual([]);
  const has = screen.getByRole('list', { name: 'Objects that the device has' });
  expect(
    within(has)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
  ).toEqual(['/1/0 · Server', '/3/0 · Device', '/3303/1']);
  await user.click(button('/3303/1'));
  await waitFor(() => expect(sent('POST', `${at}/read`)[0]?.query?.get('path')).toBe('/3303/1'));
  broker.calls = [];
  await fill(user, path, '/3/0');
  await user.click(button('Read'));
  expect(await screen.findByText('UTC Offset')).toBeTruthy();
  expect(sent('POST')[0]?.query?.get('path')).toBe('/3/0');
  await user.click(await screen.findByRole('button', { name: 'Write /3/0/14' }));
  const form = await screen.findByRole('dialog', { name: 'Write /3/0/14' });
  const value = within(form).getByRole('textbox', { name: /^Value/ });
  await fill(user, value, '+01:00');
  await user.click(within(form).getByRole('button', { name: 'Write' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(2));
  expect(Object.fromEntries(sent('POST')[1]!.query!)).toEqual({
    path: '/3/0/14',
    type: 'String',
    value: '+01:00',
  });
});

test('a CoAP device is asked, and what it answers is shown', async () => {
  const device = client('meter', { proto_name: 'CoAP' });
  const at = '/gateways/coap/clients/meter';
  answers['GET /gateways/coap'] = { ...STOMP, name: 'coap' };
  answers['GET /gateways/coap/clients'] = page([device]);
  answers[`GET ${at}`] = device;
  answers[`GET ${at}/subscriptions`] = [];
  answers[`POST ${at}/request`] = () =>
    json({ code: 'CLIENT_NOT_RESPONSE', message: 'The device does not answer' }, 504);
  const { user } = show('/gateway/detail/coap/connections?client=meter');
  await user.click(await screen.findByRole('button', { name: 'Send' }));
  expect(await screen.findByText(/The device does not answer/)).toBeTruthy();
  answers[`POST ${at}/request`] = { id: 1, token: 't', method: 'content', payload: '21.5' };
  await user.selectOptions(screen.getByRole('combobox', { name: /^Method/ }), 'put');
  await user.type(screen.getByRole('textbox', { name: /^Payload/ }), 'on');
  await user.click(button('Send'));
  expect(await screen.findByText('21.5')).toBeTruthy();
  expect(sent('POST').at(-1)?.body).toMatchObject({
    method: 'put',
    payload: 'on',
    content_type: 'text/plain',
  });
});
