import { describeWith } from '@mqdeck/broker/testing/engines/engine';
import { type HttpEngine, startHttpServer } from '@mqdeck/broker/testing/engines/http-server';
import { POSTGRESQL, POSTGRESQL_PROGRAMS, startPostgresql } from '@mqdeck/broker/testing/engines/postgresql';
import {
  REDIS_PASSWORD,
  REDIS_PROGRAMS,
  type RedisEngine,
  startRedis,
} from '@mqdeck/broker/testing/engines/redis';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { type RunningServer, startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const START_MS = 120_000;

const at = (page: Page, path: string) => page.waitForURL((url) => url.pathname + url.search === path);
const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const detail = (id: string, tab = '') => `/bridge/dataBridge/detail/${encodeURIComponent(id)}${tab}`;
const field = (page: Pick<Page, 'getByLabel'>, label: string) =>
  page.getByLabel(new RegExp(`^${label}( \\*)?$`)).first();

/** The API, past the screens. */
let api: Awaited<ReturnType<typeof operatorOf>>;
beforeAll(async () => {
  api = await operatorOf(stage.server);
});

let target: HttpEngine;
beforeEach(async () => {
  target = await startHttpServer();
});
afterEach(async () => {
  const all = await api<{ type: string; name: string }[]>('GET', '/bridges');
  for (const { type, name } of all)
    await api('DELETE', `/bridges/${encodeURIComponent(`${type}:${name}`)}?also_delete_dep_actions=true`);
  const { data } = await api<{ data: { id: string }[] }>('GET', '/rules?limit=1000');
  for (const { id } of data) await api('DELETE', `/rules/${id}`);
  await target.close();
});

/** What soon has its target back is looked at often. */
const QUICK = { health_check_interval: '200ms', auto_restart_interval: '200ms' };
const webhook = (name: string, more: object = {}) =>
  api('POST', '/bridges', { type: 'webhook', name, url: `${target.url}/in`, resource_opts: QUICK, ...more });

async function begin(page: Page, type: string, name: string): Promise<void> {
  await page.getByRole('radio', { name: type, exact: true }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  await field(page, 'Name').fill(name);
}
async function create(page: Page, id: string): Promise<void> {
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { name: `Bridge ${id} is created` }).waitFor();
}
async function write(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label, exact: true }).click();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText(text);
}
const answer = async (page: Page, verb: string) => {
  await page.getByRole('dialog').getByRole('button', { name: verb, exact: true }).click();
};

test('an HTTP bridge made in the browser is tested first, then delivers what a rule gives it', async () => {
  const { page } = await stage.open('/bridge/dataBridge');
  await page.getByRole('button', { name: 'Create bridge' }).click();
  await begin(page, 'HTTP', 'orders');
  await field(page, 'URL').fill('http://127.0.0.1:9/in/${clientid}');
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText(/^Test failed: .*127\.0\.0\.1:9/).waitFor();
  await field(page, 'URL').fill(`${target.url}/in/\${clientid}`);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('Connection is successful').waitFor();
  await write(page, 'Body', '{"from":"${clientid}","said":"${payload}"}');
  await create(page, 'webhook:orders');
  await page.getByRole('button', { name: 'Create a rule with it' }).click();
  await at(page, '/rules/create/form?bridgeId=webhook%3Aorders');

  await api('POST', '/rules', { id: 'r1', sql: 'SELECT * FROM "shop/#"', actions: ['webhook:orders'] });
  const device = await connectDevice(stage.server, 'till-3');
  await device.publishAsync('shop/1', 'hello', { qos: 1 });
  await expect
    .poll(() => target.got.filter(({ body }) => body !== ''))
    .toMatchObject([{ method: 'POST', url: '/in/till-3', body: '{"from":"till-3","said":"hello"}' }]);
});

test('a target that goes away is said with its reason, and what waited arrives when it is back', async () => {
  await webhook('orders', { local_topic: 'shop/#' });
  const opened = await stage.open('/bridge/dataBridge', { clock: true });
  const { page } = opened;
  const orders = row(page, 'webhook:orders');
  await expectAfterRefresh(page, () => orders.innerText()).toContain('Connected');
  await target.kill();
  await expectAfterRefresh(page, () => orders.innerText()).toContain('Disconnected');
  await orders.getByText(String(target.port)).waitFor();
  await orders.getByRole('button', { name: 'Reconnect webhook:orders' }).waitFor();
  const device = await connectDevice(stage.server, 'till');
  await device.publishAsync('shop/1', 'waits', { qos: 1 });
  await opened.goto(detail('webhook:orders'));
  await page.getByText(/^The target cannot be reached: /).waitFor();
  await target.start();
  await page.getByRole('button', { name: 'Reconnect', exact: true }).click();
  const header = page.locator('main header');
  await expectAfterRefresh(page, () => header.innerText()).toContain('Connected');
  await expect
    .poll(() => target.got.map(({ body }) => body))
    .toContainEqual(expect.stringContaining('waits'));

  const node = page.getByRole('row', { name: /^mqdeck@/ });
  // State, then matched, success and failed.
  await expectAfterRefresh(page, () => node.innerText()).toMatch(/Connected\s+1\s+1\s+0/);
  await page.getByRole('button', { name: 'Reset' }).click();
  await answer(page, 'Reset');
  await page.getByText('Reset successfully').waitFor();
  await expectAfterRefresh(page, () => node.innerText()).toMatch(/Connected\s+0\s+0\s+0/);
});

