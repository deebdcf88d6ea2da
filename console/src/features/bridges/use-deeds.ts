import { api } from '@mqdeck/contract/api';
import type { Bridge } from '@mqdeck/contract/bridges';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { report } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { idOf, readRules, rulesUsing } from './standing.ts';
import { words } from './words.ts';

const SHOWN = [api.bridges.list, api.bridges.get];
/** More names in a question would not be read. */
const NAMES_MAX = 10;

/** What an operator does with a bridge, from the list and from its page. */
export function useDeeds() {
  const w = useWords(words);
  const enable = useAction(api.bridges.enable, {
    refresh: SHOWN,
    success: (_, { params }) =>
      params.enable === 'true'
        ? w.enabled({ id: visibleText(params.id) })
        : w.disabled({ id: visibleText(params.id) }),
  });
  const operate = useAction(api.bridges.operate, { refresh: SHOWN });
  const operateOnNode = useAction(api.bridges.operateOnNode, { refresh: SHOWN });
  const clear = useAction(api.bridges.resetMetrics, {
    confirm: ({ params: { id } }) => ({
      title: w.resetAsk({ id: visibleText(id) }),
      text: w.resetText,
      action: w.reset,
      danger: true,
    }),
    refresh: [api.bridges.metrics, api.bridges.allMetrics],
    success: w.resetDone,
  });

  /** Nobody when the rules cannot be read: then the refusal itself is shown. */
  async function usersOf(id: string): Promise<string[]> {
    try {
      return rulesUsing(await readRules(), id).map((rule) => rule.id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return [];
    }
  }

  /** The broker refuses while rules use it; then the second question names them. */
  async function drop(id: string): Promise<boolean> {
    try {
      await request(api.bridges.remove, { params: { id }, query: {} }, { quiet: true });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const rules = error.status === 400 ? await usersOf(id) : [];
      if (rules.length === 0) {
        report(error);
        return false;
      }
      const names = rules.slice(0, NAMES_MAX).map(visibleText).join(', ');
      const more = rules.length - NAMES_MAX;
      const yes = await confirm({
        title: w.removeUsedAsk({ id: visibleText(id), count: rules.length }),
        text: w.removeUsedText({ rules: more > 0 ? w.andMore({ names, more }) : names }),
        action: w.removeUsed,
        danger: true,
      });
      if (!yes) return false;
    }
    try {
      await request(api.bridges.remove, { params: { id }, query: { also_delete_dep_actions: 'true' } });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
      return false;
    }
  }

  return {
    /** Only turning off asks: what its buffer holds in memory is lost. */
    async turn(bridge: Bridge, on: boolean): Promise<void> {
      const id = idOf(bridge);
      const ask = { title: w.disableAsk({ id: visibleText(id) }), text: w.disableText, action: w.disable };
      if (on || (await confirm(ask))) await enable({ params: { id, enable: String(on) } });
    },
    reconnect: (bridge: Bridge) => operate({ params: { id: idOf(bridge), operation: 'start' } }),
    reconnectOn: (bridge: Bridge, node: string) =>
      operateOnNode({ params: { node, id: idOf(bridge), operation: 'start' } }),
    reset: (bridge: Bridge) => clear({ params: { id: idOf(bridge) } }),
    /** True = done. */
    async remove(bridge: Bridge): Promise<boolean> {
      const id = idOf(bridge);
      const yes = await confirm({
        title: w.removeAsk({ id: visibleText(id) }),
        text: w.removeText,
        action: w.remove,
        danger: true,
      });
      if (!yes || !(await drop(id))) return false;
      await refresh([api.bridges.list, api.rules.list]);
      toast('good', w.removed({ id: visibleText(id) }));
      return true;
    },
  };
}
