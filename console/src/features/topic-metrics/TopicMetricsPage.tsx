import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import { TOPIC_METRICS_MAX, type TopicMetrics } from '@mqdeck/contract/topic-metrics';
import { isValidTopic } from '@mqdeck/mqtt/topics';
import { useEffect } from 'react';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import { useAction } from '../../api/use-action.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { FormDrawer } from '../../form/FormDrawer.tsx';
import { Text } from '../../form/fields.tsx';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import { searchText } from '../../search-text.ts';
import { columnsOf } from '../../table/columns.tsx';
import { LocalTable } from '../../table/LocalTable.tsx';
import type { RowAction } from '../../table/RowMenu.tsx';
import { IconPlus } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { noteReadings } from './readings.ts';
import { TopicMetricsDrawer } from './TopicMetricsDrawer.tsx';
import styles from './topic-metrics.module.css';
import { words } from './words.ts';

const POLL_MS = 2000;
const NEW_TOPIC = { topic: '' };

const column = columnsOf<TopicMetrics>(words);
const figure = (name: string, unit: 'count' | 'rate', digits = 0) =>
  column.number(`${name}.${unit}` as 'topic', {
    value: ({ metrics }: TopicMetrics) => metrics[`messages.${name}.${unit}`],
    digits,
    width: 96,
  });
const columns = [
  column.custom('topic', ({ topic }) => <TopicLink topic={topic} />, {
    sort: 'topic',
    value: ({ topic }) => topic,
    width: 260,
    grow: 4,
  }),
  figure('in', 'count'),
  figure('in', 'rate', 2),
  figure('out', 'count'),
  figure('out', 'rate', 2),
  figure('dropped', 'count'),
  figure('dropped', 'rate', 2),
  column.time('since', { value: ({ reset_time, create_time }: TopicMetrics) => reset_time ?? create_time }),
];

export function TopicMetricsPage() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const { data, error, refetch } = useEndpoint(api.topicMetrics.list, {}, { quiet: true, poll: POLL_MS });
  useEffect(() => data && noteReadings(data), [data]);
  const reset = useAction(api.topicMetrics.reset, {
    confirm: ({ body: { topic } }) => ({
      title: topic === undefined ? w.resetAllAsk : w.resetAsk({ topic: shortText(topic) }),
      text: w.resetText,
      action: w.reset,
    }),
    refresh: [api.topicMetrics.list],
    success: w.resetDone,
  });
  const remove = useAction(api.topicMetrics.remove, {
    confirm: ({ params: { topic } }) => ({
      title: w.removeAsk({ topic: shortText(topic) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: [api.topicMetrics.list],
    success: w.removed,
  });

  // A link from another page names a topic: it is opened when it is counted, and offered to be when it is not.
  const named = typeof values.topic === 'string' ? values.topic : undefined;
  const counted = data?.some(({ topic }) => topic === named);
  const adding = values.add === 'true' || (named !== undefined && counted === false);
  const close = () => set({ topic: undefined, add: undefined }, 'replace');
  const full = (data?.length ?? 0) >= TOPIC_METRICS_MAX;

  const actions = ({ topic }: TopicMetrics): RowAction[] => [
    { label: w.show, run: () => set({ topic }, 'push') },
    { label: w.reset, run: () => void reset({ body: { action: 'reset', topic } }) },
    { label: w.remove, danger: true, run: () => void remove({ params: { topic } }) },
  ];
  return (
    <Page
      title={w.title}
      purpose={w.purpose}
      facts={data ? w.found({ count: data.length }) : undefined}
      actions={
        <>
          <Button
            variant="default"
            onClick={() => void reset({ body: { action: 'reset' } })}
            disabled={!data || data.length === 0}
          >
            {w.resetAll}
          </Button>
          <Button
            variant="filled"
            leftSection={<IconPlus size={15} />}
            onClick={() => set({ add: 'true' }, 'replace')}
            disabled={full}
            title={full ? w.full : undefined}
          >
            {w.add}
          </Button>
        </>
      }
    >
      {error?.absent && !data ? (
        <Panel>
          <NotAvailable />
        </Panel>
      ) : (
        <LocalTable
          rows={data}
          columns={columns}
          rowId={({ topic }) => topic}
          actions={actions}
          empty={w.empty}
          label={w.title}
          name="topic-metrics"
          error={error && !data ? { text: sentenceInPlace(error), retry: () => void refetch() } : undefined}
        />
      )}
      <FormDrawer
        key={adding ? (named ?? '') : 'closed'}
        title={w.add}
        opened={adding}
        onClose={close}
        endpoint={api.topicMetrics.create}
        initial={named === undefined ? NEW_TOPIC : { topic: named }}
        words={words}
        submitLabel={w.add}
        refresh={[api.topicMetrics.list]}
        faultFields={{ BAD_TOPIC: 'topic', EXCEED_LIMIT: 'topic' }}
        onDone={({ topic }) => toast('good', w.added({ topic: visibleText(topic) }))}
      >
        <Text
          name="topic"
          mono
          required
          placeholder="sensor/1/temperature"
          check={(value) => {
            const topic = String(value);
            if (/[+#]/.test(topic)) return w.noWildcards;
            return topic === '' || isValidTopic(topic) ? null : w.noTopic;
          }}
        />
      </FormDrawer>
      {named !== undefined && counted === true && (
        <TopicMetricsDrawer metrics={data!.find(({ topic }) => topic === named)!} onClose={close} />
      )}
    </Page>
  );
}

/** Opens what is known of the topic; a real link, so that it can be sent to somebody. */
function TopicLink({ topic }: { topic: string }) {
  return (
    <Link
      to={`${paths.topicMetrics()}${searchText({ topic })}`}
      className={styles.topic}
      title={visibleText(topic)}
    >
      <bdi>{visibleText(topic)}</bdi>
    </Link>
  );
}
