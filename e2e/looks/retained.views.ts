import { callApi, tokenOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews, Viewer } from './view.ts';

const NARROW = 'look/a/topic/of/some/length/that/does/not/fit/in/one/line';
const payload = ({ page }: Viewer) => page.getByRole('dialog').locator('pre').waitFor();

export const retained: FeatureViews = {
  feature: 'retained',
  async prepare(server) {
    const token = await tokenOf(server);
    const sensor = await connectDevice(server, 'sensor-1', { version: 5, username: 'fleet-a' });
    const messages = { 'look/1': '{"t":21.50}', 'look/2': '{broken', [NARROW]: Buffer.of(0xff, 0, 0x68) };
    for (const [topic, message] of Object.entries(messages))
      await sensor.publishAsync(topic, message, { retain: true, qos: 1 });
    return () => callApi(server, 'DELETE', '/mqtt/retainer/messages', { token });
  },
  views: [
    {
      name: 'the list',
      path: '/retained',
      show: ({ page }) => page.getByRole('link', { name: 'look/1', exact: true }).waitFor(),
    },
    { name: 'a payload that is no JSON', path: '/retained?message=look/2&format=json', show: payload },
    { name: 'a payload in bytes', path: `/retained?message=${NARROW}&format=hex`, show: payload },
    {
      name: 'the form to delete a branch',
      path: '/retained?topic=look/%23',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Delete by topic filter', '按主题过滤器删除') }).click();
        await page.getByRole('dialog').getByRole('listitem').first().waitFor();
      },
    },
    {
      name: 'the settings',
      path: '/mqtt/retainer',
      show: ({ page }) => page.getByRole('switch').first().waitFor(),
    },
  ],
};
