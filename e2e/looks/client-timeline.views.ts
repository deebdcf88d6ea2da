import { operatorOf } from '../support/api.ts';
import { connectDevice } from '../support/devices.ts';
import type { FeatureViews } from './view.ts';

export const clientTimeline: FeatureViews = {
  feature: 'client-timeline',
  async prepare(server) {
    const call = await operatorOf(server);
    const file = '/authorization/sources/file';
    const before = await call<object>('GET', file);
    await call('PUT', file, {
      type: 'file',
      enable: true,
      rules: '{deny, all, all, ["secret/#"]}.\n{allow, all}.',
    });
    const device = await connectDevice(server, 'curious', { version: 5 });
    await device.publishAsync('secret/plan', 'x', { qos: 1 }).catch(() => undefined); // is denied
    return () => call('PUT', file, before);
  },
  views: [
    {
      name: 'the timeline',
      path: '/connections/detail/curious?tab=timeline',
      show: ({ page, say }) =>
        page
          .getByRole('listitem')
          .filter({ hasText: say('May not publish to secret/plan', '无权发布到 secret/plan') })
          .getByText('{deny, all, all, ["secret/#"]}')
          .waitFor(),
    },
    {
      name: 'a search for a client that is gone',
      path: '/connections?like_clientid=nobody-of-this-name',
      show: ({ page, say }) =>
        page
          .getByText(
            say('No connected client and no kept session matches', '没有匹配的在线客户端或保留的会话'),
          )
          .waitFor(),
    },
  ],
};
