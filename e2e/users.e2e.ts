import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { callApi } from './support/api.ts';
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

test('a user is added, gets a note, signs in, and is deleted; nobody deletes himself, nor the default user', async () => {
  const { page } = await stage.open('/users');
  await row(page, 'admin').getByText('you').waitFor();
  await page.getByRole('button', { name: 'Actions for admin' }).click();
  await page.getByRole('menuitem', { name: /Delete.*Nobody can delete himself/s }).click({ force: true });
  expect(await page.getByRole('dialog').count()).toBe(0);
  await page.keyboard.press('Escape');

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

  const theirs = await stage.open('/users', { signIn: false });
  await signIn(theirs.page, 'olga', 'letters_and_1');
  await theirs.page.getByRole('button', { name: 'Actions for admin' }).click();
  await theirs.page.getByText('The default user cannot be deleted').waitFor();

  await act(page, 'olga', 'Delete');
  await page.getByText('Delete the user olga?').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row(page, 'olga').waitFor({ state: 'detached' });

  // The token dies with its user.
  await theirs.page.reload();
  await theirs.page.waitForURL(/login/);
});

test("changing one's own password signs out without a notice of an expired login", async () => {
  const token = await stage.token();
  const rosa = { username: 'rosa', password: 'letters_and_1', description: '' };
  expect((await callApi(stage.server, 'POST', '/users', { token, body: rosa })).status).toBe(200);
  const { page } = await stage.open('/users', { signIn: false });
  await signIn(page, 'rosa', 'letters_and_1');
  await row(page, 'rosa').getByText('you').waitFor();

  await changePassword(page, 'rosa', 'letters_and_1', 'letters_and_1');
  await page.getByText('The new and old passwords cannot be the same').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Leave' }).click();

  await changePassword(page, 'rosa', 'wrong_old_1', 'letters_and_2');
  await page.getByText('The old password is wrong').waitFor();
  await page.locator('input[name=old_pwd]').fill('letters_and_1');
  await page.getByRole('dialog').getByRole('button', { name: 'Change password' }).click();
  await page.waitForURL(/login/);
  await page.getByText('The password is changed. Sign in with the new one.').waitFor();
  expect(await page.getByText('Login has expired').count()).toBe(0);

  await signIn(page, 'rosa', 'letters_and_2');
  await row(page, 'rosa').waitFor(); // back where it was
});

test('at 390 pixels a user is added', async () => {
  const opened = await stage.open('/users', { width: 390, height: 844 });
  await addUser(opened.page, 'saul', 'letters_and_1', 'on the road');
  await row(opened.page, 'saul').getByText('on the road').waitFor();
});
