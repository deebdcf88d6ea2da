import { api } from '@mqdeck/contract/api';
import type { GatewayClient, GatewayName } from '@mqdeck/contract/gateways';
import { useMemo } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { request } from '../../../api/request.ts';
import { useWords } from '../../../i18n/words.ts';
import { paths } from '../../../paths.ts';
import { searchText } from '../../../search-text.ts';
import type { BulkAction } from '../../../table/BulkBar.tsx';
import { columnsOf } from '../../../table/columns.tsx';
import { choiceFilter, textFilter } from '../../../table/filters.ts';
import { QueryTable } from '../../../table/QueryTable.tsx';
import type { RowAction } from '../../../table/RowMenu.tsx';
import { copyText } from '../../../ui/copy-text.ts';
import { toast } from '../../../ui/toast.ts';
import { useUrlState } from '../../../url-state.ts';
import { addressText } from './address.ts';
import { ClientDrawer } from './ClientDrawer.tsx';
import { useKickOut } from './use-kick-out.ts';
import { connectionWords as words } from './words.ts';

const column = columnsOf<GatewayClient>(words);
const node = choiceFilter('node', words.node, async (ask) =>
  (await ask(api.nodes.list, {})).map(({ node }) => ({ value: node })),
);
const filters = [
  textFilter('like_clientid', words.clientidHas),
  textFilter('like_username', words.usernameHas),
  node,
];
const lwm2mFilters = [
  textFilter('like_endpoint_name', words.endpointHas),
  textFilter('like_clientid', words.clientidHas),
  node,
];

const rowId = ({ clientid }: GatewayClient) => clientid;

/** The devices of a gateway, a page at a time. */
export function ConnectionsPart({ name }: { name: GatewayName }) {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const kickOut = useKickOut(name);
  const isLwm2m = name === 'lwm2m';
  const given = useMemo(() => ({ params: { name } }), [name]);
  const columns = useMemo(() => {
    const link = (id: string) => `${paths.gateway(name, 'connections')}${searchText({ client: id })}`;
    const address = column.custom('address', (row) => addressText(row), {
      value: addressText,
      width: 160,
      grow: 1,
    });
    const shared = [
      column.time('connected_at', { sort: false, width: 130, brief: true }),
      column.number('subscriptions_cnt', { sort: false, width: 100 }),
      column.text('node', { sort: false, hidden: true, width: 150 }),
    ];
    const clientid = column.link('clientid', link, { sort: false });
    return isLwm2m
      ? [
          clientid,
          column.id('endpoint_name', { sort: false }),
          address,
          column.duration('lifetime', { sort: false, width: 110 }),
          ...shared,
        ]
      : [
          clientid,
          column.text('username', { sort: false, width: 130 }),
          address,
          column.badge('connected', { sort: false, width: 130 }),
          ...shared,
        ];
  }, [name, isLwm2m]);

  const open = (clientid: string) => set({ client: clientid }, 'push');
  const copy = async (clientid: string) => {
    const done = await copyText(clientid);
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  const actions = ({ clientid }: GatewayClient): RowAction[] => [
    { label: w.details, run: () => open(clientid) },
    { label: w.copyId, run: () => copy(clientid) },
    { label: w.kickOut, danger: true, run: () => kickOut(clientid) },
  ];
  const bulk: BulkAction<GatewayClient>[] = [
    {
      label: w.kickOut,
      danger: true,
      confirm: (count) => w.kickOutMany({ count }),
      each: ({ clientid }) =>
        request(api.gateways.kickOut, { params: { name, clientid } }, { quiet: true }).catch(ifNotGone),
      success: (count) => w.kickedOutMany({ count }),
    },
  ];
  const client = typeof values.client === 'string' ? values.client : undefined;
  return (
    <>
      <QueryTable<GatewayClient>
        query={api.gateways.clients}
        given={given}
        columns={columns}
        rowId={rowId}
        filters={isLwm2m ? lwm2mFilters : filters}
        actions={actions}
        bulk={bulk}
        empty={w.empty}
        label={w.title}
        name={isLwm2m ? 'gateway-connections-lwm2m' : 'gateway-connections'}
      />
      {client !== undefined && (
        <ClientDrawer
          key={client}
          name={name}
          clientid={client}
          onClose={() => set({ client: undefined }, 'replace')}
        />
      )}
    </>
  );
}

/** It has left by itself: what was wanted is so. */
function ifNotGone(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== 404) throw error;
}
