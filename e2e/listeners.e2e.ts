import type { IClientOptions } from 'mqtt';
import type { Locator, Page } from 'playwright-core';
import { generate } from 'selfsigned';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh, takenFocus } from './support/browser.ts';
import { connectDevice, disconnectDevices, disconnected } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage({ args: ['--host', '127.0.0.1'] });
const DAY_MS = 24 * 3600 * 1000;

interface Shown {
  id: string;
  name: string;
  bind: string;
  enable: boolean;
  mountpoint: string;
  access_rules: string[];
  status: { current_connections: number };
}

/** The API, past the screens. */
async function operator() {
  const token = await stage.token();
  return <T>(method: string, path: string, body?: unknown) =>
    callApi<T>(stage.server, method, path, { token, ...(body === undefined ? {} : { body }) });
}

/** Every test begins with the listeners of a new broker. */
beforeEach(async () => {
  const call = await operator();
  const { body } = await call<Shown[]>('GET', '/listeners');
  for (const { id, name } of body)
    if (name !== 'default') await call('DELETE', `/listeners/${encodeURIComponent(id)}`);
});

afterAll(disconnectDevices);

const portOf = (bind: string) => Number(/\d+$/.exec(bind)?.[0]);

/** Where a listener listens now; port 0 has become a real one. */
async function portNow(id: string): Promise<number> {
  const call = await operator();
  return portOf((await call<Shown>('GET', `/listeners/${encodeURIComponent(id)}`)).body.bind);
}

/** A listener made past the screens, and the port it got. */
async function made(type: string, name: string, more: object = {}): Promise<number> {
  const call = await operator();
  const { status, body } = await call<Shown>('POST', '/listeners', {
    type,
    name,
    bind: '127.0.0.1:0',
    ...more,
  });
  expect([status, body]).toMatchObject([200, { id: `${type}:${name}` }]);
  return portOf(body.bind);
}

const deviceAt = (port: number, clientId: string, options: IClientOptions & { websocket?: boolean } = {}) =>
  connectDevice({ ports: { ...stage.server.ports, tcp: port, ws: port } }, clientId, {
    version: 5,
    ...options,
  });
const refusedAt = (port: number, clientId: string, options: IClientOptions & { websocket?: boolean } = {}) =>
  deviceAt(port, clientId, options).then(
    () => false,
    () => true,
  );

