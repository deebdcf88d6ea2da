import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import { LOOKS, launchBrowser, openConsole, policyViolations } from './support/browser.ts';
import { type RunningServer, startServer } from './support/server.ts';

const active = {
  node: 'n1@127.0.0.1',
  name: 'high_cpu_usage',
  message: '98.90% cpu usage',
  details: { usage: '98.90%', high_watermark: 80 },
  duration: 61_000,
  activate_at: '2026-01-02T03:04:05.678+00:00',
};
const over = {
  ...active,
  name: 'partition',
  message: '<b>was</b> split',
  deactivate_at: '2026-01-02T03:05:06.678+00:00',
};

/** A cluster whose alarms are known, so that there are some to see. */
function startCluster() {
  const history = [over];
  const cluster = http.createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://cluster');
    const send = (status: number, body?: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(body === undefined ? undefined : JSON.stringify(body));
    };
    if (url.pathname === '/api/v5/login') {
      return send(200, { token: 't', version: '5.8.9', license: { edition: 'ce' } });
    }
    if (url.pathname !== '/api/v5/alarms') return send(404, { code: 'NOT_FOUND', message: 'none' });
    if (request.method === 'DELETE') {
      history.length = 0;
      return send(204);
    }
    const data = url.searchParams.get('activated') === 'false' ? history : [active];
    send(200, { data, meta: { page: 1, limit: 100, count: data.length, hasnext: false } });
  });
  return new Promise<http.Server>((resolve) => cluster.listen(0, '127.0.0.1', () => resolve(cluster)));
}

let cluster: http.Server;
let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  cluster = await startCluster();
  const { port } = cluster.address() as AddressInfo;
  server = await startServer({ args: ['--upstream', `http://127.0.0.1:${port}`] });
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  cluster?.close();
});

test('the count in the header leads to the alarms, and the history can be cleared', async () => {
  const { page, context, problems } = await openConsole(browser, server, '/help', { signIn: false });
  await page.goto(`${server.url}/login?to=/users`);
  await page.getByLabel('Username', { exact: true }).fill('admin');
  await page.locator('input[type=password]').fill('another-password-1');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: '1 alarm' }).click();
  const row = page.getByRole('row').filter({ hasText: 'high_cpu_usage' });
  await row.getByText('The processors are 98.9% busy; the alarm begins at 80%').waitFor();
  await row.getByText('usage: 98.90% · high_watermark: 80').waitFor();
  await row.getByRole('button', { name: /actions/i }).click();
  await page.getByRole('menuitem', { name: 'Show in full' }).click();
  await page.getByRole('dialog').getByText('98.90% cpu usage', { exact: true }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('link', { name: 'Alarm history' }).click();
  const past = page.getByRole('row').filter({ hasText: 'partition' });
  await past.getByText('<b>was</b> split').waitFor(); // literally, not as markup
  await page.getByRole('button', { name: 'Clear history' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Clear history' }).click();
  await page.getByText('No alarm is over yet').waitFor();
  expect(await page.getByRole('button', { name: 'Clear history' }).isDisabled()).toBe(true);
  expect(problems).toEqual([]);
  await context.close();
});

test('what is wrong is found from the bell: the alarm leads to the bridge, and ends by hand', async () => {
  const own = await startServer();
  const { page, context, problems, expectAccessible } = await openConsole(browser, own, '/settings');
  try {
    const body = { type: 'webhook', name: 'orders', url: 'http://127.0.0.1:1/', enable: true };
    const token = await tokenOf(own);
    expect((await callApi(own, 'POST', '/bridges', { token, body })).status).toBe(201);
    await page.getByRole('link', { name: '1 alarm' }).click({ timeout: 40_000 });
    const row = page.getByRole('row').filter({ hasText: 'bridge:webhook:orders' });
    await row.getByText(/cannot reach its target/).waitFor();
    await page.getByRole('main').getByLabel('Search', { exact: true }).fill('nothing like it');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('main').getByLabel('Search', { exact: true }).fill('webhook');
    await row.waitFor();
    await expectAccessible();

    await row.getByRole('link', { name: 'bridge:webhook:orders' }).click();
    await page.waitForURL('**/bridge/dataBridge/detail/webhook%3Aorders');
    await page.goBack();
    await row.getByRole('button', { name: /actions/i }).click();
    await page.getByRole('menuitem', { name: 'End by hand' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End by hand' }).click();
    await page.getByText('The alarm was ended').waitFor();
    await page.getByRole('link', { name: 'Alarm history' }).click();
    await row.waitFor();
    expect(problems).toEqual([]);
  } finally {
    await context.close();
    await own.stop();
  }
});

test.each(LOOKS)('the alarms are accessible in $language, $theme', async ({ language, theme }) => {
  const opened = await openConsole(browser, server, '/login', { language, theme, signIn: false });
  await opened.page.locator('input').first().fill('admin');
  await opened.page.locator('input[type=password]').fill('another-password-1');
  await opened.page.keyboard.press('Enter');
  await opened.page.waitForURL((url) => !url.pathname.endsWith('/login'));
  await opened.goto('/alarm/current-alarm');
  const row = opened.page.getByRole('row').filter({ hasText: 'high_cpu_usage' });
  const [text, own] = {
    en: ['The processors are 98.9% busy; the alarm begins at 80%', 'usage: 98.90%'],
    zh: ['CPU 使用率 98.9%，告警阈值 80%', 'message: 98.90% cpu usage'],
  }[language];
  await row.getByText(text!).waitFor();
  await row.getByText(own!).waitFor();
  await opened.expectAccessible();
  expect(await policyViolations(server)).toBe(0);
  await opened.context.close();
});
