import type { buildConnector } from 'undici';
import type { OutboundPolicy } from './outbound.ts';
import type { TlsOptions } from './tls.ts';

export interface HttpConnectorOptions {
  outbound: OutboundPolicy;
  timeoutMs: number;
  tls: TlsOptions | null;
}

/** How undici connects: as the outbound policy allows it. `build` is that of the library, which is loaded when it is needed. */
export function httpConnector(
  build: typeof buildConnector,
  { outbound, timeoutMs, tls }: HttpConnectorOptions,
): buildConnector.connector {
  const connector = build({ timeout: timeoutMs, ...tls, allowH2: false, lookup: outbound.lookup });
  return (options, callback) => {
    const denial = outbound.denialOf(options.hostname);
    if (denial === null) connector(options, callback);
    else callback(denial, null);
  };
}
