import { callApi, tokenOf } from '../support/api.ts';
import type { FeatureViews } from './view.ts';

const TYPES = ['bytes_in', 'message_in', 'connection', 'message_routing', 'internal'];

export const limiter: FeatureViews = {
  feature: 'limiter',
  async prepare(server) {
    const token = await tokenOf(server);
    const put = (body: unknown) => callApi(server, 'PUT', '/configs/limiter/message_in', { token, body });
    await put({ rate: '1000/s', bucket: { default: {}, fast: { rate: '10/s' } } });
    return () => put({ rate: 'infinity', bucket: { default: {} } });
  },
  views: TYPES.map((type) => ({
    name: type,
    path: `/limiter?type=${type}`,
    show: ({ page }) => page.locator('[data-sentence=client]').filter({ hasText: /\S/ }).waitFor(),
  })),
};
