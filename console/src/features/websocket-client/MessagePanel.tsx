import { useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  type ReactNode,
  useDeferredValue,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { Language } from '../../i18n/language.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { useNarrow } from '../../table/narrow.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { formatBytes, formatNumber, formatTime } from '../../ui/format.ts';
import { IconDownload, IconPause, IconPlay, IconTrash } from '../../ui/icons.tsx';
import { shortText } from '../../ui/short-text.ts';
import { DeliveryMark } from './DeliveryMark.tsx';
import { MessageDialog } from './MessageDialog.tsx';
import { exportMessages } from './message-export.ts';
import type { LoggedMessage, MessageLog } from './message-log.ts';
import { previewOf, searchTextOf } from './payload-text.ts';
import styles from './websocket-client.module.css';
import { words } from './words.ts';

/** websocket-client.module.css says the same. */
const ROW_PX = 32;
const NARROW_ROW_PX = 52;

export interface MessagePanelProps {
  log: MessageLog;
  which: 'received' | 'published';
  empty: ReactNode;
  /** Buttons of a row. */
  actions?: ((message: LoggedMessage) => ReactNode) | undefined;
}

/** Messages of one direction, newest first: found, paused, cleared, exported, opened. */
export function MessagePanel({ log, which, empty, actions }: MessagePanelProps) {
  const w = useWords(words);
  const language = useLanguage();
  const { messages, count, bytes, paused, unseen } = useSyncExternalStore(log.subscribe, log.view);
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim().toLowerCase());
  const shown = useMemo(() => found(messages, wanted), [messages, wanted]);
  const [opened, setOpened] = useState<LoggedMessage>();
  return (
    <div className={styles.messages}>
      <div className={styles.messagesHead}>
        <h2 className={styles.messagesTitle}>{w[which]}</h2>
        <span className={styles.quiet} data-count={count}>
          {w.counted({ count, bytes: formatBytes(bytes, language) })}
          {wanted !== '' && ` · ${w.shownOf({ shown: shown.length, kept: messages.length })}`}
          {wanted === '' && count > messages.length && !paused && messages.length > 0
            ? ` · ${w.onlyNewest({ kept: messages.length })}`
            : ''}
        </span>
        {paused && (
          <span className={styles.paused} role="status">
            {w.unseen({ count: unseen })}
          </span>
        )}
        <div className={styles.tools}>
          <input
            type="search"
            className={styles.search}
            aria-label={w.search}
            placeholder={w.search}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
          />
          {which === 'received' && (
            <button
              type="button"
              className={styles.iconButton}
              aria-label={paused ? w.resume : w.pause}
              title={paused ? w.resume : w.pause}
              onClick={() => log.setPaused(!paused)}
            >
              {paused ? <IconPlay size={15} /> : <IconPause size={15} />}
            </button>
          )}
          <button
            type="button"
            className={styles.iconButton}
            aria-label={which === 'received' ? w.exportReceived : w.exportPublished}
            title={w.export}
            disabled={shown.length === 0}
            onClick={() => exportMessages(shown, which)}
          >
            <IconDownload size={15} />
          </button>
          <button
            type="button"
            className={styles.iconButton}
            aria-label={which === 'received' ? w.clearReceived : w.clearPublished}
            title={w.clear}
            disabled={count === 0}
            onClick={() => log.clear()}
          >
            <IconTrash size={15} />
          </button>
        </div>
      </div>
      {shown.length === 0 ? (
        <div className={styles.nothing}>{messages.length > 0 ? <EmptyState title={w.noMatch} /> : empty}</div>
      ) : (
        <Rows messages={shown} label={w[which]} which={which} actions={actions} onOpen={setOpened} />
      )}
      {opened && <MessageDialog message={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}

const found = (messages: readonly LoggedMessage[], wanted: string): readonly LoggedMessage[] =>
  wanted === ''
    ? messages
    : messages.filter(
        ({ topic, payload }) =>
          topic.toLowerCase().includes(wanted) || searchTextOf(payload).includes(wanted),
      );

function Rows({
  messages,
  label,
  which,
  actions,
  onOpen,
}: {
  messages: readonly LoggedMessage[];
  label: string;
  which: 'received' | 'published';
  actions: MessagePanelProps['actions'];
  onOpen: (message: LoggedMessage) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const scroller = useRef<HTMLElement>(null);
  const rowPx = useNarrow() ? NARROW_ROW_PX : ROW_PX;
  const virtual = useVirtualizer({
    count: messages.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => messages[index]?.id ?? index,
    overscan: 8,
  });
  useEffect(() => {
    virtual.measure(); // Every row changes its height with the form of the rows.
    void rowPx;
  }, [virtual, rowPx]);
  useKeepPlace(scroller, messages, rowPx);
  return (
    <section
      ref={scroller}
      className={styles.scroller}
      data-which={which}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {/* biome-ignore-start lint/a11y: rows out of sight are not in the document, which a table element cannot say */}
      <div role="table" aria-label={label} aria-rowcount={messages.length + 1} className={styles.table}>
        <div role="rowgroup" className={styles.tableHead}>
          <div role="row" aria-rowindex={1} className={styles.row}>
            <div role="columnheader">{w.time}</div>
            <div role="columnheader">{w.topic}</div>
            <div role="columnheader">{w.qos}</div>
            <div role="columnheader">{w.payload}</div>
            {which === 'published' && <div role="columnheader">{w.delivery}</div>}
          </div>
        </div>
        <div role="rowgroup" className={styles.tableBody} style={{ blockSize: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const message = messages[index];
            return (
              message && (
                <Row
                  key={message.id}
                  message={message}
                  ariaIndex={index + 2}
                  start={start}
                  language={language}
                  retained={w.retained}
                  emptyPayload={w.emptyPayload}
                  actions={actions}
                  onOpen={onOpen}
                />
              )
            );
          })}
        </div>
      </div>
      {/* biome-ignore-end lint/a11y: see above */}
    </section>
  );
}

/** New messages come in above: who reads further down stays with what he reads. */
function useKeepPlace(
  scroller: React.RefObject<HTMLElement | null>,
  messages: readonly LoggedMessage[],
  rowPx: number,
) {
  const newest = messages[0]?.id ?? 0;
  const before = useRef(newest);
  useLayoutEffect(() => {
    const added = messages.findIndex(({ id }) => id <= before.current);
    before.current = newest;
    const box = scroller.current;
    if (box && added > 0 && box.scrollTop > 0) box.scrollTop += added * rowPx;
  }, [scroller, messages, newest, rowPx]);
}

/** Memoised: at a thousand messages per second only what is new is drawn. */
const Row = memo(function Row({
  message,
  ariaIndex,
  start,
  language,
  retained,
  emptyPayload,
  actions,
  onOpen,
}: {
  message: LoggedMessage;
  ariaIndex: number;
  start: number;
  language: Language;
  retained: string;
  emptyPayload: string;
  actions: MessagePanelProps['actions'];
  onOpen: (message: LoggedMessage) => void;
}) {
  const { topic, payload, qos, retain, at, delivery } = message;
  const preview = useMemo(() => previewOf(payload), [payload]);
  // biome-ignore-start lint/a11y: a row of the table above
  return (
    <div
      role="row"
      aria-rowindex={ariaIndex}
      className={styles.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <div role="cell" className={styles.timeCell} title={formatTime(at, language)}>
        {clock(at)}
      </div>
      <div role="cell" className={styles.topicCell}>
        <button type="button" className={styles.open} onClick={() => onOpen(message)}>
          <bdi>{shortText(topic)}</bdi>
        </button>
      </div>
      <div role="cell" className={styles.qosCell}>
        {formatNumber(qos, language)}
        {retain && (
          <span className={styles.retained} title={retained}>
            R<span className="visually-hidden"> ({retained})</span>
          </span>
        )}
      </div>
      <div role="cell" className={styles.payloadCell}>
        {payload.length === 0 ? <span className={styles.quiet}>{emptyPayload}</span> : <bdi>{preview}</bdi>}
      </div>
      {delivery && (
        <div role="cell" className={styles.deliveryCell}>
          <DeliveryMark message={message} />
          {actions && <span className={styles.rowActions}>{actions(message)}</span>}
        </div>
      )}
    </div>
  );
  // biome-ignore-end lint/a11y: a row of the table above
});

/** 14:03:27.125 of today's clock; the whole moment is in the hint. */
function clock(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}
