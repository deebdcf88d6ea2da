import type { CompiledRule } from '@mqdeck/contract/acl/match';
import { type AuthzRule, aclTopic } from '@mqdeck/contract/acl/rule';
import { type BuiltInRule, OWNER_BYTES_MAX } from '@mqdeck/contract/authorization';
import { removeAll } from '../../core/store/remove-all.ts';
import type { Collection, Entry, Key, Store } from '../../core/store/store.ts';
import { compileAll } from './rules.ts';

export type OwnerKind = 'clientid' | 'username';

const SLICE = 500;
const COMPILED_MAX = 2000; // owners whose rules are ready

const ALL = 'all';
const NO_RULES: readonly CompiledRule[] = [];

const ready = (rules: readonly BuiltInRule[]): readonly CompiledRule[] =>
  compileAll(
    rules.map(
      ({ permission, action, topic, qos, retain }): AuthzRule => ({
        permission,
        who: { kind: 'all' }, // whose they are is known already
        action,
        qos: qos.length === 3 ? null : qos,
        retain: retain === 'all' ? null : retain,
        topics: [aclTopic(topic)],
      }),
    ),
  );

/** Rules of one kind of owner. Keeps them in the store, and those asked for lately compiled. */
class OwnedRules {
  private readonly store: Store;
  private readonly stored: Collection<BuiltInRule[]>;
  private readonly compiled = new Map<string, readonly CompiledRule[]>();

  constructor(store: Store, collection: string) {
    this.store = store;
    this.stored = store.collection(collection);
  }

  get count(): number {
    return this.stored.count();
  }

  has(owner: string): boolean {
    return isOwner(owner) && this.stored.has(owner);
  }

  get(owner: string): BuiltInRule[] | undefined {
    return isOwner(owner) ? this.stored.get(owner) : undefined;
  }

  put(owner: string, rules: BuiltInRule[]): void {
    this.stored.put(owner, rules);
    this.compiled.delete(owner);
  }

  remove(owner: string): boolean {
    if (!this.has(owner)) return false;
    this.stored.remove(owner);
    this.compiled.delete(owner);
    return true;
  }

  /** Other work has a turn in between. */
  async clear(): Promise<void> {
    await removeAll(this.store, this.stored, { onRemoved: () => this.compiled.clear() });
  }

  /** Ready to be asked. */
  of(owner: string): readonly CompiledRule[] {
    const known = this.compiled.get(owner);
    if (known) return known;
    const rules = this.get(owner);
    const made = rules ? ready(rules) : NO_RULES;
    if (this.compiled.size >= COMPILED_MAX) this.compiled.clear();
    this.compiled.set(owner, made);
    return made;
  }

  /** By owner, in slices of one turn each. */
  *slices(): Generator<Entry<BuiltInRule[]>[]> {
    let last: Key | undefined;
    for (;;) {
      const found = [...this.stored.range({ ...(last !== undefined && { start: last }), limit: SLICE })];
      const slice = found[0]?.key === last ? found.slice(1) : found;
      if (slice.length === 0) return;
      yield slice;
      last = slice.at(-1)!.key;
    }
  }
}

/** A key that the store takes. */
export const isOwner = (owner: string): boolean =>
  owner.length <= OWNER_BYTES_MAX && Buffer.byteLength(owner) <= OWNER_BYTES_MAX && !owner.includes('\0');

/** Rules of the built-in database: of client ids, of usernames, and of all. */
export class BuiltInRules {
  readonly clientid: OwnedRules;
  readonly username: OwnedRules;
  private readonly everybody: OwnedRules;
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
    this.clientid = new OwnedRules(store, 'authz_client_rules');
    this.username = new OwnedRules(store, 'authz_user_rules');
    this.everybody = new OwnedRules(store, 'authz_all_rules');
  }

  get all(): BuiltInRule[] {
    return this.everybody.get(ALL) ?? [];
  }

  set all(rules: BuiltInRule[]) {
    this.everybody.put(ALL, rules);
  }

  get compiledForAll(): readonly CompiledRule[] {
    return this.everybody.of(ALL);
  }

  removeAll(): Promise<void> {
    return this.everybody.clear();
  }

  async clear(): Promise<void> {
    await this.clientid.clear();
    await this.username.clear();
    await this.everybody.clear();
  }

  /** Settles when what was written is on disk. */
  flushed(): Promise<void> {
    return this.store.flushed();
  }
}
