import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';

import { fail } from '../../http/api-error.ts';

/** A salted hash with the cost it was made at: `scrypt$32768$8$1$<salt>$<key>`, in base64. */
export type PasswordHash = string;

const KEY_BYTES = 32;
const BLOCK_SIZE = 8;
const PARALLEL = 1;
/** 2^15 rounds over 32 MiB: some 80 ms of one core, the memory is what makes guessing dear. */
const SCRYPT_COST = 2 ** 15;
/** Hashes under way at once: each takes 32 MiB and a thread that the store needs as well. */
const LANES = 2;
/** Who comes when so many wait already is sent away: some seconds of work, and a flood shall not become minutes. */
const WAITING_MAX = 100;

export interface Passwords {
  hash(password: string): Promise<PasswordHash>;
  /** Takes the same time without a hash (an unknown user) as with one, and is then false. */
  matches(password: string, hash: PasswordHash | undefined): Promise<boolean>;
}

/** Dearer ones than ours are taken over from elsewhere; beyond that a sign-in would keep everybody waiting. */
const TAKEN_OVER_MAX = { rounds: 2 ** 17, blockSize: 16, parallel: 4 } as const;
const BASE64 = /^[A-Za-z0-9+/]{8,200}={0,2}$/;

/** Whether a text from elsewhere is the hash of some password. */
export function isPasswordHash(hash: string): boolean {
  const [kind, ...rest] = hash.split('$');
  const [rounds, r, p] = rest.slice(0, 3).map((part) => (/^\d{1,7}$/.test(part) ? Number(part) : 0));
  if (kind !== 'scrypt' || rest.length !== 5 || !rounds || !r || !p) return false;
  if (!rest.slice(3).every((part) => BASE64.test(part)) || (rounds & (rounds - 1)) !== 0) return false;
  if (Buffer.from(rest[4]!, 'base64').length !== KEY_BYTES || rounds < 2) return false;
  return rounds <= TAKEN_OVER_MAX.rounds && r <= TAKEN_OVER_MAX.blockSize && p <= TAKEN_OVER_MAX.parallel;
}

export function createPasswords(cost: number = SCRYPT_COST): Passwords {
  const inLane = lanes(LANES);
  const derive = (password: string, salt: Buffer, rounds: number, r: number, p: number) =>
    inLane(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          const maxmem = 256 * (rounds + 16) * r; // twice what it takes
          scrypt(password, salt, KEY_BYTES, { N: rounds, r, p, maxmem }, (error, key) =>
            error ? reject(error) : resolve(key),
          );
        }),
    );
  const nobody = encode(cost, BLOCK_SIZE, PARALLEL, randomBytes(16), randomBytes(KEY_BYTES));
  return {
    async hash(password) {
      const salt = randomBytes(16);
      return encode(
        cost,
        BLOCK_SIZE,
        PARALLEL,
        salt,
        await derive(password, salt, cost, BLOCK_SIZE, PARALLEL),
      );
    },
    async matches(password, hash) {
      const { rounds, r, p, salt, key } = decode(hash ?? nobody);
      const same = timingSafeEqual(await derive(password, salt, rounds, r, p), key);
      return same && hash !== undefined;
    },
  };
}

const encode = (rounds: number, r: number, p: number, salt: Buffer, key: Buffer): PasswordHash =>
  ['scrypt', rounds, r, p, salt.toString('base64'), key.toString('base64')].join('$');

function decode(hash: PasswordHash) {
  const [kind, rounds, r, p, salt, key] = hash.split('$');
  if (kind !== 'scrypt' || !salt || !key) throw new Error('A stored password is not a scrypt hash');
  return {
    rounds: Number(rounds),
    r: Number(r),
    p: Number(p),
    salt: Buffer.from(salt, 'base64'),
    key: Buffer.from(key, 'base64'),
  };
}

/** Runs so many tasks at a time, the others in the order they came. */
function lanes(count: number): <T>(task: () => Promise<T>) => Promise<T> {
  let free = count;
  const waiting: (() => void)[] = [];
  return async (task) => {
    if (waiting.length >= WAITING_MAX) fail('SERVICE_UNAVAILABLE', 'Too many logins at once');
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else free++;
    }
  };
}
