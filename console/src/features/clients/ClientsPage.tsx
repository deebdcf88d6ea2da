import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { refresh } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useSession } from '../../api/session.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import type { BulkAction } from '../../table/BulkBar.tsx';
import { QueryTable } from '../../table/QueryTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { formatNumber } from '../../ui/format.ts';
import { Page } from '../../ui/Page.tsx';
import { toast } from '../../ui/toast.ts';
import { useUrlState } from '../../url-state.ts';
import { banClient } from './ban-client.ts';
import { ALWAYS_FIELDS, clientColumns } from './client-columns.tsx';
import { clientFilters } from './client-filters.ts';
import { noteRows } from './list-rates.ts';
import { NotHere } from './NotHere.tsx';
import { useKickOut } from './use-kick-out.ts';
import { words } from './words.ts';

type Row = Partial<Client>;

/** Clients per call of a bulk deed: enough to be quick, few enough to show how far it is. */
const BATCH = 100;
const COUNTS_MS = 10_000;

export function ClientsPage() {
  const w = useWords(words);
  const { kickOut } = useKickOut();
  const me = useSession()?.username;
  const { values, set } = useUrlState();
  const sought = [values.like_clientid ?? values.clientid ?? ''].flat()[0]!;
  const clear = () => set(Object.fromEntries(Object.keys(values).map((key) => [key, undefined])), 'push');

  const copyIds = async (clientids: readonly string[]) => {
    const done = await copyText(clientids.join('\n'));
    toast(done ? 'good' : 'bad', done ? w.copied({ count: clientids.length }) : w.copyFailed);
  };
  const actions = ({ clientid = '', connected = false, ...counts }: Row): RowAction[] => [
    { label: w.open, run: () => navigate(paths.client(clientid)) },
    { label: w.copyId, run: () => copyIds([clientid]) },
    { label: w.ban, run: () => navigate(paths.ban('clientid', clientid)) },
    {
      label: connected ? w.kickOut : w.clean,
      run: () => kickOut({ clientid, connected, ...counts }),
      danger: true,
    },
  ];
  const bulk: BulkAction<Row>[] = [
    {
      label: w.kickOut,
      confirm: (count) => w.kickOutMany({ count }),
      danger: true,
      batch: BATCH,
      many: async (rows) => {
        await request(api.clients.kickOutMany, { body: idsOf(rows) }, { quiet: true });
        await refresh([api.stats.list]);
      },
      success: (count) => w.kickedOutMany({ count }),
    },
    {
      label: w.banMany,
      confirm: (count) => w.banManyText({ count }),
      danger: true,
      each: ({ clientid = '' }) => banClient(clientid, me),
      success: (count) => w.bannedMany({ count }),
    },
    { label: w.copyIds, instant: (rows) => copyIds(idsOf(rows)) },
  ];

  return (
    <Page title={w.title} facts={<Counts />}>
      <QueryTable<Row>
        query={api.clients.list}
        columns={clientColumns}
        fields={ALWAYS_FIELDS}
        filters={clientFilters}
        actions={actions}
        bulk={bulk}
        onRows={noteRows}
        empty={w.empty}
        noMatch={sought === '' ? undefined : <NotHere clientid={sought} onClear={clear} />}
        label={w.label}
        name="clients"
      />
    </Page>
  );
}

const idsOf = (rows: readonly Row[]): string[] => rows.map(({ clientid }) => clientid ?? '');

/** How many there are, whatever the filters show. */
function Counts() {
  const w = useWords(words);
  const language = useLanguage();
  const { data } = useEndpoint(
    api.stats.list,
    { query: { aggregate: true } },
    { poll: COUNTS_MS, progress: false, quiet: true },
  );
  const stats = (Array.isArray(data) ? data[0] : data) as Record<string, unknown> | null | undefined;
  const all = stats?.['connections.count'];
  const live = stats?.['live_connections.count'];
  if (typeof all !== 'number' || typeof live !== 'number') return null;
  return w.counts({ all, live: formatNumber(live, language) });
}
