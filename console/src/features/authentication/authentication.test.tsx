import { cleanup, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { ContractForm } from '../../form/ContractForm.tsx';
import { absent, json, nothing, refused } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { fill } from '../../testing/fill.ts';
import { closePage, openPage } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { AuthenticationPage } from './AuthenticationPage.tsx';
import { AuthenticatorSettings } from './AuthenticatorSettings.tsx';
import { ChainContext, chainOfListener } from './chain.ts';
import { formWords } from './form-words.ts';
import { AuthenticatorFields } from './forms/AuthenticatorFields.tsx';
import { bodyFrom, initialFor } from './forms/standards.ts';
import { bodyFor, type KindId } from './kinds.ts';
import { AuthenticatorUsers } from './users/AuthenticatorUsers.tsx';

const broker = brokerBehindFetch(({ method, body }) => {
  if (method !== 'POST') return method === 'GET' ? absent() : nothing();
  const { mechanism, backend } = body as { mechanism: string; backend?: string };
  return json({ id: [mechanism, backend].filter(Boolean).join(':'), enable: true, ...(body as object) });
});
const { sent } = broker;

function showCreate(id: KindId) {
  const endpoint = { method: 'POST', path: '/authentication', summary: '', body: bodyFor(id) } as const;
  return openPage(
    <ContractForm
      endpoint={{ ...endpoint, ok: { status: 200, schema: null } }}
      initial={initialFor(id)}
      words={formWords}
      toBody={(values) => bodyFrom(id, values)}
    >
      <AuthenticatorFields id={id} />
    </ContractForm>,
  );
}

const create = async (user: UserEvent) => {
  await user.click(screen.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  return sent('POST')[0]!.body;
};
const select = async (user: UserEvent, label: RegExp, value: string) =>
  user.selectOptions(await screen.findByRole('combobox', { name: label }), value);

test('a built-in database sends the rounds only with bcrypt, and no salt with plain passwords', async () => {
  const user = showCreate('password_based:built_in_database');
  await select(user, /^Password hash/, 'bcrypt');
  await user.type(screen.getByRole('textbox', { name: /^Salt rounds/ }), '12');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('Fill in the error: the number range is 5 - 10')).toBeTruthy();
  await fill(user, screen.getByRole('textbox', { name: /^Salt rounds/ }), '7');
  expect(await create(user)).toEqual({
    mechanism: 'password_based',
    backend: 'built_in_database',
    user_id_type: 'username',
    password_hash_algorithm: { name: 'bcrypt', salt_rounds: 7 },
  });
  cleanup();
  broker.calls = [];
  const again = showCreate('password_based:built_in_database');
  await select(again, /^Users are known by/, 'clientid');
  await select(again, /^Password hash/, 'plain');
  expect(screen.queryByRole('combobox', { name: /^Salt position/ })).toBeNull();
  expect(await create(again)).toMatchObject({
    user_id_type: 'clientid',
    password_hash_algorithm: { name: 'plain', salt_position: 'disable' },
  });
});

test('the query follows the salt as long as it is the default', async () => {
  const user = showCreate('password_based:mysql');
  await select(user, /^Salt position/, 'disable');
  expect(await create(user)).toEqual({
    mechanism: 'password_based',
    backend: 'mysql',
    server: '127.0.0.1:3306',
    database: 'mqtt_user',
    username: 'root',
    pool_size: 8,
    query_timeout: '5s',
    ssl: { enable: false },
    password_hash_algorithm: { name: 'sha256', salt_position: 'disable' },
    query: 'SELECT password_hash FROM mqtt_user WHERE username = ${username} LIMIT 1',
  });
});

test('PostgreSQL sends what belongs to pbkdf2, and refuses what is no address', async () => {
  const user = showCreate('password_based:postgresql');
  const server = await screen.findByRole('textbox', { name: /^Server/ });
  await fill(user, server, 'db.example.com:70000');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText(/db.example.com:70000 is no host/)).toBeTruthy();
  expect(sent('POST')).toEqual([]);
  await fill(user, server, 'db.example.com');
  await user.type(screen.getByLabelText('Password'), 'pw');
  await select(user, /^Password hash/, 'pbkdf2');
  expect(await create(user)).toEqual({
    mechanism: 'password_based',
    backend: 'postgresql',
    server: 'db.example.com',
    database: 'mqtt_user',
    username: 'root',
    password: 'pw',
    pool_size: 8,
    ssl: { enable: false },
    password_hash_algorithm: { name: 'pbkdf2', mac_fun: 'sha256', iterations: 4096 },
    query: 'SELECT password_hash, salt FROM mqtt_user WHERE username = ${username} LIMIT 1',
  });
});

