import { basePrefix } from '../../base.ts';

/** A scrape job for this console's own origin. */
export function scrapeConfig({ host, protocol }: Pick<Location, 'host' | 'protocol'>, auth: boolean): string {
  return [
    'scrape_configs:',
    '  - job_name: mqdeck',
    '    scrape_interval: 15s',
    `    scheme: ${protocol.replace(':', '')}`,
    `    metrics_path: ${basePrefix()}/api/v5/prometheus/stats`,
    ...(auth ? ['    basic_auth:', '      username: <API key>', '      password: <secret>'] : []),
    '    static_configs:',
    `      - targets: ['${host}']`,
    '',
  ].join('\n');
}

type Panel = readonly [title: string, unit: string, ...queries: (readonly [legend: string, query: string])[]];

const rate = (name: string) => `sum(rate(${name}[1m]))`;
const PANELS: readonly Panel[] = [
  ['Connections', 'short', ['live', 'emqx_live_connections_count'], ['sessions', 'emqx_sessions_count']],
  ['Subscriptions', 'short', ['subscriptions', 'emqx_subscriptions_count'], ['topics', 'emqx_topics_count']],
  ['Messages', 'msg/s', ['received', rate('emqx_messages_received')], ['sent', rate('emqx_messages_sent')]],
  [
    'Dropped',
    'msg/s',
    ['no subscribers', rate('emqx_messages_dropped_no_subscribers')],
    ['all', rate('emqx_messages_dropped')],
    ['queue full', rate('emqx_delivery_dropped_queue_full')],
  ],
  ['Traffic', 'Bps', ['received', rate('emqx_bytes_received')], ['sent', rate('emqx_bytes_sent')]],
  [
    'Refused',
    'short',
    ['connections', rate('emqx_packets_connack_error')],
    ['publishing', rate('emqx_packets_publish_auth_error')],
    ['subscribing', rate('emqx_packets_subscribe_auth_error')],
  ],
  ['Retained and delayed', 'short', ['retained', 'emqx_retained_count'], ['delayed', 'emqx_delayed_count']],
  [
    'Machine',
    'percent',
    ['CPU', 'emqx_vm_cpu_use'],
    ['memory', '100 * emqx_vm_used_memory / emqx_vm_total_memory'],
  ],
];

/** A dashboard to import into Grafana: two charts in a row, for a data source that is asked for on import. */
export function grafanaDashboard(): object {
  return {
    __inputs: [{ name: 'DS_PROMETHEUS', label: 'Prometheus', type: 'datasource', pluginId: 'prometheus' }],
    title: 'mqdeck',
    uid: 'mqdeck',
    schemaVersion: 39,
    time: { from: 'now-1h', to: 'now' },
    refresh: '15s',
    panels: PANELS.map(([title, unit, ...queries], i) => ({
      id: i + 1,
      type: 'timeseries',
      title,
      datasource: { type: 'prometheus', uid: '${DS_PROMETHEUS}' },
      gridPos: { x: (i % 2) * 12, y: Math.floor(i / 2) * 8, w: 12, h: 8 },
      fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
      targets: queries.map(([legendFormat, expr], n) => ({
        refId: String.fromCharCode(65 + n),
        expr,
        legendFormat,
      })),
    })),
  };
}
