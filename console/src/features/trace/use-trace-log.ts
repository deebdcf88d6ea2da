import { api } from '@mqdeck/contract/api';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/api-error.ts';
import { startPoll } from '../../api/poll.ts';
import { request } from '../../api/request.ts';
import {
  EMPTY_BUFFER,
  readingOf,
  SHOWN_CHARS_MAX,
  skippedTo,
  type TraceBuffer,
  withPiece,
} from './trace-buffer.ts';

const POLL_MS = 1500;
const PIECE_BYTES = 256 * 1024;
/** In one go; the next poll brings the rest. */
const PIECES_MAX = 24;

export interface TraceLog {
  buffer: TraceBuffer;
  error: ApiError | undefined;
  /** The first piece is on its way. */
  loading: boolean;
}

/** A node and how large its file was when the page looked. */
export interface NodeFile {
  node: string;
  size: number;
}

/** What the nodes have written, and while `following` what they write; to its end when the trace is `over`. */
export function useTraceLog(
  name: string,
  files: readonly NodeFile[],
  following: boolean,
  over: boolean,
): TraceLog {
  const [log, setLog] = useState<TraceLog>({ buffer: EMPTY_BUFFER, error: undefined, loading: true });
  const buffer = useRef<TraceBuffer>(EMPTY_BUFFER);
  const nodes = files.map(({ node }) => node).join('\n');
  const sizes = useRef(files);
  sizes.current = files;
  const read = useRef('');
  useEffect(() => {
    const abort = new AbortController();
    const key = `${name}\n${nodes}`;
    if (read.current !== key) {
      buffer.current = EMPTY_BUFFER;
      setLog({ buffer: EMPTY_BUFFER, error: undefined, loading: true });
    }
    let asking = false;
    const ask = async () => {
      if (asking) return; // a long log takes longer than a poll
      asking = true;
      try {
        for (const node of nodes === '' ? [] : nodes.split('\n')) {
          const size = sizes.current.find((file) => file.node === node)?.size ?? 0;
          await readOn(name, node, size, buffer, abort.signal);
        }
        if (abort.signal.aborted) return;
        read.current = key;
        setLog((before) =>
          before.buffer === buffer.current && !before.loading && !before.error
            ? before
            : { buffer: buffer.current, error: undefined, loading: false },
        );
      } catch (error) {
        if (abort.signal.aborted) return;
        if (!(error instanceof ApiError)) throw error;
        setLog({ buffer: buffer.current, error, loading: false });
      } finally {
        asking = false;
      }
    };
    if (following || over || read.current !== key) void ask();
    const stop = following ? startPoll(ask, POLL_MS) : undefined;
    return () => {
      stop?.();
      abort.abort();
    };
  }, [name, nodes, following, over]);
  return log;
}

async function readOn(
  name: string,
  node: string,
  size: number,
  buffer: { current: TraceBuffer },
  signal: AbortSignal,
): Promise<void> {
  const known = buffer.current.readings.some((one) => one.node === node);
  if (!known && size > SHOWN_CHARS_MAX)
    buffer.current = skippedTo(buffer.current, node, size - SHOWN_CHARS_MAX);
  for (let pieces = 0; pieces < PIECES_MAX; pieces++) {
    const { position } = readingOf(buffer.current, node);
    const query = { node, position, bytes: PIECE_BYTES };
    const { items, meta } = await request(
      api.traces.log,
      { params: { name }, query },
      { quiet: true, progress: false, signal },
    );
    if (signal.aborted) return;
    // Some brokers say nothing of where a piece ends that is empty
    if (items === '') return;
    buffer.current = withPiece(buffer.current, node, items, meta.position);
    if (items.length < PIECE_BYTES / 4) return;
  }
}
