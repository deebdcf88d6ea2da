import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { expected } from './kit/faults.ts';
import { flag, intBetween, parseDuration } from './kit/values.ts';

/** Faster deliveries are never slow; the console takes no less, the API does, as the real one. */
export const SLOW_THRESHOLD_MIN_MS = 100;
export const SLOW_TOP_K_MAX = 1000;

const NO_DURATION = 'Not a valid duration';
const duration = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => parseDuration(value) !== null, NO_DURATION));

const positive = expected('pos_integer()');

const fields = {
  enable: flag,
  /** A delivery that takes longer is noted. */
  threshold: duration,
  /** An entry that did not come up again for so long is forgotten. */
  expire_interval: duration,
  /** So many are remembered, the slowest. */
  top_k_num: z.number(positive).check(z.int(positive), z.gte(1, positive)),
  /**
   * `whole`: from the arrival of the message until the receiver has it (QoS 1 and 2: has acknowledged it);
   * `internal`: until it is on its way to the receiver; `response`: from then until the acknowledgement.
   */
  stats_type: z.enum(['whole', 'internal', 'response']),
  /** Extensions, which real brokers had once: the list is published below `$SYS` so often; 0 = never. */
  notice_interval: duration,
  notice_qos: intBetween(0, 2),
  /** So many entries in one message. */
  notice_batch_size: z.number(positive).check(z.int(positive), z.gte(1, positive)),
};

export const SlowSubscriptionsSettings = z.strictObject({
  enable: z._default(fields.enable, false),
  threshold: z._default(fields.threshold, '500ms'),
  expire_interval: z._default(fields.expire_interval, '300s'),
  top_k_num: z._default(fields.top_k_num, 10),
  stats_type: z._default(fields.stats_type, 'whole'),
  notice_interval: z._default(fields.notice_interval, '0s'),
  notice_qos: z._default(fields.notice_qos, 0),
  notice_batch_size: z._default(fields.notice_batch_size, 100),
});
export type SlowSubscriptionsSettings = z.output<typeof SlowSubscriptionsSettings>;

/** A client and a topic, and how long the slowest delivery took. */
export const SlowSubscription = z.looseObject({
  clientid: z.string(),
  node: z.string(),
  topic: z.string(),
  timespan: z.number(), // ms
  last_update_time: z.number(), // epoch ms
});
export type SlowSubscription = z.infer<typeof SlowSubscription>;

export const slowSubscriptions = {
  list: endpoint({
    method: 'GET',
    path: '/slow_subscriptions',
    summary: 'The slowest deliveries, the slowest first',
    ok: json(z.looseObject({ data: z.array(SlowSubscription) })),
  }),
  clear: endpoint({
    method: 'DELETE',
    path: '/slow_subscriptions',
    summary: 'Forget the slowest deliveries',
    ok: noContent,
  }),
  get: endpoint({
    method: 'GET',
    path: '/slow_subscriptions/settings',
    summary: 'Settings of slow subscriptions',
    ok: json(SlowSubscriptionsSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/slow_subscriptions/settings',
    summary: 'Change settings of slow subscriptions; what is left out keeps its value',
    body: z.partial(z.strictObject(fields)),
    ok: json(SlowSubscriptionsSettings),
  }),
};
