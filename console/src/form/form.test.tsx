import { MantineProvider } from '@mantine/core';
import { endpoint, json, noContent } from '@mqdeck/contract/kit/endpoint';
import { byteSize, duration, MASK, percent, secret } from '@mqdeck/contract/kit/values';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { queryClient } from '../api/query-client.ts';
import { setLanguage } from '../i18n/language.ts';
import { json as answered, foreign, nothing, refused } from '../testing/answers.ts';
import { brokerBehindFetch } from '../testing/broker-behind-fetch.ts';
import { answerConfirm, getQuestion } from '../ui/confirm.ts';
import { ContractForm, type ContractFormProps } from './ContractForm.tsx';
import { EitherOr } from './EitherOr.tsx';
import { FormDrawer } from './FormDrawer.tsx';
import { MultiText, NumberField, Percent, Secret, Text, TextArea, Toggle } from './fields.tsx';
import { FormHostProvider } from './form-host.tsx';
import { Advanced } from './Group.tsx';
import { Headers } from './Headers.tsx';
import { KeyValue } from './KeyValue.tsx';
import { Bytes, Count, Duration, Rate } from './measure-fields.tsx';
import { Select } from './Select.tsx';
import { SettingsForm, WhereKnown } from './SettingsForm.tsx';
import { Tls } from './Tls.tsx';

const body = z.strictObject({
  name: z.string().check(z.minLength(1), z.maxLength(8)),
  note: z.optional(z.string()),
  password: z.optional(secret),
  enable: z._default(z.boolean(), true),
  max: z.optional(z.number().check(z.int(), z.gte(1), z.lte(100))),
  low: z.optional(z.number().check(z.gte(5))),
  expiry: z.optional(duration),
  expiry_or_never: z.optional(z.union([duration, z.literal('infinity')])),
  other: z.optional(z.string()),
  size: z.optional(byteSize),
  share: z.optional(percent),
  kind: z.optional(z.enum(['fast', 'slow'])),
  strict: z.optional(z.boolean()),
  headers: z.optional(z.record(z.string(), z.string())),
  topics: z.optional(z.array(z.string())),
  pool: z._default(z.number(), 16),
  limit: z.optional(z.number().check(z.int(), z.gte(0), z.lte(500))),
  rate: z.optional(z.string()),
  backend: z.optional(z.strictObject({ kind: z.optional(z.string()), room: z.optional(z.string()) })),
  ssl: z.optional(
    z.strictObject({
      enable: z.boolean(),
      verify: z.optional(z.string()),
      server_name_indication: z.optional(z.string()),
      certfile: z.optional(z.string()),
      keyfile: z.optional(z.string()),
      cacertfile: z.optional(z.string()),
    }),
  ),
});
const create = endpoint({ method: 'POST', path: '/things', summary: '', body, ok: noContent });
const load = endpoint({ method: 'GET', path: '/settings', summary: '', ok: json(z.looseObject({})) });
const save = endpoint({ method: 'PUT', path: '/settings', summary: '', body, ok: noContent });
const choices = endpoint({ method: 'GET', path: '/some/list', summary: '', ok: json(z.array(z.unknown())) });
const nodes = endpoint({ method: 'GET', path: '/nodes', summary: '', ok: json(z.array(z.looseObject({}))) });

const words = {
  name: { en: 'Name', zh: '名称' },
  note: { en: 'Note', zh: '备注' },
  'note.hint': { en: 'For yourself', zh: '仅供自己查看' },
  password: { en: 'Password', zh: '密码' },
  enable: { en: 'Enable', zh: '启用' },
  max: { en: 'Max', zh: '最大值' },
  low: { en: 'Low', zh: '最小值' },
  expiry: { en: 'Expiry', zh: '过期时间' },
  expiry_or_never: { en: 'Session expiry', zh: '会话过期间隔' },
  other: { en: 'Other', zh: '其他' },
  size: { en: 'Size', zh: '大小' },
  share: { en: 'Share', zh: '比例' },
  kind: { en: 'Kind', zh: '类型' },
  strict: { en: 'Strict', zh: '严格' },
  headers: { en: 'Headers', zh: '请求头' },
  topics: { en: 'Topics', zh: '主题' },
  pool: { en: 'Pool', zh: '池' },
  limit: { en: 'Limit', zh: '上限' },
  rate: { en: 'Rate', zh: '速率' },
  room: { en: 'Room', zh: '房间' },
};

