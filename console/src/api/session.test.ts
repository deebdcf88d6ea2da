import { expect, test, vi } from 'vitest';
import { beginSession, endSession, getSession, onSessionEnd, restoreSession } from './session.ts';

const session = { token: 'top-secret-token', username: 'admin', version: '5.8.0' };

test('the session is stored sealed, under a random name of 4 characters', async () => {
  await beginSession(session);
  const name = localStorage.getItem('session')!;
  expect(name).toMatch(/^[A-Za-z0-9]{4}$/);
  const all = Object.entries({ ...localStorage })
    .flat()
    .join(' ');
  expect(all).not.toContain(session.token);
  expect(all).not.toContain('admin');
});

test('a reload finds the session again', async () => {
  await beginSession(session);
  await restoreSession();
  expect(getSession()).toEqual(session);
});

test('a stored session that cannot be opened is thrown away', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  localStorage.setItem('session', 'abcd');
  localStorage.setItem('abcd', btoa('not sealed by us at all, long enough'));
  await restoreSession();
  expect(getSession()).toBeNull();
  expect(localStorage.length).toBe(0);
});

test('the end leaves nothing behind and is told once', async () => {
  const ends: string[] = [];
  const stop = onSessionEnd((reason) => ends.push(reason));
  await beginSession(session);
  endSession('signed-out');
  endSession('signed-out');
  expect(localStorage.length).toBe(0);
  expect(ends).toEqual(['signed-out']);
  stop();
});

test('a logout in another tab ends the session here', async () => {
  const ends: string[] = [];
  const stop = onSessionEnd((reason) => ends.push(reason));
  await restoreSession();
  await beginSession(session);
  localStorage.clear();
  window.dispatchEvent(new StorageEvent('storage', { key: 'session', newValue: null }));
  expect(getSession()).toBeNull();
  expect(ends).toEqual(['elsewhere']);
  stop();
});
