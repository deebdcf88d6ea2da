import { createHash, getHashes, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { PasswordHash } from '@mqdeck/contract/authentication';
import { BCRYPT_HASH, BCRYPT_ROUNDS_MAX } from '@mqdeck/contract/user-import';
import bcrypt from 'bcrypt';
import { FairQueue } from '../../fair-queue.ts';
import { networkOf } from '../../network.ts';
import { pbkdf2Md4 } from './md4.ts';

/** What is stored of a password. The salt is part of a bcrypt hash, and empty then. */
export interface HashedPassword {
  hash: string;
  salt: string;
}

type Simple = Extract<PasswordHash, { salt_position: string }>;
type Pbkdf2 = Extract<PasswordHash, { name: 'pbkdf2' }>;

const SALT_BYTES = 16;
/** Whoever comes when so many wait already is refused: a flood must not take minutes. */
const WAITING_MAX = 2000;
/** One for the whole process, as the threads are: they serve the store and DNS, too. By the address of the client. */
const queue = new FairQueue({
  lanes: 2,
  waitingMax: WAITING_MAX,
  waitingPerKeyMax: WAITING_MAX, // a whole fleet may come through one proxy
  onFull: () => new Error('too many logins at once'),
});
/** New hashes are made for operators. */
const OPERATORS = '';

const OPENSSL_NAMES: Readonly<Record<string, string>> = { sha: 'sha1' };
const openSslName = (name: string): string => OPENSSL_NAMES[name] ?? name;
const HAS_MD4 = getHashes().includes('md4');
const deriveKey = promisify(pbkdf2);

/** Whether a password that came from this address has this hash. What cannot be a hash of this algorithm is no match. */
export async function matches(
  algorithm: PasswordHash,
  password: Uint8Array,
  hash: string,
  salt: string,
  address: string,
): Promise<boolean> {
  const key = networkOf(address);
  const right = await matchesFor(key, algorithm, password, hash, salt);
  if (right) queue.trust(key);
  return right;
}

async function matchesFor(
  key: string,
  algorithm: PasswordHash,
  password: Uint8Array,
  hash: string,
  salt: string,
): Promise<boolean> {
  switch (algorithm.name) {
    case 'bcrypt':
      return bcryptMatches(password, hash, key);
    case 'pbkdf2':
      return alike((await derived(algorithm, password, salt, key)).toString('hex'), hash.toLowerCase());
    default:
      return alike(simple(algorithm, password, salt), algorithm.name === 'plain' ? hash : hash.toLowerCase());
  }
}

/** With a new salt. */
export async function hashNew(algorithm: PasswordHash, password: Uint8Array): Promise<HashedPassword> {
  if (algorithm.name === 'bcrypt') {
    const hash = await queue.run(OPERATORS, () => bcrypt.hash(Buffer.from(password), algorithm.salt_rounds));
    return { hash, salt: '' };
  }
  const salted = algorithm.name === 'pbkdf2' || algorithm.salt_position !== 'disable';
  const salt = salted ? randomBytes(SALT_BYTES).toString('hex') : '';
  const hash =
    algorithm.name === 'pbkdf2'
      ? (await derived(algorithm, password, salt, OPERATORS)).toString('hex')
      : simple(algorithm, password, salt);
  return { hash, salt };
}

/** In hexadecimal digits; `plain` as the password's own bytes, one character each. */
function simple({ name, salt_position }: Simple, password: Uint8Array, salt: string): string {
  const parts = {
    disable: [password],
    prefix: [Buffer.from(salt), password],
    suffix: [password, Buffer.from(salt)],
  }[salt_position];
  const bytes = Buffer.concat(parts);
  return name === 'plain' ? bytes.toString() : createHash(openSslName(name)).update(bytes).digest('hex');
}

async function bcryptMatches(password: Uint8Array, hash: string, key: string): Promise<boolean> {
  const rounds = BCRYPT_HASH.exec(hash)?.[1];
  if (rounds === undefined || Number(rounds) > BCRYPT_ROUNDS_MAX) return false;
  // Different letters of the same algorithm; the library knows two of them.
  const known = hash.replace(/^\$2[xy]/, '$2b');
  return queue.run(key, () => bcrypt.compare(Buffer.from(password), known));
}

function derived(
  { mac_fun, iterations, dk_length }: Pbkdf2,
  password: Uint8Array,
  salt: string,
  key: string,
): Promise<Buffer> {
  if (mac_fun === 'md4' && !HAS_MD4)
    return queue.run(key, () => pbkdf2Md4(password, Buffer.from(salt), iterations, dk_length ?? 16));
  const digest = openSslName(mac_fun);
  const length = dk_length ?? createHash(digest).digest().length;
  return queue.run(key, () => deriveKey(password, salt, iterations, length, digest));
}

/** In constant time: both are hashed first, so that not even the lengths show. */
function alike(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
