import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { expectAfterRefresh, LOOKS, type OpenConsole, type OpenOptions } from './support/browser.ts';
import { connectDevice } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const card = (page: Page, name: string) =>
  page
    .getByRole('region', { name: /figures of this moment/i })
    .locator('> div')
    .filter({
      has: page.getByRole('link', { name, exact: true }),
    });
const plot = (page: Page, name: string) => page.getByRole('figure', { name, exact: true }).getByRole('img');
/** The drawing itself, once the library is there and has painted. */
const canvas = (page: Page, name: string) =>
  page.getByRole('figure', { name, exact: true }).locator('canvas');
const painted = (page: Page, name: string): Promise<string> =>
  canvas(page, name).evaluate((element) => (element as HTMLCanvasElement).toDataURL());
const scrolls = (page: Page) =>
  page.locator('main').evaluate((main) => ({
    down: main.scrollHeight - main.clientHeight,
    across: main.scrollWidth - main.clientWidth,
  }));

/** The overview, once its charts have a line. The broker takes a sample every 10 s. */
async function openSampled(options: OpenOptions = {}): Promise<OpenConsole> {
  const call = await operatorOf(stage.server);
  const samples = async () => (await call<unknown[]>('GET', '/monitor?latest=3600')).length;
  await expect.poll(samples, { timeout: 40_000, interval: 500 }).toBeGreaterThanOrEqual(2);
  const opened = await stage.open('/dashboard/overview', options);
  await opened.page.getByRole('figure').getByRole('img', { name: /mean/ }).first().waitFor();
  return opened;
}

test('the figures move when a device connects, subscribes and publishes', async () => {
  const { page } = await stage.open('/dashboard', { clock: true });
  await page.waitForURL('**/dashboard/overview');
  await page.getByText('1 node running, 0 clients, no alarms').waitFor();

  const sensor = await connectDevice(stage.server, 'sensor');
  await sensor.subscribeAsync('room/+');
  const client = page.getByText('1 node running, 1 client, no alarms');
  await expectAfterRefresh(page, () => client.count()).toBe(1);
  await card(page, 'Connections').getByText('1 live').waitFor();
  await card(page, 'Topics').getByText('1', { exact: true }).waitFor();

  // Nothing is cut, the menu open either: the tiles are narrowest then.
  await page.getByRole('button', { name: 'Expand the menu' }).click();
  await page.getByRole('button', { name: 'Collapse the menu' }).waitFor();
  const cut = await page
    .getByRole('region', { name: 'Figures of this moment' })
    .evaluate((it) =>
      [...it.querySelectorAll<HTMLElement>('span, a, div')]
        .filter((part) => part.scrollWidth > part.clientWidth + 1 && part.clientWidth > 0)
        .map((part) => part.textContent),
    );
  expect(cut).toEqual([]);
  // The menu takes a moment to open.
  await expect
    .poll(() => page.getByText('Retained messages').evaluate((it) => it.scrollWidth - it.clientWidth))
    .toBe(0);

  const publishing = setInterval(() => sensor.publish('room/1', '21.5'), 20);
  try {
    const text = (name: string) => card(page, name).textContent();
    await expectAfterRefresh(page, () => text('Messages in')).toMatch(/Messages in[1-9]\d* msg\/s/);
    await expectAfterRefresh(page, () => text('Messages out')).toMatch(/Messages out[1-9]\d* msg\/s/);
    await page.getByRole('heading', { name: 'Top talkers' }).waitFor();
    const talker = page.getByRole('link', { name: 'sensor', exact: true });
    await expectAfterRefresh(page, () => talker.count()).toBe(1);
  } finally {
    clearInterval(publishing);
  }
});

