import { GATEWAY_NAMES, type GatewayName } from '@mqdeck/contract/gateways';
import type { Words } from '../../i18n/words.ts';
import type { words } from './words.ts';

/** Those that the console has screens for; other brokers have more. */
export const isGateway = (name: unknown): name is GatewayName =>
  (GATEWAY_NAMES as readonly unknown[]).includes(name);

/** `MQTT-SN`; what we have no word for keeps its own. */
export const gatewayName = (name: string, w: Words<typeof words>): string =>
  isGateway(name) ? w[name] : name;

/** Whose devices operators may subscribe for. */
export const CAN_SUBSCRIBE: readonly GatewayName[] = ['coap', 'mqttsn', 'stomp'];
