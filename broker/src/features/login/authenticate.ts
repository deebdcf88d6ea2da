import type { ErrorCode } from '@mqdeck/contract/error-codes';
import type { Access } from '@mqdeck/contract/kit/endpoint';
import { CREDENTIAL_LENGTH_MAX } from '@mqdeck/contract/login';
import type { Authenticate } from '../../http/api.ts';
import { ApiError, apiError, fail } from '../../http/api-error.ts';
import type { Caller } from '../../http/handlers.ts';
import type { Attempts } from './attempts.ts';
import type { Tokens } from './tokens.ts';

// Not `Basic`: a browser would open a password window of its own over the console.
const CHALLENGE = { 'www-authenticate': 'Bearer realm="mqdeck"' };
const KEY_CHALLENGE = { 'www-authenticate': 'Basic realm="mqdeck"' };

/** What the login needs to know of API keys. */
export interface KeyRing {
  /** Whether key and secret may act now, when this secret was found right before; null when that is not known. */
  recall(apiKey: string, secret: string): boolean | null;
  /** Takes its time, for unknown keys too. */
  weigh(apiKey: string, secret: string): Promise<{ right: boolean; mayAct: boolean }>;
}

export interface AuthenticateDependencies {
  tokens: Tokens;
  keys: KeyRing;
  /** Counted apart from those of the login, so that a forgotten script locks no operator out. */
  keyAttempts: Attempts;
}

/** Who sends the request: a user with his token, or a program with its API key. */
export function authenticateWith(its: AuthenticateDependencies): Authenticate {
  const holder = keyHolders(its);
  return async (header, access, address) => {
    if (header === undefined)
      throw new ApiError(
        'AUTHORIZATION_HEADER_ERROR',
        'An Authorization header is needed: Bearer or Basic',
        401,
        CHALLENGE,
      );
    const [, scheme = '', credentials = ''] = /^(\w+) +(\S+)$/.exec(header) ?? [];
    switch (scheme.toLowerCase()) {
      case 'bearer':
        return bearer(its.tokens, credentials);
      case 'basic':
        return basic(credentials, access, (apiKey, secret) => holder(apiKey, secret, address));
      default:
        return fail('BAD_REQUEST', 'The Authorization header cannot be read');
    }
  };
}

async function bearer(tokens: Tokens, token: string): Promise<Caller> {
  const verdict = await tokens.use(token);
  if (typeof verdict === 'object') return verdict;
  return refuse(verdict === 'expired' ? 'TOKEN_TIME_OUT' : 'BAD_TOKEN', CHALLENGE);
}

async function basic(
  credentials: string,
  access: Exclude<Access, 'none'>,
  holder: (apiKey: string, secret: string) => Promise<Caller>,
): Promise<Caller> {
  const text = /^[A-Za-z0-9+/_-]+={0,2}$/.test(credentials)
    ? Buffer.from(credentials, 'base64').toString()
    : '';
  const colon = text.indexOf(':');
  if (colon < 0) return fail('BAD_REQUEST', 'The Authorization header cannot be read');
  if (access === 'user') return refuse('API_KEY_NOT_ALLOW', KEY_CHALLENGE);
  return holder(text.slice(0, colon), text.slice(colon + 1));
}

/** A secret found right before costs next to nothing and is never locked out; others are weighed, and counted when wrong. */
function keyHolders({ keys, keyAttempts }: AuthenticateDependencies) {
  const underWay = new Map<string, Promise<boolean>>();

  const weigh = async (apiKey: string, secret: string, address: string): Promise<boolean> => {
    let mayAct = false;
    // Of a key at an address: whoever guesses at a key shuts out himself and not its holder.
    const right = await keyAttempts.check(`${apiKey}@${address}`, address, async () => {
      const found = await keys.weigh(apiKey, secret);
      mayAct = found.mayAct;
      return found.right;
    });
    if (typeof right === 'object')
      return refuse(
        'LOGIN_LOCKED',
        { ...KEY_CHALLENGE, 'retry-after': String(right.seconds) },
        `Too many wrong secrets from this address: it is locked for another ${right.seconds} s`,
      );
    return mayAct;
  };

  /** A program that opens many connections at once asks with one secret: that is one guess. */
  const weighOnce = (apiKey: string, secret: string, address: string): Promise<boolean> => {
    const guess = JSON.stringify([address, apiKey, secret]);
    const running = underWay.get(guess);
    if (running) return running;
    const started = weigh(apiKey, secret, address).finally(() => underWay.delete(guess));
    underWay.set(guess, started);
    return started;
  };

  return async (apiKey: string, secret: string, address: string): Promise<Caller> => {
    if (apiKey.length > CREDENTIAL_LENGTH_MAX || secret.length > CREDENTIAL_LENGTH_MAX)
      return refuse('BAD_API_KEY_OR_SECRET', KEY_CHALLENGE);
    const mayAct = keys.recall(apiKey, secret) ?? (await weighOnce(apiKey, secret, address));
    return mayAct ? { apiKey } : refuse('BAD_API_KEY_OR_SECRET', KEY_CHALLENGE);
  };
}

function refuse(code: ErrorCode, challenge: Record<string, string>, text?: string): never {
  const { message, statusCode } = apiError(code, text);
  throw new ApiError(code, message, statusCode, challenge);
}
