import {
  type AuthenticatorConfig,
  type authentication,
  authenticatorId,
  type BuiltInDatabase,
  type listenerAuthentication,
  type ScramAuthenticator,
} from '@mqdeck/contract/authentication';
import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { masked, NoSecret, unmasked } from '@mqdeck/contract/kit/secrets';
import { BCRYPT_PASSWORD_BYTES, isUserId } from '@mqdeck/contract/user-import';
import { BackendConfigError } from '../../backends/backend.ts';
import type { Core } from '../../core/core.ts';
import { fail } from '../../http/api-error.ts';
import type { Handlers } from '../../http/handlers.ts';
import { type Authentication, GLOBAL } from './authentication.ts';
import type { Users } from './authenticators.ts';
import type { PasswordUser } from './built-in-database.ts';
import type { Chain, Link } from './chain.ts';
import { exportPasswords, exportScram } from './export-users.ts';
import { hashNew } from './hashing.ts';
import { importUsers } from './import-users.ts';
import { saslprep } from './saslprep.ts';
import { newScramUser, type ScramUser } from './scram.ts';
import type { AuthnUsers } from './users.ts';

export interface ChainParts {
  core: Core;
  users: Users;
}

/** The chain of all listeners. */
export const authenticationApi = (all: Authentication, parts: ChainParts): Handlers<typeof authentication> =>
  chainApi(all, parts, () => GLOBAL);

/** The chains of single listeners, of those that exist. */
export const listenerAuthenticationApi = (
  all: Authentication,
  parts: ChainParts,
): Handlers<typeof listenerAuthentication> =>
  chainApi(all, parts, ({ listener_id }) =>
    parts.core.listeners.some(({ id }) => id === listener_id)
      ? listener_id!
      : fail('BAD_LISTENER_ID', `There is no listener ${listener_id}`, 404),
  );

type Params = Readonly<Record<string, string>>;

/** `nameOf` says which chain is meant. The handlers of both APIs are the same; only that of a listener has one more parameter. */
export function chainApi(
  all: Authentication,
  { core, users }: ChainParts,
  nameOf: (params: Params) => string,
): Handlers<typeof authentication> {
  const chainOf = (params: Params) => all.chain(nameOf(params));
  const linkOf = (params: Params) => found(chainOf(params), params.id!);

  const usersOf = (params: Params) => userBase(chainOf(params).find(params.id!), nameOf(params), users);

  return {
    list: ({ params }) => chainOf(params).configs.map(shown),
    create: ({ params, body }) =>
      all.change(nameOf(params), (chain) => {
        const id = authenticatorId(body);
        if (chain.find(id)) return fail('ALREADY_EXISTS', `Authenticator '${id}' already exists`);
        return shown(checked(() => chain.add(unmasked(body, {}))).config);
      }),
    reorder: async ({ params, body }) => {
      await all.change(nameOf(params), (chain) => {
        const links = body.map(({ id }) => chain.find(id) ?? fail('BAD_REQUEST', unknown(id)));
        if (new Set(links).size !== links.length || links.length !== chain.size)
          fail('BAD_REQUEST', 'The order must name each authenticator of the chain once');
        chain.arrange(links);
      });
    },
    get: ({ params }) => shown(linkOf(params).config),
    update: async ({ params, body }) => {
      await all.change(nameOf(params), (chain) => {
        const link = found(chain, params.id);
        if (authenticatorId(body) !== link.id)
          fail('BAD_REQUEST', 'Mechanism and backend cannot be changed; add another authenticator instead');
        checked(() => chain.change(link, unmasked(body, link.config)));
      });
    },
    remove: async ({ params }) => {
      const name = nameOf(params);
      await all.change(name, async (chain) => {
        chain.remove(found(chain, params.id));
        await all.forget(name, params.id);
      });
    },
    status: ({ params }) => statusOf(linkOf(params), core.node),
    move: async ({ params }) => {
      await all.change(nameOf(params), (chain) => {
        const link = found(chain, params.id);
        chain.arrange(moved(chain, link, params.position));
      });
    },
    users: ({ params, query }) => usersOf(params).all.page(query),
    createUser: async ({ params, body: { user_id, password, is_superuser } }) => {
      const { all: known, isId, hashed } = usersOf(params);
      if (!isId(user_id)) return fail('BAD_REQUEST', BAD_USER_ID);
      if (known.has(user_id)) return fail('ALREADY_EXISTS', 'User already exists');
      const user = await hashed(password, is_superuser);
      if (known.has(user_id)) return fail('ALREADY_EXISTS', 'User already exists'); // meanwhile
      known.put(user_id, user);
      await users.flushed();
      return { user_id, is_superuser };
    },
    exportUsers: ({ params }) => usersOf(params).exported(),
    importUsers: async ({ params, query, upload }) => {
      const link = linkOf(params);
      const { config } = link;
      if (config.mechanism !== 'password_based' || config.backend !== 'built_in_database')
        return fail('BAD_REQUEST', `${link.id} takes no import of users`);
      const algorithm = config.password_hash_algorithm;
      const into = users.passwords(nameOf(params));
      const { folder } = users;
      return importUsers(into, upload, { ...query, algorithm }, { folder, flushed: () => users.flushed() });
    },
    user: ({ params }) => {
      const user = usersOf(params).all.get(params.user_id);
      if (!user) return fail('NOT_FOUND', 'User not found');
      return { user_id: params.user_id, is_superuser: user.superuser };
    },
    updateUser: async ({ params: { user_id, ...params }, body: { password, is_superuser } }) => {
      const { all: known, hashed } = usersOf(params);
      if (!known.has(user_id)) return fail('NOT_FOUND', 'User not found');
      const user = await hashed(password, is_superuser);
      if (!known.has(user_id)) return fail('NOT_FOUND', 'User not found'); // any more
      known.put(user_id, user);
      await users.flushed();
      return { user_id, is_superuser };
    },
    removeUser: async ({ params }) => {
      if (!usersOf(params).all.remove(params.user_id)) return fail('NOT_FOUND', 'User not found');
      await users.flushed();
    },
  };
}