/** What GET /settings answers. */
let stored: Record<string, unknown>;
const broker = brokerBehindFetch<Record<string, unknown>>(
  ({ method, path }) => (method === 'GET' && path === '/settings' ? answered(stored) : nothing()),
  [create, load, save, nodes, choices],
);
/** The requests that change something. */
const sent = () => broker.calls.filter(({ method }) => method !== 'GET');
const blocks: { blocked: boolean; mayLeave: () => Promise<boolean> }[] = [];

const host = {
  useLeaveBlock: (blocked: boolean, mayLeave: () => Promise<boolean>) => {
    blocks.push({ blocked, mayLeave });
  },
};

const page = (children: ReactNode) =>
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <QueryClientProvider client={queryClient}>
        <FormHostProvider value={host}>{children}</FormHostProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );

const form = (children: ReactNode, props: Partial<ContractFormProps<typeof create>> = {}) =>
  page(
    <ContractForm endpoint={create} words={words} initial={{ name: 'a' }} {...props}>
      {children}
    </ContractForm>,
  );

const settings = (children: ReactNode) =>
  page(
    <SettingsForm load={load} save={save} words={words}>
      {children}
    </SettingsForm>,
  );

const submit = () => userEvent.click(screen.getByRole('button', { name: 'Create' }));
const input = (label: string) => screen.getByLabelText(label) as HTMLInputElement;
async function retype(label: string, text: string) {
  await userEvent.clear(input(label));
  if (text !== '') await userEvent.type(input(label), text);
}
const sentBody = async () => {
  await waitFor(() => expect(sent()).toHaveLength(1));
  return sent()[0]!.body;
};

beforeEach(() => {
  blocks.length = 0;
  stored = { name: 'a', enable: true, max: 10, password: MASK, version: '5.8', expiry: '15s' };
});

