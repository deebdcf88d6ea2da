import { clients } from '@mqdeck/contract/clients';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, cleanup, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setLanguage } from '../i18n/language.ts';
import { answerConfirm, getQuestion } from '../ui/confirm.ts';
import { dismiss, getToasts } from '../ui/toast.ts';
import { queryClient } from './query-client.ts';
import { useAction } from './use-action.ts';
import { useEndpoint } from './use-endpoint.ts';

let asked: string[] = [];
let answer: () => Promise<Response> = async () => new Response(null, { status: 204 });
const list = () =>
  new Response('{"data":[{"clientid":"a"}],"meta":{"page":1,"limit":1}}', {
    headers: { 'Content-Type': 'application/json' },
  });
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);

beforeEach(() => {
  asked = [];
  answer = async () => new Response(null, { status: 204 });
  vi.stubGlobal('fetch', async (url: string, { method }: RequestInit) => {
    asked.push(`${method} ${url}`);
    return method === 'GET' ? list() : answer();
  });
});
afterEach(() => {
  setLanguage('en');
  cleanup();
  queryClient.clear();
  for (const { id } of getToasts()) dismiss(id);
  vi.unstubAllGlobals();
});

const kickOut = { params: { clientid: 'a' } };

test('an action asks first and does nothing on no', async () => {
  const { result } = renderHook(() => useAction(clients.kickOut, { confirm: 'Kick out a?' }), { wrapper });
  const outcome = act(() => result.current(kickOut));
  await waitFor(() => expect(getQuestion()?.title).toBe('Kick out a?'));
  answerConfirm(false);
  expect(await outcome).toEqual({ done: false, error: undefined });
  expect(asked).toEqual([]);
});

test('it calls, says so and refreshes the lists on screen', async () => {
  const { result } = renderHook(
    () => ({
      rows: useEndpoint(clients.list, {}),
      kickOut: useAction(clients.kickOut, { refresh: [clients.list], success: 'Kicked out a' }),
    }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.rows.data?.data).toHaveLength(1));
  await act(() => result.current.kickOut(kickOut));
  expect(asked.map((one) => one.split(' ')[0])).toEqual(['GET', 'DELETE', 'GET']);
  expect(getToasts().map(({ text }) => text)).toEqual(['Kicked out a']);
});

test('a double click is one call', async () => {
  let release = (_: Response): void => undefined;
  answer = () => new Promise((resolve) => (release = resolve));
  const { result } = renderHook(() => useAction(clients.kickOut), { wrapper });
  let first: Promise<unknown> | undefined;
  act(() => {
    first = result.current(kickOut);
  });
  await waitFor(() => expect(result.current.pending).toBe(true));
  expect(await result.current(kickOut)).toEqual({ done: false, error: undefined });
  await act(async () => {
    release(new Response(null, { status: 204 }));
    await first;
  });
  expect(asked).toHaveLength(1);
  expect(result.current.pending).toBe(false);
});

test('a refusal comes back to the caller', async () => {
  answer = async () => new Response('{"code":"CLIENTID_NOT_FOUND","message":"gone"}', { status: 404 });
  const { result } = renderHook(() => useAction(clients.kickOut, { handles: [404] }), { wrapper });
  const outcome = await act(() => result.current(kickOut));
  expect(outcome).toMatchObject({ done: false, error: { code: 'CLIENTID_NOT_FOUND' } });
  expect(getToasts()).toEqual([]);
});

test.each([
  ['en', 'It is not known whether this was done. Check before trying again.'],
  ['zh', '无法确认操作是否已生效，请先核实再重试。'],
] as const)(
  'a deed whose answer got lost is called unknown, and the lists are asked again (%s)',
  async (language, text) => {
    setLanguage(language);
    answer = async () => {
      throw new TypeError('connection reset');
    };
    const { result } = renderHook(
      () => ({
        rows: useEndpoint(clients.list, {}),
        kickOut: useAction(clients.kickOut, { refresh: [clients.list], success: 'Kicked out a' }),
      }),
      { wrapper },
    );
    await waitFor(() => expect(result.current.rows.data?.data).toHaveLength(1));
    const outcome = await act(() => result.current.kickOut(kickOut));
    expect(outcome).toMatchObject({ done: false, error: { status: 0 } });
    expect(getToasts().map((toast) => toast.text)).toEqual([text]);
    await waitFor(() => expect(asked.map((one) => one.split(' ')[0])).toEqual(['GET', 'DELETE', 'GET']));
  },
);

test('a refusal asks the lists nothing: nothing was done', async () => {
  answer = async () => new Response('{"code":"BAD_REQUEST","message":"no"}', { status: 400 });
  const { result } = renderHook(
    () => ({
      rows: useEndpoint(clients.list, {}),
      kickOut: useAction(clients.kickOut, { refresh: [clients.list] }),
    }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.rows.data?.data).toHaveLength(1));
  await act(() => result.current.kickOut(kickOut));
  expect(asked.map((one) => one.split(' ')[0])).toEqual(['GET', 'DELETE']);
  expect(getToasts().map(({ text }) => text)).toEqual(['400 BAD_REQUEST:no']);
});
