import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import type { PageMeta } from '@mqdeck/contract/kit/page';
import type { Rule } from '@mqdeck/contract/rules';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { ApiError } from '../api/api-error.ts';
import { useAvailable } from '../api/features.ts';
import { useEndpoint } from '../api/use-endpoint.ts';
import { type Counters, counterOf } from './flow.ts';

/** More than this is another page: a drawing of more helps nobody. */
export const RULES_MAX = 1000;

const NONE: ReadonlyMap<string, never> = new Map<string, never>();

export interface FlowData {
  rules: readonly Rule[] | undefined;
  meta: PageMeta | undefined;
  bridges: readonly Bridge[] | undefined;
  ruleCounters: ReadonlyMap<string, Counters>;
  bridgeCounters: ReadonlyMap<string, Counters>;
  seen: ReadonlyMap<string, number>;
  /** Why there are no rules, and why there are no bridges. */
  error: ApiError | null;
  bridgesError: ApiError | null;
  updatedAt: number;
  fetching: boolean;
  refetch: () => void;
}

/** Four requests for all there is; where the broker does not count in one answer, only what is looked at is counted. */
export function useFlow(
  page: number,
  poll: number | undefined,
  current: { rule?: string | undefined; bridge?: string | undefined },
): FlowData {
  const rules = useEndpoint(api.rules.list, { query: { page, limit: RULES_MAX } }, { quiet: true, poll });
  const bridges = useEndpoint(api.bridges.list, {}, { quiet: true, poll });
  const [ruleCounters, countRules] = useRuleCounters(poll, current.rule);
  const [bridgeCounters, countBridges] = useBridgeCounters(poll, current.bridge);
  const seen = useSeen(ruleCounters, bridgeCounters);
  const refetch = () => {
    void rules.refetch();
    void bridges.refetch();
    countRules();
    countBridges();
  };
  return {
    rules: rules.data?.data,
    meta: rules.data?.meta,
    bridges: bridges.data,
    ruleCounters,
    bridgeCounters,
    seen,
    error: rules.error,
    bridgesError: bridges.error,
    updatedAt: rules.dataUpdatedAt,
    fetching: rules.isFetching || bridges.isFetching,
    refetch,
  };
}

/** With what asks for them again. */
type CountersAndAgain = [ReadonlyMap<string, Counters>, () => void];

function useRuleCounters(poll: number | undefined, id: string | undefined): CountersAndAgain {
  const inOne = useAvailable(api.rules.allMetrics);
  const all = useEndpoint(api.rules.allMetrics, {}, { quiet: true, progress: false, poll, enabled: inOne });
  const one = useEndpoint(
    api.rules.metrics,
    { params: { id: id ?? '' } },
    { quiet: true, progress: false, poll, enabled: !inOne && id !== undefined, keepPrevious: false },
  );
  const counters = useMemo(() => {
    if (inOne) return all.data ? new Map(all.data.map((answer) => [answer.id, answer.metrics])) : NONE;
    return one.data && id !== undefined ? new Map([[id, one.data.metrics]]) : NONE;
  }, [inOne, all.data, one.data, id]);
  return [counters, () => void (inOne ? all.refetch() : id !== undefined && one.refetch())];
}

function useBridgeCounters(poll: number | undefined, id: string | undefined): CountersAndAgain {
  const inOne = useAvailable(api.bridges.allMetrics);
  const all = useEndpoint(api.bridges.allMetrics, {}, { quiet: true, progress: false, poll, enabled: inOne });
  const one = useEndpoint(
    api.bridges.metrics,
    { params: { id: id ?? '' } },
    { quiet: true, progress: false, poll, enabled: !inOne && id !== undefined, keepPrevious: false },
  );
  const counters = useMemo(() => {
    if (inOne) return all.data ? new Map(all.data.map((answer) => [answer.id, answer.metrics])) : NONE;
    return one.data && id !== undefined ? new Map([[id, one.data.metrics]]) : NONE;
  }, [inOne, all.data, one.data, id]);
  return [counters, () => void (inOne ? all.refetch() : id !== undefined && one.refetch())];
}

interface Counted {
  at: number;
  counts: ReadonlyMap<string, number>;
}

/** What ran per second between the last two answers, where the broker tells totals only. */
function useSeen(
  rules: ReadonlyMap<string, Counters>,
  bridges: ReadonlyMap<string, Counters>,
): ReadonlyMap<string, number> {
  const before = useRef<Counted>(undefined);
  const [seen, setSeen] = useState<ReadonlyMap<string, number>>(NONE);
  useEffect(() => {
    const counts = new Map<string, number>();
    const note = (key: string, value: number | undefined) => value !== undefined && counts.set(key, value);
    for (const [id, counters] of rules) note(`rule:${id}`, counterOf(counters, 'passed'));
    for (const [id, counters] of bridges) note(`bridge:${id}`, counterOf(counters, 'received'));
    const now = { at: performance.now(), counts };
    // The two answers of one turn come a moment apart; a rate over a moment says nothing.
    if (before.current && now.at - before.current.at < 1000) return;
    if (before.current) setSeen(ratesBetween(before.current, now));
    before.current = now;
  }, [rules, bridges]);
  return seen;
}

export function ratesBetween(before: Counted, now: Counted): ReadonlyMap<string, number> {
  const rates = new Map<string, number>();
  const seconds = (now.at - before.at) / 1000;
  for (const [key, value] of now.counts) {
    const last = before.counts.get(key);
    // Fewer than before: they were reset.
    if (last !== undefined && value >= last) rates.set(key, (value - last) / seconds);
  }
  return rates;
}

/** The rule or the bridge that a node stands for. */
export const currentOf = (id: string | undefined): { rule?: string; bridge?: string } => {
  const [, kind, name] = /^(rule|ingress|egress):(.*)$/s.exec(id ?? '') ?? [];
  if (name === undefined) return {};
  return kind === 'rule' ? { rule: name } : { bridge: name };
};
