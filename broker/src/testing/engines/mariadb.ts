import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { findProgram, freePort, ownFolder, Runner, removeFolder, runToEnd, userFor } from './engine.ts';
import type { SqlEngine } from './postgresql.ts';

export const MARIADB_PROGRAMS = ['mariadb-install-db', 'mariadbd'] as const;
export const MARIADB = { database: 'mqtt', username: 'mqtt', password: 'canary-mariadb-9' };

/** MariaDB with a database and a user who may everything in it. */
export async function startMariadb(): Promise<SqlEngine> {
  const as = userFor('mysql');
  const folder = ownFolder('mariadb', as);
  const data = join(folder, 'data');
  await runToEnd(
    findProgram('mariadb-install-db')!,
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    as,
  );
  const port = await freePort();
  const socket = join(folder, 's');
  const runner = new Runner({
    command: findProgram('mariadbd')!,
    args: [
      '--no-defaults',
      `--datadir=${data}`,
      `--port=${port}`,
      `--socket=${socket}`,
      `--pid-file=${join(folder, 'pid')}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=16M',
      '--skip-name-resolve',
    ],
    as,
    ready: /ready for connections/,
  });
  await runner.start();
  const run = async (sql: string) => {
    const connection = await createConnection({ socketPath: socket, user: 'root', multipleStatements: true });
    await connection.query(sql);
    await connection.end();
  };
  const { database, username, password } = MARIADB;
  await run(
    `CREATE DATABASE ${database}; CREATE USER '${username}'@'%' IDENTIFIED BY '${password}'; GRANT ALL ON ${database}.* TO '${username}'@'%'`,
  );
  return {
    port,
    address: `127.0.0.1:${port}`,
    run: (sql) => run(`USE ${database}; ${sql}`),
    kill: () => runner.kill(),
    start: () => runner.start(),
    close: async () => {
      await runner.kill();
      removeFolder(folder);
    },
  };
}
