import { MantineProvider } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { QueryClientProvider } from '@tanstack/react-query';
import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { setLanguage } from '../i18n/language.ts';
import { foreign, json, nothing, refused } from '../testing/answers.ts';
import { brokerBehindFetch } from '../testing/broker-behind-fetch.ts';
import { watchDownloads } from '../testing/downloads.ts';
import { columnsOf } from './columns.tsx';
import { choiceFilter, listFilter, textFilter } from './filters.ts';
import { QueryTable, type QueryTableProps } from './QueryTable.tsx';
import { TableHostProvider } from './table-host.tsx';
import { applyChanges, type StateChanges, type StateValues } from './table-state.ts';

interface Row {
  clientid: string;
  username: string | null;
  connected: boolean;
  mqueue_len: number;
}

const words = {
  clientid: { en: 'Client ID', zh: '客户端 ID' },
  username: { en: 'Username', zh: '用户名' },
  connected: { en: 'State', zh: '状态' },
  mqueue_len: { en: 'Queue', zh: '队列' },
};
const column = columnsOf<Row>(words);
const columns = [
  column.link('clientid', (id) => `/connections/detail/${id}`),
  column.text('username'),
  column.badge('connected'),
  column.number('mqueue_len'),
];
const filters = [
  textFilter('like_clientid', words.clientid),
  choiceFilter('conn_state', words.connected, ['connected', 'disconnected']),
];

/** A broker's list of clients, behind fetch: pages, filters, sorts and counts like the real one. */
let all: Row[];
let counts: boolean;
let sorts: boolean;
const broker = brokerBehindFetch(({ query }) => list(query!));

function list(query: URLSearchParams): Response {
  const page = Number(query.get('page'));
  const limit = Number(query.get('limit'));
  const part = query.get('like_clientid') ?? '';
  const found = all.filter(({ clientid }) => clientid.includes(part));
  const sort = query.get('sort') as keyof Row | null;
  if (sorts && sort) found.sort((a, b) => (a[sort]! < b[sort]! ? -1 : 1));
  if (sorts && query.get('order') === 'desc') found.reverse();
  const data = found.slice((page - 1) * limit, page * limit);
  return json({
    data,
    meta: {
      page,
      limit,
      ...(counts ? { count: found.length } : { hasnext: page * limit < found.length }),
      ...(sorts && sort ? { sort, order: query.get('order') } : {}),
    },
  });
}

let steps: { changes: StateChanges; how: string }[];
let goBack: () => void;

function useHistory() {
  const [history, setHistory] = useState<StateValues[]>([{}]);
  goBack = () => setHistory((before) => (before.length > 1 ? before.slice(0, -1) : before));
  return {
    values: history.at(-1)!,
    set: (changes: StateChanges, how: 'push' | 'replace') => {
      steps.push({ changes, how });
      setHistory((before) => {
        const next = applyChanges(before.at(-1)!, changes);
        return how === 'push' ? [...before, next] : [...before.slice(0, -1), next];
      });
    },
  };
}

const host = {
  useState: useHistory,
  Link: ({ to, children }: { to: string; children: React.ReactNode }) => <a href={to}>{children}</a>,
};

const show = (props: Partial<QueryTableProps<Row>> = {}) =>
  render(
    <MantineProvider env="test" withCssVariables={false} withGlobalClasses={false} withStaticClasses={false}>
      <QueryClientProvider client={queryClient}>
        <TableHostProvider value={host}>
          <QueryTable
            query={api.clients.list}
            columns={columns}
            filters={filters}
            empty="No client has connected yet."
            label="Clients"
            refreshSeconds={0}
            limit={20}
            {...props}
          />
        </TableHostProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );

const shownIds = () => screen.queryAllByRole('link').map(({ textContent }) => textContent);
const lastCall = () => Object.fromEntries(broker.calls.at(-1)!.query!);

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, i) => ({
    clientid: `sensor-${String(i).padStart(4, '0')}`,
    username: i % 2 ? 'fleet-a' : null,
    connected: i % 3 > 0,
    mqueue_len: i * 1000,
  }));

beforeEach(() => {
  all = rows(48);
  counts = true;
  sorts = true;
  steps = [];
});

test('the first page comes with 50 rows, its place in the whole and grouped numbers', async () => {
  all = rows(120);
  show({ limit: undefined });
  await screen.findByText('sensor-0000');
  expect(shownIds()).toHaveLength(50);
  expect(screen.getByText('1–50 of 120')).toBeTruthy();
  expect(lastCall()).toEqual({ page: '1', limit: '50' });
  const table = screen.getByRole('table', { name: 'Clients' });
  expect(table.getAttribute('aria-rowcount')).toBe('121');
  expect(within(table).getAllByRole('row')[1]!.getAttribute('aria-rowindex')).toBe('2');
  expect(screen.getByText('1,000')).toBeTruthy();
});

