import { api } from '@mqdeck/contract/api';
import { createContext, useContext } from 'react';
import { paths } from '../../paths.ts';

/** A chain of authenticators as the screens need it: what answers for it, and where its pages are. */
export interface Chain {
  /** Whose own chain it is; undefined of the global one. */
  listener: string | undefined;
  endpoints: typeof api.authentication;
  list: () => string;
  create: () => string;
  one: (id: string, tab?: 'settings' | 'users') => string;
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

export const ChainContext = createContext(GLOBAL);

/** The chain that the screen around is about; the global one unless told. */
export const useChain = (): Chain => useContext(ChainContext);
