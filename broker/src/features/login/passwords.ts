import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { FairQueue } from '../../fair-queue.ts';
import { ApiError, apiError } from '../../http/api-error.ts';

/** A salted hash with the cost it was made at: `scrypt$32768$8$1$<salt>$<key>`, in base64. */
export type PasswordHash = string;

/** Hashes under way at once: each takes 32 MiB and a thread that the store needs as well. */
const LANES = 2;
/** Some seconds of work from each address, and so many requests in memory. */
const WAITING_PER_ADDRESS_MAX = 100;
const WAITING_MAX = 1000;
/** The key of new hashes: they are made for operators who are signed in. */
const NEW_HASHES = '';

const KEY_BYTES = 32;
const BLOCK_SIZE = 8;
const PARALLEL = 1;
/** 2^15 rounds over 32 MiB: some 80 ms of one core, the memory is what makes guessing dear. */
const SCRYPT_COST = 2 ** 15;
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

/** For the hashes of passwords and secrets alike. */
export const hashQueue = (): FairQueue =>
  new FairQueue({
    lanes: LANES,
    waitingMax: WAITING_MAX,
    waitingPerKeyMax: WAITING_PER_ADDRESS_MAX,
    onFull: () => {
      const { code, message, statusCode } = apiError('SERVICE_UNAVAILABLE', 'Too many logins at once');
      return new ApiError(code, message, statusCode, { 'retry-after': '10' });
    },
  });

/** New hashes wait in the queue; `matches` is for attempts, which wait there by address. */
export function createPasswords(queue: FairQueue, cost: number = SCRYPT_COST): Passwords {
  const derive = (password: string, salt: Buffer, rounds: number, r: number, p: number) =>
    new Promise<Buffer>((resolve, reject) => {
      const maxmem = 256 * (rounds + 16) * r; // twice what it takes
      scrypt(password, salt, KEY_BYTES, { N: rounds, r, p, maxmem }, (error, key) =>
        error ? reject(error) : resolve(key),
      );
    });
  const nobody = encode(cost, BLOCK_SIZE, PARALLEL, randomBytes(16), randomBytes(KEY_BYTES));
  return {
    async hash(password) {
      const salt = randomBytes(16);
      return encode(
        cost,
        BLOCK_SIZE,
        PARALLEL,
        salt,
        await queue.run(NEW_HASHES, () => derive(password, salt, cost, BLOCK_SIZE, PARALLEL)),
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
