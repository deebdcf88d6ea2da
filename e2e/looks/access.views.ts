import type { FeatureViews } from './view.ts';

export const access: FeatureViews = {
  feature: 'access',
  views: [
    {
      name: 'the rule that decides',
      path: '/authorization/test?clientid=sensor-7&username=ada&topic=plant%2F1',
      show: ({ page }) => page.locator('li[aria-current=step]').waitFor(),
    },
    {
      name: 'errors beside the fields',
      path: '/authorization/test?clientid=sensor-7&peerhost=localhost&topic=a%2F%2B',
      async show({ page, say }) {
        await page.getByRole('button', { name: say('Test', '测试'), exact: true }).click();
        await page
          .getByText(say('A topic to publish to has no wildcards', '发布的主题不能包含通配符'))
          .waitFor();
      },
    },
  ],
};
