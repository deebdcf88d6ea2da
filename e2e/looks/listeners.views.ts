import { callApi, tokenOf } from '../support/api.ts';
import type { FeatureViews, Viewer } from './view.ts';

const form = ({ page }: Viewer) =>
  page
    .getByRole('dialog')
    .getByRole('radio')
    .or(page.getByRole('dialog').getByRole('checkbox'))
    .first()
    .waitFor();

export const listeners: FeatureViews = {
  feature: 'listeners',
  async prepare(server) {
    const token = await tokenOf(server);
    const call = (method: string, path: string, body?: unknown) =>
      callApi(server, method, `/listeners${path}`, { token, body });
    const looks = { type: 'ssl', name: 'looks', bind: '127.0.0.1:0', enable: false, max_connections: 5 };
    await call('POST', '', looks);
    const users = {
      mechanism: 'password_based',
      backend: 'built_in_database',
      user_id_type: 'username',
      password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
    };
    await call('POST', '/ssl:looks/authentication', users);
    return () => call('DELETE', '/ssl:looks');
  },
  views: [
    {
      name: 'the list',
      path: '/listener',
      show: ({ page }) => page.locator('[data-row="ssl:looks"]').waitFor(),
    },
    { name: 'the form of a listener', path: '/listener?open=ssl%3Alooks', show: form },
    { name: 'the form of a new listener', path: '/listener?add=wss', show: form },
    {
      name: 'no chain of its own',
      path: '/listener/detail/tcp%3Adefault/authentication',
      show: ({ page, say }) => page.getByText(say('No chain of its own', '没有自己的认证链')).waitFor(),
    },
    {
      name: 'a chain of its own',
      path: '/listener/detail/ssl%3Alooks/authentication',
      show: ({ page }) => page.locator('[data-row]').first().waitFor(),
    },
    {
      name: 'the wizard of its chain',
      path: '/listener/detail/ssl%3Alooks/authentication/create',
      show: ({ page }) => page.getByRole('radio').first().waitFor(),
    },
    {
      name: 'an authenticator of its chain',
      path: '/listener/detail/ssl%3Alooks/authentication/detail/password_based%3Abuilt_in_database',
      show: ({ page }) => page.getByRole('tab').first().waitFor(),
    },
  ],
};
