import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

/** Three clients with plain, shared and odd filters. */
async function subscribeSome(): Promise<void> {
  const desk = await connectDevice(stage.server, 'desk', { version: 5 });
  await desk.subscribeAsync({
    'fleet/+/position': { qos: 1, nl: true, rap: true, rh: 2 },
    'fleet/7/state': { qos: 0 },
  });
  const ingest = await connectDevice(stage.server, 'ingest/1', { version: 5 });
  await ingest.subscribeAsync({ '$share/ingest/fleet/#': { qos: 2 }, 'a  b/<i>c</i>': { qos: 0 } });
  const old = await connectDevice(stage.server, 'old', { version: 3 });
  await old.subscribeAsync('fleet/7/state', { qos: 2 });
}

const rows = (page: Page) => page.locator('[data-row]');
const row = (page: Page, clientid: string, filter: string) =>
  rows(page)
    .filter({ has: page.getByRole('link', { name: clientid, exact: true }) })
    .filter({ hasText: filter });
const count = (page: Page) => rows(page).count();

test('subscriptions are listed with their options and found by client, topic, QoS and group', async () => {
  await subscribeSome();
  const opened = await stage.open('/subscriptions');
  const { page } = opened;
  await page.getByText('5 subscriptions').waitFor();
  expect(new URL(page.url()).pathname).toBe('/subscriptions/subscription');
  expect((await row(page, 'desk', 'fleet/+/position').textContent())?.replace(/\s+/g, ' ')).toContain(
    'fleet/+/position1YesYes2',
  );
  await row(page, 'ingest/1', '$share/ingest/fleet/#').getByText('ingest', { exact: true }).waitFor();
  // Nothing of a filter is lost, neither the second space nor the markup.
  expect(await row(page, 'ingest/1', 'a  b').getByText('a  b/<i>c</i>', { exact: true }).count()).toBe(1);

  await page.getByRole('textbox', { name: 'Client ID' }).fill('ingest/1');
  await expect.poll(() => count(page)).toBe(2);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await expect.poll(() => count(page)).toBe(5);

  await page.getByRole('textbox', { name: 'Topic matches' }).fill('fleet/7/+');
  await expect.poll(() => count(page)).toBe(2);
  await page.getByLabel('QoS').selectOption('2');
  await expect.poll(() => count(page)).toBe(1);
  const { searchParams } = new URL(page.url());
  expect(Object.fromEntries(searchParams)).toEqual({ match_topic: 'fleet/7/+', qos: '2' });
  await row(page, 'old', 'fleet/7/state').waitFor();

  await page.goto(`${stage.server.url}/subscriptions/subscription?share_group=ingest`);
  await row(page, 'ingest/1', '$share/ingest/fleet/#').waitFor();
  expect(await count(page)).toBe(1);
  await page.getByRole('link', { name: 'ingest/1' }).click();
  await page.getByRole('heading', { name: 'ingest/1' }).waitFor();
});

test('topics lead to their subscribers, plain and shared', async () => {
  await subscribeSome();
  const opened = await stage.open('/subscriptions/subscription');
  const { page } = opened;
  await page.getByRole('link', { name: 'Topics', exact: true }).click();
  await page.getByText('4 topics').waitFor();
  const topic = (name: string) => rows(page).filter({ hasText: name });

  await topic('fleet/7/state').getByRole('link', { name: 'Show subscribers' }).click();
  await row(page, 'desk', 'fleet/7/state').waitFor();
  await row(page, 'old', 'fleet/7/state').waitFor();
  expect(await count(page)).toBe(2);

  await page.goBack();
  await page.getByRole('textbox', { name: 'Topic is' }).fill('fleet/+/position');
  await expect.poll(() => count(page)).toBe(1);
  await topic('fleet/+/position').getByRole('link', { name: 'Show subscribers' }).click();
  await row(page, 'desk', 'fleet/+/position').waitFor();
  expect(await count(page)).toBe(1);
});

test('nobody subscribed is explained', async () => {
  const opened = await stage.open('/subscriptions/subscription');
  await opened.page.getByText('Nobody is subscribed to anything yet', { exact: false }).waitFor();
  await opened.goto('/subscriptions/topics?topic=none');
  await opened.page.getByText('Nothing matches these filters.').waitFor();
});

test('at 390 pixels a subscription leads to its client', async () => {
  await subscribeSome();
  const opened = await stage.open('/subscriptions/subscription', { width: 390, height: 844 });
  const { page } = opened;
  await row(page, 'desk', 'fleet/7/state').getByRole('link').click();
  await page.getByRole('heading', { name: 'desk' }).waitFor();
});
