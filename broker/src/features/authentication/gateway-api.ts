import {
  type AuthenticatorConfig,
  authenticatorId,
  type listenerAuthentication,
} from '@mqdeck/contract/authentication';
import type {
  GatewayAuthenticator,
  gatewayAuthentication,
  gatewayListenerAuthentication,
} from '@mqdeck/contract/gateways';
import { masked } from '@mqdeck/contract/kit/secrets';
import { fail } from '../../http/api-error.ts';
import { type Handlers, withStatus } from '../../http/handlers.ts';
import { type ChainParts, chainApi } from './api.ts';
import type { Authentication } from './authentication.ts';

type Params = Readonly<Record<string, string>>;

/**
 * The chain of a gateway or of one of its listeners, which has one authenticator at most. `chainOf` says which it is, or
 * ends the request.
 */
export function gatewayAuthenticationApi(
  all: Authentication,
  parts: ChainParts,
  chainOf: (params: Params) => string,
): Handlers<typeof gatewayAuthentication> & Handlers<typeof gatewayListenerAuthentication> {
  // The id of a listener and that of an authenticator bear the same name: the chain is found first
  const chain: Handlers<typeof listenerAuthentication> = chainApi(
    all,
    parts,
    ({ listener_id = '' }) => listener_id,
  );
  const idOf = (params: Params): string => all.chain(chainOf(params)).all[0]?.id ?? '';
  const shown = (config: AuthenticatorConfig): GatewayAuthenticator => masked({ ...config });
  const known = <T extends { params: Params }>(request: T) => {
    const id = idOf(request.params);
    if (id === '') return fail('NOT_FOUND', 'There is no authenticator');
    const { uid: user_id = '' } = request.params;
    return { ...request, params: { listener_id: chainOf(request.params), id, user_id } };
  };
  const added = (request: Omit<Parameters<typeof chain.create>[0], 'params'>, name: string) =>
    chain.create({ ...request, params: { listener_id: name } });
  return {
    get: ({ params }) => {
      const name = chainOf(params);
      const config = all.chain(name).configs[0];
      return config === undefined
        ? withStatus(204, undefined)
        : { ...shown(config), id: authenticatorId(config), chain_name: name };
    },
    create: async (request) => {
      const { params, body } = request;
      refuseSteps(body);
      const name = chainOf(params);
      if (all.chain(name).size > 0) return fail('ALREADY_EXISTS', 'There is an authenticator already');
      await added(request, name);
      return shown(all.chain(name).configs[0] ?? body);
    },
    update: async (request) => {
      const { params, body } = request;
      refuseSteps(body);
      const name = chainOf(params);
      const id = idOf(params);
      if (id === '') return fail('NOT_FOUND', 'There is no authenticator');
      if (authenticatorId(body) === id) await chain.update(known(request));
      else {
        const before = known({ ...request, body: undefined });
        await added(request, name);
        await chain.remove(before);
      }
      return shown(all.chain(name).configs[0] ?? body);
    },
    remove: async (request) => {
      if (idOf(request.params) !== '') await chain.remove(known(request));
    },
    users: (request) => chain.users(known(request)),
    createUser: (request) => chain.createUser(known(request)),
    importUsers: async (request) => {
      await chain.importUsers({
        ...known(request),
        query: { type: 'hash', override: false, all_or_nothing: false },
      });
    },
    user: (request) => chain.user(known(request)),
    updateUser: (request) => chain.updateUser(known(request)),
    removeUser: (request) => chain.removeUser(known(request)),
  };
}

/** None of these protocols has the conversation that it takes. */
function refuseSteps(config: AuthenticatorConfig): void {
  if (config.mechanism !== 'scram') return;
  const { mechanism, backend } = config;
  const fault = {
    kind: 'validation_error',
    path: 'root',
    reason: 'unsupported_mechanism',
    mechanism,
    backend,
  };
  fail('BAD_REQUEST', JSON.stringify(fault));
}
