import type { FeatureViews } from './view.ts';

export const editor: FeatureViews = {
  feature: 'editor',
  views: [
    {
      name: 'every part of the kit',
      path: '/__gallery',
      show: async ({ page }) => {
        for (const name of ['SQL', 'JSON', 'ACL', 'Plain']) {
          await page.getByRole('textbox', { name, exact: true }).click();
          await page.keyboard.type('{"$');
          await page.keyboard.press('Escape');
        }
        await page.getByRole('list', { name: /JSON/ }).getByRole('button').waitFor(); // its problem
      },
    },
  ],
};
