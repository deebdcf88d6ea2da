import { rateOf } from '@mqdeck/contract/kit/rates';
import { parseBytes, parseDuration } from '@mqdeck/contract/kit/values';
import {
  type Bucket,
  burstOf,
  type LimiterSettings,
  type LimiterTypeSettings,
  limiterTypes,
} from '@mqdeck/contract/limiter';
import type { Rate } from '../../core/entrance.ts';
import type { BucketConfig, LimiterConfig, TypeConfig } from '../../core/limiter/config.ts';

/** The settings as the core takes them. */
export const configOf = (settings: LimiterSettings): LimiterConfig =>
  Object.fromEntries(limiterTypes.map((type) => [type, typeOf(settings[type])])) as Record<
    (typeof limiterTypes)[number],
    TypeConfig
  >;

/** The bucket that nobody can remove comes first: it takes those for whom there is no other. */
function typeOf({ rate, burst, bucket }: LimiterTypeSettings): TypeConfig {
  const buckets = Object.entries(bucket).map(([name, one]) => bucketOf(name, one));
  const first = (one: BucketConfig) => (one.name === 'default' || one.name === 'retainer' ? 0 : 1);
  return {
    rate: coreRate(rate),
    burst: burstOf(burst) ?? 0,
    buckets: buckets.sort((a, b) => first(a) - first(b)),
  };
}

function bucketOf(name: string, one: Bucket): BucketConfig {
  const { per_client: client } = one;
  return {
    name,
    rate: coreRate(one.rate),
    capacity: amount(one.capacity),
    initial: amount(one.initial),
    perClient: {
      rate: coreRate(client.rate),
      capacity: amount(client.capacity),
      initial: amount(client.initial),
      lowWatermark: amount(client.low_watermark),
      divisible: client.divisible,
      maxRetryMs: parseDuration(client.max_retry_time) ?? 0,
      strategy: client.failure_strategy,
    },
    listeners: one.listeners ?? [],
    zones: one.zones ?? [],
  };
}

const coreRate = (value: string | number): Rate | null => {
  const rate = rateOf(value);
  return rate ? { count: rate.count, perMs: rate.ms } : null;
};
const amount = (value: string | number): number => parseBytes(value) ?? Number.POSITIVE_INFINITY;
