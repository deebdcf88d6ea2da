import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { parseServer } from '@mqdeck/contract/kit/servers';
import type { SslClient } from '@mqdeck/contract/kit/ssl';
import type { PoolConfig } from 'pg';
import type { BackendParts, Row, SqlBackend } from './backend.ts';
import type { OutboundPolicy } from './outbound.ts';
import { codeOf, networkReason } from './reasons.ts';
import { Sockets } from './sockets.ts';
import { milliseconds } from './timeouts.ts';
import { tlsOptions } from './tls.ts';
import { Watch } from './watch.ts';

const PORT = 5432;
const CONNECT_MS = 5000;

export interface PostgresqlConfig {
  server: string;
  database: string;
  username: string;
  password?: string | undefined;
  pool_size: number;
  ssl: SslClient;
  query_timeout?: string | number | undefined;
  disable_prepared_statements: boolean;
}

/** A pool of connections; statements are prepared once per connection unless that is disabled. */
export function openPostgresql(config: PostgresqlConfig, { log, outbound }: BackendParts): SqlBackend {
  const { host, port } = addressOf(config.server);
  const address = `${host}:${port}`;
  const tls = tlsOptions(config.ssl);
  const timeoutMs = milliseconds(config.query_timeout);
  // One that ends while nobody uses it may be the first to tell
  const sockets: Sockets = new Sockets(() => watch.checkSoon());
  const options: PoolConfig = {
    // The driver asks a certificate for the name of the host, whatever we say: so the host is the name
    host: tls?.servername ?? host,
    port,
    stream: () => sockets.add(socketTo(host, port, outbound)),
    database: config.database,
    user: config.username,
    password: () => config.password ?? '', // a function, or the driver would look for one elsewhere
    ssl: tls ?? false,
    max: config.pool_size,
    connectionTimeoutMillis: Math.min(CONNECT_MS, timeoutMs),
    idleTimeoutMillis: 0,
    query_timeout: timeoutMs,
    keepAlive: true,
    application_name: 'mqdeck',
    onConnect: async (client) => {
      // What nobody waits for any more shall not keep the server busy
      await client.query(`SET statement_timeout = ${timeoutMs}`);
    },
  };
  const opening = import('pg').then(({ default: pg }) => {
    const pool = new pg.Pool(options);
    pool.on('error', () => watch.checkSoon());
    return pool;
  });
  const watch: Watch = new Watch({
    name: `postgresql ${address}`,
    log,
    check: async () => {
      await (await opening).query('SELECT 1');
    },
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
      watch.ask(timeoutMs, async () => {
        const name = config.disable_prepared_statements ? null : nameOf(sql);
        const pool = await opening;
        const { rows } = await pool.query<Row>({ text: sql, values: [...values], ...(name && { name }) });
        return rows;
      }),
    close: async () => {
      watch.close();
      const ended = (await opening).end();
      sockets.destroy();
      await ended;
    },
  };
}

/** By which a connection knows a statement that it has prepared. */
const nameOf = (sql: string): string => createHash('sha256').update(sql).digest('hex').slice(0, 32);

function addressOf(server: string): { host: string; port: number } {
  const { host, port } = parseServer(server)!; // the contract has checked it
  return { host, port: port ?? PORT };
}

/** A socket that connects there, whatever it is told. */
function socketTo(host: string, port: number, outbound: OutboundPolicy): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  socket.connect = () => {
    const denial = outbound.denialOf(host);
    return denial === null ? connect({ host, port, lookup: outbound.lookup }) : socket.destroy(denial);
  };
  return socket;
}

function explained(error: unknown, { username, database }: PostgresqlConfig, address: string): string {
  const network = networkReason(error, address);
  if (network !== null) return network;
  const code = codeOf(error);
  const message = error instanceof Error ? error.message : '';
  switch (code) {
    case '28P01':
      return `the server refused the password of user ${username}`;
    case '28000':
      return `the server refused user ${username}`;
    case '3D000':
      return `there is no database ${database}`;
    case '53300':
      return 'the server has too many connections already';
    case '57014':
      return 'the server ended the query: it took too long';
    case '57P01':
    case '57P02':
      return 'the server was shut down';
    case '57P03':
      return 'the server is starting up or shutting down';
  }
  // Of the statement, not of its values: those come later
  if (code?.startsWith('42')) return `the query cannot be run: ${message}`;
  if (code !== null) return `the server answered with the error ${code}`;
  if (/timeout/i.test(message)) return `no answer from ${address} in time`;
  if (/SSL/.test(message)) return `${address} does not speak TLS`;
  if (/terminated/i.test(message)) return `${address} ended the connection`;
  return `${address} did not answer as PostgreSQL does`;
}
