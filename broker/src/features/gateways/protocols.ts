import type { GatewayConfigs, GatewayName } from '@mqdeck/contract/gateways';
import { startMqttsn } from './mqttsn/mqttsn.ts';
import type { StartProtocol } from './protocol.ts';
import { startStomp } from './stomp/stomp.ts';

/** What speaks each protocol. */
export const protocols: { readonly [N in GatewayName]?: StartProtocol<GatewayConfigs[N]> } = {
  mqttsn: startMqttsn,
  stomp: startStomp,
};
