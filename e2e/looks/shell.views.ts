import type { FeatureViews, Viewer } from './view.ts';

const button = ({ page }: Viewer, name: string) => page.getByRole('button', { name, exact: true });

async function openAccount(viewer: Viewer): Promise<void> {
  await button(viewer, viewer.say('Account of admin', 'admin 的账户')).click();
  await viewer.page.getByRole('menuitem', { name: viewer.say('Log out', '退出登录') }).waitFor();
}

export const shell: FeatureViews = {
  feature: 'shell',
  reload: true,
  views: [
    {
      name: 'a group of the menu',
      path: '/help',
      async show(viewer) {
        await button(viewer, viewer.say('Management', '管理')).click();
        await viewer.page.getByRole('menuitem', { name: viewer.say('Listeners', '监听器') }).waitFor();
      },
    },
    {
      name: 'the menu as a sheet',
      path: '/help',
      async show(viewer) {
        await viewer.page.setViewportSize({ width: 390, height: 844 });
        await button(viewer, viewer.say('Open the menu', '打开菜单')).click();
        await viewer.page.getByRole('dialog').getByRole('link').first().waitFor();
      },
    },
    {
      name: 'the palette',
      path: '/help',
      async show({ page }) {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.keyboard.press('Control+k');
        await page.getByRole('option').first().waitFor();
      },
    },
    {
      name: 'the keys',
      path: '/help',
      async show({ page, say }) {
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.keyboard.press('?');
        await page.getByRole('dialog', { name: say('Keyboard shortcuts', '键盘快捷键') }).waitFor();
      },
    },
    { name: 'the menu of the account', path: '/help', show: openAccount },
    {
      name: 'the question before the sign-out',
      path: '/help',
      async show(viewer) {
        await openAccount(viewer);
        await viewer.page.getByRole('menuitem', { name: viewer.say('Log out', '退出登录') }).click();
        await viewer.page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'an address that does not exist',
      path: '/no/such/page',
      show: ({ page, say }) =>
        page.getByRole('heading', { level: 1, name: say('Page not found', '页面不存在') }).waitFor(),
    },
    {
      name: 'the open menu',
      path: '/help',
      async show(viewer) {
        await button(viewer, viewer.say('Expand the menu', '展开菜单')).click();
        await viewer.page.getByRole('link', { name: viewer.say('Overview', '概览') }).waitFor();
      },
    },
  ],
};
