import { api } from '@mqdeck/contract/api';
import type { BridgeMetrics, BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useAvailable } from '../../api/features.ts';
import { keyOf } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';

const POLL_MS = 5000;
const NONE: readonly string[] = [];
const NOTHING: ReadonlyMap<string, BridgeMetrics> = new Map();

/** The counters of these bridges: in one answer, or each by itself where the broker has no such answer. */
export function useBridgeMetrics(ids: readonly string[]): ReadonlyMap<string, BridgeMetrics> {
  const inOne = useAvailable(api.bridges.allMetrics);
  const all = useEndpoint(
    api.bridges.allMetrics,
    {},
    { quiet: true, progress: false, poll: POLL_MS, enabled: inOne },
  );
  const asked = inOne ? NONE : ids;
  const each = useQueries({
    queries: asked.map((id) => ({
      queryKey: [...keyOf(api.bridges.metrics), { params: { id } }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(api.bridges.metrics, { params: { id } }, { signal, progress: false, quiet: true }),
      refetchInterval: POLL_MS,
    })),
    combine: useCallback(
      (results: { data?: BridgeMetricsAnswer | undefined }[]) =>
        asked.flatMap((id, i) => (results[i]?.data ? [{ id, ...results[i].data }] : [])),
      [asked],
    ),
  });
  return useMemo(() => {
    const answers = inOne ? all.data : each;
    return answers ? new Map(answers.map(({ id, metrics }) => [id, metrics])) : NOTHING;
  }, [inOne, all.data, each]);
}
