import { useSyncExternalStore } from 'react';
import { useLanguage, useWords } from '../i18n/words.ts';
import { formatRelative, formatTime } from './format.ts';
import { words } from './words.ts';

/** Keeps the moment that all relative times on screen count from; one clock for all, and only while one is shown. */
const TICK_MS = 10_000;
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;
const listeners = new Set<() => void>();

function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

const currentTick = () => {
  if (Date.now() - now > TICK_MS) now = Date.now();
  return now;
};

/** "3 minutes ago"; the moment itself, with its zone, on hover. Null and what is no moment are "never". */
export function RelativeTime({ at }: { at: string | number | null | undefined }) {
  const language = useLanguage();
  const w = useWords(words);
  const tick = useSyncExternalStore(onTick, currentTick);
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return <span>{w.never}</span>;
  return (
    <time dateTime={date.toISOString()} title={formatTime(date, language)}>
      {formatRelative(date, language, Math.max(tick, Math.min(date.getTime(), Date.now())))}
    </time>
  );
}

/** The moment written out, with its zone. */
export function AbsoluteTime({ at }: { at: string | number | null | undefined }) {
  const language = useLanguage();
  const w = useWords(words);
  const date = new Date(at ?? Number.NaN);
  if (Number.isNaN(date.getTime())) return <span>{w.never}</span>;
  return <time dateTime={date.toISOString()}>{formatTime(date, language)}</time>;
}
