import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openConsole, policyViolations } from './support/browser.ts';
import { connectDevice, disconnectDevices } from './support/devices.ts';
import { type RunningServer, startServer } from './support/server.ts';

let server: RunningServer;
let browser: Browser;
beforeAll(async () => {
  server = await startServer({ args: ['--allow-host', 'console.test'] });
  browser = await launchBrowser();
  const device = await connectDevice(server, 'plain-device', { version: 5 });
  await device.subscribeAsync('plain/#');
});
afterAll(async () => {
  await disconnectDevices();
  await browser?.close();
  await server?.stop();
});

/** Every screen, and something of its own that is there only when it works. */
const screens: [path: string, shown: RegExp][] = [
  ['/dashboard/overview', /mqdeck@127\.0\.0\.1/],
  ['/dashboard/nodes', /mqdeck@127\.0\.0\.1/],
  ['/dashboard/nodes/mqdeck@127.0.0.1', /Node\.js v\d/],
  ['/dashboard/metrics', /messages\.received/],
  ['/connections', /plain-device/],
  ['/connections/detail/plain-device', /plain\/#/],
  ['/subscriptions/subscription', /plain\/#/],
  ['/subscriptions/topics', /plain\/#/],
  ['/users', /administrator/],
  ['/settings', /English/],
  ['/help', /Ctrl K/],
];

// The looks that the tests of the single screens do not take.
test.each([
  { language: 'en', theme: 'light' },
  { language: 'zh', theme: 'dark' },
] as const)(
  'every screen works on an address that browsers do not trust, in $language, $theme',
  async (look) => {
    const origin = `http://console.test:${server.ports.http}`;
    const opened = await openConsole(browser, server, '/login', { ...look, origin });
    expect(await opened.page.evaluate(() => isSecureContext)).toBe(false);
    for (const [path, shown] of screens) {
      await opened.goto(path);
      await opened.page.locator('main').getByText(shown).first().waitFor();
      expect(await opened.page.evaluate(() => document.documentElement.dataset.theme)).toBe(look.theme);
      await opened.expectAccessible();
    }
    expect(opened.problems).toEqual([]);
    expect(await policyViolations(server)).toBe(0);
    await opened.context.close();
  },
);
