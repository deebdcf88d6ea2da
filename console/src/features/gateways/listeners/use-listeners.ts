import { api } from '@mqdeck/contract/api';
import { type GatewayListener, type GatewayName, NewGatewayListener } from '@mqdeck/contract/gateways';
import { ApiError } from '../../../api/api-error.ts';
import { keyOf, queryClient } from '../../../api/query-client.ts';
import { request } from '../../../api/request.ts';
import { useAction } from '../../../api/use-action.ts';
import { listeningFault } from '../../../form/listening/faults.ts';
import { useWords, type Words } from '../../../i18n/words.ts';
import { confirm } from '../../../ui/confirm.ts';
import { toast } from '../../../ui/toast.ts';
import { visibleText } from '../../../ui/visible-text.ts';
import { listenerWords } from './listener-words.ts';
import { bodyFrom, valuesOf } from './values.ts';

/** What shows something else once a listener is made, changed or deleted. */
export const CHANGED = [
  api.gateways.listeners,
  api.gateways.listener,
  api.gateways.list,
  api.gateways.clients,
] as const;

/** The endpoints with what the broker then checks. */
export const createListener = { ...api.gateways.createListener, body: NewGatewayListener };
export const updateListener = { ...api.gateways.updateListener, body: NewGatewayListener };

/** How many connections a listener has at this moment; null when the broker does not say. */
export async function connectionsNow(name: GatewayName, id: string): Promise<number | null> {
  try {
    const given = { params: { name } };
    const all = await queryClient.fetchQuery({
      queryKey: [...keyOf(api.gateways.listeners), given],
      queryFn: ({ signal }) => request(api.gateways.listeners, given, { signal }),
    });
    return all.find((one) => one.id === id)?.status?.current_connections ?? 0;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
    return null;
  }
}

/** Turns listeners on and off, everything else of them as it stands. What ends connections asks first, with their number. */
export function useSwitchListener(name: GatewayName) {
  const w = useWords(listenerWords);
  const update = useAction(api.gateways.updateListener, { refresh: CHANGED });
  return async (id: string, on: boolean): Promise<void> => {
    if (!on) {
      const count = await connectionsNow(name, id);
      if (count === null) return;
      const yes = await confirm({
        title: w.stopAsk({ id: visibleText(id) }),
        text: count === 0 ? w.stopNobody : w.stopText({ count }),
        action: w.stop,
        danger: count > 0,
      });
      if (!yes) return;
    }
    const params = { name, id };
    try {
      const stored = await request(api.gateways.listener, { params });
      const body = { ...bodyFrom(valuesOf(stored)), enable: on };
      if (!(await update({ params, body })).done) return;
      const { running } = await request(api.gateways.listener, { params });
      const text = !on ? w.stoppedNow : running === false ? w.enabledOnly : w.started;
      toast('good', text({ id: visibleText(id) }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
    }
  };
}

export function useRemoveListener(name: GatewayName) {
  const w = useWords(listenerWords);
  const remove = useAction(api.gateways.removeListener, {
    refresh: CHANGED,
    success: (_, { params: { id } }) => w.removed({ id }),
  });
  return async ({ id }: GatewayListener): Promise<void> => {
    const count = await connectionsNow(name, id);
    if (count === null) return;
    const yes = await confirm({
      title: w.removeAsk({ id: visibleText(id) }),
      text: count === 0 ? w.removeNobody : w.removeText({ count }),
      action: w.remove,
      danger: true,
    });
    if (yes) await remove({ params: { name, id } });
  };
}

/** What the broker could not do, said beside the field it is about. */
export function faultOf(
  error: ApiError,
  w: Words<typeof listenerWords>,
): { field: string; text: string } | undefined {
  const { message } = error;
  if (/occupied|exists/i.test(message)) return { field: 'name', text: w.nameTaken };
  if (/dtls is not/i.test(message))
    return { field: 'type', text: w.refused({ reason: visibleText(message) }) };
  return listeningFault(error, w);
}