describe('a form', () => {
  test('sends what the contract takes, leaving out what is empty', async () => {
    form(
      <>
        <Text name="name" />
        <Text name="note" />
      </>,
    );
    expect(screen.getByText('For yourself')).toBeTruthy();
    await submit();
    expect(await sentBody()).toEqual({ name: 'a' });
  });

  test('says what is wrong beside the field and brings the operator to the first one', async () => {
    form(
      <>
        <Text name="note" required />
        <Text name="name" />
      </>,
      { initial: { name: '' } },
    );
    await submit();
    await screen.findByText('Note is required');
    expect(screen.getByText('Name is required')).toBeTruthy();
    expect(input('Note *').getAttribute('aria-invalid')).toBe('true');
    expect(
      document.getElementById(input('Note *').getAttribute('aria-describedby')!.split(' ')[0]!)!.textContent,
    ).toBe('Note is required');
    await waitFor(() => expect(document.activeElement).toBe(input('Note *')));
    expect(sent()).toEqual([]);
  });

  test('says the limits of a text', async () => {
    form(<Text name="name" />, { initial: { name: 'far too long' } });
    await submit();
    await screen.findByText('At most 8 characters');
  });

  test('puts the objections of the broker beside their fields', async () => {
    const fault = { kind: 'validation_error', path: 'root.topics.2', reason: 'bad_topic' };
    broker.answer = () => refused('BAD_REQUEST', JSON.stringify(fault));
    form(
      <>
        <Text name="name" />
        <MultiText name="topics" />
      </>,
    );
    await submit();
    await screen.findByText('The broker refused it: bad_topic');
    expect(input('Topics').getAttribute('aria-invalid')).toBe('true');
    expect(screen.getAllByRole('alert')).toHaveLength(1);
  });

  test('shows above the fields what belongs to none', async () => {
    broker.answer = () => refused('ALREADY_EXISTS', 'taken', 400);
    form(<Text name="name" />);
    await submit();
    await screen.findByText('400 ALREADY_EXISTS:taken');
    expect(input('Name').getAttribute('aria-invalid')).toBeNull();
  });

  test('a code that is about a field stands beside it', async () => {
    broker.answer = () => refused('ALREADY_EXISTS', 'taken', 400);
    form(<Text name="name" />, { faultFields: { ALREADY_EXISTS: 'name' } });
    await submit();
    await waitFor(() => expect(input('Name').getAttribute('aria-invalid')).toBe('true'));
  });

  test('Enter submits, and a second press while it is sent does nothing', async () => {
    let open!: (response: Response) => void;
    broker.answer = () => new Promise((resolve) => (open = resolve));
    const onDone = vi.fn();
    form(<Text name="name" />, { onDone });
    await userEvent.type(input('Name'), 'b{Enter}');
    await waitFor(() => expect(sent()).toHaveLength(1));
    await userEvent.click(screen.getByRole('button', { name: 'Saving' }));
    await userEvent.type(input('Name'), '{Enter}');
    open(nothing());
    await waitFor(() => expect(onDone).toHaveBeenCalledTimes(1));
    expect(sent()).toHaveLength(1);
  });

  test('unfolds the rare fields when one of them is wrong', async () => {
    form(
      <Advanced>
        <NumberField name="max" />
      </Advanced>,
      { initial: { name: 'a', max: 500 } },
    );
    await submit();
    await waitFor(() => expect(screen.getByRole('group').hasAttribute('open')).toBe(true));
  });

  test('guards what was typed against leaving, by page and by tab', async () => {
    form(<Text name="name" />);
    expect(blocks.at(-1)!.blocked).toBe(false);
    await userEvent.type(input('Name'), 'b');
    expect(blocks.at(-1)!.blocked).toBe(true);
    const closing = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(closing);
    expect(closing.defaultPrevented).toBe(true);
    const asked = blocks.at(-1)!.mayLeave();
    expect(getQuestion()!.title).toBe('Leave without saving?');
    act(() => answerConfirm(true));
    expect(await asked).toBe(true);
    await submit();
    await waitFor(() => expect(blocks.at(-1)!.blocked).toBe(false));
  });

  test('speaks Chinese without a reload, its errors too', async () => {
    form(<Text name="note" required />);
    await submit();
    await screen.findByText('Note is required');
    act(() => setLanguage('zh'));
    await screen.findByText('请输入备注');
  });
});

describe('a number', () => {
  test.each([
    ['101', 'Fill in the error: the number range is 1 - 100'],
    ['0', 'Fill in the error: the number range is 1 - 100'],
    ['1.5', 'Type error: please enter a whole number'],
    ['1e3', 'Type error: please enter a whole number'],
    ['0x10', 'Type error: please enter a whole number'],
    ['Infinity', 'Type error: please enter a whole number'],
    ['１２', 'Type error: please enter a whole number'],
    ['12 34', 'Type error: please enter a whole number'],
  ])('%s between 1 and 100 is refused', async (text, sentence) => {
    form(<NumberField name="max" />);
    await retype('Max', text);
    await submit();
    await screen.findByText(sentence);
    expect(input('Max').value).toBe(text);
    expect(sent()).toEqual([]);
  });

  test('one limit alone has its own sentence, in both languages', async () => {
    form(<NumberField name="low" />);
    await retype('Low', '4.5');
    await submit();
    await screen.findByText('Please enter a number greater than or equal 5');
    act(() => setLanguage('zh'));
    await screen.findByText('请输入大于或等于 5 的数值');
  });

  test('is sent as a number, and emptied it is left out', async () => {
    form(
      <>
        <NumberField name="max" />
        <NumberField name="low" />
      </>,
      { initial: { name: 'a', low: 7 } },
    );
    await retype('Max', '42');
    await retype('Low', '');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', max: 42 });
  });

  test('shows its default and goes back to it', async () => {
    form(<NumberField name="pool" />, { initial: { name: 'a', pool: 3 } });
    expect(input('Pool').placeholder).toBe('16');
    await userEvent.click(screen.getByRole('button', { name: 'Pool: Restore the default 16' }));
    expect(input('Pool').value).toBe('16');
  });
});

