import { operatorOf } from '../support/api.ts';
import type { FeatureViews, View, Viewer } from './view.ts';

const ID = 'password_based%3Abuilt_in_database';
const detail = `/authentication/detail/${ID}`;

/** All answers are there, and what is folded is unfolded. */
async function whole({ page }: Viewer) {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.locator('main [aria-busy="true"]').first().waitFor({ state: 'detached' });
  for (const fold of await page.locator('main summary:visible').all()) await fold.click();
}

/** `sign` is there when the page is. */
const view = (name: string, path: string, sign: string): View => ({
  name,
  path,
  async show(viewer) {
    await viewer.page.locator(`main ${sign}`).first().waitFor();
    await whole(viewer);
  },
});

export const authentication: FeatureViews = {
  feature: 'authentication',
  async prepare(server) {
    const call = await operatorOf(server);
    await call('POST', '/authentication', {
      mechanism: 'password_based',
      backend: 'built_in_database',
      user_id_type: 'username',
      password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
    });
    const users = `/authentication/${ID}/users`;
    await call('POST', users, { user_id: 'olga', password: 'x' });
    await call('POST', users, { user_id: 'admin', password: 'y', is_superuser: true });
    return () => call('DELETE', `/authentication/${ID}`);
  },
  views: [
    view('the chain', '/authentication', '[data-row]'),
    view('the mechanisms', '/authentication/create', '[type=radio]'),
    view('the backends', '/authentication/create?step=2', '[type=radio]'),
    view('the form of a database', '/authentication/create?step=3&backend=mysql', '[name=password]'),
    view('the form of a token', '/authentication/create?step=3&mechanism=jwt', '[name=secret]'),
    view('an authenticator', detail, 'dl'),
    view('its settings', `${detail}?tab=settings`, 'form'),
    view('its users', `${detail}?tab=users`, '[data-row]'),
  ],
};
