import { alarms } from '@mqdeck/contract/alarms';
import { clients } from '@mqdeck/contract/clients';
import { errorCodes } from '@mqdeck/contract/error-codes';
import { endpoint, json as ok } from '@mqdeck/contract/kit/endpoint';
import { login } from '@mqdeck/contract/login';
import { stats } from '@mqdeck/contract/metrics';
import { users } from '@mqdeck/contract/users';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { setLanguage } from '../i18n/language.ts';
import { checkResponse, foreign, json, refused } from '../testing/answers.ts';
import { getToasts } from '../ui/toast.ts';
import { ApiError } from './api-error.ts';
import { isAbsent } from './features.ts';
import { callsInProgressBar } from './in-flight.ts';
import { sentenceInPlace, sentenceOf } from './report.ts';
import { download, plainText, queryText, request } from './request.ts';
import { beginSession, expectSessionEnd, getSession, onSessionEnd } from './session.ts';

type Answer = Response | Error | ((init: RequestInit) => Promise<Response>);
const traceFile = endpoint({
  method: 'GET',
  path: '/trace/:name/file',
  summary: '',
  ok: ok(z.string()),
});

let answers: Answer[] = [];
let asked: { url: string; init: RequestInit }[] = [];
const ends: [string, boolean][] = [];
let stopListening: () => void;

const toasts = () => getToasts().map(({ text }) => text);

beforeEach(async () => {
  answers = [];
  asked = [];
  ends.length = 0;
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    asked.push({ url, init });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (answer instanceof Error) throw answer;
    const response = typeof answer === 'function' ? await answer(init) : answer!;
    await checkResponse(init.method!, url, response, [traceFile]);
    return response.clone();
  });
  stopListening = onSessionEnd((reason, quiet) => ends.push([reason, quiet]));
  await beginSession({ token: 't0ken', username: 'admin', version: '5.8.0' });
});

afterEach(() => stopListening());

test('a call goes below the base path and carries the token', async () => {
  const base = document.createElement('meta');
  base.name = 'mqdeck-base';
  base.content = '/deck/';
  document.head.append(base);
  answers = [json({ data: [], meta: { page: 2, limit: 50 } })];
  await request(clients.list, { query: { page: 2, limit: 50 } });
  expect(asked[0]!.url).toBe('/deck/api/v5/clients?page=2&limit=50');
  expect(new Headers(asked[0]!.init.headers).get('Authorization')).toBe('Bearer t0ken');
});

test('an id is one percent-encoded segment', async () => {
  answers = [new Response(null, { status: 204 })];
  await request(clients.kickOut, { params: { clientid: 'a/b?c#d' } });
  expect(asked[0]!.url).toMatch(/\/api\/v5\/clients\/a%2Fb%3Fc%23d$/);
});

test('a query leaves out what is not set and repeats lists', () => {
  expect(queryText({ a: undefined, b: null, c: '', d: 0, e: false, f: ['x', 'y'] })).toBe(
    '?d=0&e=false&f=x&f=y',
  );
  expect(queryText({})).toBe('');
});

test('the login carries no token', async () => {
  answers = [json({ token: 'x', version: '5', license: { edition: 'ce' } })];
  await request(login.login, { body: { username: 'admin', password: 'x' } });
  expect(new Headers(asked[0]!.init.headers).get('Authorization')).toBeNull();
});

test('a page in place of data is a failure, quoted without its markup', async () => {
  const page = '<html><head><title>x</title></head><body>Hotel <b>network</b></body></html>';
  const headers = { 'Content-Type': 'text/html; charset=utf-8' };
  answers = [foreign(new Response(page, { status: 200, headers }))];
  await expect(request(clients.list, {})).rejects.toMatchObject({ status: 200, message: 'Hotel network' });
  expect(toasts()).toEqual(['200 :Hotel network']);
});

test('an answer without a body is undefined', async () => {
  answers = [new Response(null, { status: 204 })];
  expect(await request(clients.kickOut, { params: { clientid: 'a' } })).toBeUndefined();
});

test('a download gives the whole response with its headers', async () => {
  answers = [new Response('bytes', { headers: { 'Content-Disposition': 'attachment; filename="t.zip"' } })];
  const response = await download(traceFile, { params: { name: 't' } });
  expect(response.headers.get('Content-Disposition')).toContain('t.zip');
  expect(await response.text()).toBe('bytes');
});

