import type { mysqlShape, pgsqlShape } from '@mqdeck/contract/bridges/sql';
import type * as z from 'zod/mini';
import { BackendError, type SqlBackend } from '../../../backends/backend.ts';
import { openMysql } from '../../../backends/mysql.ts';
import { openPostgresql } from '../../../backends/postgresql.ts';
import { codeOf } from '../../../backends/reasons.ts';
import { DeliveryError, type Driver, type DriverContext, type Row } from '../../../resources/driver.ts';
import { type SqlParameter, type SqlStatement, sqlStatement } from './statement.ts';

export type MysqlConfig = { [K in keyof typeof mysqlShape]: z.output<(typeof mysqlShape)[K]> };
export type PgsqlConfig = { [K in keyof typeof pgsqlShape]: z.output<(typeof pgsqlShape)[K]> };

export function mysqlDriver(config: MysqlConfig, context: DriverContext): Driver {
  const statement = sqlStatement(config.sql, () => '?');
  return sqlDriver(
    () => openMysql(config, context),
    statement,
    (code) => MYSQL_OF_ROWS.test(code),
  );
}

/** PostgreSQL, and what speaks like it. */
export function pgsqlDriver(config: PgsqlConfig, context: DriverContext): Driver {
  const statement = sqlStatement(config.sql, (number) => `$${number}`);
  return sqlDriver(
    () => openPostgresql(config, context),
    statement,
    (code) => PGSQL_OF_ROWS.test(code),
  );
}

/** Errors that are the rows' own: what is wrong with them stays wrong. Others may be mended at the server. */
const PGSQL_OF_ROWS = /^(?:22|23)/;
const MYSQL_OF_ROWS =
  /^ER_(?:DUP_ENTRY|BAD_NULL|DATA_TOO_LONG|TRUNCATED|WARN_DATA|NO_DEFAULT|ROW_IS_REFERENCED|NO_REFERENCED|CHECK_CONSTRAINT|INVALID_JSON|WRONG_VALUE|DIVISION)/;

function sqlDriver(
  open: () => SqlBackend,
  statement: SqlStatement,
  isOfRows: (code: string) => boolean,
): Driver {
  let backend: SqlBackend | null = null;

  async function run(text: string, values: SqlParameter[]): Promise<void> {
    if (backend === null) throw new DeliveryError('it is not open', true);
    try {
      await backend.query(text, values);
    } catch (cause) {
      const code = cause instanceof BackendError ? codeOf(cause.cause) : null;
      const message = cause instanceof Error ? cause.message : 'it failed';
      throw new DeliveryError(message, code === null || !isOfRows(code));
    }
  }

  /** One after the other, so that a row that is wrong takes no other with it. */
  async function alone(rows: readonly Row[]): Promise<number> {
    let refused = 0;
    for (const row of rows) {
      try {
        await run(statement.text, statement.values(row));
      } catch (cause) {
        if (!(cause instanceof DeliveryError) || cause.recoverable || rows.length === 1) throw cause;
        refused++;
      }
    }
    return refused;
  }

  return {
    async open() {
      backend = open();
      await backend.query('SELECT 1', []);
    },
    async check() {
      await backend?.query('SELECT 1', []);
    },
    async deliver(rows) {
      const many = rows.length > 1 ? statement.many(rows) : null;
      if (many === null) return alone(rows);
      try {
        await run(many.text, many.values);
        return 0;
      } catch (cause) {
        if (!(cause instanceof DeliveryError) || cause.recoverable) throw cause;
        return alone(rows);
      }
    },
    async close() {
      await backend?.close();
      backend = null;
    },
  };
}
