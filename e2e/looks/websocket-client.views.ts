import type { FeatureViews, Viewer } from './view.ts';

const PATH = '/websocket/client';
const showAdvanced = ({ page, say }: Viewer) =>
  page.getByText(say('Advanced', '高级设置'), { exact: true }).click();

export const websocketClient: FeatureViews = {
  feature: 'websocket-client',
  views: [
    { name: 'before a connection', path: PATH, show: showAdvanced },
    {
      name: 'a connection with messages',
      path: PATH,
      async show(viewer) {
        const { page, say } = viewer;
        const button = (name: string) => page.getByRole('button', { name, exact: true });
        await showAdvanced(viewer);
        await button(say('Connect', '连接')).click();
        await button(say('Drop', '直接断线')).waitFor();
        await button(say('Subscribe', '订阅')).click();
        await page.getByRole('listitem').filter({ hasText: 'testtopic/#' }).first().waitFor();
        await button(say('Publish', '发布')).click();
        // In both tables: received and published.
        await button('testtopic/1').nth(1).waitFor();
      },
    },
  ],
};