test('the progress bar shows while a call is under way, unless the call opts out', async () => {
  let release = (_: Response): void => undefined;
  answers = [() => new Promise((resolve) => (release = resolve))];
  const silent = request(alarms.list, {}, { progress: false });
  expect(callsInProgressBar()).toBe(0);
  release(json({ data: [], meta: { page: 1, limit: 100 } }));
  await silent;
  const shown = request(alarms.list, {});
  expect(callsInProgressBar()).toBe(1);
  release(json({ data: [], meta: { page: 1, limit: 100 } }));
  await shown;
  expect(callsInProgressBar()).toBe(0);
});

test('an error with a code is shown as status, code and message', async () => {
  answers = [refused('INTERNAL_ERROR', 'boom')];
  const error = await request(clients.list, {}).catch((cause: unknown) => cause);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 500, code: 'INTERNAL_ERROR', message: 'boom', faults: [] });
  expect(toasts()).toEqual(['500 INTERNAL_ERROR:boom']);
});

test('an error that says nothing is shown as a network error', async () => {
  answers = [foreign(new Response('', { status: 503 }))];
  await expect(request(clients.list, {})).rejects.toThrow();
  expect(toasts()).toEqual(['503 Network error']);
});

test('in Chinese the same error is told in Chinese', async () => {
  setLanguage('zh');
  answers = [foreign(new Response('', { status: 503 }))];
  await expect(request(clients.list, {})).rejects.toThrow();
  expect(toasts()).toEqual(['503 网络错误']);
});

test('wrong credentials are told in words', async () => {
  answers = [refused('BAD_USERNAME_OR_PWD')];
  await expect(request(login.login, { body: { username: 'a', password: 'b' } })).rejects.toThrow();
  expect(toasts()).toEqual(['Incorrect username or password']);
});

test('a status that the caller handles is not shown', async () => {
  answers = [refused('BAD_REQUEST', 'no')];
  await expect(request(clients.list, {}, { handles: [400] })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  expect(toasts()).toEqual([]);
});

test('each status is shown once until all calls have settled, then again', async () => {
  answers = [refused('INTERNAL_ERROR', 'boom')];
  await Promise.allSettled([1, 2, 3].map(() => request(clients.list, {})));
  expect(getToasts().map(({ times }) => times)).toEqual([1]);
  await request(clients.list, {}).catch(() => undefined);
  expect(getToasts().map(({ times }) => times)).toEqual([2]);
});

test('what stands on the page says that the server is silent; an answer it has keeps its words', () => {
  expect(sentenceInPlace(new ApiError({ status: 0 }))).toMatch(/^The server does not answer\./);
  const refusal = new ApiError({ status: 500, code: 'INTERNAL_ERROR', message: 'boom' });
  expect(sentenceInPlace(refusal)).toBe(sentenceOf(refusal));
});

test('no answer at all is told once', async () => {
  answers = [new TypeError('Failed to fetch')];
  await Promise.allSettled([1, 2, 3].map(() => request(clients.list, {})));
  expect(toasts()).toEqual(['Some error occurred']);
  expect(getToasts()[0]!.times).toBe(1);
});

test('a call ends after 20 seconds; a caller who handles the timeout hears of it alone', async () => {
  vi.useFakeTimers();
  answers = [
    ({ signal }) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      }),
  ];
  const call = request(clients.list, {}, { handlesTimeout: true }).catch((cause: unknown) => cause);
  await vi.advanceTimersByTimeAsync(19_999);
  expect(callsInProgressBar()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await call).toMatchObject({ status: 0, timedOut: true });
  expect(toasts()).toEqual([]);
});

test('a call that its caller gave up reports nothing', async () => {
  const leaving = new AbortController();
  answers = [
    ({ signal }) =>
      new Promise((_, reject) => {
        signal!.addEventListener('abort', () => reject(new DOMException('', 'AbortError')));
      }),
  ];
  const call = request(clients.list, {}, { signal: leaving.signal });
  leaving.abort();
  await expect(call).rejects.toThrow();
  expect(toasts()).toEqual([]);
});

test('twenty expired calls at once end the session once', async () => {
  answers = [refused('TOKEN_TIME_OUT')];
  await Promise.allSettled(Array.from({ length: 20 }, () => request(clients.list, {})));
  expect(ends).toEqual([['expired', false]]);
  expect(getSession()).toBeNull();
  expect(toasts()).toEqual([]); // whoever listens to the end gives the one notice
});

test('a late refusal of an old token leaves the new session alone', async () => {
  let release = (_: Response): void => undefined;
  answers = [() => new Promise((resolve) => (release = resolve))];
  const late = request(clients.list, {}).catch(() => undefined);
  await beginSession({ token: 'fresh', username: 'admin', version: '5.8.0' });
  release(refused('BAD_TOKEN'));
  await late;
  expect(getSession()?.token).toBe('fresh');
  expect(ends).toEqual([]);
});

