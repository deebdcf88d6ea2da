import { callApi, tokenOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

const LONG = 'a-zone-with-a-rather-long-name-of-some-plant-far-away';

export const mqttSettings: FeatureViews = {
  feature: 'mqtt-settings',
  async prepare(server) {
    const token = await tokenOf(server);
    const put = (body: unknown) => callApi(server, 'PUT', '/configs/zones', { token, body });
    const topic = 'a/topic/of/some/length/that/does/not/fit/in/one/line/at/all';
    await put({
      hall: { mqtt: { mqueue_priorities: { 'a/b': 3 } } },
      [LONG]: { mqtt: { mqueue_priorities: { [topic]: 3 } } },
    });
    return () => put({ hall: null, [LONG]: null });
  },
  views: [
    {
      name: 'the general settings',
      path: '/mqtt/general',
      show: ({ page }) => page.getByRole('switch').first().waitFor(),
    },
    {
      name: 'a zone with a wrong value',
      path: '/mqtt/session?zone=hall',
      async show({ page, say }) {
        await page.getByText(say('Own value', '自有值')).waitFor();
        await page.getByRole('textbox', { name: say('Inflight window', '飞行窗口'), exact: true }).fill('0');
        await page.getByRole('button', { name: say('Save', '保存'), exact: true }).click();
        await page
          .getByText(
            say('Fill in the error: the number range is 1 - 65535', '填写错误：数值范围为 1 - 65535'),
          )
          .waitFor();
      },
    },
    {
      name: 'the form of a zone, with an error',
      path: '/mqtt/session?zone=hall',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('New zone', '新建区域') }).click();
        await page.getByRole('dialog').getByRole('textbox').fill('hall');
        await page.getByRole('dialog').getByRole('textbox').press('Enter');
        await page.getByRole('dialog').getByText(say('Zone name already exists', '区域名称已存在')).waitFor();
      },
    },
    {
      name: 'a zone and a topic with long names',
      path: `/mqtt/session?zone=${LONG}`,
      show: ({ page, say }) => page.getByText(say('Own value', '自有值')).waitFor(),
    },
  ],
};
