import { Button } from '@mantine/core';
import { api } from '@mqdeck/contract/api';
import type { Trace, TraceLogFile } from '@mqdeck/contract/traces';
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { sentenceInPlace } from '../../api/report.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';
import { useLanguage, useWords } from '../../i18n/words.ts';
import { useNarrow } from '../../table/narrow.ts';
import { Check } from '../../ui/Check.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formatNumber } from '../../ui/format.ts';
import {
  IconArrowDown,
  IconChevronDown,
  IconChevronUp,
  IconPause,
  IconPlay,
  IconWarn,
} from '../../ui/icons.tsx';
import { Panel } from '../../ui/Page.tsx';
import { AbsoluteTime } from '../../ui/RelativeTime.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import tools from '../../ui/Tools.module.css';
import { useUrlState } from '../../url-state.ts';
import { MessageWay } from './MessageWay.tsx';
import { type LinesHandle, TraceLines } from './TraceLines.tsx';
import styles from './trace.module.css';
import { useTraceLog } from './use-trace-log.ts';
import { words } from './view-words.ts';

const POLL_MS = 5000;
const ALL = '*';
const NO_FILES: readonly TraceLogFile[] = [];

/** The log of a trace, followed while it runs, with the way of one message beside it. */
export function TraceView({
  trace,
  onDownload,
}: {
  trace: Trace;
  onDownload: (node: string | undefined) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const { values, set } = useUrlState();
  const { name, status } = trace;
  const running = status === 'running';
  const [followed, setFollowed] = useState(true);
  // Where a line has no room it is read downwards, unless somebody wants it otherwise
  const narrow = useNarrow();
  const [askedWrap, setWrap] = useState<boolean>();
  const wrap = askedWrap ?? narrow;
  const [only, setOnly] = useState(false);
  const [atEnd, setAtEnd] = useState(true);
  const [hit, setHit] = useState(0);
  const handle = useRef<LinesHandle>(null);
  const text = typeof values.text === 'string' ? values.text : '';
  const message = typeof values.message === 'string' ? values.message : null;

  const details = useEndpoint(
    api.traces.files,
    { params: { name } },
    { quiet: true, progress: false, ...(status !== 'stopped' && { poll: POLL_MS }) },
  );
  const files = useMemo(
    () => [...(details.data ?? NO_FILES)].sort((a, b) => b.mtime - a.mtime),
    [details.data],
  );
  // Unless told otherwise, the node that has logged last when the page was opened
  const [first, setFirst] = useState<string>();
  if (first === undefined && files[0]) setFirst(files[0].node);
  const asked = typeof values.node === 'string' ? values.node : undefined;
  const known = asked === ALL || files.some(({ node }) => node === asked);
  const chosen = known ? asked! : (first ?? '');
  const shownFiles = useMemo(
    () => (chosen === ALL ? files : files.filter(({ node }) => node === chosen)),
    [files, chosen],
  );
  const following = followed && running;
  const { buffer, error, loading } = useTraceLog(name, shownFiles, following, status === 'stopped');
  const { lines } = buffer;

  const sought = useDeferredValue(text).toLowerCase();
  const hits = useMemo(
    () => (sought === '' ? [] : lines.filter((line) => line.text.toLowerCase().includes(sought))),
    [lines, sought],
  );
  const shown = only && sought !== '' ? hits : lines;
  const at = Math.min(hit, Math.max(0, hits.length - 1));
  const goTo = (next: number) => {
    if (hits.length === 0) return;
    const wanted = (next + hits.length) % hits.length;
    setHit(wanted);
    handle.current?.show(hits[wanted]!.number);
  };

  // Whoever seeks something wants to see it
  // biome-ignore lint/correctness/useExhaustiveDependencies: lines that come later move nobody
  useEffect(() => {
    const first = hits[0];
    if (first && sought !== '') handle.current?.show(first.number);
  }, [sought]);

  if (status === 'waiting')
    return (
      <Panel>
        <EmptyState
          title={
            <>
              {w.waitsUntil} <AbsoluteTime at={trace.start_at} />
            </>
          }
        />
      </Panel>
    );
  const failure = error ?? (details.data ? undefined : details.error);
  return (
    <div className={styles.view}>
      <div className={tools.tools}>
        <NodeChoice files={files} chosen={chosen} onChange={(node) => set({ node }, 'replace')} />
        <search className={styles.find}>
          <input
            type="search"
            className={styles.search}
            aria-label={w.search}
            placeholder={w.search}
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setHit(0);
              set({ text: event.currentTarget.value }, 'replace');
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
              event.preventDefault();
              goTo(event.shiftKey ? at - 1 : at + 1);
            }}
          />
          {sought !== '' && (
            <>
              <span className={styles.hits} role="status">
                {hits.length === 0
                  ? w.noHits
                  : w.hits({
                      at: formatNumber(at + 1, language),
                      count: formatNumber(hits.length, language),
                    })}
              </span>
              <button
                type="button"
                className={tools.iconButton}
                aria-label={w.previousHit}
                title={w.previousHit}
                disabled={hits.length === 0}
                onClick={() => goTo(at - 1)}
              >
                <IconChevronUp size={15} />
              </button>
              <button
                type="button"
                className={tools.iconButton}
                aria-label={w.nextHit}
                title={w.nextHit}
                disabled={hits.length === 0}
                onClick={() => goTo(at + 1)}
              >
                <IconChevronDown size={15} />
              </button>
              <Check label={w.onlyHits} checked={only} onChange={setOnly} />
            </>
          )}
        </search>
        <Check label={w.wrap} checked={wrap} onChange={setWrap} />
        <span className={tools.spring} />
        <span className={tools.quiet}>
          {running && `${followed ? w.following : w.paused} · `}
          {w.lines({ count: lines.length })}
        </span>
        {running && (
          <button
            type="button"
            className={tools.button}
            aria-pressed={followed}
            onClick={() => setFollowed(!followed)}
          >
            {followed ? <IconPause size={15} /> : <IconPlay size={15} />}
            {followed ? w.pause : w.follow}
          </button>
        )}
        <button
          type="button"
          className={tools.button}
          disabled={atEnd}
          onClick={() => handle.current?.toEnd()}
        >
          <IconArrowDown size={15} />
          {w.toEnd}
        </button>
      </div>
      {buffer.cut && (
        <p className={styles.notice} role="status">
          <IconWarn size={15} />
          <span>
            {w.tooLong}. {w.tooLongText}
          </span>
          <Button size="compact-xs" onClick={() => onDownload(chosen === ALL ? undefined : chosen)}>
            {w.downloadIt}
          </Button>
        </p>
      )}
      {failure && lines.length > 0 && (
        <p className={styles.notice} role="status">
          <IconWarn size={15} /> {w.stale({ why: sentenceInPlace(failure) })}
        </p>
      )}
      <div className={styles.columns} data-way={message !== null || undefined}>
        {lines.length === 0 ? (
          <Panel>
            {failure ? (
              <ErrorState
                title={w.logFailed}
                text={sentenceInPlace(failure)}
                retry={() => void details.refetch()}
              />
            ) : details.isPending || (loading && shownFiles.length > 0) ? (
              <SkeletonRows rows={8} />
            ) : (
              <EmptyState
                title={running ? w.nothing : w.nothingOver}
                text={running ? w.nothingText : undefined}
              />
            )}
          </Panel>
        ) : (
          <TraceLines
            ref={handle}
            label={w.log({ name })}
            lines={shown}
            sought={sought}
            current={hits[at]?.number}
            message={message}
            wrap={wrap}
            withNode={chosen === ALL && files.length > 1}
            onMessage={(id) => set({ message: id }, 'replace')}
            onAtEnd={setAtEnd}
          />
        )}
        {message !== null && (
          <MessageWay
            lines={lines}
            messageId={message}
            onShow={(number) => {
              if (only) setOnly(false);
              // The line may only be drawn again when all of them are
              requestAnimationFrame(() => handle.current?.show(number));
            }}
            onClose={() => set({ message: undefined }, 'replace')}
          />
        )}
      </div>
      {message === null && lines.length > 0 && <p className={styles.hint}>{w.chooseMessage}</p>}
    </div>
  );
}

function NodeChoice({
  files,
  chosen,
  onChange,
}: {
  files: readonly TraceLogFile[];
  chosen: string;
  onChange: (node: string) => void;
}) {
  const w = useWords(words);
  const id = useId();
  return (
    <label className={styles.labelled} htmlFor={id}>
      {w.node}
      <select
        id={id}
        className={styles.select}
        value={chosen}
        disabled={files.length === 0}
        onChange={(event) => onChange(event.currentTarget.value)}
      >
        {files.map(({ node }) => (
          <option key={node} value={node}>
            {node}
          </option>
        ))}
        <option value={ALL}>{w.allNodes}</option>
      </select>
    </label>
  );
}
