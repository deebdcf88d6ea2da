import { readFileSync } from 'node:fs';
import { pluginForm, pluginPackage } from '@mqdeck/broker/testing/plugin-package';
import { callApi, tokenOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

const NAME = 'doorman-1.0.0';

/** What the plugin of the repository says of itself, around a module that does nothing: the views only show it. */
function packageOfDoorman() {
  const text = (file: string) =>
    readFileSync(new URL(`../../examples/plugins/doorman/${file}`, import.meta.url), 'utf8');
  const readme = { 'README.md': text('README.md') };
  return pluginPackage(NAME, 'export default () => {};', JSON.parse(text('release.json')), readme);
}

export const plugins: FeatureViews = {
  feature: 'plugins',
  async prepare(server) {
    const token = await tokenOf(server);
    const { rawBody, headers } = pluginForm(packageOfDoorman());
    const answer = await fetch(`http://127.0.0.1:${server.ports.http}/api/v5/plugins/install`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}` },
      body: new Uint8Array(rawBody),
    });
    if (!answer.ok) throw new Error(`${NAME} is not installed: ${await answer.text()}`);
    return () => callApi(server, 'DELETE', `/plugins/${NAME}`, { token });
  },
  views: [
    {
      name: 'the list',
      path: '/plugins',
      show: ({ page }) => page.locator(`[data-row="${NAME}"]`).waitFor(),
    },
    {
      name: 'a plugin',
      path: `/plugins/detail/${NAME}`,
      show: ({ page }) => page.getByRole('heading', { level: 3, name: 'Doorman' }).waitFor(),
    },
    {
      name: 'its settings',
      path: `/plugins/detail/${NAME}?tab=settings`,
      show: ({ page }) => page.locator('input[name="stamp"]').waitFor(),
    },
    {
      name: 'the installation',
      path: '/plugins/install',
      show: ({ page }) => page.locator('input[type=file]').waitFor({ state: 'attached' }),
    },
    {
      name: 'another version of a plugin that is installed',
      path: '/plugins/install',
      async show({ page, say }) {
        await page.locator('input[type=file]').setInputFiles({
          name: 'doorman-2.0.0.tar.gz',
          mimeType: 'application/gzip',
          buffer: Buffer.from('no archive'),
        });
        await page.getByRole('button', { name: say('Install', '安装'), exact: true }).click();
        await page.getByRole('button', { name: say('Replace', '替换'), exact: true }).waitFor();
      },
    },
  ],
};
