import { afterAll, beforeAll, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { startBeforeAlarms } from './support/cluster-alarms.ts';
import type { RunningServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
/** In front of a cluster whose alarms are known. */
let gateway: RunningServer;
beforeAll(async () => {
  gateway = await startBeforeAlarms();
});
afterAll(() => gateway?.stop());

test('the count in the header leads to the alarms, and the history can be cleared', async () => {
  const { page } = await stage.openAt(gateway, '/users');
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
});

test('what is wrong is found from the bell: the alarm leads to the bridge, and ends by hand', async () => {
  const { page } = await stage.open('/settings', { clock: true });
  const call = await operatorOf(stage.server);
  await call('POST', '/bridges', {
    type: 'webhook',
    name: 'orders',
    url: 'http://127.0.0.1:1/',
    enable: true,
  });
  const bell = page.getByRole('link', { name: '1 alarm' });
  await expectAfterRefresh(page, () => bell.count()).toBe(1);
  await bell.click();
  const row = page.getByRole('row').filter({ hasText: 'bridge:webhook:orders' });
  await row.getByText(/cannot reach its target/).waitFor();
  await page.getByRole('main').getByLabel('Search', { exact: true }).fill('nothing like it');
  await row.waitFor({ state: 'detached' });
  await page.getByRole('main').getByLabel('Search', { exact: true }).fill('webhook');
  await row.waitFor();

  await row.getByRole('link', { name: 'bridge:webhook:orders' }).click();
  await page.waitForURL('**/bridge/dataBridge/detail/webhook%3Aorders');
  await page.goBack();
  await row.getByRole('button', { name: /actions/i }).click();
  await page.getByRole('menuitem', { name: 'End by hand' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'End by hand' }).click();
  await page.getByText('The alarm was ended').waitFor();
  await page.getByRole('link', { name: 'Alarm history' }).click();
  await row.waitFor();
});
