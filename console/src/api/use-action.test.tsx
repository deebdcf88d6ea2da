import { clients } from '@mqdeck/contract/clients';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, renderHook, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, test } from 'vitest';
import { setLanguage } from '../i18n/language.ts';
import { json, nothing, refused } from '../testing/answers.ts';
import { brokerBehindFetch } from '../testing/broker-behind-fetch.ts';
import { answerConfirm, getQuestion } from '../ui/confirm.ts';
import { getToasts } from '../ui/toast.ts';
import { queryClient } from './query-client.ts';
import { useAction } from './use-action.ts';
import { useEndpoint } from './use-endpoint.ts';

const broker = brokerBehindFetch(({ method }) =>
  method === 'GET' ? json({ data: [{ clientid: 'a' }], meta: { page: 1, limit: 1 } }) : nothing(),
);
const methods = () => broker.calls.map(({ method }) => method);
const answerDeed = (answer: () => Response | Promise<Response>) => {
  broker.answer = ({ method }) => (method === 'DELETE' ? answer() : undefined);
};
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);

const kickOut = { params: { clientid: 'a' } };

test('an action asks first and does nothing on no', async () => {
  const { result } = renderHook(() => useAction(clients.kickOut, { confirm: 'Kick out a?' }), { wrapper });
  const outcome = act(() => result.current(kickOut));
  await waitFor(() => expect(getQuestion()?.title).toBe('Kick out a?'));
  answerConfirm(false);
  expect(await outcome).toEqual({ done: false, error: undefined });
  expect(broker.calls).toEqual([]);
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
  expect(methods()).toEqual(['GET', 'DELETE', 'GET']);
  expect(getToasts().map(({ text }) => text)).toEqual(['Kicked out a']);
});

test('a double click is one call', async () => {
  let release = (_: Response): void => undefined;
  answerDeed(() => new Promise((resolve) => (release = resolve)));
  const { result } = renderHook(() => useAction(clients.kickOut), { wrapper });
  let first: Promise<unknown> | undefined;
  act(() => {
    first = result.current(kickOut);
  });
  await waitFor(() => expect(result.current.pending).toBe(true));
  expect(await result.current(kickOut)).toEqual({ done: false, error: undefined });
  await act(async () => {
    release(nothing());
    await first;
  });
  expect(broker.calls).toHaveLength(1);
  expect(result.current.pending).toBe(false);
});

test('a refusal comes back to the caller', async () => {
  answerDeed(() => refused('CLIENTID_NOT_FOUND', 'gone'));
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
    answerDeed(() => Promise.reject(new TypeError('connection reset')));
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
    await waitFor(() => expect(methods()).toEqual(['GET', 'DELETE', 'GET']));
  },
);

test('a refusal asks the lists nothing: nothing was done', async () => {
  answerDeed(() => refused('BAD_REQUEST', 'no'));
  const { result } = renderHook(
    () => ({
      rows: useEndpoint(clients.list, {}),
      kickOut: useAction(clients.kickOut, { refresh: [clients.list] }),
    }),
    { wrapper },
  );
  await waitFor(() => expect(result.current.rows.data?.data).toHaveLength(1));
  await act(() => result.current.kickOut(kickOut));
  expect(methods()).toEqual(['GET', 'DELETE']);
  expect(getToasts().map(({ text }) => text)).toEqual(['400 BAD_REQUEST:no']);
});
