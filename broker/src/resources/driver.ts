import type { Socket } from 'node:net';
import type { QoS } from '@mqdeck/mqtt/packets';
import type { Value, ValueMap } from '@mqdeck/rulesql/values';
import type { OutboundPolicy } from '../backends/outbound.ts';
import type { Log } from '../core/core.ts';

/** What a rule has made of a message, or the columns of the message itself. */
export type Row = ValueMap;

/**
 * A delivery that came to nothing. `recoverable`: the same rows may be taken later (the target is away, busy, over its
 * limits); otherwise they never will be, and are given up. The message is for operators and holds no secret.
 */
export class DeliveryError extends Error {
  readonly recoverable: boolean;

  constructor(message: string, recoverable: boolean) {
    super(message);
    this.recoverable = recoverable;
  }
}

/**
 * What one type of target has to know; queues, batches, retries, states and metrics are the resource's around it. Every
 * promise ends soon after `signal` is aborted.
 */
export interface Driver {
  /** Opens what it needs; rejects with what is wrong, for operators. May be called again after `close`. */
  open(signal: AbortSignal): Promise<void>;
  /** Whether the target still answers; rejects with what is wrong. */
  check(signal: AbortSignal): Promise<void>;
  /**
   * Delivers rows in their order, all or none as far as the target can; rejects with a DeliveryError. Answers how many of
   * them the target will never take, when there are some among others.
   */
  deliver(rows: readonly Row[], signal: AbortSignal): Promise<number | undefined>;
  close(): Promise<void>;
}

export interface DriverContext {
  /** `mysql:orders`. */
  id: string;
  node: string;
  log: Log;
  outbound: OutboundPolicy;
  /** Of an ingress: what came from the other side; rules read it below `$bridges/…`, and it counts as received. */
  receive(row: Row): void;
  /** Of an ingress: what shall be published here. */
  publish(message: { topic: string; payload: Value; qos: QoS; retain?: boolean }): void;
  /** Of a bridge to an MQTT broker: each of its connections, before it is made. */
  connecting(socket: Socket): void;
  /** The connection broke by itself: the resource asks at once instead of at the next check. */
  broken(reason: string): void;
}

/** Of one type, from its checked configuration with the stored secrets in it. */
export type DriverFactory<Config> = (config: Config, context: DriverContext) => Driver;
