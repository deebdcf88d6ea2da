import { randomBytes, randomUUID } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import type { Collection, Store } from '../../core/store/store.ts';

/** What is known of a token that was given out; the token itself is not kept. */
interface StoredToken {
  username: string;
  expiresAt: number; // epoch ms, moved by every use
}

export type TokenVerdict =
  | { username: string; tokenId: string }
  | 'unknown' // never given out, forged, or dead
  | 'expired';

const ISSUER = 'mqdeck';
/** An expired token is told from an unknown one for so long. */
const EXPIRED_KEPT_MS = 24 * 3600 * 1000;
/** The longest-unused tokens of a user die first when he has more than this. */
const TOKENS_PER_USER_MAX = 1000;
/** Uses closer together than this are not written down one by one. */
const WRITE_EVERY_MS = 1000;

/** Keeps the tokens that are alive, in memory and in the store; everything about them is changed here only. */
export class Tokens {
  private readonly lifeMs: () => number;
  private readonly now: () => number;
  private readonly store: Store;
  private readonly key: Uint8Array;
  private readonly stored: Collection<StoredToken>;
  private readonly known = new Map<string, StoredToken>();
  /** Tokens whose signature has been verified, and the ids that they carry: each is verified once. */
  private readonly verifiedIds = new Map<string, string>();

  constructor(store: Store, lifeMs: () => number, now: () => number = Date.now) {
    this.lifeMs = lifeMs;
    this.now = now;
    this.store = store;
    this.key = signingKey(store);
    this.stored = store.collection<StoredToken>('tokens');
    for (const { key, value } of this.stored.range()) this.known.set(key as string, value);
  }

  async issue(username: string): Promise<string> {
    this.forgetOld(username);
    const tokenId = randomUUID();
    const expiresAt = this.now() + this.lifeMs();
    this.keep(tokenId, { username, expiresAt });
    // `exp` is in milliseconds, as the real API writes it; what counts is the expiry kept here.
    return new SignJWT({ exp: expiresAt, jti: tokenId })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(ISSUER)
      .sign(this.key);
  }

  /** Whose token it is; using it prolongs its life. */
  async use(token: string): Promise<TokenVerdict> {
    const tokenId = this.verifiedIds.get(token) ?? (await this.verified(token));
    const found = tokenId === null ? undefined : this.known.get(tokenId);
    if (tokenId === null || !found) return 'unknown';
    this.verifiedIds.set(token, tokenId);
    const now = this.now();
    if (found.expiresAt <= now) return 'expired';
    const expiresAt = now + this.lifeMs();
    if (Math.abs(expiresAt - found.expiresAt) > WRITE_EVERY_MS) this.keep(tokenId, { ...found, expiresAt });
    return { username: found.username, tokenId };
  }

  /** Dead at once, and dead after a crash too when this settles. */
  async end(tokenId: string): Promise<void> {
    this.remove(tokenId);
    await this.store.flushed();
  }

  removeAllOf(username: string): void {
    for (const [tokenId, token] of this.known) if (token.username === username) this.remove(tokenId);
  }

  private remove(tokenId: string): void {
    this.known.delete(tokenId);
    this.stored.remove(tokenId);
    for (const [token, id] of this.verifiedIds) if (id === tokenId) this.verifiedIds.delete(token);
  }

  private keep(tokenId: string, token: StoredToken): void {
    this.known.set(tokenId, token);
    this.stored.put(tokenId, token);
  }

  private async verified(token: string): Promise<string | null> {
    try {
      const { payload } = await jwtVerify(token, this.key, {
        algorithms: ['HS256'],
        issuer: ISSUER,
        currentDate: new Date(0), // the expiry that counts is not the token's own
      });
      return payload.jti ?? null;
    } catch (error) {
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }

  private forgetOld(username: string): void {
    const own: [string, StoredToken][] = [];
    for (const [tokenId, token] of this.known) {
      if (token.expiresAt < this.now() - EXPIRED_KEPT_MS) this.remove(tokenId);
      else if (token.username === username) own.push([tokenId, token]);
    }
    own.sort(([, a], [, b]) => b.expiresAt - a.expiresAt);
    for (const [tokenId] of own.slice(TOKENS_PER_USER_MAX - 1)) this.remove(tokenId);
  }
}

/** The key outlives restarts, or every operator would have to sign in again. */
function signingKey(store: Store): Uint8Array {
  const keys = store.collection<Uint8Array>('keys');
  const kept = keys.get('tokens');
  if (kept) return kept;
  const made = new Uint8Array(randomBytes(32));
  keys.put('tokens', made);
  return made;
}
