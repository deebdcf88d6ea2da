import fs from 'node:fs';
import type { MqttClient } from 'mqtt';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { expectAfterRefresh } from './support/browser.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { ABSENT } from './support/fake-cluster.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const MARKUP_TOPIC = '</script><script>alert(1)</script>';
const MARKUP = '<img src=x onerror=alert(1)><svg/onload=alert(2)>';
const JSON_TEXT = '{"t":21.50,"id":12345678901234567890,"unit":"℃"}';
const BINARY = Buffer.from([0xff, 0x00, 0x68, 0x69, 0xe2, 0x80, 0xae, 0xc3]);
const MB = 1024 * 1024;

let sensor: MqttClient;

async function retain(messages: Record<string, string | Buffer>): Promise<void> {
  sensor = await connectDevice(stage.server, 'sensor-1', { version: 5, username: 'fleet-a' });
  for (const [topic, payload] of Object.entries(messages))
    await sensor.publishAsync(topic, payload, { retain: true, qos: 1 });
}

const row = (page: Page, topic: string) => page.getByRole('row').filter({ hasText: topic });
const link = (page: Page, topic: string) => page.getByRole('link', { name: topic, exact: true });
const shown = (page: Page) => page.getByRole('dialog').locator('pre').textContent();
const format = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('radio', { name, exact: true });
const at = (page: Page, address: string) =>
  page.waitForURL((url) => decodeURIComponent(url.pathname + url.search) === address);

/** The bar goes when what is on screen is what is stored; its first button alone keeps its name while it is saved. */
const saved = (page: Page) => page.getByRole('button', { name: 'Discard' }).waitFor({ state: 'detached' });

/** The retained topics a subscriber gets now, until one that was published behind them. */
async function topicsFor(filter: string): Promise<string[]> {
  const topics: string[] = [];
  const last = new Promise<void>((resolve) => {
    void connectDevice(stage.server, `reader-${Math.random()}`, {
      onMessage: (topic) => (topic === 'the/end' ? resolve() : topics.push(topic)),
    }).then(async (reader) => {
      await reader.subscribeAsync([filter, 'the/end']);
      await reader.publishAsync('the/end', '', { qos: 1 });
    });
  });
  await last;
  return topics.sort();
}

