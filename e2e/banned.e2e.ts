import type { Page } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { callApi, tokenOf } from './support/api.ts';
import { setCluster } from './support/cluster.ts';
import { connectDevice, disconnected } from './support/devices.ts';
import { ABSENT } from './support/fake-cluster.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();
const ADMINISTRATIVE_ACTION = 0x98;
const BANNED = 0x8a;

let token: string;
const ask = <T = unknown>(method: string, path: string, body?: unknown) =>
  callApi<T>(stage.server, method, path, { token, ...(body !== undefined && { body }) });

beforeAll(async () => {
  token = await tokenOf(stage.server);
});
beforeEach(async () => {
  await ask('DELETE', '/banned');
  await ask('DELETE', '/refused_connections');
});

/** The code that CONNACK refuses with; 0 = let in. */
async function codeOf(clientid: string, options: Parameters<typeof connectDevice>[2] = {}): Promise<number> {
  try {
    const client = await connectDevice(stage.server, clientid, { version: 5, ...options });
    await client.endAsync(true);
    return 0;
  } catch (error) {
    return (error as { code?: number }).code ?? -1;
  }
}

const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
const dialog = (page: Page) => page.getByRole('dialog');

async function act(page: Page, name: string | RegExp, deed: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('menuitem', { name: deed, exact: true }).click();
}

test('a client is kicked by a ban, refused afterwards, seen among the refused, and let in when it is lifted', async () => {
  const victim = await connectDevice(stage.server, 'pump-1', { version: 5, username: 'fleet' });
  const bystander = await connectDevice(stage.server, 'pump-2', { version: 5 });
  const { page } = await stage.open('/connections/detail/pump-1');
  await page.getByRole('button', { name: 'Ban…' }).click();
  await expect.poll(() => dialog(page).getByLabel('Value').inputValue()).toBe('pump-1');
  await dialog(page).getByText('are disconnected at once').waitFor();
  await dialog(page).getByLabel('Reason').fill('stolen');
  const kicked = disconnected(victim);
  await dialog(page).getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByText('pump-1 is banned').waitFor();
  expect(await kicked).toBe(ADMINISTRATIVE_ACTION);
  expect(bystander.connected).toBe(true);
  await row(page, 'pump-1').getByText('stolen').waitFor();
  await row(page, 'pump-1').getByText('admin').waitFor();
  await row(page, 'pump-1').getByText('never').waitFor();

  expect(await codeOf('pump-1')).toBe(BANNED);
  expect(await codeOf('pump-1', { version: 4 })).toBe(5);
  await page.getByRole('tab', { name: 'Refused connections' }).click();
  const refused = row(page, 'pump-1').first();
  await refused.getByText('clientid pump-1 is banned: stolen').waitFor();
  await refused.getByText('127.0.0.1').waitFor();

  await act(page, /^Actions for .*pump-1/, 'Lift the ban of pump-1');
  await page.getByText('The ban of pump-1 is lifted').waitFor();
  expect(await codeOf('pump-1')).toBe(0);
});

test('a ban lifted by mistake comes back as it was', async () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  await ask('POST', '/banned', { as: 'username', who: 'fleet', reason: 'why', by: 'ops', until });
  const before = (await ask<{ data: unknown }>('GET', '/banned')).body.data;
  const { page } = await stage.open('/blacklist');
  await act(page, /^Actions for .*fleet/, 'Lift ban');
  await row(page, 'fleet').waitFor({ state: 'detached' });
  expect(await codeOf('x', { username: 'fleet' })).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'fleet').waitFor();
  expect((await ask<{ data: unknown }>('GET', '/banned')).body.data).toEqual(before);
  expect(await codeOf('x', { username: 'fleet' })).toBe(BANNED);
});

test('the form says what is missing or wrong, and bans a network for a time', async () => {
  const { page } = await stage.open('/blacklist');
  await page.getByText('Nobody is banned.').waitFor();
  await page.getByRole('button', { name: 'Ban', exact: true }).click();
  const form = dialog(page);
  const send = form.getByRole('button', { name: 'Ban', exact: true });
  await form.getByLabel('Expires', { exact: true }).selectOption({ label: 'At a date and time' });
  await send.click();
  await form.getByText('Please enter Banned value').waitFor();
  await form.getByText('Please enter the expire time').waitFor();
  await form.getByLabel('Date and time').fill('2020-01-01T00:00:00');
  await form.getByText('Expiry time cannot be earlier than now').waitFor();
  await form.getByLabel('Attribute').selectOption('');
  await form.getByLabel('Value').fill('x');
  await form.getByText('Please select property').waitFor();
  await form.getByLabel('Attribute').selectOption({ label: 'IP address' });
  await form.getByText('Not an IP address.').waitFor();
  await form.getByLabel('Attribute').selectOption({ label: 'Network' });
  await form.getByLabel('Value').fill('0.0.0.0/0');
  await form.getByText('nobody could connect any more').waitFor();
  await form.getByLabel('Value').fill('10.9.8.7/16');
  await form.getByRole('button', { name: '7 days' }).click();
  await send.click();
  await row(page, '10.9.0.0/16').getByText('Network').waitFor();
  const { data } = (await ask<{ data: { until: string }[] }>('GET', '/banned')).body;
  const days = (Date.parse(data[0]!.until) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);

  // The same again, and a pattern that cannot be: the broker's words beside the form.
  await page.getByRole('button', { name: 'Ban', exact: true }).click();
  await form.getByLabel('Attribute').selectOption({ label: 'Network' });
  await form.getByLabel('Value').fill('10.9.0.0/16');
  await send.click();
  await form.getByText('This is banned already').waitFor();
  await form.getByLabel('Attribute').selectOption({ label: 'Client ID pattern' });
  await form.getByLabel('Value').fill('(');
  await send.click();
  await form.getByText(/cannot be understood/).waitFor();
});