test('range and zoom are in the address, and Back undoes them', async () => {
  const { page } = await openSampled();
  await page.getByRole('radio', { name: '6h' }).check();
  await page.waitForURL('**/overview?range=6h');
  await page.reload();
  expect(await page.getByRole('radio', { name: '6h' }).isChecked()).toBe(true);

  const box = (await canvas(page, 'Messages out').boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.5, box.y + 45, { steps: 4 });
  await page.mouse.move(box.x + box.width * 0.6, box.y + 50, { steps: 4 });
  await page.mouse.up();
  await page.waitForURL(/zoom=\d{10}-\d{10}/);
  const zoom = /zoom=(\d+)-(\d+)/.exec(page.url())!;
  const seconds = Number(zoom[2]) - Number(zoom[1]);
  expect(seconds).toBeGreaterThan(0.1 * 6 * 3600);
  expect(seconds).toBeLessThan(0.4 * 6 * 3600);
  await page.getByRole('button', { name: 'Whole range' }).waitFor();

  await page.goBack();
  await page.waitForURL((url) => !url.search.includes('zoom'));
  await page.getByRole('button', { name: 'Whole range' }).waitFor({ state: 'detached' });

  // The same by keys.
  await plot(page, 'Topics').focus();
  await page.keyboard.press('+');
  await page.waitForURL(/zoom=/);
  await page.keyboard.press('Escape');
  await page.waitForURL((url) => !url.search.includes('zoom'));
});

test('a time from … to … is typed, and what cannot be is said', async () => {
  const { page } = await openSampled();
  await page.getByRole('button', { name: 'From … to …' }).click();
  const form = page.getByRole('form', { name: 'From … to …' });
  const local = (at: number) =>
    page.evaluate((ms) => {
      const date = new Date(ms);
      return new Date(ms - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
    }, at);
  const now = Date.now();
  await form.getByText(/^Times are UTC([+-]\d\d:\d\d)?, as in this browser$/).waitFor();
  const isInvalid = (label: string) => form.getByLabel(label).getAttribute('aria-invalid');
  await form.getByLabel('From').fill(await local(now - 30 * 86_400_000));
  await form.getByRole('alert').getByText('Samples are kept for 7 days').waitFor();
  await form.getByRole('button', { name: 'Show' }).click();
  expect([await isInvalid('From'), await isInvalid('Until')]).toEqual(['true', 'false']);
  await form.getByLabel('From').fill(await local(now + 600_000));
  await form.getByRole('alert').getByText('From lies in the future').waitFor();
  await form.getByLabel('From').fill(await local(now - 600_000));
  await form.getByLabel('Until').fill(await local(now - 1_200_000));
  await form.getByRole('alert').getByText('Until must be at least a minute after From').waitFor();
  expect([await isInvalid('From'), await isInvalid('Until')]).toEqual(['false', 'true']);

  await form.getByLabel('From').fill(await local(now - 5 * 3_600_000));
  await form.getByLabel('Until').fill(await local(now - 2 * 3_600_000));
  await form.getByRole('button', { name: 'Show' }).click();
  await page.waitForURL(/range=6h.*zoom=\d{10}-\d{10}/);
  // Another time is shown than any of these
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Whole range' }).click();
  await expect.poll(() => page.getByRole('radio', { name: '6h' }).isChecked()).toBe(true);
});

test('each line beside that of the period before; the charts stand still when paused', async () => {
  const { page } = await openSampled({ clock: true });
  await page.getByRole('radio', { name: '7d' }).check();
  const compare = page.getByRole('checkbox', { name: 'Compare with the period before' });
  await expect.poll(() => compare.isDisabled()).toBe(true);
  await page.getByText('the period before this one is gone').waitFor();
  await page.getByRole('radio', { name: '1h' }).check();
  await compare.check();
  await page.waitForURL(/compare=1/);
  await expect.poll(() => plot(page, 'Topics').getAttribute('aria-label')).toMatch(/Topics, 1h before: /);
  // The broker has only just begun
  await page.getByText('There are no samples of the period before').waitFor();

  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText(/^Paused at /).waitFor();
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/api/v5/monitor?')) asked.push(request.url());
  });
  const before = await plot(page, 'Messages in').getAttribute('aria-label');
  // The figures above go on; they ask for the last two hours.
  const going = page.waitForResponse((answer) => answer.url().includes('/monitor_current'));
  await page.clock.fastForward(10_000);
  await going;
  expect(await plot(page, 'Messages in').getAttribute('aria-label')).toBe(before);
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText(/^Paused at /).waitFor({ state: 'detached' });
  await expectAfterRefresh(page, () => asked.length).toBeGreaterThan(0);
});

