import { chownSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import {
  type Engine,
  findProgram,
  freePort,
  ownFolder,
  Runner,
  removeFolder,
  runToEnd,
  userFor,
} from './engine.ts';

export const POSTGRESQL_PROGRAMS = ['initdb', 'postgres'] as const;
export const POSTGRESQL = { database: 'postgres', username: 'postgres', password: 'canary-postgres-9' };

export interface SqlEngine extends Engine {
  run(sql: string): Promise<void>;
}

/** PostgreSQL with its superuser; `certificate` in PEM form makes it speak TLS, too. */
export async function startPostgresql(certificate?: { cert: string; key: string }): Promise<SqlEngine> {
  const as = userFor('postgres');
  const folder = ownFolder('postgresql', as);
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    if (as.uid !== undefined && as.gid !== undefined) chownSync(path, as.uid, as.gid);
    return path;
  };
  const data = join(folder, 'data');
  const pwfile = file('password', POSTGRESQL.password);
  const access = ['--username', POSTGRESQL.username, '--auth=scram-sha-256', `--pwfile=${pwfile}`];
  await runToEnd(
    findProgram('initdb')!,
    ['-D', data, '--no-sync', '--encoding=UTF8', '--locale=C', ...access],
    as,
  );
  const port = await freePort();
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    fsync: 'off',
    ...(certificate && {
      ssl: 'on',
      ssl_cert_file: file('cert.pem', certificate.cert),
      ssl_key_file: file('key.pem', certificate.key),
    }),
  };
  const runner = new Runner({
    command: findProgram('postgres')!,
    args: [
      '-D',
      data,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    as,
    ready: /database system is ready to accept connections/,
    killSignal: 'SIGQUIT', // at once, and its children with it
  });
  await runner.start();
  const { username: user, ...access2 } = POSTGRESQL;
  return {
    port,
    address: `127.0.0.1:${port}`,
    run: async (sql) => {
      const client = new pg.Client({ host: '127.0.0.1', port, user, ...access2, ssl: false });
      await client.connect();
      await client.query(sql);
      await client.end();
    },
    kill: () => runner.kill(),
    start: () => runner.start(),
    close: async () => {
      await runner.kill();
      removeFolder(folder);
    },
  };
}
