import { Readable } from 'node:stream';
import { Download } from '../../http/handlers.ts';
import type { PasswordUser } from './built-in-database.ts';
import type { ScramUser } from './scram.ts';
import type { AuthnUsers, UserRecord } from './users.ts';

/** The form that import_users reads. */
export const exportPasswords = (users: AuthnUsers<PasswordUser>): Download =>
  csv(users, ['user_id', 'password_hash', 'salt', 'is_superuser'], (id, { hash, salt, superuser }) => [
    id,
    hash,
    salt,
    String(superuser),
  ]);

export const exportScram = (users: AuthnUsers<ScramUser>): Download =>
  csv(
    users,
    ['user_id', 'salt', 'iterations', 'stored_key', 'server_key', 'is_superuser'],
    (id, { salt, iterations, storedKey, serverKey, superuser }) => [
      id,
      salt,
      String(iterations),
      storedKey,
      serverKey,
      String(superuser),
    ],
  );

const csv = <T extends UserRecord>(
  users: AuthnUsers<T>,
  head: string[],
  row: (id: string, user: T) => string[],
): Download => new Download('users.csv', 'text/csv; charset=utf-8', Readable.from(lines(users, head, row)));

async function* lines<T extends UserRecord>(
  users: AuthnUsers<T>,
  head: string[],
  row: (id: string, user: T) => string[],
): AsyncGenerator<string> {
  yield `${head.join(',')}\r\n`;
  for await (const slice of users.records())
    yield slice.map(({ id, user }) => `${row(id, user).map(cell).join(',')}\r\n`).join('');
}

/** What a spreadsheet would compute gets a quote before it; the import takes it away. */
function cell(value: string): string {
  const covered = /^['=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(covered) ? `"${covered.replaceAll('"', '""')}"` : covered;
}
