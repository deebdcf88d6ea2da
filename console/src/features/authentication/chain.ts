import { api } from '@mqdeck/contract/api';
import type { GatewayName } from '@mqdeck/contract/gateways';
import { createContext, useContext } from 'react';
import { jsonText } from '../../form/backends/json-text.ts';
import { paths } from '../../paths.ts';

/** A chain of authenticators as the screens need it: what answers for it, and where its pages are. */
export interface Chain {
  /** Whose own chain it is; undefined of the global one. */
  listener: string | undefined;
  endpoints: typeof api.authentication;
  list: () => string;
  create: () => string;
  one: (id: string, tab?: 'settings' | 'users') => string;
  /** What an HTTP service is told by default, where it is not what MQTT clients show. */
  httpBody?: string | undefined;
  /** Whose devices it checks: a gateway has one authenticator instead of a chain, and hands out no hashes. */
  gateway?: GatewayName | undefined;
}

const GLOBAL: Chain = {
  listener: undefined,
  endpoints: api.authentication,
  list: paths.authentication,
  create: paths.authenticationCreate,
  one: paths.authenticator,
};

/** The endpoints of a listener's chain with the listener filled in: from there on they are asked as the global ones are. */
function endpointsOf(listener: string): Chain['endpoints'] {
  const filledIn = Object.entries(api.listenerAuthentication).map(([verb, endpoint]) => [
    verb,
    {
      ...endpoint,
      path: endpoint.path.replace(':listener_id', encodeURIComponent(listener)),
      errors: [...('errors' in endpoint ? endpoint.errors : []), 'BAD_LISTENER_ID'],
    },
  ]);
  return Object.fromEntries(filledIn) as Chain['endpoints'];
}

export const chainOfListener = (listener: string): Chain => ({
  listener,
  endpoints: endpointsOf(listener),
  list: () => paths.listenerAuthentication(listener),
  create: () => paths.listenerAuthenticationCreate(listener),
  one: (id, tab) => paths.listenerAuthenticator(listener, id, tab),
});

/** All that devices of these protocols show. */
const HTTP_BODIES: Partial<Record<GatewayName, string>> = {
  mqttsn: jsonText({ clientid: '${clientid}' }),
  lwm2m: jsonText({ endpoint_name: '${endpoint_name}' }),
};

/** The one authenticator of a gateway behind the endpoints of a chain: its id is asked for nowhere, and need not be. */
export function chainOfGateway(gateway: GatewayName): Chain {
  const filledIn = Object.entries(api.gatewayAuthentication).map(([verb, endpoint]) => [
    verb,
    { ...endpoint, path: endpoint.path.replace(':name', gateway).replace(':uid', ':user_id') },
  ]);
  const endpoints = Object.fromEntries(filledIn) as Chain['endpoints'];
  const here = () => paths.gateway(gateway, 'auth');
  return {
    listener: undefined,
    gateway,
    // What shows another state once it was changed is the authenticator itself.
    endpoints: { ...endpoints, list: endpoints.get as never, status: endpoints.get as never },
    list: here,
    create: here,
    one: here,
    httpBody: HTTP_BODIES[gateway],
  };
}

export const ChainContext = createContext(GLOBAL);

/** The chain that the screen around is about; the global one unless told. */
export const useChain = (): Chain => useContext(ChainContext);
