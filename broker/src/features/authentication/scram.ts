import { createHash, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { ScramAuthenticator } from '@mqdeck/contract/authentication';
import { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { EnhancedAuthenticateRequest } from '../../core/hooks.ts';
import type { Credentials, Verdict } from './authenticator.ts';
import type { Step, SteppingAuthenticator } from './chain.ts';
import { saslprep } from './saslprep.ts';
import type { AuthnUsers, UserRecord } from './users.ts';

/** RFC 5802: what a proof is checked with, of which the password does not follow. */
export interface ScramUser extends UserRecord {
  salt: string; // base64
  iterations: number;
  storedKey: string; // base64
  serverKey: string; // base64
}

type Algorithm = ScramAuthenticator['algorithm'];

const METHODS = { sha256: 'SCRAM-SHA-256', sha512: 'SCRAM-SHA-512' } as const;
const SALT_BYTES = 16;
const NONCE_BYTES = 18;
/** Names and nonces of a kilobyte are long; more is nonsense. */
const MESSAGE_BYTES_MAX = 4096;

const deriveKey = promisify(pbkdf2);
const hash = (algorithm: Algorithm, data: Uint8Array) => createHash(algorithm).update(data).digest();
const hmac = (algorithm: Algorithm, key: Uint8Array, text: string) =>
  createHmac(algorithm, key).update(text).digest();

/** Null: the password holds what RFC 4013 prohibits. */
export async function newScramUser(
  { algorithm, iteration_count: iterations }: Pick<ScramAuthenticator, 'algorithm' | 'iteration_count'>,
  password: string,
  superuser: boolean,
): Promise<ScramUser | null> {
  const prepared = saslprep(password);
  if (prepared === null) return null;
  const salt = randomBytes(SALT_BYTES);
  const length = hash(algorithm, salt).length;
  const salted = await deriveKey(prepared, salt, iterations, length, algorithm);
  return {
    salt: salt.toString('base64'),
    iterations,
    storedKey: hash(algorithm, hmac(algorithm, salted, 'Client Key')).toString('base64'),
    serverKey: hmac(algorithm, salted, 'Server Key').toString('base64'),
    superuser,
  };
}

/** What the first step remembers for the second. */
interface Memory {
  name: string;
  nonce: string;
  header: string; // GS2
  clientFirst: string; // without the header
  serverFirst: string;
  user: ScramUser | null;
}

/**
 * SCRAM over AUTH packets: two messages each way. Of a user who does not exist everything looks as of one who does, his
 * salt as well, which is made of `disguise`; only the proof is wrong.
 */
export function openScram(
  { algorithm, iteration_count }: ScramAuthenticator,
  users: AuthnUsers<ScramUser>,
  disguise: Uint8Array,
): SteppingAuthenticator {
  const nobody = (name: string): ScramUser => {
    const salt = hmac(algorithm, disguise, name).subarray(0, SALT_BYTES);
    const key = hash(algorithm, salt).toString('base64');
    return {
      salt: salt.toString('base64'),
      iterations: iteration_count,
      storedKey: key,
      serverKey: key,
      superuser: false,
    };
  };

  const begin = (credentials: Credentials, message: string, again: boolean): Step => {
    const first = readFirst(message);
    if (first === null) return refused('the first message is not SCRAM');
    const { username } = credentials;
    // What CONNECT says is what permissions go by, so it must be what is proved
    if (username !== null && username !== first.name && saslprep(username) !== first.name)
      return refused(
        again ? 'the client is somebody else by now' : 'CONNECT names another user than the proof is for',
      );
    const invented = nobody(first.name); // in any case, or the time it takes would tell
    const user = users.get(first.name) ?? null;
    const { salt, iterations } = user ?? invented;
    const nonce = first.nonce + randomBytes(NONCE_BYTES).toString('base64');
    const serverFirst = `r=${nonce},s=${salt},i=${iterations}`;
    const state: Memory = { ...first, nonce, serverFirst, user };
    return { result: 'continue', data: Buffer.from(serverFirst), state };
  };

  const finish = (message: string, memory: Memory): Step => {
    const final = readFinal(message);
    if (final === null || final.nonce !== memory.nonce || final.binding !== memory.header)
      return refused('the second message is not SCRAM, or does not belong to the first');
    const invented = nobody(memory.name);
    const user = memory.user ?? invented;
    const proved = `${memory.clientFirst},${memory.serverFirst},${final.withoutProof}`;
    const storedKey = Buffer.from(user.storedKey, 'base64');
    const signature = hmac(algorithm, storedKey, proved);
    const proof = final.proof.length === signature.length ? final.proof : Buffer.alloc(signature.length);
    const clientKey = proof.map((byte, i) => byte ^ signature[i]!);
    const right = timingSafeEqual(hash(algorithm, clientKey), storedKey);
    if (memory.user === null) return refused('there is no such user', 'ignore');
    if (!right) return refused('the proof is wrong');
    const verdict: Verdict = {
      result: 'allow',
      why: 'the proof is right',
      isSuperuser: user.superuser,
      username: memory.name,
    };
    const serverSignature = hmac(algorithm, Buffer.from(user.serverKey, 'base64'), proved);
    return { result: 'done', verdict, data: Buffer.from(`v=${serverSignature.toString('base64')}`) };
  };

  return {
    method: METHODS[algorithm],
    authenticate: () => ({ result: 'ignore', why: `it asks for ${METHODS[algorithm]}` }),
    async step(credentials, { data, state, again }: EnhancedAuthenticateRequest) {
      const message = textOf(data);
      if (message === null) return refused('the message is empty, too long or not UTF-8');
      return state === undefined ? begin(credentials, message, again) : finish(message, state as Memory);
    },
    status: 'connected',
    reason: null,
    resourceMetrics: null,
    close: () => Promise.resolve(),
  };
}

/** `ignore` is for the metrics alone: the client hears the same. */
const refused = (why: string, result: 'deny' | 'ignore' = 'deny'): Step => ({
  result: 'done',
  data: null,
  verdict: result === 'ignore' ? { result, why } : { result, reasonCode: ReasonCode.NotAuthorized, why },
});

function textOf(data: Uint8Array | null): string | null {
  if (data === null || data.length === 0 || data.length > MESSAGE_BYTES_MAX) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return null;
  }
}

/**
 * `n,,n=user,r=nonce`. We bind to no channel, so a client that insists on it (`p=`) is refused, and one that says we
 * do not (`y`) is right.
 */
function readFirst(message: string): Omit<Memory, 'serverFirst' | 'user'> | null {
  const match = /^([ny],(?:a=([^,]+))?,)(n=([^,]+),r=([\x21-\x2b\x2d-\x7e]+)(?:,[a-zA-Z]=[^,]*)*)$/u.exec(
    message,
  );
  if (!match) return null;
  const [, header, acting, clientFirst, written, nonce] = match;
  const name = nameOf(written!);
  if (name === null) return null;
  if (acting !== undefined && nameOf(acting) !== name) return null; // nobody acts for somebody else
  return { name, nonce: nonce!, header: header!, clientFirst: clientFirst! };
}

/** `=2C` is a comma, `=3D` an equals sign, and any other `=` a mistake. */
function nameOf(written: string): string | null {
  if (/=(?!2C|3D)/.test(written)) return null;
  const name = saslprep(written.replaceAll('=2C', ',').replaceAll('=3D', '='));
  return name === '' ? null : name;
}

/** `c=biws,r=nonce,p=proof` */
function readFinal(message: string) {
  const match =
    /^(c=([A-Za-z0-9+/]+={0,2}),r=([\x21-\x2b\x2d-\x7e]+)(?:,[a-zA-Z]=[^,]*)*),p=([A-Za-z0-9+/]+={0,2})$/.exec(
      message,
    );
  if (!match) return null;
  return {
    withoutProof: match[1]!,
    binding: Buffer.from(match[2]!, 'base64').toString(),
    nonce: match[3]!,
    proof: Buffer.from(match[4]!, 'base64'),
  };
}
