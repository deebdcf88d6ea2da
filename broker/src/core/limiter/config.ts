import type { Rate } from '../entrance.ts';

/** `message_routing`: deliveries, on the side of the publisher. `internal`: what the broker sends of its own accord. */
export const limiterTypes = ['bytes_in', 'message_in', 'connection', 'message_routing', 'internal'] as const;
export type LimiterType = (typeof limiterTypes)[number];

/** Whose tokens are missing: the client's own, those of its listener for each client, the bucket's, the node's. */
export type Level = 'client' | 'listener' | 'bucket' | 'node';

export interface ClientLimit {
  rate: Rate | null; // null = no limit, here and below
  capacity: number;
  initial: number;
  lowWatermark: number;
  divisible: boolean;
  maxRetryMs: number;
  strategy: 'force' | 'drop' | 'throw';
}

export interface BucketConfig {
  name: string;
  rate: Rate | null;
  capacity: number;
  initial: number;
  perClient: ClientLimit;
  listeners: readonly string[];
  zones: readonly string[];
}

export interface TypeConfig {
  rate: Rate | null; // of the node
  burst: number;
  /** The first takes those for whom there is no other. */
  buckets: readonly BucketConfig[];
}

export type LimiterConfig = Readonly<Record<LimiterType, TypeConfig>>;
