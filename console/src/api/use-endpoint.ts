import type { AnswerOf, Endpoint, RequestOf } from '@mqdeck/contract/kit/endpoint';
import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ApiError } from './api-error.ts';
import { startPoll } from './poll.ts';
import { keyOf } from './query-client.ts';
import { request } from './request.ts';

export interface EndpointOptions {
  /** Ask again after this many milliseconds, and again; rests while the tab is hidden. */
  poll?: number | undefined;
  /** False keeps even the first call out of the progress bar. */
  progress?: boolean | undefined;
  /** False waits: what to ask for is not known yet. */
  enabled?: boolean | undefined;
  /** Statuses the page deals with itself. */
  handles?: readonly number[] | undefined;
  /** True reports nothing: the page shows the failure in place. */
  quiet?: boolean | undefined;
  /** False shows nothing, rather than the answer of before, while a changed request is under way. */
  keepPrevious?: boolean | undefined;
}

/**
 * What an endpoint answers, kept by endpoint and request. A poll's calls neither move the progress bar nor report
 * failures by toast: `error` says it, and `dataUpdatedAt` says how old the answer on screen is.
 */
export function useEndpoint<E extends Endpoint>(
  endpoint: E,
  given: RequestOf<E>,
  options: EndpointOptions = {},
): UseQueryResult<AnswerOf<E>, ApiError> {
  const { poll, progress, enabled = true, handles, quiet, keepPrevious = true } = options;
  const polling = useRef(false);
  const result = useQuery<AnswerOf<E>, ApiError>({
    queryKey: [...keyOf(endpoint), given],
    queryFn: async ({ signal }) => {
      const byPoll = polling.current;
      const answer = await request(endpoint, given, {
        signal,
        handles,
        progress: progress !== false && !byPoll,
        quiet: quiet === true || byPoll,
      });
      // An answer without a body is null here: the cache takes no undefined.
      return (answer ?? null) as AnswerOf<E>;
    },
    enabled,
    ...(keepPrevious ? { placeholderData: keepPreviousData as never } : {}),
  });

  const { refetch } = result;
  useEffect(() => {
    if (poll === undefined || !enabled) return;
    return startPoll(async () => {
      polling.current = true;
      try {
        await refetch({ cancelRefetch: false });
      } finally {
        polling.current = false;
      }
    }, poll);
  }, [poll, enabled, refetch]);
  return result;
}
