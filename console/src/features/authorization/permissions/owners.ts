import { authorization, type BuiltInRule } from '@mqdeck/contract/authorization';
import { permissionWords as words } from './words.ts';

/** Rules of one client id or of one username: the same list twice, under two names. */
export const OWNERS = {
  clients: {
    key: 'clientid',
    like: 'like_clientid',
    label: words.clientid,
    list: authorization.clientRules,
    create: authorization.createClientRules,
    update: authorization.updateClientRules,
    remove: authorization.removeClientRules,
  },
  users: {
    key: 'username',
    like: 'like_username',
    label: words.username,
    list: authorization.userRules,
    create: authorization.createUserRules,
    update: authorization.updateUserRules,
    remove: authorization.removeUserRules,
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
