import type { GatewayName } from '@mqdeck/contract/gateways';
import { Drawing } from '../../ui/Drawing.tsx';
import { IconGateway, type IconProps } from '../../ui/icons.tsx';
import { isGateway } from './kinds.ts';

const DRAWINGS: Readonly<Record<GatewayName, readonly string[]>> = {
  stomp: ['M4 5h16v11H10l-4 4v-4H4z', 'M8 9h8M8 12h5'],
  mqttsn: [
    'M12 13v7M9 20h6',
    'M8.500 9.500a5 5 0 0 1 7 0M5.500 6.500a9.200 9.200 0 0 1 13 0',
    'M12 12.500v.01',
  ],
  coap: ['M4 8h13M14 5l3 3-3 3', 'M20 16H7M10 13l-3 3 3 3'],
  lwm2m: ['M7 3h10v18H7z', 'M11 18h2M10 7h4M10 10h4M10 13h4'],
  exproto: ['M9 7l-5 5 5 5M15 7l5 5-5 5', 'M13 6l-2 12'],
};

export function GatewayIcon({ name, ...rest }: IconProps & { name: string }) {
  return isGateway(name) ? <Drawing shapes={DRAWINGS[name]} {...rest} /> : <IconGateway {...rest} />;
}
