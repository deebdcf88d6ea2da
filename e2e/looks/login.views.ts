import { callApi } from '../support/api.ts';
import { navigate, signInOn } from '../support/browser.ts';
import type { FeatureViews, Viewer } from './view.ts';

async function send({ page, say }: Viewer, username: string, password: string): Promise<void> {
  await page.getByLabel(say('Username', '用户名'), { exact: true }).fill(username);
  await page.getByLabel(say('Password', '密码'), { exact: true }).fill(password);
  await page.keyboard.press('Enter');
}

/** Leaves the page signed out for the next view. */
const forget = ({ page }: Viewer) => page.evaluate(() => localStorage.removeItem('session'));

export const login: FeatureViews = {
  feature: 'login',
  signedOut: true,
  reload: true,
  views: [
    {
      name: 'the empty fields',
      path: '/login',
      async show({ page, say }) {
        await page.getByLabel(say('Username', '用户名'), { exact: true }).press('Enter');
        await page.getByText(say('Username is required', '请输入用户名')).waitFor();
        await page.getByText(say('Password is required', '请输入密码')).waitFor();
      },
    },
    {
      name: 'a wrong password',
      path: '/login',
      async show(viewer) {
        await send(viewer, 'nobody', 'not-it');
        await viewer.page
          .getByRole('alert')
          .getByText(viewer.say('Incorrect username or password', '用户名或密码错误'))
          .waitFor();
      },
    },
    {
      name: 'an expired sign-in',
      path: '/login?to=%2Fhelp',
      async show(viewer) {
        const { page, server, say, language } = viewer;
        const answered = page.waitForResponse((response) => response.url().endsWith('/api/v5/login'));
        await signInOn(page, language);
        const { token } = (await (await answered).json()) as { token: string };
        await callApi(server, 'POST', '/logout', { token, body: { username: 'admin' } });
        // Without a load: the page may have noticed already, and a load would forget what it says.
        await navigate(page, '/users');
        await page
          .getByText(say('Login has expired, please login again', '登录已过期，请重新登录'))
          .waitFor();
      },
    },
    {
      name: 'the default password, with an error',
      path: '/login',
      async show(viewer) {
        const { page, say } = viewer;
        await send(viewer, 'admin', 'public');
        await page.getByLabel(say('New password', '新密码'), { exact: true }).fill('short-1');
        await page.keyboard.press('Enter');
        await page.locator('[aria-invalid=true]').first().waitFor();
        await forget(viewer);
      },
    },
    {
      name: 'the help',
      path: '/help',
      show: ({ page, say }) => page.getByRole('heading', { level: 1, name: say('Help', '帮助') }).waitFor(),
    },
    {
      name: 'an address that does not exist',
      path: '/no/such/page',
      show: ({ page, say }) =>
        page.getByRole('heading', { level: 1, name: say('Page not found', '页面不存在') }).waitFor(),
    },
  ],
};
