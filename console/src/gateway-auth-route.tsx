import { GatewayAuthentication } from './features/authentication/GatewayAuthentication.tsx';
import { GatewayFrame } from './features/gateways/GatewayFrame.tsx';
import { words } from './features/gateways/words.ts';
import { useWords } from './i18n/words.ts';

/** A gateway's page, with the screens of authentication in it. */
export function GatewayAuthPage() {
  const w = useWords(words);
  return (
    <GatewayFrame part="auth">
      {(name) => <GatewayAuthentication gateway={name} title={w[name]} />}
    </GatewayFrame>
  );
}
