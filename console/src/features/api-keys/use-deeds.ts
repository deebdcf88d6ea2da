import { api } from '@mqdeck/contract/api';
import type { ApiKey } from '@mqdeck/contract/api-keys';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { visibleText } from '../../ui/visible-text.ts';
import { words } from './words.ts';

const SHOWN = [api.apiKeys.list];

/** What an operator does with a key from the list. */
export function useDeeds() {
  const w = useWords(words);
  const update = useAction(api.apiKeys.update, {
    refresh: SHOWN,
    success: ({ enable }, { params }) => {
      const name = visibleText(params.name);
      return enable ? w.enabled({ name }) : w.disabled({ name });
    },
  });
  const remove = useAction(api.apiKeys.remove, {
    confirm: ({ params }) => ({
      title: w.removeAsk({ name: visibleText(params.name) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: SHOWN,
    success: (_, { params }) => w.removed({ name: visibleText(params.name) }),
  });
  return {
    /** Only turning off asks: something out there stops working. */
    async turn({ name, api_key: key, desc }: ApiKey, enable: boolean): Promise<void> {
      const note = visibleText(desc);
      const question = {
        title: w.disableAsk({ name: visibleText(name) }),
        text: note === '' ? w.disableText({ key }) : w.disableTextOf({ key, note }),
        action: w.disable,
      };
      if (!enable && !(await confirm(question))) return;
      await update({ params: { name }, body: { enable } });
    },
    remove: ({ name }: ApiKey) => remove({ params: { name } }),
  };
}
