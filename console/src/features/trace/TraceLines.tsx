import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import type { Language } from '../../i18n/language.ts';
import { useLanguage, wordsIn } from '../../i18n/words.ts';
import { formatTime } from '../../ui/format.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { toneOf } from './message-way.ts';
import styles from './trace.module.css';
import { type RawLine, readLine, type TraceLine } from './trace-line.ts';
import { words } from './view-words.ts';

/** trace.module.css says the same. */
const LINE_PX = 20;
const OVERSCAN = 20;
/** Whoever is further from the end than this reads something, and is left alone. */
const AT_END_PX = 40;

export interface LinesHandle {
  /** Brings the line of this number into sight. */
  show(number: number): void;
  toEnd(): void;
}

/** The lines of a log, as many of them in the document as can be seen; stays at the end until somebody reads further up. */
export function TraceLines({
  ref,
  label,
  lines,
  sought,
  current,
  message,
  wrap,
  withNode,
  onMessage,
  onAtEnd,
}: {
  ref: Ref<LinesHandle>;
  label: string;
  lines: readonly RawLine[];
  /** In small letters; '' = nothing. */
  sought: string;
  /** The number of the line with the hit that was gone to. */
  current: number | undefined;
  message: string | null;
  wrap: boolean;
  withNode: boolean;
  onMessage: (id: string) => void;
  onAtEnd: (at: boolean) => void;
}) {
  const language = useLanguage();
  const scroller = useRef<HTMLDivElement>(null);
  const stays = useRef(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LINE_PX,
    getItemKey: (index) => lines[index]?.number ?? index,
    overscan: OVERSCAN,
  });
  useEffect(() => {
    virtual.measure();
    void wrap;
  }, [virtual, wrap]);

  const toEnd = () => {
    stays.current = true;
    if (lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
    onAtEnd(true);
  };
  useImperativeHandle(ref, () => ({
    show: (number) => {
      const index = lines.findIndex((line) => line.number === number);
      if (index === -1) return;
      stays.current = false;
      virtual.scrollToIndex(index, { align: 'center' });
    },
    toEnd,
  }));
  const last = lines.at(-1)?.number;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what comes, and another height of the lines, move the end
  useLayoutEffect(() => {
    if (stays.current && last !== undefined) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [last, wrap]);

  return (
    <div
      ref={scroller}
      role="log"
      aria-label={label}
      aria-live="off"
      className={styles.lines}
      data-wrap={wrap || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        stays.current = scrollHeight - scrollTop - clientHeight <= AT_END_PX;
        onAtEnd(stays.current);
      }}
    >
      <div className={styles.linesBody} style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const raw = lines[index];
          return (
            raw && (
              <div
                key={key}
                ref={virtual.measureElement}
                data-index={index}
                className={styles.linePlace}
                style={{ transform: `translateY(${start}px)` }}
              >
                <Line
                  raw={raw}
                  sought={sought}
                  isCurrent={raw.number === current}
                  message={message}
                  withNode={withNode}
                  language={language}
                  onMessage={onMessage}
                />
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

/** Memoised: only what changes is drawn. */
const Line = memo(function Line({
  raw,
  sought,
  isCurrent,
  message,
  withNode,
  language,
  onMessage,
}: {
  raw: RawLine;
  sought: string;
  isCurrent: boolean;
  message: string | null;
  withNode: boolean;
  language: Language;
  onMessage: (id: string) => void;
}) {
  const line = readLine(raw);
  const { time, tag, messageId } = line;
  const isPart = messageId !== null && messageId === message;
  const tone = toneOf(line);
  const show = () => {
    // Somebody marks text to copy it
    if (messageId !== null && window.getSelection()?.isCollapsed !== false) onMessage(messageId);
  };
  return (
    // biome-ignore lint/a11y: a click on the line is a click on its button, which the keyboard reaches
    <div
      className={styles.line}
      data-current={isCurrent || undefined}
      data-part={isPart || undefined}
      data-tone={tone}
      data-message={messageId === null ? undefined : true}
      onClick={show}
    >
      {time !== null && (
        <time className={styles.time} dateTime={time} title={formatTime(time, language)}>
          {clock(time)}
        </time>
      )}
      {withNode && <span className={styles.node}>{raw.node}</span>}
      {tag !== '' && <span className={styles.tag}>{tag}</span>}
      {messageId !== null && (
        <MessageButton id={messageId} isPart={isPart} language={language} onMessage={onMessage} />
      )}
      <Said line={line} sought={sought} />
    </div>
  );
});

/** Who, what, and the facts; the id of the message has its button. A line in other words is shown as it is. */
function Said({ line, sought }: { line: TraceLine; sought: string }) {
  const { text, msg, clientid, facts } = line;
  if (msg === '')
    return (
      <span className={styles.said}>
        <Marked text={visibleText(text)} sought={sought} />
      </span>
    );
  return (
    <span className={styles.said}>
      {clientid !== null && (
        <>
          <span className={styles.who}>
            <Marked text={visibleText(clientid)} sought={sought} />
          </span>{' '}
        </>
      )}
      <span className={styles.msg}>
        <Marked text={msg} sought={sought} />
      </span>
      {Object.entries(facts).map(([name, value]) => (
        <span key={name}>
          {' '}
          <span className={styles.factName}>{name}=</span>
          <Marked
            text={visibleText(typeof value === 'string' ? value : JSON.stringify(value))}
            sought={sought}
          />
        </span>
      ))}
    </span>
  );
}

function MessageButton({
  id,
  isPart,
  language,
  onMessage,
}: {
  id: string;
  isPart: boolean;
  language: Language;
  onMessage: (id: string) => void;
}) {
  const short = shortId(id);
  return (
    <button
      type="button"
      className={styles.message}
      aria-label={wordsIn(words, language).wayOf({ id: short })}
      aria-pressed={isPart}
      onClick={(event) => {
        event.stopPropagation();
        onMessage(id);
      }}
    >
      {short}
    </button>
  );
}

/** The end of an id, where ids of one broker differ. */
const shortId = (id: string): string => `…${id.slice(-6)}`;

function Marked({ text, sought }: { text: string; sought: string }) {
  if (sought === '') return <bdi>{text}</bdi>;
  const parts: React.ReactNode[] = [];
  const small = text.toLowerCase();
  let from = 0;
  for (let at = small.indexOf(sought); at !== -1; at = small.indexOf(sought, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + sought.length)}</mark>);
    from = at + sought.length;
  }
  parts.push(text.slice(from));
  return <bdi>{parts}</bdi>;
}

/** 14:03:27.125 of today's clock; the whole moment is in the hint. */
export function clock(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const two = (value: number) => String(value).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}
