import { api } from '@mqdeck/contract/api';
import type { BuiltInRule } from '@mqdeck/contract/authorization';
import { permissionWords as words } from './words.ts';

/** Rules of one client id or of one username: the same list twice, under two names. */
export const OWNERS = {
  clients: {
    key: 'clientid',
    like: 'like_clientid',
    label: words.clientid,
    list: api.authorization.clientRules,
    create: api.authorization.createClientRules,
    update: api.authorization.updateClientRules,
    remove: api.authorization.removeClientRules,
  },
  users: {
    key: 'username',
    like: 'like_username',
    label: words.username,
    list: api.authorization.userRules,
    create: api.authorization.createUserRules,
    update: api.authorization.updateUserRules,
    remove: api.authorization.removeUserRules,
  },
} as const;
export type OwnerKind = keyof typeof OWNERS;

/** A row of either list. */
export interface Owner {
  name: string;
  rules: readonly BuiltInRule[];
}

export const ownerOf = (kind: OwnerKind, row: unknown): Owner => {
  const { [OWNERS[kind].key]: name, rules } = row as Record<string, unknown>;
  return { name: String(name), rules: rules as BuiltInRule[] };
};
