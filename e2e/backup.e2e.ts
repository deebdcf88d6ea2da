import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const cluster = setCluster(stage);

const rows = (page: Page) => page.locator('[data-row]');
const row = (page: Page, name: string) => page.locator(`[data-row="${name}"]`);

async function act(page: Page, name: string, deed: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).click();
  await page.getByRole('menuitem', { name: deed }).click();
}

/** Creates a backup, encrypted unless the passphrase is null; the answer is its name. */
async function create(page: Page, passphrase: string | null = null): Promise<string> {
  const answer = page.waitForResponse((response) => response.url().endsWith('/data/export'));
  await page.getByRole('button', { name: 'Create backup' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create backup' });
  if (passphrase === null) await dialog.getByRole('radio', { name: /^Not encrypted/ }).check();
  else {
    await dialog.getByLabel('Passphrase', { exact: true }).fill(passphrase);
    await dialog.getByLabel('Repeat passphrase').fill(passphrase);
  }
  await dialog.getByRole('button', { name: 'Create backup' }).click();
  const { filename } = (await (await answer).json()) as { filename: string };
  await row(page, filename).waitFor();
  return filename;
}

async function downloaded(page: Page, name: string): Promise<Buffer> {
  const coming = page.waitForEvent('download');
  await act(page, name, 'Download');
  const download = await coming;
  expect(download.suggestedFilename()).toBe(name);
  return readFile(await download.path());
}

const choose = (page: Page, name: string, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/gzip', buffer });

test('a backup made here restores on a second, empty broker, with a preview of what it changes', async () => {
  const { page } = await stage.open('/backup');
  await page.getByText('No backup yet.', { exact: false }).waitFor();
  const device = await connectDevice(stage.server, 'pump');
  await device.publishAsync('plant/line', 'runs', { retain: true, qos: 1 });
  const name = await create(page);
  await page.getByText(`${name} created`).waitFor();
  const archive = await downloaded(page, name);

  const second = await startServer();
  try {
    const there = await stage.openAt(second, '/backup');
    await choose(there.page, name, archive);
    await row(there.page, name).waitFor();
    await act(there.page, name, 'Restore…');
    const dialog = there.page.getByRole('dialog', { name: `Restore ${name}?` });
    const retained = dialog.getByRole('row', { name: /Retained messages/ });
    await retained.getByRole('cell').first().waitFor();
    expect(await retained.getByRole('cell').allTextContents()).toEqual(['1', '0', '0']);
    await dialog.getByRole('button', { name: 'Restore' }).click();
    // The password is the same, its salt is not: the session of before has ended
    await there.page.waitForURL(/\/login/);
    const screen = await connectDevice(second, 'screen');
    const message = new Promise<string>((resolve) =>
      screen.on('message', (topic, payload) => resolve(`${topic} ${payload}`)),
    );
    await screen.subscribeAsync('plant/#');
    expect(await message).toBe('plant/line runs');
  } finally {
    await second.stop();
  }
});

test('a restore over one that has changed since brings back what was; nothing is lost', async () => {
  const { page } = await stage.open('/backup');
  const device = await connectDevice(stage.server, 'pump');
  await device.publishAsync('plant/a', 'then', { retain: true, qos: 1 });
  const name = await create(page);
  await device.publishAsync('plant/a', 'now', { retain: true, qos: 1 });
  await device.publishAsync('plant/b', 'later', { retain: true, qos: 1 });
  await act(page, name, 'Restore…');
  const dialog = page.getByRole('dialog', { name: `Restore ${name}?` });
  const retained = dialog.getByRole('row', { name: /Retained messages/ });
  await retained.getByRole('cell').first().waitFor();
  expect((await retained.getByRole('cell').allTextContents())[1]).toBe('1');
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await page.getByText(`${name} restored`).waitFor();
  const seen = new Map<string, string>();
  const screen = await connectDevice(stage.server, 'screen');
  screen.on('message', (topic, payload) => seen.set(topic, String(payload)));
  await screen.subscribeAsync(['plant/a', 'plant/b']);
  await expect.poll(() => [seen.get('plant/a'), seen.get('plant/b')]).toEqual(['then', 'later']);
});

test('a backup is encrypted unless that is switched off, and restores with its passphrase', async () => {
  const { page, expectAccessible } = await stage.open('/backup');
  await page.getByRole('button', { name: 'Create backup' }).click();
  const asked = page.getByRole('dialog', { name: 'Create backup' });
  const passphrase = asked.getByLabel('Passphrase', { exact: true });
  await passphrase.fill('too short');
  await passphrase.press('Enter');
  await asked.locator('[aria-invalid=true]').waitFor();
  expect(await passphrase.evaluate((field) => field === document.activeElement)).toBe(true);
  await passphrase.fill('correct horse battery');
  await asked.getByLabel('Repeat passphrase').fill('correct horse');
  await asked.getByRole('button', { name: 'Create backup' }).click();
  await asked.getByText('The two passphrases differ').waitFor();
  await expectAccessible();
  await asked.getByRole('button', { name: 'Cancel' }).click();

  const name = await create(page, 'correct horse battery');
  expect(name).toMatch(/\.tar\.gz\.enc$/);
  expect((await downloaded(page, name)).subarray(0, 8).toString()).toBe('MQDECKBK');
  await act(page, name, 'Restore…');
  const dialog = page.getByRole('dialog', { name: `Restore ${name}?` });
  const field = dialog.getByLabel('Passphrase', { exact: true });
  await field.fill('something else');
  await field.press('Enter');
  await dialog.getByText('The passphrase is wrong, or the file is damaged').waitFor();
  await expectAccessible();
  expect(await dialog.getByRole('button', { name: 'Restore', exact: true }).isDisabled()).toBe(true);
  await field.fill('correct horse battery');
  await dialog.getByRole('button', { name: 'Read backup' }).click();
  await dialog.getByText('What will change').waitFor();
  await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText(`${name} restored`).waitFor();
});

test('what is no backup is refused beside the list, and what is too large points to the command line', async () => {
  const { page } = await stage.open('/backup');
  await rows(page).first().waitFor();
  const before = await rows(page).count();
  await choose(page, 'notes.txt', Buffer.from('x'));
  await page.getByText('Upload must match the required extension: .tar.gz or .tar.gz.enc').waitFor();
  await choose(page, 'junk.tar.gz', Buffer.from('junk'));
  await page.getByText(/^Upload Failed: .*no gzip archive/).waitFor();
  const large = path.join(stage.server.dataDir, 'large.tar.gz');
  await writeFile(large, Buffer.alloc(64 * 1024 * 1024 + 1));
  await page.locator('input[type=file]').setInputFiles(large);
  await page
    .getByText('large.tar.gz is too large for an upload. Restore it on the command line', { exact: false })
    .waitFor();
  expect(await rows(page).count()).toBe(before);
});

test('files are sorted, and deleted after a question', async () => {
  const { page } = await stage.open('/backup');
  await rows(page).first().waitFor();
  const first = await create(page);
  const names = async () => rows(page).evaluateAll((all) => all.map((one) => one.getAttribute('data-row')));
  const count = (await names()).length;
  expect(count).toBeGreaterThan(1);
  await page.getByRole('button', { name: 'File name' }).click();
  await expect.poll(names).toEqual([...(await names())].sort());
  await act(page, first, 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  expect((await names()).length).toBe(count);
  await act(page, first, 'Delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => row(page, first).count()).toBe(0);
  await page.getByText(`${first} deleted`).waitFor();
});

test('in front of a cluster that cannot tell beforehand, the dialog says only what it knows', async () => {
  const filename = 'emqx-export-2026-11-21-02-37-11.776.tar.gz';
  const file = {
    filename,
    node: 'emqx@10.0.0.5',
    size: 6423,
    created_at: '2026-11-21T02:37:11+00:00',
    created_at_sec: 1795228631,
  };
  cluster.on('GET /data/files', () => ({
    body: { data: [file], meta: { page: 1, limit: 50, count: 1, hasnext: false } },
  }));
  cluster.on('POST /data/files', () => ({ status: 413, type: 'text/html', body: '<h1>Too Large</h1>' }));
  const bodies: unknown[] = [];
  cluster.on('POST /data/import', ({ body }) => {
    bodies.push(JSON.parse(body));
    return { status: 204 };
  });
  const { page, expectAccessible } = await cluster.open('/backup');
  await act(page, filename, 'Restore…');
  const dialog = page.getByRole('dialog', { name: `Restore ${filename}?` });
  await dialog.getByText('This broker cannot tell beforehand what will change.').waitFor();
  await expectAccessible();
  await dialog.getByRole('button', { name: 'Restore' }).click();
  await page.getByText(`${filename} restored`).waitFor();
  expect(bodies).toEqual([{ filename, node: file.node }]);
  await choose(page, 'big.tar.gz', Buffer.from('x'));
  await page.getByText('big.tar.gz is too large for an upload.', { exact: false }).waitFor();
  await page.getByText('emqx ctl data import', { exact: false }).waitFor();
});
