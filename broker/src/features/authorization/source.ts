import type { BackendMetrics, BackendStatus } from '../../backends/backend.ts';
import type { AccessRequest, ClientInfo } from '../../core/hooks.ts';

/** Which rule decided, for the operator who asks. */
export interface DecidingRule {
  /** Among the rules of its source, from 1. */
  index: number;
  /** In the file, from 1. */
  line?: number;
  /** Whose rule of the built-in database it is. */
  of?: 'clientid' | 'username' | 'all';
  /** As an ACL file would say it. */
  text: string;
}

/**
 * `nomatch`: no rule of this source fits; the next one decides. `ignore`: it could not be asked or its answer was no
 * answer; the next one decides, but when nobody does the client is refused. `why` names the rule that decided or what
 * went wrong, for the operator who asks; it holds no secret.
 */
export interface SourceVerdict {
  result: 'allow' | 'deny' | 'nomatch' | 'ignore';
  why: string;
  rule?: DecidingRule;
}

/** One source of rules, ready to be asked. */
export interface Source {
  authorize(who: ClientInfo, request: AccessRequest): SourceVerdict | Promise<SourceVerdict>;
  readonly status: BackendStatus;
  readonly reason: string | null;
  /** Null without a system behind it. */
  readonly resourceMetrics: Readonly<BackendMetrics> | null;
  close(): Promise<void>;
}
