import { type HookProvider, hookProvider } from '@mqdeck/broker/testing/engines/hook-provider';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
let servers: HookProvider[] = [];

let call: Awaited<ReturnType<typeof operatorOf>>;

beforeAll(async () => {
  call = await operatorOf(stage.server);
});
beforeEach(async () => {
  for (const { name } of await call<{ name: string }[]>('GET', '/exhooks'))
    await call('DELETE', `/exhooks/${name}`);
});
afterEach(async () => {
  for (const server of servers) await server.close();
  servers = [];
});

async function startServer(...given: Parameters<typeof hookProvider>): Promise<HookProvider> {
  const server = await hookProvider(...given);
  servers.push(server);
  return server;
}

const row = (page: Page, name: string) => page.locator(`[data-row="${name}"]`);
const toast = (page: Page, text: string) => page.getByRole('region', { name: 'Notices' }).getByText(text);
const figure = (page: Page, label: string) =>
  page
    .locator('dl > div', { has: page.getByText(label, { exact: true }) })
    .locator('dd > span')
    .first();

test('a server that is added and enabled changes messages, is killed, told of and comes back', async () => {
  const server = await startServer({
    hooks: [{ name: 'message.publish', topics: ['room/#'] }, { name: 'client.connected' }],
    answers: [{ call: 'OnMessagePublish', message: { payload: 'changed by the server' } }],
  });
  const { page } = await stage.open('/exhook', { clock: true });
  await page.getByText('There is no server yet').waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Add server' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('not a name');
  await page.getByRole('textbox', { name: 'Address' }).fill('nourl');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByText('Write http://host:port or https://host:port').first().waitFor();
  await page.getByText('Letters, digits, underscore', { exact: false }).first().waitFor();
  await page.getByRole('textbox', { name: 'Name' }).fill('mine');
  await page.getByRole('textbox', { name: 'Address' }).fill(server.url);
  await page.getByRole('textbox', { name: 'Longest pause between attempts' }).fill('1');
  await page.getByRole('button', { name: 'Create' }).click();
  await toast(page, 'mine is added, and not enabled yet').waitFor();
  await row(page, 'mine').getByText('Disabled').waitFor();
  await page.getByRole('switch', { name: 'Enable mine' }).click();
  await expectAfterRefresh(page, () => row(page, 'mine').getByText('Connected').count()).toBe(1);

  let said = (_: string): void => undefined;
  const next = () => new Promise<string>((resolve) => (said = resolve));
  const screen = await connectDevice(stage.server, 'screen', {
    onMessage: (_, payload) => said(payload.toString()),
  });
  await screen.subscribeAsync('#');
  const first = next();
  await screen.publishAsync('room/1', 'as it came');
  expect(await first).toBe('changed by the server');
  await server.expectCall('OnClientConnected', ({ clientinfo }) => clientinfo?.clientid === 'screen');

  await page.getByRole('link', { name: 'mine' }).click();
  await expectAfterRefresh(page, () => figure(page, 'Hooks').innerText()).toBe('2');
  await expectAfterRefresh(page, () => figure(page, 'Succeeded').innerText()).toBe('2');
  await page.getByRole('tab', { name: 'Hooks' }).click();
  const hooks = page.getByRole('table');
  await hooks.getByText('room/#').waitFor();
  await hooks.getByRole('row', { name: /message\.publish decides/ }).waitFor();
  await hooks.getByRole('row', { name: /client\.connected is told/ }).waitFor();

  await server.kill();
  await page.getByRole('tab', { name: 'Overview' }).click();
  const warning = page.getByText('Until it is back, the clients and messages', { exact: false });
  await expectAfterRefresh(page, () => warning.count()).toBe(1);
  await page.getByText(`nobody listens on ${server.address}`).waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page
    .getByRole('combobox', { name: 'Without an answer' })
    .selectOption('Go on as if it had not asked');
  await page.getByRole('button', { name: 'Save' }).click();
  await toast(page, 'Saved').waitFor();
  const second = next();
  await screen.publishAsync('room/1', 'as it came');
  expect(await second).toBe('as it came');
  await server.start();
  const connected = page.getByRole('button', { name: /^mine: Connected/ });
  await expectAfterRefresh(page, () => connected.count()).toBe(1);
  const third = next();
  await screen.publishAsync('room/1', 'as it came');
  expect(await third).toBe('changed by the server');
});

test('the order of the servers is changed by a menu; a server is renamed and deleted', async () => {
  for (const name of ['one', 'two', 'three'])
    await call('POST', '/exhooks', { name, url: 'http://127.0.0.1:1', enable: false });
  const { page } = await stage.open('/exhook');
  const names = () =>
    page.locator('[data-row]').evaluateAll((rows) => rows.map((one) => one.getAttribute('data-row')));
  await expect.poll(names).toEqual(['one', 'two', 'three']);
  await page.getByRole('button', { name: 'Actions for three' }).click();
  await page.getByRole('menuitem', { name: 'Move to top' }).click();
  await expect.poll(names).toEqual(['three', 'one', 'two']);
  await expect
    .poll(async () => (await call<{ name: string }[]>('GET', '/exhooks')).map(({ name }) => name))
    .toEqual(['three', 'one', 'two']);
  await page.getByRole('link', { name: 'one' }).click();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('first');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'first' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await toast(page, 'first is deleted').waitFor();
  await expect.poll(names).toEqual(['three', 'two']);
});

test('the address of a server that is gone says so, and a refusal stands in the form', async () => {
  await call('POST', '/exhooks', { name: 'one', url: 'http://127.0.0.1:1', enable: false });
  const { page, goto } = await stage.open('/exhook/detail/gone');
  await page.getByText('There is no server gone').waitFor();
  await goto('/exhook/create');
  await page.getByRole('textbox', { name: 'Name' }).fill('one');
  await page.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:1');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').getByText('Already exists', { exact: false }).waitFor();
});
