import type { ApiKey } from '@mqdeck/contract/api-keys';
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { queryClient } from '../../api/query-client.ts';
import { noteServerTime } from '../../api/server-clock.ts';
import { beginSession } from '../../api/session.ts';
import { json, nothing } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { closePage, openPage } from '../../testing/open-pages.tsx';
import { ApiKeysPage } from './ApiKeysPage.tsx';
import { expiresAt, stateOf } from './expiry-date.ts';

const SECRET = 'x7Secret'.repeat(5);
const DAY_MS = 24 * 3600 * 1000;

const keyOf = (name: string, rest: Partial<ApiKey> = {}): ApiKey => ({
  name,
  api_key: '00112233445566aa',
  desc: '',
  enable: true,
  expired: false,
  expired_at: 'infinity',
  created_at: '2026-01-02T03:04:05+00:00',
  ...rest,
});

/** A broker's keys, behind fetch. */
let keys: ApiKey[];

const broker = brokerBehindFetch<Record<string, unknown>>(({ method, path, body }) => {
  const name = path.split('/')[2];
  if (method === 'POST') {
    const made = keyOf(String(body.name), body);
    keys = [...keys, made];
    return json({ ...made, api_secret: SECRET });
  }
  if (method === 'PUT') {
    keys = keys.map((one) => (one.name === name ? { ...one, ...body } : one));
    return json(keys.find((one) => one.name === name));
  }
  if (method === 'DELETE') keys = keys.filter((one) => one.name !== name);
  if (method !== 'GET') return nothing();
  return json(name === undefined ? keys : keys.find((one) => one.name === name));
});
const { sent } = broker;

beforeEach(async () => {
  keys = [
    keyOf('scraper', { desc: 'metrics', role: 'viewer' }),
    keyOf('old', { desc: 'of the old plant', expired: true, expired_at: '2020-01-01T00:00:00+00:00' }),
  ];
  await beginSession({ token: 't', username: 'ann', version: '5.8.0' });
});

const show = () => openPage(<ApiKeysPage />);

const inDialog = async () => within(await screen.findByRole('dialog'));

describe('a new key', () => {
  test('has a name, and an expiry that is not over', async () => {
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Create API key' }));
    const form = await inDialog();
    const submit = form.getByRole('button', { name: 'Create API key' });
    await user.selectOptions(form.getByLabelText(/^Expires/), 'at a time…');
    await user.click(submit);
    expect(await form.findByText('Name is required')).toBeTruthy();
    expect(form.getByText('Please enter the expire time')).toBeTruthy();

    await user.type(form.getByLabelText(/^Name/), '1st');
    expect(await form.findByText(/^A name begins with a letter and has only/)).toBeTruthy();
    await user.type(form.getByLabelText('Expiry time'), '2020-01-01T00:00');
    expect(await form.findByText('Expiry time cannot be earlier than now')).toBeTruthy();
    await user.click(submit);
    expect(sent('POST')).toEqual([]);
  });

  test('shows its secret once, and stays on screen until it is stored', async () => {
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Create API key' }));
    const form = await inDialog();
    await user.type(form.getByLabelText(/^Name/), 'fresh');
    await user.selectOptions(form.getByLabelText(/^Expires/), 'in 7 days');
    await user.click(form.getByRole('button', { name: 'Create API key' }));

    expect(await screen.findByText(SECRET)).toBeTruthy();
    const { body } = sent('POST')[0]!;
    expect(body).toMatchObject({ name: 'fresh', enable: true, desc: '' });
    const left = Date.parse(String(body.expired_at)) - Date.now();
    expect(left).toBeGreaterThan(6.9 * DAY_MS);
    expect(left).toBeLessThan(8.1 * DAY_MS);
    expect(
      screen.getByText(new RegExp(`^curl -u 00112233445566aa:${SECRET} http.*api/v5/nodes$`)),
    ).toBeTruthy();
    for (const what of ['API key', 'Secret', 'Try it'])
      expect(screen.getByRole('button', { name: `Copy: ${what}` })).toBeTruthy();

    const done = screen.getByRole<HTMLButtonElement>('button', { name: 'Done' });
    expect(done.disabled).toBe(true);
    await user.keyboard('{Escape}');
    expect(screen.getByText(SECRET)).toBeTruthy();
    await user.click(screen.getByRole('checkbox', { name: 'I have stored the secret' }));
    await user.click(done);
    await waitFor(() => expect(screen.queryByText(SECRET)).toBeNull());
    expect(await screen.findByText('fresh')).toBeTruthy();
    expect(
      JSON.stringify(
        queryClient
          .getQueryCache()
          .getAll()
          .map(({ state }) => state),
      ),
    ).not.toContain(SECRET);
  });

  test('of a name that is taken is refused beside the name', async () => {
    broker.answer = ({ method }) =>
      method === 'POST' ? json({ code: 'BAD_REQUEST', message: 'name_already_existed' }, 400) : undefined;
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Create API key' }));
    const form = await inDialog();
    await user.type(form.getByLabelText(/^Name/), 'scraper');
    await user.click(form.getByRole('button', { name: 'Create API key' }));
    expect(await form.findByText('An API key of this name exists already')).toBeTruthy();
    expect(screen.queryByText('Try it')).toBeNull();
  });
});