describe('a duration', () => {
  test('is a number and a unit on screen and one text in the body', async () => {
    form(<Duration name="expiry" />, { initial: { name: 'a', expiry: '15s' } });
    expect(input('Expiry').value).toBe('15');
    await retype('Expiry', '20');
    await userEvent.selectOptions(screen.getByLabelText('Unit of Expiry'), 'minutes');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', expiry: '20m' });
  });

  test('looked at but not touched goes back as it came', async () => {
    form(<Duration name="expiry" />, { initial: { name: 'a', expiry: '1h30m' } });
    expect(input('Expiry').value).toBe('90');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', expiry: '1h30m' });
  });

  test('nought has its word, and the number rests while it is chosen', async () => {
    form(<Duration name="expiry" zero="never" />, { initial: { name: 'a', expiry: '0s' } });
    expect(
      (screen.getByLabelText('Unit of Expiry') as HTMLSelectElement).selectedOptions[0]!.textContent,
    ).toBe('never');
    expect(input('Expiry').readOnly).toBe(true);
    await userEvent.selectOptions(screen.getByLabelText('Unit of Expiry'), 'hours');
    await userEvent.type(input('Expiry'), '2');
    await userEvent.selectOptions(screen.getByLabelText('Unit of Expiry'), 'never');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', expiry: '0s' });
  });

  test('or a word such as infinity', async () => {
    const infinity = { value: 'infinity', label: { en: 'infinity', zh: '无限' } };
    form(<Duration name="expiry_or_never" special={infinity} />, {
      initial: { name: 'a', expiry_or_never: '2h' },
    });
    await userEvent.selectOptions(screen.getByLabelText('Unit of Session expiry'), 'infinity');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', expiry_or_never: 'infinity' });
  });

  test.each([['1e3'], ['1.5'], ['１５'], ['-'], ['-1.5'], ['0x10']])('%s is refused', async (text) => {
    form(<Duration name="expiry" />);
    await retype('Expiry', text);
    await submit();
    await screen.findByText('Type error: please enter a whole number');
  });

  test('of an unknown unit names the units, in both languages', async () => {
    form(<Duration name="expiry" />, { initial: { name: 'a', expiry: '15q' } });
    await submit();
    const message = await screen.findByText(/^Unit error: please enter /);
    expect(message.textContent).toMatch(/ms, s, m/);
    act(() => setLanguage('zh'));
    await screen.findByText(/^单位错误：请输入 /);
    expect(sent()).toEqual([]);
  });

  test('below nothing is no wrong type: it says the least, in both languages', async () => {
    form(<Duration name="expiry" />);
    await retype('Expiry', '-1');
    await submit();
    await screen.findByText('Please enter a number greater than or equal 0');
    act(() => setLanguage('zh'));
    await screen.findByText('请输入大于或等于 0 的数值');
    expect(sent()).toEqual([]);
  });

  test('below its least it says the least', async () => {
    form(<Duration name="expiry" min="100ms" />, { initial: { name: 'a', expiry: '50ms' } });
    await submit();
    await screen.findByText('Please enter a number greater than or equal 100ms');
  });
});