test('an alarm is seen on the charts, in their words and in their tables', async () => {
  const alarm = {
    node: 'mqdeck@127.0.0.1',
    name: 'high_cpu_usage',
    message: '91% cpu usage',
    details: { usage: '91%', high_watermark: 80 },
    duration: 1000,
    activate_at: new Date(Date.now() - 60_000).toISOString(),
  };
  const before = (page: Page) =>
    page.route('**/api/v5/alarms**', async (route) => {
      const active = new URL(route.request().url()).searchParams.get('activated') !== 'false';
      await route.fulfill({
        json: { data: active ? [alarm] : [], meta: { page: 1, limit: 100, count: active ? 1 : 0 } },
      });
    });
  const { page } = await openSampled({ before });
  await page.getByRole('link', { name: '1 alarm in this range' }).waitFor();
  await expect
    .poll(() => plot(page, 'Topics').getAttribute('aria-label'))
    .toMatch(/Alarm The processors are 91% busy; the alarm begins at 80% since/);
  const chart = page.getByRole('figure', { name: 'Topics', exact: true });
  await chart.getByRole('button', { name: 'Show as table: Topics' }).click();
  await chart.getByRole('columnheader', { name: 'Alarms' }).waitFor();
  await chart.getByRole('cell', { name: 'The processors are 91% busy' }).first().waitFor();
});

test('one cursor runs through all charts; a chart is there as a table too, and its lines can be hidden', async () => {
  const { page } = await openSampled();
  const messages = page.getByRole('figure', { name: 'Messages in', exact: true });
  await plot(page, 'Messages in').focus();
  await page.keyboard.press('ArrowLeft');
  await messages.getByText(/(GMT|UTC)/).waitFor();
  await messages.getByText(/^[\d.,]+ msg\/s$/).waitFor();

  const box = (await canvas(page, 'Messages in').boundingBox())!;
  await page.mouse.move(box.x + box.width - 60, box.y + 30);
  await page.mouse.move(box.x + box.width - 48, box.y + 32);
  const cursors = page.locator('.u-cursor-x:not(.u-off)');
  await expect.poll(() => cursors.count()).toBe(6);
  await page.mouse.move(5, 5);

  const chart = page.getByRole('figure', { name: 'Connections', exact: true });
  const sessions = chart.getByRole('button', { name: 'Sessions', exact: true });
  const before = await painted(page, 'Connections');
  await sessions.click();
  expect(await sessions.getAttribute('aria-pressed')).toBe('false');
  await expect.poll(() => painted(page, 'Connections')).not.toBe(before);

  await chart.getByRole('button', { name: 'Show as table: Connections' }).click();
  await chart.getByRole('columnheader', { name: 'Connected now' }).waitFor();
  expect(await chart.getByRole('row').count()).toBeGreaterThan(1);
});

test('a switch of theme and language repaints the charts without a reload', async () => {
  const { page } = await openSampled();
  const dark = await painted(page, 'Topics');
  await page.getByRole('button', { name: 'Switch to the light theme' }).click();
  await expect.poll(() => painted(page, 'Topics')).not.toBe(dark);
  await page.getByRole('button', { name: '切换为中文' }).click();
  await page.getByRole('figure', { name: '主题', exact: true }).locator('canvas').waitFor();
  await page.getByText(/1 个节点运行中/).waitFor();
});

test('resetting monitor data asks first and empties the charts', async () => {
  const { page } = await openSampled();
  await page.getByRole('button', { name: 'More for this page' }).click();
  await page.getByRole('menuitem', { name: 'Reset monitor data' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await plot(page, 'Topics').and(page.locator('[aria-label*="mean"]')).waitFor();

  await page.getByRole('button', { name: 'More for this page' }).click();
  await page.getByRole('menuitem', { name: 'Reset monitor data' }).click();
  const emptied = page.waitForResponse((answer) => answer.request().method() === 'DELETE');
  await page.getByRole('dialog').getByRole('button', { name: 'Reset monitor data' }).click();
  expect((await emptied).status()).toBe(204);
  await page.getByText('Monitor data were reset').waitFor();
});

test('a figure that cannot be had leaves the rest of the page alive, and a retry brings it back', async () => {
  let broken = true;
  const { page } = await stage.open('/dashboard/overview', {
    before: (it) =>
      it.route('**/api/v5/nodes', (route) =>
        broken
          ? route.fulfill({ status: 500, json: { code: 'INTERNAL_ERROR', message: 'x' } })
          : route.continue(),
      ),
  });
  const failed = page.getByRole('alert').filter({ hasText: 'This could not be loaded' });
  await failed.waitFor();
  await card(page, 'Connections').getByText(/live/).waitFor();
  broken = false;
  await failed.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: /^mqdeck@/ }).waitFor();
});

