import { api } from '@mqdeck/contract/api';
import type { GatewayName } from '@mqdeck/contract/gateways';
import { ApiError } from '../../api/api-error.ts';
import { keyOf, queryClient } from '../../api/query-client.ts';
import { request } from '../../api/request.ts';
import { useAction } from '../../api/use-action.ts';
import { useWords } from '../../i18n/words.ts';
import { confirm } from '../../ui/confirm.ts';
import { gatewayName } from './kinds.ts';
import { words } from './words.ts';

/** What shows something else once a gateway is started, stopped or changed. */
export const CHANGED = [
  api.gateways.list,
  api.gateways.get,
  api.gateways.listeners,
  api.gateways.clients,
] as const;

/** How many devices are connected at this moment; null when the broker does not say. */
export async function devicesNow(name: string): Promise<number | null> {
  try {
    const all = await queryClient.fetchQuery({
      queryKey: [...keyOf(api.gateways.list), {}],
      queryFn: ({ signal }) => request(api.gateways.list, {}, { signal }),
    });
    return all.find((one) => one.name === name)?.current_connections ?? 0;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error; // an ApiError was reported by its call
    return null;
  }
}

/** What an operator does with a gateway as a whole. */
export function useDeeds() {
  const w = useWords(words);
  const enable = useAction(api.gateways.enable, {
    refresh: CHANGED,
    success: (_, { params }) => {
      const name = gatewayName(params.name, w);
      return params.enable === 'true' ? w.started({ name }) : w.stoppedNow({ name });
    },
  });
  return {
    /** Turning off asks, with the number of devices that lose their connection. */
    async turn(gateway: GatewayName, on: boolean): Promise<boolean> {
      if (!on) {
        const count = await devicesNow(gateway);
        if (count === null) return false;
        const yes = await confirm({
          title: w.stopAsk({ name: gatewayName(gateway, w) }),
          text: count === 0 ? w.stopNobody : w.stopText({ count }),
          action: w.stop,
          danger: count > 0,
        });
        if (!yes) return false;
      }
      return (await enable({ params: { name: gateway, enable: String(on) } })).done;
    },
  };
}
