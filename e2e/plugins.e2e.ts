import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { IPublishPacket } from 'mqtt';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const root = fileURLToPath(new URL('..', import.meta.url));

/** Builds and packs a plugin of the repository by the command that its authors use. */
async function pack(folder: string): Promise<Buffer> {
  const { stdout } = await promisify(execFile)('node', ['scripts/plugin.mjs', 'pack', folder], {
    cwd: root,
    env: { ...process.env, INIT_CWD: root },
  });
  return readFile(path.join(root, stdout.split(' · ')[0]!));
}

let doorman: Buffer;
let template: Buffer;
beforeAll(async () => {
  [doorman, template] = await Promise.all([
    pack('examples/plugins/doorman'),
    pack('examples/plugins/template'),
  ]);
});

const row = (page: Page, id: string) => page.locator(`[data-row="${id}"]`);
const ids = (page: Page) =>
  page.locator('[data-row]').evaluateAll((rows) => rows.map((one) => (one as HTMLElement).dataset.row));
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** What a file manager does when it lets a file go over the page. */
async function drop(page: Page, name: string, content: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ([filename, base64]) => {
      const bytes = Uint8Array.from(atob(base64!), (letter) => letter.charCodeAt(0));
      const data = new DataTransfer();
      data.items.add(new File([bytes], filename!, { type: 'application/gzip' }));
      return data;
    },
    [name, content.toString('base64')],
  );
  const zone = page.locator('label:has(input[type=file])');
  for (const event of ['dragenter', 'dragover', 'drop'])
    await zone.dispatchEvent(event, { dataTransfer: transfer });
}

async function install(page: Page, name: string, content: Buffer): Promise<void> {
  await drop(page, name, content);
  await page.getByText(name).waitFor();
  await button(page, 'Install').click();
}

test('a plugin is installed by drag and drop, changes messages, is configured, stopped and uninstalled', async () => {
  const opened = await stage.open('/plugins');
  const { page } = opened;
  await page.getByText('No plugin is installed').waitFor();
  await opened.expectAccessible();
  await button(page, 'Install plugin').click();
  await page.getByText('A plugin is other people’s code.').waitFor();
  await install(page, 'doorman-1.0.0.tar.gz', doorman);
  await page.getByText('doorman-1.0.0 is installed').waitFor();
  await page.getByRole('heading', { level: 1, name: 'doorman-1.0.0' }).waitFor();
  await page.getByRole('heading', { level: 3, name: 'Doorman' }).waitFor();

  const heard: IPublishPacket[] = [];
  const device = await connectDevice(stage.server, 'gate', {
    version: 5,
    onMessage: (_topic, _payload, packet) => heard.push(packet),
  });
  await device.subscribeAsync('room/#');
  const says = async (payload: string) => {
    await device.publishAsync('room/1', payload, { qos: 1 });
    await expect.poll(() => heard.map((one) => one.payload.toString())).toContain(payload);
    return heard.find((one) => one.payload.toString() === payload)!.properties?.userProperties;
  };
  expect(await says('before')).toBeUndefined();

  await button(page, 'Start').click();
  await page.getByText('doorman-1.0.0 is running').waitFor();
  expect(await says('while it runs')).toEqual({ 'seen-by': 'doorman' });
  await expect(device.publishAsync('private/x', 'x', { qos: 1 })).rejects.toThrow(/Not authorized/i);

  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('textbox', { name: 'Stamp' }).fill('eva');
  await page.getByRole('textbox', { name: 'Publish it every so many seconds' }).fill('0');
  await button(page, 'Save').click();
  await page.getByText(/the number range is 1 - 3600/i).waitFor();
  await page.getByRole('textbox', { name: 'Publish it every so many seconds' }).fill('1');
  await button(page, 'Save').click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await says('configured')).toEqual({ 'seen-by': 'eva' });
  const count = new Promise<number>((resolve) =>
    device.on('message', (topic, payload) => topic === 'doorman/count' && resolve(Number(payload))),
  );
  await device.subscribeAsync('doorman/count');
  expect(await count).toBeGreaterThan(0);

  await button(page, 'Stop').click();
  await page.getByText('doorman-1.0.0 is stopped').waitFor();
  expect(await says('afterwards')).toBeUndefined();
  await device.publishAsync('private/x', 'x', { qos: 1 });

  await button(page, 'Uninstall').click();
  const dialog = page.getByRole('dialog', { name: 'Uninstall doorman-1.0.0?' });
  await dialog.getByRole('button', { name: 'Uninstall' }).click();
  await page.getByText('doorman-1.0.0 is uninstalled').waitFor();
  await page.getByText('No plugin is installed').waitFor();
  await opened.goto('/plugins/detail/doorman-1.0.0');
  await page.getByText('There is no plugin doorman-1.0.0').waitFor();
});

