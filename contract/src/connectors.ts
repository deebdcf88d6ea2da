import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';

/** Where bridges lead, as newer brokers know it: a connector may have several actions and sources. */

export const Connector = z.looseObject({
  type: z.string(),
  name: z.string(),
  enable: z.boolean(),
  status: z.string(),
  status_reason: z.optional(z.string()),
  node_status: z.array(z.looseObject({ node: z.string(), status: z.string() })),
  /** Names of those who use it. */
  actions: z.array(z.string()),
  sources: z.array(z.string()),
});
export type Connector = z.infer<typeof Connector>;

/** Checked by the schema of its type. */
const anyConnector = z.looseObject({});

export const connectors = {
  list: endpoint({
    method: 'GET',
    path: '/connectors',
    summary: 'All connectors with their states; a bridge made in one piece has one of its own name',
    ok: json(z.array(Connector)),
  }),
  create: endpoint({
    method: 'POST',
    path: '/connectors',
    summary: 'Make a connector; `type` says which fields it has',
    body: anyConnector,
    bodyByType: 'connector',
    ok: json(Connector, 201),
    errors: ['ALREADY_EXISTS'],
  }),
  get: endpoint({
    method: 'GET',
    path: '/connectors/:id',
    summary: 'A connector by `type:name`; its secrets are hidden',
    ok: json(Connector),
    errors: ['NOT_FOUND'],
  }),
  update: endpoint({
    method: 'PUT',
    path: '/connectors/:id',
    summary: 'Replace a connector; all that use it restart',
    body: anyConnector,
    bodyByType: 'connector',
    ok: json(Connector),
    errors: ['NOT_FOUND'],
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/connectors/:id',
    summary: 'Delete a connector that nobody uses',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  enable: endpoint({
    method: 'PUT',
    path: '/connectors/:id/enable/:enable',
    summary: 'Switch a connector on or off, and with it all that use it',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operate: endpoint({
    method: 'POST',
    path: '/connectors/:id/:operation',
    summary: 'start: connect now instead of at the next attempt',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  operateOnNode: endpoint({
    method: 'POST',
    path: '/nodes/:node/connectors/:id/:operation',
    summary: 'start on one node',
    ok: noContent,
    errors: ['NOT_FOUND'],
  }),
  probe: endpoint({
    method: 'POST',
    path: '/connectors_probe',
    asks: true,
    summary: 'Try a connector before it is saved',
    body: anyConnector,
    bodyByType: 'connector',
    ok: noContent,
    errors: ['TEST_FAILED'],
  }),
};
