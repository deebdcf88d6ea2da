import { callApi, tokenOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

export const trace: FeatureViews = {
  feature: 'trace',
  async prepare(server) {
    const token = await tokenOf(server);
    const call = (method: string, body?: unknown) => callApi(server, method, '/trace', { token, body });
    await call('POST', { name: 'seen', type: 'topic', topic: 't/#' });
    const sensor = await connectDevice(server, 'sensor');
    await sensor.publishAsync('t/1', `${'word '.repeat(60)}END`, { qos: 1 });
    return () => call('DELETE');
  },
  views: [
    {
      name: 'the list',
      path: '/log-trace',
      show: ({ page }) => page.getByRole('link', { name: 'seen' }).waitFor(),
    },
    {
      name: 'the form, with errors',
      path: '/log-trace?create=topic:t',
      async show({ page, say }) {
        const form = page.getByRole('dialog');
        await form.locator('input[name=name]').fill('1a');
        await form.getByRole('button', { name: say('Create trace', '创建追踪') }).click();
        await form.getByText(say('A name begins with a letter and', '名称须以字母开头，且')).waitFor();
      },
    },
    {
      name: 'the way of a message',
      path: '/log-trace/detail/seen',
      async show({ page }) {
        await page.getByRole('log').getByText('END').first().waitFor();
        await page.getByRole('log').locator('[data-index]').getByRole('button').first().click();
        await page.getByRole('complementary').getByRole('listitem').first().waitFor();
      },
    },
    {
      name: 'no trace of that name',
      path: '/log-trace/detail/nothing',
      show: ({ page, say }) =>
        page.getByRole('link', { name: say('Back to the trace list', '返回追踪列表') }).waitFor(),
    },
  ],
};
