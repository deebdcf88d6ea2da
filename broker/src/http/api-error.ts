import { type ErrorCode, errorCodes } from '@mqdeck/contract/error-codes';

/** What the operator asked for cannot be: ends one request with a status, a code and a message. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Stands in the answer beside code and message. */
  readonly more: Readonly<Record<string, unknown>>;

  constructor(
    code: ErrorCode,
    message: string,
    statusCode: number,
    headers: Record<string, string> = {},
    more: Record<string, unknown> = {},
  ) {
    super(message);
    this.code = code;
    this.statusCode = statusCode;
    this.headers = headers;
    this.more = more;
  }
}

/** The failure of a code: with its own status and meaning, unless told otherwise. */
export function apiError(code: ErrorCode, message?: string, status?: number): ApiError {
  const [usualStatus, meaning] = errorCodes[code];
  return new ApiError(code, message ?? meaning, status ?? usualStatus);
}

/** Ends the request. */
export function fail(code: ErrorCode, message?: string, status?: number): never {
  throw apiError(code, message, status);
}
