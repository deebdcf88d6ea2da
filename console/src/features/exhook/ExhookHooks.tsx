import { api } from '@mqdeck/contract/api';
import type { ExhookHookInfo } from '@mqdeck/contract/exhooks';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { FigureTable } from '../../ui/FigureTable.tsx';
import { formatNumber, formatRate, NOTHING } from '../../ui/format.ts';
import { Notice } from '../../ui/Notice.tsx';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import styles from './exhook.module.css';
import { DECIDING } from './servers.ts';
import { words } from './words.ts';

const POLL_MS = 5000;

/** What the server has asked for, and what became of each. */
export function ExhookHooks({ name }: { name: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(
    api.exhooks.hooks,
    { params: { name } },
    { quiet: true, poll: POLL_MS },
  );
  const asks = (hook: string) => data?.some((one) => one.name === hook);
  const notes = [
    ...(asks('client.authenticate') ? [w.authenticateNote] : []),
    ...(asks('client.authorize') ? [w.authorizeNote] : []),
  ];
  return (
    <Panel title={w.hooks}>
      {data === undefined ? (
        error ? (
          <ErrorState title={w.hooksFailed} text={sentenceInPlace(error)} retry={refetch} />
        ) : (
          <SkeletonRows rows={4} />
        )
      ) : data.length === 0 ? (
        <EmptyState title={w.noHooks} text={w.noHooksText} />
      ) : (
        <>
          <HookTable hooks={data} />
          {notes.length > 0 && (
            <div className={styles.notes}>
              {notes.map((note) => (
                <Notice key={note}>{note}</Notice>
              ))}
            </div>
          )}
        </>
      )}
    </Panel>
  );
}

function HookTable({ hooks }: { hooks: readonly ExhookHookInfo[] }) {
  const w = useWords(words);
  const language = useLanguage();
  return (
    <FigureTable
      label={w.hooks}
      headLabel={w.hook}
      columns={[
        { label: w.part },
        { label: w.topics, kind: 'words' },
        ...[w.succeed, w.failed, w.rate].map((label) => ({ label, kind: 'number' as const })),
      ]}
      rows={hooks.map(({ name, params, metrics }) => ({
        key: name,
        head: <code>{visibleText(name)}</code>,
        cells: [
          DECIDING.has(name) ? w.decides : w.hears,
          <Topics key="topics" topics={params.topics} />,
          formatNumber(metrics.succeed, language),
          formatNumber(metrics.failed, language),
          w.perSecond({ rate: formatRate(metrics.rate, language) }),
        ],
      }))}
    />
  );
}

function Topics({ topics }: { topics: readonly string[] | undefined }) {
  const w = useWords(words);
  if (topics === undefined) return NOTHING;
  if (topics.length === 0) return w.everyTopic;
  return (
    <span className={styles.topics}>
      {topics.map((topic) => (
        <code key={topic}>{visibleText(topic)}</code>
      ))}
    </span>
  );
}
