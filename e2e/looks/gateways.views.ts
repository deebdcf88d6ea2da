import { callApi, tokenOf } from '../support/api.ts';
import { connectStomp, disconnectStomp } from '../support/stomp.ts';
import type { FeatureViews, Viewer } from './view.ts';

const rows = ({ page }: Viewer) => page.locator('[data-row]').first().waitFor();
const table = ({ page }: Viewer) => page.getByRole('row').nth(1).waitFor();
const dialog = ({ page }: Viewer) => page.getByRole('dialog').getByRole('button').nth(1).waitFor();
const form = ({ page }: Viewer) => page.locator('main form').first().waitFor();

export const gateways: FeatureViews = {
  feature: 'gateways',
  async prepare(server) {
    const token = await tokenOf(server);
    const listeners = [{ type: 'tcp', name: 'default', bind: '127.0.0.1:0' }];
    await callApi(server, 'PUT', '/gateways/stomp', { token, body: { name: 'stomp', listeners } });
    const { body } = await callApi<{ bind: string }[]>(server, 'GET', '/gateways/stomp/listeners', { token });
    await connectStomp(Number(/\d+$/.exec(body[0]?.bind ?? '')?.[0]), { login: 'pump' });
    return async () => {
      disconnectStomp();
      await callApi(server, 'PUT', '/gateways/stomp/enable/false', { token });
    };
  },
  views: [
    { name: 'the list', path: '/gateway', show: rows },
    { name: 'the first step of setting up', path: '/gateway/create/exproto', show: form },
    { name: 'the second step of setting up', path: '/gateway/create/exproto?step=2', show: table },
    { name: 'the settings', path: '/gateway/detail/stomp/settings', show: form },
    { name: 'the listeners', path: '/gateway/detail/stomp/listeners', show: rows },
    {
      name: 'the form of a listener',
      path: '/gateway/detail/stomp/listeners?open=stomp%3Atcp%3Adefault',
      show: dialog,
    },
    {
      name: 'no authentication',
      path: '/gateway/detail/stomp/auth',
      show: ({ page, say }) => page.getByText(say('Every device is let in', '所有设备都可以接入')).waitFor(),
    },
    {
      name: 'the form of authentication',
      path: '/gateway/detail/stomp/auth?add=1&step=2',
      show: dialog,
    },
    { name: 'the devices', path: '/gateway/detail/stomp/connections', show: rows },
    {
      name: 'a device',
      path: '/gateway/detail/stomp/connections',
      async show({ page }) {
        await page.locator('[data-row]').getByRole('link').first().click();
        await page.getByRole('dialog').getByText('STOMP 1.2').waitFor();
      },
    },
  ],
};
