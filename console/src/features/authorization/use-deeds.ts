import { api } from '@mqdeck/contract/api';
import type { AuthorizationSource } from '@mqdeck/contract/authorization';
import { ApiError } from '../../api/api-error.ts';
import { keyOf, queryClient, refresh } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import type { Position } from '../../table/reorder/order.ts';
import { confirm } from '../../ui/confirm.ts';
import { nameOf } from './sources.ts';
import { words } from './words.ts';

const SHOWN = [api.authorization.sources, api.authorization.get, api.authorization.status];

/** What an operator does with a source, from the list and from its page. */
export function useDeeds() {
  const w = useWords(words);
  const update = useAction(api.authorization.update, {
    refresh: SHOWN,
    success: (_, { params: { type }, body }) => {
      const name = nameOf(type, w);
      return body.enable === false ? w.disabled({ name }) : w.enabled({ name });
    },
  });
  const drop = useAction(api.authorization.remove, {
    refresh: [api.authorization.sources],
    success: (_, { params: { type } }) => w.removed({ name: nameOf(type, w) }),
  });

  /** How many would be asked without this one, as the broker has them now; null when it does not say. */
  const othersEnabled = async ({ type }: AuthorizationSource): Promise<number | null> => {
    try {
      const { sources } = await queryClient.fetchQuery({
        queryKey: [...keyOf(api.authorization.sources), {}],
        queryFn: ({ signal }) => request(api.authorization.sources, {}, { signal }),
      });
      return sources.filter((one) => one.enable && one.type !== type).length;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
      return null;
    }
  };

  return {
    /** True = done. Only turning off asks: what its rules denied may then be allowed. */
    async turn(source: AuthorizationSource, enable: boolean): Promise<boolean> {
      const { type } = source;
      if (!enable) {
        const left = await othersEnabled(source);
        if (left === null) return false;
        const yes = await confirm({
          title: w.disableAsk({ name: nameOf(type, w) }),
          text: left === 0 ? w.disableLast : w.disableLeft({ count: left }),
          action: w.disable,
          danger: left === 0,
        });
        if (!yes) return false;
      }
      // Whole, as it was answered: masked secrets stay as they are stored.
      const body = { ...source, enable } as never;
      return (await update({ params: { type }, body })).done;
    },
    async remove(source: AuthorizationSource): Promise<boolean> {
      const { type, enable } = source;
      const left = await othersEnabled(source);
      if (left === null) return false;
      const what =
        type === 'file'
          ? w.removeFileText
          : type === 'built_in_database'
            ? w.removeBuiltInText
            : w.removeText;
      const yes = await confirm({
        title: w.removeAsk({ name: nameOf(type, w) }),
        text: enable && left === 0 ? `${what} ${w.removeLast}` : what,
        action: w.remove,
        danger: true,
      });
      if (!yes) return false;
      return (await drop({ params: { type } })).done;
    },
    /** Throws when it was refused; the list is read anew either way. */
    async move(type: string, position: Position): Promise<void> {
      try {
        await request(api.authorization.move, { params: { type }, body: { position } }, { quiet: true });
      } finally {
        await refresh([api.authorization.sources]);
      }
    },
  };
}
