import type { ValidationFault } from '@mqdeck/contract/kit/faults';
import { faultsOf } from '@mqdeck/contract/kit/faults';

/** What no refusal says: the answer is not of the promised shape; no URL holds the name of the thing. */
export type Trouble = 'notUnderstood' | 'addressTooLong';

/** What went wrong with a call: the broker's refusal, or (`status` 0) that nothing came back. */
export class ApiError extends Error {
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** The API's own code, empty where the answer had none. */
  readonly code: string;
  /** Which fields were wrong; empty unless the broker said so. */
  readonly faults: ValidationFault[];
  readonly timedOut: boolean;
  /** This broker does not have the endpoint at all. */
  readonly absent: boolean;
  readonly trouble: Trouble | undefined;
  /** When the broker says it may be tried again, from now on. */
  readonly retryAfterSeconds: number | undefined;

  constructor({
    status,
    code = '',
    message = '',
    timedOut = false,
    absent = false,
    trouble,
    retryAfterSeconds,
    cause,
  }: {
    status: number;
    code?: string;
    message?: string;
    timedOut?: boolean;
    absent?: boolean;
    trouble?: Trouble;
    retryAfterSeconds?: number | undefined;
    cause?: unknown;
  }) {
    super(message, { cause });
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.faults = faultsOf(message);
    this.timedOut = timedOut;
    this.absent = absent;
    this.trouble = trouble;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
