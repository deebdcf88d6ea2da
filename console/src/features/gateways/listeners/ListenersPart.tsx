import { Button, Drawer } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { GatewayListener, GatewayName } from '@mqdeck/contract/gateways';
import { useMemo, useState } from 'react';
import { sentenceInPlace } from '../../../api/report.ts';
import { useEndpoint } from '../../../api/use-endpoint.ts';
import { BarMeter } from '../../../charts/BarMeter.tsx';
import { shownBind } from '../../../form/listening/bind.ts';
import { useLanguage, useWords } from '../../../i18n/words.ts';
import { Link } from '../../../Link.tsx';
import { paths } from '../../../paths.ts';
import { searchText } from '../../../search-text.ts';
import { columnsOf } from '../../../table/columns.tsx';
import { LocalTable } from '../../../table/LocalTable.tsx';
import { useNarrow } from '../../../table/narrow.ts';
import type { RowAction } from '../../../table/RowMenu.tsx';
import { usePolling } from '../../../table/use-polling.tsx';
import { EmptyState } from '../../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../../ui/EnableSwitch.tsx';
import { formatNumber, NOTHING } from '../../../ui/format.ts';
import { IconPlus } from '../../../ui/icons.tsx';
import { State } from '../../../ui/State.tsx';
import { visibleText } from '../../../ui/visible-text.ts';
import { useUrlState } from '../../../url-state.ts';
import styles from '../gateways.module.css';
import { EditListener, NewListener } from './ListenerDrawer.tsx';
import { listenerWords as words } from './listener-words.ts';
import { useRemoveListener, useSwitchListener } from './use-listeners.ts';

interface Row extends GatewayListener {
  gateway: GatewayName;
}

const runs = ({ running, status }: GatewayListener) => status?.running ?? running ?? false;

const column = columnsOf<Row>(words);
const columns = [
  column.custom('name', (row) => <Name of={row} />, {
    sort: 'name',
    value: ({ name }) => name,
    width: 150,
    grow: 2,
  }),
  column.text('type', { width: 70, grow: 0.4 }),
  column.id('bind', { value: ({ address, bind }) => address ?? shownBind(bind), width: 150, grow: 1.4 }),
  column.custom('state', (row) => <Standing of={row} />, {
    sort: 'state',
    value: (row) => (runs(row) ? 'running' : 'stopped'),
    lead: true,
    width: 140,
    grow: 2,
  }),
  column.custom('enabled', (row) => <Enable of={row} />, {
    value: ({ enable = true }) => enable,
    width: 80,
    grow: 0.4,
  }),
  column.custom('connections', (row) => <Connections of={row} />, {
    sort: 'connections',
    value: ({ status }) => status?.current_connections,
    brief: true,
    width: 170,
    grow: 1.5,
  }),
  column.custom('max_connections', (row) => <Limit of={row.max_connections} />, {
    value: ({ max_connections }) => max_connections,
    align: 'end',
    width: 130,
    grow: 0.6,
  }),
  column.custom('max_conn_rate', (row) => <Limit of={row.max_conn_rate} />, {
    value: ({ max_conn_rate }) => max_conn_rate,
    align: 'end',
    width: 150,
    grow: 0.6,
  }),
  column.number('acceptors', { width: 90 }),
];
const rowId = ({ id }: Row) => id;

/** Where the devices of a gateway connect. */
export function ListenersPart({ name }: { name: GatewayName }) {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const refresh = usePolling();
  const { data, error, dataUpdatedAt, isFetching, refetch } = useEndpoint(
    api.gateways.listeners,
    { params: { name }, query: { addresses: true } },
    { quiet: true, poll: refresh.poll },
  );
  const rows = useMemo(() => data?.map((one): Row => ({ ...one, gateway: name })), [data, name]);
  const remove = useRemoveListener(name);
  const turn = useSwitchListener(name);
  const actions = (row: Row): RowAction[] => [
    { label: w.edit, run: () => set({ open: row.id }, 'push') },
    { label: w.start, run: () => turn(row.id, true), disabledReason: runs(row) && w.runsAlready },
    {
      label: w.stop,
      run: () => turn(row.id, false),
      disabledReason: !runs(row) && row.enable === false && w.stoppedAlready,
    },
    { label: w.remove, danger: true, run: () => remove(row) },
  ];
  const close = () => set({ add: undefined, open: undefined }, 'replace');
  const open = typeof values.open === 'string' ? values.open : undefined;
  return (
    <>
      <LocalTable
        name="gateway-listeners"
        label={w.title}
        rows={rows}
        columns={columns}
        rowId={rowId}
        actions={actions}
        empty={w.empty}
        error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        tools={
          <>
            {refresh.control({ dataUpdatedAt, isFetching, refetch })}
            <Button
              variant="filled"
              leftSection={<IconPlus size={15} />}
              onClick={() => set({ add: '1' }, 'push')}
            >
              {w.add}
            </Button>
          </>
        }
      />
      {open !== undefined && data && <Opened key={open} name={name} id={open} all={data} onClose={close} />}
      {open === undefined && values.add !== undefined && data && (
        <NewListener name={name} taken={data.map(({ id }) => id)} onClose={close} />
      )}
    </>
  );
}

/** What the form began with stays under it; what others change meanwhile it finds out by itself. */
function Opened({
  name,
  id,
  all,
  onClose,
}: {
  name: GatewayName;
  id: string;
  all: readonly GatewayListener[];
  onClose: () => void;
}) {
  const w = useWords(words);
  const [listener] = useState(() => all.find((one) => one.id === id));
  if (listener) return <EditListener name={name} listener={listener} onClose={onClose} />;
  return (
    <Drawer
      opened
      onClose={onClose}
      title={w.editTitle({ id: visibleText(id) })}
      position="right"
      size={520}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <EmptyState title={w.missing({ id: visibleText(id) })} text={w.missingText} />
    </Drawer>
  );
}

/** Opens the form; a real link, so that it can be sent to somebody. */
function Name({ of: { id, name, gateway } }: { of: Row }) {
  const { values } = useUrlState();
  return (
    <Link
      to={`${paths.gateway(gateway, 'listeners')}${searchText({ ...values, add: undefined, open: id })}`}
      title={id}
    >
      {visibleText(name)}
    </Link>
  );
}

function Standing({ of }: { of: Row }) {
  const { enable = true, failure } = of;
  return (
    <span className={styles.status}>
      <State is={runs(of) ? 'running' : 'stopped'} wanted={enable} />
      {failure && (
        <span className={styles.text} title={visibleText(failure)}>
          {visibleText(failure)}
        </span>
      )}
    </span>
  );
}

function Enable({ of: { id, gateway, enable = true } }: { of: Row }) {
  const w = useWords(words);
  const turn = useSwitchListener(gateway);
  return <EnableSwitch on={enable} label={w.enableOf({ id })} onChange={(on) => turn(id, on)} />;
}

function Connections({ of: { id, status } }: { of: Row }) {
  const w = useWords(words);
  const language = useLanguage();
  const narrow = useNarrow();
  if (!status) return NOTHING;
  const { current_connections: used, max_connections: total } = status;
  const format = (value: number) => formatNumber(value, language);
  if (typeof total !== 'number') return w.noLimit({ count: format(used) });
  if (narrow) return w.ofLimit({ count: format(used), limit: format(total) });
  return <BarMeter label={`${id}: ${w.connections}`} used={used} total={total} format={format} />;
}

function Limit({ of }: { of: number | 'infinity' | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  return of === undefined ? NOTHING : of === 'infinity' ? w.unlimited : formatNumber(of, language);
}
