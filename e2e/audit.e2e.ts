import fs from 'node:fs';
import path from 'node:path';
import type { NewApiKey } from '@mqdeck/contract/api-keys';
import { expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import type { OpenConsole } from './support/browser.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

/** What must be read nowhere. */
const CANARY = 'C4nary-of-the-audit-1';

const row = ({ page }: Pick<OpenConsole, 'page'>, text: string) =>
  page.getByRole('row').filter({ hasText: text });

async function madeKey(token: string, name: string): Promise<NewApiKey> {
  const body = { name, desc: '', enable: true };
  return (await callApi<NewApiKey>(stage.server, 'POST', '/api_key', { token, body })).body;
}

/** As a program does, which has a key. */
async function withKey({ api_key, api_secret }: NewApiKey, method: string, at: string, body?: unknown) {
  const answer = await fetch(`http://127.0.0.1:${stage.server.ports.http}/api/v5${at}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${api_key}:${api_secret}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return answer.status;
}

test('who has lowered a limit, and what it was, is found by what is wrong now', async () => {
  const token = await tokenOf(stage.server);
  const key = await madeKey(token, 'night-job');
  // The fault: a program with a key has let tokens live for ten minutes
  expect(await withKey(key, 'PUT', '/configs/dashboard', { token_expired_time: '10m' })).toBe(200);
  await callApi(stage.server, 'PUT', '/slow_subscriptions/settings', { token, body: { top_k_num: 12 } });

  const opened = await stage.open('/audit');
  const { page } = opened;
  await page.getByRole('textbox', { name: 'Operation or name contains' }).fill('dashboard');
  await page.waitForURL(/like_text=dashboard/);
  await row(opened, '/slow_subscriptions/settings').waitFor({ state: 'detached' });
  const found = row(opened, 'PUT /configs/dashboard');
  await found.getByText('60m → 10m', { exact: false }).waitFor();
  await found.getByText(key.api_key).waitFor();
  await found.getByRole('link', { name: 'PUT /configs/dashboard' }).click();

  const drawer = page.getByRole('dialog', { name: 'Audit entry' });
  const change = drawer.getByRole('row').filter({ hasText: 'dashboard › token_expired_time' });
  await change.getByText('changed').waitFor();
  expect(await change.getByRole('cell').allInnerTexts()).toEqual(['60m', '10m']);
  await drawer.getByText('night-job', { exact: true }).waitFor();
  await drawer.getByText(`API key ${key.api_key}`, { exact: true }).waitFor();
  // The address leads a colleague to the same entry
  const link = page.url();
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'detached' });
  await page.goto(link);
  await change.waitFor();
  await drawer.getByRole('link', { name: `All by ${key.api_key}` }).click();
  await page.waitForURL(/source=/);
  await row(opened, 'PUT /configs/dashboard').waitFor();
  await row(opened, 'POST /login').waitFor({ state: 'detached' });
});

test('a loop of wrong passwords stands out, with where it comes from and how often', async () => {
  const body = { username: 'operator', password: CANARY };
  for (let i = 0; i < 4; i++) await callApi(stage.server, 'POST', '/login', { body });
  const opened = await stage.open('/audit?operation_result=failure');
  const { page } = opened;
  const loop = row(opened, 'operator');
  await loop.getByText('Failed · 401').waitFor();
  await loop.getByText('127.0.0.1').waitFor();
  await loop.getByText('4', { exact: true }).waitFor();
  await loop.getByRole('link', { name: 'POST /login' }).click();
  const drawer = page.getByRole('dialog', { name: 'Audit entry' });
  await drawer.getByText('4 times, the last', { exact: false }).waitFor();
  await drawer.getByText('"password": "******"', { exact: false }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Result' }).selectOption('success');
  await loop.waitFor({ state: 'detached' });
});

test('a secret that was changed is told and never shown: on screen, in exports, in the store', async () => {
  const token = await tokenOf(stage.server);
  const user = { username: 'canary', password: CANARY, description: '' };
  await callApi(stage.server, 'POST', '/users', { token, body: user });
  const authenticator = (secret: string) => ({
    mechanism: 'jwt',
    use_jwks: false,
    algorithm: 'hmac-based',
    secret,
    from: 'password',
  });
  const made = await callApi(stage.server, 'POST', '/authentication', { token, body: authenticator(CANARY) });
  expect(made.status).toBe(200);
  await callApi(stage.server, 'PUT', '/authentication/jwt', { token, body: authenticator(`${CANARY}-2`) });

  const opened = await stage.open('/audit?http_method=put&like_text=jwt');
  const { page } = opened;
  await row(opened, 'PUT /authentication/jwt').getByRole('link').click();
  const drawer = page.getByRole('dialog', { name: 'Audit entry' });
  await drawer
    .getByRole('row')
    .filter({ hasText: 'secret' })
    .getByText('A secret, which is not shown')
    .waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await row(opened, 'POST /users').waitFor();
  expect(await page.content()).not.toContain(CANARY);

  for (const [item, name] of [
    ['CSV', /^audit-.*\.csv$/],
    ['JSON', /^audit-.*\.json$/],
  ] as const) {
    await page.getByRole('button', { name: 'Export' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: item }).click(),
    ]);
    expect(file.suggestedFilename()).toMatch(name);
    const text = fs.readFileSync(await file.path(), 'utf8');
    expect(text).toContain('/authentication');
    expect(text).toContain('******');
    expect(text).not.toContain(CANARY);
  }
  await callApi(stage.server, 'DELETE', '/authentication/jwt', { token });
  // What must be known to be used stands in the settings, for the broker alone; the book is in the store
  const store = () => fs.readFileSync(path.join(stage.server.dataDir, 'store', 'data.mdb'));
  await expect.poll(() => store().includes('/authentication/:id')).toBe(true);
  expect(store().includes(CANARY)).toBe(false);
});

test('how much is kept is set here, and that too is recorded', async () => {
  const opened = await stage.open('/audit?tab=settings');
  const { page } = opened;
  const kept = page.getByRole('textbox', { name: 'Entries kept' });
  await kept.fill('9');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('the number range is 10 - 30000', { exact: false }).waitFor();
  await kept.fill('4000');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('region', { name: 'Notices' }).getByText('Saved').waitFor();
  await page.getByRole('tab', { name: 'Entries' }).click();
  await row(opened, 'log › audit › max_filter_size: 5000 → 4000').waitFor();
});

test('what is searched for and not there says so, and leads back', async () => {
  const opened = await stage.open('/audit?like_text=nothing-of-that-name');
  await opened.page.getByRole('button', { name: 'Clear filters' }).click();
  await row(opened, 'The broker started').waitFor();
});
