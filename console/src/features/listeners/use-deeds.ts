import { api } from '@mqdeck/contract/api';
import { ApiError } from '../../api/api-error.ts';
import { keyOf, queryClient } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { words } from './words.ts';

/** Clients that come and go with a listener stand in these too. */
export const CHANGED = [api.listeners.list, api.listeners.get, api.clients.list] as const;

/** How many connections a listener has at this moment; null when the broker does not say. */
export async function connectionsNow(id: string): Promise<number | null> {
  try {
    const all = await queryClient.fetchQuery({
      queryKey: [...keyOf(api.listeners.list), {}],
      queryFn: ({ signal }) => request(api.listeners.list, {}, { signal }),
    });
    return all.find((one) => one.id === id)?.status.current_connections ?? 0;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
    return null;
  }
}

/** What an operator does with a listener, beside editing and deleting it. What ends connections asks first, with their number. */
export function useDeeds() {
  const w = useWords(words);
  const startIt = useAction(api.listeners.start, {
    refresh: CHANGED,
    success: (_, { params: { id } }) => w.started({ id }),
  });
  const stopIt = useAction(api.listeners.stop, {
    refresh: CHANGED,
    success: (_, { params: { id } }) => w.stoppedNow({ id }),
  });
  const restartIt = useAction(api.listeners.restart, {
    refresh: CHANGED,
    success: (_, { params: { id } }) => w.restarted({ id }),
  });

  return {
    start: async (id: string): Promise<boolean> => (await startIt({ params: { id } })).done,
    async stop(id: string): Promise<boolean> {
      const count = await connectionsNow(id);
      if (count === null) return false;
      const yes = await confirm({
        title: w.stopAsk({ id }),
        text: count === 0 ? w.stopNobody : w.stopText({ count }),
        action: w.stop,
        danger: count > 0,
      });
      return yes && (await stopIt({ params: { id } })).done;
    },
    async restart(id: string): Promise<boolean> {
      const count = await connectionsNow(id);
      if (count === null) return false;
      const yes = await confirm({
        title: w.restartAsk({ id }),
        text: count === 0 ? w.restartNobody : w.restartText({ count }),
        action: w.restart,
        danger: count > 0,
      });
      return yes && (await restartIt({ params: { id } })).done;
    },
  };
}
