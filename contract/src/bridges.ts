import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { timestamp } from './kit/values.ts';

/** Connections to other systems, in both directions. Their fields depend on the type: see `bridges/types.ts`. */

export const Bridge = z.looseObject({
  type: z.string(),
  name: z.string(),
  enable: z.boolean(),
  description: z.optional(z.string()),
  status: z.string(),
  /** Why it is disconnected. */
  status_reason: z.optional(z.string()),
  node_status: z.array(
    z.looseObject({ node: z.string(), status: z.string(), status_reason: z.optional(z.string()) }),
  ),
  resource_opts: z.optional(z.looseObject({})),
  /** An extension; absent of those that were there before it was. */
  created_at: z.optional(timestamp),
});
export type Bridge = z.infer<typeof Bridge>;

const BridgeMetrics = z.looseObject({
  matched: z.number(),
  success: z.number(),
  failed: z.number(),
  dropped: z.number(),
  retried: z.number(),
  late_reply: z.number(),
  queuing: z.number(),
  inflight: z.number(),
  received: z.number(),
  rate: z.number(),
  rate_last5m: z.number(),
  rate_max: z.number(),
  /** Extensions: `success` and `failed` together, what the buffer holds, and since when it is counted (epoch ms). */
  sent: z.optional(z.number()),
  queuing_bytes: z.optional(z.number()),
  last_reset: z.optional(z.number()),
});
export type BridgeMetrics = z.infer<typeof BridgeMetrics>;
export const BridgeMetricsAnswer = z.looseObject({
  metrics: BridgeMetrics,
  node_metrics: z.array(z.looseObject({ node: z.string(), metrics: BridgeMetrics })),
});
export type BridgeMetricsAnswer = z.infer<typeof BridgeMetricsAnswer>;

/** Checked by the schema of its type. */
const anyBridge = z.looseObject({});

export const bridges = {
  list: endpoint({
    method: 'GET',
    path: '/bridges',
    summary: 'All bridges with their states',
    ok: json(z.array(Bridge)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/bridges',
    summary: 'Make a bridge; `type` says which fields it has',
    body: anyBridge,
    bodyByType: 'bridge',
    ok: json(Bridge, 201),
    errors: ['ALREADY_EXISTS'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/bridges/:id',
    summary: 'A bridge by `type:name`; its secrets are hidden',
    ok: json(Bridge),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/bridges/:id',
    summary: 'Replace a bridge; it restarts, and what it has buffered in memory is lost',
    body: anyBridge,
    bodyByType: 'bridge',
    ok: json(Bridge),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/bridges/:id',
    summary:
      'Delete a bridge. One that rules use only with `also_delete_dep_actions`, which takes it out of them.',
    query: z.looseObject({ also_delete_dep_actions: z.optional(z.string()) }),
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  enable: endpoint({
    method: 'PUT',
    path: '/bridges/:id/enable/:enable',
    summary: 'Switch a bridge on or off',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operate: endpoint({
    method: 'POST',
    path: '/bridges/:id/:operation',
    summary: 'start, stop or restart',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operateOnNode: endpoint({
    method: 'POST',
    path: '/nodes/:node/bridges/:id/:operation',
    summary: 'start, stop or restart on one node',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/bridges/:id/metrics',
    summary: 'What a bridge was given, and what became of it',
    ok: json(BridgeMetricsAnswer),
    errors: ['NOT_FOUND'],
  }),
  resetMetrics: endpoint({
    method: 'PUT',
    path: '/bridges/:id/metrics/reset',
    summary: 'Count from nought again',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  allMetrics: endpoint({
    method: 'GET',
    path: '/bridges_metrics',
    summary: 'The metrics of all bridges in one answer',
    ok: json(z.array(z.looseObject({ id: z.string(), ...BridgeMetricsAnswer.shape }))),
    extension: 'The real API asks for each bridge alone.',
  }),
  probe: endpoint({
    method: 'POST',
    path: '/bridges_probe',
    asks: true,
    summary: 'Try a configuration before it is saved',
    body: anyBridge,
    bodyByType: 'bridge',
    ok: noContent,
    errors: ['TEST_FAILED'],
  }),
};