describe('a size and a share', () => {
  test('are one text each', async () => {
    form(
      <>
        <Bytes name="size" />
        <Percent name="share" />
      </>,
      { initial: { name: 'a', size: 1048576, share: '80%' } },
    );
    expect(input('Size').value).toBe('1');
    expect(input('Share').value).toBe('80');
    await retype('Size', '512');
    await userEvent.selectOptions(screen.getByLabelText('Unit of Size'), 'KB');
    await retype('Share', '95');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', size: '512KB', share: '95%' });
  });

  test('a share above 100 is refused', async () => {
    form(<Percent name="share" />);
    await retype('Share', '101');
    await submit();
    await screen.findByText('Fill in the error: the number range is 0 - 100');
  });
});

describe('a secret', () => {
  const stored = { initial: { name: 'a', password: MASK } };

  test('that is stored is never shown, and left alone it is kept', async () => {
    form(<Secret name="password" />, stored);
    expect(input('Password').value).toBe('');
    expect(input('Password').placeholder).toBe('Stored. Type to replace it');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', password: MASK });
  });

  test('typed and taken back is kept', async () => {
    form(<Secret name="password" />, stored);
    await userEvent.type(input('Password'), 'new');
    await userEvent.clear(input('Password'));
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', password: MASK });
  });

  test('with a piece of the mask in it is refused', async () => {
    form(<Secret name="password" />, stored);
    await userEvent.type(input('Password'), '****secret');
    await submit();
    await screen.findByText(/Part of the stored secret’s mask/);
    expect(sent()).toEqual([]);
  });

  test('is hidden until asked for', async () => {
    form(<Secret name="password" />);
    expect(input('Password').type).toBe('password');
    await userEvent.click(screen.getByRole('button', { name: 'Show: Password' }));
    expect(input('Password').type).toBe('text');
  });

  test('may be taken away where that makes sense', async () => {
    form(<Secret name="password" removable />, stored);
    await userEvent.click(screen.getByRole('button', { name: 'Remove the stored secret' }));
    await submit();
    expect(await sentBody()).toEqual({ name: 'a' });
  });
});

describe('a choice', () => {
  test('offers what the contract knows', async () => {
    form(<Select name="kind" labels={{ fast: { en: 'Quick', zh: '快' } }} />);
    await userEvent.selectOptions(input('Kind'), 'Quick');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', kind: 'fast' });
  });

  test('that is required says to select, in both languages', async () => {
    form(<Select name="kind" required />);
    await submit();
    await screen.findByText('Please select the Kind');
    act(() => setLanguage('zh'));
    await screen.findByText('请选择类型');
    expect(sent()).toEqual([]);
  });

  test('turns true and false into texts and back', async () => {
    form(<Select name="strict" options={[true, false]} />, { initial: { name: 'a', strict: true } });
    expect(input('Strict').value).toBe('true');
    await userEvent.selectOptions(input('Strict'), 'No');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', strict: false });
  });

  test('is filled by a function, by an endpoint, or by a GET on a url', async () => {
    broker.answer = ({ path }) => answered(path === '/nodes' ? [{ node: 'n1@host' }] : ['plain']);
    form(
      <>
        <Select name="other" options={async () => [{ value: 'x', label: 'From function' }]} />
        <Select name="note" options={nodes} pick={({ node }: { node: string }) => ({ value: node })} />
        <Select name="name" options="some/list" />
      </>,
      { initial: {} },
    );
    await screen.findByRole('option', { name: 'From function' });
    await screen.findByRole('option', { name: 'n1@host' });
    await screen.findByRole('option', { name: 'plain' });
  });

  test('that could not be loaded says so and retries', async () => {
    broker.answer = () => refused('INTERNAL_ERROR');
    form(<Select name="note" options="some/list" />);
    await screen.findByText(/The choices could not be loaded/);
    broker.answer = () => answered(['there']);
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    await screen.findByRole('option', { name: 'there' });
  });
});

