import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { render, screen, waitFor } from '@testing-library/react';
import { beforeAll, expect, test } from 'vitest';
import { beginSession } from './api/session.ts';
import { setLanguage } from './i18n/language.ts';
import { makeRouter } from './router.ts';
import { brokerBehindFetch } from './testing/broker-behind-fetch.ts';

beforeAll(async () => {
  await import('./shell/Shell.tsx'); // the first load of a lazy page is not what is tested
});

brokerBehindFetch(); // one without any endpoint

function open(path: string) {
  const history = createMemoryHistory({ initialEntries: [path] });
  render(<RouterProvider router={makeRouter(history) as never} />);
  return history;
}
const signIn = () => beginSession({ token: 't', username: 'admin', version: '5.8.0' });

test('who is not signed in is led to the login, which remembers the address asked for', async () => {
  const history = open('/connections?like_clientid=a%26b&page=2#x');
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(new URLSearchParams(history.location.search).get('to')).toBe(
    '/connections?like_clientid=a%26b&page=2#x',
  );
});

test('the start leads to the overview', async () => {
  await signIn();
  const history = open('/');
  await waitFor(() => expect(history.location.pathname).toBe('/dashboard/overview'));
});

test.each([
  ['/dashboard', '/dashboard/overview'],
  ['/alarm', '/alarm/current-alarm'],
  ['/subscriptions', '/subscriptions/subscription'],
  ['/mqtt', '/mqtt/general'],
  ['/monitoring', '/monitoring/alarm-settings'],
  ['/websocket', '/websocket/client'],
])('%s leads to %s', async (from, to) => {
  await signIn();
  const history = open(from);
  await waitFor(() => expect(history.location.pathname).toBe(to));
});

test('an unknown address is a page of its own, open to all', async () => {
  open('/no/such/page');
  await screen.findByRole('heading', { name: 'Page not found' });
  screen.getByRole('link', { name: 'Sign in' });
});

test('help is open to those who are not signed in', async () => {
  open('/help');
  await screen.findByRole('heading', { level: 1, name: 'Help' });
});

test('a language switch changes what is on screen without a reload', async () => {
  open('/help');
  await screen.findByRole('heading', { level: 1, name: 'Help' });
  setLanguage('zh');
  await screen.findByRole('heading', { level: 1, name: '帮助' });
});

test('a client id of any characters reaches its page', async () => {
  await signIn();
  open(`/connections/detail/${encodeURIComponent('a/b#?% 客')}`);
  const place = await screen.findByRole('navigation', { name: 'You are here' });
  expect(place.textContent).toContain('a/b#?% 客');
});
