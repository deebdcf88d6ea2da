import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import type { Rule } from '@mqdeck/contract/rules';
import { useMemo } from 'react';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FigureTable } from '../../ui/FigureTable.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { NodeStates } from '../../ui/NodeStates.tsx';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { Mark, stateOf } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { bridgeIdOf, idOf } from './bridge-sides.ts';
import { useBridgeMetrics } from './use-bridge-metrics.ts';
import { words } from './words.ts';

const SOURCE = '$bridges/';

/** The bridges that the rule reads from and sends to, and how they do. */
export function RuleBridges({ rule }: { rule: Rule }) {
  const w = useWords(words);
  const language = useLanguage();
  const refresh = usePolling();
  const used = useMemo(() => usedBy(rule), [rule]);
  const ids = useMemo(() => [...new Set(used.map(({ id }) => id))], [used]);
  const { data, error, refetch, dataUpdatedAt, isFetching } = useEndpoint(
    api.bridges.list,
    {},
    { quiet: true, poll: refresh.poll },
  );
  const present = useMemo(() => ids.filter((id) => data?.some((bridge) => idOf(bridge) === id)), [ids, data]);
  const metrics = useBridgeMetrics(present, refresh.intervalMs);
  if (used.length === 0)
    return (
      <Panel>
        <EmptyState
          title={w.noBridges}
          text={w.noBridgesText}
          action={<Link to={paths.rule(rule.id, 'info', 'settings')}>{w.settings}</Link>}
        />
      </Panel>
    );
  const number = (value: number | undefined) =>
    value === undefined ? NOTHING : formatNumber(value, language);
  return (
    <Panel title={w.bridges} actions={refresh.control({ dataUpdatedAt, isFetching, refetch })}>
      {!data && error ? (
        <QueryFailed error={error} retry={refetch} />
      ) : !data ? (
        <SkeletonRows rows={used.length} />
      ) : (
        <FigureTable
          label={w.bridges}
          headLabel={w.bridge}
          columns={[
            { label: w.direction },
            { label: w.state },
            ...[w.matched, w.success, w.failed, w.dropped, w.queuing, w.received, w.rate].map((label) => ({
              label,
              kind: 'number' as const,
            })),
          ]}
          rows={used.map(({ id, side }) => {
            const own = metrics.get(id);
            const bridge = data.find((one) => idOf(one) === id);
            return {
              key: `${side} ${id}`,
              head: bridge ? (
                <Link to={paths.bridge(id)}>{visibleText(id)}</Link>
              ) : (
                <bdi>{visibleText(id)}</bdi>
              ),
              cells: [
                side === 'source' ? w.reads : w.sends,
                bridge ? (
                  <BridgeState key="state" bridge={bridge} />
                ) : (
                  <span key="state" title={w.bridgeMissingText}>
                    <Mark tone="bad">{w.bridgeMissing}</Mark>
                  </span>
                ),
                number(own?.matched),
                number(own?.success),
                number(own?.failed),
                number(own?.dropped),
                number(own?.queuing),
                number(own?.received),
                own ? w.perSecond({ rate: formatRate(own.rate, language) }) : NOTHING,
              ],
            };
          })}
        />
      )}
    </Panel>
  );
}

function usedBy({ from, actions }: Rule): { id: string; side: 'source' | 'target' }[] {
  return [
    ...from
      .filter((source) => source.startsWith(SOURCE))
      .map((source) => ({ id: bridgeIdOf(source.slice(SOURCE.length)), side: 'source' as const })),
    ...actions.flatMap((action) =>
      typeof action === 'string' ? [{ id: bridgeIdOf(action), side: 'target' as const }] : [],
    ),
  ];
}

function BridgeState({ bridge }: { bridge: Bridge }) {
  const nodes = bridge.enable
    ? bridge.node_status.map(({ node, status, status_reason }) => ({
        node,
        is: stateOf(status),
        reason: status_reason,
      }))
    : [];
  return (
    <NodeStates
      is={bridge.enable ? stateOf(bridge.status) : 'disabled'}
      nodes={nodes}
      name={visibleText(idOf(bridge))}
    />
  );
}
