import type { GatewayConfigs, GatewayName } from '@mqdeck/contract/gateways';
import type { StartProtocol } from './protocol.ts';

/** What speaks each protocol. */
export const protocols: { readonly [N in GatewayName]?: StartProtocol<GatewayConfigs[N]> } = {};