describe('keys and values', () => {
  test('are an object; a key that occurs twice is refused beside it', async () => {
    form(<KeyValue name="headers" />, { initial: { name: 'a', headers: { accept: 'json' } } });
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    await userEvent.type(input('Key 2'), 'accept');
    await userEvent.type(input('Value 2'), 'xml');
    expect(input('Key 2').getAttribute('aria-invalid')).toBe('true');
    await submit();
    await waitFor(() => expect(screen.getAllByText('The key accept occurs twice').length).toBeGreaterThan(0));
    expect(sent()).toEqual([]);
    await retype('Key 2', 'x-id');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', headers: { accept: 'json', 'x-id': 'xml' } });
  });
});

describe('headers', () => {
  test('are refused beside the field when HTTP cannot carry them', async () => {
    form(<Headers name="headers" />, { initial: { name: 'a', headers: { 'x id': '1' } } });
    await submit();
    await screen.findByText(/The header name “x id” is not valid/);
    await retype('Key 1', 'x-id');
    await userEvent.type(input('Value 1'), '\u0007');
    await submit();
    await screen.findByText(/The value of the header x-id must not contain control characters/);
    expect(sent()).toEqual([]);
    await retype('Value 1', '2');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', headers: { 'x-id': '2' } });
  });
});

describe('many texts', () => {
  test('end with Enter or comma, come by paste, and leave by Backspace', async () => {
    form(<MultiText name="topics" />);
    await userEvent.type(input('Topics'), 'a/b{Enter}c/#,d');
    fireEvent.blur(input('Topics'));
    await userEvent.click(input('Topics'));
    await userEvent.paste('e\nf\na/b');
    await userEvent.keyboard('{Backspace}');
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', topics: ['a/b', 'c/#', 'd', 'e'] });
  });
});

test('of either-or, filling one clears the other', async () => {
  form(
    <EitherOr>
      <Text name="note" />
      <Text name="other" />
    </EitherOr>,
    { initial: { name: 'a', note: 'x' } },
  );
  expect(screen.getByText('or')).toBeTruthy();
  await userEvent.type(input('Other'), 'y');
  expect(input('Note').value).toBe('');
  await submit();
  expect(await sentBody()).toEqual({ name: 'a', other: 'y' });
});

describe('the TLS block', () => {
  test('off, it sends nothing but that', async () => {
    form(<Tls name="ssl" />, {
      initial: { name: 'a', ssl: { enable: false, verify: 'verify_peer', certfile: '/etc/cert.pem' } },
    });
    expect(screen.queryByLabelText('TLS Cert')).toBeNull();
    await submit();
    expect(await sentBody()).toEqual({ name: 'a', ssl: { enable: false } });
  });

  test('on, it keeps paths of the server, drops what is empty and reads files', async () => {
    form(<Tls name="ssl" />, {
      initial: {
        name: 'a',
        ssl: { enable: true, verify: 'verify_peer', certfile: '/etc/cert.pem', keyfile: '', cacertfile: '' },
      },
    });
    expect(screen.getByText('/etc/cert.pem')).toBeTruthy();
    await userEvent.click(screen.getByLabelText('Verify the server certificate'));
    const pem = '-----BEGIN PRIVATE KEY-----\nxyz\n';
    await userEvent.upload(screen.getByLabelText('Choose a file: TLS Key'), new File([pem], 'a.key'));
    await waitFor(() => expect(input('TLS Key').value).toBe(pem));
    await submit();
    expect(await sentBody()).toEqual({
      name: 'a',
      ssl: { enable: true, verify: 'verify_none', certfile: '/etc/cert.pem', keyfile: pem },
    });
  });

  test('another kind of file is refused', async () => {
    form(<Tls name="ssl" />, { initial: { name: 'a', ssl: { enable: true } } });
    const picker = screen.getByLabelText('Choose a file: CA Cert');
    fireEvent.change(picker, { target: { files: [new File(['x'], 'photo.png')] } });
    await screen.findByText(/Only crt, key, pem/);
    expect(input('CA Cert').value).toBe('');
  });
});