test('any other 401 logs out as well and says why', async () => {
  answers = [refused('API_KEY_NOT_ALLOW', 'no')];
  await expect(request(clients.list, {})).rejects.toThrow();
  expect(getSession()).toBeNull();
  expect(toasts()).toEqual(['401 API_KEY_NOT_ALLOW:no']);
});

test("after the user's own change of password the refusals are quiet", async () => {
  answers = [refused('BAD_TOKEN')];
  expectSessionEnd();
  await expect(request(clients.list, {})).rejects.toThrow();
  expect(ends).toEqual([['expired', true]]);
});

test('faults of fields are taken from the message', async () => {
  const fault = { kind: 'validation_error', path: 'root.qos', reason: 'out of range' };
  answers = [refused('BAD_REQUEST', JSON.stringify(fault))];
  const error = await request(clients.list, {}).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ faults: [{ path: 'root.qos' }] });
  expect(toasts()).toEqual(['400 BAD_REQUEST:root.qos: out of range']);
});

test("a proxy's page becomes a short text", () => {
  const page = `<html><head><style>p{}</style><script>evil()</script></head><body><h1>502</h1>\n<p>Bad ${'x'.repeat(400)}</p></body></html>`;
  const text = plainText(page);
  expect(text).toMatch(/^502 Bad x+…$/);
  expect(text.length).toBe(301);
});

test('an endpoint the broker does not have is no error on the screen', async () => {
  answers = [refused('NOT_FOUND', 'Request Path Not Found')];
  await expect(request(alarms.list, {})).rejects.toMatchObject({ absent: true });
  answers = [foreign(new Response('<html></html>', { status: 405 }))];
  await expect(request(clients.list, {})).rejects.toMatchObject({ absent: true });
  expect(toasts()).toEqual([]);
});

test('a thing the broker does not have is an error', async () => {
  answers = [refused('CLIENTID_NOT_FOUND', 'gone')];
  await expect(request(clients.kickOut, { params: { clientid: 'a' } })).rejects.toMatchObject({
    absent: false,
  });
  expect(toasts()).toEqual(['404 CLIENTID_NOT_FOUND:gone']);
});

test('every code of the contract with status 404 is about a thing, and no other code', () => {
  const endpointOfThing = { ...clients.get, errors: [] };
  for (const [code, [status]] of Object.entries(errorCodes))
    expect([code, isAbsent(endpointOfThing, 404, code)]).toEqual([code, status !== 404]);
});

const page = { data: [{ clientid: 'a' }], meta: { page: 1, limit: 100 } };
const notUnderstood = "The broker's answer could not be understood";

test.each([
  ['nothing', new Response('', { status: 200 })],
  ['204', new Response(null, { status: 204 })],
  ['a text', new Response('It works!', { headers: { 'Content-Type': 'text/plain' } })],
  ['half a JSON', new Response('{"data":[', { headers: { 'Content-Type': 'application/json' } })],
  ['an array', json([])],
  ['null', json(null)],
  ['data that are no rows', json({ ...page, data: 'x' })],
  ['a row that is null', json({ ...page, data: [{ clientid: 'a' }, null] })],
  ['no meta', json({ data: [] })],
])('a list answered with %s is a failure, not an empty list', async (_, response) => {
  answers = [foreign(response)];
  await expect(request(clients.list, {})).rejects.toMatchObject({ trouble: 'notUnderstood' });
  expect(toasts()).toEqual([notUnderstood]);
});

test('an array of things and one thing are looked at too, and fields are not', async () => {
  for (const wrong of [{}, [null], ['x'], null, 'x']) {
    answers = [foreign(json(wrong))];
    await expect(request(users.list, {})).rejects.toMatchObject({ trouble: 'notUnderstood' });
  }
  answers = [foreign(json([{ name_of_another_version: 1 }]))];
  expect(await request(users.list, {})).toHaveLength(1);
  answers = [foreign(json([]))];
  await expect(request(clients.get, { params: { clientid: 'a' } })).rejects.toThrow();
  answers = [json(page)];
  expect(await request(clients.list, {})).toEqual(page);
  // One node's figures or those of all: the contract allows both.
  for (const either of [{ 'connections.count': 1 }, [{ 'connections.count': 1 }]]) {
    answers = [json(either)];
    expect(await request(stats.list, {})).toEqual(either);
  }
});

test.each([
  ['120', 120],
  ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ['-1', undefined],
])('a refusal knows when to try again: %s', async (header, seconds) => {
  answers = [foreign(new Response('{}', { status: 503, headers: { 'Retry-After': header } }))];
  await expect(request(stats.list, {}, { quiet: true })).rejects.toMatchObject({
    retryAfterSeconds: seconds,
  });
});
