import { api } from '@mqdeck/contract/api';
import type { Clearing } from '@mqdeck/contract/retainer';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOfDeed } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useWords } from '../../i18n/words.ts';
import { toast } from '../../ui/toast.ts';
import { words } from './words.ts';

const isAbsent = (error: unknown): boolean => error instanceof ApiError && error.absent;

/** Removes what a filter matches, null = everything. The answer is that of a removal that can be watched; null when it is over. */
async function begin(topic: string | null): Promise<Clearing | null> {
  try {
    return await request(api.retainer.clear, { body: { topic } }, { quiet: true });
  } catch (error) {
    if (!isAbsent(error)) throw error;
  }
  if (topic === null) await request(api.retainer.removeAll, {}, { quiet: true });
  else await request(api.retainer.remove, { params: { topic } }, { quiet: true });
  return null;
}

/** Begins a removal and tells when it could not, or when it is over already. False = it could not. */
export function useClear(onBegun: (clearing: Clearing) => void): (topic: string | null) => Promise<boolean> {
  const w = useWords(words);
  return async (topic) => {
    try {
      const begun = await begin(topic);
      if (begun) onBegun(begun);
      else toast('good', topic === null ? w.cleared : w.branchRemoved);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 404 && !error.absent) {
        toast('info', w.nothingMatches);
        return true;
      }
      toast('bad', error.code === 'CONFLICT' ? w.clearingAlready : sentenceOfDeed(error));
      return false;
    } finally {
      await refresh([api.retainer.clearing, api.retainer.messages]);
    }
  };
}
