import { cleanup, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { ContractForm } from '../../form/ContractForm.tsx';
import { absent, foreign, json, nothing, refused } from '../../testing/answers.ts';
import { brokerBehindFetch, type Call } from '../../testing/broker-behind-fetch.ts';
import { fill } from '../../testing/fill.ts';
import { openPage } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { AuthorizationPage } from './AuthorizationPage.tsx';
import { formWords } from './form-words.ts';
import { AllRules } from './permissions/AllRules.tsx';
import { OwnerRules } from './permissions/OwnerRules.tsx';
import { Permissions } from './permissions/Permissions.tsx';
import { SourceFields } from './SourceFields.tsx';
import { SourceSettings } from './SourceSettings.tsx';
import { bodyFor, initialFor, type Source } from './sources.ts';

const broker = brokerBehindFetch(({ method }) => (method === 'GET' ? absent() : nothing()));
const { sent } = broker;

function showCreate(type: Source) {
  const endpoint = {
    method: 'POST',
    path: '/authorization/sources',
    summary: '',
    body: bodyFor(type),
  } as const;
  return openPage(
    <ContractForm
      endpoint={{ ...endpoint, ok: { status: 204, schema: null } }}
      initial={initialFor(type)}
      words={formWords}
      toBody={(values) => ({ ...values, type })}
    >
      <SourceFields type={type} />
    </ContractForm>,
  );
}
const create = async (user: UserEvent) => {
  await user.click(await screen.findByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  return sent('POST')[0]!.body;
};
const QUERY = 'SELECT permission, action, topic FROM mqtt_acl WHERE username = ${username}';
const TLS_OFF = { enable: false };

test('a built-in database sends a limit only when somebody sets one', async () => {
  expect(await create(showCreate('built_in_database'))).toEqual({ type: 'built_in_database' });
  cleanup();
  broker.calls = [];
  const user = showCreate('built_in_database');
  await fill(user, await screen.findByRole('textbox', { name: /^Rules per client/ }), '250');
  expect(await create(user)).toEqual({ type: 'built_in_database', max_rules: 250 });
});

test('SQL sources send the default query, and no timeout that not every broker knows', async () => {
  const mysql = showCreate('mysql');
  await mysql.type(await screen.findByLabelText('Password'), 'pw');
  expect(await create(mysql)).toEqual({
    type: 'mysql',
    server: '127.0.0.1:3306',
    database: 'mqtt_acl',
    username: 'root',
    password: 'pw',
    pool_size: 8,
    ssl: TLS_OFF,
    query: QUERY,
  });
  cleanup();
  broker.calls = [];
  expect(await create(showCreate('postgresql'))).toEqual({
    type: 'postgresql',
    server: '127.0.0.1:5432',
    database: 'mqtt_acl',
    username: 'root',
    pool_size: 8,
    ssl: TLS_OFF,
    query: QUERY,
  });
});

test('MongoDB and Redis send what belongs to the deployment that was chosen', async () => {
  const mongo = showCreate('mongodb');
  await mongo.selectOptions(await screen.findByRole('combobox', { name: /^Deployment/ }), 'sharded');
  expect(await create(mongo)).toEqual({
    type: 'mongodb',
    mongo_type: 'sharded',
    servers: '127.0.0.1:27017',
    database: 'mqtt',
    collection: 'mqtt_acl',
    filter: { username: '${username}' },
    w_mode: 'unsafe',
    pool_size: 8,
    topology: { connect_timeout_ms: '20s' },
    ssl: TLS_OFF,
  });
  cleanup();
  broker.calls = [];
  const redis = showCreate('redis');
  await redis.selectOptions(await screen.findByRole('combobox', { name: /^Deployment/ }), 'cluster');
  expect(await create(redis)).toEqual({
    type: 'redis',
    redis_type: 'cluster',
    servers: '127.0.0.1:6379',
    pool_size: 8,
    ssl: TLS_OFF,
    cmd: 'HGETALL mqtt_acl:${username}',
  });
});

test('an HTTP source asks with user, topic and action', async () => {
  const user = showCreate('http');
  await user.clear(await screen.findByRole('textbox', { name: /^URL/ }));
  await fill(user, screen.getByRole('textbox', { name: /^URL/ }), 'nowhere');
  await user.click(screen.getByRole('button', { name: 'Create' }));
  expect(await screen.findByText(/^A URL begins with/)).toBeTruthy();
  expect(sent('POST')).toEqual([]);
  await fill(user, screen.getByRole('textbox', { name: /^URL/ }), 'https://acl.example/check');
  expect(await create(user)).toMatchObject({
    type: 'http',
    method: 'post',
    url: 'https://acl.example/check',
    request_timeout: '30s',
    body: { username: '${username}', topic: '${topic}', action: '${action}' },
  });
});

test('a stored secret goes back as it came, and what this form does not know stays away', async () => {
  const stored = {
    type: 'mysql',
    enable: true,
    server: 'db:3306',
    database: 'd',
    username: 'u',
    password: '******',
    pool_size: 8,
    query: QUERY,
    ssl: { enable: false },
    of_a_newer_broker: 1,
  };
  broker.answer = ({ method }) => (method === 'GET' ? foreign(json(stored)) : undefined);
  const user = openPage(<SourceSettings type="mysql" />);
  const database = await screen.findByRole('textbox', { name: /^Database/ });
  await fill(user, database, 'other');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  const { of_a_newer_broker: _, ...known } = stored;
  expect(sent('PUT')[0]).toEqual({
    method: 'PUT',
    path: '/authorization/sources/mysql',
    body: { ...known, database: 'other' },
  });
});

const SETTINGS = {
  no_match: 'allow',
  deny_action: 'ignore',
  cache: { enable: true, max_size: 32, ttl: '1m', excludes: [] },
};
const FILE = { type: 'file', enable: true, rules: '{allow, all}.' };
const list = (sources: unknown[]) => (call: Call) => {
  if (call.path === '/authorization/sources') return json({ sources });
  if (call.path === '/authorization/settings') return json(SETTINGS);
  return undefined;
};

test('the settings are sent as a whole, and say on the page how requests are decided', async () => {
  broker.answer = list([FILE]);
  const user = openPage(<AuthorizationPage />);
  expect(
    await screen.findByText(/When no rule fits, it is allowed\. Who is denied stays connected\.$/),
  ).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Settings' }));
  const form = within(await screen.findByRole('dialog'));
  await user.selectOptions(form.getByRole('combobox', { name: /^When no rule fits/ }), 'deny');
  await user.selectOptions(form.getByRole('combobox', { name: /^When a client is denied/ }), 'disconnect');
  await user.type(form.getByRole('textbox', { name: 'Never kept' }), 'a/#/b{Enter}');
  await user.click(form.getByRole('button', { name: 'Save' }));
  expect(await form.findByText('a/#/b is not a topic filter')).toBeTruthy();
  expect(sent('PUT')).toEqual([]);
  await user.click(form.getByRole('button', { name: /a\/#\/b/ }));
  await user.type(form.getByRole('textbox', { name: 'Never kept' }), 'a/#{Enter}');
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]).toEqual({
    method: 'PUT',
    path: '/authorization/settings',
    body: {
      no_match: 'deny',
      deny_action: 'disconnect',
      cache: { ...SETTINGS.cache, excludes: ['a/#'] },
    },
  });
});

test('the cache is cleared only after a question', async () => {
  broker.answer = list([FILE]);
  const user = openPage(<AuthorizationPage />);
  await screen.findByText(/When no rule fits/);
  await user.click(screen.getByRole('button', { name: 'Settings' }));
  await user.click(await screen.findByRole('button', { name: 'Clear the cache' }));
  const question = within(await screen.findByRole('dialog', { name: /Clear the cache of all clients/ }));
  expect(sent('DELETE')).toEqual([]);
  await user.click(question.getByRole('button', { name: 'Clear the cache' }));
  await waitFor(() => expect(sent('DELETE').map(({ path }) => path)).toEqual(['/authorization/cache']));
});

test('disabling asks and says when it is the last; enabling does not ask', async () => {
  broker.answer = list([FILE, { type: 'built_in_database', enable: false }]);
  const user = openPage(<AuthorizationPage />);
  await user.click(await screen.findByRole('switch', { name: 'Enable File' }));
  expect(await screen.findByText(/It is the last enabled source/)).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(sent('PUT')).toEqual([]);
  await user.click(screen.getByRole('switch', { name: 'Enable Built-in database' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]!.body).toEqual({ type: 'built_in_database', enable: true });
});

test('a source this console has no form for keeps its name, and its settings say so', async () => {
  const ofAnotherVersion = json({ sources: [{ type: 'ldap', enable: true }] });
  broker.answer = (call) =>
    call.path === '/authorization/sources' ? foreign(ofAnotherVersion.clone()) : list([])(call);
  const user = openPage(<AuthorizationPage />);
  await user.click(await screen.findByRole('button', { name: 'Actions for ldap' }));
  const settings = await screen.findByRole('menuitem', { name: /^Settings/ });
  expect(settings.textContent).toContain('This console has no form for ldap');
});

test('whether others are enabled must be known before one is turned off', async () => {
  broker.answer = list([FILE]);
  const user = openPage(<AuthorizationPage />);
  const turn = await screen.findByRole('switch', { name: 'Enable File' });
  broker.answer = () => refused('INTERNAL_ERROR', 'boom');
  await user.click(turn);
  await waitFor(() => expect(getToasts().map(({ text }) => text)).toContain('500 INTERNAL_ERROR:boom'));
  expect(sent('PUT')).toEqual([]);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('with no source enabled the page says what that means', async () => {
  broker.answer = list([{ ...FILE, enable: false }]);
  openPage(<AuthorizationPage />);
  expect((await screen.findByRole('alert')).textContent).toContain('Everything is allowed');
});

const RULE = { permission: 'allow', action: 'all', topic: 't', qos: [0, 1, 2], retain: 'all' };
const page = (data: unknown[]) =>
  json({ data, meta: { page: 1, limit: 20, count: data.length, hasnext: false } });

test('rules of a client id: wrong topics are said at their rule, the right ones are sent in their order', async () => {
  broker.answer = ({ method }) => (method === 'GET' ? page([]) : undefined);
  const user = openPage(<OwnerRules kind="clients" />);
  expect(await screen.findByText('No client ID has rules of its own.')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Add' }));
  const form = within(await screen.findByRole('dialog'));
  await user.type(form.getByRole('textbox', { name: /^Client ID/ }), 'c1');
  await fill(user, form.getByRole('textbox', { name: 'Rule 1: Topic' }), 'a/#/b');
  expect(form.getByText(/^This is not a topic filter/)).toBeTruthy();
  await user.click(form.getByRole('button', { name: 'Create' }));
  expect(sent('POST')).toEqual([]);
  await fill(user, form.getByRole('textbox', { name: 'Rule 1: Topic' }), 'up/#');
  await user.click(form.getByRole('button', { name: 'Add rule' }));
  await user.selectOptions(form.getByRole('combobox', { name: 'Rule 2: Permission' }), 'deny');
  await user.selectOptions(form.getByRole('combobox', { name: 'Rule 2: Action' }), 'publish');
  await fill(user, form.getByRole('textbox', { name: 'Rule 2: Topic' }), 'eq #');
  await user.click(form.getByRole('checkbox', { name: 'Rule 2: QoS 0' }));
  await user.selectOptions(form.getByRole('combobox', { name: 'Rule 2: Retain' }), 'true');
  await user.click(form.getByRole('button', { name: 'Move rule 2 up' }));
  await user.click(form.getByRole('button', { name: 'Create' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]).toEqual({
    method: 'POST',
    path: '/authorization/sources/built_in_database/rules/clients',
    body: [
      {
        clientid: 'c1',
        rules: [
          { permission: 'deny', action: 'publish', topic: 'eq #', qos: [1, 2], retain: true },
          { ...RULE, topic: 'up/#' },
        ],
      },
    ],
  });
});

test('a client id that has rules already is said beside the field', async () => {
  broker.answer = ({ method }) =>
    method === 'GET' ? page([]) : refused('ALREADY_EXISTS', 'x already exist');
  const user = openPage(<OwnerRules kind="users" />);
  await user.click(await screen.findByRole('button', { name: 'Add' }));
  const form = within(await screen.findByRole('dialog'));
  await user.type(form.getByRole('textbox', { name: /^Username/ }), 'u');
  await user.type(form.getByRole('textbox', { name: 'Rule 1: Topic' }), '${{username}');
  await user.click(form.getByRole('button', { name: 'Create' }));
  expect(await form.findByText(/^It has rules already/)).toBeTruthy();
});

test('rules are unfolded, edited by their key, and deleted after a question', async () => {
  broker.answer = ({ method }) =>
    method === 'GET'
      ? page([{ username: 'a/b', rules: [RULE, { ...RULE, topic: 'x', retain: false }] }])
      : undefined;
  const user = openPage(<OwnerRules kind="users" />);
  const fold = await screen.findByRole('button', { name: 'Rules of a/b' });
  expect(screen.queryByRole('cell', { name: 'x' })).toBeNull();
  await user.click(fold);
  expect(fold.getAttribute('aria-expanded')).toBe('true');
  expect(screen.getByRole('cell', { name: 'x' })).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Edit the rules of a/b' }));
  const form = within(await screen.findByRole('dialog'));
  await user.click(form.getByRole('button', { name: 'Delete rule 1' }));
  await user.click(form.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('PUT')).toHaveLength(1));
  expect(sent('PUT')[0]).toEqual({
    method: 'PUT',
    path: '/authorization/sources/built_in_database/rules/users/a%2Fb',
    body: { username: 'a/b', rules: [{ ...RULE, topic: 'x', retain: false }] },
  });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Delete the rules of a/b' }));
  await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent('DELETE')).toHaveLength(1));
});

test('a rule for all goes behind those that are there now, whoever wrote them', async () => {
  let stored = [RULE];
  broker.answer = ({ method, path }) =>
    method === 'GET' && path.endsWith('/rules/all') ? json({ rules: stored }) : undefined;
  const user = openPage(<AllRules />);
  await screen.findByText('t');
  await user.click(screen.getByRole('button', { name: 'Add rule' }));
  const form = within(await screen.findByRole('dialog'));
  await fill(user, form.getByRole('textbox', { name: /^Topic/ }), 'mine');
  stored = [RULE, { ...RULE, topic: 'of somebody else' }]; // meanwhile
  await user.click(form.getByRole('button', { name: 'Add rule' }));
  await waitFor(() => expect(sent('POST')).toHaveLength(1));
  expect(sent('POST')[0]!.body).toEqual({
    rules: [RULE, { ...RULE, topic: 'of somebody else' }, { ...RULE, topic: 'mine' }],
  });
});

test('all rules are deleted only with the source disabled, which is offered', async () => {
  const source = { type: 'built_in_database', enable: true, max_rules: 100 } as const;
  broker.answer = ({ method }) => (method === 'GET' ? page([]) : undefined);
  const user = openPage(<Permissions source={source} />);
  await user.click(await screen.findByRole('button', { name: 'Delete all rules' }));
  await user.click(
    within(await screen.findByRole('dialog')).getByRole('button', { name: 'Disable and delete all' }),
  );
  await waitFor(() => expect(sent('DELETE')).toHaveLength(1));
  expect(broker.calls.filter(({ method }) => method !== 'GET')).toEqual([
    {
      method: 'PUT',
      path: '/authorization/sources/built_in_database',
      body: { ...source, enable: false },
    },
    { method: 'DELETE', path: '/authorization/sources/built_in_database/rules', body: undefined },
  ]);
  expect(getToasts().at(-1)?.action?.label).toBe('Enable again');
});

test('in front of a cluster without authorization the page says so', async () => {
  broker.answer = () => absent();
  openPage(<AuthorizationPage />);
  expect(await screen.findByText('Not available on this broker')).toBeTruthy();
});
