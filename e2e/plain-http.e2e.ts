import { beforeAll, expect, test } from 'vitest';
import { callApi } from './support/api.ts';
import { navigate } from './support/browser.ts';
import { connectDevice, keepDevices } from './support/devices.ts';
import { setStage } from './support/stage.ts';

const stage = setStage({ args: ['--allow-host', 'console.test'] });

beforeAll(async () => {
  const device = await connectDevice(stage.server, 'plain-device', { version: 5 });
  await device.subscribeAsync('plain/#');
  const token = await stage.token();
  const listeners = [{ type: 'tcp', name: 'default', bind: '127.0.0.1:0' }];
  await callApi(stage.server, 'PUT', '/gateways/stomp', { token, body: { name: 'stomp', listeners } });
  return keepDevices();
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
  ['/gateway', /STOMP/],
  ['/gateway/detail/stomp/connections', /No device is connected|没有设备连接/],
  ['/users', /administrator/],
  ['/settings', /English/],
  ['/help', /Ctrl K/],
];

// The looks that the sweep over all screens does not take.
test.each([
  { language: 'en', theme: 'light' },
  { language: 'zh', theme: 'dark' },
] as const)(
  'every screen works on an address that browsers do not trust, in $language, $theme',
  async (look) => {
    const origin = `http://console.test:${stage.server.ports.http}`;
    const { page, expectAccessible } = await stage.open('/help', { ...look, origin });
    expect(await page.evaluate(() => isSecureContext)).toBe(false);
    for (const [path, shown] of screens) {
      await navigate(page, path);
      await page.locator('main').getByText(shown).first().waitFor();
      expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe(look.theme);
      await expectAccessible();
    }
  },
);
