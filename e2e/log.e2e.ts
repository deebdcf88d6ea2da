import fs from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { ABSENT } from './support/fake-cluster.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const DEFAULTS = {
  console: { enable: true, level: 'warning', formatter: 'text', payload_encode: 'text' },
  file: { default: { enable: false, path: '${EMQX_LOG_DIR}/emqx.log', level: 'warning' } },
  throttling: { time_window: '1m' },
};

const ask = async (method: string, to: string, body?: unknown) =>
  callApi<Record<string, never>>(stage.server, method, to, { token: await stage.token(), body });

/** Every test begins as a new broker does. */
beforeEach(async () => {
  expect((await ask('PUT', '/configs/log', DEFAULTS)).status).toBe(200);
  fs.rmSync(path.join(stage.server.dataDir, 'log'), { recursive: true, force: true });
});

const notice = (page: Page, text: string) =>
  page.getByRole('region', { name: 'Notices' }).getByText(text, { exact: false });
const lines = (page: Page) => page.getByRole('log', { name: 'Lines of the log' });
const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();
const row = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByText(name, { exact: true }) });
const rowAction = async (page: Page, name: string, action: string) => {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
};
const onDisk = (name: string) => path.join(stage.server.dataDir, 'log', name);
const textOf = (name: string) => (fs.existsSync(onDisk(name)) ? fs.readFileSync(onDisk(name), 'utf8') : '');

test('a level that is lowered in the browser shows at once what a client does', async () => {
  const { page } = await stage.open('/log');
  await connectDevice(stage.server, 'unheard');
  await page.getByLabel('Level', { exact: false }).selectOption({ label: 'Debug' });
  await page.getByRole('button', { name: 'Save' }).click();
  await notice(page, 'Saved').waitFor();
  await tab(page, 'Lines');
  const sensor = await connectDevice(stage.server, 'sensor-7', { username: 'ada', password: 'canary-1' });
  await sensor.publishAsync('room/<b>7</b>', '21.5', { qos: 1 });
  await lines(page).getByText('a client is connected', { exact: true }).first().waitFor();
  await lines(page).getByText('room/<b>7</b>', { exact: true }).waitFor(); // literally, not as markup
  const shown = await lines(page).innerText();
  expect(shown).toContain('clientid=sensor-7');
  expect(shown).toContain('payload=21.5');
  expect(shown).not.toContain('unheard');
  expect(shown).not.toContain('canary');

  await page.getByRole('searchbox', { name: 'Find in lines' }).fill('ROOM/');
  await expect
    .poll(async () => (await lines(page).innerText()).includes('a client is connected'))
    .toBe(false);
  await lines(page).getByText('room/<b>7</b>', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('text')).toBe('ROOM/');
  await page.getByLabel('Level at least').selectOption('error');
  await page.getByText('No line fits').waitFor();
  await page.reload();
  await page.getByText('No line fits').waitFor(); // the address remembers both
});

test('reading stops the following, and following goes on where it stopped', async () => {
  await ask('PUT', '/configs/log', { console: { level: 'debug' } });
  const sensor = await connectDevice(stage.server, 'sensor-8');
  for (let i = 0; i < 60; i += 1) await sensor.publishAsync('room/8', `before ${i}`, { qos: 1 });
  const { page } = await stage.open('/log?tab=lines&text=room/8');
  await lines(page).getByText('before 59', { exact: true }).waitFor();
  const atEnd = () => lines(page).evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight < 2);
  expect(await atEnd()).toBe(true);
  await lines(page).focus();
  await page.keyboard.press('Home');
  await page.getByText('Paused', { exact: false }).waitFor();
  // The browser scrolls in steps: one that is still to come would pause again what the button has started.
  await expect.poll(() => lines(page).evaluate((box) => box.scrollTop)).toBe(0);
  for (let i = 0; i < 5; i += 1) await sensor.publishAsync('room/8', `meanwhile ${i}`, { qos: 1 });
  expect(await lines(page).getByText('meanwhile', { exact: false }).count()).toBe(0);
  await page.getByRole('button', { name: 'Follow' }).click();
  await lines(page).getByText('meanwhile 4', { exact: true }).waitFor();
  expect(await lines(page).getByText('before 59', { exact: true }).count()).toBe(1); // nothing twice
  await expect.poll(atEnd).toBe(true);

  expect(await lines(page).getAttribute('aria-live')).toBe('off');
  await page.getByLabel('Read aloud').check();
  expect(await lines(page).getAttribute('aria-live')).toBe('polite');
  await page.getByLabel('Wrap').check();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the lines' }).click(),
  ]);
  const saved = fs.readFileSync(await file.path(), 'utf8');
  expect(saved).toMatch(
    /^\d{4}-\S+ \[debug\] a message is published clientid=sensor-8 topic=room\/8 qos=1 retain=false payload="before 0"$/m,
  );
  await page.getByRole('button', { name: 'Copy the lines' }).click();
  await notice(page, 'The lines are on the clipboard').waitFor();
});