const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notices' }).getByText(text, { exact: false }).last();
async function menu(page: Page, id: string, entry: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${id}` }).click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}
const form = (page: Page) => page.getByRole('dialog');
const field = (page: Page, label: string | RegExp): Locator =>
  form(page).getByRole('textbox', { name: label });
const save = (page: Page) => form(page).getByRole('button', { name: 'Save', exact: true }).click();
/** The question that an edit asks before it is sent. */
const confirmed = (page: Page, id: string) =>
  page
    .getByRole('dialog', { name: `Save ${id}?` })
    .getByRole('button', { name: 'Save' })
    .click();

test('a listener made in the browser lets clients in, and no more than its limit', async () => {
  const { page } = await stage.open('/listener', { clock: true });
  await page.getByRole('button', { name: 'Add listener' }).click();
  await field(page, /^Name/).fill('inside');
  await field(page, /^Bind address/).fill('127.0.0.1:0');
  await form(page).getByRole('combobox', { name: 'Unit of Max connections' }).selectOption('clients');
  await field(page, /^Max connections/).fill('1');
  await form(page).getByRole('button', { name: 'Create' }).click();
  await notice(page, 'tcp:inside is created').waitFor();
  await row(page, 'tcp:inside').getByText('Running').waitFor();

  const port = await portNow('tcp:inside');
  await deviceAt(port, 'first');
  await expectAfterRefresh(page, () => row(page, 'tcp:inside').innerText()).toContain('1 of 1');
  expect(await refusedAt(port, 'second')).toBe(true);
  await connectDevice(stage.server, 'elsewhere');

  // Raised while they are connected: those that are stay.
  await row(page, 'tcp:inside').getByRole('link', { name: 'inside' }).click();
  await field(page, /^Max connections/).fill('2');
  await save(page);
  await form(page).getByText('Clients that are connected stay', { exact: false }).waitFor();
  await confirmed(page, 'tcp:inside');
  await notice(page, 'tcp:inside is saved').waitFor();
  await deviceAt(port, 'second');
  await expectAfterRefresh(page, () => row(page, 'tcp:inside').innerText()).toContain('2 of 2');
});

test('switching one off ends its clients, after a question with their number, and leaves the others alone', async () => {
  const port = await made('tcp', 'inside');
  const ended = disconnected(await deviceAt(port, 'inside-1'));
  const stays = await connectDevice(stage.server, 'outside-1');
  const { page } = await stage.open('/listener');
  const turn = page.getByRole('switch', { name: 'Enable tcp:inside' });
  await turn.click();
  const question = page.getByRole('dialog', { name: 'Stop tcp:inside?' });
  await question.getByText('1 client is connected through it', { exact: false }).waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => turn.isChecked()).toBe(true);
  await turn.click();
  await question.getByRole('button', { name: 'Stop' }).click();
  await ended;
  await row(page, 'tcp:inside').getByText('Stopped').waitFor();
  expect(await refusedAt(port, 'inside-2')).toBe(true);
  expect(stays.connected).toBe(true);

  await turn.click();
  await notice(page, 'tcp:inside is started').waitFor();
  await row(page, 'tcp:inside').getByText('Running').waitFor();
  const again = disconnected(await deviceAt(await portNow('tcp:inside'), 'inside-3'));
  await menu(page, 'tcp:inside', 'Restart');
  const restart = page.getByRole('dialog', { name: 'Restart tcp:inside?' });
  await restart.getByText('1 client is connected through it', { exact: false }).waitFor();
  await restart.getByRole('button', { name: 'Restart' }).click();
  await again;
  await notice(page, 'tcp:inside is restarted').waitFor();
  await deviceAt(await portNow('tcp:inside'), 'inside-4');
  expect(stays.connected).toBe(true);
});

/** A certificate of its own making, with so many days left. */
async function certificate(days: number) {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'pump.example' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notAfterDate: new Date(Date.now() + days * DAY_MS),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
  });
  return { cert, key };
}

test('TLS with a pasted certificate: it is read before it is saved, served to clients, and its end is warned of', async () => {
  const { cert, key } = await certificate(20.5);
  const other = await certificate(400.5);
  const { page } = await stage.open('/listener?add=ssl');
  await field(page, /^Name/).fill('secure');
  await field(page, /^Bind address/).fill('127.0.0.1:0');
  await field(page, /^TLS Cert/).fill(cert);
  await form(page).getByText('pump.example, ends on', { exact: false }).waitFor();
  await form(page).getByRole('button', { name: 'Create' }).click();
  await form(page).getByText('Certificate and key belong together').waitFor();
  await field(page, /^TLS Key/).fill(other.key);
  await form(page).getByRole('button', { name: 'Create' }).click();
  await form(page).getByText('The broker refused it:', { exact: false }).waitFor();
  await field(page, /^TLS Key/).fill(key);
  await form(page).getByRole('button', { name: 'Create' }).click();
  await row(page, 'ssl:secure').getByText('ends in 20 days').waitFor();

  const port = await portNow('ssl:secure');
  const trusting = (ca: string): IClientOptions => ({ protocol: 'mqtts', ca });
  await deviceAt(port, 'tls-1', trusting(cert));
  expect(await refusedAt(port, 'tls-2', trusting(other.cert))).toBe(true);

  // The stored key is not shown; another pair takes its place without a restart.
  await row(page, 'ssl:secure').getByRole('link', { name: 'secure' }).click();
  expect(await form(page).innerText()).not.toContain('PRIVATE KEY');
  for (const [label, text] of [
    ['TLS Cert', other.cert],
    ['TLS Key', other.key],
  ] as const) {
    const block = form(page)
      .locator('[data-field]')
      .filter({ has: page.getByText(label, { exact: true }) });
    await block.getByRole('button', { name: 'Replace with another' }).click();
    await field(page, new RegExp(`^${label}`)).fill(text);
  }
  await form(page).getByText('pump.example, valid until', { exact: false }).waitFor();
  await save(page);
  await confirmed(page, 'ssl:secure');
  await row(page, 'ssl:secure').getByText('400 days').waitFor();
  await deviceAt(port, 'tls-3', trusting(other.cert));
  expect(await refusedAt(port, 'tls-4', trusting(cert))).toBe(true);
});

test('a WebSocket listener answers at its own path only', async () => {
  const { page } = await stage.open('/listener');
  await page.getByRole('button', { name: 'Add listener' }).click();
  const quic = form(page).getByRole('radio', { name: /^quic/ });
  expect(await quic.isDisabled()).toBe(true);
  await form(page)
    .getByText('Not available: the embedded broker has TCP and WebSocket', { exact: false })
    .waitFor();
  await form(page)
    .getByRole('radio', { name: /^ws MQTT/ })
    .check();
  await field(page, /^Name/).fill('web');
  await field(page, /^Bind address/).fill('127.0.0.1:0');
  await field(page, /^Path/).fill('nowhere');
  await form(page).getByRole('button', { name: 'Create' }).click();
  await form(page).getByText('Begins with /, such as /mqtt').waitFor();
  await field(page, /^Path/).fill('/fleet');
  await form(page).getByRole('button', { name: 'Create' }).click();
  await row(page, 'ws:web').getByText('Running').waitFor();
  const port = await portNow('ws:web');
  await deviceAt(port, 'web-1', { websocket: true, path: '/fleet' });
  expect(await refusedAt(port, 'web-2', { websocket: true, path: '/mqtt' })).toBe(true);
});

test('a mountpoint keeps what the clients of a listener say apart, and is taken away again', async () => {
  const port = await made('tcp', 'north');
  const { page } = await stage.open('/listener?open=tcp%3Anorth');
  await field(page, /^Mountpoint/).fill('north/#');
  await save(page);
  await form(page).getByText('Wildcards are not supported').waitFor();
  await field(page, /^Mountpoint/).fill('north/${clientid}/');
  await save(page);
  await confirmed(page, 'tcp:north');
  await row(page, 'tcp:north').getByText('north/${clientid}/').waitFor();

  const all = await connectDevice(stage.server, 'all');
  const heard: string[] = [];
  all.on('message', (topic) => heard.push(topic));
  await all.subscribeAsync('north/pump/+', { qos: 1 });
  await (await deviceAt(port, 'pump')).publishAsync('heat', '1', { qos: 1 });
  await expect.poll(() => heard).toEqual(['north/pump/heat']);

  await row(page, 'tcp:north').getByRole('link', { name: 'north' }).click();
  await field(page, /^Mountpoint/).fill('');
  await save(page);
  await confirmed(page, 'tcp:north');
  await expect
    .poll(async () => {
      const call = await operator();
      return (await call<Shown>('GET', '/listeners/tcp%3Anorth')).body.mountpoint;
    })
    .toBe('');
});

test('another address restarts this listener, and the question says how many it disconnects', async () => {
  const port = await made('tcp', 'moving');
  const free = await made('tcp', 'elsewhere');
  await (await operator())('DELETE', '/listeners/tcp%3Aelsewhere');
  const ended = disconnected(await deviceAt(port, 'mover'));
  const stays = await connectDevice(stage.server, 'settled');
  const { page } = await stage.open('/listener?open=tcp%3Amoving');
  await field(page, /^Bind address/).fill(`127.0.0.1:${free}`);
  await save(page);
  await form(page)
    .getByText('1 client is connected through it and will be disconnected', { exact: false })
    .waitFor();
  await confirmed(page, 'tcp:moving');
  await ended;
  await deviceAt(free, 'mover');
  expect(await refusedAt(port, 'late')).toBe(true);
  expect(stays.connected).toBe(true);
});

test('access rules are put in order with the keyboard, and decide who may connect', async () => {
  const port = await made('tcp', 'ruled', { access_rules: ['allow all', 'deny 127.0.0.1'] });
  await deviceAt(port, 'before');
  const { page } = await stage.open('/listener?open=tcp%3Aruled');
  await takenFocus(form(page));
  await form(page).getByRole('button', { name: 'Move rule 2 up' }).press('Enter');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Move rule 1 down');
  await save(page);
  await confirmed(page, 'tcp:ruled');
  await notice(page, 'tcp:ruled is saved').waitFor();
  const call = await operator();
  const { body } = await call<Shown>('GET', '/listeners/tcp%3Aruled');
  expect(body.access_rules).toEqual(['deny 127.0.0.1', 'allow all']);
  expect(await refusedAt(port, 'after')).toBe(true);
});

test('what cannot be is said beside its field: a port in use, one out of range, a name that is taken', async () => {
  const port = await made('tcp', 'first');
  const { page } = await stage.open('/listener?add=tcp');
  const wrong = (label: RegExp) =>
    field(page, label).locator('xpath=ancestor::*[@data-field]').getByRole('alert');
  await field(page, /^Name/).fill('second');
  await field(page, /^Bind address/).fill('127.0.0.1:70000');
  await form(page).getByRole('button', { name: 'Create' }).click();
  await expect
    .poll(() => wrong(/^Bind address/).innerText())
    .toBe('Fill in the error: the number range is 0 - 65535');
  await field(page, /^Bind address/).fill(`127.0.0.1:${port}`);
  await form(page).getByRole('button', { name: 'Create' }).click();
  await expect.poll(() => wrong(/^Bind address/).innerText()).toContain('The port is in use');
  await field(page, /^Name/).fill('first');
  await field(page, /^Bind address/).fill('127.0.0.1:0');
  await form(page).getByRole('button', { name: 'Create' }).click();
  await expect
    .poll(() => wrong(/^Name/).innerText())
    .toBe('There is a listener of this type and name already');
});

test('deleting wants the name typed and says how many clients go; a copy is made of another one', async () => {
  const port = await made('tcp', 'doomed', { mountpoint: 'm/' });
  const ended = disconnected(await deviceAt(port, 'goner'));
  const { page } = await stage.open('/listener');
  await menu(page, 'tcp:doomed', 'Duplicate');
  await field(page, /^Name/).fill('copy');
  await field(page, /^Bind address/).fill('127.0.0.1:0');
  await form(page).getByRole('button', { name: 'Create' }).click();
  await row(page, 'tcp:copy').getByText('m/', { exact: true }).waitFor();

  await menu(page, 'tcp:doomed', 'Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete tcp:doomed?' });
  await dialog.getByText('1 client is connected through it', { exact: false }).waitFor();
  const button = dialog.getByRole('button', { name: 'Delete' });
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('tcp:doomed');
  expect(await button.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('doomed');
  await button.click();
  await ended;
  await notice(page, 'tcp:doomed is deleted').waitFor();
  await row(page, 'tcp:doomed').waitFor({ state: 'detached' });
  await row(page, 'tcp:copy').waitFor();
});

test('a chain of its own, made below the listener, decides for its clients alone', async () => {
  const port = await made('tcp', 'guarded');
  await (await deviceAt(port, 'before')).endAsync();
  const { page } = await stage.open('/listener');
  await menu(page, 'tcp:guarded', 'Authentication');
  await page.getByRole('heading', { level: 1, name: 'Authentication of tcp:guarded' }).waitFor();
  await page.getByText('No chain of its own').waitFor();
  await page.getByText('A chain of its own replaces the global one', { exact: false }).waitFor();
  await page.getByRole('link', { name: 'Add authenticator' }).click();
  await page.getByRole('radio', { name: 'Password-Based' }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('radio', { name: 'Built-in database' }).check();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const id = 'password_based:built_in_database';
  await menu(page, id, 'Users');
  await page.getByRole('button', { name: 'Add user', exact: true }).click();
  await field(page, /^Username/).fill('olga');
  await form(page).locator('input[name=password]').fill('right');
  await form(page).getByRole('button', { name: 'Add user' }).click();
  await row(page, 'olga').waitFor();

  await deviceAt(port, 'olga-1', { username: 'olga', password: 'right' });
  expect(await refusedAt(port, 'olga-2', { username: 'olga', password: 'wrong' })).toBe(true);
  expect(await refusedAt(port, 'nobody')).toBe(true);
  await connectDevice(stage.server, 'elsewhere');

  await page.getByRole('switch', { name: 'Enable Built-in database' }).click();
  const question = page.getByRole('dialog');
  await question.getByText('the global chain checks the clients', { exact: false }).waitFor();
  await question.getByRole('button', { name: 'Disable' }).click();
  await notice(page, 'Built-in database is disabled').waitFor();
  await deviceAt(port, 'nobody');
  await page
    .getByRole('navigation', { name: 'You are here' })
    .getByRole('link', { name: 'Listeners' })
    .click();
  await row(page, 'tcp:guarded').waitFor();
});

test('all of it goes without a mouse', async () => {
  await made('tcp', 'keys');
  const { page } = await stage.open('/listener');
  await row(page, 'tcp:keys').waitFor();
  await row(page, 'tcp:keys').getByRole('link', { name: 'keys' }).focus();
  await page.keyboard.press('Enter');
  await field(page, /^Mountpoint/).waitFor();
  await page.keyboard.press('Escape');
  await form(page).waitFor({ state: 'detached' });

  await row(page, 'tcp:keys').getByRole('switch').focus();
  await page.keyboard.press('Space');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Cancel');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await row(page, 'tcp:keys').getByText('Stopped').waitFor();

  await page.getByRole('button', { name: 'Actions for tcp:keys' }).focus();
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.closest('[role=menu]') !== null))
    .toBe(true);
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('menuitem');
  await page.keyboard.press('End');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Delete');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Delete tcp:keys?' }).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
  await page.keyboard.type('keys');
  await page.keyboard.press('Enter');
  await row(page, 'tcp:keys').waitFor({ state: 'detached' });
});

test('filters are in the address, and the form that it names is open', async () => {
  const { page, goto } = await stage.open('/listener?type=ws');
  await row(page, 'ws:default').waitFor();
  expect(await row(page, 'tcp:default').count()).toBe(0);
  await page.getByRole('combobox', { name: 'State' }).selectOption('stopped');
  await page.getByText('Nothing matches these filters.').waitFor();
  await page.waitForURL((url) => url.search.includes('state=stopped'));
  await goto('/listener?open=wss%3Adefault&type=wss');
  await form(page).getByText('Made by the broker, renews itself').waitFor();
  await goto('/listener?open=tcp%3Agone');
  await form(page).getByText('There is no listener tcp:gone').waitFor();
});

test('in front of a broker that says less of its listeners, the rest of the page works', async () => {
  await made('tcp', 'plain');
  const { page, goto } = await stage.open('/settings');
  await page.route(/\/api\/v5\/listeners$/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const rows = (await (await route.fetch()).json()) as Record<string, unknown>[];
    return route.fulfill({
      json: rows.map(({ certificate: _c, failure: _f, zone: _z, mountpoint: _m, ...known }) => known),
    });
  });
  const absent = { status: 404, json: { code: 'NOT_FOUND', message: 'Request Path Not Found' } };
  await page.route(/\/api\/v5\/configs\/zones$/, (route) => route.fulfill(absent));
  await page.route(/\/api\/v5\/listeners\/[^/]+\/authentication/, (route) => route.fulfill(absent));
  await goto('/listener');
  await row(page, 'tcp:plain').getByText('Running').waitFor();
  await expect.poll(() => page.getByRole('columnheader', { name: 'Certificate' }).count()).toBe(0);
  await row(page, 'tcp:plain').getByRole('link', { name: 'plain' }).click();
  await field(page, 'Zone').fill('fleet');
  await save(page);
  await confirmed(page, 'tcp:plain');
  await notice(page, 'tcp:plain is saved').waitFor();
  await goto('/listener/detail/tcp%3Aplain/authentication');
  await page.getByText('Not available on this broker').waitFor();
});
