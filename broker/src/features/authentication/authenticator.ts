import type { AuthzRule } from '@mqdeck/contract/acl/rule';
import type { ReasonCode } from '@mqdeck/mqtt/reason-codes';
import type { BackendMetrics, BackendStatus } from '../../backends/backend.ts';
import type { ClientInfo } from '../../core/hooks.ts';

/** What a client showed when it connected: what placeholders of queries, bodies and claims can name. */
export interface Credentials {
  clientid: string;
  username: string | null;
  password: Uint8Array | null;
  peerhost: string;
  listener: string; // `tcp:default`
  mountpoint: string | null;
  certCommonName: string | null;
  certSubject: string | null;
  zone?: string | undefined; // without one `default`
  clientAttrs: Readonly<Record<string, string>>;
  /** Of a gateway's device. */
  guest?: ClientInfo['guest'];
}

/** What an authenticator may know beside yes or no. */
export interface Admission {
  isSuperuser: boolean;
  /** Whom the client has proved to be, where its CONNECT does not name him. */
  username?: string;
  clientAttrs?: Readonly<Record<string, string>>;
  /** Rules that come with the credentials (a token's claim, an HTTP answer); asked before every source. */
  acl?: readonly AuthzRule[];
  /** Epoch ms; then the connection ends. */
  expiresAt?: number | null;
}

/**
 * `ignore`: no opinion (user unknown, backend down, credentials of another kind), the next one decides; when nobody
 * did, the client is refused. `why` is for the operator who asks what decided, and for the log; it holds no secret.
 */
export type Verdict =
  | ({ result: 'allow'; why: string } & Admission)
  | { result: 'deny'; reasonCode: ReasonCode; why: string }
  | { result: 'ignore'; why: string };

/** One link of the chain, ready to be asked. */
export interface Authenticator {
  authenticate(credentials: Credentials): Verdict | Promise<Verdict>;
  /** Of the system behind it; those without one are always connected. */
  readonly status: BackendStatus;
  readonly reason: string | null;
  /** Null without a system behind it. */
  readonly resourceMetrics: Readonly<BackendMetrics> | null;
  close(): Promise<void>;
}
