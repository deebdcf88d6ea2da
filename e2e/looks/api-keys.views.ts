import { operatorOf } from '../support/api.ts';
import type { FeatureViews, Viewer } from './view.ts';

async function openForm({ page, say }: Viewer) {
  await page.getByRole('button', { name: say('Create API key', '创建 API 密钥') }).click();
  await page
    .getByRole('dialog')
    .getByRole('textbox', { name: say('Name', '名称') })
    .waitFor();
}

export const apiKeys: FeatureViews = {
  feature: 'api-keys',
  async prepare(server) {
    const call = await operatorOf(server);
    await call('POST', '/api_key', { name: 'seen', desc: '<b>metrics</b>', enable: true });
    return async () => {
      for (const name of ['seen', 'fresh']) await call('DELETE', `/api_key/${name}`);
    };
  },
  views: [
    {
      name: 'the form with an error beside a field',
      path: '/APIKey',
      async show(viewer) {
        const { page, say } = viewer;
        await openForm(viewer);
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: say('Create API key', '创建 API 密钥') }).click();
        await dialog.getByText(say('Name is required', '请输入名称')).waitFor();
      },
    },
    {
      name: 'the secret',
      path: '/APIKey',
      async show(viewer) {
        const { page, say } = viewer;
        await openForm(viewer);
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('textbox', { name: say('Name', '名称') }).fill('fresh');
        await dialog.getByRole('button', { name: say('Create API key', '创建 API 密钥') }).click();
        await page.getByRole('checkbox').waitFor();
      },
    },
    {
      name: 'the list',
      path: '/APIKey',
      show: ({ page }) => page.locator('[data-row="seen"]').waitFor(),
    },
    {
      name: 'a key',
      path: '/APIKey?key=seen',
      show: ({ page }) => page.getByRole('dialog', { name: 'seen' }).waitFor(),
    },
  ],
};
