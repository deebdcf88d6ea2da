import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Bridge, BridgeMetrics } from '@mqdeck/contract/bridges';
import type { Rule } from '@mqdeck/contract/rules';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useMemo } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { keyOf } from '../../api/query-client.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { paths } from '../../paths.ts';
import { columnsOf } from '../../table/columns.tsx';
import { choiceFilter } from '../../table/filters.ts';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnableSwitch } from '../../ui/EnableSwitch.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { IconBridge, IconPlus, IconRefresh } from '../../ui/icons.tsx';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import type { StateName } from '../../ui/State.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import styles from './bridges.module.css';
import { kindWords } from './kind-words.ts';
import { typeName, typesInOrder } from './kinds.ts';
import { canReconnect, idOf, nodesOf, readRules, reasonOf, rulesUsing, stateFor } from './standing.ts';
import { TypeIcon } from './TypeIcon.tsx';
import { useBridgeMetrics } from './use-bridge-metrics.tsx';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

/** A bridge with what is counted of it, which comes later than the list, and the rules that use it. */
interface Row {
  id: string;
  name: string;
  type: string;
  status: StateName;
  enable: boolean;
  bridge: Bridge;
  metrics: BridgeMetrics | undefined;
  rules: readonly Rule[] | undefined;
  createdAt: string | undefined;
}

/** The graph is loaded when it is first looked at. */
const FlowView = lazy(async () => ({ default: (await import('../../graph/FlowView.tsx')).FlowView }));

const POLL_MS = 5000;
const NONE: readonly string[] = [];

const column = columnsOf<Row>(words);
type Counter = 'matched' | 'success' | 'failed' | 'dropped' | 'queuing' | 'received';
const count = (name: Counter, hidden = false) =>
  column.custom(name, ({ metrics }) => <Count of={metrics?.[name]} />, {
    value: ({ metrics }) => metrics?.[name],
    sort: name,
    align: 'end',
    width: 80,
    grow: 0.6,
    hidden,
  });
const columns = [
  column.custom('name', (row) => <Name of={row} />, { sort: 'name', width: 200, grow: 2.4 }),
  column.custom('status', (row) => <Status of={row} />, {
    sort: 'status',
    lead: true,
    width: 220,
    grow: 4,
  }),
  column.custom('enable', ({ bridge }) => <Enable of={bridge} />, {
    sort: 'enable',
    brief: true,
    width: 84,
    grow: 0.4,
  }),
  count('matched'),
  count('success'),
  count('failed'),
  count('dropped'),
  count('queuing'),
  count('received', true),
  column.custom('rate', ({ metrics }) => <Rate of={metrics?.rate} />, {
    value: ({ metrics }) => metrics?.rate,
    sort: 'rate',
    align: 'end',
    width: 80,
    grow: 0.6,
  }),
  column.custom('rules', (row) => <Rules of={row} />, {
    value: ({ rules }) => rules?.map(({ id }) => id).join(', '),
    width: 120,
    grow: 1.6,
  }),
  column.time('createdAt', { hidden: true }),
];
const filters = [
  choiceFilter(
    'type',
    words.type,
    typesInOrder.map((type) => ({ value: type, label: kindWords[type] })),
    { pinned: true },
  ),
  choiceFilter(
    'status',
    words.status,
    [
      { value: 'connected', label: words.connected },
      { value: 'connecting', label: words.connecting },
      { value: 'disconnected', label: words.disconnected },
      { value: 'disabled', label: words.disabledState },
      { value: 'inconsistent', label: words.inconsistent },
      { value: 'stopped', label: words.stopped },
      { value: 'error', label: words.error },
    ],
    { pinned: true },
  ),
];
const rowId = ({ id }: Row) => id;

