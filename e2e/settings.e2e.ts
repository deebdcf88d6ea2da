import { expect, test } from 'vitest';
import { setStage } from './support/stage.ts';

const stage = setStage();

test('the language holds at once, everywhere, and after a reload', async () => {
  const { page } = await stage.open('/settings');
  const html = page.locator('html');
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  await page.evaluate(() => Object.assign(window, { untouched: true }));
  await page.getByRole('radiogroup', { name: 'Language' }).getByText('中文', { exact: true }).click();
  await page.getByRole('heading', { name: '设置', exact: true }).waitFor();
  expect(await html.getAttribute('lang')).toBe('zh');
  expect(await page.title()).toBe('设置 · mqdeck');
  await page.getByRole('navigation', { name: '主菜单' }).waitFor();
  expect(await page.evaluate(() => 'untouched' in window)).toBe(true);
  await page.reload();
  await page.getByRole('heading', { name: '设置', exact: true }).waitFor();
  await page.getByRole('radiogroup', { name: '语言' }).getByText('English', { exact: true }).click();
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  expect(await html.getAttribute('lang')).toBe('en');
});

test('the theme follows the operating system while that is wished for, and only then', async () => {
  const { page } = await stage.open('/settings');
  const theme = () => page.locator('html').getAttribute('data-theme');
  const themes = page.getByRole('radiogroup', { name: 'Theme', exact: true });
  const light = themes.getByRole('radio', { name: 'Light' });
  const sync = page.getByRole('switch', { name: 'Sync with the OS theme' });
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();

  // Not wished for: the system may change as it likes.
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await page.evaluate(() => matchMedia('(prefers-color-scheme: light)').matches)).toBe(true);
  expect(await theme()).toBe('dark');
  expect(await light.isEnabled()).toBe(true);
  await themes.getByText('Light', { exact: true }).click();
  await expect.poll(theme).toBe('light');
  await themes.getByText('Dark', { exact: true }).click();
  await expect.poll(theme).toBe('dark');

  await sync.click({ force: true });
  await expect.poll(theme).toBe('light');
  expect(await light.isDisabled()).toBe(true);
  await page.getByText('Follows the operating system.').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(theme).toBe('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(theme).toBe('light');
  // The switch in the header cannot change it either, and says why.
  const inHeader = page.getByRole('button', { name: /^The theme follows the system/ });
  expect(await inHeader.getAttribute('aria-disabled')).toBe('true');
  await inHeader.click({ force: true });
  expect(await theme()).toBe('light');

  // Also at start.
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.reload();
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  expect(await theme()).toBe('dark');
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(theme).toBe('light');

  // No longer wished for: the choice of before holds again.
  await sync.click({ force: true });
  await expect.poll(theme).toBe('dark');
  expect(await light.isEnabled()).toBe(true);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await theme()).toBe('dark');
});

test('what is chosen in one tab shows in the others', async () => {
  const { page, context } = await stage.open('/settings');
  await page.getByRole('heading', { name: 'Settings', exact: true }).waitFor();
  const second = await context.newPage();
  await second.goto(`${stage.server.url}/help`);
  await second.getByRole('heading', { name: 'Help', exact: true }).waitFor();
  await page.bringToFront();
  await page
    .getByRole('radiogroup', { name: 'Theme', exact: true })
    .getByText('Light', { exact: true })
    .click();
  await expect.poll(() => second.locator('html').getAttribute('data-theme')).toBe('light');
  await page.getByRole('radiogroup', { name: 'Language' }).getByText('中文', { exact: true }).click();
  await second.getByRole('heading', { name: '帮助', exact: true }).waitFor();
  expect(await second.locator('html').getAttribute('lang')).toBe('zh');
});

test('theme and language are changed by keyboard', async () => {
  const { page } = await stage.open('/settings');
  const sync = page.getByRole('switch', { name: 'Sync with the OS theme' });
  const stored = () => page.evaluate(() => localStorage.getItem('syncOsTheme'));
  await sync.focus();
  await page.keyboard.press('Space');
  await expect.poll(stored).toBe('true');
  await page.keyboard.press('Space');
  await expect.poll(stored).toBe('false');
  const language = () => page.locator('html').getAttribute('lang');
  await page.getByRole('radio', { name: 'English' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(language).toBe('zh');
  await page.getByRole('radio', { name: '中文' }).focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(language).toBe('en');
});

test('telemetry is off; switched on it is shown here and nowhere else', async () => {
  const { page } = await stage.open('/settings');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).origin));
  const telemetry = page.getByRole('switch', { name: 'Telemetry' });
  await telemetry.waitFor();
  expect(await telemetry.isChecked()).toBe(false);
  await page.getByText('mqdeck sends nothing to anybody either way', { exact: false }).waitFor();
  const told = page.locator('summary', { hasText: 'What could be told' });
  expect(await told.count()).toBe(0);
  await telemetry.click();
  await told.waitFor();
  await page.getByText('"num_clients"', { exact: false }).waitFor();
  expect(await telemetry.isChecked()).toBe(true);
  await telemetry.click();
  await expect.poll(() => told.count()).toBe(0);
  expect(new Set(asked)).toEqual(new Set([new URL(page.url()).origin]));
});
