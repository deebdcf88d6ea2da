import { operatorOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

const SOURCE = '/authorization/sources/built_in_database';
const LONG = 'c'.repeat(80);

export const authorization: FeatureViews = {
  feature: 'authorization',
  async prepare(server) {
    const call = await operatorOf(server);
    await call('POST', '/authorization/sources', { type: 'built_in_database', enable: true });
    await call('POST', `${SOURCE}/rules/clients`, [
      { clientid: 'c1', rules: [{ permission: 'deny', action: 'all', topic: 'a' }] },
      { clientid: LONG, rules: [{ permission: 'deny', action: 'all', topic: `a/${'b'.repeat(90)}` }] },
    ]);
    await call('POST', `${SOURCE}/rules/all`, {
      rules: [{ permission: 'allow', action: 'all', topic: 'a/#' }],
    });
    return async () => {
      await call('PUT', SOURCE, { type: 'built_in_database', enable: false });
      await call('DELETE', `${SOURCE}/rules`);
      await call('DELETE', SOURCE);
    };
  },
  views: [
    {
      name: 'the sources',
      path: '/authorization',
      show: ({ page }) => page.locator('[data-row=file]').waitFor(),
    },
    {
      name: 'the settings',
      path: '/authorization',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Settings', '设置'), exact: true }).click();
        await page.getByRole('dialog').getByRole('switch').waitFor();
      },
    },
    {
      name: 'the kinds of sources',
      path: '/authorization/create',
      show: ({ page }) => page.getByRole('radio').first().waitFor(),
    },
    {
      name: 'the form of a database',
      path: '/authorization/create?source=mysql&step=2',
      show: ({ page }) => page.getByRole('main').getByRole('textbox').first().waitFor(),
    },
    {
      name: 'the form of an HTTP server',
      path: '/authorization/create?source=http&step=2',
      show: ({ page }) => page.getByRole('textbox', { name: 'URL' }).waitFor(),
    },
    {
      name: 'the file',
      path: '/authorization/detail/file',
      show: ({ page }) => page.getByRole('main').locator('dl').first().waitFor(),
    },
    {
      name: 'the rules of the file',
      path: '/authorization/detail/file?tab=settings',
      show: ({ page, say }) =>
        page
          .getByText(say('Everybody may not subscribe to', '禁止所有客户端订阅'), { exact: false })
          .first()
          .waitFor(),
    },
    {
      name: 'the rules for all',
      path: '/authorization/detail/built_in_database?tab=permissions&who=all',
      show: ({ page }) => page.getByRole('row').filter({ hasText: 'a/#' }).waitFor(),
    },
    {
      name: 'the rules of a client',
      path: '/authorization/detail/built_in_database?tab=permissions',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Rules of c1', 'c1 的规则'), exact: true }).click();
        await page
          .getByRole('button', { name: say(`Rules of ${LONG}`, `${LONG} 的规则`), exact: true })
          .click();
        await page.getByRole('cell', { name: 'a/bbb' }).waitFor();
      },
    },
    {
      name: 'the form of the rules of a client',
      path: '/authorization/detail/built_in_database?tab=permissions',
      async show({ page, say }) {
        await page
          .getByRole('button', { name: say('Edit the rules of c1', '编辑 c1 的规则'), exact: true })
          .click();
        await page.getByRole('dialog').getByRole('combobox').first().waitFor();
      },
    },
  ],
};
