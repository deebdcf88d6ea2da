import { api } from '@mqdeck/contract/api';
import type { BridgeMetrics, BridgeMetricsAnswer } from '@mqdeck/contract/bridges';
import { useQueries } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { useAvailable } from '../../api/features.ts';
import { keyOf } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';

/** The counters of these bridges: in one answer, or each by itself where the broker has no such answer. */
export function useBridgeMetrics(ids: readonly string[], pollMs: number): ReadonlyMap<string, BridgeMetrics> {
  const inOne = useAvailable(api.bridges.allMetrics);
  const all = useEndpoint(
    api.bridges.allMetrics,
    {},
    { quiet: true, progress: false, poll: pollMs, enabled: inOne && ids.length > 0 },
  );
  const asked = inOne ? [] : ids;
  const each = useQueries({
    queries: asked.map((id) => ({
      queryKey: [...keyOf(api.bridges.metrics), { params: { id } }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(api.bridges.metrics, { params: { id } }, { signal, progress: false, quiet: true }),
      refetchInterval: pollMs,
    })),
    combine: useCallback(
      (results: { data?: BridgeMetricsAnswer | undefined }[]) =>
        results.flatMap(({ data }, at) => (data ? [{ id: ids[at]!, metrics: data.metrics }] : [])),
      [ids],
    ),
  });
  return useMemo(
    () => new Map((inOne ? (all.data ?? []) : each).map(({ id, metrics }) => [id, metrics])),
    [inOne, all.data, each],
  );
}