test('pages turn on the server and Back returns', async () => {
  show();
  await screen.findByText('sensor-0000');
  await userEvent.click(screen.getByRole('button', { name: 'Page 3' }));
  await screen.findByText('sensor-0047');
  expect(screen.getByText('41–48 of 48')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Page 3' }).getAttribute('aria-current')).toBe('page');
  expect((screen.getByRole('button', { name: 'Next page' }) as HTMLButtonElement).disabled).toBe(true);
  act(() => goBack());
  await screen.findByText('sensor-0000');
});

test('without a count there is only previous and next', async () => {
  counts = false;
  show();
  await screen.findByText('Rows 1–20');
  expect(screen.queryByRole('button', { name: 'Page 1' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await screen.findByText('Rows 21–40');
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await screen.findByText('Rows 41–48');
  expect((screen.getByRole('button', { name: 'Next page' }) as HTMLButtonElement).disabled).toBe(true);
});

test('a page whose last row was deleted steps back without a step for Back', async () => {
  show();
  await userEvent.click(await screen.findByRole('button', { name: 'Page 3' }));
  await screen.findByText('sensor-0047');
  all = all.slice(0, 40);
  await userEvent.click(screen.getByRole('button', { name: /^Refresh/ }));
  await screen.findByText('21–40 of 40');
  expect(steps.at(-1)).toEqual({ changes: { page: '2' }, how: 'replace' });
});

test('a head sorts on the server and says so', async () => {
  show();
  await screen.findByText('sensor-0000');
  const head = () => screen.getByRole('columnheader', { name: /Queue/ });
  expect(head().getAttribute('aria-sort')).toBe('none');
  await userEvent.click(within(head()).getByRole('button'));
  await waitFor(() => expect(lastCall()).toMatchObject({ sort: 'mqueue_len', order: 'asc' }));
  expect(head().getAttribute('aria-sort')).toBe('ascending');
  await userEvent.click(within(head()).getByRole('button'));
  await screen.findByText('sensor-0047');
  expect(head().getAttribute('aria-sort')).toBe('descending');
});

test('a broker that does not echo the order does not sort: the list says it, and heads become plain', async () => {
  sorts = false;
  show();
  await screen.findByText('sensor-0000');
  await userEvent.click(screen.getByRole('button', { name: 'Client ID' }));
  await screen.findByText(/This broker does not sort lists/);
  expect(screen.queryByRole('button', { name: 'Client ID' })).toBeNull();
  expect(screen.getByRole('columnheader', { name: 'Client ID' }).getAttribute('aria-sort')).toBeNull();
});

test('typing a filter asks once, when the typing pauses, and makes no steps for Back', async () => {
  show();
  await screen.findByText('sensor-0000');
  const before = broker.calls.length;
  await userEvent.type(screen.getByLabelText('Client ID'), '0042');
  await waitFor(() => expect(shownIds()).toEqual(['sensor-0042']));
  expect(broker.calls.length - before).toBe(1);
  expect(steps.map(({ how }) => how)).toEqual(['replace']);
});

test('a filter is added, chosen, shown with its own way out, and all are cleared at once', async () => {
  show();
  await screen.findByText('sensor-0000');
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'State' }));
  await userEvent.selectOptions(screen.getByLabelText('State'), 'connected');
  await waitFor(() => expect(lastCall()).toMatchObject({ conn_state: 'connected' }));
  expect(steps.at(-1)?.how).toBe('push');
  expect(screen.getByRole('button', { name: 'Remove filter State' })).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(steps.at(-1)?.changes).toMatchObject({ conn_state: undefined }));
  expect(screen.queryByLabelText('State')).toBeNull();
});

test('the slash key brings to the filter, but not while typing elsewhere', async () => {
  show();
  await screen.findByText('sensor-0000');
  await userEvent.keyboard('/');
  expect(document.activeElement).toBe(screen.getByLabelText('Client ID'));
  await userEvent.keyboard('a/b');
  expect((screen.getByLabelText('Client ID') as HTMLInputElement).value).toBe('a/b');
});

test('nothing there explains itself; nothing found offers to clear the filters', async () => {
  all = [];
  show();
  await screen.findByText('No client has connected yet.');
  await userEvent.type(screen.getByLabelText('Client ID'), 'x');
  await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }));
  await screen.findByText('No client has connected yet.');
});

test('a failed first load says why, retries, and the filters stay alive', async () => {
  broker.answer = () => refused('INTERNAL_ERROR', 'mnesia is down');
  show();
  await screen.findByText('500 INTERNAL_ERROR:mnesia is down');
  expect(screen.queryByText('No client has connected yet.')).toBeNull();
  expect((screen.getByLabelText('Client ID') as HTMLInputElement).disabled).toBe(false);
  broker.answer = () => undefined;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('sensor-0000');
});

