import type { Log } from '../core/core.ts';
import type { OutboundPolicy } from './outbound.ts';

/** Of a connection to another system, in the words of the API. */
export type BackendStatus = 'connected' | 'connecting' | 'disconnected';

/** What went through, since the start or the last reset; the names are those of the API's `resource_metrics`. */
export interface BackendMetrics {
  matched: number;
  success: number;
  failed: number;
}

/**
 * A pooled connection to another system. It is made in the background, watched, and comes back by itself; who
 * asks meanwhile gets a `BackendError` within his time limit, never an endless wait.
 */
export interface Backend {
  readonly status: BackendStatus;
  /** Why it is not connected, for the operator; null when it is. Holds no secret and no body of an answer. */
  readonly reason: string | null;
  readonly metrics: Readonly<BackendMetrics>;
  /** Ends every connection; requests on their way fail. */
  close(): Promise<void>;
}

/** The other system is down, too slow, refused us or did not understand us. The message is for the operator. */
export class BackendError extends Error {}

/** What the operator wrote cannot work; the message says why, and holds no secret. */
export class BackendConfigError extends Error {
  /** The field that is wrong: `query`, `ssl.cacertfile`. */
  readonly path: string;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

/** What every connection to another system is given. */
export interface BackendParts {
  log: Log;
  outbound: OutboundPolicy;
}

export type Row = Readonly<Record<string, unknown>>;

export interface SqlBackend extends Backend {
  /** A prepared statement with its values: nothing of a value ever becomes SQL. */
  query(sql: string, values: readonly unknown[]): Promise<Row[]>;
}

export interface MongoBackend extends Backend {
  /** `limit` 0 = all. */
  find(collection: string, filter: object, page: { limit: number; skip: number }): Promise<Row[]>;
  insert(collection: string, documents: readonly object[]): Promise<void>;
  ping(): Promise<void>;
}

export interface RedisBackend extends Backend {
  /** One command with its arguments, each sent as one value. */
  command(name: string, args: readonly (string | Buffer)[]): Promise<unknown>;
}

export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string; // cut at a limit; what is longer is a BackendError
}

export interface HttpBackend extends Backend {
  /** `path` with its query, below the base URL's origin. */
  request(request: {
    method: 'GET' | 'POST';
    path: string;
    headers: Readonly<Record<string, string>>;
    body: string | null;
  }): Promise<HttpAnswer>;
}
