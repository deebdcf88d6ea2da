import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const row = (page: Page, name: string) => page.locator(`[data-row="${name}"]`);

/** One call with an API key, past the console. */
async function withKey(key: string, secret: string, path: string, method = 'GET') {
  const answer = await fetch(`http://127.0.0.1:${stage.server.ports.http}/api/v5${path}`, {
    method,
    headers: { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` },
  });
  const text = await answer.text();
  return { status: answer.status, code: text === '' ? undefined : JSON.parse(text).code };
}

/** Makes a key in the drawer and reads key and secret from the one dialog that shows them. */
async function create(page: Page, name: string, note = ''): Promise<{ key: string; secret: string }> {
  await page.getByRole('button', { name: 'Create API key' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).fill(name);
  await form.getByRole('textbox', { name: 'Note' }).fill(note);
  await form.getByRole('button', { name: 'Create API key' }).click();
  const shown = page.getByRole('dialog', { name: `Secret of ${name}` });
  await shown.locator('code').first().waitFor();
  const [key = '', secret = '', line = ''] = await shown.locator('code').allTextContents();
  expect(line).toBe(`curl -u ${key}:${secret} ${stage.server.url}/api/v5/nodes`);
  return { key, secret };
}

async function stored(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'I have stored the secret' }).check();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** All that the browser keeps for this origin, as text. */
const kept = (page: Page) =>
  page.evaluate(async () => {
    const parts = [
      JSON.stringify({ ...localStorage }),
      JSON.stringify({ ...sessionStorage }),
      document.cookie,
    ];
    for (const { name } of await indexedDB.databases()) {
      const open = indexedDB.open(name!);
      await new Promise((resolve, reject) => {
        open.onsuccess = resolve;
        open.onerror = reject;
      });
      for (const store of open.result.objectStoreNames) {
        const all = open.result.transaction(store).objectStore(store).getAll();
        await new Promise((resolve) => {
          all.onsuccess = resolve;
        });
        parts.push(JSON.stringify(all.result));
      }
      open.result.close();
    }
    return parts.join('\n');
  });

test('a key made here works on the API, not on users and keys, and not once it is disabled or over', async () => {
  const { page } = await stage.open('/APIKey');
  await page.getByText('There are no API keys.').waitFor();
  const { key, secret } = await create(page, 'scraper', '<b>metrics</b>');
  expect(key).toMatch(/^[0-9a-f]{16}$/);
  expect(secret).toMatch(/^[A-Za-z0-9]{44}$/);
  await stored(page);
  await row(page, 'scraper').getByText('<b>metrics</b>').waitFor();

  expect((await withKey(key, secret, '/nodes')).status).toBe(200);
  for (const path of ['/users', '/api_key', '/api_key/scraper'])
    expect(await withKey(key, secret, path), path).toEqual({ status: 401, code: 'API_KEY_NOT_ALLOW' });
  expect(await withKey('admin', 'public', '/nodes')).toEqual({ status: 401, code: 'BAD_API_KEY_OR_SECRET' });

  const enable = page.getByRole('switch', { name: 'Enable scraper' });
  await enable.click({ force: true });
  await page.getByText(`Every program that uses the key ${key}`).waitFor();
  await page.getByRole('button', { name: 'Disable', exact: true }).click();
  await row(page, 'scraper').getByText('Disabled').waitFor();
  expect(await withKey(key, secret, '/nodes')).toEqual({ status: 401, code: 'BAD_API_KEY_OR_SECRET' });
  await expect.poll(() => enable.getAttribute('aria-busy')).toBeNull(); // until then it takes no other wish
  await enable.press('Space');
  await row(page, 'scraper').locator('[data-tone=good]').waitFor();
  expect((await withKey(key, secret, '/nodes')).status).toBe(200);

  // The form sets no time that is over in a moment, so the API sets it.
  const token = await tokenOf(stage.server);
  const expired_at = Math.floor(Date.now() / 1000) + 2;
  expect(
    (await callApi(stage.server, 'PUT', '/api_key/scraper', { token, body: { expired_at } })).status,
  ).toBe(200);
  await expect
    .poll(() => withKey(key, secret, '/nodes'))
    .toEqual({ status: 401, code: 'BAD_API_KEY_OR_SECRET' });
  await page.reload();
  await row(page, 'scraper').getByText('Expired').waitFor();

  await page.getByRole('button', { name: 'Actions for scraper' }).click();
  await page.getByRole('menuitem', { name: 'Edit' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Expiry time').fill('2020-05-05T10:00');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('Expiry time cannot be earlier than now').waitFor();
  await form.getByLabel(/^Expires/).selectOption({ label: 'in 30 days' });
  await form.getByRole('button', { name: 'Save' }).click();
  await row(page, 'scraper').locator('[data-tone=good]').waitFor();
  expect((await withKey(key, secret, '/nodes')).status).toBe(200);

  await page.getByRole('button', { name: 'Actions for scraper' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByText('Delete the API key scraper?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('There are no API keys.').waitFor();
  expect(await withKey(key, secret, '/nodes')).toEqual({ status: 401, code: 'BAD_API_KEY_OR_SECRET' });
});

test('the secret stays until it is stored, and appears nowhere again', async () => {
  const opened = await stage.open('/APIKey');
  const { page } = opened;
  const answers: Promise<string>[] = [];
  const { secret } = await create(page, 'once');
  page.on('response', (response) => {
    if (response.url().includes('/api/v5/')) answers.push(response.text());
  });

  const shown = page.getByRole('dialog', { name: 'Secret of once' });
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await page.getByRole('button', { name: 'Done' }).isDisabled()).toBe(true);
  await shown.getByText(secret, { exact: true }).waitFor();
  await stored(page);

  await page.getByRole('button', { name: 'once', exact: true }).click();
  const view = page.getByRole('dialog', { name: 'once' });
  await view.getByText('The secret was shown when the key was created.').waitFor();
  expect(new URL(page.url()).searchParams.get('key')).toBe('once');
  expect(await page.content()).not.toContain(secret);
  await page.reload();
  await view.getByText('The secret was shown when the key was created.').waitFor();
  await page.keyboard.press('Escape');
  await view.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(secret);
  expect(await kept(page)).not.toContain(secret);
  expect(answers.length).toBeGreaterThan(0);
  for (const text of await Promise.all(answers)) expect(text).not.toContain(secret);
});

test('keys are found by their state and by any text', async () => {
  const token = await tokenOf(stage.server);
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  for (const body of [
    { name: 'find_soon', desc: '', enable: true, expired_at: soon },
    { name: 'find_off', desc: '', enable: false },
  ])
    await callApi(stage.server, 'POST', '/api_key', { token, body });
  const { page } = await stage.open('/APIKey');
  await row(page, 'find_soon').getByText('Expires soon').waitFor();
  await page.getByRole('combobox', { name: 'State' }).selectOption({ label: 'Disabled' });
  await row(page, 'find_soon').waitFor({ state: 'detached' });
  await row(page, 'find_off').waitFor();
});

test('at 390 pixels and by keyboard alone a key is made', async () => {
  const { page } = await stage.open('/APIKey', { width: 390, height: 844 });
  const button = page.getByRole('button', { name: 'Create API key' });
  await button.focus();
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Name' }).focus();
  await page.keyboard.type('pocket');
  await page.keyboard.press('Enter');
  const box = page.getByRole('checkbox', { name: 'I have stored the secret' });
  await box.focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await row(page, 'pocket').waitFor();
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  expect(wide).toBe(false);
});
