import type { GatewayConfigs, GatewayName } from '@mqdeck/contract/gateways';
import type { StartProtocol } from './protocol.ts';

/** What speaks each protocol; it is loaded when its gateway starts. */
export const protocols: { readonly [N in GatewayName]: StartProtocol<GatewayConfigs[N]> } = {
  coap: async (gateway) => (await import('./coap/coap.ts')).startCoap(gateway),
  exproto: async (gateway) => (await import('./exproto/exproto.ts')).startExproto(gateway),
  lwm2m: async (gateway) => (await import('./lwm2m/lwm2m.ts')).startLwm2m(gateway),
  mqttsn: async (gateway) => (await import('./mqttsn/mqttsn.ts')).startMqttsn(gateway),
  stomp: async (gateway) => (await import('./stomp/stomp.ts')).startStomp(gateway),
};
