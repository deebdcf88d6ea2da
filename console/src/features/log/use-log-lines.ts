import { api } from '@mqdeck/contract/api';
import type { LogLevel, LogLine } from '@mqdeck/contract/log';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { startPoll } from '../../api/poll.ts';
import { request } from '../../api/request.ts';

/** So many are in the document. */
export const LINES_SHOWN = 500;
const POLL_MS = 1000;
const PAGE = 1000;

/** A line, and how many before it were gone before they could be read. */
export interface SeenLine extends LogLine {
  missedBefore: number;
}

export interface LogTail {
  /** Undefined while the first are on their way. */
  lines: readonly SeenLine[] | undefined;
  error: ApiError | undefined;
}

const NOTHING: LogTail = { lines: undefined, error: undefined };

/** Adds what came to what is there, no more than fits. */
export function joined(
  before: readonly SeenLine[],
  fresh: readonly LogLine[],
  missed: number,
): readonly SeenLine[] {
  if (fresh.length === 0) return before;
  const seen = fresh.map((line, i) => ({ ...line, missedBefore: i === 0 ? missed : 0 }));
  return [...before, ...seen].slice(-LINES_SHOWN);
}

/** The last lines of a level and with a text, and while `following` those that come. */
export function useLogLines(
  filter: { level: LogLevel | undefined; text: string },
  following: boolean,
): LogTail {
  const { level, text } = filter;
  const [tail, setTail] = useState<LogTail>(NOTHING);
  const place = useRef<{ filter: string; position: number; missed: number }>(undefined);
  useEffect(() => {
    const wanted = JSON.stringify([level, text]);
    const abort = new AbortController();
    const ask = async () => {
      const known = place.current?.filter === wanted ? place.current : undefined;
      const query = {
        ...(known ? { position: known.position, limit: PAGE } : { limit: LINES_SHOWN }),
        ...(level && { level }),
        ...(text !== '' && { text }),
      };
      try {
        const { signal } = abort;
        const { data, meta } = await request(
          api.log.lines,
          { query },
          { quiet: true, progress: false, signal },
        );
        if (signal.aborted) return;
        // Lines that are gone are told with the next one that is there.
        const missed = (known?.missed ?? 0) + meta.missed;
        place.current = { filter: wanted, position: meta.position, missed: data.length > 0 ? 0 : missed };
        setTail(({ lines, error }) => {
          const before = known ? (lines ?? []) : [];
          const next = joined(before, data, missed);
          return lines === next && error === undefined ? { lines, error } : { lines: next, error: undefined };
        });
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setTail(({ lines }) => ({ lines, error }));
      }
    };
    const isNew = place.current?.filter !== wanted;
    if (isNew) setTail(NOTHING);
    if (isNew || following) void ask();
    const stop = following ? startPoll(ask, POLL_MS) : undefined;
    return () => {
      stop?.();
      abort.abort();
    };
  }, [level, text, following]);
  return tail;
}
