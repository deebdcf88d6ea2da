import type { AuthnUser } from '@mqdeck/contract/authentication';
import { isUserId } from '@mqdeck/contract/user-import';
import { removeAll } from '../../core/store/remove-all.ts';
import type { Collection, Key, Store } from '../../core/store/store.ts';
import { type PageOf, pageOf } from '../../paging/page.ts';
import { Turn } from '../../paging/turn.ts';

/** What is kept of a user beside his id; the rest is what his authenticator compares a proof with. */
export interface UserRecord {
  superuser: boolean;
}

interface Counts {
  total: number;
  superusers: number;
}

/** Which kind of proof: users of one kind are not those of another, whatever their ids. */
export const KINDS = { password: 0, scram: 1 } as const;

export interface UserQuery {
  page: number;
  limit: number;
  like_user_id?: string | undefined;
  is_superuser?: boolean | undefined;
}

const READ_AT_ONCE = 200;

/**
 * Keeps the users of one authenticator, and how many they are, in the store; of superusers an index beside, so that
 * few are found among many. Answers come from the highest id to the lowest, as in the real API.
 */
export class AuthnUsers<T extends UserRecord> {
  private readonly store: Store;
  private readonly chain: string;
  private readonly kind: number;
  private readonly users: Collection<T>;
  private readonly superusers: Collection<true>;
  private readonly counts: Collection<Counts>;

  constructor(store: Store, chain: string, kind: keyof typeof KINDS) {
    this.store = store;
    this.chain = chain;
    this.kind = KINDS[kind];
    this.users = store.collection('authn_users');
    this.superusers = store.collection('authn_superusers');
    this.counts = store.collection('authn_user_counts');
  }

  get count(): number {
    return this.counted.total;
  }

  get(id: string): T | undefined {
    return isUserId(id) ? this.users.get(this.key(id)) : undefined;
  }

  has(id: string): boolean {
    return isUserId(id) && this.users.has(this.key(id));
  }

  /** Adds the user, or replaces what is there; on disk with the store's next group. */
  put(id: string, user: T): void {
    this.putAll([[id, user]]);
  }

  /** Adds or replaces several users. They are counted once. */
  putAll(users: Iterable<readonly [id: string, user: T]>): void {
    let added = 0;
    let superusers = 0;
    for (const [id, user] of users) {
      const key = this.key(id);
      const old = this.users.get(key);
      this.users.put(key, user);
      if (user.superuser) this.superusers.put(key, true);
      else if (old?.superuser) this.superusers.remove(key);
      if (!old) added++;
      superusers += Number(user.superuser) - Number(old?.superuser ?? false);
    }
    this.add(added, superusers);
  }

  remove(id: string): boolean {
    const old = this.get(id);
    if (!old) return false;
    const key = this.key(id);
    this.users.remove(key);
    if (old.superuser) this.superusers.remove(key);
    this.add(-1, old.superuser ? -1 : 0);
    return true;
  }

  /** Other work has a turn in between. */
  async clear(): Promise<void> {
    const range = { start: [this.chain, this.kind], end: [this.chain, this.kind + 1] };
    await removeAll(this.store, this.superusers, { ...range, onRemoved: (count) => this.add(0, -count) });
    await removeAll(this.store, this.users, { ...range, onRemoved: (count) => this.add(-count, 0) });
    this.counts.remove([this.chain, this.kind]);
    await this.store.flushed();
  }

  /** Only a part of an id has to be looked for in each of them; then nobody counts. */
  async page({ like_user_id: like, is_superuser: wanted, ...query }: UserQuery): Promise<PageOf<AuthnUser>> {
    const { total, superusers } = this.counted;
    const isSuperuser = (id: string) => this.superusers.has(this.key(id));
    const matches = (id: string) =>
      (like === undefined || id.includes(like)) && (wanted !== false || !isSuperuser(id));
    const slices = this.slices(wanted === true ? this.superusers : this.users);
    const found = await pageOf<string>(query, {
      // A slice whose length is told may be skipped as a whole
      rows: wanted === false || like !== undefined ? unmeasured(slices) : slices,
      matches,
      counted: like === undefined,
      total:
        like !== undefined
          ? undefined
          : { all: total, superusers, others: total - superusers }[
              wanted === undefined ? 'all' : wanted ? 'superusers' : 'others'
            ],
    });
    const data = found.data.map((id) => ({ user_id: id, is_superuser: isSuperuser(id) }));
    return { data, meta: found.meta };
  }

  /** All there are, in slices for one turn each. */
  async *records(): AsyncGenerator<{ id: string; user: T }[]> {
    for await (const slice of this.slices(this.users))
      yield slice.flatMap((id) => {
        const user = this.get(id);
        return user ? [{ id, user }] : [];
      });
  }

  private async *slices(collection: Collection<unknown>): AsyncGenerator<string[]> {
    const turn = new Turn();
    const start: Key = [this.chain, this.kind];
    let end: Key = [this.chain, this.kind + 1];
    for (;;) {
      const keys: Key[] = [...collection.range({ start, end, limit: READ_AT_ONCE, reverse: true })].map(
        ({ key }) => key,
      );
      if (keys.length === 0) return;
      yield keys.map((key) => String((key as readonly (string | number)[])[2]));
      if (turn.over) await turn.next();
      end = keys.at(-1)!;
    }
  }

  private key(id: string): Key {
    return [this.chain, this.kind, id];
  }

  private get counted(): Counts {
    return this.counts.get([this.chain, this.kind]) ?? { total: 0, superusers: 0 };
  }

  private add(total: number, superusers: number): void {
    if (total === 0 && superusers === 0) return;
    const { counted } = this;
    this.counts.put([this.chain, this.kind], {
      total: counted.total + total,
      superusers: counted.superusers + superusers,
    });
  }
}

/** The chains that have users, and of which kind. */
export function chainsWithUsers(store: Store): { chain: string; kind: keyof typeof KINDS }[] {
  return [...store.collection<Counts>('authn_user_counts').range()].map(({ key }) => {
    const [chain, kind] = key as readonly (string | number)[];
    return { chain: String(chain), kind: kind === KINDS.scram ? 'scram' : 'password' };
  });
}

async function* unmeasured(slices: AsyncIterable<string[]>): AsyncGenerator<Iterable<string>> {
  for await (const slice of slices) yield { [Symbol.iterator]: () => slice.values() };
}