test('messages are listed, found by filter, seen in each format, downloaded exactly and deleted', async () => {
  await retain({ 'room/1': JSON_TEXT, 'room/2': BINARY, 'hall/1': 'warm', [MARKUP_TOPIC]: MARKUP });
  const { page } = await stage.open('/retained');
  await row(page, 'room/1').getByText('sensor-1').waitFor();
  await link(page, MARKUP_TOPIC).waitFor(); // literally, not as markup

  await page.getByLabel('Topic filter').fill('room/+');
  await row(page, 'hall/1').waitFor({ state: 'detached' });
  await at(page, '/retained?topic=room/+');
  await expect.poll(() => page.getByRole('link', { name: /^room\// }).count()).toBe(2);

  await link(page, 'room/1').click();
  await at(page, '/retained?topic=room/+&message=room/1');
  await expect
    .poll(() => shown(page))
    .toBe('{\n  "t": 21.50,\n  "id": 12345678901234567890,\n  "unit": "℃"\n}');
  await page.getByRole('dialog').getByText('fleet-a').waitFor();
  await format(page, 'Plaintext').check();
  await expect.poll(() => shown(page)).toBe(JSON_TEXT);
  await format(page, 'Base64').check();
  await expect.poll(() => shown(page)).toBe(Buffer.from(JSON_TEXT).toString('base64'));
  await format(page, 'Hex').check();
  await expect
    .poll(() => shown(page))
    .toContain('00000000  7b 22 74 22 3a 32 31 2e  35 30 2c 22 69 64 22 3a  {"t":21.50,"id":');
  // The link says all of it.
  await page.reload();
  await expect.poll(() => shown(page)).toContain('00000000  7b 22');
  await page.keyboard.press('Escape');
  await at(page, '/retained?topic=room/+');

  await link(page, 'room/2').click();
  await format(page, 'Plaintext').check();
  await expect.poll(() => shown(page)).toBe('\\xff\\u0000hi\\u202e\\xc3');
  await format(page, 'JSON').check();
  await page.getByText('Not UTF-8 text from byte 1 on; shown as plaintext').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('room-2.bin');
  expect(fs.readFileSync(await download.path()).equals(BINARY)).toBe(true);
  await page.keyboard.press('Escape');

  await row(page, 'room/2')
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  const question = page.getByRole('dialog', { name: 'Delete the retained message of room/2?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await row(page, 'room/2').count()).toBe(1);
  await row(page, 'room/2')
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await row(page, 'room/2').waitFor({ state: 'detached' });
  expect(await topicsFor('#')).toEqual([MARKUP_TOPIC, 'hall/1', 'room/1'].sort());
});

test('hostile topics and payloads are only text', async () => {
  const bidi = 'a/gnp.\u202eexe';
  await retain({ [MARKUP_TOPIC]: MARKUP, [bidi]: 'x\u200by', '..': 'dots', '.': 'dot' });
  const { page } = await stage.open(`/retained?message=${encodeURIComponent(MARKUP_TOPIC)}`);
  await page.getByRole('dialog').getByText(MARKUP_TOPIC).waitFor();
  for (const name of ['Plaintext', 'JSON']) {
    await format(page, name).check();
    await expect.poll(() => shown(page)).toBe(MARKUP);
  }
  expect(await page.locator('main img, [role=dialog] img, [role=dialog] script').count()).toBe(0);
  await page.keyboard.press('Escape');
  await link(page, 'a/gnp.\\u202eexe').click();
  await expect.poll(() => shown(page)).toBe('x\\u200by');
  await page.keyboard.press('Escape');

  // Browsers take these out of an address: they are deleted as a client would.
  for (const topic of ['..', '.']) {
    const dots = page.getByRole('row').filter({ has: page.getByText(topic, { exact: true }) });
    await dots.getByRole('button', { name: /^Actions for/ }).click();
    await page
      .getByRole('menuitem', { name: /^Show payload/ })
      .getByText('No address of the API')
      .waitFor();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await dots.waitFor({ state: 'detached' });
  }
  expect(await topicsFor('+')).toEqual([]);
});

test('an address with a filter or a message that is gone shows no other message', async () => {
  await retain({ 'room/1': 'one' });
  const { page, goto } = await stage.open('/retained?message=room/9');
  await page.getByRole('dialog').getByText('This message is no longer there').waitFor();
  await goto('/retained?message=room/%23');
  await link(page, 'room/1').waitFor();
  expect(await page.getByRole('dialog').count()).toBe(0);
  await goto('/retained?topic=room%23'); // no filter at all: that is said, and nothing else
  await page.getByRole('status').getByText('Not a valid topic filter', { exact: false }).waitFor();
  expect(await page.getByText('Nothing matches these filters.').count()).toBe(0);
});

test('several are deleted at once, and all by typing how many there are', async () => {
  await retain(Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`fleet/${i}`, 'x'])));
  const { page } = await stage.open('/retained?topic=fleet/%23');
  await row(page, 'fleet/0').getByRole('checkbox').check();
  await row(page, 'fleet/1').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByText('Delete 2 retained messages?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 retained messages deleted').waitFor();
  await row(page, 'fleet/0').waitFor({ state: 'detached' });
  expect(await topicsFor('fleet/#')).toHaveLength(7);

  const token = await stage.token();
  const { body } = await callApi<{ meta: { count: number } }>(
    stage.server,
    'GET',
    '/mqtt/retainer/messages',
    {
      token,
    },
  );
  await page.reload();
  await row(page, 'fleet/5').waitFor();
  await page.getByRole('button', { name: 'Clear all messages' }).click();
  const question = page.getByRole('dialog', { name: 'Clear all retained messages?' });
  await question.getByText(`${body.meta.count} retained messages will be deleted`).waitFor();
  const clear = question.getByRole('button', { name: 'Clear all messages' });
  await question.getByRole('textbox').fill(String(body.meta.count + 1));
  expect(await clear.isDisabled()).toBe(true);
  await question.getByRole('textbox').fill(String(body.meta.count));
  await question.getByRole('textbox').press('Enter');
  await page.getByText('All retained messages cleared').waitFor();
  await page.getByText('Nothing matches these filters.').waitFor();
  expect(await topicsFor('fleet/#')).toEqual([]);
});

test('a branch is deleted after a look at what is in it', async () => {
  await retain({
    ...Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`hall/lamp/${i}`, 'on'])),
    'hall/lamp': 'all',
    'hall/door': 'shut',
  });
  const { page } = await stage.open('/retained?topic=hall/%23');
  await row(page, 'hall/lamp/3')
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await page.getByRole('menuitem', { name: 'Delete its branch…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete by topic filter' });
  const field = dialog.getByRole('textbox', { name: 'Topic filter' });
  expect(await field.inputValue()).toBe('hall/lamp/#');
  await dialog.getByText('13 retained messages will be deleted').waitFor();
  await dialog.getByText('and 3 more').waitFor();
  expect(await dialog.getByRole('listitem').allTextContents()).toContain('hall/lamp/0');

  await field.fill('hall/#/lamp');
  await dialog.getByText('Not a valid topic filter', { exact: false }).waitFor();
  expect(await dialog.getByRole('button', { name: /^Delete/ }).isDisabled()).toBe(true);
  await field.fill('hall/no/such/#');
  await dialog.getByText('No retained message matches.').waitFor();
  expect(await dialog.getByRole('button', { name: /^Delete/ }).isDisabled()).toBe(true);
  await field.fill('hall/lamp/+');
  await dialog.getByRole('button', { name: 'Delete 12 messages' }).click();
  await page.getByText('12 retained messages deleted').waitFor();
  await row(page, 'hall/lamp/3').waitFor({ state: 'detached' });
  expect(await topicsFor('hall/#')).toEqual(['hall/door', 'hall/lamp']);

  // The filter of the list is that of the question.
  await page.getByRole('button', { name: 'Delete by topic filter…' }).click();
  expect(await field.inputValue()).toBe('hall/#');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await topicsFor('hall/#')).toHaveLength(2);
});

