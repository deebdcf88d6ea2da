import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

export const clients: FeatureViews = {
  feature: 'clients',
  async prepare(server) {
    const device = await connectDevice(server, 'sensor-0042', { version: 5, username: 'fleet-a' });
    await device.subscribeAsync('cmd/0042/#', { qos: 1 });
    // It acknowledges nothing: of three messages one is inflight, and two are queued.
    const slow = await connectDevice(server, 'slow', {
      version: 5,
      properties: { receiveMaximum: 1 },
      customHandleAcks: () => undefined,
    });
    await slow.subscribeAsync('work/#', { qos: 1 });
    for (const at of [0, 1, 2]) await device.publishAsync(`work/${at}`, `m${at}`, { qos: 1 });
    return undefined;
  },
  views: [
    {
      name: 'the list',
      path: '/connections',
      show: ({ page }) => page.getByRole('link', { name: 'sensor-0042', exact: true }).waitFor(),
    },
    {
      name: 'a client',
      path: '/connections/detail/sensor-0042',
      show: ({ page }) => page.locator('[data-row="cmd/0042/#"]').waitFor(),
    },
    {
      name: 'the form of a subscription',
      path: '/connections/detail/sensor-0042',
      async show({ page, say }) {
        await page.locator('[data-row="cmd/0042/#"]').waitFor();
        await page.getByRole('button', { name: say('Add subscription', '添加订阅') }).click();
        await page.getByRole('dialog').getByLabel('QoS').waitFor();
      },
    },
    {
      name: 'the queue of a client',
      path: '/connections/detail/slow?tab=queue',
      show: ({ page }) => page.getByRole('link', { name: 'work/2', exact: true }).waitFor(),
    },
    {
      name: 'an inflight message',
      path: '/connections/detail/slow?tab=inflight',
      async show({ page }) {
        await page.getByRole('link', { name: 'work/0', exact: true }).click();
        await page.getByRole('dialog').getByText('m0', { exact: true }).waitFor();
      },
    },
  ],
};
