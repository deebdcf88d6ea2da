import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { setStage } from './support/stage.ts';

const stage = setStage();

const open = async () => {
  const { page } = await stage.open('/__gallery');
  await page.getByRole('textbox', { name: 'SQL' }).waitFor();
  return page;
};
const field = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
const activeLabel = (page: Page) =>
  page.evaluate(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    return at?.getAttribute('aria-label') ?? at?.textContent ?? '';
  });

test('it writes no style element, and a switch of theme colours what stands there', async () => {
  const page = await open();
  for (const name of ['SQL', 'JSON', 'ACL', 'Plain']) {
    await field(page, name).click();
    await page.keyboard.type('{"$');
    await page.keyboard.press('Escape');
  }
  const counts = await page.evaluate(() => {
    const roots = [...document.querySelectorAll('*')].flatMap((element) => element.shadowRoot ?? []);
    return {
      editors: roots.length,
      styles: [document, ...roots].reduce((sum, root) => sum + root.querySelectorAll('style').length, 0),
      adopted: roots.every(({ adoptedStyleSheets }) => adoptedStyleSheets.length > 0),
    };
  });
  expect(counts).toEqual({ editors: 5, styles: 0, adopted: true });

  const keyword = field(page, 'SQL').getByText('SELECT');
  const color = () => keyword.evaluate((element) => getComputedStyle(element).color);
  const dark = await color();
  await page.evaluate(() => document.documentElement.setAttribute('data-theme', 'light'));
  expect(await color()).not.toBe(dark);
});

test('typed text is checked, and its problem is a way to the line', async () => {
  const page = await open();
  const json = field(page, 'JSON');
  await json.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('{{"a": 1,');
  const problem = page.getByRole('list', { name: 'Problems in JSON' }).getByRole('button');
  await problem.filter({ hasText: 'Line 1' }).waitFor();
  expect(await json.getAttribute('aria-invalid')).toBe('true');
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('{\n  "a": 1,\n  b\n}');
  await problem.filter({ hasText: 'Line 3' }).waitFor();
  await field(page, 'SQL').click();
  await problem.click();
  await page.keyboard.press('Delete');
  await page.keyboard.insertText('"b": 2');
  await problem.waitFor({ state: 'detached' });
  expect(await json.getAttribute('aria-invalid')).toBeNull();
});

test('the keyboard comes in and goes out by Tab, keys of the page stay silent, and what is read only takes none', async () => {
  const page = await open();
  await field(page, 'SQL').focus();
  await page.keyboard.type('?g');
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Tab');
  expect(await activeLabel(page)).toBe('Copy SQL');
  await page.keyboard.press('Shift+Tab');
  expect(await activeLabel(page)).toBe('SQL');

  const fixed = field(page, 'Read only');
  const before = await fixed.textContent();
  await fixed.focus();
  expect(await activeLabel(page)).toBe('Read only');
  await page.keyboard.type('x');
  expect(await fixed.textContent()).toBe(before);
  expect(await fixed.getAttribute('aria-readonly')).toBe('true');
});

test('suggestions open by keyboard, are taken by Enter and closed by Escape', async () => {
  const page = await open();
  const sql = field(page, 'SQL');
  await sql.focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.insertText('x = ');
  await page.keyboard.type('$');
  const list = page.getByRole('listbox', { name: 'Suggestions' });
  await list.waitFor();
  await page.keyboard.press('Escape');
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('Control+Space');
  await list.getByRole('option', { name: 'clientid' }).waitFor();
  await page.keyboard.type('{c');
  await list.getByRole('option', { name: 'username' }).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  await expect.poll(() => sql.textContent()).toBe('x = ${clientid}');
});
