import { api } from '@mqdeck/contract/api';
import type { ExhookDetail } from '@mqdeck/contract/exhooks';
import { refresh } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import type { Position } from '../../table/reorder/order.ts';
import { confirm } from '../../ui/confirm.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { configOf } from './servers.ts';
import { words } from './words.ts';

/** What an operator does with a server, from the list and from its page. */
export function useDeeds() {
  const w = useWords(words);
  const update = useAction(api.exhooks.update, {
    refresh: [api.exhooks.list, api.exhooks.get, api.exhooks.hooks],
    success: (_, { params: { name }, body: { enable } }) =>
      (enable === false ? w.disabled : w.enabled)({ name: visibleText(name) }),
  });
  const drop = useAction(api.exhooks.remove, {
    refresh: [api.exhooks.list],
    success: (_, { params: { name } }) => w.removed({ name: visibleText(name) }),
  });
  return {
    /** True = done. */
    async turn(server: ExhookDetail, enable: boolean): Promise<boolean> {
      // Whole, as it was answered: masked secrets stay as they are stored.
      const body = { ...configOf(server), enable };
      return (await update({ params: { name: server.name }, body })).done;
    },
    async remove({ name }: ExhookDetail): Promise<boolean> {
      const yes = await confirm({
        title: w.removeAsk({ name: visibleText(name) }),
        text: w.removeText,
        action: w.remove,
        danger: true,
      });
      return yes && (await drop({ params: { name } })).done;
    },
    /** Throws when it was refused; the list is read anew either way. */
    async move(name: string, position: Position): Promise<void> {
      try {
        await request(api.exhooks.move, { params: { name }, body: { position } }, { quiet: true });
      } finally {
        await refresh([api.exhooks.list]);
      }
    },
  };
}