test('MongoDB sends servers or a server, and the field of the salt where there is one', async () => {
  const user = showCreate('password_based:mongodb');
  await select(user, /^Deployment/, 'rs');
  await fill(user, screen.getByRole('textbox', { name: /^Replica set name/ }), 'rs0');
  await select(user, /^Password hash/, 'plain');
  expect(await create(user)).toEqual({
    mechanism: 'password_based',
    backend: 'mongodb',
    mongo_type: 'rs',
    servers: '127.0.0.1:27017',
    replica_set_name: 'rs0',
    r_mode: 'master',
    w_mode: 'unsafe',
    database: 'mqtt',
    collection: 'users',
    pool_size: 8,
    topology: { connect_timeout_ms: '20s' },
    ssl: { enable: false },
    filter: { username: '${username}' },
    password_hash_field: 'password_hash',
    is_superuser_field: 'is_superuser',
    password_hash_algorithm: { name: 'plain', salt_position: 'disable' },
  });
});

test('Redis sends no database of a cluster', async () => {
  const user = showCreate('password_based:redis');
  await select(user, /^Deployment/, 'cluster');
  await select(user, /^Password hash/, 'bcrypt');
  expect(await create(user)).toEqual({
    mechanism: 'password_based',
    backend: 'redis',
    redis_type: 'cluster',
    servers: '127.0.0.1:6379',
    pool_size: 8,
    ssl: { enable: false },
    password_hash_algorithm: { name: 'bcrypt' },
    cmd: 'HMGET mqtt_user:${username} password_hash',
  });
});

test('HTTP sends its body as an object, and no content type with GET', async () => {
  const user = showCreate('password_based:http');
  await select(user, /^Method/, 'get');
  expect(await create(user)).toEqual({
    mechanism: 'password_based',
    backend: 'http',
    method: 'get',
    url: 'http://127.0.0.1:8080',
    headers: {},
    body: { username: '${username}', password: '${password}' },
    pool_size: 8,
    connect_timeout: '15s',
    request_timeout: '5s',
    enable_pipelining: 100,
    ssl: { enable: false },
  });
});

test('JWT sends a secret, a key or an endpoint, never two of them', async () => {
  const token = {
    mechanism: 'jwt',
    from: 'password',
    verify_claims: {},
    acl_claim_name: 'acl',
    disconnect_after_expire: true,
  };
  const user = showCreate('jwt');
  await fill(user, await screen.findByLabelText('Secret *'), 'abc');
  await select(user, /^Signature/, 'public-key');
  await fill(user, screen.getByRole('textbox', { name: /^Public key/ }), 'PEM');
  expect(await create(user)).toEqual({
    ...token,
    use_jwks: false,
    algorithm: 'public-key',
    public_key: 'PEM',
  });
  cleanup();
  broker.calls = [];
  const again = showCreate('jwt');
  await select(again, /^Keys come from/, 'true');
  await again.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText('JWKS endpoint is required')).toBeTruthy();
  await fill(
    again,
    screen.getByRole('textbox', { name: /^JWKS endpoint/ }),
    'https://login.example.com/keys',
  );
  expect(await create(again)).toEqual({
    ...token,
    use_jwks: true,
    endpoint: 'https://login.example.com/keys',
    refresh_interval: 300,
    pool_size: 8,
    ssl: { enable: false },
  });
});

test('SCRAM sends its hash and iterations', async () => {
  const user = showCreate('scram:built_in_database');
  await select(user, /^Hash/, 'sha512');
  expect(await create(user)).toEqual({
    mechanism: 'scram',
    backend: 'built_in_database',
    algorithm: 'sha512',
    iteration_count: 4096,
  });
});

