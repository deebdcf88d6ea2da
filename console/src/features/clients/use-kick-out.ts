import { api } from '@mqdeck/contract/api';
import type { Client } from '@mqdeck/contract/clients';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { isLong, shortText } from '../../ui/short-text.ts';
import { toast } from '../../ui/toast.ts';
import { clientLists, hasPath, isGone } from './address.ts';
import { words } from './words.ts';

type Kicked = Pick<Client, 'clientid' | 'connected'> &
  Partial<Pick<Client, 'subscriptions_cnt' | 'mqueue_len'>>;

/** Ends a client's connection and session, or the session alone of one that is away. Asks first. */
export function useKickOut(): { kickOut: (client: Kicked) => Promise<void>; pending: boolean } {
  const w = useWords(words);
  const one = useAction(api.clients.kickOut, { refresh: clientLists, handles: [404] });
  const many = useAction(api.clients.kickOutMany, { refresh: clientLists });

  function lossOf(connected: boolean, subscriptions?: number, messages?: number): string {
    if (subscriptions === undefined || messages === undefined) return connected ? w.kickOutText : w.cleanText;
    return (connected ? w.kickOutLoss : w.cleanLoss)({ subscriptions, messages });
  }

  async function kickOut({ clientid, connected, subscriptions_cnt, mqueue_len }: Kicked): Promise<void> {
    const name = { clientid: shortText(clientid) };
    const yes = await confirm({
      title: connected ? w.kickOutAsk(name) : w.cleanAsk(name),
      ...(isLong(clientid) && { whole: clientid }),
      text: lossOf(connected, subscriptions_cnt, mqueue_len),
      action: connected ? w.kickOut : w.clean,
      danger: true,
    });
    if (!yes) return;
    const outcome = hasPath(clientid)
      ? await one({ params: { clientid } })
      : await many({ body: [clientid] });
    if (outcome.done) toast('good', connected ? w.kickedOut(name) : w.cleaned(name));
    else if (isGone(outcome.error)) toast('bad', w.notExist);
  }
  return { kickOut, pending: one.pending || many.pending };
}
