import { randomBytes } from 'node:crypto';
import { type AuthenticatorConfig, WITH_USERS } from '@mqdeck/contract/authentication';
import type { BackendParts } from '../../backends/backend.ts';
import type { Store } from '../../core/store/store.ts';
import type { OpenFor } from './authentication.ts';
import { openHttpAuthenticator } from './backends/http.ts';
import { openMongodbAuthenticator } from './backends/mongodb.ts';
import { openRedisAuthenticator } from './backends/redis.ts';
import { openMysqlAuthenticator, openPostgresqlAuthenticator } from './backends/sql.ts';
import { openBuiltInDatabase, type PasswordUser } from './built-in-database.ts';
import type { AnyAuthenticator } from './chain.ts';
import { openJwt } from './jwt.ts';
import { openScram, type ScramUser } from './scram.ts';
import { AuthnUsers, chainsWithUsers, type KINDS } from './users.ts';

const DISGUISE_BYTES = 32;

/** The users of each chain; those of password_based and of scram are different ones. */
export class Users {
  private readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }

  passwords(chain: string): AuthnUsers<PasswordUser> {
    return new AuthnUsers(this.store, chain, 'password');
  }

  scram(chain: string): AuthnUsers<ScramUser> {
    return new AuthnUsers(this.store, chain, 'scram');
  }

  /** The chains that have users, and of which kind. */
  get inUse(): { chain: string; kind: keyof typeof KINDS }[] {
    return chainsWithUsers(this.store);
  }

  /** Of an authenticator that is no more. */
  async forget(chain: string, id: string): Promise<void> {
    if (id === WITH_USERS[0]) await this.passwords(chain).clear();
    if (id === WITH_USERS[1]) await this.scram(chain).clear();
  }

  /** Null for a store in memory. */
  get folder(): string | null {
    return this.store.folder;
  }

  /** Settles when what was written is on disk. */
  flushed(): Promise<void> {
    return this.store.flushed();
  }

  /** The same at every start, or a restart would show which salts are invented. */
  get disguise(): Uint8Array {
    const secrets = this.store.collection<Uint8Array>('authn_secrets');
    const stored = secrets.get('scram');
    if (stored) return stored;
    const made = randomBytes(DISGUISE_BYTES);
    secrets.put('scram', made);
    return made;
  }
}

/** Which configuration opens what. */
export const authenticators =
  (users: Users, parts: BackendParts): OpenFor =>
  (chain) =>
  (config: AuthenticatorConfig): AnyAuthenticator => {
    if (config.enable) parts.outbound.checkConfig(config);
    if (config.mechanism === 'jwt') return openJwt(config, parts);
    if (config.mechanism === 'scram') return openScram(config, users.scram(chain), users.disguise);
    switch (config.backend) {
      case 'built_in_database':
        return openBuiltInDatabase(config, users.passwords(chain));
      case 'mysql':
        return openMysqlAuthenticator(config, parts);
      case 'postgresql':
        return openPostgresqlAuthenticator(config, parts);
      case 'mongodb':
        return openMongodbAuthenticator(config, parts);
      case 'redis':
        return openRedisAuthenticator(config, parts);
      case 'http':
        return openHttpAuthenticator(config, parts);
    }
  };