test('the list is filtered by its address, many bans are lifted together, and all at once', async () => {
  for (let i = 0; i < 5; i++) await ask('POST', '/banned', { as: 'clientid', who: `sensor-${i}` });
  await ask('POST', '/banned', { as: 'peerhost', who: '10.0.0.1' });
  await ask('POST', '/banned', { as: 'clientid_re', who: '^sensor-9' });
  const { page } = await stage.open('/blacklist?like_clientid=sensor');
  await row(page, '^sensor-9').waitFor();
  expect(await row(page, '10.0.0.1').count()).toBe(0);
  await page.getByRole('textbox', { name: 'Client ID contains' }).fill('sensor-1');
  await row(page, 'sensor-2').waitFor({ state: 'detached' });
  await page.waitForURL(/like_clientid=sensor-1/);
  await page.getByRole('button', { name: 'Clear all filters' }).click();
  await row(page, '10.0.0.1').waitFor();
  for (const name of ['sensor-0', 'sensor-1']) await row(page, name).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Lift ban…' }).click();
  await dialog(page).getByText('Lift 2 bans?').waitFor();
  await dialog(page).getByRole('button', { name: 'Lift ban', exact: true }).click();
  await page.getByText('2 bans lifted').waitFor();
  expect(await codeOf('sensor-0')).toBe(0);
  expect(await codeOf('sensor-2')).toBe(BANNED);
  await page.getByRole('button', { name: 'Clear all', exact: true }).click();
  await dialog(page).getByText('5 bans will be lifted').waitFor();
  await dialog(page).getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('Nobody is banned.').waitFor();
  expect(await codeOf('sensor-2')).toBe(0);
});

test('connections are banned from their list, several at once', async () => {
  const clients = await Promise.all(
    ['a-1', 'a-2'].map((id) => connectDevice(stage.server, id, { version: 5 })),
  );
  const { page } = await stage.open('/connections?like_clientid=a-');
  for (const id of ['a-1', 'a-2']) await row(page, id).getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Ban…' }).click();
  await dialog(page).getByText('Ban 2 client IDs for good?').waitFor();
  const gone = clients.map(disconnected);
  await dialog(page).getByRole('button', { name: 'Ban', exact: true }).click();
  await page.getByText('2 clients banned').waitFor();
  expect(await Promise.all(gone)).toEqual([ADMINISTRATIVE_ACTION, ADMINISTRATIVE_ACTION]);
  expect(await codeOf('a-1')).toBe(BANNED);
});

test('a client that comes and goes too often is banned by detection, which is switched on in the browser', async () => {
  const { page } = await stage.open('/blacklist?tab=flapping');
  await page.getByLabel('Disconnections').fill('3');
  await page.getByRole('switch', { name: 'Detect flapping clients' }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Flapping detection saved').waitFor();
  for (let i = 0; i < 3; i++) expect(await codeOf('nervous')).toBe(0);
  await expect.poll(() => codeOf('nervous')).toBe(BANNED);
  await page.getByRole('tab', { name: 'Banned', exact: true }).click();
  await row(page, 'nervous')
    .getByText(/Disconnected 3 times within 1m/)
    .waitFor();
  await row(page, 'nervous').getByText('flapping detector').waitFor();
  const parts = ['mqtt', 'flapping_detect', 'force_shutdown', 'force_gc', 'durable_sessions'];
  await ask('PUT', '/configs/global_zone', Object.fromEntries(parts.map((part) => [part, {}])));
});

describe('in front of a cluster', () => {
  const cluster = setCluster(stage);

  test('that knows no filters and no refused connections the rest works, and it is said', async () => {
    const bans = ['one', 'two'].map((who) => ({
      as: 'clientid',
      who,
      by: 'ops',
      reason: '',
      at: '2026-01-01T00:00:00+00:00',
      until: '2037-01-01T00:00:00+00:00',
    }));
    cluster.on('GET /banned', () => ({ body: { data: bans, meta: { page: 1, limit: 50, count: 2 } } }));
    cluster.absent = ABSENT.html;
    const { page } = await cluster.open('/blacklist?like_clientid=one');
    await page.getByText('This broker does not filter the blacklist').waitFor();
    await row(page, 'two').waitFor();
    await page.getByRole('tab', { name: 'Refused connections' }).click();
    await page.getByText(/not available on this broker/i).waitFor();
  });

  test('flapping detection is saved with all that the zone held beside it', async () => {
    const zone = {
      mqtt: { max_inflight: 32 },
      force_gc: { enable: true },
      flapping_detect: { enable: false, window_time: '1m', max_count: 15, ban_time: '5m' },
    };
    let written: unknown;
    cluster.on('GET /configs/global_zone', () => ({ body: zone }));
    cluster.on('PUT /configs/global_zone', ({ body }) => {
      written = JSON.parse(body);
      return { body: written };
    });
    const { page } = await cluster.open('/blacklist?tab=flapping');
    await page.getByLabel('Disconnections').fill('4');
    zone.mqtt.max_inflight = 64; // somebody else, meanwhile
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Flapping detection saved').waitFor();
    expect(written).toEqual({
      mqtt: { max_inflight: 64 },
      force_gc: { enable: true },
      flapping_detect: { ...zone.flapping_detect, max_count: 4 },
    });
  });
});
