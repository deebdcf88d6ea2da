import type { Authenticate } from '../../http/api.ts';
import { ApiError, apiError, fail } from '../../http/api-error.ts';
import type { Tokens } from './tokens.ts';

// Not `Basic`: a browser would open a password window of its own over the console.
const CHALLENGE = { 'www-authenticate': 'Bearer realm="mqdeck"' };
const KEY_CHALLENGE = { 'www-authenticate': 'Basic realm="mqdeck"' };

/** Who sends the request: a user with his token. API keys are read, but there are none yet. */
export const authenticateWith =
  (tokens: Tokens): Authenticate =>
  async (header) => {
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
        return bearer(tokens, credentials);
      case 'basic':
        return basic(credentials);
      default:
        return fail('BAD_REQUEST', 'The Authorization header cannot be read');
    }
  };

async function bearer(tokens: Tokens, token: string) {
  const verdict = await tokens.use(token);
  if (typeof verdict === 'object') return verdict;
  const { code, message, statusCode } = apiError(verdict === 'expired' ? 'TOKEN_TIME_OUT' : 'BAD_TOKEN');
  throw new ApiError(code, message, statusCode, CHALLENGE);
}

function basic(credentials: string): never {
  const text = /^[A-Za-z0-9+/_-]+={0,2}$/.test(credentials)
    ? Buffer.from(credentials, 'base64').toString()
    : '';
  if (!text.includes(':')) return fail('BAD_REQUEST', 'The Authorization header cannot be read');
  const { code, message, statusCode } = apiError('BAD_API_KEY_OR_SECRET');
  throw new ApiError(code, message, statusCode, KEY_CHALLENGE);
}
