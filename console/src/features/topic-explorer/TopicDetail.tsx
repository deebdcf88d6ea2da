import { api } from '@mqdeck/contract/api';
import type { ExploredValue } from '@mqdeck/contract/topic-explorer';
import { useEffect, useMemo, useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { paths } from '../../paths.ts';
import type { ProtobufChoice } from '../../payload/decode/decode.ts';
import { PayloadView } from '../../payload/PayloadView.tsx';
import { Copyable } from '../../ui/Copyable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { Facts } from '../../ui/Facts.tsx';
import { formatBytes, formatNumber, formatRate, formatTime } from '../../ui/format.ts';
import { Panel } from '../../ui/Page.tsx';
import { SkeletonFacts } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { ReadAs } from './ReadAs.tsx';
import styles from './topic-explorer.module.css';
import { ValueHistory } from './ValueHistory.tsx';
import { ValuePlot } from './ValuePlot.tsx';
import { bytesOf, joined, type Reading, readValue } from './values.ts';
import { words } from './words.ts';

/** One topic: its value now, its last values, and what of them are numbers. */
export function TopicDetail({ topic, poll }: { topic: string; poll: number | undefined }) {
  const w = useWords(words);
  const language = useLanguage();
  const { data, error, refetch } = useEndpoint(
    api.topicExplorer.topic,
    { query: { topic } },
    { quiet: true, progress: false, poll, keepPrevious: false },
  );
  const [values, setValues] = useState<readonly ExploredValue[]>([]);
  useEffect(() => {
    if (data) setValues((known) => joined(known, data.values));
  }, [data]);
  const [reading, setReading] = useState<Reading>('auto');
  const [protobuf, setProtobuf] = useState<ProtobufChoice>();
  const read = useMemo(
    () => (value: ExploredValue) => readValue(value, topic, reading, protobuf),
    [topic, reading, protobuf],
  );

  if (!data)
    return (
      <Panel title={<Copyable text={topic} />}>
        {error ? (
          <ErrorState text={sentenceInPlace(error)} retry={() => void refetch()} />
        ) : (
          <SkeletonFacts />
        )}
      </Panel>
    );
  const latest = values[0];
  return (
    <>
      <Panel
        title={<Copyable text={topic} />}
        actions={
          <Link to={paths.delivery({ topic, ...(values[0]?.from && { publisher: values[0].from }) })}>
            {w.watch}
          </Link>
        }
      >
        <Facts
          facts={[
            { label: w.messages, value: formatNumber(data.messages, language) },
            { label: w.rate, value: w.perSecond({ rate: formatRate(data.rate, language) }) },
            { label: w.subscribersNow, value: formatNumber(data.subscribers, language) },
            { label: w.retainedNow, value: data.retained ? w.yes : w.no },
            ...(latest
              ? [
                  {
                    label: w.from,
                    value: latest.from && (
                      <Link to={paths.client(latest.from)}>{visibleText(latest.from)}</Link>
                    ),
                  },
                  { label: w.time, value: formatTime(latest.at, language) },
                ]
              : []),
          ]}
          columnWidth={150}
        />
      </Panel>
      {latest ? (
        <>
          <Panel title={w.latest}>
            <ReadAs reading={reading} onReading={setReading} protobuf={protobuf} onProtobuf={setProtobuf} />
            <Value value={latest} topic={topic} read={read} />
          </Panel>
          <Panel title={w.plot}>
            <ValuePlot values={values} read={read} />
          </Panel>
          <Panel title={w.history}>
            <ValueHistory values={values} read={read} />
          </Panel>
        </>
      ) : (
        <Panel>
          <EmptyState
            title={data.messages > 0 ? w.waiting : w.gone({ topic: visibleText(topic) })}
            text={w.goneText}
          />
        </Panel>
      )}
    </>
  );
}

type Read = (value: ExploredValue) => ReturnType<typeof readValue>;

function Value({ value, topic, read }: { value: ExploredValue; topic: string; read: Read }) {
  const w = useWords(words);
  const language = useLanguage();
  const bytes = useMemo(() => bytesOf(value), [value]);
  const decoded = useMemo(() => read(value), [read, value]);
  const isCut = value.bytes > bytes.length;
  return (
    <div className={styles.value}>
      {isCut && (
        <p className={styles.text} role="status">
          {w.cut({ size: formatBytes(bytes.length, language), whole: formatBytes(value.bytes, language) })}
        </p>
      )}
      {decoded !== null && 'fault' in decoded && (
        <p className={styles.fault} role="alert">
          {w.notReadable({ reason: visibleText(decoded.fault) })}
        </p>
      )}
      {decoded !== null && 'value' in decoded ? (
        <PayloadView
          bytes={new TextEncoder().encode(JSON.stringify(decoded.value))}
          topic={topic}
          readOf={value.bytes}
        />
      ) : (
        <PayloadView bytes={bytes} topic={topic} contentType={value.content_type} />
      )}
    </div>
  );
}
