import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

export const delivery: FeatureViews = {
  feature: 'delivery',
  async prepare(server) {
    await connectDevice(server, 'pump');
    const screen = await connectDevice(server, 'screen');
    await screen.subscribeAsync('Plant/#', { qos: 1 });
    return undefined;
  },
  views: [
    {
      name: 'a message that does not arrive',
      path: '/delivery?publisher=pump&topic=plant/1&subscriber=screen',
      show: ({ page, say }) =>
        page.getByText(say('It does not arrive', '无法送达'), { exact: true }).waitFor(),
    },
  ],
};
