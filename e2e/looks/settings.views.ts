import type { FeatureViews } from './view.ts';

export const settings: FeatureViews = {
  feature: 'settings',
  views: [
    {
      name: 'the settings',
      path: '/settings',
      show: ({ page }) => page.getByRole('switch').nth(1).waitFor(),
    },
    {
      name: 'the settings while the theme follows the system and telemetry is on',
      path: '/settings',
      async show({ page, theme, say }) {
        await page.emulateMedia({ colorScheme: theme });
        const telemetry = page.getByRole('switch', { name: say('Telemetry', '遥测') });
        if (!(await telemetry.isChecked())) await telemetry.press(' ');
        await page.getByText('"num_clients"').waitFor();
        const follow = page.getByRole('switch', { name: say('Sync with the OS theme', '跟随系统主题') });
        await follow.press(' ');
        await page.getByText(say('Follows the operating system.', '正在跟随操作系统。')).waitFor();
      },
    },
  ],
};
