import type { Alarm } from '@mqdeck/contract/alarms';
import { paths } from '../../paths.ts';

/** Alarms of a thing bear its id behind their own name. */
const BY_PREFIX: readonly (readonly [prefix: string, to: (id: string) => string])[] = [
  ['bridge:', paths.bridge],
  ['exhook:', paths.exhook],
  ['plugin:', paths.plugin],
  ['certificate_expiry:', paths.listener],
  ['listener_down:', paths.listener],
  ['conn_congestion/', (rest) => paths.client(rest.split('/')[0]!)],
  ['limiter_', paths.limiter],
];
const OF_NODE = new Set([
  'high_cpu_usage',
  'high_system_memory_usage',
  'high_process_memory_usage',
  'high_event_loop_delay',
  'too_many_processes',
  'store_not_writable',
]);
const ELSEWHERE: Readonly<Record<string, () => string>> = {
  too_many_connections: paths.clients,
  log_not_writable: paths.log,
  rules_feed_each_other: paths.rules,
  license_quota: paths.overview,
  license_expiry: paths.overview,
};

/** Where what an alarm is about can be looked at; undefined where it has no page. */
export function subjectOf({ name, node }: Pick<Alarm, 'name' | 'node'>): string | undefined {
  const [prefix, to] = BY_PREFIX.find(([begin]) => name.startsWith(begin)) ?? [];
  if (prefix !== undefined && to) return to(name.slice(prefix.length));
  if (OF_NODE.has(name)) return paths.node(node);
  return Object.hasOwn(ELSEWHERE, name) ? ELSEWHERE[name]!() : undefined;
}
