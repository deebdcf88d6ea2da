import { type Authenticator, WITH_USERS } from '@mqdeck/contract/authentication';
import { ApiError } from '../../api/api-error.ts';
import { keyOf, queryClient, refresh } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import type { Position } from '../../table/reorder/order.ts';
import { confirm } from '../../ui/confirm.ts';
import { useChain } from './chain.ts';
import { nameOf, partsOf } from './kinds.ts';
import { listenerWords } from './listener-words.ts';
import { words } from './words.ts';

/** What an operator does with an authenticator, from the list and from its page. */
export function useDeeds() {
  const w = useWords(words);
  const lw = useWords(listenerWords);
  const { endpoints, listener } = useChain();
  const { disableLast, removeLast } = listener === undefined ? w : lw;
  const update = useAction(endpoints.update, {
    refresh: [endpoints.list, endpoints.get, endpoints.status],
    success: (_, { params: { id }, body }) => {
      const name = nameOf(body as Authenticator, w) || id;
      return body.enable === false ? w.disabled({ name }) : w.enabled({ name });
    },
  });
  const drop = useAction(endpoints.remove, {
    refresh: [endpoints.list],
    success: (_, { params: { id } }) => w.removed({ name: nameOf(partsOf(id), w) }),
  });

  /** How many would still check clients without this one, as the broker has them now; null when it does not say. */
  const othersEnabled = async ({ id }: Authenticator): Promise<number | null> => {
    try {
      const all = await queryClient.fetchQuery({
        queryKey: [...keyOf(endpoints.list), {}],
        queryFn: ({ signal }) => request(endpoints.list, {}, { signal }),
      });
      return all.filter((one) => one.enable && one.id !== id).length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
      return null;
    }
  };

  return {
    /** True = done. Only turning off asks: it lets more people in. */
    async turn(authenticator: Authenticator, enable: boolean): Promise<boolean> {
      const name = nameOf(authenticator, w);
      if (!enable) {
        const left = await othersEnabled(authenticator);
        if (left === null) return false;
        const yes = await confirm({
          title: w.disableAsk({ name }),
          text: left === 0 ? disableLast : w.disableLeft({ count: left }),
          action: w.disable,
          danger: left === 0,
        });
        if (!yes) return false;
      }
      const { id, ...config } = authenticator;
      // Whole, as it was answered: masked secrets stay as they are stored.
      const body = { ...config, enable } as never;
      return (await update({ params: { id }, body })).done;
    },
    async remove(authenticator: Authenticator): Promise<boolean> {
      const { id } = authenticator;
      const name = nameOf(authenticator, w);
      const left = await othersEnabled(authenticator);
      if (left === null) return false;
      const what = WITH_USERS.includes(id) ? w.removeUsersText : w.removeText;
      const yes = await confirm({
        title: w.removeAsk({ name }),
        text: authenticator.enable && left === 0 ? `${what} ${removeLast}` : what,
        action: w.remove,
        danger: true,
      });
      if (!yes) return false;
      return (await drop({ params: { id } })).done;
    },
    /** Throws when it was refused; the list is read anew either way. */
    async move(id: string, position: Position): Promise<void> {
      try {
        await request(endpoints.move, { params: { id, position } }, { quiet: true });
      } finally {
        await refresh([endpoints.list]);
      }
    },
  };
}
