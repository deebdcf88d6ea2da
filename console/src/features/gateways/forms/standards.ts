import { type GatewayName, gatewayConfigs, gatewayPresets } from '@mqdeck/contract/gateways';
import * as z from 'zod/mini';
import { sentBind, shownBind } from '../../../form/listening/bind.ts';

/** What the forms begin with, how they take an answer of the API, and what they send. */

export type Values = Record<string, unknown>;

/** The form's own switch: TLS of the gRPC server is on where its block is there. */
export const SERVER_TLS = 'server_tls';

const isBlock = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** What a new gateway begins with. */
export function initialFor(name: GatewayName): Values {
  const { port: _, ...preset } = gatewayPresets[name];
  const config: z.ZodMiniType = gatewayConfigs[name];
  return withSwitches(name, z.parse(config, preset) as Values);
}

/** What can be edited of what the API answered: how it stands at the moment is nobody's change. */
export function valuesFrom(name: GatewayName, answer: Values): Values {
  const known = Object.keys(gatewayConfigs[name].shape);
  return withSwitches(name, Object.fromEntries(known.map((key) => [key, answer[key]])));
}

function withSwitches(name: GatewayName, values: Values): Values {
  if (name !== 'exproto') return values;
  const server = isBlock(values.server) ? values.server : {};
  return {
    ...values,
    server: { ...server, bind: shownBind(server.bind) },
    [SERVER_TLS]: isBlock(server.ssl_options),
  };
}

/** What is sent: blocks without a word in them are left out. */
export function bodyFrom(name: GatewayName, values: Values): Values {
  const { [SERVER_TLS]: tls, clientinfo_override: override, ...body } = values;
  const said = Object.entries(isBlock(override) ? override : {}).filter(([, one]) => one);
  return {
    ...body,
    ...(said.length > 0 ? { clientinfo_override: Object.fromEntries(said) } : {}),
    ...(name === 'exproto' ? { server: serverFrom(values.server, tls === true) } : {}),
  };
}

function serverFrom(value: unknown, tls: boolean): Values {
  const { ssl_options, ...server } = isBlock(value) ? value : {};
  return { ...server, bind: sentBind(server.bind), ...(tls ? { ssl_options: ssl_options ?? {} } : {}) };
}
