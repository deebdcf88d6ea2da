import * as z from 'zod/mini';
import { expected } from '../kit/faults.ts';
import { byteSize, duration, flag, intBetween, note, tags } from '../kit/values.ts';

/** What bridges of all types have in common. */

export const BRIDGE_NAME = /^[A-Za-z0-9]+[A-Za-z0-9-_]*$/;
export const BRIDGE_NAME_LENGTH_MAX = 255;
export const bridgeName = z
  .string()
  .check(z.regex(BRIDGE_NAME, 'invalid_map_key'), z.maxLength(BRIDGE_NAME_LENGTH_MAX));

export const durationOrInfinity = z.union([duration, z.literal('infinity')], 'Not a valid duration');

const positive = expected('pos_integer()');
export const wholeAbove0 = z.number(positive).check(z.int(positive), z.gte(1, positive));

export interface BridgeKind {
  /** Delivers several rows in one go. */
  batches: boolean;
  /** May have several deliveries on their way. */
  async: boolean;
  /** Fetches only: needs no workers. */
  ingressOnly?: boolean;
  /** May be told to fetch only, and then needs none either. */
  mayFetchOnly?: boolean;
  /** Rows of a batch unless told; 1 where nothing else is said. */
  batchSize?: number;
}

/** How a bridge buffers, batches, retries and watches its target. What a type cannot do is not among its fields. */
const resourceOptions = ({ batches, async, ingressOnly, mayFetchOnly, batchSize = 1 }: BridgeKind) =>
  z.prefault(
    z.strictObject({
      /** Rows of one publisher keep their order: they always go through the same worker. */
      worker_pool_size: z._default(intBetween(ingressOnly || mayFetchOnly ? 0 : 1, 1024), 16),
      health_check_interval: z._default(duration, '15s'),
      start_after_created: z._default(flag, true),
      start_timeout: z._default(duration, '5s'),
      /** The longest pause between attempts to reach the target; `infinity` = no second attempt. */
      auto_restart_interval: z._default(durationOrInfinity, '60s'),
      query_mode: z._default(z.enum(async ? ['sync', 'async'] : ['sync']), 'sync'),
      /** Deliveries on their way at once, of all workers, when `query_mode` is `async`. */
      inflight_window: z._default(wholeAbove0, 100),
      /** A row that waited longer is dropped. Where rows wait on disk and nothing is said: `infinity`. */
      request_ttl: z._default(durationOrInfinity, '45s'),
      ...(batches && {
        batch_size: z._default(wholeAbove0, batchSize),
        /** How long a batch may wait to be full. */
        batch_time: z._default(duration, '0ms'),
      }),
      /** Of all that waits; when it is more the oldest go. */
      max_buffer_bytes: z._default(byteSize, '256MB'),
      /** `disk`: what waits survives the broker, and a publisher of QoS 1 or 2 gets his PUBACK when it is there. */
      buffer_mode: z._default(z.enum(['memory', 'disk']), 'memory'),
      /** Names of earlier brokers, taken and shown under those above. */
      request_timeout: z.optional(durationOrInfinity),
      async_inflight_window: z.optional(wholeAbove0),
      max_queue_bytes: z.optional(byteSize),
      enable_queue: z.optional(flag),
      ...(batches && { enable_batch: z.optional(flag) }),
    }),
    {},
  );

/** Fields beside those of the type. */
export const commonFields = (kind: BridgeKind) => ({
  enable: z._default(flag, true),
  description: z._default(note, ''),
  tags: z._default(tags, []),
  resource_opts: resourceOptions(kind),
  ...(!kind.ingressOnly && {
    /** Messages of this filter go to the bridge without any rule. */
    local_topic: z.optional(z.string().check(z.minLength(1))),
  }),
});
