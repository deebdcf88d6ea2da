import { callApi, tokenOf } from '../support/api.ts';
import type { FeatureViews, View, Viewer } from './view.ts';

const ID = 'shown';

async function showTest({ page, say }: Viewer): Promise<void> {
  await page.getByRole('button', { name: say('Run Test', '运行测试') }).click();
  await page.getByText(say('The SQL gives a result', 'SQL 测试成功')).waitFor();
}

const part = (name: string, path: string, text: string): View => ({
  name,
  path: `/rules/detail/${ID}/${path}`,
  async show({ page }) {
    await page.getByRole('tab', { selected: true }).first().waitFor();
    await page.locator('main').getByText(text).first().waitFor();
  },
});

export const rules: FeatureViews = {
  feature: 'rules',
  async prepare(server) {
    const token = await tokenOf(server);
    const actions = [{ function: 'console' }, 'webhook:nowhere'];
    const body = { id: ID, sql: `SELECT * FROM "${ID}/#"`, actions };
    await callApi(server, 'POST', '/rules', { token, body });
    return () => callApi(server, 'DELETE', `/rules/${ID}`, { token });
  },
  views: [
    {
      name: 'the list with a tooltip',
      path: '/rules',
      async show({ page }) {
        await page.locator(`[data-row="${ID}"]`).getByRole('button').first().hover();
        await page.getByRole('tooltip').waitFor();
      },
    },
    { name: 'the form and its test', path: '/rules/create/form?test=on', show: showTest },
    {
      name: 'the functions beside the form',
      path: '/rules/create/form',
      async show({ page, say }) {
        await page.getByRole('tab', { name: say('Functions', '函数') }).click();
        await page.getByRole('tab', { name: say('Functions', '函数'), selected: true }).waitFor();
      },
    },
    {
      name: 'SQL as a form',
      path: '/rules/create/form',
      async show({ page, say }) {
        await page.getByRole('tab', { name: say('Data sources', '数据源') }).click();
        await page.getByText(say('Client connected', '客户端已连接'), { exact: true }).click();
        await page.getByRole('button', { name: say('Write it as a form', '切换到表单模式') }).click();
        await page.getByRole('combobox', { name: say('Data source 1', '数据源 1') }).waitFor();
      },
    },
    {
      name: 'the examples of SQL',
      path: '/rules/create/form',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('SQL examples', 'SQL 示例') }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'the form of an action',
      path: '/rules/create/form',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Add action', '添加动作') }).click();
        await page.getByRole('dialog').getByRole('textbox').first().waitFor();
      },
    },
    part('a rule', 'info', 'SQL'),
    part('the bridges of a rule', 'bridge', 'webhook:nowhere'),
    part('the settings of a rule', 'info?tab=settings', 'SQL'),
  ],
};
