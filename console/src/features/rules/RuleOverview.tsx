import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Rule, RuleMetricsAnswer } from '@mqdeck/contract/rules';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { usePolling } from '../../table/use-polling.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { Figures } from '../../ui/Figures.tsx';
import { FigureTable } from '../../ui/FigureTable.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Page.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { actionWords } from './action-words.ts';
import { actionName } from './actions.ts';
import styles from './rules.module.css';
import { SqlText } from './SqlText.tsx';
import { useDeeds } from './use-deeds.ts';
import { counter } from './use-rule-metrics.tsx';
import { words } from './words.ts';

/** A counter, what it is called, and in a few words what it counts. */
type Counter = readonly [name: string, label: keyof typeof words, text: keyof typeof words, kind?: 'rate'];

const STATEMENT: readonly Counter[] = [
  ['matched', 'matched', 'matchedText'],
  ['passed', 'passed', 'passedText'],
  ['failed.exception', 'failed', 'failedText'],
  ['failed.no_result', 'noResult', 'noResultText'],
  ['matched.rate', 'rate', 'rateText', 'rate'],
  ['matched.rate.last5m', 'rate5m', 'rate5mText', 'rate'],
  ['matched.rate.max', 'rateMax', 'rateMaxText', 'rate'],
];
const ACTIONS: readonly Counter[] = [
  ['actions.total', 'total', 'totalText'],
  ['actions.success', 'success', 'successText'],
  ['actions.failed', 'actionFailed', 'actionFailedText'],
  ['actions.failed.out_of_service', 'outOfService', 'outOfServiceText'],
  ['actions.failed.unknown', 'unknown', 'unknownText'],
];

/** What the rule has seen and done, over all nodes and on each. */
export function RuleOverview({ rule }: { rule: Rule }) {
  const w = useWords(words);
  const aw = useWords(actionWords);
  const refresh = usePolling();
  const { id } = rule;
  const { data, error, refetch, dataUpdatedAt, isFetching } = useEndpoint(
    api.rules.metrics,
    { params: { id } },
    { quiet: true, poll: refresh.poll },
  );
  const { reset } = useDeeds();
  if (!data)
    return (
      <Panel title={w.statistics}>
        {error ? (
          <ErrorState title={w.statisticsFailed} text={sentenceInPlace(error)} retry={refetch} />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
    );
  return (
    <>
      {!rule.enable && <Notice role="status">{w.disabledNow}</Notice>}
      {rule.actions.length === 0 && <Notice role="status">{w.noActions}</Notice>}
      <Panel
        title={w.statistics}
        actions={
          <>
            {refresh.control({ dataUpdatedAt, isFetching, refetch })}
            <Button onClick={() => void reset(rule)}>{w.reset}</Button>
          </>
        }
      >
        <Counters figures={STATEMENT} metrics={data.metrics} />
      </Panel>
      <Panel title={w.actionStatistics}>
        <Counters figures={ACTIONS} metrics={data.metrics} />
      </Panel>
      <Panel title={w.nodes}>
        <NodeTable answer={data} />
      </Panel>
      <Panel title={w.statement}>
        <div className={styles.statement}>
          <SqlText sql={rule.sql} label={w.sqlOf({ id: visibleText(id) })} />
          <Facts
            facts={[
              { label: w.sources, value: rule.from.map(visibleText).join(', ') },
              { label: w.actions, value: rule.actions.map((one) => actionName(one, aw)).join(', ') },
              { label: w.createdAt, value: <RelativeTime at={rule.created_at} /> },
              {
                label: w.modifiedAt,
                value: rule.last_modified_at && <RelativeTime at={rule.last_modified_at} />,
              },
            ]}
          />
        </div>
      </Panel>
    </>
  );
}

function useShown() {
  const w = useWords(words);
  const language = useLanguage();
  return (value: number | undefined, kind?: 'rate') =>
    value === undefined
      ? NOTHING
      : kind === 'rate'
        ? w.perSecond({ rate: formatRate(value, language) })
        : formatNumber(value, language);
}

function Counters({
  figures,
  metrics,
}: {
  figures: readonly Counter[];
  metrics: RuleMetricsAnswer['metrics'];
}) {
  const w = useWords(words);
  const shown = useShown();
  return (
    <Figures
      figures={figures.map(([name, label, text, kind]) => ({
        label: w[label] as string,
        value: shown(counter(metrics, name), kind),
        text: w[text] as string,
      }))}
    />
  );
}

const IN_TABLE: readonly Counter[] = [
  ...STATEMENT.slice(0, 5),
  ['actions.success', 'success', 'successText'],
  ['actions.failed', 'actionFailed', 'actionFailedText'],
];

function NodeTable({ answer: { node_metrics } }: { answer: RuleMetricsAnswer }) {
  const w = useWords(words);
  const shown = useShown();
  const head = (name: string, label: keyof typeof words) =>
    name.startsWith('actions.') ? w.ofActions({ name: w[label] as string }) : (w[label] as string);
  return (
    <FigureTable
      label={w.nodes}
      headLabel={w.node}
      columns={IN_TABLE.map(([name, label]) => ({ label: head(name, label), kind: 'number' }))}
      rows={node_metrics.map(({ node, metrics }) => ({
        key: node,
        head: <bdi>{visibleText(node)}</bdi>,
        cells: IN_TABLE.map(([name, , , kind]) => shown(counter(metrics, name), kind)),
      }))}
    />
  );
}
