import { MantineProvider } from '@mantine/core';
import { endpoint, json } from '@mqdeck/contract/kit/endpoint';
import { duration, MASK, secret } from '@mqdeck/contract/kit/values';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { queryClient } from '../api/query-client.ts';
import { setLanguage } from '../i18n/language.ts';
import { json as answered } from '../testing/answers.ts';
import { brokerBehindFetch } from '../testing/broker-behind-fetch.ts';
import { ContractForm } from './ContractForm.tsx';
import { NumberField, Secret, Text, Toggle } from './fields.tsx';
import { FormHostProvider } from './form-host.tsx';
import { Duration } from './measure-fields.tsx';
import { Select } from './Select.tsx';
import { SettingsForm } from './SettingsForm.tsx';

const body = z.strictObject({
  name: z.string(),
  enable: z._default(z.boolean(), true),
  max: z._default(z.number(), 10),
  interval: z._default(duration, '30s'),
  kind: z._default(z.enum(['fast', 'slow']), 'fast'),
  password: z.optional(secret),
});
const ok = json(z.looseObject({}));
const load = endpoint({ method: 'GET', path: '/settings', summary: '', ok });
const save = endpoint({ method: 'PUT', path: '/settings', summary: '', body, ok });
const words = {
  name: { en: 'Name', zh: '名称' },
  enable: { en: 'Enable', zh: '启用' },
  max: { en: 'Max', zh: '最大值' },
  interval: { en: 'Interval', zh: '间隔' },
  kind: { en: 'Kind', zh: '类型' },
  password: { en: 'Password', zh: '密码' },
};
const kinds = { fast: { en: 'Fast', zh: '快' }, slow: { en: 'Slow', zh: '慢' } };

let stored: Record<string, unknown>;
const broker = brokerBehindFetch<Record<string, unknown>>(
  ({ method, body: values }) => {
    if (method === 'PUT') stored = values;
    return answered(stored);
  },
  [load, save],
);
const sent = () => broker.sent('PUT').map(({ body: values }) => values);
beforeEach(() => {
  stored = { name: 'a', enable: true, max: 10, interval: '30s', kind: 'fast', password: MASK };
});

const show = (form: React.ReactNode) =>
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <QueryClientProvider client={queryClient}>
        <FormHostProvider value={{ useLeaveBlock: () => undefined }}>{form}</FormHostProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );

const fields = (
  <>
    <Text name="name" />
    <Toggle name="enable" />
    <NumberField name="max" />
    <Duration name="interval" />
    <Select name="kind" labels={kinds} />
    <Secret name="password" />
  </>
);
async function settings() {
  show(
    <SettingsForm load={load} save={save} words={words}>
      {fields}
    </SettingsForm>,
  );
  await screen.findByLabelText('Max');
}
const input = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
async function retype(label: string, text: string) {
  await userEvent.clear(input(label));
  await userEvent.type(input(label), text);
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

test('what changed is listed before it is saved, in the words of the fields', async () => {
  await settings();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  await retype('Max', '12');
  await userEvent.click(input('Enable'));
  await retype('Interval', '5');
  await userEvent.selectOptions(input('Unit of Interval'), 'm');
  await userEvent.selectOptions(input('Kind'), 'Slow');
  await userEvent.type(input('Password'), 'geheim');
  await retype('Name', ' ');
  await userEvent.clear(input('Name'));
  const toggle = screen.getByRole('button', { name: '6 fields changed' });
  expect(toggle.getAttribute('aria-expanded')).toBe('false');
  expect(screen.queryByRole('listitem')).toBeNull();
  await userEvent.click(toggle);
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Name from a to empty',
    'Enable from on to off',
    'Max from 10 to 12',
    'Interval from 30 seconds to 5 minutes',
    'Kind from Fast to Slow',
    'Password from the stored one to a new one',
  ]);
  act(() => setLanguage('zh'));
  expect(screen.getAllByRole('listitem')[1]!.textContent).toBe('启用 由 开 改为 关');
});

test('all fields go back to their defaults with one click, and are saved like any change', async () => {
  stored = { name: 'a', enable: false, max: 99, interval: '1m', kind: 'slow' };
  await settings();
  await press('Restore defaults');
  expect(screen.queryByRole('button', { name: 'Restore defaults' })).toBeNull();
  expect(screen.getByText('4 fields changed')).toBeTruthy();
  expect(sent()).toEqual([]);
  await press('Save');
  await waitFor(() =>
    expect(sent()).toEqual([{ name: 'a', enable: true, max: 10, interval: '30s', kind: 'fast' }]),
  );
});

test('what somebody else has changed is not overwritten: both values are shown, and nothing is saved', async () => {
  await settings();
  await retype('Max', '12');
  stored = { ...stored, max: 50 };
  await press('Save');
  const panel = await screen.findByRole('alert');
  expect(panel.textContent).toContain('Somebody else has changed what you are changing');
  expect(within(panel).getAllByRole('row')[1]!.textContent).toBe('Max5012');
  expect(sent()).toEqual([]);
  await press('Save yours');
  await waitFor(() => expect(sent()).toMatchObject([{ max: 12 }]));
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('what somebody else has changed can be taken instead', async () => {
  await settings();
  await retype('Max', '12');
  await retype('Name', 'mine');
  stored = { ...stored, max: 50 };
  await press('Save');
  await screen.findByRole('alert');
  await press('Take theirs');
  expect(screen.queryByRole('alert')).toBeNull();
  expect(input('Max').value).toBe('50');
  expect(screen.getByText('1 field changed')).toBeTruthy();
  await press('Save');
  await waitFor(() => expect(sent()).toMatchObject([{ max: 50, name: 'mine' }]));
});

test('other fields that somebody else has changed stay as he left them', async () => {
  await settings();
  await retype('Max', '12');
  stored = { ...stored, name: 'theirs' };
  await press('Save');
  await waitFor(() => expect(sent()).toMatchObject([{ max: 12, name: 'theirs' }]));
});

test('a change that arrives while one is typing is told at once', async () => {
  await settings();
  await retype('Max', '12');
  stored = { ...stored, max: 50 };
  await act(() => queryClient.invalidateQueries());
  await screen.findByText('Somebody else has changed what you are changing');
  await retype('Max', '50'); // the same as theirs: nothing to decide
  expect(screen.queryByRole('alert')).toBeNull();
});

test('an edit in a drawer asks what is stored too, and says when it is gone', async () => {
  let gone = false;
  const done = vi.fn();
  show(
    <ContractForm
      endpoint={save}
      words={words}
      initial={stored}
      current={async () => (gone ? null : stored)}
      onDone={done}
    >
      {fields}
    </ContractForm>,
  );
  expect(screen.queryByRole('button', { name: '1 field changed' })).toBeNull();
  await retype('Max', '12');
  expect(screen.getByRole('button', { name: '1 field changed' })).toBeTruthy();
  stored = { ...stored, max: 50 };
  await press('Save');
  await screen.findByText('Somebody else has changed what you are changing');
  gone = true;
  await press('Save yours');
  await screen.findByText(/Somebody else has changed or deleted it meanwhile/);
  expect(sent()).toEqual([]);
  gone = false;
  await press('Save');
  await waitFor(() => expect(done).toHaveBeenCalledTimes(1));
  expect(sent()).toMatchObject([{ max: 12 }]);
});
