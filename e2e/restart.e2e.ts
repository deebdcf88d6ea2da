import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { gate } from './support/fake-cluster.ts';
import { type RunningServer, startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

/** The one that runs now. */
let server: RunningServer;
const stage = setStage({
  async start() {
    server = await startServer();
    return { ...server, stop: (options) => server.stop(options) };
  },
});

/** The power comes back: same data, same addresses. */
async function startAgain(): Promise<void> {
  const { dataDir, ports } = server;
  const { http, tcp, ws } = ports;
  server = await startServer({ dataDir, args: ['--http', `${http}`, '--tcp', `${tcp}`, '--ws', `${ws}`] });
}

const rowOf = (page: Page, clientid: string) => page.locator(`[data-row=${JSON.stringify(clientid)}]`);

test('after a kill -9 users, passwords, tokens, sessions and queued messages are there', async () => {
  const token = await tokenOf(server);
  const night = { username: 'night_shift', password: 'first-secret-1', description: 'from ten to six' };
  expect((await callApi(server, 'POST', '/users', { token, body: night })).status).toBe(200);
  const change = { old_pwd: night.password, new_pwd: 'second-secret-2' };
  expect(
    (await callApi(server, 'POST', '/users/night_shift/change_pwd', { token, body: change })).status,
  ).toBe(204);

  const { page } = await stage.open('/login?to=%2Fsettings', { signIn: false });
  await page.getByLabel('Username').fill('night_shift');
  await page.getByLabel('Password', { exact: true }).fill('second-secret-2');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();

  const meter = await connectDevice(server, 'meter', {
    version: 5,
    clean: false,
    properties: { sessionExpiryInterval: 3600 },
  });
  await meter.subscribeAsync('orders/+', { qos: 2 });
  await meter.endAsync();
  const sender = await connectDevice(server, 'sender');
  // Acknowledged, and so promised.
  await sender.publishAsync('orders/1', 'once', { qos: 1 });
  await sender.publishAsync('orders/2', 'exactly once', { qos: 2 });
  await server.kill();
  await startAgain();

  // Nobody signs in again: the page that was open and the token of before still work.
  expect((await callApi(server, 'GET', '/users', { token })).status).toBe(200);
  await page.goto(`${server.url}/users`);
  await page.getByText('from ten to six').waitFor();
  await page.goto(`${server.url}/connections?conn_state=disconnected`);
  await rowOf(page, 'meter').getByText('Disconnected').waitFor();
  await page.goto(`${server.url}/connections/detail/meter`);
  await page.locator('[data-row="orders/+"]').waitFor();

  expect(await tokenOf(server, 'night_shift', 'second-secret-2')).not.toBe('');
  await expect(tokenOf(server, 'night_shift', 'first-secret-1')).rejects.toThrow('BAD_USERNAME_OR_PWD');

  const heard: string[] = [];
  const both = gate();
  const again = await connectDevice(server, 'meter', {
    version: 5,
    clean: false,
    properties: { sessionExpiryInterval: 3600 },
    onMessage(topic, payload, { qos }) {
      heard.push(`${topic} ${payload} ${qos}`);
      if (heard.length === 2) both.open();
    },
  });
  await both.opened;
  expect(heard).toEqual(['orders/1 once 1', 'orders/2 exactly once 2']);
  // The subscription lives as well, without a word of the client.
  const third = new Promise<string>((resolve) => again.on('message', (topic) => resolve(topic)));
  await (await connectDevice(server, 'sender')).publishAsync('orders/3', 'new', { qos: 1 });
  expect(await third).toBe('orders/3');
  expect(heard).toHaveLength(3);
});

test('a list that was open says that it could not be refreshed, and goes on by itself', async () => {
  await connectDevice(server, 'before');
  const { page } = await stage.open('/connections', { clock: true });
  await rowOf(page, 'before').waitFor();
  await page.getByLabel('Refresh interval').selectOption('5');
  await server.kill();
  await page.getByRole('button', { name: /^Refresh/ }).click();
  await page.getByText('Refreshing failed; these rows are older', { exact: false }).first().waitFor();
  expect(await rowOf(page, 'before').count()).toBe(1);
  await startAgain();
  await connectDevice(server, 'after');
  await expectAfterRefresh(page, () => rowOf(page, 'after').count()).toBe(1);
  expect(new URL(page.url()).pathname).toBe('/connections');
  await page.getByText('Refreshing failed').waitFor({ state: 'detached' });
});