describe('settings', () => {
  test('show the bar with the number of changed fields, and send what the contract takes', async () => {
    settings(
      <>
        <Text name="name" />
        <NumberField name="max" />
        <Duration name="expiry" />
      </>,
    );
    await screen.findByLabelText('Name');
    expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
    await retype('Max', '11');
    expect(screen.getByText('1 field changed')).toBeTruthy();
    await retype('Expiry', '30');
    expect(screen.getByText('2 fields changed')).toBeTruthy();
    await retype('Max', '10');
    expect(screen.getByText('1 field changed')).toBeTruthy();
    stored = { ...stored, expiry: '30s' };
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    // `version` came with the answer and is none of the contract's request.
    expect(await sentBody()).toEqual({ name: 'a', enable: true, max: 10, password: MASK, expiry: '30s' });
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Save' })).toBeNull());
  });

  test('discard goes back to what is stored', async () => {
    settings(
      <>
        <Toggle name="enable" />
        <TextArea name="note" />
      </>,
    );
    await userEvent.click(await screen.findByRole('switch', { name: 'Enable' }));
    await userEvent.type(input('Note'), 'x');
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
    expect((screen.getByRole('switch') as HTMLInputElement).checked).toBe(true);
    expect(input('Note').value).toBe('');
    expect(screen.queryByText(/changed/)).toBeNull();
  });

  test('that could not be saved stay as typed', async () => {
    broker.answer = ({ method }) => (method === 'PUT' ? refused('UPDATE_FAILED', 'node down') : undefined);
    settings(<NumberField name="max" />);
    await screen.findByLabelText('Max');
    await retype('Max', '11');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('500 UPDATE_FAILED:node down');
    expect(input('Max').value).toBe('11');
    expect(screen.getByText('1 field changed')).toBeTruthy();
  });

  test('changed by somebody else come in, unless something is being typed', async () => {
    settings(<NumberField name="max" />);
    await screen.findByLabelText('Max');
    stored = { ...stored, max: 20 };
    await act(() => queryClient.invalidateQueries());
    await waitFor(() => expect(input('Max').value).toBe('20'));
    await retype('Max', '33');
    stored = { ...stored, max: 50 };
    await act(() => queryClient.invalidateQueries());
    expect(input('Max').value).toBe('33');
  });

  test('typed while the form is being saved stay unsaved', async () => {
    let saved: (() => void) | undefined;
    broker.answer = ({ method }) =>
      method === 'PUT'
        ? new Promise((resolve) => {
            saved = () => resolve(nothing());
          })
        : undefined;
    settings(<NumberField name="max" />);
    await screen.findByLabelText('Max');
    await retype('Max', '11');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(saved).toBeDefined());
    await retype('Max', '12');
    stored = { ...stored, max: 11 };
    saved!();
    await screen.findByRole('button', { name: 'Save' });
    expect(input('Max').value).toBe('12');
    expect(screen.getByText('1 field changed')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
    expect(input('Max').value).toBe('11');
  });

  test('of other fields that somebody else changed come in beside what is being typed', async () => {
    settings(
      <>
        <NumberField name="max" />
        <Text name="name" />
      </>,
    );
    await screen.findByLabelText('Max');
    await retype('Max', '33');
    stored = { ...stored, max: 50, name: 'b' };
    await act(() => queryClient.invalidateQueries());
    await waitFor(() => expect(input('Name').value).toBe('b'));
    expect(input('Max').value).toBe('33');
    expect(screen.getByText('1 field changed')).toBeTruthy();
  });

  test('of an endpoint that merges are sent as far as they were changed, blocks whole', async () => {
    stored = { name: 'a', max: 10, expiry: '15s', backend: { kind: 'x', room: 'r' } };
    page(
      <SettingsForm load={load} save={{ ...save, body: z.partial(body) }} words={words} partial>
        <NumberField name="max" />
        <Text name="backend.room" />
      </SettingsForm>,
    );
    await screen.findByLabelText('Room');
    await retype('Room', 'hall');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await sentBody()).toEqual({ backend: { kind: 'x', room: 'hall' } });
  });

  test('that are wrong where the form has no field say so too', async () => {
    stored = { max: 10 };
    settings(<NumberField name="max" />);
    await screen.findByLabelText('Max');
    await retype('Max', '11');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect((await screen.findByRole('alert')).textContent).toBe('Name is required');
    expect(sent()).toEqual([]);
  });

  test('take defaults that the request has none of from the answer', async () => {
    const whole = json(z.object({ max: z._default(z.number(), 7) }));
    page(
      <SettingsForm load={{ ...load, ok: whole }} save={save} words={words}>
        <NumberField name="max" />
      </SettingsForm>,
    );
    await userEvent.click(await screen.findByRole('button', { name: 'Max: Restore the default 7' }));
    expect(input('Max').value).toBe('7');
  });

  test('that only newer brokers have are left out where there are none', async () => {
    settings(
      <>
        <WhereKnown name="max">
          <NumberField name="max" />
        </WhereKnown>
        <WhereKnown name="rate">
          <Rate name="rate" />
        </WhereKnown>
      </>,
    );
    await screen.findByLabelText('Max');
    expect(screen.queryByLabelText('Rate')).toBeNull();
  });

  test('of a number say in a word what nought means', async () => {
    stored = { name: 'a', limit: 0 };
    settings(<Count name="limit" unit="clients" zero="unlimited" required />);
    const unit = (await screen.findByLabelText('Unit of Limit')) as HTMLSelectElement;
    expect(unit.selectedOptions[0]!.textContent).toBe('unlimited');
    await userEvent.selectOptions(unit, 'clients');
    const field = screen.getByRole('textbox') as HTMLInputElement;
    await userEvent.type(field, '501');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Fill in the error: the number range is 0 - 500');
    await userEvent.clear(field);
    await screen.findByText('Limit is required');
    await userEvent.type(field, '1.5');
    await screen.findByText('Type error: please enter a whole number');
    await userEvent.clear(field);
    await userEvent.type(field, '50');
    stored = { ...stored, limit: 50 };
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await sentBody()).toMatchObject({ limit: 50 });
  });

  test('of a rate are a number and its time, or no limit', async () => {
    stored = { name: 'a', rate: '100/10s' };
    settings(<Rate name="rate" required />);
    const unit = (await screen.findByLabelText('Unit of Rate')) as HTMLSelectElement;
    // A span of its own is not rounded by being looked at.
    expect(unit.value).toBe('10s');
    await userEvent.selectOptions(unit, 'per minute');
    const field = screen.getByRole('textbox') as HTMLInputElement;
    await userEvent.clear(field);
    await userEvent.type(field, 'x');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await screen.findByText('Type error: please enter a whole number');
    await userEvent.selectOptions(unit, 'unlimited');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await sentBody()).toMatchObject({ rate: 'infinity' });
  });

  test('of a broker that has none say so', async () => {
    broker.answer = () => foreign(new Response('Not Found', { status: 404 }));
    settings(<NumberField name="max" />);
    await screen.findByText('Not available on this broker');
  });
});

describe('a drawer', () => {
  test('closed with something typed asks first', async () => {
    const onClose = vi.fn();
    page(
      <FormDrawer
        title="New thing"
        opened
        onClose={onClose}
        endpoint={create}
        words={words}
        initial={{ name: 'a' }}
      >
        <Text name="name" />
      </FormDrawer>,
    );
    const dialog = await screen.findByRole('dialog', { name: 'New thing' });
    await userEvent.type(within(dialog).getByLabelText('Name'), 'b');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(onClose).not.toHaveBeenCalled();
    act(() => answerConfirm(false));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(getQuestion()).not.toBeNull());
    act(() => answerConfirm(true));
    await waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  });
});
