import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeAll, expect, test } from 'vitest';
import { foreign, json } from '../../testing/answers.ts';
import { brokerBehindFetch, type Call } from '../../testing/broker-behind-fetch.ts';
import { fill } from '../../testing/fill.ts';
import { closePage, openPages } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { ListenersPage } from './ListenersPage.tsx';

const broker = brokerBehindFetch();
const { sent } = broker;

beforeAll(async () => {
  await import('../../ui/ConfirmDialog.tsx'); // its first load is not what is tested
});

const show = (address = '/listener') => openPages({ '/$': ListenersPage }, address);

const item = (id: string, more: Record<string, unknown> = {}, running = true, connections = 0) => {
  const [type, name] = id.split(':');
  const status = { running, current_connections: connections, max_connections: 'infinity' };
  return {
    id,
    type,
    name,
    bind: ':1883',
    enable: running,
    acceptors: 16,
    number: 1,
    status,
    node_status: [{ node: 'n1@host', status }],
    ...more,
  };
};
const DEFAULT = {
  id: 'tcp:default',
  type: 'tcp',
  bind: ':1883',
  enable: true,
  acceptors: 16,
  access_rules: ['allow all', 'deny 10.0.0.0/8'],
  enable_authn: true,
  max_conn_rate: 'infinity',
  max_connections: 100,
  mountpoint: 'devices/',
  proxy_protocol: false,
  proxy_protocol_timeout: '3s',
  zone: 'default',
  tcp_options: { active_n: 100, backlog: 1024, keepalive: 'none', nodelay: true, send_timeout: '15s' },
  running: true,
  current_connections: 3,
};
const listed = (rows: unknown[]) => {
  broker.answer = ({ method, path }) => (method === 'GET' && path === '/listeners' ? json(rows) : undefined);
};
/** What the broker has, and what it answers to a deed. */
function brokerThat(deed: (call: Call) => Response | undefined, rows = [item('tcp:default', {}, true, 3)]) {
  broker.answer = (call) => {
    if (call.method !== 'GET') return deed(call);
    if (call.path === '/listeners') return json(rows);
    if (call.path === '/listeners/tcp%3Adefault') return json(DEFAULT);
    if (call.path === '/configs/zones') return json({ fleet: {} });
    return undefined;
  };
}
const created = (body: unknown) => {
  const { bind } = body as { bind: number };
  return { ...(body as object), bind: `:${bind}`, running: true, current_connections: 0 };
};
const row = async (name: RegExp) => screen.findByRole('row', { name });
async function menu(user: UserEvent, id: string, entry: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${id}` }));
  await user.click(await screen.findByRole('menuitem', { name: entry }));
}

test('the list tells where each listens, how it stands, its connections and how long its certificate lasts', async () => {
  const certificate = {
    subject: 'CN=a',
    issuer: 'CN=a',
    not_after: '2027-01-01T00:00:00Z',
    self_signed: true,
  };
  listed([
    item('tcp:default', {}, true, 3),
    item('tcp:full', {
      status: { running: true, current_connections: 10, max_connections: 10 },
      bind: '127.0.0.1:1884',
    }),
    item('ssl:soon', { certificate: { ...certificate, days: 12, own: false } }),
    item('ssl:over', { certificate: { ...certificate, days: -2, own: false } }),
    item('ssl:own', { certificate: { ...certificate, days: 20, own: true } }),
    item('wss:bare'),
    item('wss:idle', {}, false),
    item('ws:off', {}, false),
    item('ws:taken', { enable: true, failure: 'The port 8083 is in use' }, false),
    item('ws:torn', {
      node_status: [
        { node: 'n1@host', status: { running: true, current_connections: 1, max_connections: 5 } },
        { node: 'n2@host', status: { running: false, current_connections: 0, max_connections: 5 } },
      ],
    }),
  ]);
  const { user } = show();
  const first = await row(/^default/);
  expect(first.textContent).toContain('1883');
  expect(first.textContent).toContain('3, no limit');
  expect((await row(/full/)).textContent).toContain('10 of 10');
  expect((await row(/soon/)).textContent).toContain('ends in 12 days');
  expect((await row(/over/)).textContent).toContain('expired');
  expect((await row(/own/)).textContent).toContain('20 days, renews itself');
  expect((await row(/bare/)).textContent).toContain('none that can be used');
  expect((await row(/idle/)).textContent).not.toContain('none that can be used');
  const off = await row(/off/);
  expect(off.textContent).toContain('Stopped');
  expect(within(off).queryByRole('button', { name: /State on each node/ })).toBeNull();
  await user.click(
    within(await row(/torn/)).getByRole('button', { name: /Inconsistent.*State on each node/ }),
  );
  expect(await screen.findByText('n2@host')).toBeTruthy();
  await user.click(within(await row(/taken/)).getByRole('button', { name: /Stopped.*State on each node/ }));
  expect(await screen.findByText('The port 8083 is in use')).toBeTruthy();
});

test('a broker that says nothing of certificates and zones has no columns for them, nor a form for other types', async () => {
  const ofAnotherBroker = () => foreign(json([item('ssl:default'), item('quic:default')]));
  broker.answer = ({ path }) => (path === '/listeners' ? ofAnotherBroker() : undefined);
  const { user } = show();
  await row(/ssl/);
  expect(screen.queryByRole('columnheader', { name: /Certificate|Zone|Mountpoint/ })).toBeNull();
  expect(within(await row(/quic/)).queryByRole('link')).toBeNull();
  await user.click(screen.getByRole('button', { name: 'Actions for quic:default' }));
  const edit = await screen.findByRole('menuitem', { name: /^Edit/ });
  expect(edit.textContent).toContain('no form for listeners of this type');
});

test('switching off asks with the number of connections at that moment, and only a yes stops it', async () => {
  let connections = 1;
  broker.answer = ({ method, path }) =>
    method === 'GET' && path === '/listeners'
      ? json([item('tcp:default', {}, true, connections)])
      : method === 'POST'
        ? new Response(null, { status: 200 })
        : undefined;
  const { user } = show();
  const turn = await screen.findByRole<HTMLInputElement>('switch', { name: 'Enable tcp:default' });
  connections = 7;
  await user.click(turn);
  expect(await screen.findByText(/^7 clients are connected through it/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(turn.checked).toBe(true));
  expect(sent('POST')).toEqual([]);
  await user.click(turn);
  await user.click(await screen.findByRole('button', { name: 'Stop' }));
  await waitFor(() =>
    expect(sent('POST').map(({ path }) => path)).toEqual(['/listeners/tcp%3Adefault/stop']),
  );
  await waitFor(() => expect(getToasts().map(({ text }) => text)).toEqual(['tcp:default is stopped']));
});

test('a restart asks too; a start does not', async () => {
  listed([item('tcp:default'), item('ws:off', {}, false)]);
  const list = broker.answer;
  broker.answer = (call) => (call.method === 'POST' ? new Response(null, { status: 200 }) : list(call));
  const { user } = show();
  await menu(user, 'tcp:default', 'Restart');
  expect(await screen.findByText(/^No client is connected through it/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Restart' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  await user.click(await screen.findByRole('switch', { name: 'Enable ws:off' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(2));
  expect(sent('POST').map(({ path }) => path)).toEqual([
    '/listeners/tcp%3Adefault/restart',
    '/listeners/ws%3Aoff/start',
  ]);
});

test('a listener is deleted only when its name was typed', async () => {
  brokerThat(() => new Response(null, { status: 204 }));
  const { user } = show();
  await menu(user, 'tcp:default', 'Delete');
  const dialog = await screen.findByRole('dialog', { name: 'Delete tcp:default?' });
  expect(dialog.textContent).toContain('3 clients are connected through it');
  const button = within(dialog).getByRole<HTMLButtonElement>('button', { name: 'Delete' });
  const field = within(dialog).getByLabelText('Type default to confirm');
  await user.type(field, 'Default{Enter}');
  expect(button.disabled).toBe(true);
  expect(sent('DELETE')).toEqual([]);
  await user.clear(field);
  await user.type(field, 'default{Enter}');
  await waitFor(() => expect(sent('DELETE').map(({ path }) => path)).toEqual(['/listeners/tcp%3Adefault']));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

/** Answers the question that an edit asks; the dialog is loaded with the first one. */
async function confirmed(user: UserEvent, text = /./): Promise<void> {
  const question = await screen.findByRole('dialog', { name: /^Save .*\?$/ });
  expect(question.textContent).toMatch(text);
  await user.click(within(question).getByRole('button', { name: 'Save' }));
}
const field = (name: RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name });
const create = (user: UserEvent) => user.click(screen.getByRole('button', { name: 'Create' }));

test('a name and an address that cannot be are refused beside their fields', async () => {
  brokerThat(() => undefined);
  const { user } = show('/listener?add=ws');
  await screen.findByRole('textbox', { name: /^Name/ });
  await create(user);
  expect(await screen.findByText('Name is required')).toBeTruthy();
  await fill(user, field(/^Name/), 'a b');
  await fill(user, field(/^Bind address/), '70000');
  await create(user);
  expect(await screen.findByText('Fill in the error: the number range is 0 - 65535')).toBeTruthy();
  expect(screen.getByText(/^Letters, digits, - and _ only/)).toBeTruthy();
  await fill(user, field(/^Bind address/), '1.2.3:1');
  expect(await screen.findByText('Please enter the value in the correct format')).toBeTruthy();
  expect(sent('POST')).toEqual([]);
});

test('a new listener sends what was chosen; a port alone goes as a number', async () => {
  brokerThat(({ method, body }) =>
    method === 'POST' ? json({ ...created(body), id: 'ws:web' }) : undefined,
  );
  const { user } = show('/listener?add=tcp');
  await user.click(await screen.findByRole('radio', { name: /^ws MQTT over WebSocket$/ }));
  expect(screen.getByRole<HTMLInputElement>('radio', { name: /^quic/ }).disabled).toBe(true);
  expect(screen.getByText(/^Not available: the embedded broker has TCP and WebSocket/)).toBeTruthy();
  await fill(user, field(/^Bind address/), '8090');
  await fill(user, field(/^Name/), 'web');
  await fill(user, field(/^Path/), '/broker');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Unit of Bytes rate' }), 'MB/s');
  await user.type(field(/^Bytes rate/), '5');
  await user.selectOptions(await screen.findByRole('combobox', { name: /^Zone/ }), 'fleet');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Authentication' }), 'quick_deny_anonymous');
  await create(user);
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]).toEqual({
    method: 'POST',
    path: '/listeners',
    body: {
      type: 'ws',
      name: 'web',
      bind: 8090,
      enable_authn: 'quick_deny_anonymous',
      zone: 'fleet',
      bytes_rate: '5MB/s',
      websocket: { mqtt_path: '/broker' },
    },
  });
});

test.each([
  [
    'BAD_REQUEST',
    '{failed_to_start,"tcp:x(:1883) : {shutdown,{failed_to_start_child,listener,eaddrinuse}}"}',
    /^The port is in use/,
    /^Bind address/,
  ],
  [
    'BAD_REQUEST',
    '{failed_to_start,"tcp:x(10.9.9.9:1) : eaddrnotavail"}',
    /does not have this address$/,
    /^Bind/,
  ],
  ['BAD_LISTENER_ID', 'Already Exist', /^There is a listener of this type and name already/, /^Name/],
])('what the broker could not do is said beside its field: %s %s', async (code, message, text, label) => {
  brokerThat(({ method }) => (method === 'POST' ? json({ code, message }, 400) : undefined));
  const { user } = show('/listener?add=tcp');
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'x');
  await fill(user, field(/^Bind address/), '1883');
  await create(user);
  const said = await screen.findByText(text);
  expect(field(label).getAttribute('aria-describedby')).toContain(said.id);
});

test('an edit sends the whole listener, an emptied text too, and nothing of how it stands at the moment', async () => {
  brokerThat(({ method }) => (method === 'PUT' ? json(DEFAULT) : undefined));
  const { user } = show('/listener?open=tcp:default');
  const mountpoint = await screen.findByRole('textbox', { name: /^Mountpoint/ });
  expect(screen.queryByRole('radio')).toBeNull();
  expect(field(/^Bind address/).value).toBe('1883');
  await user.clear(mountpoint);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await confirmed(user, /Clients that are connected stay/);
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  const { id: _id, running: _running, current_connections: _now, ...config } = DEFAULT;
  expect(sent('PUT')[0]).toEqual({
    method: 'PUT',
    path: '/listeners/tcp%3Adefault',
    body: { ...config, bind: 1883, mountpoint: '', messages_rate: 'infinity', bytes_rate: 'infinity' },
  });
});

test('another address asks with the number of clients that it disconnects; a no sends nothing', async () => {
  brokerThat(({ method }) => (method === 'PUT' ? json(DEFAULT) : undefined));
  const { user } = show('/listener?open=tcp:default');
  const bind = await screen.findByRole('textbox', { name: /^Bind address/ });
  await fill(user, bind, '1884');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/restarts at its new address: 3 clients are connected/)).toBeTruthy();
  const question = screen.getByRole('dialog', { name: 'Save tcp:default?' });
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByText(/restarts at its new address/)).toBeNull());
  expect(sent('PUT')).toEqual([]);
});

test('what somebody else has changed meanwhile is not overwritten', async () => {
  let stored: Record<string, unknown> = DEFAULT;
  broker.answer = ({ method, path }) => {
    if (method === 'PUT') return json(stored);
    if (path === '/listeners') return json([item('tcp:default')]);
    return path === '/listeners/tcp%3Adefault' ? json(stored) : undefined;
  };
  const { user } = show('/listener?open=tcp:default');
  await user.clear(await screen.findByRole('textbox', { name: /^Mountpoint/ }));
  stored = { ...DEFAULT, max_connections: 5, current_connections: 9 };
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await confirmed(user, /Clients that are connected stay/);
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.body).toMatchObject({ max_connections: 5, mountpoint: '' });
});

test('access rules are put in order, and the focus stays with what was moved', async () => {
  brokerThat(({ method }) => (method === 'PUT' ? json(DEFAULT) : undefined));
  const { user } = show('/listener?open=tcp:default');
  const down = await screen.findByRole('button', { name: 'Move rule 1 down' });
  down.focus();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Move rule 2 up'));
  expect(screen.getByText('Now rule 2 of 2')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Add rule' }));
  await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Rule 3: address'));
  await user.keyboard('10.0.0');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/^Rule 3 is not all, an address or a network/)).toBeTruthy();
  await fill(user, screen.getByLabelText('Rule 3: address'), '2001:db8::/32');
  await user.selectOptions(screen.getByLabelText('Rule 3: allow or deny'), 'deny');
  await user.click(screen.getByRole('button', { name: 'Remove rule 1' }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await confirmed(user);
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.body).toMatchObject({ access_rules: ['allow all', 'deny 2001:db8::/32'] });
});

test('a pasted certificate is read at once, wants its key, and verifying clients wants a CA', async () => {
  brokerThat(() => undefined);
  const { user } = show('/listener?add=ssl');
  const certificate = await screen.findByRole('textbox', { name: /^TLS Cert/ });
  await user.click(certificate);
  await user.paste('-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----');
  expect(await screen.findByText('This is no certificate that can be read')).toBeTruthy();
  await user.click(screen.getByRole('switch', { name: 'Verify the certificates of clients' }));
  for (const version of ['TLS 1.3', 'TLS 1.2'])
    await user.click(screen.getByRole('checkbox', { name: version }));
  await create(user);
  expect(await screen.findByText('Certificate and key belong together')).toBeTruthy();
  expect(screen.getByText('To verify clients, CA Cert is required')).toBeTruthy();
  expect(screen.getByText('Choose at least one version')).toBeTruthy();
  expect(sent('POST')).toEqual([]);
});

test('a copy has no name, no address and no key of the other', async () => {
  const secure = {
    ...DEFAULT,
    id: 'ssl:default',
    type: 'ssl',
    ssl_options: { certfile: 'certs/a.pem', keyfile: '******', verify: 'verify_none', depth: 3 },
  };
  broker.answer = ({ method, path, body }) => {
    if (method === 'POST') return json({ ...created(body), id: 'ssl:two' });
    if (path === '/listeners') return json([item('ssl:default')]);
    return path === '/listeners/ssl%3Adefault' ? json(secure) : undefined;
  };
  const { user } = show('/listener?copy=ssl:default');
  await fill(user, await screen.findByRole('textbox', { name: /^Name/ }), 'two');
  await fill(user, field(/^Bind address/), '8884');
  expect(screen.getByRole('textbox', { name: /^Zone/ })).toBeTruthy(); // this broker lists no zones
  await create(user);
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toMatchObject({
    name: 'two',
    bind: 8884,
    mountpoint: 'devices/',
    ssl_options: { depth: 3 },
  });
  expect(JSON.stringify(sent('POST')[0]!.body)).not.toMatch(/certfile|keyfile|running/);
});

test('a listener that is gone is said to be, and a broker without any API for them too', async () => {
  broker.answer = ({ path }) =>
    path === '/listeners/tcp%3Agone'
      ? json({ code: 'BAD_LISTENER_ID', message: 'Listener id not found' }, 404)
      : json([item('tcp:default')]);
  show('/listener?open=tcp:gone');
  expect(await screen.findByText('There is no listener tcp:gone')).toBeTruthy();
  closePage();
  broker.answer = () => undefined;
  show();
  expect(await screen.findByText('Not available on this broker')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add listener' })).toBeNull();
});

/** As a broker answers that can do more than the embedded one. */
const ELSEWHERE = {
  ...DEFAULT,
  id: 'wss:default',
  type: 'wss',
  ssl_options: {
    cacertfile: '${EMQX_ETC_DIR}/certs/cacert.pem',
    certfile: '${EMQX_ETC_DIR}/certs/cert.pem',
    keyfile: '${EMQX_ETC_DIR}/certs/key.pem',
    ciphers: [],
    depth: 10,
    enable_crl_check: true,
    handshake_timeout: '15s',
    ocsp: { enable_ocsp_stapling: true, responder_url: 'http://ocsp.example', refresh_interval: '5m' },
    verify: 'verify_none',
    versions: ['tlsv1.3', 'tlsv1.2'],
  },
  websocket: {
    mqtt_path: '/mqtt',
    idle_timeout: '7200s',
    max_frame_size: 'infinity',
    proxy_address_header: 'x-forwarded-for',
    supported_subprotocols: 'mqtt, mqtt-v5',
    deflate_opts: { mem_level: 8, server_max_window_bits: 15 },
  },
};

test('what another broker can do is left as it stands there', async () => {
  broker.answer = ({ method, path }) => {
    if (method === 'PUT') return foreign(json(ELSEWHERE));
    if (path === '/listeners') return json([item('wss:default')]);
    return path === '/listeners/wss%3Adefault' ? foreign(json(ELSEWHERE)) : undefined;
  };
  const { user } = show('/listener?open=wss:default');
  const header = await screen.findByRole('textbox', {
    name: /^Header with the client’s address/,
    hidden: true,
  });
  await user.clear(header);
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await confirmed(user);
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.body).toMatchObject({
    ssl_options: ELSEWHERE.ssl_options,
    websocket: { ...ELSEWHERE.websocket, proxy_address_header: '' },
  });
});

test('what the broker cannot do is said beside the switch', async () => {
  const path = 'root.ssl_options.ocsp.enable_ocsp_stapling';
  const reason = 'OCSP stapling is not available: leave it off';
  brokerThat(({ method }) =>
    method === 'POST'
      ? json(
          { code: 'BAD_REQUEST', message: JSON.stringify({ kind: 'validation_error', path, reason }) },
          400,
        )
      : undefined,
  );
  const { user } = show('/listener?add=ssl');
  await user.type(await screen.findByRole('textbox', { name: /^Name/ }), 'x');
  await fill(user, field(/^Bind address/), '8883');
  const stapling = screen.getByRole('switch', { name: 'OCSP stapling', hidden: true });
  await user.click(stapling);
  await create(user);
  const said = await screen.findByText(`The broker refused it: ${reason}`);
  expect(stapling.getAttribute('aria-describedby')).toContain(said.id);
  expect(sent('POST')[0]!.body).toMatchObject({ ssl_options: { ocsp: { enable_ocsp_stapling: true } } });
});
