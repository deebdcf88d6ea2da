import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const NOT_AUTHORIZED = 0x87;
const BUILT_IN = 'password_based:built_in_database';
const RULES = `%% The plant's own
{allow, {username, "plant"}, all, ["plant/#"]}.

{deny, {username, "ada"}, publish, ["plant/#"]}.
{allow, all}.`;

const stage = setStage();

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const deciding = (page: Page) => page.locator('li[aria-current=step]');
const verdict = (page: Page) => page.locator('[aria-live=polite]');

describe('of a broker that explains itself', () => {
  let call: Awaited<ReturnType<typeof operatorOf>>;
  beforeAll(async () => {
    call = await operatorOf(stage.server);
    await call('PUT', '/authorization/sources/file', { type: 'file', enable: true, rules: RULES });
    await call('POST', '/authentication', {
      mechanism: 'password_based',
      backend: 'built_in_database',
      user_id_type: 'username',
      password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
    });
    const users = `/authentication/${encodeURIComponent(BUILT_IN)}/users`;
    await call('POST', users, { user_id: 'ada', password: 'right-one-1' });
    await call('POST', users, { user_id: 'boss', password: 'right-one-1', is_superuser: true });
  });

  test('names the rule by which a real client was refused, from its own page and by a link', async () => {
    const device = await connectDevice(stage.server, 'press-7', {
      version: 5,
      username: 'ada',
      password: 'right-one-1',
    });
    const refusal = await device.publishAsync('plant/7/start', 'now', { qos: 1 }).then(
      () => null,
      (error: { code?: number }) => error.code,
    );
    expect(refusal).toBe(NOT_AUTHORIZED);

    const { page, goto } = await stage.open('/connections/detail/press-7');
    await page.getByRole('link', { name: 'Test access' }).click();
    await verdict(page).getByText('Nothing keeps it out', { exact: false }).waitFor();
    expect(await page.getByRole('switch', { name: 'As it is connected now' }).isChecked()).toBe(true);
    await page.getByLabel('Topic', { exact: true }).fill('plant/7/start');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await verdict(page).getByText('Refused', { exact: true }).waitFor();
    await verdict(page).getByText('The client stays connected.', { exact: false }).waitFor();
    await expect.poll(() => deciding(page).count()).toBe(1);
    await deciding(page).getByText('Line 4', { exact: true }).waitFor();
    await deciding(page).getByText('{deny, {username, "ada"}, publish, ["plant/#"]}.').waitFor();

    const address = new URL(page.url());
    expect(address.pathname).toBe('/authorization/test');
    await goto(`${address.pathname}${address.search}`); // what a colleague gets
    await deciding(page).getByText('Line 4', { exact: true }).waitFor();
    expect(await page.getByLabel('Topic', { exact: true }).inputValue()).toBe('plant/7/start');

    await page.getByLabel('Topic', { exact: true }).fill('other/7');
    await page.getByLabel('Topic', { exact: true }).press('Enter');
    await verdict(page).getByText('Allowed', { exact: true }).waitFor();
    await deciding(page).getByText('{allow, all}.').waitFor();
    await page.goBack();
    await verdict(page).getByText('Refused', { exact: true }).waitFor();
    expect(await page.getByLabel('Topic', { exact: true }).inputValue()).toBe('plant/7/start');
    await deciding(page).getByRole('link', { name: 'File' }).click();
    await page.waitForURL((url) => url.pathname === '/authorization/detail/file');
  });

  test('tries a password without leaving it anywhere, and knows a superuser by it', async () => {
    const { page } = await stage.open('/authorization');
    await page.getByRole('link', { name: 'Test access' }).click();
    await page.getByText('Fill in a client ID', { exact: false }).waitFor();
    await page.getByLabel('Client ID').fill('anything');
    await page.getByLabel('Username').fill('boss');
    await page.getByLabel('Topic', { exact: true }).fill('plant/7/start');
    const password = page.getByLabel('Password', { exact: true });
    const test = page.getByRole('button', { name: 'Test', exact: true });
    await password.fill('wrong-one-1');
    await test.click();
    await verdict(page).getByText('An authenticator refuses these credentials.').waitFor();
    await part(page, 'Authentication').getByText('Refuses', { exact: true }).waitFor();
    await part(page, 'Authorization').getByText('The client does not get that far.').waitFor();
    await password.fill('right-one-1');
    await test.click();
    await verdict(page).getByText('A superuser may do everything.').waitFor();
    await part(page, 'Authentication').getByText('Allows', { exact: true }).waitFor();
    expect(page.url()).not.toContain('right-one');
    const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(stored).not.toContain('right-one');
    await page.reload();
    await part(page, 'Authentication').getByText('Not tried: no password was given.').waitFor();
    expect(await password.inputValue()).toBe('');
  });

  test('shows the entry of the blacklist, of a connection that was refused', async () => {
    await call('POST', '/banned', { as: 'clientid', who: 'rogue', reason: 'scanner' });
    await expect(connectDevice(stage.server, 'rogue', { version: 5 })).rejects.toThrow();
    const { page } = await stage.open('/blacklist?tab=refused');
    await page
      .getByRole('button', { name: /^Actions for/ })
      .first()
      .click();
    await page.getByRole('menuitem', { name: 'Test access' }).click();
    await verdict(page).getByText('The blacklist keeps this client out.').waitFor();
    await deciding(page).getByText('scanner').waitFor();
    await deciding(page).getByRole('link', { name: /rogue/ }).click();
    await page.waitForURL((url) => url.pathname === '/blacklist');
    await page.getByRole('link', { name: 'Test access' }).waitFor();
  });

  test('what cannot be asked is said beside the field, or in place of the answer', async () => {
    const { page } = await stage.open('/authorization/test?clientid=ghost&connected=true');
    await page.getByText('No client of this ID is connected').waitFor();
    await page.getByText('As it is connected now', { exact: true }).click();
    await page.getByRole('textbox', { name: 'IP address' }).fill('localhost');
    await page.getByLabel('Topic', { exact: true }).fill('a/+');
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await page.getByText('A topic to publish to has no wildcards').waitFor();
    expect(await page.getByRole('textbox', { name: 'IP address' }).getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('textbox', { name: 'IP address' }).fill('::1');
    await page.getByLabel('Action').selectOption({ label: 'Subscribe' });
    await page.getByRole('button', { name: 'Test', exact: true }).click();
    await verdict(page).getByText('Allowed', { exact: true }).waitFor();
  });
});

describe('of a cluster that does not', () => {
  const cluster = setCluster(stage);
  beforeEach(() => {
    const meta = { page: 1, limit: 1000, count: 1, hasnext: false };
    const entry = { by: 'admin', reason: 'scanner', at: '2026-01-01T00:00:00+00:00', until: 'infinity' };
    cluster.on('GET /banned', () => ({
      body: { data: [{ ...entry, as: 'peerhost_net', who: '10.9.0.0/16' }], meta },
    }));
    cluster.on('GET /authentication', () => ({ body: [{ id: 'jwt', mechanism: 'jwt', enable: true }] }));
    cluster.on('GET /authorization/settings', () => ({
      body: { no_match: 'deny', deny_action: 'disconnect', cache: { enable: true, max_size: 32, ttl: '1m' } },
    }));
    cluster.on('GET /authorization/sources', () => ({
      body: {
        sources: [
          { type: 'file', enable: true, rules: RULES },
          { type: 'mysql', enable: true },
        ],
      },
    }));
  });

  test('it is worked out from what it lists, and what cannot be known is said', async () => {
    const { page, goto } = await cluster.open(
      '/authorization/test?clientid=press-7&username=ada&topic=plant/1',
    );
    await page.getByText('This cluster does not explain its decisions.', { exact: false }).waitFor();
    await verdict(page).getByText('Refused', { exact: true }).waitFor();
    await verdict(page).getByText('The client is disconnected.', { exact: false }).waitFor();
    await deciding(page).getByText('Line 4', { exact: true }).waitFor();
    await deciding(page).getByText('{deny, {username, "ada"}, publish, ["plant/#"]}.').waitFor();
    await part(page, 'Authentication').getByText('Only the cluster can check who connects.').waitFor();

    await goto('/authorization/test?clientid=press-7&peerhost=10.9.3.3&topic=plant/1');
    await verdict(page).getByText('The blacklist keeps this client out.').waitFor();

    cluster.on('GET /authorization/sources', () => ({
      body: {
        sources: [
          { type: 'mysql', enable: true },
          { type: 'file', enable: true, rules: RULES },
        ],
      },
    }));
    await goto('/authorization/test?clientid=press-7&username=ada&topic=plant/1');
    await verdict(page).getByText('Not certain', { exact: true }).waitFor();
    await part(page, 'Authorization').getByText('It asks another system', { exact: false }).waitFor();
    expect(await deciding(page).count()).toBe(0);
  });
});