test('a failed refresh keeps the rows and says that they are older', async () => {
  show();
  await screen.findByText('sensor-0000');
  broker.answer = () => refused('INTERNAL_ERROR', 'busy');
  await userEvent.click(screen.getByRole('button', { name: /^Refresh/ }));
  await screen.findByText(/these rows are older/);
  expect(shownIds()).toHaveLength(20);
});

test('an empty list whose refresh fails says what is wrong, not that there is nothing', async () => {
  all = [];
  show();
  await screen.findByText('No client has connected yet.');
  broker.answer = () => refused('INTERNAL_ERROR', 'busy');
  await userEvent.click(screen.getByRole('button', { name: /^Refresh/ }));
  await screen.findByText('500 INTERNAL_ERROR:busy');
  expect(screen.queryByText('No client has connected yet.')).toBeNull();
  expect(screen.queryByText(/these rows are older/)).toBeNull();
});

test.each([
  ['nothing', nothing],
  ['an array', () => json([])],
  ['a row that is null', () => json({ data: [null], meta: { page: 1, limit: 50 } })],
])('%s in place of a page is told as a failure: the clients are not gone', async (_, wrong) => {
  broker.answer = () => foreign(wrong());
  show();
  await screen.findByText("The broker's answer could not be understood");
  expect(screen.queryByText('No client has connected yet.')).toBeNull();
  broker.answer = () => undefined;
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
  await screen.findByText('sensor-0000');
  broker.answer = () => foreign(wrong());
  await userEvent.click(screen.getByRole('button', { name: /^Refresh/ }));
  await screen.findByText(/these rows are older.*could not be understood/);
  expect(shownIds()).toHaveLength(20);
});

test('the old page stays while the next one loads', async () => {
  show();
  await screen.findByText('sensor-0000');
  let open!: (response: Response) => void;
  broker.answer = () => new Promise((resolve) => (open = resolve));
  await userEvent.click(screen.getByRole('button', { name: 'Page 2' }));
  expect(shownIds()).toHaveLength(20);
  expect(screen.getByRole('region', { name: 'Clients, rows' }).getAttribute('aria-busy')).toBe('true');
  open(list(new URLSearchParams({ page: '2', limit: '20' })));
  await screen.findByText('sensor-0039');
});

test('ticks last over pages, Shift ticks a range, and all that match are one click away', async () => {
  show({ bulk: [{ label: 'Kick out', each: async () => undefined }] });
  const box = (id: string) => screen.getByRole('checkbox', { name: `Select ${id}` });
  await screen.findByText('sensor-0000');
  const user = userEvent.setup();
  await user.click(box('sensor-0001'));
  await user.keyboard('{Shift>}');
  await user.click(box('sensor-0004'));
  await user.keyboard('{/Shift}');
  expect(screen.getByText('4 selected')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Page 2' }));
  await screen.findByText('sensor-0039');
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }));
  expect(screen.getByText('24 selected')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Select all 48 that match' }));
  expect(screen.getByText('48 selected')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Clear selection' }));
  expect(screen.queryByText(/selected/)).toBeNull();
});

test('a deed on all that match asks first, goes through all pages, and names what failed', async () => {
  const done: string[] = [];
  all = rows(120);
  show({
    bulk: [
      {
        label: 'Kick out',
        danger: true,
        confirm: (count) => `Kick out ${count} clients?`,
        each: async ({ clientid }) => {
          if (clientid === 'sensor-0100') throw new Error('not there any more');
          done.push(clientid);
        },
      },
    ],
  });
  await screen.findByText('sensor-0000');
  const user = userEvent.setup();
  await user.click(screen.getByRole('checkbox', { name: 'Select all rows of this page' }));
  await user.click(screen.getByRole('button', { name: 'Select all 120 that match' }));
  await user.click(screen.getByRole('button', { name: 'Kick out…' }));
  const dialog = await screen.findByRole('dialog');
  expect(within(dialog).getByText('Kick out 120 clients?')).toBeTruthy();
  expect(done).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Kick out' }));
  await within(dialog).findByText('119 done · Operation failed: 1');
  expect(done).toHaveLength(119);
  expect(within(dialog).getByText('not there any more')).toBeTruthy();
  await user.click(within(dialog).getAllByRole('button', { name: 'Close' }).at(-1)!);
  await waitFor(() => expect(screen.getByText('1 selected')).toBeTruthy());
});

test('a deed on many whose answer got lost does not claim that it failed', async () => {
  const lost = new ApiError({ status: 0 });
  show({ bulk: [{ label: 'Kick out', each: () => Promise.reject(lost) }] });
  await screen.findByText('sensor-0000');
  const user = userEvent.setup();
  await user.click(screen.getAllByRole('checkbox', { name: /sensor-0000/ })[0]!);
  await user.click(screen.getByRole('button', { name: 'Kick out…' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: 'Kick out' }));
  await within(dialog).findByText('It is not known whether this was done. Check before trying again.');
});

