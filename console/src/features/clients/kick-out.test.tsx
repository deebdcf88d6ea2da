import { MantineProvider } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, renderHook, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ReactNode, useState } from 'react';
import { beforeEach, expect, test } from 'vitest';
import { queryClient } from '../../api/query-client.ts';
import { sentenceOf } from '../../api/report.ts';
import { columnsOf } from '../../table/columns.tsx';
import { QueryTable } from '../../table/QueryTable.tsx';
import { TableHostProvider } from '../../table/table-host.tsx';
import { applyChanges, type StateChanges, type StateValues } from '../../table/table-state.ts';
import { foreign, json, nothing } from '../../testing/answers.ts';
import { brokerBehindFetch } from '../../testing/broker-behind-fetch.ts';
import { Confirms } from '../../ui/Confirms.tsx';
import { getToasts } from '../../ui/toast.ts';
import { useClient } from './use-client.ts';
import { useKickOut } from './use-kick-out.ts';

type Row = Partial<Client>;
const column = columnsOf<Row>({ clientid: { en: 'Client ID', zh: '客户端 ID' } });
const columns = [column.text('clientid')];

const huge = `fleet-${'x'.repeat(60_000)}-east`;
let ids: string[];
const broker = brokerBehindFetch<string[] | undefined>(({ method, path, body }) => {
  if (method === 'GET') {
    const data = ids.map((clientid) => ({ clientid, connected: true }));
    return json({ data, meta: { page: 1, limit: 50, count: data.length } });
  }
  ids = ids.filter((id) => path !== `/clients/${id}` && !body?.includes(id));
  return nothing();
});
const deeds = () => broker.calls.filter(({ method }) => method !== 'GET');

beforeEach(() => {
  ids = ['a', huge];
});

const host = {
  useState: () => {
    const [values, setValues] = useState<StateValues>({});
    return { values, set: (changes: StateChanges) => setValues((before) => applyChanges(before, changes)) };
  },
  Link: ({ children }: { children: ReactNode }) => <span>{children}</span>,
};

function List() {
  const { kickOut } = useKickOut();
  return (
    <QueryTable<Row>
      query={api.clients.list}
      columns={columns}
      actions={({ clientid = '' }) => [
        { label: 'Kick out', run: () => kickOut({ clientid, connected: true }) },
      ]}
      empty="Nobody"
      label="Clients"
      refreshSeconds={0}
    />
  );
}

test.each([
  ['a', { method: 'DELETE', path: '/clients/a', body: undefined }, 'a'],
  [
    huge,
    { method: 'POST', path: '/clients/kickout/bulk', body: [huge] },
    `fleet-${'x'.repeat(54)}…${'x'.repeat(25)}-east (60,011 characters)`,
  ],
])(
  'kicking out: by the path that can name it, shortened, and the focus stays in the list (%#)',
  async (clientid, deed, shown) => {
    render(
      <MantineProvider
        env="test"
        withCssVariables={false}
        withGlobalClasses={false}
        withStaticClasses={false}
      >
        <QueryClientProvider client={queryClient}>
          <TableHostProvider value={host}>
            <List />
            <Confirms />
          </TableHostProvider>
        </QueryClientProvider>
      </MantineProvider>,
    );
    const user = userEvent.setup();
    await waitFor(() => expect(screen.getAllByRole('button', { name: /^Actions/ })).toHaveLength(2));
    await user.click(screen.getAllByRole('button', { name: /^Actions/ })[ids.indexOf(clientid)]!);
    await user.click(await screen.findByRole('menuitem', { name: 'Kick out' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(dialog.getByText(`Kick out ${shown}?`)).toBeTruthy();
    await user.click(dialog.getByRole('button', { name: 'Kick out' }));
    await waitFor(() => expect(screen.getAllByRole('button', { name: /^Actions/ })).toHaveLength(1));
    expect(deeds()).toEqual([deed]);
    await waitFor(() =>
      expect(getToasts().map(({ text }) => text)).toEqual([expect.stringContaining(shown)]),
    );
    const region = screen.getByRole('region', { name: 'Clients, rows' });
    await waitFor(() => expect(document.activeElement).toBe(region));
  },
);

test('the page of a client whose id no address can hold says so in words', async () => {
  broker.answer = () => foreign(new Response('', { status: 414 }));
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
  );
  const { result, rerender } = renderHook(({ id }) => useClient(id, undefined), {
    wrapper,
    initialProps: { id: huge },
  });
  await waitFor(() => expect(result.current.error).not.toBeNull());
  expect(sentenceOf(result.current.error!)).toMatch(/^The id is too long/);
  expect(result.current.gone).toBe(false);
  rerender({ id: 'a' });
  await waitFor(() =>
    expect(result.current.error && sentenceOf(result.current.error)).toBe('414 Network error'),
  );
});