test('the document never holds more than the last 500 lines', async () => {
  await ask('PUT', '/configs/log', { console: { level: 'debug' } });
  const sensor = await connectDevice(stage.server, 'sensor-9');
  const { page } = await stage.open('/log?tab=lines&text=room/9');
  for (let i = 0; i < 700; i += 1) sensor.publish('room/9', `n${i}`, { qos: 0 });
  await sensor.publishAsync('room/9', 'the last', { qos: 1 });
  await lines(page).getByText('the last', { exact: true }).waitFor();
  await expect.poll(() => lines(page).getByText('a message is published', { exact: true }).count()).toBe(500);
  expect(await page.getByText('500 lines', { exact: false }).isVisible()).toBe(true);
});

test('a file handler is added, writes, is fetched, turned off and removed', async () => {
  const { page } = await stage.open('/log?tab=files');
  await page.getByRole('button', { name: 'Add handler' }).click();
  const drawer = page.getByRole('dialog', { name: 'Add handler' });
  await drawer.getByRole('button', { name: 'Add handler' }).click();
  await drawer.getByText('Name is required').waitFor();
  await drawer.getByRole('textbox', { name: 'Name' }).fill('default');
  await drawer.getByText('There is a handler of this name').waitFor();
  await drawer.getByRole('textbox', { name: 'Name' }).fill('audit');
  await drawer.getByRole('textbox', { name: /^File/ }).fill('../audit.log');
  await drawer.getByRole('textbox', { name: 'Number of files' }).fill('129');
  await drawer.getByRole('button', { name: 'Add handler' }).click();
  await drawer.getByText('Fill in the error: the number range is 1 - 128').waitFor();
  await drawer.getByRole('textbox', { name: 'Number of files' }).fill('5');
  await drawer.getByRole('button', { name: 'Add handler' }).click();
  await drawer.getByText('the file is in the log folder', { exact: false }).nth(1).waitFor(); // the broker’s word
  await drawer.getByRole('textbox', { name: /^File/ }).fill('audit.log');
  await drawer.getByLabel('Level').selectOption({ label: 'Debug' });
  await drawer.getByLabel('Format').selectOption({ label: 'JSON' });
  await drawer.getByRole('button', { name: 'Add handler' }).click();
  await notice(page, 'The handler was added').waitFor();
  await row(page, 'audit').getByText('Debug').waitFor();

  await connectDevice(stage.server, 'audited');
  await expect.poll(() => textOf('audit.log')).toContain('"clientid":"audited"');
  for (const line of textOf('audit.log').trim().split('\n')) JSON.parse(line);
  await page.getByRole('button', { name: 'Reload the list' }).click();
  await row(page, 'audit.log').getByText('Being written').waitFor();
  const [file] = await Promise.all([page.waitForEvent('download'), rowAction(page, 'audit.log', 'Download')]);
  expect(file.suggestedFilename()).toBe('audit.log');
  expect(fs.readFileSync(await file.path(), 'utf8')).toContain('"clientid":"audited"');

  await rowAction(page, 'audit', 'Disable');
  await notice(page, 'The handler writes no more').waitFor();
  await connectDevice(stage.server, 'unaudited');
  await rowAction(page, 'audit', 'Remove');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await notice(page, 'The handler was removed').waitFor();
  const { body } = await ask('GET', '/configs/log');
  expect(Object.keys(body.file!)).toEqual(['default']);
  expect(textOf('audit.log')).not.toContain('unaudited');
});

