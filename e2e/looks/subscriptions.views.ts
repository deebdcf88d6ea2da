import { connectDevice } from '../support/devices.ts';
import type { FeatureViews, Viewer } from './view.ts';

const row = ({ page }: Viewer) =>
  page.locator('[data-row]').filter({ hasText: 'fleet/+/position' }).waitFor();

export const subscriptions: FeatureViews = {
  feature: 'subscriptions',
  async prepare(server) {
    const desk = await connectDevice(server, 'desk', { version: 5 });
    await desk.subscribeAsync({
      'fleet/+/position': { qos: 1, nl: true, rap: true, rh: 2 },
      '$share/ingest/fleet/#': { qos: 2 },
    });
    return undefined;
  },
  views: [
    { name: 'the list', path: '/subscriptions/subscription', show: row },
    { name: 'the topics', path: '/subscriptions/topics', show: row },
  ],
};
