import { api } from '@mqdeck/contract/api';
import {
  ByteBucket,
  CountBucket,
  DEFAULT_BUCKET,
  type LimiterType,
  RETAINER_BUCKET,
} from '@mqdeck/contract/limiter';

const { limiter } = api;

/** Where the limits of each type are asked for, and what its bucket is made of. */
export const endpoints = {
  bytes_in: { get: limiter.getBytesIn, update: limiter.updateBytesIn, item: ByteBucket },
  message_in: { get: limiter.getMessageIn, update: limiter.updateMessageIn, item: CountBucket },
  connection: { get: limiter.getConnection, update: limiter.updateConnection, item: CountBucket },
  message_routing: {
    get: limiter.getMessageRouting,
    update: limiter.updateMessageRouting,
    item: CountBucket,
  },
  internal: { get: limiter.getInternal, update: limiter.updateInternal, item: CountBucket },
} as const satisfies Record<LimiterType, object>;

/** Where a client that waits for long may be forced on, dropped or ended. */
export const hasPatience = (type: LimiterType): boolean => type !== 'connection' && type !== 'internal';

/** Buckets that cannot be removed; the last one cannot be either. */
export const isKept = (name: string): boolean => name === DEFAULT_BUCKET || name === RETAINER_BUCKET;
