import type { Authenticator, AuthenticatorStatus } from '@mqdeck/contract/authentication';
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
export function AuthenticatorOverview({
  authenticator,
  status,
  error,
  retry,
  refresh,
}: {
  authenticator: Authenticator;
  status: AuthenticatorStatus | undefined;
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
  const { success, failed, nomatch, rate, rate_max } = status.metrics;
  const perSecond = (value: number) => w.perSecond({ rate: formatRate(value, language) });
  const figures = [
    { label: w.success, value: formatNumber(success, language), text: w.allowText },
    { label: w.failed, value: formatNumber(failed, language), text: w.denyText },
    { label: w.nomatch, value: formatNumber(nomatch, language), text: w.nomatchText },
    { label: w.rate, value: perSecond(rate), text: w.rateText({ max: formatRate(rate_max, language) }) },
  ];
  return (
    <>
      {!authenticator.enable ? (
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
        <NodeTable authenticator={authenticator} status={status} />
      </Panel>
    </>
  );
}

function NodeTable({ authenticator, status }: { authenticator: Authenticator; status: AuthenticatorStatus }) {
  const w = useWords(words);
  const language = useLanguage();
  const metrics = new Map(status.node_metrics.map((one) => [one.node, one.metrics]));
  const number = (value: number | undefined) =>
    value === undefined ? NOTHING : formatNumber(value, language);
  return (
    <NodeFigures
      label={w.nodes}
      labels={[w.success, w.failed, w.nomatch, w.rate]}
      rows={nodesOf(status).map(({ node, is, reason }) => {
        const own = metrics.get(node);
        return {
          node,
          ...(authenticator.enable ? { is, reason } : { is: 'disabled' }),
          figures: [
            number(own?.success),
            number(own?.failed),
            number(own?.nomatch),
            own ? w.perSecond({ rate: formatRate(own.rate, language) }) : NOTHING,
          ],
        };
      })}
    />
  );
}
