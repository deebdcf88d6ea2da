import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { connectDevice } from './support/devices.ts';
import { startServer } from './support/server.ts';
import { setStage } from './support/stage.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'mqdeck-license-'));
const issuer = generateKeyPairSync('ed25519');
const issuerFile = path.join(folder, 'issuer.pem');
writeFileSync(issuerFile, issuer.publicKey.export({ type: 'spki', format: 'pem' }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stage = setStage({ args: ['--edition', 'enterprise', '--license-issuer', issuerFile] });

const day = (fromNow: number) => new Date(Date.now() + fromNow * 86_400_000).toISOString().slice(0, 10);
const terms = {
  customer: 'Water <b>works</b>',
  email: 'ops@waterworks.example',
  start_at: day(-1),
  expiry_at: day(300),
  max_connections: 2,
  type: 'official',
};
function signed(content: object): string {
  const bytes = Buffer.from(JSON.stringify(content));
  return `${bytes.toString('base64url')}.${sign(null, bytes, issuer.privateKey).toString('base64url')}`;
}

test('a trial says so once, and not again when that is wished for', async () => {
  const opened = await stage.open('/users');
  const { page } = opened;
  expect(await page.evaluate(() => localStorage.getItem('edition'))).toBe('1');
  const notice = page.getByRole('dialog', { name: `This is a trial until ${day(365)}` });
  await notice.getByText('It allows 1,000 clients at a time.', { exact: false }).waitFor();
  await opened.expectAccessible();
  await notice.getByRole('button', { name: 'Close' }).last().click();
  await expect.poll(() => notice.count()).toBe(0);
  await page.reload();
  await notice.getByRole('checkbox', { name: "Don't show again" }).check();
  await notice.getByRole('button', { name: 'Close' }).last().click();
  const asked = page.waitForResponse((response) => response.url().endsWith('/api/v5/license'));
  await page.reload();
  await (await asked).finished();
  await page.locator('[data-row=admin]').waitFor();
  expect(await notice.count()).toBe(0);
});

test('the card on the overview shows the license, which is updated there and holds clients at once', async () => {
  const opened = await stage.open('/dashboard/overview');
  const { page } = opened;
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  const card = page.locator('section', { has: page.getByRole('heading', { name: 'License', exact: true }) });
  await card.getByText('Evaluation').waitFor();
  await card.getByText('Trial', { exact: true }).waitFor();

  await card.getByRole('button', { name: 'Update license' }).click();
  const dialog = page.getByRole('dialog', { name: 'Update license' });
  await dialog.getByRole('button', { name: 'Update license' }).click();
  await dialog.getByText('License key is required').waitFor();
  await dialog.getByRole('textbox', { name: 'License key' }).fill('nonsense');
  await dialog.getByRole('button', { name: 'Update license' }).click();
  await dialog.getByText('This is no license', { exact: false }).waitFor();
  await opened.expectAccessible();
  await dialog.getByRole('textbox', { name: 'License key' }).fill(signed(terms));
  await dialog.getByRole('button', { name: 'Update license' }).click();
  await card.getByText('Water <b>works</b>').waitFor();
  for (const text of ['ops@waterworks.example', terms.start_at, terms.expiry_at])
    await card.getByText(text).waitFor();
  expect(await card.getByText('Trial', { exact: true }).count()).toBe(0);

  await connectDevice(stage.server, 'a');
  await connectDevice(stage.server, 'b');
  await expect(connectDevice(stage.server, 'c', { version: 5 })).rejects.toThrow(/quota/i);
  await page.reload();
  await card.getByText('2 of 2', { exact: false }).first().waitFor();
});

test('the open source edition has neither card nor notice', async () => {
  const other = await startServer();
  try {
    const { page } = await stage.openAt(other, '/dashboard/overview');
    expect(await page.evaluate(() => localStorage.getItem('edition'))).toBe('2');
    await page.getByRole('heading', { name: 'Nodes', exact: true }).first().waitFor();
    await page.locator('canvas').first().waitFor();
    expect(await page.getByRole('heading', { name: 'License', exact: true }).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.close(); // whatever it still asks for
  } finally {
    await other.stop();
  }
});
