import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { queryInt } from './kit/query.ts';

/** A sample of the last interval. Rows without values mark times of which nothing is known. */
export const Sample = z.looseObject({
  time_stamp: z.number(), // epoch ms
  connections: z.optional(z.number()),
  live_connections: z.optional(z.number()),
  subscriptions: z.optional(z.number()),
  topics: z.optional(z.number()),
  received: z.optional(z.number()), // messages in this interval
  sent: z.optional(z.number()),
  dropped: z.optional(z.number()), // nobody subscribed to them, or their QoS 2 was never completed
  /** What the real API does not count: refused by limits, extensions or a full store, or lost on the way to a subscriber. */
  dropped_elsewhere: z.optional(z.number()),
});
export type Sample = z.infer<typeof Sample>;

export const CurrentFigures = z.looseObject({
  connections: z.number(),
  live_connections: z.optional(z.number()),
  subscriptions: z.number(),
  shared_subscriptions: z.optional(z.number()),
  topics: z.number(),
  retained_msg_count: z.optional(z.number()),
  received_msg_rate: z.number(), // messages per second
  sent_msg_rate: z.number(),
  dropped_msg_rate: z.optional(z.number()),
  dropped_elsewhere_rate: z.optional(z.number()), // as in the samples
});
export type CurrentFigures = z.infer<typeof CurrentFigures>;

/** A sample every so many seconds, kept for so long. */
export const SAMPLE_SECONDS = 10;
export const HISTORY_SECONDS = 7 * 24 * 3600;

/** Ranges of the dashboard, SPEC 9, in seconds. */
export const DASHBOARD_RANGES = {
  '1h': 3600,
  '6h': 6 * 3600,
  '12h': 12 * 3600,
  '1d': 86_400,
  '3d': 3 * 86_400,
  '7d': HISTORY_SECONDS,
} as const;

const historyQuery = z.object({ latest: z.optional(queryInt({ min: 1 })) });

export const monitor = {
  history: endpoint({
    method: 'GET',
    path: '/monitor',
    summary: 'Samples of the last `latest` seconds, summed over the nodes',
    query: historyQuery,
    ok: json(z.array(Sample)),
  }),
  historyOfNode: endpoint({
    method: 'GET',
    path: '/monitor/nodes/:node',
    summary: 'Samples of one node',
    query: historyQuery,
    ok: json(z.array(Sample)),
    errors: ['NOT_FOUND'],
  }),
  clear: endpoint({ method: 'DELETE', path: '/monitor', summary: 'Forget all samples', ok: noContent }),
  current: endpoint({
    method: 'GET',
    path: '/monitor_current',
    summary: 'Rates and gauges of this moment',
    ok: json(CurrentFigures),
  }),
  currentOfNode: endpoint({
    method: 'GET',
    path: '/monitor_current/nodes/:node',
    summary: 'Rates and gauges of one node',
    ok: json(CurrentFigures),
    errors: ['NOT_FOUND'],
  }),
};
