import type { MqttClient } from 'mqtt';
import { callApi, tokenOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

let pump: MqttClient;

export const topicExplorer: FeatureViews = {
  feature: 'topic-explorer',
  async prepare(server) {
    pump = await connectDevice(server, 'pump');
    await callApi(server, 'DELETE', '/topic_explorer', { token: await tokenOf(server) });
    return undefined;
  },
  views: [
    {
      name: 'no message yet',
      path: '/topics',
      show: ({ page, say }) => page.getByText(say('Waiting for messages', '等待消息')).waitFor(),
    },
    {
      name: 'the values of a topic, and what changed',
      path: '/topics?topic=a/b',
      async show({ page, say }) {
        await page
          .getByText(say('Its values appear with the next message.', '收到下一条消息后将显示其值。'))
          .waitFor();
        for (const x of [1, 2, 3]) await pump.publishAsync('a/b', `{"x":${x}}`, { qos: 1 });
        await page.getByRole('treeitem').first().waitFor();
        const history = page.getByRole('region', { name: say('Last values', '最近的值') });
        for (const x of [1, 2])
          await history
            .getByRole('row')
            .filter({ hasText: `"x":${x}` })
            .getByRole('checkbox')
            .check();
        await page.getByRole('row', { name: /x 1 2/ }).waitFor();
      },
    },
  ],
};
