import type {
  MysqlAuthenticator,
  PasswordHash,
  PostgresqlAuthenticator,
} from '@mqdeck/contract/authentication';
import type { BackendParts, SqlBackend } from '../../../backends/backend.ts';
import { openMysql } from '../../../backends/mysql.ts';
import { AUTHENTICATION_NAMES, parametersOf, toPrepared } from '../../../backends/placeholders.ts';
import { openPostgresql } from '../../../backends/postgresql.ts';
import type { Authenticator } from '../authenticator.ts';
import { asking, judged, NO_PASSWORD } from './asking.ts';

/** Users in a database of MySQL or MariaDB. */
export const openMysqlAuthenticator = (config: MysqlAuthenticator, deps: BackendParts): Authenticator =>
  fromSql(config, '?', () => openMysql(config, deps));

/** Users in a database of PostgreSQL. */
export const openPostgresqlAuthenticator = (
  config: PostgresqlAuthenticator,
  deps: BackendParts,
): Authenticator => fromSql(config, '$n', () => openPostgresql(config, deps));

const fromSql = (
  { query, password_hash_algorithm }: { query: string; password_hash_algorithm: PasswordHash },
  style: '?' | '$n',
  open: () => SqlBackend,
): Authenticator =>
  asking(() => {
    const prepared = toPrepared(query, { names: AUTHENTICATION_NAMES, path: 'query' }, style);
    const backend = open();
    return {
      backend,
      ask: async ({ password, peerhost }, values) => {
        if (password === null) return NO_PASSWORD;
        const [row] = await backend.query(prepared.sql, parametersOf(prepared, values));
        const user = row && {
          hash: row.password_hash ?? row.password,
          salt: row.salt,
          isSuperuser: row.is_superuser,
        };
        return judged(user ?? null, password, password_hash_algorithm, peerhost);
      },
    };
  });
