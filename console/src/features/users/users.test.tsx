import { screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { beginSession, getSession, onSessionEnd, type SessionEnd } from '../../api/session.ts';
import { json, nothing } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { fill } from '../../testing/fill.ts';
import { openPage } from '../../testing/open-pages.tsx';
import { getToasts } from '../../ui/toast.ts';
import { UsersPage } from './UsersPage.tsx';

const RULE =
  'The password must be 8 to 64 characters in length; contain at least two of the letters, numbers and symbols';

/** A broker's users, behind fetch. */
let users: { username: string; description: string }[];

const broker = brokerBehindFetch<{ username: string; description: string }>(({ method, path, body }) => {
  if (method === 'GET') return json(users);
  if (method === 'POST' && path === '/users') {
    users = [...users, { username: body.username, description: body.description }];
    return json(body);
  }
  if (method === 'DELETE') users = users.filter(({ username }) => `/users/${username}` !== path);
  return method === 'PUT' ? json({}) : nothing();
});
const { sent } = broker;

beforeEach(async () => {
  users = [
    { username: 'ann', description: 'first' },
    { username: 'bob', description: '' },
  ];
  await beginSession({ token: 't', username: 'ann', version: '5.8.0' });
});

const show = (address = '/') => openPage(<UsersPage />, address);

const openMenu = async (user: UserEvent, name: string, entry: string) => {
  await user.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: new RegExp(`^${entry}`) }));
};
const inDialog = async () => within(await screen.findByRole('dialog'));

test('the menu of the account leads to the form of one’s own password', async () => {
  const user = show('/?password=own');
  const form = await inDialog();
  form.getByText(/ann/);
  await user.click(form.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('without it no form is open', async () => {
  show('/');
  await screen.findByRole('button', { name: 'Actions for ann' });
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a user is added once everything is right, and appears', async () => {
  const user = show();
  await user.click(await screen.findByRole('button', { name: 'Add user' }));
  const form = await inDialog();
  const submit = form.getByRole('button', { name: 'Add user' });
  await user.click(submit);
  expect(await form.findByText('Username is required')).toBeTruthy();
  expect(form.getByText('Password is required')).toBeTruthy();
  expect(form.getByText('Repeat the password is required')).toBeTruthy();

  await user.type(form.getByLabelText(/^Username/), '王');
  await fill(user, form.getByLabelText('Password *'), 'short1');
  expect(await form.findByText('A username consists of letters, digits and underscores')).toBeTruthy();
  expect(form.getAllByText(RULE)).toHaveLength(2); // the hint, and what is wrong

  await fill(user, form.getByLabelText(/^Username/), ' cleo ');
  await user.type(form.getByLabelText('Password *'), '_***_long');
  await fill(user, form.getByLabelText('Repeat the password *'), 'other');
  await user.click(submit);
  expect(await form.findByText("Two inputs don't match!")).toBeTruthy();
  expect(sent('POST')).toEqual([]);

  await fill(user, form.getByLabelText('Repeat the password *'), 'short1_***_long');
  await user.click(submit);
  expect(await screen.findByRole('button', { name: 'Actions for cleo' })).toBeTruthy();
  expect(sent('POST')[0]!.body).toEqual({ username: 'cleo', password: 'short1_***_long', description: '' });
});

test('a name that is taken is said beside the field', async () => {
  broker.answer = ({ method }) =>
    method === 'POST' ? json({ code: 'BAD_REQUEST', message: 'username_already_exists' }, 400) : undefined;
  const user = show();
  await user.click(await screen.findByRole('button', { name: 'Add user' }));
  const form = await inDialog();
  await fill(user, form.getByLabelText(/^Username/), 'bob');
  await fill(user, form.getByLabelText('Password *'), 'long_enough');
  await fill(user, form.getByLabelText('Repeat the password *'), 'long_enough');
  await user.click(form.getByRole('button', { name: 'Add user' }));
  expect(await form.findByText('A user of this name exists already')).toBeTruthy();
  expect(form.getByLabelText(/^Username/).getAttribute('aria-invalid')).toBe('true');
});

test('a new password differs from the old one, and a wrong old one is said beside it', async () => {
  const user = show();
  await openMenu(user, 'bob', 'Change password');
  const form = await inDialog();
  await fill(user, form.getByLabelText('Old password *'), 'long_enough');
  await fill(user, form.getByLabelText('New password *'), 'long_enough');
  await fill(user, form.getByLabelText('Repeat the new password *'), 'long_enough');
  const submit = form.getByRole('button', { name: 'Change password' });
  await user.click(submit);
  expect(await form.findByText('The new and old passwords cannot be the same')).toBeTruthy();
  expect(sent('POST')).toEqual([]);

  broker.answer = ({ method }) =>
    method === 'POST' ? json({ code: 'ERROR_PWD_NOT_MATCH', message: 'no' }, 400) : undefined;
  await user.type(form.getByLabelText('New password *'), '2');
  await user.type(form.getByLabelText('Repeat the new password *'), '2');
  await user.click(submit);
  expect(await form.findByText('The old password is wrong')).toBeTruthy();
  expect(sent('POST')[0]).toMatchObject({
    path: '/users/bob/change_pwd',
    body: { old_pwd: 'long_enough', new_pwd: 'long_enough2' },
  });
});

test("changing one's own password signs out quietly, another's does not", async () => {
  const ends: [SessionEnd, boolean][] = [];
  const off = onSessionEnd((reason, quiet) => ends.push([reason, quiet]));
  const user = show();
  const change = async (name: string) => {
    await openMenu(user, name, 'Change password');
    const form = await inDialog();
    await fill(user, form.getByLabelText('Old password *'), 'old_enough1');
    await fill(user, form.getByLabelText('New password *'), 'new_enough1');
    await fill(user, form.getByLabelText('Repeat the new password *'), 'new_enough1');
    await user.click(form.getByRole('button', { name: 'Change password' }));
  };
  await change('bob');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(getSession()?.username).toBe('ann');
  await change('ann');
  await waitFor(() => expect(getSession()).toBeNull());
  expect(ends).toEqual([['signed-out', true]]);
  expect(getToasts().map(({ text }) => text)).toContain('The password is changed. Sign in with the new one.');
  off();
});

test('nobody deletes himself: the entry stays and says why; others are deleted after a question', async () => {
  const user = show();
  await user.click(await screen.findByRole('button', { name: 'Actions for ann' }));
  const refused = await screen.findByRole('menuitem', { name: /^Delete/ });
  expect(refused.textContent).toContain('Nobody can delete himself');
  await user.click(refused);
  await user.keyboard('{Escape}');
  expect(sent('DELETE')).toEqual([]);

  await openMenu(user, 'bob', 'Delete');
  expect(await screen.findByText('Delete the user bob?')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Actions for bob' })).toBeNull());
  expect(sent('DELETE').map(({ path }) => path)).toEqual(['/users/bob']);
});

test('a failure offers another try', async () => {
  broker.answer = () => json({ code: 'INTERNAL_ERROR', message: 'boom' }, 500);
  const user = show();
  expect(await screen.findByText(/500 INTERNAL_ERROR:boom/)).toBeTruthy();
  broker.answer = () => undefined;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText('first')).toBeTruthy();
});

test('a cluster without users is a fact, not an error', async () => {
  broker.answer = () => json({ code: 'NOT_FOUND', message: 'Request Path Not Found' }, 404);
  show();
  expect(await screen.findByText('Not available on this broker')).toBeTruthy();
  expect(screen.queryByRole('alert')).toBeNull();
});