test('a row action that cannot be done stays, says why and does nothing', async () => {
  const run = vi.fn();
  const kick = vi.fn();
  show({
    actions: ({ clientid }) => [
      { label: 'Ban', run, disabledReason: 'already banned' },
      { label: 'Kick out', run: () => kick(clientid) },
    ],
  });
  await screen.findByText('sensor-0000');
  await userEvent.click(screen.getByRole('button', { name: 'Actions for sensor-0002' }));
  const ban = await screen.findByRole('menuitem', { name: /Ban/ });
  expect(ban.textContent).toContain('already banned');
  await userEvent.click(ban);
  expect(run).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole('menuitem', { name: 'Kick out' }));
  expect(kick).toHaveBeenCalledWith('sensor-0002');
});

test('arrows walk the rows, Space ticks, Enter opens', async () => {
  const opened = vi.fn();
  show({
    onOpen: ({ clientid }) => opened(clientid),
    bulk: [{ label: 'Kick out', each: async () => undefined }],
  });
  await screen.findByText('sensor-0000');
  const row = (id: string) => screen.getByText(id).closest<HTMLElement>('[role="row"]')!;
  act(() => row('sensor-0000').focus());
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  await waitFor(() => expect(document.activeElement).toBe(row('sensor-0002')));
  await userEvent.keyboard(' ');
  expect(screen.getByText('1 selected')).toBeTruthy();
  await userEvent.keyboard('{Enter}');
  expect(opened).toHaveBeenCalledWith('sensor-0002');
});

test('a column that is taken out is gone, also after a reload', async () => {
  const { unmount } = show();
  await screen.findByText('sensor-0000');
  await userEvent.click(screen.getByRole('button', { name: 'Columns' }));
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Username' }));
  expect(screen.queryByRole('columnheader', { name: 'Username' })).toBeNull();
  unmount();
  show();
  await screen.findByText('sensor-0000');
  expect(screen.queryByRole('columnheader', { name: 'Username' })).toBeNull();
  expect(screen.getByRole('columnheader', { name: 'Queue' })).toBeTruthy();
});

test('the export holds every row that matches, in the order and columns on screen', async () => {
  const downloads = watchDownloads();
  all = rows(120);
  show();
  await screen.findByText('sensor-0000');
  await userEvent.click(screen.getByRole('button', { name: 'Export' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: /CSV/ }));
  await waitFor(() => expect(downloads).toHaveLength(1));
  const lines = (await downloads[0]!.file.text()).replace('\uFEFF', '').split('\r\n');
  expect(lines[0]).toBe('Client ID,Username,State,Queue');
  expect(lines).toHaveLength(122);
  expect(lines[2]).toBe('sensor-0001,fleet-a,true,1000');
  expect(lastCall()).toMatchObject({ limit: '1000' });
});

test('an id with unseen characters shows them', async () => {
  all = [{ clientid: 'pay\u202Eexe\u0000', username: null, connected: true, mqueue_len: 0 }];
  show();
  const link = await screen.findByRole('link');
  expect(link.textContent).toBe('pay\\u202eexe\\u0000');
});

test('the list speaks Chinese without a reload', async () => {
  show();
  await screen.findByText('sensor-0000');
  act(() => setLanguage('zh'));
  expect(screen.getByText('第 1–20 项，共 48 项')).toBeTruthy();
  expect(screen.getByRole('columnheader', { name: '客户端 ID' })).toBeTruthy();
});

test('only the fields of the shown columns are asked for, beside those the page needs', async () => {
  const user = userEvent.setup();
  show({ fields: ['clientid', 'node'] });
  await waitFor(() => expect(shownIds()).toHaveLength(20));
  expect(lastCall().fields).toBe('clientid,connected,mqueue_len,node,username');

  await user.click(screen.getByRole('button', { name: 'Columns' }));
  await user.click(await screen.findByRole('checkbox', { name: 'Queue' }));
  await waitFor(() => expect(lastCall().fields).toBe('clientid,connected,node,username'));
});

test('a list filter sends each of its texts and keeps a comma just typed', async () => {
  const user = userEvent.setup();
  show({ filters: [listFilter('clientid', words.clientid, { pinned: true })] });
  const field = screen.getByLabelText('Client ID');
  await user.type(field, 'a,');
  await waitFor(() => expect(broker.calls.at(-1)?.query?.getAll('clientid')).toEqual(['a']));
  await user.type(field, ' b');
  await waitFor(() => expect(broker.calls.at(-1)?.query?.getAll('clientid')).toEqual(['a', 'b']));
  expect(field).toHaveProperty('value', 'a, b');
});
