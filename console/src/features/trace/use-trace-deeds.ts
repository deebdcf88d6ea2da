import { api } from '@mqdeck/contract/api';
import type { Trace } from '@mqdeck/contract/traces';
import { ApiError } from '../../api/api-error.ts';
import { download } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { saveFile } from '../../ui/save-file.ts';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { words } from './words.ts';

const LISTS = [api.traces.list];

export const sizeOf = ({ log_size }: Trace): number =>
  Object.values(log_size).reduce((sum, size) => sum + size, 0);

/** What can be done with a trace, in the list and on its own page. */
export function useTraceDeeds() {
  const w = useWords(words);
  const stop = useAction(api.traces.stop, {
    confirm: ({ params: { name } }) => ({
      title: w.stopAsk({ name: shortText(name) }),
      text: w.stopText,
      action: w.stop,
    }),
    refresh: LISTS,
    success: w.stopped,
  });
  const remove = useAction(api.traces.remove, {
    confirm: ({ params: { name } }) => ({
      title: w.removeAsk({ name: shortText(name) }),
      text: w.removeText,
      action: w.remove,
      danger: true,
    }),
    refresh: LISTS,
    success: w.removed,
  });
  return {
    stop: (name: string) => stop({ params: { name } }),
    /** Whether it is gone. */
    remove: async (name: string): Promise<boolean> => (await remove({ params: { name } })).done,
    /** Of all nodes, unless of one. */
    save: async (name: string, node?: string): Promise<void> => {
      try {
        const given = { params: { name }, ...(node !== undefined && { query: { node } }) };
        const answer = await download(api.traces.download, given, { handlesTimeout: true });
        saveFile(fileName(answer, name), [await answer.blob()], 'application/zip');
      } catch (error) {
        // A refusal was told by the call
        if (!(error instanceof ApiError)) toast('bad', w.downloadBroken({ name: shortText(name) }));
        else if (error.timedOut) toast('bad', w.downloadTimeout);
      }
    },
  };
}

function fileName({ headers }: Response, name: string): string {
  const given = /filename="?([^";]+)"?/.exec(headers.get('Content-Disposition') ?? '')?.[1];
  return given && /^[\w.@-]+$/.test(given) ? given : `${name}.zip`;
}
