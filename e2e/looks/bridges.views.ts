import { operatorOf } from '../support/api.ts';
import type { FeatureViews, View } from './view.ts';

const detail = (name: string, tab = '') => `/bridge/dataBridge/detail/webhook%3A${name}${tab}`;

/** A form with all of its folds open. */
const form = (type: string): View => ({
  name: `the form of ${type}`,
  path: `/bridge/dataBridge/create?type=${type}&step=2`,
  async show({ page, say }) {
    await page.getByRole('button', { name: say('Test connection', '测试连接') }).waitFor();
    for (const fold of await page.locator('details > summary').all()) await fold.click();
  },
});

export const bridges: FeatureViews = {
  feature: 'bridges',
  async prepare(server) {
    const call = await operatorOf(server);
    const webhook = (name: string, url: string) => call('POST', '/bridges', { type: 'webhook', name, url });
    await webhook('shown', `${server.url}/status`);
    await webhook('down', 'http://127.0.0.1:9/');
    await call('POST', '/rules', { id: 'r1', sql: 'SELECT * FROM "t/#"', actions: ['webhook:shown'] });
    return async () => {
      await call('DELETE', '/rules/r1');
      for (const name of ['shown', 'down']) await call('DELETE', `/bridges/webhook:${name}`);
    };
  },
  views: [
    {
      name: 'the list',
      path: '/bridge/dataBridge',
      show: ({ page, say }) =>
        page.locator('[data-row="webhook:down"]').getByText(say('Disconnected', '已断开')).waitFor(),
    },
    {
      name: 'the types',
      path: '/bridge/dataBridge/create',
      show: ({ page }) => page.getByRole('radio', { name: 'HTTP', exact: true }).waitFor(),
    },
    ...['webhook', 'mqtt', 'kafka', 'kafka_consumer', 'gcp_pubsub', 'mongodb', 'influxdb'].map(form),
    {
      name: 'a bridge that is down',
      path: detail('down'),
      show: ({ page, say }) =>
        page.getByText(say(/^The target cannot be reached/, /^无法连接目标系统/)).waitFor(),
    },
    {
      name: 'the settings of a bridge',
      path: detail('shown', '?tab=settings'),
      show: ({ page, say }) =>
        page.getByRole('button', { name: say('Test connection', '测试连接') }).waitFor(),
    },
  ],
};
