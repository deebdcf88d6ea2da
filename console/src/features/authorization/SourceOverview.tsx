import type { AuthorizationSource, SourceStatus } from '@mqdeck/contract/authorization';
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { sentenceInPlace } from '../../api/report.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Figures } from '../../ui/Figures.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { NodeFigures } from '../../ui/NodeFigures.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { nodesOf } from './use-statuses.ts';
import { words } from './words.ts';

/** What it has decided so far, over all nodes and on each. */
export function SourceOverview({
  source,
  status,
  error,
  retry,
  refresh,
}: {
  source: AuthorizationSource;
  status: SourceStatus | undefined;
  error: ApiError | null;
  retry: () => unknown;
  refresh: ReactNode;
}) {
  const w = useWords(words);
  const language = useLanguage();
  if (!status) {
    return (
      <Panel title={w.figures}>
        {error ? (
          <ErrorState title={w.statusFailed} text={sentenceInPlace(error)} retry={retry} />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
    );
  }
  const { allow, deny, nomatch, ignore, rate, rate_max } = status.metrics;
  const perSecond = (value: number) => w.perSecond({ rate: formatRate(value, language) });
  const figures = [
    { label: w.allow, value: formatNumber(allow, language), text: w.allowText },
    { label: w.deny, value: formatNumber(deny, language), text: w.denyText },
    { label: w.nomatch, value: formatNumber(nomatch, language), text: w.nomatchText },
    ...(ignore > 0 ? [{ label: w.ignore, value: formatNumber(ignore, language), text: w.ignoreText }] : []),
    { label: w.rate, value: perSecond(rate), text: w.rateText({ max: formatRate(rate_max, language) }) },
  ];
  return (
    <>
      {!source.enable ? (
        <Notice role="status">{w.whileDisabled}</Notice>
      ) : (
        status.status === 'disconnected' && (
          <Notice is="bad" role="alert">
            {w.backendDown}
          </Notice>
        )
      )}
      <Panel title={w.figures} actions={refresh}>
        <Figures figures={figures} />
      </Panel>
      <Panel title={w.nodes}>
        <NodeTable source={source} status={status} />
      </Panel>
    </>
  );
}

function NodeTable({ source, status }: { source: AuthorizationSource; status: SourceStatus }) {
  const w = useWords(words);
  const language = useLanguage();
  const metrics = new Map(status.node_metrics.map((one) => [one.node, one.metrics]));
  const number = (value: number | undefined) =>
    value === undefined ? NOTHING : formatNumber(value, language);
  return (
    <NodeFigures
      label={w.nodes}
      labels={[w.allow, w.deny, w.nomatch, w.rate]}
      rows={nodesOf(status).map(({ node, is, reason }) => {
        const own = metrics.get(node);
        return {
          node,
          ...(source.enable ? { is, reason } : { is: 'disabled' }),
          figures: [
            number(own?.allow),
            number(own?.deny),
            number(own?.nomatch),
            own ? w.perSecond({ rate: formatRate(own.rate, language) }) : NOTHING,
          ],
        };
      })}
    />
  );
}
