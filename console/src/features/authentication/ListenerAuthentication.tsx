import { useParams } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { idOf } from '../../paths.ts';
import { AuthenticationCreatePage } from './AuthenticationCreatePage.tsx';
import { AuthenticationPage } from './AuthenticationPage.tsx';
import { AuthenticatorPage } from './AuthenticatorPage.tsx';
import { ChainContext, chainOfListener } from './chain.ts';

/** The screens of authentication for the chain of one listener, which the address names. */

export const ListenerAuthenticationPage = () => (
  <OfListener>
    <AuthenticationPage />
  </OfListener>
);

export const ListenerAuthenticationCreatePage = () => (
  <OfListener>
    <AuthenticationCreatePage />
  </OfListener>
);

export const ListenerAuthenticatorPage = () => (
  <OfListener>
    <AuthenticatorPage />
  </OfListener>
);

function OfListener({ children }: { children: ReactNode }) {
  const { listener: segment = '' } = useParams({ strict: false }) as { listener?: string };
  const chain = useMemo(() => chainOfListener(idOf(segment)), [segment]);
  return (
    <ChainContext.Provider key={segment} value={chain}>
      {children}
    </ChainContext.Provider>
  );
}
