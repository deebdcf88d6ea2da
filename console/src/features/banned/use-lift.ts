import { api } from '@mqdeck/contract/api';
import type { Banned } from '@mqdeck/contract/banned';
import { ApiError } from '../../api/api-error.ts';
import { refresh } from '../../api/query-client.ts';
import { sentenceOf } from '../../api/report.ts';
import { request } from '../../api/request.ts';
import { useWords } from '../../i18n/words.ts';
import { shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { words } from './words.ts';

const LISTS = [api.banned.list, api.refusedConnections.list];

/** False when it was not banned any more. Throws what the broker refused. */
export async function liftBan({ as, who }: Pick<Banned, 'as' | 'who'>): Promise<boolean> {
  try {
    await request(api.banned.remove, { params: { as, who } }, { quiet: true });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && !error.absent) return false;
    throw error;
  }
}

/** Lifts a ban at once; of one that is known as a whole the toast offers to take that back. */
export function useLift(): (ban: Pick<Banned, 'as' | 'who'> & Partial<Banned>) => Promise<void> {
  const w = useWords(words);
  return async (ban) => {
    const name = { who: shortText(ban.who) };
    const { as, who, by, reason, at, until } = ban;
    const again = async () => {
      const body = { as, who, by, reason, at, until } as never;
      await told(() => request(api.banned.create, { body }, { quiet: true }));
    };
    async function told(deed: () => Promise<unknown>): Promise<unknown> {
      try {
        return await deed();
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        toast('bad', sentenceOf(error));
        return undefined;
      } finally {
        await refresh(LISTS);
      }
    }
    const done = await told(() => liftBan(ban));
    if (done === undefined) return;
    if (!done) toast('info', w.liftedAlready);
    else if (until === undefined) toast('good', w.lifted(name));
    else toast('good', w.lifted(name), { label: w.undo, run: () => void again() });
  };
}
