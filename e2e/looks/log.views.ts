import { callApi, tokenOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

export const log: FeatureViews = {
  feature: 'log',
  async prepare(server) {
    const token = await tokenOf(server);
    const put = (level: string, enable: boolean) =>
      callApi(server, 'PUT', '/configs/log', {
        token,
        body: { console: { level }, file: { default: { enable, level: 'info' } } },
      });
    await put('debug', true);
    await connectDevice(server, 'seen');
    return () => put('warning', false);
  },
  views: [
    {
      name: 'the output of the broker',
      path: '/log',
      show: ({ page }) => page.getByRole('switch').waitFor(),
    },
    {
      name: 'the files',
      path: '/log?tab=files',
      show: ({ page }) => page.getByText('emqx.log').first().waitFor(),
    },
    {
      name: 'the form of a handler, with errors',
      path: '/log?tab=files',
      async show({ page, say }) {
        const add = say('Add handler', '添加处理器');
        await page.getByRole('button', { name: add }).click();
        await page.getByRole('dialog').getByRole('button', { name: add }).click();
        await page.getByRole('dialog').getByRole('alert').first().waitFor();
      },
    },
    {
      name: 'the throttling',
      path: '/log?tab=throttling',
      show: ({ page }) => page.getByRole('textbox').waitFor(),
    },
    {
      name: 'the lines',
      path: '/log?tab=lines',
      show: ({ page }) => page.getByRole('log').getByText('clientid').first().waitFor(),
    },
  ],
};
