import { api } from '@mqdeck/contract/api';
import type { RuleMetricsAnswer } from '@mqdeck/contract/rules';
import { useQueries } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo } from 'react';
import { useAvailable } from '../../api/features.ts';
import { keyOf } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useEndpoint } from '../../api/use-endpoint.ts';

type MetricsById = ReadonlyMap<string, RuleMetricsAnswer['metrics']>;

const POLL_MS = 10_000;
const NOTHING: MetricsById = new Map();

/** The counters of the rules on screen: in one answer, or each by itself where the broker has no such answer. */
export function useRuleMetrics(ids: readonly string[]): MetricsById {
  const inOne = useAvailable(api.rules.allMetrics);
  const all = useEndpoint(
    api.rules.allMetrics,
    {},
    { quiet: true, progress: false, poll: POLL_MS, enabled: inOne },
  );
  const each = useQueries({
    queries: (inOne ? [] : ids).map((id) => ({
      queryKey: [...keyOf(api.rules.metrics), { params: { id } }],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request(api.rules.metrics, { params: { id } }, { signal, progress: false, quiet: true }),
      refetchInterval: POLL_MS,
    })),
    combine: useCallback(
      (results: { data?: RuleMetricsAnswer | undefined }[]) =>
        results.flatMap(({ data }) => (data ? [data] : [])),
      [],
    ),
  });
  return useMemo(() => {
    const answers = inOne ? all.data : each;
    return answers ? new Map(answers.map(({ id, metrics }) => [id, metrics])) : NOTHING;
  }, [inOne, all.data, each]);
}

/** Cells read from here: a list's columns are made once. */
const MetricsContext = createContext<MetricsById>(NOTHING);
export const MetricsProvider = MetricsContext.Provider;
export const useMetricsOf = (id: string): RuleMetricsAnswer['metrics'] | undefined =>
  useContext(MetricsContext).get(id);

/** A counter by its dotted name; a broker may leave out those it does not know. */
export function counter(metrics: Record<string, unknown> | undefined, name: string): number | undefined {
  const value = metrics?.[name];
  return typeof value === 'number' ? value : undefined;
}