export function BridgesPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const view = values.view === 'topology' ? 'topology' : 'list';
  const { data, error, refetch } = useEndpoint(api.bridges.list, {}, { quiet: true, poll: POLL_MS });
  const ids = useMemo(() => data?.map(idOf) ?? NONE, [data]);
  const metrics = useBridgeMetrics(ids);
  const rules = useRules();
  const rows = useMemo(
    () =>
      data?.map((bridge): Row => {
        const { name, type, enable } = bridge;
        const id = idOf(bridge);
        return {
          id,
          name,
          type,
          enable,
          bridge,
          status: stateFor(bridge),
          metrics: metrics.get(id),
          rules: rules && rulesUsing(rules, id),
          createdAt: bridge.created_at,
        };
      }),
    [data, metrics, rules],
  );
  const { remove, reconnect } = useDeeds();
  const actions = ({ bridge, id, status }: Row): RowAction[] => [
    ...(canReconnect(status) ? [{ label: w.reconnect, run: () => reconnect(bridge) }] : []),
    { label: w.settings, run: () => navigate(paths.bridge(id, 'settings')) },
    {
      label: w.createRule,
      run: () => navigate(paths.ruleCreate({ bridge: id })),
      disabledReason: !bridge.enable && w.enableFirst,
    },
    { label: w.duplicate, run: () => navigate(paths.bridgeCreate({ copy: id })) },
    { label: w.remove, danger: true, run: () => remove(bridge) },
  ];
  const absent = error?.absent && !data;
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data && w.found({ count: data.length })}
      actions={
        !absent && (
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => navigate(paths.bridgeCreate())}
          >
            {w.create}
          </Button>
        )
      }
    >
      {absent ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <Tabs
          label={w.views}
          value={view}
          // A page of the one view is none of the other.
          onChange={(next) => set({ view: next === 'list' ? undefined : next, page: undefined }, 'push')}
          tabs={[
            { value: 'list', label: w.list },
            { value: 'topology', label: w.topology },
          ]}
        >
          {view === 'list' ? (
            <LocalTable
              rows={rows}
              columns={columns}
              rowId={rowId}
              filters={filters}
              actions={actions}
              empty={w.empty}
              label={w.title}
              name="bridges"
              error={
                error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined
              }
            />
          ) : (
            <Suspense fallback={<SkeletonRows rows={8} />}>
              <FlowView
                empty={
                  <EmptyState
                    icon={<IconBridge size={28} />}
                    title={w.nothingFlows}
                    text={w.nothingFlowsText}
                  />
                }
              />
            </Suspense>
          )}
        </Tabs>
      )}
    </Page>
  );
}

/** The rules, to say who uses what; undefined while they are read, and where they cannot be. */
function useRules(): Rule[] | undefined {
  const { data } = useQuery({
    queryKey: [...keyOf(api.rules.list), 'all'],
    queryFn: ({ signal }) => readRules(signal),
    refetchInterval: 3 * POLL_MS,
    retry: false,
  });
  return data;
}

function Name({ of: { id, name, type } }: { of: Row }) {
  const k = useWords(kindWords);
  return (
    <span className={styles.name}>
      <TypeIcon type={type} size={16} />
      <Link to={paths.bridge(id)}>
        <bdi>{visibleText(name)}</bdi>
      </Link>
      <span className={styles.type}>{visibleText(typeName(type, k))}</span>
    </span>
  );
}

function Status({ of: { bridge, id, status } }: { of: Row }) {
  const w = useWords(words);
  const { reconnect } = useDeeds();
  const reason = reasonOf(bridge);
  return (
    <span className={styles.status}>
      <NodeStates is={status} nodes={nodesOf(bridge)} name={visibleText(id)} />
      {reason && status !== 'connected' && (
        <span className={styles.reason} title={visibleText(reason)}>
          {visibleText(reason)}
        </span>
      )}
      {canReconnect(status) && (
        <button
          type="button"
          className={styles.reconnect}
          aria-label={w.reconnectOf({ id: visibleText(id) })}
          title={w.reconnect}
          onClick={() => void reconnect(bridge)}
        >
          <IconRefresh size={14} />
        </button>
      )}
    </span>
  );
}

function Enable({ of }: { of: Bridge }) {
  const w = useWords(words);
  const { turn } = useDeeds();
  return (
    <EnableSwitch
      on={of.enable}
      label={w.enableOf({ id: visibleText(idOf(of)) })}
      onChange={(on) => turn(of, on)}
    />
  );
}

function Count({ of }: { of: number | undefined }) {
  const language = useLanguage();
  return of === undefined ? NOTHING : formatNumber(of, language);
}

function Rate({ of }: { of: number | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  return of === undefined ? NOTHING : w.perSecond({ rate: formatRate(of, language) });
}

const RULES_SHOWN = 2;

function Rules({ of: { rules } }: { of: Row }) {
  if (rules === undefined || rules.length === 0) return NOTHING;
  return (
    <span className={styles.rules}>
      {rules.slice(0, RULES_SHOWN).map(({ id }) => (
        <Link key={id} to={paths.rule(id)}>
          <bdi>{visibleText(id)}</bdi>
        </Link>
      ))}
      {rules.length > RULES_SHOWN && (
        <span title={rules.map(({ id }) => visibleText(id)).join(', ')}>+{rules.length - RULES_SHOWN}</span>
      )}
    </span>
  );
}
