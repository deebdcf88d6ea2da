import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Collection, Store } from '../../core/store/store.ts';
import { newKey, newSecret } from './secrets.ts';

interface StoredKey {
  apiKey: string;
  secretHash: string;
  desc: string;
  enable: boolean;
  expiredAt: number | null; // epoch seconds; null = never
  createdAt: number; // epoch ms
}
export type KeyFacts = Omit<StoredKey, 'secretHash'> & { name: string; expired: boolean };
export type KeyChange = Partial<Pick<StoredKey, 'desc' | 'enable' | 'expiredAt'>>;

/** The part of the login's password kit that keys need. */
interface Hashing {
  hash(secret: string): Promise<string>;
  matches(secret: string, hash: string | undefined): Promise<boolean>;
}

/**
 * Keeps the API keys, their secrets only as hashes. In memory it remembers, under a key that no other process has,
 * the digest of each secret that was right: a scraper pays for the slow hash once. Changed here only.
 */
export class ApiKeys {
  private readonly store: Store;
  private readonly stored: Collection<StoredKey>;
  private readonly hashing: Hashing;
  private readonly now: () => number;
  private readonly names = new Map<string, string>(); // by API key
  private readonly proven = new Map<string, Buffer>(); // by API key
  private readonly digestKey = randomBytes(32);

  constructor(store: Store, hashing: Hashing, now: () => number = Date.now) {
    this.store = store;
    this.hashing = hashing;
    this.now = now;
    this.stored = store.collection<StoredKey>('api_keys');
    for (const { key, value } of this.stored.range()) this.names.set(value.apiKey, String(key));
  }

  /** The oldest first. */
  list(): KeyFacts[] {
    return [...this.stored.range()]
      .map(({ key, value }) => this.facts(String(key), value))
      .sort((a, b) => a.createdAt - b.createdAt);
  }

  get(name: string): KeyFacts | undefined {
    const found = this.stored.get(name);
    return found && this.facts(name, found);
  }

  /** Null when the name is taken, also when somebody took it meanwhile. */
  async create(name: string, change: KeyChange): Promise<{ key: KeyFacts; secret: string } | null> {
    if (this.stored.has(name)) return null;
    const secret = newSecret();
    const secretHash = await this.hashing.hash(secret);
    if (this.stored.has(name)) return null;
    const { desc = '', enable = true, expiredAt = null } = change;
    const made = { apiKey: this.freeKey(), secretHash, desc, enable, expiredAt, createdAt: this.now() };
    this.stored.put(name, made);
    this.names.set(made.apiKey, name);
    await this.store.flushed();
    return { key: this.facts(name, made), secret };
  }

  async update(name: string, change: KeyChange): Promise<KeyFacts | undefined> {
    const found = this.stored.get(name);
    if (!found) return undefined;
    const changed = { ...found, ...change };
    this.stored.put(name, changed);
    this.proven.delete(found.apiKey);
    await this.store.flushed();
    return this.facts(name, changed);
  }

  nameOf(apiKey: string): string | undefined {
    return this.names.get(apiKey);
  }

  /** As it is kept. */
  record(name: string): Readonly<StoredKey> | undefined {
    return this.stored.get(name);
  }

  /** Adds it, or replaces what is there; on disk with the store's next group. No two names have one key. */
  put(name: string, key: StoredKey): void {
    const before = this.stored.get(name);
    if (before) this.names.delete(before.apiKey);
    const other = this.names.get(key.apiKey);
    if (other !== undefined) this.stored.remove(other);
    this.stored.put(name, key);
    this.names.set(key.apiKey, name);
    this.proven.delete(key.apiKey);
    if (before) this.proven.delete(before.apiKey);
  }

  /** False when there is none of that name. */
  async remove(name: string): Promise<boolean> {
    const found = this.stored.get(name);
    if (!found) return false;
    this.stored.remove(name);
    this.names.delete(found.apiKey);
    this.proven.delete(found.apiKey);
    await this.store.flushed();
    return true;
  }

  /** Whether key and secret may act now, when this secret was found right before; null when that is not known. */
  recall(apiKey: string, secret: string): boolean | null {
    const digest = this.proven.get(apiKey);
    if (!digest || !timingSafeEqual(digest, this.digest(apiKey, secret))) return null;
    return this.mayAct(apiKey);
  }

  /**
   * Whether the secret is that of the key, and whether the key may act now. Takes its time, for keys that nobody has
   * too, and keeps what it found out for `recall`.
   */
  async weigh(apiKey: string, secret: string): Promise<{ right: boolean; mayAct: boolean }> {
    const hash = this.find(apiKey)?.secretHash;
    // A key deleted meanwhile is refused: the answer must fit what is stored now.
    const right = (await this.hashing.matches(secret, hash)) && this.find(apiKey)?.secretHash === hash;
    if (right) this.proven.set(apiKey, this.digest(apiKey, secret));
    return { right, mayAct: right && this.mayAct(apiKey) };
  }

  private mayAct(apiKey: string): boolean {
    const found = this.find(apiKey);
    return found?.enable === true && !this.isOver(found);
  }

  private isOver({ expiredAt }: StoredKey): boolean {
    return expiredAt !== null && expiredAt * 1000 <= this.now();
  }

  private find(apiKey: string): StoredKey | undefined {
    const name = this.names.get(apiKey);
    return name === undefined ? undefined : this.stored.get(name);
  }

  private facts(name: string, stored: StoredKey): KeyFacts {
    const { secretHash: _, ...facts } = stored;
    return { name, ...facts, expired: this.isOver(stored) };
  }

  private freeKey(): string {
    const made = newKey();
    return this.names.has(made) ? this.freeKey() : made;
  }

  private digest(apiKey: string, secret: string): Buffer {
    return createHmac('sha256', this.digestKey).update(`${apiKey}:${secret}`).digest();
  }
}
