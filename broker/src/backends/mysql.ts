import { parseServer } from '@mqdeck/contract/kit/servers';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import type { PoolConnection, PoolOptions, RowDataPacket } from 'mysql2/promise';
import type { BackendParts, Row, SqlBackend } from './backend.ts';
import { codeOf, networkReason } from './reasons.ts';
import { Sockets } from './sockets.ts';
import { milliseconds } from './timeouts.ts';
import { type TlsOptions, tlsOptions } from './tls.ts';
import { Watch } from './watch.ts';

const PORT = 3306;
const CONNECT_MS = 5000;

export interface MysqlConfig {
  server: string;
  database: string;
  username: string;
  password?: string | undefined;
  pool_size: number;
  ssl: SslClient;
  query_timeout?: string | number | undefined;
}

/** A pool of connections; statements are prepared once per connection. */
export function openMysql(config: MysqlConfig, { log, outbound }: BackendParts): SqlBackend {
  const { host, port: given } = parseServer(config.server)!; // the contract has checked it
  const port = given ?? PORT;
  const address = `${host}:${port}`;
  const tls = tlsOptions(config.ssl);
  const timeoutMs = milliseconds(config.query_timeout);
  // One that ends while nobody uses it may be the first to tell
  const sockets: Sockets = new Sockets(() => watch.checkSoon());
  const options: PoolOptions = {
    // The driver asks a certificate for the name of the host, whatever we say: so the host is the name
    host: tls?.servername ?? host,
    port,
    stream: () => sockets.add(outbound.connect({ host, port })),
    database: config.database,
    user: config.username,
    password: config.password ?? '',
    ...(tls && { ssl: sslOf(tls) }),
    connectionLimit: config.pool_size,
    connectTimeout: CONNECT_MS,
    waitForConnections: true,
    charset: 'utf8mb4',
  };
  const opening = import('mysql2/promise').then(({ createPool }) => createPool(options));

  /** On a connection that nobody else uses; one that did not answer is not used again. */
  const run = async <T>(signal: AbortSignal, task: (connection: PoolConnection) => Promise<T>) => {
    const connection = await (await opening).getConnection();
    const drop = () => connection.destroy();
    if (signal.aborted) drop();
    signal.addEventListener('abort', drop, { once: true });
    try {
      return await task(connection);
    } finally {
      signal.removeEventListener('abort', drop);
      if (!signal.aborted) connection.release();
    }
  };
  const watch: Watch = new Watch({
    name: `mysql ${address}`,
    log,
    check: (signal) => run(signal, (connection) => connection.ping()),
    explain: (error) => explained(error, config, address),
  });

  return {
    get status() {
      return watch.status;
    },
    get reason() {
      return watch.reason;
    },
    metrics: watch.metrics,
    query: (sql, values) =>
      watch.ask(timeoutMs, (signal) =>
        run(signal, async (connection): Promise<Row[]> => {
          const [rows] = await connection.execute<RowDataPacket[]>(sql, values as string[]);
          return rows;
        }),
      ),
    close: async () => {
      watch.close();
      const pool = await opening;
      const ended = pool.end().catch(() => undefined); // what it complains of is destroyed now
      sockets.destroy();
      await ended;
    },
  };
}

const sslOf = ({ checkServerIdentity, servername: _, ...options }: TlsOptions) => ({
  ...options,
  verifyIdentity: options.rejectUnauthorized === true && checkServerIdentity === undefined,
});

function explained(error: unknown, { username, database }: MysqlConfig, address: string): string {
  const network = networkReason(error, address);
  if (network !== null) return network;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  switch (code) {
    case 'ER_ACCESS_DENIED_ERROR':
    case 'ER_ACCESS_DENIED_NO_PASSWORD_ERROR':
      return `the server refused the password of user ${username}`;
    case 'ER_DBACCESS_DENIED_ERROR':
      return `the server refuses user ${username} the database ${database}`;
    case 'ER_BAD_DB_ERROR':
      return `there is no database ${database}`;
    case 'ER_CON_COUNT_ERROR':
      return 'the server has too many connections already';
    case 'ER_SERVER_SHUTDOWN':
      return 'the server was shut down';
    case 'HANDSHAKE_NO_SSL_SUPPORT':
      return `${address} does not speak TLS`;
    // Of the statement, not of its values: those come later
    case 'ER_NO_SUCH_TABLE':
    case 'ER_BAD_FIELD_ERROR':
    case 'ER_PARSE_ERROR':
    case 'ER_TABLEACCESS_DENIED_ERROR':
      return `the query cannot be run: ${message}`;
  }
  if (/closed state|Connection lost/i.test(message)) return `${address} ended the connection`;
  return code === null
    ? `${address} did not answer as MySQL does`
    : `the server answered with the error ${code}`;
}
