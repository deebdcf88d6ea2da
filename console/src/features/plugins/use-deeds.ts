import { api } from '@mqdeck/contract/api';
import type { Plugin } from '@mqdeck/contract/plugins';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import type { Position } from '../../table/reorder/order.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { idOfPlugin, runs, troubleOf } from './plugin-state.ts';
import { words } from './words.ts';

const LISTS = [api.plugins.list, api.plugins.get];

/** What an operator does with a plugin, from the list and from its page. */
export function useDeeds() {
  const w = useWords(words);
  const operate = useAction(api.plugins.operate, { refresh: LISTS });
  const drop = useAction(api.plugins.remove, {
    confirm: ({ params: { name } }) => ({
      title: w.uninstallAsk({ name: visibleText(name) }),
      text: w.uninstallText,
      action: w.uninstall,
      danger: true,
    }),
    refresh: [api.plugins.list],
    success: (_, { params: { name } }) => w.uninstalled({ name: visibleText(name) }),
  });

  /** The broker takes the order to start; whether it runs then is another matter. */
  async function tellWhetherItRuns(id: string): Promise<void> {
    const name = visibleText(id);
    try {
      const plugin = await request(api.plugins.get, { params: { name: id } }, { quiet: true });
      if (runs(plugin)) toast('good', w.started({ name }));
      else toast('bad', w.notStarted({ name, reason: visibleText(troubleOf(plugin) ?? w.noReason) }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // the list says how it stands
    }
  }

  return {
    pending: operate.pending,
    async turn(plugin: Plugin, action: 'start' | 'stop' = runs(plugin) ? 'stop' : 'start'): Promise<void> {
      const id = idOfPlugin(plugin);
      if (!(await operate({ params: { name: id, action } })).done) return;
      if (action === 'start') await tellWhetherItRuns(id);
      else toast('good', w.stopped({ name: visibleText(id) }));
    },
    async uninstall(plugin: Plugin): Promise<boolean> {
      return (await drop({ params: { name: idOfPlugin(plugin) } })).done;
    },
    /** Throws when it was refused; the list is read anew either way. */
    async move(id: string, position: Position): Promise<void> {
      try {
        await request(api.plugins.move, { params: { name: id }, body: { position } }, { quiet: true });
      } finally {
        await refresh([api.plugins.list]);
      }
    },
  };
}
