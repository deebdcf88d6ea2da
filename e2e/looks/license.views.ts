import { startServer } from '../support/server.ts';
import type { FeatureViews, Viewer } from './view.ts';

const card = ({ page, say }: Viewer) =>
  page.getByRole('button', { name: say('Update license', '更新许可证') });
const trial = ({ page, say }: Viewer) =>
  page.getByRole('dialog', { name: say('This is a trial until', '当前为试用许可证') });

async function showCard(viewer: Viewer): Promise<void> {
  const { say } = viewer;
  await trial(viewer)
    .getByRole('button', { name: say('Close', '关闭') })
    .last()
    .click();
  await trial(viewer).waitFor({ state: 'detached' });
  await card(viewer).waitFor();
}

export const license: FeatureViews = {
  feature: 'license',
  start: () => startServer({ args: ['--edition', 'enterprise'] }),
  reload: true,
  views: [
    { name: 'the notice of a trial', path: '/users', show: (viewer) => trial(viewer).waitFor() },
    { name: 'the card', path: '/dashboard/overview', show: showCard },
    {
      name: 'the form with an error',
      path: '/dashboard/overview',
      async show(viewer) {
        await showCard(viewer);
        await card(viewer).click();
        const form = viewer.page.getByRole('dialog');
        await form.getByRole('button', { name: viewer.say('Update license', '更新许可证') }).click();
        await form.getByText(viewer.say('License key is required', '请输入许可证内容')).waitFor();
      },
    },
  ],
};