test('a stored secret is kept by saving something else, and what the form does not show stays', async () => {
  const stored = {
    id: 'password_based:mysql',
    mechanism: 'password_based',
    backend: 'mysql',
    enable: false,
    server: 'db:3306',
    database: 'mqtt',
    username: 'root',
    password: '******',
    pool_size: 8,
    query_timeout: '5s',
    auto_reconnect: true,
    query: 'SELECT password_hash FROM t WHERE u = ${username}',
    password_hash_algorithm: { name: 'sha256', salt_position: 'prefix' },
    ssl: { enable: false, verify: 'verify_none' },
  };
  broker.answer = ({ method }) => (method === 'GET' ? json(stored) : new Response(null, { status: 204 }));
  const user = openPage(<AuthenticatorSettings id="password_based:mysql" />);
  const database = await screen.findByRole('textbox', { name: /^Database/ });
  await fill(user, database, 'devices');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  const { id: _, ssl, ...rest } = stored;
  expect(sent('PUT')[0]!.body).toEqual({ ...rest, database: 'devices', ssl: { enable: false } });
});

const CHAIN = [
  { id: 'jwt', mechanism: 'jwt', enable: true, secret: '******' },
  { id: 'password_based:redis', mechanism: 'password_based', backend: 'redis', enable: false },
];
const metrics = { total: 3, success: 2, failed: 1, nomatch: 0, rate: 0.5, rate_last5m: 0, rate_max: 1 };
const down = {
  status: 'disconnected',
  metrics,
  resource_metrics: {},
  node_status: [{ node: 'n1', status: 'disconnected' }],
  node_error: [{ node: 'n1', error: 'connection refused' }],
  node_metrics: [{ node: 'n1', metrics }],
  node_resource_metrics: [],
};

test('the list tells figures and why a backend is down, and shows the chain also where no status comes', async () => {
  broker.answer = ({ path }) => {
    if (path === '/authentication') return json(CHAIN);
    return path === '/authentication/jwt/status' ? json(down) : refused('INTERNAL_ERROR');
  };
  const user = openPage(<AuthenticationPage />);
  const row = await screen.findByRole('row', { name: /JWT/ });
  await within(row).findByText('Disconnected');
  expect(row.textContent).toContain('0.5/s');
  await user.click(within(row).getByRole('button', { name: /State on each node/ }));
  expect(await screen.findByText('connection refused')).toBeTruthy();
  expect(screen.getByRole('row', { name: /Redis/ }).textContent).toContain('Disabled');
  expect(getToasts()).toEqual([]);
});

