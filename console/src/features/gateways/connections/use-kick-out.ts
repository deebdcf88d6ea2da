import { api } from '@mqdeck/contract/api';
import type { GatewayName } from '@mqdeck/contract/gateways';
import { useAction } from '../../../api/use-action.ts';
import { useWords } from '../../../i18n/words.ts';
import { isLong, shortText } from '../../../ui/short-text.ts';
import { toast } from '../../../ui/toast.ts';
import { connectionWords } from './words.ts';

/** What shows something else once a device is gone, or subscribed to something else. */
export const CHANGED = [
  api.gateways.clients,
  api.gateways.client,
  api.gateways.subscriptions,
  api.gateways.list,
  api.gateways.listeners,
] as const;

/** Ends a device's connection, after a question; true = it is gone. */
export function useKickOut(name: GatewayName): (clientid: string) => Promise<boolean> {
  const w = useWords(connectionWords);
  const kick = useAction(api.gateways.kickOut, {
    confirm: ({ params: { clientid } }) => ({
      title: w.kickOutAsk({ clientid: shortText(clientid) }),
      ...(isLong(clientid) && { whole: clientid }),
      text: w.kickOutText,
      action: w.kickOut,
      danger: true,
    }),
    refresh: CHANGED,
    handles: [404],
  });
  return async (clientid) => {
    const outcome = await kick({ params: { name, clientid } });
    if (outcome.done) toast('good', w.kickedOut({ clientid: shortText(clientid) }));
    else if (outcome.error?.status === 404) toast('bad', w.gone({ clientid: shortText(clientid) }));
    else return false;
    return true;
  };
}
