import { api } from '@mqdeck/contract/api';
import { flag } from '@mqdeck/contract/kit/values';
import * as z from 'zod/mini';

/** What the embedded broker refuses and other brokers have: whoever is asked says itself that it cannot be. */
const anyBroker = {
  enable_crl_check: z._default(flag, false),
  ocsp: z.optional(z.looseObject({ enable_ocsp_stapling: z._default(flag, false) })),
};

interface Wrapper {
  def: { innerType: z.ZodMiniObject };
}

/** The shapes of the types, with TLS as any broker takes it. */
function openTo(body: { def: { options: readonly z.ZodMiniObject[] } }): z.ZodMiniType {
  const [first, ...rest] = body.def.options.map((option) => {
    const tls = option.shape.ssl_options as Wrapper | undefined;
    return tls === undefined
      ? option
      : z.extend(option, { ssl_options: z.optional(z.extend(tls.def.innerType, anyBroker)) });
  });
  return z.discriminatedUnion('type', [first!, ...rest] as never);
}

export const createListener = { ...api.listeners.create, body: openTo(api.listeners.create.body) };
export const updateListener = { ...api.listeners.update, body: openTo(api.listeners.update.body) };
