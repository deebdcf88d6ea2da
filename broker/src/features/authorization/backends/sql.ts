import type { MysqlSource, PostgresqlSource } from '@mqdeck/contract/authorization';
import type { BackendParts, SqlBackend } from '../../../backends/backend.ts';
import { openMysql } from '../../../backends/mysql.ts';
import { AUTHORIZATION_NAMES, parametersOf, toPrepared } from '../../../backends/placeholders.ts';
import { openPostgresql } from '../../../backends/postgresql.ts';
import type { Source } from '../source.ts';
import { asking } from './asking.ts';
import { Rows } from './rows.ts';

/** Rules in a database of MySQL or MariaDB. */
export const openMysqlSource = (config: MysqlSource, deps: BackendParts): Source =>
  fromSql(config, '?', deps, () => openMysql(config, deps));

/** Rules in a database of PostgreSQL. */
export const openPostgresqlSource = (config: PostgresqlSource, deps: BackendParts): Source =>
  fromSql(config, '$n', deps, () => openPostgresql(config, deps));

const fromSql = (
  { query, type }: { query: string; type: string },
  style: '?' | '$n',
  { log }: BackendParts,
  open: () => SqlBackend,
): Source =>
  asking(() => {
    const prepared = toPrepared(query, { names: AUTHORIZATION_NAMES, path: 'query' }, style);
    const backend = open();
    const rows = new Rows(log, type);
    return {
      backend,
      ask: async (values, who, request) =>
        rows.judge(await backend.query(prepared.sql, parametersOf(prepared, values)), who, request),
    };
  });
