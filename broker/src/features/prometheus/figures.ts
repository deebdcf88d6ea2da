import os from 'node:os';
import type { Core } from '../../core/core.ts';

/** One figure under EMQX's name; `labels` where there are several of one name. */
export interface Figure {
  name: string;
  type: 'gauge' | 'counter';
  value: number;
  labels?: Readonly<Record<string, string>>;
}

export interface CertificateFact {
  listenerType: string;
  listenerName: string;
  expiresAt: number; // epoch ms
}

/** `packets.publish.received` is `emqx_packets_publish_received`. */
const nameOf = (metric: string): string => `emqx_${metric.replaceAll('.', '_')}`;

/** Everything that is counted and measured, as other systems read it. */
export function figuresOf(core: Core, certificates: readonly CertificateFact[]): Figure[] {
  const gauges = Object.entries(core.gauges.all()).map(
    ([name, value]): Figure => ({ name: nameOf(name), type: 'gauge', value }),
  );
  const counters = Object.entries(core.counters.all()).map(
    ([name, value]): Figure => ({ name: nameOf(name), type: 'counter', value }),
  );
  // EMQX counts CONNECT under two names: this one here, the other in its own lists
  const connects = counters.find(({ name }) => name === 'emqx_packets_connect_received');
  const gauge = (name: string, value: number): Figure => ({ name, type: 'gauge', value });
  const [total, free] = [os.totalmem(), os.freemem()];
  const busy = Math.min(100, (100 * os.loadavg()[0]!) / os.cpus().length);
  return [
    ...gauges,
    gauge('emqx_vm_cpu_use', Math.round(busy * 100) / 100),
    gauge('emqx_vm_cpu_idle', Math.round((100 - busy) * 100) / 100),
    gauge('emqx_vm_total_memory', total),
    gauge('emqx_vm_used_memory', total - free),
    gauge('emqx_cluster_nodes_running', 1),
    gauge('emqx_cluster_nodes_stopped', 0),
    ...certificates.map(
      ({ listenerType, listenerName, expiresAt }): Figure => ({
        name: 'emqx_cert_expiry_at',
        type: 'gauge',
        value: Math.floor(expiresAt / 1000),
        labels: { listener_type: listenerType, listener_name: listenerName },
      }),
    ),
    ...counters,
    ...(connects ? [{ ...connects, name: 'emqx_packets_connect' }] : []),
  ];
}

/** The text format of Prometheus, version 0.0.4. `labels` are added to each figure. */
export function prometheusText(
  figures: readonly Figure[],
  labels: Readonly<Record<string, string>> = {},
): string {
  const lines: string[] = [];
  let last = '';
  for (const { name, type, value, labels: own } of figures) {
    if (name !== last) lines.push(`# TYPE ${name} ${type}`);
    last = name;
    const all = Object.entries({ ...labels, ...own }).map(([label, text]) => `${label}="${escaped(text)}"`);
    lines.push(`${name}${all.length > 0 ? `{${all.join(',')}}` : ''} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The groups of the JSON form, by the beginnings of their names. */
const GROUPS: readonly (readonly [group: string, begins: readonly string[]])[] = [
  ['authn', ['emqx_authentication_']],
  ['acl', ['emqx_authorization_']],
  ['client', ['emqx_client_']],
  ['session', ['emqx_session_']],
  ['delivery', ['emqx_delivery_']],
  ['messages', ['emqx_messages_']],
  ['packets', ['emqx_packets_', 'emqx_bytes_']],
  ['metrics', ['emqx_vm_']],
  ['cluster', ['emqx_cluster_nodes_']],
  ['olp', ['emqx_overload_protection_']],
];

/** The same as one object; `client` is a list, as the real API has it. */
export function figuresAsJson(figures: readonly Figure[], node: string | null): Record<string, unknown> {
  const groups: Record<string, Record<string, number | string>> = { stats: {} };
  for (const { name, value, labels } of figures) {
    if (labels) continue;
    const group = GROUPS.find(([, begins]) => begins.some((begin) => name.startsWith(begin)))?.[0] ?? 'stats';
    groups[group] ??= {};
    groups[group][name] = value;
  }
  const certs = figures
    .filter(({ name }) => name === 'emqx_cert_expiry_at')
    .map(({ name, value, labels }) => ({ [name]: value, ...labels }));
  const shaped = Object.entries(groups).map(([group, values]) => {
    const all = node === null ? values : { ...values, node };
    return [group, group === 'client' ? [all] : all];
  });
  return { ...Object.fromEntries(shaped), certs };
}
