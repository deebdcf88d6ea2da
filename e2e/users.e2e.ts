import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { LOOKS } from './support/browser.ts';
import { setStage } from './support/stage.ts';

const stage = setStage();

const RULE =
  'The password must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols';

const row = (page: Page, username: string) => page.locator(`[data-row="${username}"]`);

async function act(page: Page, username: string, deed: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${username}`, exact: true }).click();
  await page.getByRole('menuitem', { name: deed }).click();
}

async function addUser(page: Page, username: string, password: string, note = ''): Promise<void> {
  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('textbox', { name: 'Username' }).fill(username);
  await form.locator('input[name=password]').fill(password);
  await form.locator('input[name=repeat]').fill(password);
  await form.getByRole('textbox', { name: 'Note' }).fill(note);
  await form.getByRole('button', { name: 'Add user' }).click();
}

async function changePassword(page: Page, username: string, old: string, next: string): Promise<void> {
  await act(page, username, 'Change password');
  const form = page.getByRole('dialog');
  await form.locator('input[name=old_pwd]').fill(old);
  await form.locator('input[name=new_pwd]').fill(next);
  await form.locator('input[name=repeat]').fill(next);
  await form.getByRole('button', { name: 'Change password' }).click();
}

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Username' }).fill(username);
  await page.locator('input[type=password]').fill(password);
  await page.locator('input[type=password]').press('Enter');
}

test('a user is added, gets a note, signs in, and is deleted', async () => {
  const opened = await stage.open('/users');
  const { page } = opened;
  await row(page, 'admin').getByText('you').waitFor();

  await page.getByRole('button', { name: 'Add user' }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Add user' }).click();
  await form.getByText('Username is required').waitFor();
  await form.getByText('Password is required', { exact: true }).waitFor();
  await form.locator('input[name=password]').fill('letters');
  await expect.poll(() => form.getByText(RULE).count()).toBe(2);
  await form.locator('input[name=password]').fill('letters_and_1');
  await form.locator('input[name=repeat]').fill('letters_and_2');
  await form.getByRole('button', { name: 'Add user' }).click();
  await form.getByText("Two inputs don't match!").waitFor();
  await form.getByRole('textbox', { name: 'Username' }).fill('olga');
  await form.locator('input[name=repeat]').fill('letters_and_1');
  await form.getByRole('button', { name: 'Add user' }).click();
  await row(page, 'olga').waitFor();

  await addUser(page, 'olga', 'other_pass_1');
  await page.getByText('A user of this name exists already').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();

  await act(page, 'olga', 'Edit note');
  await page.getByRole('dialog').getByRole('textbox', { name: 'Note' }).fill('<b>night shift</b>');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await row(page, 'olga').getByText('<b>night shift</b>').waitFor();

  const theirs = await stage.open('/login', { signIn: false });
  await signIn(theirs.page, 'olga', 'letters_and_1');
  await theirs.page.waitForURL(/dashboard/);

  await act(page, 'olga', 'Delete');
  await page.getByText('Delete the user olga?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(page, 'olga').waitFor({ state: 'detached' });

  // The token dies with its user.
  await theirs.goto('/users');
  await theirs.page.waitForURL(/login/);
  await theirs.context.close();
});

test('nobody deletes himself, nor the default user', async () => {
  const opened = await stage.open('/users');
  const { page } = opened;
  await page.getByRole('button', { name: 'Actions for admin' }).click();
  await page.getByRole('menuitem', { name: /Delete.*Nobody can delete himself/s }).click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);

  await page.keyboard.press('Escape');
  await addUser(page, 'piet', 'letters_and_1');
  await row(page, 'piet').waitFor();
  const theirs = await stage.open('/users', { signIn: false });
  await signIn(theirs.page, 'piet', 'letters_and_1');
  await theirs.page.getByRole('button', { name: 'Actions for admin' }).click();
  await theirs.page.getByText('The default user cannot be deleted').waitFor();
  await theirs.context.close();
});

test("changing one's own password signs out without a notice of an expired login", async () => {
  const opened = await stage.open('/users');
  const { page } = opened;
  await addUser(page, 'rosa', 'letters_and_1');
  await row(page, 'rosa').waitFor();
  const own = await stage.open('/users', { signIn: false });
  await signIn(own.page, 'rosa', 'letters_and_1');
  await row(own.page, 'rosa').getByText('you').waitFor();

  await changePassword(own.page, 'rosa', 'letters_and_1', 'letters_and_1');
  await own.page.getByText('The new and old passwords cannot be the same').waitFor();
  await own.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await own.page.getByRole('button', { name: 'Leave' }).click();

  await changePassword(own.page, 'rosa', 'wrong_old_1', 'letters_and_2');
  await own.page.getByText('The old password is wrong').waitFor();
  await own.page.locator('input[name=old_pwd]').fill('letters_and_1');
  await own.page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
  await own.page.waitForURL(/login/);
  await own.page.getByText('The password is changed. Sign in with the new one.').waitFor();
  expect(await own.page.getByText('Login has expired').count()).toBe(0);

  await signIn(own.page, 'rosa', 'letters_and_2');
  await row(own.page, 'rosa').waitFor(); // back where it was
  expect(own.problems).toEqual([]);
  await own.context.close();
});

test.each(LOOKS)(
  'the screen and its form are accessible in $language, $theme',
  async ({ language, theme }) => {
    const opened = await stage.open('/users', { language, theme });
    const { page } = opened;
    await row(page, 'admin').waitFor();
    await opened.expectAccessible();
    await page.getByRole('button', { name: language === 'zh' ? '添加用户' : 'Add user' }).click();
    await page.getByRole('dialog').locator('input[name=password]').waitFor();
    await opened.expectAccessible();
  },
);

test('at 390 pixels a user is added', async () => {
  const opened = await stage.open('/users', { width: 390, height: 844 });
  await addUser(opened.page, 'saul', 'letters_and_1', 'on the road');
  await row(opened.page, 'saul').getByText('on the road').waitFor();
});
