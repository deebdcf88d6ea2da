import { Modal } from '@mantine/core';
import { useEffect, useLayoutEffect, useRef } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { NotAvailable } from '../api/NotAvailable.tsx';
import { sentenceInPlace } from '../api/report.ts';
import { useWords } from '../i18n/words.ts';
import { useNarrow } from '../table/narrow.ts';
import { CopyButton } from '../ui/Copyable.tsx';
import { EmptyState } from '../ui/EmptyState.tsx';
import { ErrorState } from '../ui/ErrorState.tsx';
import { type Fact, Facts } from '../ui/Facts.tsx';
import { keepFocus } from '../ui/keep-focus.ts';
import { SkeletonRows } from '../ui/Skeleton.tsx';
import { isLong, shortText } from '../ui/short-text.ts';
import { visibleText } from '../ui/visible-text.ts';
import { PayloadView, type PayloadViewProps } from './PayloadView.tsx';
import styles from './payload.module.css';
import { words } from './words.ts';

/** A message to look at. Other people's texts in `facts` have passed `visibleText` or a cell of the table kit. */
export interface ShownMessage extends Pick<PayloadViewProps, 'contentType'> {
  /** Null when what came was not Base64. */
  bytes: Uint8Array<ArrayBuffer> | null;
  /** QoS, times, who sent it. */
  facts: readonly Fact[];
  /** Names and values of the sender; a name may occur twice. */
  properties?: readonly (readonly [name: string, value: string])[] | undefined;
}

/** What is known of the message so far: a query of the cache, or `{ data }` for one that is at hand. */
export interface MessageQuery {
  data?: ShownMessage | undefined;
  error?: ApiError | null | undefined;
  refetch?: (() => unknown) | undefined;
  /** What the list told of the message: all that is left of one that is gone. */
  known?: readonly Fact[] | undefined;
}

export interface PayloadDialogProps extends Pick<PayloadViewProps, 'format' | 'onFormat'> {
  topic: string;
  query: MessageQuery;
  onClose: () => void;
}

/** One message with its payload. Stands in the page while it is open; the page keeps which one, best in its address. */
export function PayloadDialog({ topic, query, onClose, ...view }: PayloadDialogProps) {
  const w = useWords(words);
  const narrow = useNarrow();
  const shown = shortText(topic);
  useFocusBack();
  return (
    <Modal
      opened
      onClose={onClose}
      size={900}
      fullScreen={narrow}
      title={
        <span
          className={styles.title}
          title={isLong(topic) ? visibleText(topic.slice(0, TITLE_MAX)) : undefined}
        >
          <bdi>{shown}</bdi>
          <CopyButton text={topic} label={w.copyTopic({ topic: shown })} />
        </span>
      }
      closeButtonProps={{ 'aria-label': w.close }}
    >
      <Message topic={topic} query={query} {...view} />
    </Modal>
  );
}

/** A dialog that is open from its first moment on does not note by itself where the focus came from. */
function useFocusBack(): void {
  const giveBack = useRef<() => void>(undefined);
  useLayoutEffect(() => {
    giveBack.current = keepFocus();
  }, []);
  // Once the dialog is out of the page: until then it holds the focus.
  useEffect(() => () => giveBack.current?.(), []);
}

/** Of a whole topic as a hint: browsers draw no more of it anyway. */
const TITLE_MAX = 2000;

function Message({ topic, query, ...view }: Omit<PayloadDialogProps, 'onClose'>) {
  const w = useWords(words);
  const narrow = useNarrow();
  const { data, error, refetch, known } = query;
  // The payload of a message that was taken away meanwhile is not shown from memory.
  if (error?.absent) return <NotAvailable />;
  if (error?.status === 404)
    return (
      <div className={styles.message}>
        <EmptyState title={w.gone} text={w.goneWhy} />
        {known && known.length > 0 && <Facts facts={known} columnWidth={narrow ? 140 : 230} />}
      </div>
    );
  if (!data) {
    if (error) return <ErrorState text={sentenceInPlace(error)} retry={refetch} />;
    return <SkeletonRows rows={5} />;
  }
  const { bytes, facts, properties, contentType } = data;
  return (
    <div className={styles.message}>
      <Facts facts={facts} columnWidth={narrow ? 140 : 230} />
      {properties && properties.length > 0 && (
        <details className={styles.properties}>
          <summary>{w.properties({ count: properties.length })}</summary>
          <Facts
            facts={properties.map(([name, value]) => ({
              label: visibleText(name),
              value: visibleText(value),
            }))}
          />
        </details>
      )}
      {bytes === null ? (
        <EmptyState title={w.broken} />
      ) : (
        <PayloadView bytes={bytes} topic={topic} contentType={contentType} {...view} />
      )}
    </div>
  );
}
