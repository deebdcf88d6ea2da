import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { ExplorerStatus } from '@mqdeck/contract/topic-explorer';
import { useId, useState } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formatNumber, formatPercent, formatTime } from '../../ui/format.ts';
import { IconInfo, IconPause, IconPlay, IconTopic } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { TopicDetail } from './TopicDetail.tsx';
import { TopicTree } from './TopicTree.tsx';
import styles from './topic-explorer.module.css';
import { words } from './words.ts';

const POLL_MS = 2000;
const ORDERS = ['name', 'messages', 'rate', 'last_at'] as const;

/** A live tree of topics and, beside it, the values of one. What is chosen stands in the address. */
export function TopicExplorerPage() {
  const w = useWords(words);
  const searchId = useId();
  const sortId = useId();
  const { values, set } = useUrlState();
  const [paused, setPaused] = useState(false);
  const search = typeof values.q === 'string' ? values.q : '';
  const sort = ORDERS.find((one) => one === values.sort) ?? 'name';
  const topic = typeof values.topic === 'string' ? values.topic : undefined;
  const poll = paused ? undefined : POLL_MS;
  const query = { sort, ...(search !== '' && { search }) };
  const top = useEndpoint(api.topicExplorer.tree, { query }, { quiet: true, progress: false, poll });
  const restart = useAction(api.topicExplorer.forget, {
    confirm: { title: w.restartAsk, text: w.restartText, action: w.restart },
    refresh: [api.topicExplorer.tree, api.topicExplorer.topic],
  });
  const { data, error } = top;

  if (error?.absent && !data)
    return (
      <Page title={w.title} purpose={w.purpose}>
        <Panel>
          <NotAvailable />
        </Panel>
      </Page>
    );
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      actions={
        <>
          <Button
            leftSection={paused ? <IconPlay size={14} /> : <IconPause size={14} />}
            aria-pressed={paused}
            onClick={() => setPaused(!paused)}
          >
            {paused ? w.resume : w.pause}
          </Button>
          <Button onClick={() => void restart({})}>{w.restart}</Button>
        </>
      }
    >
      <div className={styles.columns}>
        <Panel title={w.tree}>
          <div className={styles.bar}>
            <label htmlFor={searchId} className="visually-hidden">
              {w.search}
            </label>
            <input
              id={searchId}
              type="search"
              className={styles.search}
              placeholder={w.search}
              value={search}
              spellCheck={false}
              onChange={(event) => set({ q: event.currentTarget.value || undefined }, 'replace')}
            />
            <label htmlFor={sortId} className={styles.sort}>
              {w.sort}
              <select
                id={sortId}
                value={sort}
                onChange={(event) =>
                  set(
                    { sort: event.currentTarget.value === 'name' ? undefined : event.currentTarget.value },
                    'replace',
                  )
                }
              >
                {ORDERS.map((order) => (
                  <option key={order} value={order}>
                    {w[order]}
                  </option>
                ))}
              </select>
            </label>
          </div>
          {error && !data ? (
            <ErrorState title={w.failed} text={sentenceInPlace(error)} retry={() => void top.refetch()} />
          ) : !data ? (
            <SkeletonRows rows={8} />
          ) : data.data.length === 0 ? (
            search === '' ? (
              <EmptyState icon={<IconTopic size={28} />} title={w.waiting} text={w.waitingText} />
            ) : (
              <EmptyState title={w.noneFound({ text: visibleText(search) })} />
            )
          ) : (
            <TopicTree
              rows={data.data}
              hasMore={data.hasnext}
              flat={search !== ''}
              sort={sort}
              poll={poll}
              chosen={topic}
              onChoose={(one) => set({ topic: one }, 'push')}
            />
          )}
          {data && <Status status={data.status} />}
        </Panel>
        <div className={styles.detail}>
          {topic === undefined ? (
            <Panel>
              <EmptyState icon={<IconTopic size={28} />} title={w.choose} />
            </Panel>
          ) : (
            <TopicDetail key={topic} topic={topic} poll={poll} />
          )}
        </div>
      </div>
    </Page>
  );
}

/** How much was gathered, and what was not. */
function Status({ status }: { status: ExplorerStatus }) {
  const w = useWords(words);
  const language = useLanguage();
  const { since, topics, topics_max, left_out, messages, sampled } = status;
  const number = (value: number) => formatNumber(value, language);
  return (
    <div className={styles.status} role="status">
      <span>
        {w.since({ time: formatTime(since, language), topics: number(topics), max: number(topics_max) })}
      </span>
      {left_out > 0 && (
        <span className={styles.warning}>
          <IconInfo size={14} />
          {w.leftOut({ count: number(left_out) })}
        </span>
      )}
      {sampled < messages * 0.99 && (
        <span className={styles.warning}>
          <IconInfo size={14} />
          {w.sampled({ share: formatPercent(sampled / messages, language) })}
        </span>
      )}
    </div>
  );
}
