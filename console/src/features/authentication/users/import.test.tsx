import { MantineProvider } from '@mantine/core';
import type { Authenticator } from '@mqdeck/contract/authentication';
import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { wordsIn } from '../../../i18n/words.ts';
import { json, nothing, refused } from '../../../testing/answers.ts';
import { brokerBehindFetch } from '../../../testing/broker-behind-fetch.ts';
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

type Users = { user_id: string }[];
const report = (counts: object) =>
  json({ total: 0, success: 0, override: 0, skipped: 0, failed: 0, ...counts });

/** Each import that was sent: its query and its users. */
let imports: { query: string | undefined; users: Users }[];
let answer: (users: Users) => Response | Promise<Response>;
const broker = brokerBehindFetch(async ({ query, body }) => {
  const file = (body as FormData).get('filename') as File;
  const users = JSON.parse(await file.text()) as Users;
  imports.push({ query: query?.toString(), users });
  return answer(users);
});

beforeEach(() => {
  imports = [];
  answer = (users) => report({ total: users.length, success: users.length });
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
  expect(imports[0]!.query).toBe('type=plain');
  expect(screen.getByText('Skipped, they exist').nextElementSibling?.textContent).toBe('1');
  expect(screen.getByText('Added').nextElementSibling?.textContent).toBe('68');
});

test('nothing is sent while a row is faulty and all or nothing is wanted', async () => {
  const user = show();
  await paste(user, `${csv(2)}\nbad,\n`);
  const start = await screen.findByRole('button', { name: 'Import 2 users' });
  await user.click(screen.getByRole('checkbox', { name: /^Import nothing if a row is faulty/ }));
  expect((start as HTMLButtonElement).disabled).toBe(true);
  await user.click(screen.getByRole('checkbox', { name: /^Import nothing if a row is faulty/ }));
  await user.click(start);
  await screen.findByText('Added');
  expect(imports.map(({ users }) => users.length)).toEqual([2]);
});

test('a call that is refused costs its own rows only', async () => {
  answer = (users) =>
    users[0]!.user_id === 'u1' ? refused('BAD_REQUEST', 'no') : report({ success: users.length });
  const user = show();
  await user.click(screen.getByRole('checkbox', { name: /^Replace users that exist/ }));
  await paste(user, csv(60));
  await user.click(await screen.findByRole('button', { name: 'Import 60 users' }));
  await screen.findByText('400 BAD_REQUEST:no', { exact: false, selector: 'tr:nth-child(1) td' });
  expect(screen.getByText('Added').nextElementSibling?.textContent).toBe('10');
  expect(screen.getByText('Failed').nextElementSibling?.textContent).toBe('50');
  expect(imports[0]!.query).toBe('type=plain&override=true');
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
    broker.answer = ({ method, path, body }) => {
      const { user_id = decodeURIComponent(path.split('/').at(-1)!) } = body as { user_id?: string };
      return method === 'POST' && user_id === 'u2'
        ? refused('ALREADY_EXISTS', 'User already exists')
        : json({ user_id, is_superuser: false }, method === 'POST' ? 201 : 200);
    };
    const user = showOfGateway();
    await paste(user, csv(3));
    await user.click(await screen.findByRole('button', { name: 'Import 3 users' }));
    await screen.findByText('Skipped, they exist');
    expect([counted('Added'), counted('Skipped, they exist'), counted('Failed')]).toEqual(['2', '1', '0']);
    expect(broker.calls).toHaveLength(3);
    expect(broker.calls[0]).toMatchObject({
      method: 'POST',
      path: '/gateways/stomp/authentication/users',
      body: { user_id: 'u1', password: 'p' },
    });

    await user.click(screen.getByRole('button', { name: 'Import another file' }));
    await user.click(screen.getByRole('checkbox', { name: /^Replace users that exist/ }));
    await paste(user, csv(2));
    await user.click(await screen.findByRole('button', { name: 'Import 2 users' }));
    await screen.findByText('Replaced');
    expect([counted('Added'), counted('Replaced')]).toEqual(['1', '1']);
    expect(broker.calls.at(-1)).toMatchObject({
      method: 'PUT',
      path: '/gateways/stomp/authentication/users/u2',
      body: { password: 'p' },
    });
  });

  test('hashes go as a file, and the list tells how many are new', async () => {
    let known = 5;
    broker.answer = ({ method, path, query }) => {
      if (method !== 'POST')
        return json({ data: [], meta: { page: 1, limit: 1, count: known, hasnext: false } });
      expect([path, query]).toEqual(['/gateways/stomp/authentication/import_users', undefined]);
      known += 1;
      return nothing();
    };
    const user = showOfGateway();
    await user.click(screen.getByRole('radio', { name: /^Hashes/ }));
    expect(screen.queryByRole('checkbox', { name: /^Replace users that exist/ })).toBeNull();
    await paste(user, 'user_id,password_hash,salt\nold,aa,s\nnew,bb,s\n');
    await user.click(await screen.findByRole('button', { name: 'Import 2 users' }));
    await screen.findByText('Skipped, they exist');
    expect([counted('Added'), counted('Skipped, they exist')]).toEqual(['1', '1']);
  });
});
