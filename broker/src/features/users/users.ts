import { CREDENTIAL_LENGTH_MAX } from '@mqdeck/contract/login';
import { DEFAULT_USER, USERNAME } from '@mqdeck/contract/users';
import type { Collection, Store } from '../../core/store/store.ts';

interface StoredUser {
  description: string;
  passwordHash: string;
}

/** The part of the login's password kit that users need. */
interface Hashing {
  hash(password: string): Promise<string>;
  matches(password: string, hash: string | undefined): Promise<boolean>;
}

/** Keeps who may sign in; `onCredentialsGone` hears of everybody whose tokens must die. */
export class Users {
  private readonly stored: Collection<StoredUser>;
  private readonly store: Store;
  private readonly hashing: Hashing;
  private readonly onCredentialsGone: (username: string) => void;

  constructor(store: Store, hashing: Hashing, onCredentialsGone: (username: string) => void) {
    this.store = store;
    this.stored = store.collection<StoredUser>('users');
    this.hashing = hashing;
    this.onCredentialsGone = onCredentialsGone;
  }

  /** At the first start there is one user. */
  async ensureDefault(password: string): Promise<void> {
    if (this.stored.count() > 0) return;
    const passwordHash = await this.hashing.hash(password);
    this.stored.put(DEFAULT_USER.username, { description: 'administrator', passwordHash });
    await this.store.flushed();
  }

  list(): { username: string; description: string }[] {
    return [...this.stored.range()].map(({ key, value }) => ({
      username: String(key),
      description: value.description,
    }));
  }

  has(username: string): boolean {
    return this.find(username) !== undefined;
  }

  get count(): number {
    return this.stored.count();
  }

  get(username: string): Readonly<StoredUser> | undefined {
    return this.find(username);
  }

  /** Adds him, or replaces what is there; on disk with the store's next group. */
  put(username: string, user: StoredUser): void {
    const before = this.find(username);
    this.stored.put(username, user);
    if (before && before.passwordHash !== user.passwordHash) this.onCredentialsGone(username);
  }

  /** False when the name is taken, also when somebody took it meanwhile. */
  async create(username: string, password: string, description: string): Promise<boolean> {
    if (this.has(username)) return false;
    const passwordHash = await this.hashing.hash(password);
    if (this.has(username)) return false;
    this.stored.put(username, { description, passwordHash });
    await this.store.flushed();
    return true;
  }

  async describe(username: string, description: string): Promise<boolean> {
    const user = this.find(username);
    if (!user) return false;
    this.stored.put(username, { ...user, description });
    await this.store.flushed();
    return true;
  }

  async checkPassword(username: string, password: string): Promise<boolean> {
    const hash = this.find(username)?.passwordHash;
    // A password changed meanwhile is checked against what it was: the answer must fit what is stored now.
    return (await this.hashing.matches(password, hash)) && this.find(username)?.passwordHash === hash;
  }

  async changePassword(username: string, password: string): Promise<void> {
    const passwordHash = await this.hashing.hash(password);
    const user = this.find(username);
    if (!user) return; // deleted meanwhile
    this.stored.put(username, { ...user, passwordHash });
    this.onCredentialsGone(username);
    await this.store.flushed();
  }

  async remove(username: string): Promise<void> {
    this.stored.remove(username);
    this.onCredentialsGone(username);
    await this.store.flushed();
  }

  /** Names that nobody can have never reach the store, which takes no key of any length. */
  private find(username: string): StoredUser | undefined {
    return isName(username) ? this.stored.get(username) : undefined;
  }
}

export const isName = (username: string): boolean =>
  username.length <= CREDENTIAL_LENGTH_MAX && USERNAME.test(username);
