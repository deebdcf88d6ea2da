import { operatorOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

export const backup: FeatureViews = {
  feature: 'backup',
  async prepare(server) {
    const call = await operatorOf(server);
    const { filename } = await call<{ filename: string }>('POST', '/data/export', {});
    return () => call('DELETE', `/data/files/${filename}`);
  },
  views: [
    {
      name: 'the files',
      path: '/backup',
      show: ({ page }) => page.locator('[data-row]').first().waitFor(),
    },
    {
      name: 'how a backup is protected',
      path: '/backup',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Create backup', '创建备份') }).click();
        await page.getByRole('dialog').getByRole('radio').first().waitFor();
      },
    },
    {
      name: 'what a restore would change',
      path: '/backup',
      async show({ page, say }) {
        await page
          .locator('[data-row]')
          .first()
          .getByRole('button', { name: say('Actions', '操作') })
          .click();
        await page.getByRole('menuitem', { name: say('Restore…', '恢复…') }).click();
        await page.getByRole('dialog').getByRole('row').nth(1).waitFor();
      },
    },
  ],
};
