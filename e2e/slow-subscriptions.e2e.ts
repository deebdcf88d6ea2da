import { beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

/** Every test begins as a new broker does. */
beforeEach(async () => {
  const token = await stage.token();
  const body = { enable: false, threshold: '500ms' };
  await callApi(stage.server, 'PUT', '/slow_subscriptions/settings', { token, body });
});

test('a slow client is found once it is switched on in the browser', async () => {
  const { page } = await stage.open('/slow-sub');
  const notice = (text: string) =>
    page.getByRole('region', { name: 'Notices' }).getByText(text, { exact: false });
  await page.getByText('Slow subscriptions are disabled', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Enable' }).click();
  await notice('Slow subscriptions are enabled').waitFor();
  await page.getByRole('switch', { name: 'Enable slow subscriptions', checked: true }).waitFor();
  const threshold = page.getByRole('textbox', { name: 'Stats threshold' });
  await threshold.fill('99');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Please enter a number greater than or equal 100', { exact: false }).waitFor();
  await threshold.fill('100');
  await page.getByRole('button', { name: 'Save' }).click();
  await notice('Saved').waitFor();

  const away = await connectDevice(stage.server, 'lazy', { clean: false });
  await away.subscribeAsync('t', { qos: 1 });
  await away.endAsync();
  const sensor = await connectDevice(stage.server, 'sensor');
  const sentAt = Date.now();
  await sensor.publishAsync('t', 'x', { qos: 1 });
  await expect.poll(() => Date.now() - sentAt).toBeGreaterThan(200);
  await connectDevice(stage.server, 'lazy', { clean: false });
  await page.getByRole('link', { name: 'Slow subscriptions', exact: true }).last().click();
  await page.getByRole('row').filter({ hasText: 'lazy' }).filter({ hasText: 'ms' }).waitFor();
  await page.getByRole('link', { name: 'lazy' }).waitFor();

  await page.getByRole('button', { name: 'Clear' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Clear' }).click();
  await notice('List cleared').waitFor();
  await page.getByText('No delivery has taken longer', { exact: false }).waitFor();
});
