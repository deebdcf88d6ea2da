import { monitor, type Sample } from '@mqdeck/contract/monitor';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import type { ApiError } from '../../api/api-error.ts';
import { startPoll } from '../../api/poll.ts';
import { keyOf } from '../../api/query-client.ts';
import { type CallOptions, request } from '../../api/request.ts';
import { type History, historyOf, withTail } from './history.ts';

const POLL_MS = 10_000;
/** Long intervals change slowly, and their newest part is many samples. */
const SLOW_POLL_MS = 30_000;
const FINE_STEP_MS = 60_000;
/** Samples arrive a little after their time. */
const OVERLAP_SECONDS = 20;

const ask = (node: string | undefined, latest: number, options: CallOptions): Promise<Sample[]> =>
  node === undefined
    ? request(monitor.history, { query: { latest } }, options)
    : request(monitor.historyOfNode, { params: { node }, query: { latest } }, options);

export interface HistoryAnswer {
  history: History | undefined;
  /** What is shown was asked for another time; what was asked for has not come. */
  pending: boolean;
  error: ApiError | null;
  /** When the newest samples came; epoch milliseconds. */
  updatedAt: number;
  /** The last poll failed: what is shown stands still. */
  stale: boolean;
  retry: () => void;
}

/** The samples of the last so many seconds: asked for whole once, after that only their newest part, until it is paused. */
export function useHistory(seconds: number, node?: string, paused = false): HistoryAnswer {
  const client = useQueryClient();
  const [stale, setStale] = useState(false);
  const key = useMemo(
    () =>
      node === undefined
        ? [...keyOf(monitor.history), { query: { latest: seconds } }]
        : [...keyOf(monitor.historyOfNode), { params: { node }, query: { latest: seconds } }],
    [node, seconds],
  );
  const { data, error, dataUpdatedAt, refetch, isPlaceholderData } = useQuery<Sample[], ApiError>({
    queryKey: key,
    queryFn: ({ signal }) => ask(node, seconds, { signal, quiet: true }),
    placeholderData: keepPreviousData,
  });
  const history = useMemo(() => data && historyOf(data), [data]);
  const stepMs = isPlaceholderData ? FINE_STEP_MS : (history?.stepMs ?? FINE_STEP_MS);

  useEffect(() => {
    if (paused) return;
    const poll = async () => {
      const state = client.getQueryState<Sample[]>(key);
      const since = Date.now() - (state?.dataUpdatedAt ?? 0);
      const latest = Math.ceil((since + 2 * stepMs) / 1000) + OVERLAP_SECONDS;
      if (!state?.data || latest >= seconds) {
        await refetch({ cancelRefetch: false, throwOnError: true });
        return;
      }
      const tail = await ask(node, latest, { progress: false, quiet: true });
      client.setQueryData<Sample[]>(key, (samples) => samples && withTail(samples, tail, seconds * 1000));
    };
    return startPoll(
      () =>
        poll().then(
          () => setStale(false),
          () => setStale(true),
        ),
      stepMs > FINE_STEP_MS ? SLOW_POLL_MS : POLL_MS,
    );
  }, [client, key, node, seconds, stepMs, refetch, paused]);

  return {
    history,
    pending: isPlaceholderData,
    error,
    updatedAt: dataUpdatedAt,
    stale,
    retry: () => void refetch(),
  };
}
