import { authentication } from '@mqdeck/contract/authentication';
import { plugins } from '@mqdeck/contract/plugins';
import { act, renderHook, waitFor } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { json, refused } from '../testing/answers.ts';
import { FakeXhr } from '../testing/fake-xhr.ts';
import { getToasts } from '../ui/toast.ts';
import { callsInProgressBar } from './in-flight.ts';
import { beginSession, getSession } from './session.ts';
import { useUpload } from './use-upload.ts';

const file = () => {
  const body = new FormData();
  body.append('plugin', new File(['x'], 'demo-1.tar.gz'));
  return { query: {}, body };
};
const request = () => FakeXhr.all.at(-1)!;

beforeEach(async () => {
  FakeXhr.all = [];
  vi.stubGlobal('XMLHttpRequest', FakeXhr);
  await beginSession({ token: 't0ken', username: 'admin', version: '5.8.0' });
});

/** An upload under way. */
function uploading() {
  const { result, unmount } = renderHook(() => useUpload(plugins.install));
  let outcome!: ReturnType<typeof result.current.send>;
  act(() => {
    outcome = result.current.send(file());
  });
  return { result, unmount, outcome };
}

test('an upload carries the token, tells how far it has come, and is done', async () => {
  const { result, outcome } = uploading();
  expect(request()).toMatchObject({ method: 'POST', address: '/api/v5/plugins/install' });
  expect(request().headers).toMatchObject({ authorization: 'Bearer t0ken', accept: 'application/json' });
  expect(request().headers['content-type']).toBeUndefined(); // the browser knows the border between the parts
  expect(callsInProgressBar()).toBe(0);
  act(() => request().progress(30, 120));
  expect(result.current.sent).toEqual({ sent: 30, total: 120 });
  await act(async () => {
    request().progress(120, 120);
    await request().answer(new Response(null, { status: 200 }));
  });
  expect(await outcome).toEqual({ done: true, answer: undefined });
  expect(result.current.sent).toBeUndefined();
});

test('a refusal is the error of any call, and is the page’s to show', async () => {
  const { outcome } = uploading();
  await act(() => request().answer(refused('BAD_PLUGIN_INFO', 'no manifest', 400)));
  expect(await outcome).toMatchObject({
    done: false,
    error: { status: 400, code: 'BAD_PLUGIN_INFO', message: 'no manifest' },
  });
  expect(getToasts()).toEqual([]);
});

test('an upload with a token that has expired ends the session', async () => {
  const { outcome } = uploading();
  await act(() => request().answer(refused('TOKEN_TIME_OUT', '', 401)));
  expect(await outcome).toMatchObject({ done: false, error: { status: 401 } });
  expect(getSession()).toBeNull();
});

test('an upload that is cancelled is neither done nor an error', async () => {
  const { result, outcome } = uploading();
  act(() => request().progress(30, 120));
  act(() => result.current.cancel());
  expect(await outcome).toEqual({ done: false, error: undefined });
  await waitFor(() => expect(result.current.sent).toBeUndefined());
});

test('what has arrived whole is not cancelled any more', async () => {
  const { result, outcome } = uploading();
  act(() => request().progress(120, 120));
  act(() => result.current.cancel());
  await act(() => request().answer(new Response(null, { status: 200 })));
  expect(await outcome).toMatchObject({ done: true });
});

test('a page that is left takes its upload along', async () => {
  const { unmount, outcome } = uploading();
  unmount();
  expect(await outcome).toEqual({ done: false, error: undefined });
});

test('a connection that breaks is an error without a status', async () => {
  const { outcome } = uploading();
  act(() => request().breakOff());
  expect(await outcome).toMatchObject({ done: false, error: { status: 0, timedOut: false } });
});

test('an upload may last as long as it gets on; 20 seconds of silence end it', async () => {
  vi.useFakeTimers();
  const { outcome } = uploading();
  for (let part = 1; part <= 4; part += 1) {
    await act(() => vi.advanceTimersByTimeAsync(15_000));
    act(() => request().progress(part, 10));
  }
  await act(() => vi.advanceTimersByTimeAsync(19_999));
  let over = false;
  void outcome.then(() => {
    over = true;
  });
  await act(() => vi.advanceTimersByTimeAsync(0));
  expect(over).toBe(false);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(await outcome).toMatchObject({ done: false, error: { status: 0, timedOut: true } });
});

test('an answer with a body is read as that of any call', async () => {
  const { result } = renderHook(() => useUpload(authentication.importUsers));
  const report = { total: 1, success: 1, override: 0, skipped: 0, failed: 0 };
  let outcome!: ReturnType<typeof result.current.send>;
  act(() => {
    outcome = result.current.send({ params: { id: 'scram' }, body: new FormData() });
  });
  await act(() => request().answer(json(report)));
  expect(await outcome).toEqual({ done: true, answer: report });
});