const BAD_USER_ID =
  'User error: invalid_user_id; it must have 1 to 1,024 bytes without control characters, as SASLprep leaves it';

const unknown = (id: string): string => `Authenticator '${id}' does not exist`;

const found = (chain: Chain, id: string): Link => chain.find(id) ?? fail('NOT_FOUND', unknown(id));

const shown = (config: AuthenticatorConfig) => masked({ id: authenticatorId(config), ...config });

/** What the operator wrote and cannot work is his to mend: it is told like any other fault of a field. */
function checked<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof BackendConfigError || error instanceof NoSecret)) throw error;
    const { path, message } = error;
    const fault: ValidationFault = { kind: 'validation_error', path: `root.${path}`, reason: message };
    return fail('BAD_REQUEST', JSON.stringify(fault));
  }
}

/** Where the users of an authenticator are, and how their passwords are kept. */
function userBase(link: Link | undefined, chain: string, users: Users): UserBase {
  if (!link) return fail('BAD_REQUEST', 'User error: there is no such authenticator');
  const { config } = link;
  if (config.mechanism === 'scram') return scramBase(config, users.scram(chain));
  if (config.mechanism === 'password_based' && config.backend === 'built_in_database')
    return passwordBase(config, users.passwords(chain));
  return fail('BAD_REQUEST', 'User error: unsupported_operation; this authenticator has no users of its own');
}

interface UserBase {
  // Whoever hashes also reads: what is in a record is theirs alone
  all: AuthnUsers<PasswordUser | ScramUser>;
  isId: (id: string) => boolean;
  hashed: (password: string, superuser: boolean) => Promise<PasswordUser | ScramUser>;
  exported: () => ReturnType<typeof exportScram>;
}

const passwordBase = (
  { password_hash_algorithm: algorithm }: BuiltInDatabase,
  all: AuthnUsers<PasswordUser>,
): UserBase => ({
  all: all as unknown as UserBase['all'],
  isId: isUserId,
  hashed: async (password, superuser) => {
    const bytes = Buffer.from(password);
    if (algorithm.name === 'bcrypt' && bytes.length > BCRYPT_PASSWORD_BYTES)
      return fail('BAD_REQUEST', `bcrypt takes passwords up to ${BCRYPT_PASSWORD_BYTES} bytes`);
    return { ...(await hashNew(algorithm, bytes)), superuser };
  },
  exported: () => exportPasswords(all),
});

const scramBase = (config: ScramAuthenticator, all: AuthnUsers<ScramUser>): UserBase => ({
  all: all as unknown as UserBase['all'],
  isId: (id) => isUserId(id) && saslprep(id) === id,
  hashed: async (password, superuser) =>
    (await newScramUser(config, password, superuser)) ??
    fail('BAD_REQUEST', 'The password holds characters that SASLprep (RFC 4013) prohibits'),
  exported: () => exportScram(all),
});

/** The links with one of them elsewhere: `front`, `rear`, `before:ID`, `after:ID`. */
function moved(chain: Chain, link: Link, position: string): Link[] {
  const others = chain.all.filter((other) => other !== link);
  if (position === 'front') return [link, ...others];
  if (position === 'rear') return [...others, link];
  const [, side, id] = /^(before|after):(.+)$/s.exec(position) ?? [];
  if (id === undefined) return fail('BAD_REQUEST', 'The position must be front, rear, before:ID or after:ID');
  const at = others.findIndex((other) => other.id === id);
  if (at === -1) return fail('NOT_FOUND', unknown(id));
  return others.toSpliced(side === 'before' ? at : at + 1, 0, link);
}

function statusOf(link: Link, node: string) {
  const { status, reason, resourceMetrics } = link.status;
  const { metrics } = link;
  const resource = resourceMetrics === null ? {} : { ...resourceMetrics, ...link.resourceRate };
  return {
    status,
    metrics,
    resource_metrics: resource,
    node_status: [{ node, status }],
    node_error: reason === null ? [] : [{ node, error: reason }],
    node_metrics: [{ node, metrics }],
    node_resource_metrics: [{ node, metrics: resource }],
  };
}
