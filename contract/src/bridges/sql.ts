import * as z from 'zod/mini';
import { server } from '../kit/servers.ts';
import { sslClient } from '../kit/ssl.ts';
import { flag, intBetween, secret, text } from '../kit/values.ts';

const INSERT = 'insert into t_mqtt_msg(msgid, topic, qos, payload, arrived)';
export const MYSQL_INSERT = `${INSERT} values (\${id}, \${topic}, \${qos}, \${payload}, FROM_UNIXTIME(\${timestamp}/1000))`;
export const PGSQL_INSERT = `${INSERT} values (\${id}, \${topic}, \${qos}, \${payload}, TO_TIMESTAMP((\${timestamp} :: bigint)/1000))`;

const common = {
  server,
  database: z.string().check(z.minLength(1)),
  password: z.optional(secret),
  pool_size: z._default(intBetween(1, 1024), 8),
  /** Always so: kept for those who send it back. */
  auto_reconnect: z._default(flag, true),
  ssl: sslClient,
};
/** `${…}` become values of a prepared statement: nothing of a message ever becomes SQL. */
const statement = z.string().check(z.minLength(1), z.maxLength(64 * 1024));

export const mysqlShape = {
  ...common,
  username: z._default(text, 'root'),
  sql: z._default(statement, MYSQL_INSERT),
};

/** Also of TimescaleDB and MatrixDB, which speak the same. */
export const pgsqlShape = {
  ...common,
  username: z._default(text, 'postgres'),
  sql: z._default(statement, PGSQL_INSERT),
  disable_prepared_statements: z._default(flag, false),
};