test('where the broker knows no alarms and does not sort, those cards are missing', async () => {
  const sensor = await connectDevice(stage.server, 'chatty');
  await sensor.publishAsync('a', 'b', { qos: 1 });
  let sorted = '';
  const { page } = await stage.open('/dashboard/overview', {
    async before(it) {
      await it.route('**/api/v5/alarms**', (route) => route.fulfill({ status: 404, body: '' }));
      await it.route('**/api/v5/clients?**', async (route) => {
        const url = new URL(route.request().url());
        sorted = url.searchParams.get('sort') ?? sorted;
        url.searchParams.delete('sort');
        url.searchParams.delete('order');
        const answer = await route.fetch({ url: url.href });
        await route.fulfill({ response: answer });
      });
    },
  });
  await expect.poll(() => sorted).not.toBe('');
  await page.getByText(/^1 node running, 1 client$/).waitFor();
  expect(await page.getByRole('heading', { name: 'Alarms' }).count()).toBe(0);
  expect(await page.getByRole('heading', { name: 'Top talkers' }).count()).toBe(0);
});

test('a node is listed, and its page shows facts, watermarks and its own charts', async () => {
  await connectDevice(stage.server, 'sensor');
  const opened = await stage.open('/dashboard/nodes', { clock: true });
  const { page } = opened;
  await page.getByRole('link', { name: /^mqdeck@/ }).click();
  await page.waitForURL('**/dashboard/nodes/mqdeck*');
  await page.getByRole('heading', { name: 'Current and high watermark' }).waitFor();
  const connected = page.getByRole('row', { name: /^Connected now/ }).getByRole('cell');
  await expectAfterRefresh(page, () => connected.first().textContent()).toBe('1');
  await canvas(page, 'Messages in').waitFor();

  await opened.goto('/dashboard/nodes/nobody@nowhere');
  await page.getByText('There is no node nobody@nowhere').waitFor();
  await page.getByRole('link', { name: 'All nodes' }).click();
  await page.getByRole('link', { name: /^mqdeck@/ }).waitFor();
});

test('metrics: groups, search, only non-zero, sorting and rates', async () => {
  const sensor = await connectDevice(stage.server, 'sensor');
  const { page } = await stage.open('/dashboard/metrics', { clock: true });
  const rowOf = (key: string) => page.getByRole('row').filter({ has: page.getByText(key, { exact: true }) });
  await page.getByRole('button', { name: /^All 99$/ }).waitFor();
  await page.getByRole('button', { name: /^Bytes/ }).click();
  await page.waitForURL('**/metrics?group=bytes');
  await expect.poll(() => page.getByRole('table').count()).toBe(1);
  await page.getByRole('button', { name: /^All/ }).click();

  const publishing = setInterval(() => sensor.publish('room/1', '21.5'), 20);
  try {
    await page.getByLabel('Search name or meaning').fill('nobody was subscribed');
    await page.waitForURL(/q=nobody/);
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    const rate = rowOf('messages.dropped.no_subscribers').getByRole('cell').last();
    await expectAfterRefresh(page, () => rate.textContent()).toMatch(/^[1-9]/);
  } finally {
    clearInterval(publishing);
  }
  await page.getByLabel('Search name or meaning').fill('');
  await page.getByLabel('Only non-zero').locator('..').click();
  await page.waitForURL(/nonzero=true/);
  await rowOf('packets.auth.sent').waitFor({ state: 'detached' });
  await rowOf('packets.connect.received').waitFor();

  await page.getByRole('button', { name: 'Value' }).first().click();
  await page.waitForURL(/sort=value/);
  const values = await page.getByRole('table').first().locator('td:nth-child(2)').allTextContents();
  const numbers = values.map((text) => Number(text.replaceAll(',', '')));
  expect(numbers).toEqual([...numbers].sort((a, b) => b - a));

  await page.getByLabel('Search name or meaning').fill('no such thing');
  await page.getByText('No counter matches').waitFor();
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: /^All 99$/ }).waitFor();
});

test.each(LOOKS)('the overview fits a screen of 1440 x 900 in $language', async (look) => {
  const { page } = await stage.open('/dashboard/overview', look);
  await page.locator('canvas').nth(5).waitFor();
  expect(await scrolls(page)).toEqual({ down: 0, across: 0 });
});
