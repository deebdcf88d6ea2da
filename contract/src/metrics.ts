import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { queryBool } from './kit/query.ts';

/** Counters since the start, by name: `messages.received` and about a hundred more. */
export const Metrics = z.catchall(z.looseObject({ node: z.optional(z.string()) }), z.unknown());
export type Metrics = { node?: string } & Record<string, number>;

/** Gauges, now and their highest: `connections.count`, `connections.max`. */
export const Stats = z.catchall(z.looseObject({ node: z.optional(z.string()) }), z.unknown());
export type Stats = { node?: string } & Record<string, number>;

export const metrics = {
  /** One object with `aggregate=true`, else one per node, each with `node`. */
  list: endpoint({
    method: 'GET',
    path: '/metrics',
    summary: 'Counters per node, or summed up',
    query: z.object({ aggregate: z._default(queryBool, false), node: z.optional(z.string()) }),
    ok: json(z.union([z.array(Metrics), Metrics])),
  }),
};

export const stats = {
  list: endpoint({
    method: 'GET',
    path: '/stats',
    summary: 'Gauges per node, or summed up',
    query: z.object({ aggregate: z._default(queryBool, false) }),
    ok: json(z.union([z.array(Stats), Stats])),
  }),
};
