import type { ExhookDetail } from '@mqdeck/contract/exhooks';
import type { ReactNode } from 'react';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Figures } from '../../ui/Figures.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { NodeFigures } from '../../ui/NodeFigures.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Page.tsx';
import { nodesOf, worstOf } from './servers.ts';
import { words } from './words.ts';

/** What became of its calls, over all nodes and on each, and what holds while it is away. */
export function ExhookOverview({ server, refresh }: { server: ExhookDetail; refresh: ReactNode }) {
  const w = useWords(words);
  const language = useLanguage();
  const { hooks, metrics } = server;
  const number = (value: number) => formatNumber(value, language);
  return (
    <>
      <Standing server={server} />
      <Panel title={w.figures} actions={refresh}>
        <Figures
          figures={[
            { label: w.hooks, value: number(hooks.length), text: w.hooksText },
            { label: w.succeed, value: number(metrics.succeed), text: w.succeedText },
            { label: w.failed, value: number(metrics.failed), text: w.failedText },
            ...(metrics.dropped
              ? [{ label: w.dropped, value: number(metrics.dropped), text: w.droppedText }]
              : []),
            {
              label: w.rate,
              value: w.perSecond({ rate: formatRate(metrics.rate, language) }),
              text: w.rateText({ max: formatRate(metrics.max_rate, language) }),
            },
          ]}
        />
      </Panel>
      <Panel title={w.nodes}>
        <NodeTable server={server} />
      </Panel>
    </>
  );
}

function Standing({ server }: { server: ExhookDetail }) {
  const w = useWords(words);
  const state = worstOf(server);
  if (state === 'disabled') return <Notice role="status">{w.whileDisabled}</Notice>;
  if (state === 'connected' || state === undefined) return null;
  const denies = server.failed_action === 'deny';
  const away = denies ? w.awayDeny : w.awayIgnore;
  const neverThere = denies ? w.neverThereDeny : w.neverThereIgnore;
  return (
    <Notice is="bad" role="alert">
      {server.hooks.length === 0 ? neverThere : away}
    </Notice>
  );
}

function NodeTable({ server }: { server: ExhookDetail }) {
  const w = useWords(words);
  const language = useLanguage();
  const metrics = new Map(server.node_metrics.map((one) => [one.node, one.metrics]));
  const number = (value: number | undefined) =>
    value === undefined ? NOTHING : formatNumber(value, language);
  return (
    <NodeFigures
      label={w.nodes}
      labels={[w.succeed, w.failed, w.rate]}
      wanted={server.enable}
      rows={nodesOf(server).map((state) => {
        const own = metrics.get(state.node);
        return {
          ...state,
          figures: [
            number(own?.succeed),
            number(own?.failed),
            own ? w.perSecond({ rate: formatRate(own.rate, language) }) : NOTHING,
          ],
        };
      })}
    />
  );
}