test('a bridge that is switched off delivers nothing, and again when it is switched on', async () => {
  await webhook('orders', { local_topic: 'shop/#' });
  const { page } = await stage.open('/bridge/dataBridge', { clock: true });
  const orders = row(page, 'webhook:orders');
  await expectAfterRefresh(page, () => orders.innerText()).toContain('Connected');
  const toggle = page.getByRole('switch', { name: 'Enable webhook:orders' });
  await toggle.click();
  await answer(page, 'Disable');
  await orders.getByText('Disabled').waitFor();
  const device = await connectDevice(stage.server, 'till');
  await device.publishAsync('shop/1', 'lost', { qos: 1 });
  await orders.getByRole('button', { name: /^Actions/ }).click();
  expect(await page.getByRole('menuitem', { name: /^Create rule/ }).isDisabled()).toBe(true);
  await page.keyboard.press('Escape');
  await toggle.click();
  await expectAfterRefresh(page, () => orders.innerText()).toContain('Connected');
  await device.publishAsync('shop/1', 'kept', { qos: 1 });
  await expect.poll(() => target.got.some(({ body }) => body.includes('kept'))).toBe(true);
  expect(target.got.some(({ body }) => body.includes('lost'))).toBe(false);
});

test('a bridge that a rule uses is deleted only after a second question that names the rule', async () => {
  await webhook('orders');
  await api('POST', '/rules', {
    id: 'uses-it',
    sql: 'SELECT * FROM "t/#"',
    actions: ['webhook:orders', { function: 'console' }],
  });
  const { page } = await stage.open(detail('webhook:orders'));
  await page.getByRole('link', { name: 'uses-it' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await answer(page, 'Delete');
  await page.getByText(/taken out of these rules: uses-it\./).waitFor();
  await answer(page, 'Cancel');
  expect(await api('GET', '/bridges')).toHaveLength(1);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Delete' }).click();
  await answer(page, 'Delete');
  await page.getByText(/taken out of these rules/).waitFor();
  await answer(page, 'Delete and take out of rules');
  await at(page, '/bridge/dataBridge');
  await page.getByText('There are no data bridges.', { exact: false }).waitFor();
  expect(await api('GET', '/rules/uses-it')).toMatchObject({ actions: [{ function: 'console' }] });
});

test('a change warns of the restart, and the stored secret of a header stays; a copy must be told it again', async () => {
  await webhook('orders', { headers: { authorization: 'Bearer canary-7' }, local_topic: 'shop/#' });
  const opened = await stage.open(detail('webhook:orders', '?tab=settings'));
  const { page } = opened;
  await field(page, 'Note').fill('till to shop');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page
    .getByText(
      'Updating bridge configuration will cause the bridge to restart. The buffered messages, and newly received messages during the restart will not be bridged. Continue?',
    )
    .waitFor();
  await answer(page, 'Save and restart');
  await page.getByText('Saved').first().waitFor();
  const device = await connectDevice(stage.server, 'till');
  await device.publishAsync('shop/1', 'x', { qos: 1 });
  await expect
    .poll(() => target.got.map(({ headers }) => headers.authorization))
    .toContain('Bearer canary-7');

  await opened.goto('/bridge/dataBridge/create?action=copy&target=webhook%3Aorders');
  await page.getByText('Secrets are not copied. Enter them again: authorization').waitFor();
  expect(await field(page, 'Name').inputValue()).toBe('orders_duplication');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByText('authorization is a stored secret: write it again as a whole').waitFor();
  expect(await api('GET', '/bridges')).toHaveLength(1);
});

describe('another broker', () => {
  let other: RunningServer;
  beforeAll(async () => {
    other = await startServer();
  }, START_MS);
  afterAll(() => other?.stop(), START_MS);

  test('gets what is sent to it and gives what is fetched from it', async () => {
    const { page } = await stage.open('/bridge/dataBridge/create', { clock: true });
    await begin(page, 'MQTT', 'north');
    await field(page, 'Server').fill(`127.0.0.1:${other.ports.tcp}`);
    await field(page, 'Local topic').fill('up/#');
    await field(page, 'Remote topic').fill('from-south/${topic}');
    await page.getByRole('switch', { name: 'Fetch messages (ingress)' }).check();
    const ingress = page.locator('section', { has: page.getByRole('heading', { name: 'Ingress' }) }).last();
    await field(ingress, 'Remote topic').fill('down/#');
    await field(ingress, 'Local topic').fill('from-north/${topic}');
    await create(page, 'mqtt:north');
    await page.getByRole('button', { name: 'Back to the list' }).click();
    await expectAfterRefresh(page, () => row(page, 'mqtt:north').innerText()).toContain('Connected');

    const [here, there] = await Promise.all([
      connectDevice(stage.server, 'here'),
      connectDevice(other, 'there'),
    ]);
    const got: string[] = [];
    for (const client of [here, there])
      client.on('message', (topic, payload) => got.push(`${topic} ${payload.toString()}`));
    await here.subscribeAsync('from-north/#', { qos: 1 });
    await there.subscribeAsync('from-south/#', { qos: 1 });
    await here.publishAsync('up/1', 'hello north', { qos: 1 });
    await there.publishAsync('down/1', 'hello south', { qos: 1 });
    await expect
      .poll(() => [...got].sort())
      .toEqual(['from-north/down/1 hello south', 'from-south/up/1 hello north']);
  });
});

describeWith('redis', REDIS_PROGRAMS, () => {
  let redis: RedisEngine;
  beforeAll(async () => {
    redis = await startRedis();
  }, START_MS);
  afterAll(() => redis?.close(), START_MS);

  test('Redis, entered in the browser, refuses a wrong password and takes what devices send', async () => {
    const { page } = await stage.open('/bridge/dataBridge/create');
    await begin(page, 'Redis', 'cache');
    await field(page, 'Server').fill(redis.address);
    await page.locator('input[name=password]').fill('wrong');
    await write(page, 'Redis command template', 'RPUSH "said by ${clientid}" ${payload}');
    await field(page, 'Local topic filter').fill('r/#');
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText(/^Test failed: /).waitFor();
    await page.locator('input[name=password]').fill(REDIS_PASSWORD);
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('Connection is successful').waitFor();
    await create(page, 'redis_single:cache');
    const device = await connectDevice(stage.server, 'r1');
    await device.publishAsync('r/1', 'with "quotes" and spaces', { qos: 1 });
    await expect
      .poll(() => redis.run('LRANGE', 'said by r1', '0', '-1'))
      .toEqual(['with "quotes" and spaces']);
  });
});

describeWith('postgresql', POSTGRESQL_PROGRAMS, () => {
  let engine: Awaited<ReturnType<typeof startPostgresql>>;
  beforeAll(async () => {
    engine = await startPostgresql();
  }, START_MS);
  afterAll(() => engine?.close(), START_MS);

  test('PostgreSQL, entered in the browser, holds what devices send with the statement as it is offered', async () => {
    const { page } = await stage.open('/bridge/dataBridge/create');
    await begin(page, 'PostgreSQL', 'db');
    await field(page, 'Server').fill(engine.address);
    await field(page, 'Database').fill(POSTGRESQL.database);
    await field(page, 'Username').fill(POSTGRESQL.username);
    await page.locator('input[name=password]').fill(POSTGRESQL.password);
    await field(page, 'Local topic filter').fill('p/#');
    await page.getByText('A table for the standard statement').click();
    await engine.run(await page.locator('pre').innerText());
    await create(page, 'pgsql:db');
    const device = await connectDevice(stage.server, 'p1');
    await device.publishAsync('p/1', "it's; drop table", { qos: 1 });
    const client = new pg.Client({
      host: '127.0.0.1',
      port: engine.port,
      user: POSTGRESQL.username,
      ...POSTGRESQL,
    });
    await client.connect();
    try {
      await expect
        .poll(async () => (await client.query('SELECT topic, qos, payload FROM t_mqtt_msg')).rows)
        .toEqual([{ topic: 'p/1', qos: 1, payload: "it's; drop table" }]);
    } finally {
      await client.end();
    }
  });
});

test('a bridge is made with the keyboard alone', async () => {
  const { page } = await stage.open('/bridge/dataBridge');
  await page.getByRole('button', { name: 'Create bridge' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('radio', { name: 'HTTP', exact: true }).focus();
  await page.keyboard.press('ArrowDown');
  expect(await page.getByRole('radio', { name: 'MQTT', exact: true }).isChecked()).toBe(true);
  await page.keyboard.press('ArrowUp');
  await page.getByRole('button', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  await field(page, 'Name').focus();
  await page.keyboard.type('by-keys');
  await field(page, 'URL').focus();
  await page.keyboard.type(target.url);
  await page.keyboard.press('Enter');
  const done = page.getByRole('heading', { name: 'Bridge webhook:by-keys is created' });
  await done.waitFor();
  await expect.poll(() => done.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('the topology beside the list shows which rule sends to which bridge', async () => {
  await webhook('orders');
  await api('POST', '/rules', { id: 'r1', sql: 'SELECT * FROM "t/#"', actions: ['webhook:orders'] });
  const { page } = await stage.open('/bridge/dataBridge');
  await page.getByRole('tab', { name: 'Topology' }).click();
  await at(page, '/bridge/dataBridge?view=topology');
  await page
    .getByRole('link', { name: /^webhook:orders\s*, Data bridge\. Connected\b.*Comes from: r1/ })
    .click();
  await at(page, detail('webhook:orders'));
  await page.goBack();
  await page.getByRole('tab', { name: 'List' }).click();
  await row(page, 'webhook:orders').waitFor();
});