describe('a key of the list', () => {
  test('is disabled after a question that names what stops, and enabled without one', async () => {
    const user = show();
    const enable = await screen.findByRole<HTMLInputElement>('switch', { name: 'Enable scraper' });
    await user.click(enable);
    expect(await screen.findByText('Disable the API key scraper?')).toBeTruthy();
    expect(screen.getByText(/^Every program that uses the key 00112233445566aa \(metrics\)/)).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(sent('PUT')).toEqual([]);
    await waitFor(() => expect(enable.checked).toBe(true));

    await user.click(enable);
    await user.click(await screen.findByRole('button', { name: 'Disable' }));
    await waitFor(() => expect(sent('PUT').map(({ body }) => body)).toEqual([{ enable: false }]));
    await waitFor(() => expect(enable.checked).toBe(false));
    await user.click(enable);
    await waitFor(() => expect(sent('PUT')).toHaveLength(2));
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('keeps an expiry that is over when only its note is changed', async () => {
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Actions for old' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
    const form = await inDialog();
    await user.clear(form.getByLabelText('Note'));
    await user.click(form.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent('PUT')).toHaveLength(1));
    expect(sent('PUT')[0]).toMatchObject({
      path: '/api_key/old',
      body: { desc: '', enable: true, expired_at: '2020-01-01T00:00:00+00:00' },
    });
  });

  test('is deleted after a question', async () => {
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Actions for old' }));
    await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
    expect(await screen.findByText('Delete the API key old?')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Actions for old' })).toBeNull());
    expect(sent('DELETE').map(({ path }) => path)).toEqual(['/api_key/old']);
  });
});

test('the state of a key is what its owner has to know', () => {
  const now = Date.parse('2026-06-01T00:00:00Z');
  const at = (expired_at: string, rest: Partial<ApiKey> = {}) =>
    stateOf(keyOf('k', { expired_at, ...rest }), now);
  expect(at('infinity')).toBe('enabled');
  expect(at('2026-06-09T00:00:00Z')).toBe('enabled');
  expect(at('2026-06-07T23:59:59Z')).toBe('soon');
  expect(at('2026-05-01T00:00:00Z', { expired: true })).toBe('expired');
  expect(at('2026-05-01T00:00:00Z', { expired: true, enable: false })).toBe('disabled');
});

test('what is soon goes by the clock of the server, whatever the browser thinks', () => {
  const inThreeDays = keyOf('k', { expired_at: new Date(Date.now() + 3 * DAY_MS).toISOString() });
  expect(stateOf(inThreeDays)).toBe('soon');
  noteServerTime(new Date(Date.now() - 10 * DAY_MS).toUTCString());
  expect(stateOf(inThreeDays)).toBe('enabled');
  expect(Date.parse(expiresAt('week', '')!)).toBeLessThan(Date.now());
});

test('an expiry in days ends with a day of the operator, and a half entered one is none', () => {
  const now = new Date(2026, 1, 26, 12).getTime();
  expect(new Date(expiresAt('week', '', now)!)).toEqual(new Date(2026, 2, 5, 23, 59, 59));
  expect(new Date(expiresAt('year', '', now)!)).toEqual(new Date(2027, 1, 26, 23, 59, 59));
  expect(expiresAt('never', '2030-01-01T00:00', now)).toBe('infinity');
  expect(expiresAt('moment', '', now)).toBeNull();
  expect(expiresAt('moment', '2030-01-01T00:00', now)).toBe(new Date(2030, 0, 1).toISOString());
});

test('no keys, a failure and a cluster without keys are told apart', async () => {
  keys = [];
  show();
  expect(await screen.findByText(/^There are no API keys/)).toBeTruthy();
  closePage();
  broker.answer = () => json({ code: 'INTERNAL_ERROR', message: 'boom' }, 500);
  const user = show();
  expect(await screen.findByText(/500 INTERNAL_ERROR:boom/)).toBeTruthy();
  broker.answer = () => undefined;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByText(/^There are no API keys/)).toBeTruthy();
  closePage();
  broker.answer = () => json({ code: 'NOT_FOUND', message: 'Request Path Not Found' }, 404);
  show();
  expect(await screen.findByText('Not available on this broker')).toBeTruthy();
});
