import { MantineProvider } from '@mantine/core';
import type { Authenticator } from '@mqdeck/contract/authentication';
import { cleanup, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { setLanguage } from '../../../i18n/language.ts';
import { wordsIn } from '../../../i18n/words.ts';
import { ChainContext, chainOfGateway } from '../chain.ts';
import { ImportUsers } from './ImportUsers.tsx';
import { csvLines, readUsers, templateOf } from './import-file.ts';
import { usersWords } from './words.ts';

const w = wordsIn(usersWords, 'en');
const rowsOf = (text: string, kind: 'plain' | 'hash' = 'plain') => {
  const read = readUsers(text, kind, w);
  return 'rows' in read ? read : { rows: [], faults: [], fault: read.fault };
};

describe('a file of users', () => {
  test('may be CSV with quotes, line ends within them, and a mark at its beginning', () => {
    expect(csvLines('a,"b\nc",""""\r\n\nd')).toEqual([
      { line: 1, cells: ['a', 'b\nc', '"'] },
      { line: 3, cells: [''] },
      { line: 4, cells: ['d'] },
    ]);
    expect(csvLines('a,"b')).toBeNull();
    expect(rowsOf('\ufeffuser_id,password,is_superuser\r\n"x,y",p,TRUE\r\n').rows).toEqual([
      { line: 2, user: { user_id: 'x,y', password: 'p', is_superuser: true } },
    ]);
  });

  test('may be JSON, with numbers where texts are meant', () => {
    expect(rowsOf('[{"user_id": 7, "password": 8}]').rows).toEqual([
      { line: 1, user: { user_id: '7', password: '8', is_superuser: false } },
    ]);
    expect(rowsOf('{"user_id": "a"}')).toMatchObject({ fault: 'The JSON is no list of users' });
    expect(rowsOf('[{"user_id":')).toMatchObject({ fault: expect.stringMatching(/^It is no valid JSON/) });
  });

  test('brings hashes with their salt, and passwords only where they are passwords', () => {
    const text = '[{"user_id":"a","password_hash":"h","salt":"s","password":"p"}]';
    expect(rowsOf(text, 'hash').rows[0]!.user).toEqual({
      user_id: 'a',
      password_hash: 'h',
      salt: 's',
      is_superuser: false,
    });
    expect(rowsOf(text).rows[0]!.user).toEqual({ user_id: 'a', password: 'p', is_superuser: false });
  });

  test('says of each row that no broker would take where it stands and why', () => {
    const { rows, faults } = rowsOf('user_id,password,is_superuser\na,p,\n,p,\nb,,\nc,p,maybe\n\nd,p,0\n');
    expect(rows.map(({ user }) => user.user_id)).toEqual(['a', 'd']);
    expect(faults).toEqual([
      { line: 3, user: '', reason: 'It has no user_id' },
      { line: 4, user: 'b', reason: 'It has no password' },
      { line: 5, user: 'c', reason: 'is_superuser is neither true nor false' },
    ]);
    expect(rowsOf('user,password\na,p\n')).toMatchObject({ fault: 'There is no column user_id' });
    expect(rowsOf('user_id,password\n')).toMatchObject({ fault: 'There are no users in it' });
  });

  test.each(['plain', 'hash'] as const)('is what the %s templates are', (kind) => {
    for (const format of ['csv', 'json'] as const) {
      const { rows, faults } = rowsOf(templateOf(kind, format), kind);
      expect([rows.length, faults]).toEqual([2, []]);
      expect(rows[1]!.user.is_superuser).toBe(true);
    }
  });
});

const DATABASE: Authenticator = {
  id: 'password_based:built_in_database',
  mechanism: 'password_based',
  backend: 'built_in_database',
  enable: true,
  password_hash_algorithm: { name: 'sha256', salt_position: 'suffix' },
};

/** Each import that was sent: its query and its users. */
let imports: { query: string; users: { user_id: string }[] }[];
let answer: (users: { user_id: string }[]) => Response | Promise<Response>;

const report = (counts: object) =>
  new Response(JSON.stringify({ total: 0, success: 0, override: 0, skipped: 0, failed: 0, ...counts }), {
    headers: { 'Content-Type': 'application/json' },
  });

beforeEach(() => {
  setLanguage('en');
  imports = [];
  answer = (users) => report({ total: users.length, success: users.length });
  vi.stubGlobal('fetch', async (input: string, init: RequestInit) => {
    const file = (init.body as FormData).get('filename') as File;
    const users = JSON.parse(await file.text()) as { user_id: string }[];
    imports.push({ query: new URL(input, 'http://console').search, users });
    return answer(users);
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(onClose = () => undefined) {
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <ImportUsers authenticator={DATABASE} onClose={onClose} />
    </MantineProvider>,
  );
  return userEvent.setup();
}

const csv = (count: number) =>
  `user_id,password\n${Array.from({ length: count }, (_, i) => `u${i + 1},p`).join('\n')}`;

async function paste(user: ReturnType<typeof userEvent.setup>, text: string) {
  await user.click(screen.getByRole('textbox', { name: 'Users' }));
  await user.paste(text);
}

test('many users are sent a few at a time; what the broker refuses is told by its row in the file', async () => {
  answer = (users) =>
    users.some(({ user_id }) => user_id === 'u60')
      ? report({
          success: users.length - 2,
          skipped: 1,
          failed: 1,
          rows: [{ line: 10, user_id: 'u60', reason: 'too odd' }],
        })
      : report({ success: users.length });
  const user = show();
  await paste(user, `${csv(70)}\nbad,\n`);
  await user.click(await screen.findByRole('button', { name: 'Import 70 users' }));
  const rows = within(await screen.findByRole('region', { name: 'Rows that failed' })).getAllByRole('row');
  expect(rows.slice(1).map((row) => row.textContent)).toEqual([
    '61u60The broker refused it: too odd',
    '72badIt has no password',
  ]);
  expect(imports.map(({ users }) => users.length)).toEqual([50, 20]);
  expect(imports[0]!.query).toBe('?type=plain');
  expect(screen.getByText('Skipped, they exist').nextElementSibling?.textContent).toBe('1');
  expect(screen.getByText('Added').nextElementSibling?.textContent).toBe('68');
});

test('a call that is refused costs its own rows only', async () => {
  answer = (users) =>
    users[0]!.user_id === 'u1'
      ? new Response(JSON.stringify({ code: 'BAD_REQUEST', message: 'no' }), { status: 400 })
      : report({ success: users.length });
  const user = show();
  await user.click(screen.getByRole('checkbox', { name: /^Replace users that exist/ }));
  await paste(user, csv(60));
  await user.click(await screen.findByRole('button', { name: 'Import 60 users' }));
  await screen.findByText('400 BAD_REQUEST:no', { exact: false, selector: 'tr:nth-child(1) td' });
  expect(screen.getByText('Added').nextElementSibling?.textContent).toBe('10');
  expect(screen.getByText('Failed').nextElementSibling?.textContent).toBe('50');
  expect(imports[0]!.query).toBe('?type=plain&override=true');
});

test('cancelling sends nothing more and says what was left', async () => {
  let go: (response: Response) => void = () => undefined;
  answer = () =>
    new Promise((resolve) => {
      go = resolve;
    });
  const user = show();
  await paste(user, csv(120));
  await user.click(await screen.findByRole('button', { name: 'Import 120 users' }));
  await waitFor(() => expect(imports).toHaveLength(1));
  const dialog = within(screen.getByRole('dialog'));
  await user.click(dialog.getAllByRole('button', { name: 'Cancel' }).at(-1)!);
  go(report({ success: 50 }));
  expect(await screen.findByText('Cancelled: 70 users were not sent')).toBeTruthy();
  expect(imports).toHaveLength(1);
});

describe('into the database of a gateway', () => {
  let calls: string[];
  const json = (status: number, body: unknown) =>
    new Response(JSON.stringify(body), { status, headers: { 'Content-Type': 'application/json' } });

  function showOfGateway() {
    render(
      <MantineProvider
        env="test"
        withCssVariables={false}
        withGlobalClasses={false}
        withStaticClasses={false}
      >
        <ChainContext value={chainOfGateway('stomp')}>
          <ImportUsers authenticator={DATABASE} onClose={() => undefined} />
        </ChainContext>
      </MantineProvider>,
    );
    return userEvent.setup();
  }
  const counted = (label: string) => screen.getByText(label).nextElementSibling?.textContent;

  test('passwords go one by one, and who is there is skipped, or replaced where that is wanted', async () => {
    calls = [];
    vi.stubGlobal('fetch', async (input: string, { method, body }: { method: string; body: string }) => {
      calls.push(`${method} ${new URL(input, 'http://console').pathname} ${body}`);
      return method === 'POST' && body.includes('u2')
        ? json(409, { code: 'ALREADY_EXISTS', message: 'User already exists' })
        : json(201, {});
    });
    const user = showOfGateway();
    await paste(user, csv(3));
    await user.click(await screen.findByRole('button', { name: 'Import 3 users' }));
    await screen.findByText('Skipped, they exist');
    expect([counted('Added'), counted('Skipped, they exist'), counted('Failed')]).toEqual(['2', '1', '0']);
    expect(calls).toHaveLength(3);
    expect(calls[0]).toContain(
      'POST /api/v5/gateways/stomp/authentication/users {"user_id":"u1","password":"p"',
    );

    await user.click(screen.getByRole('button', { name: 'Import another file' }));
    await user.click(screen.getByRole('checkbox', { name: /^Replace users that exist/ }));
    await paste(user, csv(2));
    await user.click(await screen.findByRole('button', { name: 'Import 2 users' }));
    await screen.findByText('Replaced');
    expect([counted('Added'), counted('Replaced')]).toEqual(['1', '1']);
    expect(calls.at(-1)).toContain('PUT /api/v5/gateways/stomp/authentication/users/u2 {"password":"p"');
  });

  test('hashes go as a file, and the list tells how many are new', async () => {
    let known = 5;
    vi.stubGlobal('fetch', async (input: string, { method }: { method: string }) => {
      const { pathname, search } = new URL(input, 'http://console');
      if (method !== 'POST')
        return json(200, { data: [], meta: { page: 1, limit: 1, count: known, hasnext: false } });
      expect(`${pathname}${search}`).toBe('/api/v5/gateways/stomp/authentication/import_users');
      known += 1;
      return new Response(null, { status: 204 });
    });
    const user = showOfGateway();
    await user.click(screen.getByRole('radio', { name: /^Hashes/ }));
    expect(screen.queryByRole('checkbox', { name: /^Replace users that exist/ })).toBeNull();
    await paste(user, 'user_id,password_hash,salt\nold,aa,s\nnew,bb,s\n');
    await user.click(await screen.findByRole('button', { name: 'Import 2 users' }));
    await screen.findByText('Skipped, they exist');
    expect([counted('Added'), counted('Skipped, they exist')]).toEqual(['1', '1']);
  });
});
