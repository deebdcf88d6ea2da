import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

/** What another test has looked at is still gathered. */
beforeEach(async () => {
  const token = await stage.token();
  await callApi(stage.server, 'DELETE', '/topic_explorer', { token });
});

const item = (page: Page, name: string) =>
  page
    .getByRole('treeitem')
    .filter({ has: page.locator(`bdi:text-is("${name}")`) })
    .last();

/** Settles when it is there, by what the page asks again. */
const comes = (page: Page, what: Locator) => expectAfterRefresh(page, () => what.count()).toBeGreaterThan(0);

test('a value that went wrong is found: by its tree, its last values, what changed and its line', async () => {
  const pump = await connectDevice(stage.server, 'pump');
  const { page } = await stage.open('/topics', { clock: true });
  await page.getByText('Waiting for messages').waitFor();

  await pump.publishAsync('plant/1/level', '{"level":40,"unit":"cm"}', { qos: 1, retain: true });
  await pump.publishAsync('plant/2/mode', 'manual', { qos: 1 });
  await comes(page, item(page, 'plant'));

  // By keys alone.
  await item(page, 'plant').focus();
  await page.keyboard.press('ArrowRight');
  await item(page, '1').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowRight');
  await item(page, 'level').waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('topic') === 'plant/1/level');
  await page.getByText('Its values appear with the next message.').waitFor();

  for (const level of [41, 42, 900])
    await pump.publishAsync('plant/1/level', `{"level":${level},"unit":"cm"}`, { qos: 1 });
  await comes(page, page.getByRole('figure', { name: 'level' }));
  await expect
    .poll(() => page.getByRole('figure', { name: 'level' }).getByRole('img').getAttribute('aria-label'))
    .toMatch(/highest 900/);
  await page.getByText('"level": 900').waitFor();

  const history = page.getByRole('region', { name: 'Last values' });
  await history.getByRole('row').filter({ hasText: '"level":900' }).getByRole('checkbox').check();
  await history.getByRole('row').filter({ hasText: '"level":42' }).getByRole('checkbox').check();
  const changed = page.getByRole('region', { name: 'What changed' }).last();
  await changed.getByRole('row', { name: /level 42 900/ }).waitFor();
  // Below the list in which they were chosen, and in sight
  const [list, diff] = await Promise.all([history.boundingBox(), changed.boundingBox()]);
  expect(diff!.y).toBeGreaterThan(list!.y);
  await expect
    .poll(() => changed.evaluate((element) => element.getBoundingClientRect().bottom <= window.innerHeight))
    .toBe(true);
});

test('CBOR, Sparkplug B and Protobuf by an uploaded schema are read', async () => {
  const pump = await connectDevice(stage.server, 'pump');
  const { page, goto } = await stage.open('/topics?topic=bin/1', { clock: true });
  await page.getByText('Nothing was published to bin/1 meanwhile').waitFor();
  await pump.publishAsync('bin/1', Buffer.from('a1647465 6d701815'.replace(' ', ''), 'hex'), { qos: 1 });
  await comes(page, page.getByText('"temp": 21'));

  await page.getByLabel('Read as').selectOption({ label: 'Protobuf' });
  await page.getByRole('alert').filter({ hasText: 'no schema' }).waitFor();
  const file = join(tmpdir(), `mqdeck-${process.pid}.proto`);
  writeFileSync(file, 'message {');
  await page.getByLabel('Schema (.proto)').setInputFiles(file);
  await page.getByText(/This is no schema/).waitFor();
  writeFileSync(file, 'syntax = "proto3"; message Reading { int32 level = 1; string unit = 2; }');
  await page.getByLabel('Schema (.proto)').setInputFiles(file);
  await pump.publishAsync('bin/1', Buffer.from('082a1202636d', 'hex'), { qos: 1 });
  await comes(page, page.getByText('"level": 42'));
  await page.getByText('"unit": "cm"').waitFor();

  await goto('/topics?topic=spBv1.0/g/DDATA/n');
  await page.getByText(/Nothing was published/).waitFor();
  await pump.publishAsync('spBv1.0/g/DDATA/n', Buffer.from('0801120b0a0173200350f6ffffff0f1800', 'hex'), {
    qos: 1,
  });
  await comes(page, page.getByText('"value": -10'));
});

test('a topic is found by its name, and the tree stands still when paused', async () => {
  const pump = await connectDevice(stage.server, 'pump');
  const { page } = await stage.open('/topics', { clock: true });
  await page.getByText('Waiting for messages').waitFor();
  await pump.publishAsync('hall/a/temperature', '20', { qos: 1 });
  await pump.publishAsync('hall/b/humidity', '40', { qos: 1 });
  await comes(page, item(page, 'hall'));
  await page.getByLabel('Find a topic').fill('TEMP');
  await item(page, 'hall/a/temperature').waitFor();
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(1);
  await page.getByLabel('Find a topic').fill('pressure');
  await page.getByText('No topic has pressure in its name').waitFor();
  await page.getByLabel('Find a topic').fill('');
  await page.getByRole('button', { name: 'Begin anew' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Begin anew' }).click();
  await page.getByText('Waiting for messages').waitFor();
});
