import type { FeatureViews } from './view.ts';

export const users: FeatureViews = {
  feature: 'users',
  views: [
    { name: 'the list', path: '/users', show: ({ page }) => page.locator('[data-row="admin"]').waitFor() },
    {
      name: 'the form, with errors',
      path: '/users',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Add user', '添加用户') }).click();
        const form = page.getByRole('dialog');
        await form.locator('input[name=password]').fill('letters');
        await form.getByRole('button', { name: say('Add user', '添加用户') }).click();
        await form.getByText(say('Username is required', '请输入用户名')).waitFor();
      },
    },
  ],
};
