import type { Node } from '@mqdeck/contract/nodes';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ApiError } from '../../api/api-error.ts';
import { QueryFailed } from '../../api/QueryFailed.tsx';
import { BarMeter } from '../../charts/BarMeter.tsx';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { formatBytes, formatDurationShort, formatNumber } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonBlock } from '../../ui/Skeleton.tsx';
import { State, stateOf } from '../../ui/State.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import classes from './dashboard.module.css';
import { memoryBytes } from './memory.ts';
import { words } from './words.ts';

/** The nodes, each in three short lines. */
export function NodeRows({ answer }: { answer: UseQueryResult<Node[], ApiError> }) {
  const w = useWords(words);
  const { data, error, refetch } = answer;
  return (
    <Panel title={<Link to={paths.nodes()}>{w.nodes}</Link>}>
      {!data ? (
        error ? (
          <QueryFailed error={error} retry={refetch} />
        ) : (
          <SkeletonBlock height={74} />
        )
      ) : data.length === 0 ? (
        <EmptyState title={w.noNodes} />
      ) : (
        <ul className={classes.rows}>
          {data.map((node) => (
            <NodeRow key={node.node} node={node} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function NodeRow({ node }: { node: Node }) {
  const w = useWords(words);
  const language = useLanguage();
  const used = memoryBytes(node.memory_used);
  const total = memoryBytes(node.memory_total);
  const running = node.node_status === 'running';
  return (
    <li className={classes.node}>
      <div className={classes.nodeLine}>
        <Link to={paths.node(node.node)} className={classes.nodeName} title={visibleText(node.node)}>
          <bdi>{visibleText(node.node)}</bdi>
        </Link>
        <State is={stateOf(node.node_status)} />
      </div>
      {running && (
        <>
          <div className={classes.nodeFacts}>
            <span>{node.version}</span>
            <span>{w.upFor({ time: formatDurationShort(node.uptime, language) })}</span>
            <span title={`${w.loads}: ${node.load1} / ${node.load5} / ${node.load15}`}>
              {w.load} {node.load1}
            </span>
            <span>
              {w.connectionsShort({
                count: formatNumber(node.live_connections ?? node.connections, language),
              })}
            </span>
          </div>
          {used !== null && total !== null && total > 0 && (
            <div className={classes.nodeMemory}>
              <span>{w.memory}</span>
              <BarMeter
                label={w.memory}
                used={used}
                total={total}
                format={(bytes) => formatBytes(bytes, language)}
              />
            </div>
          )}
        </>
      )}
    </li>
  );
}
