import { api } from '@mqdeck/contract/api';
import type { TraceType } from '@mqdeck/contract/traces';
import { useEndpoint } from '../../api/use-endpoint.ts';
import type { Check } from '../../form/form-context.ts';
import { Suggest } from '../../form/Suggest.tsx';

const limit = 20;
const QUIET = { quiet: true, progress: false } as const;

/** What is traced; what there is is suggested, and anything else may be typed. */
export function ConditionField({ type, check }: { type: TraceType; check: Check }) {
  return <Suggest name={type} useSuggested={SUGGESTED[type]} required check={check} />;
}

function useClientids(typed: string): string[] {
  const query = { limit, ...(typed !== '' && { like_clientid: typed }) };
  const { data } = useEndpoint(api.clients.list, { query }, QUIET);
  return distinct(data?.data.map(({ clientid }) => clientid));
}

function useAddresses(): string[] {
  const { data } = useEndpoint(api.clients.list, { query: { limit } }, QUIET);
  return distinct(data?.data.map(({ ip_address }) => ip_address));
}

function useTopics(): string[] {
  const { data } = useEndpoint(api.topics.list, { query: { limit } }, QUIET);
  return distinct(data?.data.map(({ topic }) => topic));
}

function useRules(): string[] {
  const { data } = useEndpoint(api.rules.list, { query: { limit } }, QUIET);
  return distinct(data?.data.map(({ id }) => id));
}

const SUGGESTED: Readonly<Record<TraceType, (typed: string) => string[]>> = {
  clientid: useClientids,
  ip_address: useAddresses,
  topic: useTopics,
  ruleid: useRules,
};

function distinct(found: (string | undefined)[] = []): string[] {
  return [...new Set(found.flatMap((one) => one || []))];
}
