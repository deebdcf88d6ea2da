import { api } from '@mqdeck/contract/api';
import type { Rule } from '@mqdeck/contract/rules';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { words } from './words.ts';

/** What an operator does with a rule, from the list and from its page. */
export function useDeeds() {
  const w = useWords(words);
  const update = useAction(api.rules.update, {
    refresh: [api.rules.list, api.rules.get],
    success: (_, { params: { id }, body }) =>
      body.enable === false ? w.disabled({ id: visibleText(id) }) : w.enabled({ id: visibleText(id) }),
  });
  const drop = useAction(api.rules.remove, {
    confirm: ({ params: { id } }) => ({
      title: w.removeAsk({ id: visibleText(id) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: [api.rules.list],
    success: (_, { params: { id } }) => w.removed({ id: visibleText(id) }),
  });
  const clear = useAction(api.rules.resetMetrics, {
    confirm: ({ params: { id } }) => ({
      title: w.resetAsk({ id: visibleText(id) }),
      text: w.resetText,
      action: w.reset,
      danger: true,
    }),
    refresh: [api.rules.metrics, api.rules.allMetrics],
    success: w.resetDone,
  });
  return {
    /** Only turning off asks: what comes meanwhile is lost to the rule. */
    async turn({ id }: Pick<Rule, 'id'>, enable: boolean): Promise<void> {
      const ask = { title: w.disableAsk({ id: visibleText(id) }), text: w.disableText, action: w.disable };
      if (enable || (await confirm(ask))) await update({ params: { id }, body: { enable } });
    },
    /** True = done. */
    remove: async ({ id }: Pick<Rule, 'id'>): Promise<boolean> => (await drop({ params: { id } })).done,
    reset: ({ id }: Pick<Rule, 'id'>) => clear({ params: { id } }),
  };
}
