import * as z from 'zod/mini';
import { isName, type Users } from './users.ts';

/** Who may sign in, with the hashes of their passwords. */
export const usersBacked = (users: Users, isPasswordHash: (hash: string) => boolean) => ({
  kind: 'users',
  row: z.strictObject({
    username: z.string().check(z.refine(isName, 'it is no name of a user')),
    description: z.string().check(z.maxLength(10_000)),
    password_hash: z.string().check(z.refine(isPasswordHash, 'it is no hash of a password')),
  }),
  *rows() {
    for (const { username } of users.list()) {
      const user = users.get(username);
      if (user) yield rowOf(username, user);
    }
  },
  find({ username }: { username: string }) {
    const user = users.get(username);
    return user && rowOf(username, user);
  },
  put({ username, description, password_hash: passwordHash }: ReturnType<typeof rowOf>): void {
    users.put(username, { description, passwordHash });
  },
});

const rowOf = (username: string, user: { description: string; passwordHash: string }) => ({
  username,
  description: user.description,
  password_hash: user.passwordHash,
});
