import type { GatewayConfigs, GatewayName } from '@mqdeck/contract/gateways';
import { startCoap } from './coap/coap.ts';
import { startExproto } from './exproto/exproto.ts';
import { startLwm2m } from './lwm2m/lwm2m.ts';
import { startMqttsn } from './mqttsn/mqttsn.ts';
import type { StartProtocol } from './protocol.ts';
import { startStomp } from './stomp/stomp.ts';

/** What speaks each protocol. */
export const protocols: { readonly [N in GatewayName]: StartProtocol<GatewayConfigs[N]> } = {
  coap: startCoap,
  exproto: startExproto,
  lwm2m: startLwm2m,
  mqttsn: startMqttsn,
  stomp: startStomp,
};
