import { callApi, tokenOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews, View, Viewer } from './view.ts';

const view = (name: string, tab: string, show: (viewer: Viewer) => Promise<unknown>): View => ({
  name,
  path: `/mqtt/extension${tab}`,
  show,
});
const row = (text: string) => (viewer: Viewer) =>
  viewer.page.getByRole('row').filter({ hasText: text }).waitFor();
const control = ({ page }: Viewer) => page.getByRole('tabpanel').getByRole('switch').first().waitFor();

export const mqttExtension: FeatureViews = {
  feature: 'mqtt-extension',
  async prepare(server) {
    const token = await tokenOf(server);
    const put = (path: string, body: unknown) => callApi(server, 'PUT', `/mqtt/${path}`, { token, body });
    const sensor = await connectDevice(server, 'sensor');
    await sensor.publishAsync('$delayed/600/later', 'x', { qos: 1 });
    await put('auto_subscribe', [{ topic: 'to/${clientid}' }]);
    await put('topic_rewrite', [
      { action: 'all', source_topic: 'old/#', re: '^old/(.+)$', dest_topic: 'new/$1' },
    ]);
    return async () => {
      await put('auto_subscribe', []);
      await put('topic_rewrite', []);
      // Disabling deletes what waits.
      await put('delayed', { enable: false });
      await put('delayed', { enable: true });
    };
  },
  views: [
    view('the rewriting', '', row('old/#')),
    view('the form of a rewriting', '', async ({ page, say }) => {
      await page.getByRole('button', { name: say('Add rule', '添加规则') }).click();
      await page.getByRole('dialog').getByRole('textbox').first().waitFor();
    }),
    view('the automatic subscriptions', '?tab=auto-subscribe', row('to/${clientid}')),
    view('the delayed publish', '?tab=delayed', control),
    view('the delayed messages', '?tab=delayed-messages', row('later')),
    view('the exclusive subscriptions', '?tab=exclusive', control),
    {
      name: 'the system topics',
      path: '/mqtt/system-topic',
      show: ({ page }) => page.getByRole('switch').first().waitFor(),
    },
  ],
};