test('turning off sends the whole configuration back, and only after a yes', async () => {
  broker.answer = ({ path, method }) =>
    method === 'PUT'
      ? new Response(null, { status: 204 })
      : path === '/authentication'
        ? json(CHAIN)
        : json(down);
  const user = openPage(<AuthenticationPage />);
  const turn = await screen.findByRole('switch', { name: 'Enable JWT' });
  await user.click(turn);
  expect(await screen.findByText(/Without it everybody may connect/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect((turn as HTMLInputElement).checked).toBe(true));
  expect(sent('PUT')).toEqual([]);
  await user.click(turn);
  await user.click(await screen.findByRole('button', { name: 'Disable' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]).toEqual({
    method: 'PUT',
    path: '/authentication/jwt',
    body: { mechanism: 'jwt', secret: '******', enable: false },
  });
});

test('users are exported where the broker hands them out, and where it does not the button says so', async () => {
  const database = {
    id: 'password_based:built_in_database',
    mechanism: 'password_based',
    backend: 'built_in_database',
    enable: true,
  };
  broker.answer = ({ path }) =>
    path.endsWith('/users')
      ? json({ data: [{ user_id: 'olga', is_superuser: true }], meta: { page: 1, limit: 50, count: 1 } })
      : absent();
  const user = openPage(<AuthenticatorUsers authenticator={database} />);
  expect(await screen.findByText('olga')).toBeTruthy();
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Export with hashes' });
  await user.click(button);
  await waitFor(() => expect(button.disabled).toBe(true));
  expect(button.title).toBe('This broker does not hand out stored users');
  expect(sent('GET').map(({ path }) => path)).toContain(
    '/authentication/password_based%3Abuilt_in_database/export_users',
  );
});

test('a deed is not begun when the broker does not say who else checks clients', async () => {
  let lists = 0;
  broker.answer = ({ path }) => {
    if (path !== '/authentication') return json(down);
    lists += 1;
    return lists === 1 ? json(CHAIN) : refused('INTERNAL_ERROR', 'boom');
  };
  const user = openPage(<AuthenticationPage />);
  const turn = await screen.findByRole<HTMLInputElement>('switch', { name: 'Enable JWT' });
  await user.click(turn);
  await waitFor(() => expect(getToasts().map(({ text }) => text)).toEqual(['500 INTERNAL_ERROR:boom']));
  expect(turn.checked).toBe(true);
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sent('PUT')).toEqual([]);
});

test('a broker without authentication is a fact; an empty chain is a warning', async () => {
  broker.answer = () => absent();
  openPage(<AuthenticationPage />);
  expect(await screen.findByText('Not available on this broker')).toBeTruthy();
  closePage();
  broker.answer = () => json([]);
  openPage(<AuthenticationPage />);
  expect(await screen.findByText('Anyone may connect')).toBeTruthy();
});

const LISTENER = {
  id: 'tcp:inside',
  type: 'tcp',
  bind: ':1884',
  enable: true,
  running: true,
  current_connections: 0,
};
const ofListener = (page: React.ReactNode, listener = 'tcp:inside') =>
  openPage(<ChainContext.Provider value={chainOfListener(listener)}>{page}</ChainContext.Provider>);

test('the chain of a listener is asked for below it, and losing its last authenticator leaves the global one', async () => {
  broker.answer = ({ path, method }) =>
    method === 'PUT'
      ? new Response(null, { status: 204 })
      : path === '/listeners/tcp%3Ainside/authentication'
        ? json(CHAIN)
        : path === '/listeners/tcp%3Ainside/authentication/jwt/status'
          ? json(down)
          : undefined;
  const user = ofListener(<AuthenticationPage />);
  expect(await screen.findByRole('heading', { name: 'Authentication of tcp:inside' })).toBeTruthy();
  expect(screen.getByText(/A chain of its own replaces the global one/)).toBeTruthy();
  const link = await screen.findByRole('link', { name: 'JWT' });
  expect(link.getAttribute('href')).toBe('/listener/detail/tcp%3Ainside/authentication/detail/jwt');
  expect(await within(screen.getByRole('row', { name: /JWT/ })).findByText('Disconnected')).toBeTruthy();
  await user.click(screen.getByRole('switch', { name: 'Enable JWT' }));
  expect(await screen.findByText(/Without it the global chain checks/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Disable' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.path).toBe('/listeners/tcp%3Ainside/authentication/jwt');
  expect(broker.calls.filter(({ path }) => path.startsWith('/authentication'))).toEqual([]);
});

test('a listener without a chain of its own is no open door; one that is gone is said to be', async () => {
  const at = '/listeners/tcp%3Ainside';
  broker.answer = ({ path }) => (path === `${at}/authentication` ? json([]) : undefined);
  ofListener(<AuthenticationPage />);
  expect(await screen.findByText('No chain of its own')).toBeTruthy();
  expect(screen.queryByText('Anyone may connect')).toBeNull();
  closePage();
  const disabled = CHAIN.map((one) => ({ ...one, enable: false }));
  broker.answer = ({ path }) => (path === `${at}/authentication` ? json(disabled) : undefined);
  ofListener(<AuthenticationPage />);
  expect(await screen.findByText('The global chain decides')).toBeTruthy();
  expect(screen.queryByText('Anyone may connect')).toBeNull();
  expect(screen.queryByText('This listener checks nobody')).toBeNull();
  closePage();
  broker.answer = ({ path }) => {
    if (path === at) return json({ ...LISTENER, enable_authn: false });
    return path === `${at}/authentication` ? json(CHAIN) : undefined;
  };
  ofListener(<AuthenticationPage />);
  expect(await screen.findByText('This listener checks nobody')).toBeTruthy();
  closePage();
  broker.answer = () => refused('BAD_LISTENER_ID', 'There is no listener tcp:gone', 404);
  ofListener(<AuthenticationPage />, 'tcp:gone');
  expect(await screen.findByText('There is no listener tcp:gone')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Add authenticator' })).toBeNull();
});
