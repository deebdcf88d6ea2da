import type { Stats } from '@mqdeck/contract/metrics';
import { type Node, nodes } from '@mqdeck/contract/nodes';
import { useParams } from '@tanstack/react-router';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { idOf, paths } from '../../paths.ts';
import { Copyable } from '../../ui/Copyable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { formatBytes, formatDuration, formatNumber, NOTHING } from '../../ui/format.ts';
import { IconNode } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { State, stateOf } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import classes from './dashboard.module.css';
import { HistoryCharts } from './HistoryCharts.tsx';
import { memoryBytes } from './memory.ts';
import { roleText } from './role.ts';
import { words } from './words.ts';

const POLL_MS = 5000;

/** One node: what it is, how full it is, and its charts. */
export function NodePage() {
  const w = useWords(words);
  const params = useParams({ strict: false });
  const name = idOf(String(params.node ?? ''));
  const shown = visibleText(name);
  const here = { params: { node: name } };
  const node = useEndpoint(nodes.get, here, { poll: POLL_MS, quiet: true, keepPrevious: false });
  const stats = useEndpoint(nodes.stats, here, {
    poll: POLL_MS,
    quiet: true,
    keepPrevious: false,
    enabled: node.data !== undefined, // an unknown node has none
  });

  if (node.error?.status === 404 && !node.data) {
    return (
      <Page title={shown}>
        <Panel>
          <EmptyState
            icon={<IconNode size={28} />}
            title={w.noNode({ node: shown })}
            text={w.noNodeText}
            action={<Link to={paths.nodes()}>{w.allNodes}</Link>}
          />
        </Panel>
      </Page>
    );
  }
  return (
    <Page
      title={shown}
      heading={<Copyable text={name} />}
      facts={node.data && <State is={stateOf(node.data.node_status)} />}
    >
      <div className={classes.nodePanels}>
        <Panel title={w.facts}>
          {node.data ? (
            <NodeFacts node={node.data} />
          ) : node.error ? (
            <QueryFailed error={node.error} retry={node.refetch} />
          ) : (
            <SkeletonFacts count={10} />
          )}
        </Panel>
        <Panel title={w.marks}>
          {stats.data ? (
            <Watermarks stats={stats.data as Stats} />
          ) : stats.error ? (
            <QueryFailed error={stats.error} retry={stats.refetch} />
          ) : (
            <SkeletonFacts count={8} />
          )}
        </Panel>
      </div>
      <HistoryCharts node={name} />
    </Page>
  );
}

function NodeFacts({ node }: { node: Node }) {
  const w = useWords(words);
  const language = useLanguage();
  const used = memoryBytes(node.memory_used);
  const total = memoryBytes(node.memory_total);
  const bytes = (value: number) => formatBytes(value, language);
  return (
    <Facts
      columnWidth={190}
      facts={[
        { label: w.uptime, value: formatDuration(node.uptime, language) },
        { label: w.version, value: node.version },
        { label: w.edition, value: node.edition },
        { label: w.role, value: roleText(node.role, language) },
        { label: w.runtime, value: node.otp_release },
        { label: w.loads, value: `${node.load1} / ${node.load5} / ${node.load15}` },
        {
          label: w.memory,
          value:
            used === null ? null : total === null || total === 0 ? (
              bytes(used)
            ) : (
              <BarMeter label={w.memory} used={used} total={total} format={bytes} />
            ),
        },
        {
          label: w.processes,
          value: (
            <BarMeter
              label={w.processes}
              used={node.process_used}
              total={node.process_available}
              format={(value) => formatNumber(value, language)}
            />
          ),
        },
        {
          label: w.fds,
          value: typeof node.max_fds === 'number' ? formatNumber(node.max_fds, language) : node.max_fds,
        },
        { label: w.sysPath, value: node.sys_path && <code>{visibleText(node.sys_path)}</code> },
        { label: w.logPath, value: node.log_path && <code>{visibleText(node.log_path)}</code> },
      ]}
    />
  );
}

const marks = [
  ['sessions', 'connections'],
  ['live', 'live_connections'],
  ['clusterSessions', 'cluster_sessions'],
  ['subscriptions', 'subscriptions'],
  ['shared', 'subscriptions.shared'],
  ['topics', 'topics'],
  ['retained', 'retained'],
] as const;

/** What there is now beside the most there ever was. Figures that this broker does not keep are left out. */
function Watermarks({ stats }: { stats: Stats }) {
  const w = useWords(words);
  const language = useLanguage();
  const show = (value: number | undefined) => (value === undefined ? NOTHING : formatNumber(value, language));
  const rows = marks.filter(([, stat]) => stats[`${stat}.count`] !== undefined);
  return (
    <table className={classes.marks}>
      <thead>
        <tr>
          <th scope="col">
            <span className="visually-hidden">{w.marks}</span>
          </th>
          <th scope="col">{w.current}</th>
          <th scope="col">{w.highest}</th>
          <td />
        </tr>
      </thead>
      <tbody>
        {rows.map(([label, stat]) => {
          const count = stats[`${stat}.count`] ?? 0;
          const max = stats[`${stat}.max`];
          return (
            <tr key={stat}>
              <th scope="row">{w[label]}</th>
              <td>{show(count)}</td>
              <td>{show(max)}</td>
              <td>
                <span className={classes.talkerBar} aria-hidden="true">
                  <span style={{ width: `${max ? Math.min(100, (count / max) * 100) : 0}%` }} />
                </span>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
