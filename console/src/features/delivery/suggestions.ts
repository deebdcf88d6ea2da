import { api } from '@mqdeck/contract/api';
import { useEndpoint } from '../../api/use-endpoint.ts';

const LIMIT = 20;
const QUIET = { quiet: true, progress: false } as const;

export function useClientids(typed: string): string[] {
  const query = { limit: LIMIT, ...(typed !== '' && { like_clientid: typed }) };
  const { data } = useEndpoint(api.clients.list, { query }, QUIET);
  return (data?.data ?? []).flatMap(({ clientid }) => (clientid ? [clientid] : []));
}

/** Topics that somebody subscribed to by their name. */
export function useTopics(): string[] {
  const { data } = useEndpoint(api.topics.list, { query: { limit: LIMIT } }, QUIET);
  return (data?.data ?? []).map(({ topic }) => topic).filter((topic) => !/[+#]/.test(topic));
}
