import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Trace } from '@mqdeck/contract/traces';
import { useParams } from '@tanstack/react-router';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useWords } from '../../i18n/words.ts';
import { Link } from '../../Link.tsx';
import { navigate } from '../../navigate.ts';
import { idOf, paths } from '../../paths.ts';
import { Copyable } from '../../ui/Copyable.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { IconDownload, IconStopped, IconTrash } from '../../ui/icons.tsx';
import { Page, Panel } from '../../ui/Page.tsx';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { TraceStatus } from './TraceStatus.tsx';
import { TraceView } from './TraceView.tsx';
import styles from './trace.module.css';
import { sizeOf, useTraceDeeds } from './use-trace-deeds.ts';
import { words } from './words.ts';

const POLL_MS = 3000;

/** What one trace has written. */
export function TracePage() {
  const { id: segment = '' } = useParams({ strict: false }) as { id?: string };
  const name = idOf(segment);
  return <OneTrace key={name} name={name} />;
}

function OneTrace({ name }: { name: string }) {
  const w = useWords(words);
  const { data, error, refetch } = useEndpoint(api.traces.list, {}, { quiet: true, poll: POLL_MS });
  const trace = data?.find((one) => one.name === name);
  if (trace) return <Found trace={trace} />;
  const back = <Link to={paths.logTraces()}>{w.back}</Link>;
  return (
    <Page title={visibleText(name)}>
      <Panel>
        {data ? (
          <EmptyState title={w.missing({ name: visibleText(name) })} text={w.missingText} action={back} />
        ) : error ? (
          <ErrorState title={w.loadFailed} text={sentenceInPlace(error)} retry={() => void refetch()} />
        ) : (
          <SkeletonRows rows={8} />
        )}
      </Panel>
    </Page>
  );
}

function Found({ trace }: { trace: Trace }) {
  const w = useWords(words);
  const deeds = useTraceDeeds();
  const { name, type, status, start_at, end_at } = trace;
  const empty = sizeOf(trace) === 0;
  return (
    <Page
      title={visibleText(name)}
      heading={<Copyable text={name} />}
      facts={
        <span className={styles.facts}>
          <TraceStatus trace={trace} />
          <span>
            {w[type]}: <bdi className={styles.mono}>{visibleText(trace[type] ?? '')}</bdi>
          </span>
          <span>
            <AbsoluteTime at={start_at} /> – <AbsoluteTime at={end_at} />
          </span>
        </span>
      }
      actions={
        <>
          <Link to={paths.logTraces()} className={styles.back}>
            {w.back}
          </Link>
          <Button
            leftSection={<IconDownload size={15} />}
            onClick={() => void deeds.save(name)}
            disabled={empty}
            title={empty ? w.nothingYet : undefined}
          >
            {w.download}
          </Button>
          {status === 'stopped' ? (
            <Button
              color="red"
              leftSection={<IconTrash size={15} />}
              onClick={() => void deeds.remove(name).then((done) => done && navigate(paths.logTraces()))}
            >
              {w.remove}
            </Button>
          ) : (
            <Button leftSection={<IconStopped size={15} />} onClick={() => void deeds.stop(name)}>
              {w.stop}
            </Button>
          )}
        </>
      }
    >
      <TraceView trace={trace} onDownload={(node) => void deeds.save(name, node)} />
    </Page>
  );
}
