import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { operatorOf } from './support/api.ts';
import { navigate } from './support/browser.ts';
import { connectDevice, keepDevices } from './support/devices.ts';
import { setStage } from './support/stage.ts';

// Whoever may connect chooses its client id, username, topics and payloads; whoever manages chooses names and notes. All of it
// is text on every screen that shows it.

const MARKUP = `"'><img src=x onerror=alert(1)><svg/onload=alert(2)></script><script>alert(3)</script>`;
/** Of client ids and user names: what a format string, a template or a regular expression would take for its own. */
const FORMAT = '{name} {0} %s $& ${clientid} [a-z]+(';
const REVERSED = 'invoice\u202egnp.exe\u200b';
const LONG = `long-${'x'.repeat(60_000)}`;
const ids = [MARKUP, FORMAT, REVERSED, LONG];
/** In topics `+` and `#` mean something else. */
const topicOf = (id: string) => `room/${id.replace(/[+#]/g, '')}`;

const stage = setStage();

beforeAll(async () => {
  const call = await operatorOf(stage.server);
  await call('POST', '/rules', {
    id: 'hostile',
    sql: `SELECT * FROM "${topicOf(MARKUP).replaceAll('"', '')}"`,
    description: MARKUP,
    actions: [{ function: 'console' }],
  });
  await call('POST', '/bridges', {
    type: 'mqtt',
    name: 'hostile',
    server: '127.0.0.1:1',
    enable: false,
    description: MARKUP,
    egress: { remote: { topic: topicOf(MARKUP) } },
  });
  await call('POST', '/banned', { as: 'username', who: `no ${MARKUP}`, by: MARKUP, reason: MARKUP });
  await call('POST', '/api_key', { name: 'hostile', desc: MARKUP, enable: true });
  await call('POST', '/users', {
    username: 'hostile',
    password: 'not-public-1',
    description: MARKUP,
  });
  await call('POST', '/mqtt/topic_metrics', { topic: topicOf(MARKUP) });
  await call('POST', '/trace', { name: 'hostile', type: 'clientid', clientid: MARKUP });
  for (const id of ids) {
    const device = await connectDevice(stage.server, id, {
      version: 5,
      username: id.slice(0, 1_000),
      will: { topic: topicOf(id).slice(0, 500), payload: Buffer.from(MARKUP), qos: 0, retain: false },
    });
    const topic = topicOf(id).slice(0, 60_000);
    await device.subscribeAsync(topic, { qos: 1 });
    await device.publishAsync(topic, MARKUP, { qos: 1, retain: true });
    await device.publishAsync(`$delayed/3600/${topic}`, MARKUP, { qos: 1 });
  }
  keepDevices();
}, 60_000);

/** Everything that markup would have become. */
const MADE_OF_MARKUP = 'img[src="x"], svg[onload], main script';

async function expectText(page: Page, path: string): Promise<void> {
  await navigate(page, '/help');
  await page.locator('main a[href$="api-docs"]').waitFor();
  await navigate(page, path);
  const text = () => page.locator('main').innerText();
  await expect.poll(text, { message: path, timeout: 15_000 }).toContain('onerror=alert(1)');
  expect(await page.locator(MADE_OF_MARKUP).count(), path).toBe(0);
  expect(await page.title(), path).not.toContain('undefined');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    const [whole, hidden] = await page.evaluate(() => {
      const main = document.querySelector('main')!;
      return [document.documentElement.scrollWidth, main.scrollWidth - main.clientWidth];
    });
    expect.soft(whole, `${path} at ${width} px is wider than the screen`).toBeLessThanOrEqual(width);
    expect.soft(hidden, `${path} at ${width} px has a part outside the screen`).toBe(0);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

const segment = encodeURIComponent(MARKUP);

test('markup in any name, note, topic or payload stays text, on every screen that shows it', async () => {
  const { page } = await stage.open('/help');
  page.on('dialog', (dialog) => {
    throw new Error(`a script ran: ${dialog.message()}`);
  });
  for (const path of [
    '/connections',
    `/connections/detail/${segment}`,
    `/connections/detail/${segment}?tab=timeline`,
    '/subscriptions/subscription',
    '/subscriptions/topics',
    '/retained',
    `/retained?message=${encodeURIComponent(topicOf(MARKUP))}`,
    '/blacklist',
    '/users',
    '/APIKey',
    '/rules',
    '/rules/detail/hostile/info',
    '/topic-metrics',
    '/log-trace',
    '/mqtt/extension?tab=delayed-messages',
    `/topics?topic=${encodeURIComponent(topicOf(MARKUP))}`,
    '/audit',
    '/flow',
  ])
    await expectText(page, path);
});

test('a client id of 60,000 characters, one that turns the direction of writing, and one full of placeholders have their page', async () => {
  const { page } = await stage.open('/connections');
  for (const [id, shown] of [
    [FORMAT, FORMAT],
    [REVERSED, 'invoice\\u202egnp.exe\\u200b'],
    [LONG, LONG.slice(0, 100)],
  ] as const) {
    await navigate(page, `/connections/detail/${encodeURIComponent(id)}`);
    await page.getByRole('heading', { level: 1 }).getByText(shown, { exact: false }).first().waitFor();
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 844 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    }
  }
});
