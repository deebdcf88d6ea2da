import type { ErrorCode } from '@mqdeck/contract/error-codes';

/** The body of an error, as everywhere in the API. */
export const failure = (code: ErrorCode, message: string) => ({ code, message });
