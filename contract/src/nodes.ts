import * as z from 'zod/mini';
import { endpoint, json, noContent } from './kit/endpoint.ts';
import { Metrics, Stats } from './metrics.ts';

/** A node of the cluster, and how it is. */
export const Node = z.looseObject({
  node: z.string(),
  node_status: z.string(), // running | stopped
  role: z.optional(z.string()), // core | replicant
  version: z.string(),
  edition: z.string(), // Opensource | Enterprise
  uptime: z.number(), // ms
  connections: z.number(), // sessions with or without a connection
  live_connections: z.optional(z.number()), // connected now
  cluster_sessions: z.optional(z.number()),
  load1: z.union([z.number(), z.string()]),
  load5: z.union([z.number(), z.string()]),
  load15: z.union([z.number(), z.string()]),
  memory_used: z.union([z.string(), z.number()]), // "1.33G"
  memory_total: z.union([z.string(), z.number()]),
  process_used: z.number(),
  process_available: z.number(),
  max_fds: z.union([z.number(), z.string()]),
  otp_release: z.string(), // the run-time's version
  sys_path: z.optional(z.string()),
  log_path: z.optional(z.string()),
});
export type Node = z.infer<typeof Node>;

/** Whether a node is being replaced by another version while it runs; ours never is. */
const Upgrade = z.looseObject({
  node: z.string(),
  role: z.string(),
  status: z.string(), // idle | in-progress
  current_vsn: z.string(),
  live_connections: z.number(),
  upgrade_history: z.array(z.unknown()),
});

export const nodes = {
  list: endpoint({ method: 'GET', path: '/nodes', summary: 'All nodes', ok: json(z.array(Node)) }),
  get: endpoint({
    method: 'GET',
    path: '/nodes/:node',
    summary: 'One node',
    ok: json(Node),
    errors: ['NOT_FOUND'],
  }),
  metrics: endpoint({
    method: 'GET',
    path: '/nodes/:node/metrics',
    summary: 'The counters of one node',
    ok: json(Metrics),
    errors: ['NOT_FOUND'],
  }),
  stats: endpoint({
    method: 'GET',
    path: '/nodes/:node/stats',
    summary: 'The gauges of one node',
    ok: json(Stats),
    errors: ['NOT_FOUND'],
  }),
  upgrades: endpoint({
    method: 'GET',
    path: '/relup/status',
    summary: 'Upgrades of running nodes; this broker is upgraded by a restart, so it has none',
    ok: json(z.array(Upgrade)),
  }),
};

export const cluster = {
  get: endpoint({
    method: 'GET',
    path: '/cluster',
    summary: 'The name and the members of the cluster',
    ok: json(z.looseObject({ name: z.string(), nodes: z.array(z.string()), self: z.string() })),
  }),
  topology: endpoint({
    method: 'GET',
    path: '/cluster/topology',
    summary: 'Which replicants belong to which core node',
    ok: json(z.array(z.looseObject({ core_node: z.string(), replicant_nodes: z.array(z.unknown()) }))),
  }),
  invite: endpoint({
    method: 'PUT',
    path: '/cluster/:node/invite',
    summary: 'Ask a node to join; refused by a broker that runs as one node',
    ok: noContent,
  }),
  forceLeave: endpoint({
    method: 'DELETE',
    path: '/cluster/:node/force_leave',
    summary: 'Remove another node from the cluster',
    ok: noContent,
  }),
};
