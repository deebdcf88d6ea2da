import { api } from '@mqdeck/contract/api';
import { LOG_LEVELS, LOG_TEXT_MAX, type LogLevel } from '@mqdeck/contract/log';
import { memo, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { useAvailable } from '../../api/features.ts';
import { NotAvailable } from '../../api/NotAvailable.tsx';
import { sentenceInPlace } from '../../api/report.ts';
import type { Language } from '../../i18n/language.ts';
import { useLanguage, useWords, wordsIn } from '../../i18n/words.ts';
import { Check } from '../../ui/Check.tsx';
import { copyText } from '../../ui/copy-text.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ErrorState } from '../../ui/ErrorState.tsx';
import { formatTime } from '../../ui/format.ts';
import { IconCopy, IconDownload, IconPause, IconPlay, IconWarn } from '../../ui/icons.tsx';
import { SkeletonRows } from '../../ui/Skeleton.tsx';
import { saveFile } from '../../ui/save-file.ts';
import tools from '../../ui/Tools.module.css';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { useUrlState } from '../../url-state.ts';
import { LevelMark } from './LevelMark.tsx';
import { factText, lineText } from './line-text.ts';
import styles from './log.module.css';
import { type SeenLine, useLogLines } from './use-log-lines.ts';
import { levelWords, words } from './words.ts';

const TYPING_MS = 300;
/** Whoever is further from the end than this reads something, and is left alone. */
const AT_END_PX = 40;

/** The last lines of the log, followed until somebody wants to read in peace. */
export function LogLines() {
  const available = useAvailable(api.log.lines);
  return available ? <Tail /> : <NotAvailable />;
}

function Tail() {
  const w = useWords(words);
  const { values, set } = useUrlState();
  const level = LOG_LEVELS.find((one) => one === values.level);
  const text = typeof values.text === 'string' ? values.text.slice(0, LOG_TEXT_MAX) : '';
  const [following, setFollowing] = useState(true);
  const [wrap, setWrap] = useState(false);
  const [aloud, setAloud] = useState(false);
  const { lines, error } = useLogLines({ level, text }, following);

  const asText = () => (lines ?? []).map((line) => `${lineText(line)}\n`).join('');
  const copy = async () => {
    const done = await copyText(asText());
    toast(done ? 'good' : 'bad', done ? w.copied : w.copyFailed);
  };
  const none = (lines?.length ?? 0) === 0;
  return (
    <div className={styles.tail}>
      <div className={tools.tools}>
        <LevelFilter level={level} onChange={(next) => set({ level: next }, 'replace')} />
        <TextFilter text={text} onChange={(next) => set({ text: next }, 'replace')} />
        <button
          type="button"
          className={tools.button}
          aria-pressed={following}
          onClick={() => setFollowing(!following)}
        >
          {following ? <IconPause size={15} /> : <IconPlay size={15} />}
          {following ? w.pause : w.follow}
        </button>
        <Check label={w.wrap} checked={wrap} onChange={setWrap} />
        <Check label={w.readAloud} checked={aloud} onChange={setAloud} />
        <span className={tools.spring} />
        <span className={tools.quiet}>
          {following ? w.following : w.paused}
          {lines && ` · ${w.shown({ count: lines.length })}`}
        </span>
        <button
          type="button"
          className={tools.iconButton}
          aria-label={w.copy}
          title={w.copy}
          disabled={none}
          onClick={() => void copy()}
        >
          <IconCopy size={15} />
        </button>
        <button
          type="button"
          className={tools.iconButton}
          aria-label={w.saveLines}
          title={w.saveLines}
          disabled={none}
          onClick={() => saveFile('log-lines.txt', [asText()], 'text/plain')}
        >
          <IconDownload size={15} />
        </button>
      </div>
      <p className={styles.purpose}>{w.linesText}</p>
      {error && lines && (
        <p className={styles.stale} role="status">
          <IconWarn size={15} /> {w.stale({ why: sentenceInPlace(error) })}
        </p>
      )}
      {lines === undefined &&
        (error ? <ErrorState text={sentenceInPlace(error)} /> : <SkeletonRows rows={8} />)}
      {lines && none && (
        <EmptyState
          title={level || text !== '' ? w.noMatch : w.noLines}
          text={level || text !== '' ? undefined : w.noLinesText}
        />
      )}
      {lines && !none && (
        <Scroller
          lines={lines}
          wrap={wrap}
          aloud={aloud}
          following={following}
          onReading={() => setFollowing(false)}
        />
      )}
    </div>
  );
}

function LevelFilter({
  level,
  onChange,
}: {
  level: LogLevel | undefined;
  onChange: (level: LogLevel | undefined) => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const id = useId();
  return (
    <label className={styles.labelled} htmlFor={id}>
      {w.levelAtLeast}
      <select
        id={id}
        className={styles.select}
        value={level ?? 'debug'}
        onChange={(event) => {
          const next = event.currentTarget.value as LogLevel;
          onChange(next === 'debug' ? undefined : next);
        }}
      >
        {LOG_LEVELS.map((one) => (
          <option key={one} value={one}>
            {levelWords[one][language]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Asks when the typing rests. */
function TextFilter({ text, onChange }: { text: string; onChange: (text: string | undefined) => void }) {
  const w = useWords(words);
  const [typed, setTyped] = useState(text);
  const tell = useRef(onChange);
  tell.current = onChange;
  useEffect(() => {
    if (typed === text) return;
    const timer = setTimeout(() => tell.current(typed === '' ? undefined : typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed, text]);
  return (
    <input
      type="search"
      className={styles.search}
      aria-label={w.search}
      placeholder={w.search}
      maxLength={LOG_TEXT_MAX}
      spellCheck={false}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

function Scroller({
  lines,
  wrap,
  aloud,
  following,
  onReading,
}: {
  lines: readonly SeenLine[];
  wrap: boolean;
  aloud: boolean;
  following: boolean;
  /** Somebody went back to look at something. */
  onReading: () => void;
}) {
  const w = useWords(words);
  const language = useLanguage();
  const box = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines and another width move the end
  useLayoutEffect(() => {
    const element = box.current;
    if (element && following) element.scrollTop = element.scrollHeight;
  }, [lines, following, wrap]);
  return (
    <div
      ref={box}
      role="log"
      aria-label={w.linesLabel}
      aria-live={aloud ? 'polite' : 'off'}
      className={styles.lines}
      data-wrap={wrap || undefined}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        if (following && scrollHeight - scrollTop - clientHeight > AT_END_PX) onReading();
      }}
    >
      {lines.map((line) => (
        <Line key={line.position} line={line} language={language} />
      ))}
    </div>
  );
}

/** Memoised: only what is new is drawn. */
const Line = memo(function Line({ line, language }: { line: SeenLine; language: Language }) {
  const { time, level, msg, facts, missedBefore } = line;
  return (
    <>
      {missedBefore > 0 && (
        <div className={styles.missed}>{wordsIn(words, language).missed({ count: missedBefore })}</div>
      )}
      <div className={styles.line}>
        <time className={styles.time} dateTime={time} title={formatTime(time, language)}>
          {clock(time)}
        </time>
        <LevelMark level={level} />
        <span className={styles.said}>
          <bdi>{visibleText(msg)}</bdi>
          {Object.entries(facts).map(([name, value]) => (
            <span key={name} className={styles.fact}>
              {' '}
              <span className={styles.factName}>{name}=</span>
              <bdi>{factText(value)}</bdi>
            </span>
          ))}
        </span>
      </div>
    </>
  );
});

/** 14:03:27.125 of today's clock; the whole moment is in the hint. */
function clock(time: string): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  const ms = String(date.getMilliseconds()).padStart(3, '0');
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${ms}`;
}
