import * as z from 'zod/mini';
import { BridgeMetricsAnswer } from './bridges.ts';
import { endpoint, json, noContent } from './kit/endpoint.ts';

/** What goes to other systems, and what comes from them, as newer brokers know it: each over a connector. */

const ActionSummary = z.looseObject({
  type: z.string(),
  name: z.string(),
  enable: z.boolean(),
  description: z.optional(z.string()),
  status: z.string(),
  status_reason: z.string(),
  node_status: z.array(z.looseObject({ node: z.string(), status: z.string(), status_reason: z.string() })),
  /** Ids of the rules that use it. */
  rules: z.array(z.string()),
  /** Epoch milliseconds; of a bridge made in one piece nobody knows. */
  created_at: z.optional(z.number()),
  last_modified_at: z.optional(z.number()),
});
export const Action = z.looseObject({
  ...ActionSummary.shape,
  connector: z.string(),
  parameters: z.looseObject({}),
  error: z.string(),
});
export type Action = z.infer<typeof Action>;

/** Checked by the schema of its type. */
const anyPart = z.looseObject({});
const types = json(z.array(z.string()));

export const actions = {
  types: endpoint({
    method: 'GET',
    path: '/action_types',
    summary: 'Types that actions may have',
    ok: types,
  }),
  list: endpoint({
    method: 'GET',
    path: '/actions',
    summary: 'All actions with their states',
    ok: json(z.array(Action)),
  }),
  summary: endpoint({
    method: 'GET',
    path: '/actions_summary',
    summary: 'All actions with their states, without what they do',
    ok: json(z.array(ActionSummary)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/actions',
    summary: 'Make an action over a connector; `type` says which parameters it has',
    body: anyPart,
    bodyByType: 'action',
    ok: json(Action, 201),
    errors: ['ALREADY_EXISTS'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/actions/:id',
    summary: 'An action by `type:name`',
    ok: json(Action),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/actions/:id',
    summary: 'Replace an action; it restarts',
    body: anyPart,
    bodyByType: 'action',
    ok: json(Action),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/actions/:id',
    summary:
      'Delete an action; its connector stays. One that rules use only with `also_delete_dep_actions`, which takes it out of them.',
    query: z.looseObject({ also_delete_dep_actions: z.optional(z.string()) }),
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  enable: endpoint({
    method: 'PUT',
    path: '/actions/:id/enable/:enable',
    summary: 'Switch an action on or off',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operate: endpoint({
    method: 'POST',
    path: '/actions/:id/:operation',
    summary: 'start: connect now instead of at the next attempt',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operateOnNode: endpoint({
    method: 'POST',
    path: '/nodes/:node/actions/:id/:operation',
    summary: 'start on one node',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/actions/:id/metrics',
    summary: 'What an action was given, and what became of it',
    ok: json(BridgeMetricsAnswer),
    errors: ['NOT_FOUND'],
  }),
  resetMetrics: endpoint({
    method: 'PUT',
    path: '/actions/:id/metrics/reset',
    summary: 'Count from nought again',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  probe: endpoint({
    method: 'POST',
    path: '/actions_probe',
    asks: true,
    summary: 'Try an action over its connector before it is saved',
    body: anyPart,
    bodyByType: 'action',
    ok: noContent,
    errors: ['TEST_FAILED'],
  }),
};

export const sources = {
  types: endpoint({
    method: 'GET',
    path: '/source_types',
    summary: 'Types that sources may have',
    ok: types,
  }),
  list: endpoint({
    method: 'GET',
    path: '/sources',
    summary: 'All sources with their states',
    ok: json(z.array(Action)),
  }),
  summary: endpoint({
    method: 'GET',
    path: '/sources_summary',
    summary: 'All sources with their states, without what they do',
    ok: json(z.array(ActionSummary)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/sources',
    summary: 'Make a source over a connector; `type` says which parameters it has',
    body: anyPart,
    bodyByType: 'source',
    ok: json(Action, 201),
    errors: ['ALREADY_EXISTS'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/sources/:id',
    summary: 'A source by `type:name`',
    ok: json(Action),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/sources/:id',
    summary: 'Replace a source; it restarts',
    body: anyPart,
    bodyByType: 'source',
    ok: json(Action),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/sources/:id',
    summary:
      'Delete a source; its connector stays. One that rules use only with `also_delete_dep_actions`, which takes it out of them.',
    query: z.looseObject({ also_delete_dep_actions: z.optional(z.string()) }),
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  enable: endpoint({
    method: 'PUT',
    path: '/sources/:id/enable/:enable',
    summary: 'Switch a source on or off',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operate: endpoint({
    method: 'POST',
    path: '/sources/:id/:operation',
    summary: 'start: connect now instead of at the next attempt',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operateOnNode: endpoint({
    method: 'POST',
    path: '/nodes/:node/sources/:id/:operation',
    summary: 'start on one node',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/sources/:id/metrics',
    summary: 'What a source was given, and what became of it',
    ok: json(BridgeMetricsAnswer),
    errors: ['NOT_FOUND'],
  }),
  resetMetrics: endpoint({
    method: 'PUT',
    path: '/sources/:id/metrics/reset',
    summary: 'Count from nought again',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  probe: endpoint({
    method: 'POST',
    path: '/sources_probe',
    asks: true,
    summary: 'Try a source over its connector before it is saved',
    body: anyPart,
    bodyByType: 'source',
    ok: noContent,
    errors: ['TEST_FAILED'],
  }),
};
