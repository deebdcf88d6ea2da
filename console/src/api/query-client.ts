import type { Endpoint } from '@mqdeck/contract/kit/endpoint';
import { QueryClient } from '@tanstack/react-query';

/** Answers are asked anew on each visit; the old one is shown meanwhile. Nothing is retried behind the user's back. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: 'always', // a broker on this machine is reachable without any network
      gcTime: 60_000,
    },
    mutations: { networkMode: 'always' },
  },
});

/** All answers of one endpoint share the beginning of their keys. */
export const keyOf = (endpoint: Endpoint): [string] => [`${endpoint.method} ${endpoint.path}`];

/** Asks anew what is on screen of these endpoints and marks the rest as old. */
export const refresh = (endpoints: readonly Endpoint[]): Promise<void> =>
  Promise.all(endpoints.map((endpoint) => queryClient.invalidateQueries({ queryKey: keyOf(endpoint) }))).then(
    () => undefined,
  );