test('the list is searched, narrowed to those that run, and put into another order', async () => {
  const opened = await stage.open('/plugins/install');
  const { page } = opened;
  await install(page, 'doorman-1.0.0.tar.gz', doorman);
  await page.getByText('doorman-1.0.0 is installed').waitFor();
  await opened.goto('/plugins/install');
  await install(page, 'my_plugin-0.1.0.tar.gz', template);
  await page.getByText('my_plugin-0.1.0 is installed').waitFor();
  await opened.goto('/plugins');
  await row(page, 'my_plugin-0.1.0').waitFor();
  expect(await ids(page)).toEqual(['doorman-1.0.0', 'my_plugin-0.1.0']);
  await button(page, 'Start my_plugin-0.1.0').click();
  await row(page, 'my_plugin-0.1.0').getByText('Running').waitFor();

  await button(page, 'Actions for my_plugin-0.1.0').click();
  await page.getByRole('menuitem', { name: 'Move to top' }).click();
  await expect.poll(() => ids(page)).toEqual(['my_plugin-0.1.0', 'doorman-1.0.0']);
  await page.reload();
  await row(page, 'doorman-1.0.0').waitFor();
  expect(await ids(page)).toEqual(['my_plugin-0.1.0', 'doorman-1.0.0']);

  await page.getByText('Stopped (1)').click();
  await expect.poll(() => ids(page)).toEqual(['doorman-1.0.0']);
  await page.getByText('Running (1)').click();
  await expect.poll(() => ids(page)).toEqual(['my_plugin-0.1.0']);
  expect(new URL(page.url()).search).toBe('?show=running');
  await button(page, 'Actions for my_plugin-0.1.0').click();
  expect(await page.getByRole('menuitem', { name: 'Move to top' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await page.keyboard.press('Escape');
  await page.getByText('All (2)').click();
  await page.getByLabel('Name').fill('door');
  await expect.poll(() => ids(page)).toEqual(['doorman-1.0.0']);
});

test('another version takes the place of the one that is installed when the operator says so', async () => {
  const opened = await stage.open('/plugins/install');
  const { page } = opened;
  await install(page, 'my_plugin-0.1.0.tar.gz', template);
  await page.getByText('my_plugin-0.1.0 is installed already').waitFor();
  // The same archive by another name: what is inside does not fit.
  await install(page, 'my_plugin-0.2.0.tar.gz', template);
  await page.getByText('There is one version of a plugin at a time.').waitFor();
  await button(page, 'Replace').click();
  const dialog = page.getByRole('dialog', { name: 'Replace my_plugin-0.1.0 by my_plugin-0.2.0?' });
  await dialog.getByRole('button', { name: 'Replace' }).click();
  await page
    .getByText(/cannot be installed: The folder in the archive must be named my_plugin-0.2.0/)
    .waitFor();
  await opened.goto('/plugins');
  await row(page, 'my_plugin-0.1.0').getByText('Running').waitFor();
});

test('what is no package is refused in words', async () => {
  const { page, goto } = await stage.open('/plugins/install');
  await button(page, 'Install').click();
  await page.getByRole('alert').getByText('Choose a package first').waitFor();
  for (const [name, content, words] of [
    ['notes.zip', doorman, 'The file must end with .tar.gz'],
    ['<img src=x onerror=alert(1)>.tar.gz', doorman, 'must be named name-version.tar.gz'],
    ['evil-1.0.0.tar.gz', Buffer.from('no archive'), 'The file is no gzip archive'],
    ['evil-1.0.0.tar.gz', gzipSync(Buffer.alloc(1024)), 'The package has no release.json'],
  ] as const) {
    await drop(page, name, content);
    if (name.startsWith('evil')) await button(page, 'Install').click();
    await page.getByRole('alert').getByText(words).waitFor();
  }
  await goto('/plugins');
  await row(page, 'doorman-1.0.0').waitFor();
  expect(await ids(page)).not.toContain('evil-1.0.0');
});

test('a large package on a slow line tells how far it has come, and can be cancelled', async () => {
  const opened = await stage.open('/plugins/install', { fresh: true });
  const { page } = opened;
  await drop(page, 'evil-1.0.0.tar.gz', Buffer.alloc(4 * 1024 * 1024));
  await page.getByText('evil-1.0.0.tar.gz').waitFor();
  const line = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 512 * 1024 };
  await line.send('Network.emulateNetworkConditions', slow);
  await button(page, 'Install').click();
  const bar = page.getByRole('progressbar', { name: 'Uploading evil-1.0.0.tar.gz' });
  await expect.poll(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
  expect(await bar.getAttribute('aria-valuetext')).toMatch(/^[\d.]+% · .* of 4 MB$/);
  await opened.expectAccessible();
  await button(page, 'Cancel').click();
  await bar.waitFor({ state: 'detached' });
  expect(await page.getByRole('alert').count()).toBe(0);
  await line.send('Network.emulateNetworkConditions', { ...slow, uploadThroughput: -1 });
  await button(page, 'Install').click();
  await page.getByRole('alert').getByText('The file is no gzip archive').waitFor();
});
