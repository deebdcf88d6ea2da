import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Bridge, BridgeMetrics, BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import { useQuery } from '@tanstack/react-query';
import { keyOf } from '../../api/query-client.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Figures } from '../../ui/Figures.tsx';
import { formatBytes, formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { IconRefresh } from '../../ui/icons.tsx';
import { NodeFigures } from '../../ui/NodeFigures.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './bridges.module.css';
import { canReconnect, idOf, nodesOf, readRules, reasonOf, rulesUsing, stateFor } from './standing.ts';
import { useDeeds } from './use-deeds.ts';
import { words } from './words.ts';

/** How long a row may wait, as its settings say; null without an end. */
function ttlOf({ resource_opts }: Bridge): string | null {
  const ttl = resource_opts?.request_ttl;
  return ttl === undefined || ttl === 'infinity' ? null : String(ttl);
}

/** What it was given and what became of it, over all nodes and on each; and who uses it. */
export function BridgeOverview({ bridge }: { bridge: Bridge }) {
  const w = useWords(words);
  const id = idOf(bridge);
  const refresh = usePolling();
  const { reset } = useDeeds();
  const metrics = useEndpoint(
    api.bridges.metrics,
    { params: { id } },
    { quiet: true, progress: false, poll: refresh.poll },
  );
  const state = stateFor(bridge);
  const reason = reasonOf(bridge);
  const ttl = ttlOf(bridge);
  return (
    <>
      {state === 'disabled' ? (
        <Notice role="status">{w.whileDisabled}</Notice>
      ) : (
        reason &&
        state !== 'connected' && (
          <Notice is="bad" role="alert">
            <strong>{w.down({ reason: visibleText(reason) })}</strong>{' '}
            {hasEgress(bridge) && (ttl === null ? w.downText : w.downTextTtl({ ttl }))}
          </Notice>
        )
      )}
      <Panel
        title={w.statistics}
        actions={
          <span className={styles.panelActions}>
            <Button onClick={() => void reset(bridge)}>{w.reset}</Button>
            {refresh.control(metrics)}
          </span>
        }
      >
        {metrics.data ? (
          <Counted bridge={bridge} metrics={metrics.data.metrics} />
        ) : metrics.error ? (
          <ErrorState
            title={w.statisticsFailed}
            text={sentenceInPlace(metrics.error)}
            retry={metrics.refetch}
          />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
      <Panel title={w.nodes}>
        <NodeTable bridge={bridge} metrics={metrics.data} />
      </Panel>
      <Panel title={w.usedBy}>
        <UsedBy id={id} />
      </Panel>
    </>
  );
}

const isGiven = (side: unknown): boolean =>
  typeof side === 'object' && side !== null && Object.keys(side).length > 0;
const hasIngress = ({ type, ingress }: Bridge): boolean =>
  type === 'mqtt' ? isGiven(ingress) : type.endsWith('_consumer');
const hasEgress = ({ type, egress }: Bridge): boolean =>
  type === 'mqtt' ? isGiven(egress) : !type.endsWith('_consumer');

const SENDING = [
  'matched',
  'success',
  'failed',
  'dropped',
  'queuing',
  'inflight',
  'retried',
  'late_reply',
] as const;

function Counted({ bridge, metrics }: { bridge: Bridge; metrics: BridgeMetrics }) {
  const w = useWords(words);
  const language = useLanguage();
  const both = hasIngress(bridge) && hasEgress(bridge);
  const text = (name: (typeof SENDING)[number]) =>
    name === 'queuing' && metrics.queuing > 0 && metrics.queuing_bytes !== undefined
      ? w.queuingBytes({ size: formatBytes(metrics.queuing_bytes, language) })
      : w[`${name}Text`];
  return (
    <>
      {hasEgress(bridge) && (
        <Figures
          label={both ? w.egress : undefined}
          figures={[
            ...SENDING.map((name) => ({
              label: w[name],
              value: formatNumber(metrics[name], language),
              text: text(name),
            })),
            {
              label: w.rate,
              value: w.perSecond({ rate: formatRate(metrics.rate, language) }),
              text: w.rateText({
                last: formatRate(metrics.rate_last5m, language),
                max: formatRate(metrics.rate_max, language),
              }),
            },
          ]}
        />
      )}
      {hasIngress(bridge) && (
        <Figures
          label={both ? w.ingress : undefined}
          figures={[
            { label: w.received, value: formatNumber(metrics.received, language), text: w.receivedText },
          ]}
        />
      )}
      {metrics.last_reset !== undefined && (
        <p className={styles.since}>
          {w.lastReset} <RelativeTime at={metrics.last_reset} />
        </p>
      )}
    </>
  );
}

const PER_NODE = ['matched', 'success', 'failed', 'dropped', 'received'] as const;

function NodeTable({ bridge, metrics }: { bridge: Bridge; metrics: BridgeMetricsAnswer | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  const { reconnectOn } = useDeeds();
  const states = new Map(nodesOf(bridge).map((one) => [one.node, one]));
  const counted = new Map(metrics?.node_metrics.map((one) => [one.node, one.metrics]));
  const nodes = [...new Set([...bridge.node_status.map(({ node }) => node), ...counted.keys()])];
  const rate = (value: number | undefined) =>
    value === undefined ? NOTHING : w.perSecond({ rate: formatRate(value, language) });
  return (
    <NodeFigures
      label={w.nodes}
      labels={[...PER_NODE.map((name) => w[name]), w.rate, w.rate5m, w.rateMax]}
      rows={nodes.map((node) => {
        const own = counted.get(node);
        const { is = 'disabled' as const, reason } = states.get(node) ?? {};
        return {
          node,
          is,
          reason,
          tool: canReconnect(is) && (
            <button
              type="button"
              className={styles.reconnect}
              aria-label={w.reconnectOn({ node: visibleText(node) })}
              title={w.reconnectOn({ node: visibleText(node) })}
              onClick={() => void reconnectOn(bridge, node)}
            >
              <IconRefresh size={14} />
            </button>
          ),
          figures: [
            ...PER_NODE.map((name) => (own ? formatNumber(own[name], language) : NOTHING)),
            rate(own?.rate),
            rate(own?.rate_last5m),
            rate(own?.rate_max),
          ],
        };
      })}
    />
  );
}

function UsedBy({ id }: { id: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useQuery({
    queryKey: [...keyOf(api.rules.list), 'all'],
    queryFn: ({ signal }) => readRules(signal),
    retry: false,
  });
  if (!data) return error ? <ErrorState text={error.message} retry={() => refetch()} /> : <SkeletonFacts />;
  const rules = rulesUsing(data, id);
  if (rules.length === 0) return <p className={styles.muted}>{w.noRules}</p>;
  return (
    <ul className={styles.ruleList}>
      {rules.map((rule) => (
        <li key={rule.id}>
          <Link to={paths.rule(rule.id)}>
            <bdi>{visibleText(rule.id)}</bdi>
          </Link>
        </li>
      ))}
    </ul>
  );
}
