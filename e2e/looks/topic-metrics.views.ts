import { callApi, tokenOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

export const topicMetrics: FeatureViews = {
  feature: 'topic-metrics',
  async prepare(server) {
    const token = await tokenOf(server);
    await callApi(server, 'POST', '/mqtt/topic_metrics', { token, body: { topic: 'a/b' } });
    return () => callApi(server, 'DELETE', '/mqtt/topic_metrics/a%2Fb', { token });
  },
  views: [
    {
      name: 'the list',
      path: '/topic-metrics',
      show: ({ page }) => page.getByRole('row').filter({ hasText: 'a/b' }).waitFor(),
    },
    {
      name: 'a topic',
      path: '/topic-metrics?topic=a%2Fb',
      show: ({ page }) => page.getByRole('dialog').getByRole('table').waitFor(),
    },
  ],
};
