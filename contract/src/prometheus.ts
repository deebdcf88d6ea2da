import * as z from 'zod/mini';
import { endpoint, json } from './kit/endpoint.ts';
import { httpHeaders } from './kit/headers.ts';
import { flag, parseDuration } from './kit/values.ts';

const NO_DURATION = 'Not a valid duration';
const interval = z
  .union([z.string(), z.number()], NO_DURATION)
  .check(z.refine((value) => (parseDuration(value) ?? 0) >= 1000, NO_DURATION));

/** Without user and password: the address is shown, and headers are there for them. */
function isHttpUrl(value: string): boolean {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}
const url = z.string().check(z.refine(isHttpUrl, 'Invalid url'));

/** `${name}` and `${host}`: the node's name before and behind the `@`. */
const JOB_NAME = '${name}/instance/${name}~${host}';
const collector = z.enum(['enabled', 'disabled']);

/** Figures of the real broker's virtual machine; ours has none: kept for those who send them back. */
const Collectors = z.strictObject({
  mnesia: z._default(collector, 'disabled'),
  vm_dist: z._default(collector, 'disabled'),
  vm_memory: z._default(collector, 'disabled'),
  vm_msacc: z._default(collector, 'disabled'),
  vm_statistics: z._default(collector, 'disabled'),
  vm_system_info: z._default(collector, 'disabled'),
});

const PushGateway = z.strictObject({
  enable: z._default(flag, false),
  url: z._default(url, 'http://127.0.0.1:9091'),
  interval: z._default(interval, '15s'),
  method: z._default(z.enum(['put', 'post']), 'put'),
  /** May hold a secret: answers carry every value masked. */
  headers: z._default(httpHeaders, {}),
  job_name: z._default(z.string().check(z.minLength(1)), JOB_NAME),
});

export const PrometheusSettings = z.strictObject({
  /** Whoever fetches figures needs an API key, or a token. */
  enable_basic_auth: z._default(flag, false),
  push_gateway: z.prefault(PushGateway, {}),
  collectors: z.prefault(Collectors, {}),
});
export type PrometheusSettings = z.output<typeof PrometheusSettings>;

/** The body of older clients. */
const OldSettings = z.strictObject({
  enable: flag,
  push_gateway_server: url,
  interval: z._default(interval, '15s'),
  job_name: z._default(z.string(), JOB_NAME),
  headers: z._default(httpHeaders, {}),
});

const SERVER = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9.-]+)(:\d{1,5})?$/;

export const StatsdSettings = z.strictObject({
  enable: z._default(flag, false),
  /** Host and port of UDP; 8125 without a port. */
  server: z._default(
    z.string().check(z.refine((value) => SERVER.test(value), 'bad_host_port')),
    '127.0.0.1:8125',
  ),
  sample_time_interval: z._default(interval, '30s'),
  flush_time_interval: z._default(interval, '30s'),
});
export type StatsdSettings = z.output<typeof StatsdSettings>;

const MODES = ['node', 'all_nodes_aggregated', 'all_nodes_unaggregated'] as const;
const ofMode = z.object({ mode: z._default(z.enum(MODES), 'node') });

export const prometheus = {
  get: endpoint({
    method: 'GET',
    path: '/prometheus',
    summary: 'Settings of the hand-over to Prometheus',
    ok: json(PrometheusSettings),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/prometheus',
    summary: 'Change settings of the hand-over to Prometheus; headers that are masked keep their values',
    body: z.union([PrometheusSettings, OldSettings]),
    ok: json(PrometheusSettings),
  }),
  stats: endpoint({
    method: 'GET',
    path: '/prometheus/stats',
    summary: 'All figures as Prometheus reads them, or as JSON',
    access: 'scrape',
    query: ofMode,
    ok: json(z.union([z.string(), z.looseObject({})])),
  }),
  getStatsd: endpoint({
    method: 'GET',
    path: '/statsd',
    summary: 'Settings of the hand-over to StatsD',
    extension: 'Real brokers had it until 5.0.2',
    ok: json(StatsdSettings),
  }),
  updateStatsd: endpoint({
    method: 'PUT',
    path: '/statsd',
    summary: 'Change settings of the hand-over to StatsD',
    extension: 'Real brokers had it until 5.0.2',
    body: StatsdSettings,
    ok: json(StatsdSettings),
  }),
};