test('a file that cannot be written is refused beside its field', async () => {
  fs.mkdirSync(onDisk('taken.log'), { recursive: true });
  const { page } = await stage.open('/log?tab=files');
  await rowAction(page, 'default', 'Edit');
  const drawer = page.getByRole('dialog', { name: 'Handler default' });
  await drawer.getByText('Enabled').click();
  await drawer.getByRole('textbox', { name: /^File/ }).fill('taken.log');
  await drawer.getByRole('button', { name: 'Save' }).click();
  await drawer.getByText('the file cannot be written', { exact: false }).waitFor();
  const { body } = await ask('GET', '/configs/log');
  expect((body.file as unknown as typeof DEFAULTS.file).default).toMatchObject({
    enable: false,
    path: '${EMQX_LOG_DIR}/emqx.log',
  });
});

test('the window has its range, said in the language of the page', async () => {
  const { page } = await stage.open('/log?tab=throttling');
  await page.getByRole('textbox', { name: 'Time window' }).fill('0');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Please enter a number greater than or equal 1s').waitFor();
  await page.getByRole('button', { name: '切换为中文' }).click();
  await page.getByText('请输入大于或等于 1s 的数值').waitFor();
  await page.getByRole('textbox', { name: '时间窗口' }).fill('5');
  await page.getByRole('button', { name: '保存', exact: true }).click();
  await page.getByText('已保存').first().waitFor();
  const { body } = await ask('GET', '/configs/log');
  expect(body.throttling).toEqual({ time_window: '5m' });
});

test('another operator’s change of a file stays when the console handler is saved', async () => {
  const { page } = await stage.open('/log');
  await page.getByLabel('Level', { exact: false }).selectOption({ label: 'Error' });
  await ask('PUT', '/configs/log', { file: { default: { rotation_count: 7 } } });
  await page.getByRole('button', { name: 'Save' }).click();
  await notice(page, 'Saved').waitFor();
  const { body } = await ask('GET', '/configs/log');
  expect(body).toMatchObject({ console: { level: 'error' }, file: { default: { rotation_count: 7 } } });
});

describe('in front of a cluster', () => {
  const cluster = setCluster(stage);

  test.each(['json', 'html'] as const)('that hands out no lines (%s) the settings work', async (how) => {
    cluster.absent = ABSENT[how];
    const handler = { enable: true, level: 'warning', formatter: 'text', payload_encode: 'text' };
    const times = { time_offset: 'system', timestamp_format: 'auto' };
    let settings = {
      console: { ...handler, ...times },
      file: {
        default: {
          ...handler,
          ...times,
          path: '/var/log/emqx/emqx.log',
          rotation_count: 10,
          rotation_size: '50MB',
          burst_limit: 'of its own',
        },
      },
      throttling: { time_window: '1m' },
    };
    cluster.on('GET /configs/log', () => ({ body: settings }));
    cluster.on('PUT /configs/log', ({ body }) => {
      settings = { ...settings, ...JSON.parse(body) };
      return { body: settings };
    });
    const { page } = await cluster.open('/log');
    await page.getByLabel('Level', { exact: false }).selectOption({ label: 'Error' });
    await page.getByRole('button', { name: 'Save' }).click();
    await notice(page, 'Saved').waitFor();
    expect(settings.console.level).toBe('error');

    await tab(page, 'Lines');
    await page.getByText(/not available on this broker/i).waitFor();
    await tab(page, 'Files');
    await page.getByText(/not available on this broker/i).waitFor();
    await rowAction(page, 'default', 'Edit');
    const drawer = page.getByRole('dialog', { name: 'Handler default' });
    await drawer.getByRole('textbox', { name: 'Number of files' }).fill('3');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await notice(page, 'The handler was saved').waitFor();
    expect(settings.file.default).toMatchObject({
      path: '/var/log/emqx/emqx.log',
      rotation_count: 3,
      burst_limit: 'of its own',
    });
  });
});