test('settings change what the broker does, and wrong ones say why', async () => {
  await retain({ 'room/1': 'warm' });
  const { page } = await stage.open('/mqtt/retainer');
  const field = (name: string) => page.getByRole('textbox', { name });
  const unit = (name: string) => page.getByRole('combobox', { name: `Unit of ${name}` });
  const save = page.getByRole('button', { name: 'Save' });

  await field('Max payload size').fill('');
  await save.click();
  await page.getByText('Max payload size is required').waitFor();
  await field('Max payload size').fill('many');
  await page.getByText('Type error: please enter a whole number').waitFor();
  await field('Max payload size').fill('1');
  await unit('Max payload size').selectOption('KB');
  await unit('Max retained messages').selectOption('messages');
  await save.click();
  await page.getByText('Max retained messages is required').waitFor();
  await field('Max retained messages').fill('-1');
  await page.getByText('Please enter a number greater than or equal 0').waitFor();
  await unit('Max retained messages').selectOption('unlimited');
  await page.getByText('1 field changed').waitFor();
  await save.click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await saved(page);

  await sensor.publishAsync('room/2', 'x'.repeat(1025), { retain: true, qos: 1 });
  await sensor.publishAsync('room/3', 'x'.repeat(1024), { retain: true, qos: 1 });
  expect(await topicsFor('room/#')).toEqual(['room/1', 'room/3']);

  await page.getByRole('button', { name: /^Max payload size: Restore the default/ }).click();
  await page.getByRole('switch', { name: 'Enable the retainer' }).click();
  // Leaving now would lose it.
  await page.getByRole('link', { name: 'Retained messages' }).click();
  await page
    .getByRole('dialog', { name: 'Leave without saving?' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await save.click();
  await saved(page);
  await sensor.publishAsync('room/4', 'x', { retain: true, qos: 1 });
  expect(await topicsFor('room/#')).toEqual([]);

  // Switched off, what was kept stays, and the list says how to switch it on.
  await page.getByRole('link', { name: 'Retained messages' }).click();
  await page.getByText('The retainer is off').waitFor();
  await row(page, 'room/1').waitFor();
  expect(await row(page, 'room/4').count()).toBe(0);
  await page.getByRole('link', { name: 'Open the settings' }).click();
  await page.getByRole('switch', { name: 'Enable the retainer' }).click();
  await save.click();
  await saved(page);
  expect(await topicsFor('room/#')).toEqual(['room/1', 'room/3']);
});

test('batches and the limiter of one subscriber are folded away, and saved with the rest', async () => {
  const { page } = await stage.open('/mqtt/retainer');
  const advanced = page.locator('details').filter({ hasText: 'Advanced' });
  await advanced.locator('summary').click();
  await page.getByRole('combobox', { name: 'Unit of Batch deliver number' }).selectOption('messages');
  await page.getByRole('textbox', { name: 'Batch deliver number' }).fill('2');
  await page.getByRole('combobox', { name: 'Unit of Batch deliver rate' }).selectOption('per minute');
  await page.getByRole('textbox', { name: 'Batch deliver rate' }).fill('600');
  await advanced.locator('summary').getByText('2 fields changed').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await saved(page);
  const token = await stage.token();
  const { body } = await callApi<{ flow_control: unknown }>(stage.server, 'GET', '/mqtt/retainer', { token });
  expect(body.flow_control).toEqual({ batch_deliver_number: 2, batch_deliver_limiter: '600/m' });

  await page.reload();
  await advanced.locator('summary').click();
  await page.getByRole('button', { name: /^Batch deliver number: Restore the default/ }).click();
  await page.getByRole('button', { name: /^Batch deliver rate: Restore the default/ }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await saved(page);
});

test('everything is reached by keyboard', async () => {
  await retain({ 'keys/1': 'typed' });
  const { page } = await stage.open('/retained?topic=keys/%23');
  await link(page, 'keys/1').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('typed').waitFor();
  await format(page, 'Plaintext').focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => shown(page)).toBe('dHlwZWQ=');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

const MESSAGE = {
  topic: 'big/1',
  msgid: 'A',
  qos: 0,
  publish_at: '2026-01-02T03:04:05.678+00:00',
  from_clientid: 'camera',
  from_username: 'undefined',
};

describe('in front of a cluster', () => {
  const cluster = setCluster(stage);

  test('more than 1 MB is not viewed, only downloaded', async () => {
    const large = Buffer.alloc(MB + 1, 0xfe);
    cluster.on('GET /mqtt/retainer/messages', () => ({
      body: { data: [MESSAGE], meta: { page: 1, limit: 50, count: 1 } },
    }));
    cluster.on('GET /mqtt/retainer/message/big%2F1', () => ({
      body: { ...MESSAGE, payload: large.toString('base64') },
    }));
    const { page } = await cluster.open('/retained?message=big/1');
    await page.getByText('The payload is over 1 MB and cannot be viewed').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('dialog').getByRole('button', { name: 'Download' }).click(),
    ]);
    expect(fs.readFileSync(await download.path()).equals(large)).toBe(true);
    // A client without a username is written as a text by some brokers.
    expect(await page.getByText('undefined').count()).toBe(0);
  });

  test('a broker that ignores the filter and cannot clear all says so', async () => {
    cluster.on('GET /mqtt/retainer/messages', () => ({
      body: { data: [MESSAGE], meta: { page: 1, limit: 50, count: 1 } },
    }));
    cluster.on('DELETE /mqtt/retainer/messages', () => ABSENT.json);
    const { page } = await cluster.open('/retained?topic=room/%23');
    await page.getByText('This broker does not filter retained messages by topic').waitFor();
    await page.getByRole('button', { name: 'Clear all messages' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Clear all messages' }).click();
    await expect
      .poll(() => page.getByRole('button', { name: 'Clear all messages' }).getAttribute('title'))
      .toMatch(/cannot clear all at once/);
  });

  test('clearing that takes its time shows how far it is, to whoever comes, and can be stopped', async () => {
    const clearing = { topic: null, state: 'running', total: 1_000_000, removed: 250_000, started_at: 'now' };
    cluster.on('GET /mqtt/retainer/messages', () => ({
      body: { data: [MESSAGE], meta: { page: 1, limit: 50, count: 1 } },
    }));
    cluster.on('GET /mqtt/retainer/clearing', () => ({ body: clearing }));
    cluster.on('DELETE /mqtt/retainer/clearing', () => {
      clearing.state = 'cancelled';
      return { status: 204 };
    });
    cluster.on('POST /mqtt/retainer/clearing', () => ({
      status: 409,
      body: { code: 'CONFLICT', message: 'Retained messages are being removed already' },
    }));
    const { page, expectAccessible } = await cluster.open('/retained', { clock: true });
    const shown = page.getByRole('region', { name: 'Clearing all retained messages' });
    await shown.getByText('250,000 of 1,000,000').waitFor();
    expect(await shown.getByRole('progressbar').getAttribute('aria-valuenow')).toBe('25');
    clearing.removed = 500_000;
    await expectAfterRefresh(page, () => shown.innerText()).toContain('500,000 of 1,000,000');
    await expectAccessible();

    await page.getByRole('button', { name: 'Clear all messages' }).click();
    await page.getByRole('dialog').getByRole('textbox').fill('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Clear all messages' }).click();
    await page.getByText('Retained messages are being deleted already').waitFor();

    await shown.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped: 500,000 retained messages had been deleted').waitFor();
    await shown.waitFor({ state: 'detached' });
  });

  test('a broker without preview and progress deletes a branch all the same', async () => {
    let there = [MESSAGE, { ...MESSAGE, topic: 'other/1', msgid: 'B' }];
    cluster.on('GET /mqtt/retainer/messages', () => ({
      body: { data: there, meta: { page: 1, limit: 50, count: there.length } },
    }));
    cluster.on('DELETE /mqtt/retainer/message/big%2F%23', () => {
      there = there.slice(1);
      return { status: 204 };
    });
    const { page } = await cluster.open('/retained');
    await page.getByRole('button', { name: 'Delete by topic filter…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete by topic filter' });
    await dialog.getByRole('textbox').fill('big/#');
    await dialog.getByText('1 retained message will be deleted').waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual(['big/1']);
    await dialog.getByRole('button', { name: 'Delete 1 message' }).click();
    await page.getByText('The matching retained messages were deleted').waitFor();
    await link(page, 'big/1').waitFor({ state: 'detached' });
    await link(page, 'other/1').waitFor();
  });
});
