import { operatorOf } from '../support/api.ts';
import type { FeatureViews, Viewer } from './view.ts';

const RULES = ['hot', 'alarms', 'lost', 'echo', 'asleep'];

async function card({ page, say }: Viewer) {
  const hot = page.getByRole('link', { name: say(/^hot\s*, Rule/, /^hot\s*, 规则/) });
  await hot.waitFor();
  return hot;
}

export const flow: FeatureViews = {
  feature: 'flow',
  async prepare(server) {
    const call = await operatorOf(server);
    const bridge = (name: string, url: string, enable: boolean) =>
      call('POST', '/bridges', { type: 'webhook', name, url, enable });
    const rule = (id: string, sql: string, actions: unknown[], enable = true) =>
      call('POST', '/rules', { id, sql, actions, enable });
    const republish = (topic: string) => ({ function: 'republish', args: { topic } });
    await bridge('store', `${server.url}/status`, true);
    await bridge('resting', 'http://127.0.0.1:9', false);
    await rule('hot', 'SELECT payload FROM "room/+/t"', ['webhook:store', republish('alarms/hot')]);
    await rule('alarms', 'SELECT * FROM "alarms/#"', [{ function: 'console' }]);
    await rule('lost', 'SELECT * FROM "$events/client_connected"', ['mysql:gone']);
    await rule('echo', 'SELECT * FROM "echo/+"', [republish('echo/1')]);
    await rule('asleep', 'SELECT * FROM "asleep"', ['webhook:resting'], false);
    return async () => {
      for (const id of RULES) await call('DELETE', `/rules/${id}`);
      for (const name of ['store', 'resting']) await call('DELETE', `/bridges/webhook:${name}`);
    };
  },
  views: [
    {
      name: 'the graph',
      path: '/flow',
      show: card,
    },
    {
      name: 'the facts of a rule',
      path: '/flow',
      async show(viewer) {
        await (await card(viewer)).focus();
        await viewer.page.getByRole('heading', { name: 'hot' }).waitFor();
      },
    },
    {
      name: 'a search',
      path: '/flow?q=alarms',
      show: ({ page }) => page.locator('[data-card][data-dim]').first().waitFor(),
    },
    {
      name: 'the list',
      path: '/flow?as=list',
      show: ({ page }) => page.getByRole('link', { name: 'hot', exact: true }).first().waitFor(),
    },
  ],
};
