import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { LISTENER_TYPES, type ListenerItem } from '@mqdeck/contract/listeners';
import { useMemo, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { shownBind } from '../../form/listening/bind.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter } from '../../table/filters.ts';
import { LocalTable } from '../../table/LocalTable.tsx';
import { useNarrow } from '../../table/narrow.ts';
import type { RowAction } from '../../table/RowMenu.tsx';
import { usePolling } from '../../table/use-polling.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatNumber, NOTHING } from '../../ui/format.ts';
import { IconPlus } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { Mark, State } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { CertificateEnd } from './Certificate.tsx';
import { ListenerDrawer } from './ListenerDrawer.tsx';
import styles from './listeners.module.css';
import { RemoveListener } from './RemoveListener.tsx';
import { nodesOf, type Standing, standingOf } from './standing.ts';
import { connectionsNow, useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

const STANDINGS: readonly Standing[] = ['running', 'stopped', 'inconsistent'];
const isTls = ({ type }: ListenerItem) => type === 'ssl' || type === 'wss';

const column = columnsOf<ListenerItem>(words);
const always = [
  column.custom('name', (row) => <Name row={row} />, {
    sort: 'name',
    value: ({ name }) => name,
    width: 150,
    grow: 2,
  }),
  column.text('type', { width: 70, grow: 0.4 }),
  column.id('bind', { value: ({ bind }) => shownBind(bind), width: 150, grow: 1.4 }),
  column.custom('state', (row) => <StandingCell row={row} />, {
    sort: 'state',
    value: standingOf,
    lead: true,
    width: 120,
  }),
  column.custom('enable', (row) => <Enable row={row} />, {
    value: ({ enable }) => enable,
    width: 80,
    grow: 0.4,
  }),
  column.custom('connections', (row) => <Connections row={row} />, {
    sort: 'connections',
    value: ({ status }) => status.current_connections,
    brief: true,
    width: 170,
    grow: 1.5,
  }),
];
const certificate = column.custom('certificate', (row) => <Certificate row={row} />, {
  sort: 'certificate',
  value: ({ certificate: shown }) => shown?.days,
  width: 170,
  grow: 1.2,
});
/** Not every broker says these in the list. */
const zone = column.text('zone', { width: 100 });
const mountpoint = column.id('mountpoint', { width: 120 });
const acceptors = column.number('acceptors', { width: 90 });

const filters = [
  choiceFilter(
    'type',
    words.type,
    LISTENER_TYPES.map((value) => ({ value })),
    { pinned: true },
  ),
  choiceFilter(
    'state',
    words.state,
    STANDINGS.map((value) => ({ value, label: words[value] })),
    { pinned: true },
  ),
];

export function ListenersPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const refresh = usePolling();
  const { data, error, dataUpdatedAt, isFetching, refetch } = useEndpoint(
    api.listeners.list,
    {},
    { quiet: true, poll: refresh.poll },
  );
  const { start, stop, restart } = useDeeds();
  const [removing, setRemoving] = useState<{ id: string; name: string; count: number }>();
  const says = (key: 'certificate' | 'zone' | 'mountpoint') =>
    !data || data.some((row) => row[key] !== undefined);
  const [hasCertificate, hasZone, hasMountpoint] = [says('certificate'), says('zone'), says('mountpoint')];
  const columns = useMemo(
    () => [
      ...always,
      ...(hasZone ? [zone] : []),
      ...(hasMountpoint ? [mountpoint] : []),
      ...(hasCertificate ? [certificate] : []),
      acceptors,
    ],
    [hasCertificate, hasZone, hasMountpoint],
  );

  const askRemove = async ({ id, name }: ListenerItem) => {
    const count = await connectionsNow(id);
    if (count !== null) setRemoving({ id, name, count });
  };
  const actions = (row: ListenerItem): RowAction[] => {
    const { id, type } = row;
    const standing = standingOf(row);
    const noForm = !(LISTENER_TYPES as readonly string[]).includes(type) && w.noForm;
    return [
      { label: w.edit, run: () => set({ open: id }, 'push'), disabledReason: noForm },
      { label: w.duplicate, run: () => set({ copy: id }, 'push'), disabledReason: noForm },
      { label: w.authentication, run: () => navigate(paths.listenerAuthentication(id)) },
      {
        label: w.start,
        run: () => start(id),
        disabledReason: standing === 'running' && w.runsAlready,
      },
      {
        label: w.stop,
        run: () => stop(id),
        disabledReason: standing === 'stopped' && !row.enable && w.stoppedAlready,
      },
      { label: w.restart, run: () => restart(id), disabledReason: standing === 'stopped' && w.notRunning },
      { label: w.remove, danger: true, run: () => askRemove(row) },
    ];
  };
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        !error?.absent && (
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => set({ add: 'tcp' }, 'push')}
          >
            {w.add}
          </Button>
        )
      }
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <LocalTable
          name="listeners"
          label={w.title}
          rows={data}
          columns={columns}
          rowId={({ id }) => id}
          filters={filters}
          actions={actions}
          empty={w.empty}
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
          tools={refresh.control({ dataUpdatedAt, isFetching, refetch })}
        />
      )}
      <ListenerDrawer
        add={values.add}
        copy={values.copy}
        open={values.open}
        onClose={() => set({ add: undefined, copy: undefined, open: undefined }, 'replace')}
      />
      {removing && <RemoveListener {...removing} onClose={() => setRemoving(undefined)} />}
    </Page>
  );
}

/** Opens the form; a real link, so that it can be sent to somebody. */
function Name({ row: { id, name, type } }: { row: ListenerItem }) {
  const { values } = useUrlState();
  const shown = visibleText(name);
  if (!(LISTENER_TYPES as readonly string[]).includes(type))
    return <span className={styles.clip}>{shown}</span>;
  return (
    <Link
      to={`${paths.listeners()}${searchText({ ...values, add: undefined, copy: undefined, open: id })}`}
      className={styles.clip}
      title={id}
    >
      {shown}
    </Link>
  );
}

function StandingCell({ row }: { row: ListenerItem }) {
  const standing = standingOf(row);
  // Nobody wants it to run.
  if (standing === 'stopped' && !row.enable) return <State is="stopped" />;
  return <NodeStates is={standing} nodes={nodesOf(row)} name={row.id} />;
}

function Enable({ row: { id, enable } }: { row: ListenerItem }) {
  const w = useWords(words);
  const { start, stop } = useDeeds();
  return (
    <EnableSwitch on={enable} label={w.enableOf({ id })} onChange={(on) => (on ? start(id) : stop(id))} />
  );
}

function Connections({ row: { id, status } }: { row: ListenerItem }) {
  const w = useWords(words);
  const language = useLanguage();
  const narrow = useNarrow();
  const { current_connections: used, max_connections: total } = status;
  const format = (value: number) => formatNumber(value, language);
  if (typeof total !== 'number') return w.noLimit({ count: format(used) });
  if (narrow) return w.ofLimit({ count: format(used), limit: format(total) });
  return <BarMeter label={`${id}: ${w.connections}`} used={used} total={total} format={format} />;
}

function Certificate({ row }: { row: ListenerItem }) {
  const w = useWords(words);
  if (!isTls(row)) return NOTHING;
  if (row.certificate) return <CertificateEnd certificate={row.certificate} />;
  if (!row.enable) return NOTHING; // it gets one when it starts
  return <Mark tone="bad">{w.noCertificate}</Mark>;
}
